"""What makes a rule compiled code: `kernel` for rules, `entry` for the loops that Python calls.

A rule is a small function marked `@kernel`. Rules are never compiled one by one: they are part of the few *entries*
that Python calls (`engine.loops`). The machine code of an entry is cached under its fingerprint
(`fingerprint.py`). So a start loads machine code (`machine_code.py`) and imports no Numba; `compiler.py`, which does,
is imported when there is something to compile.

`NUMBA_DISABLE_JIT=1`, and a Numba with which kernels cannot be compiled (`trial.py`), make the decorators return plain
functions; `records` then gives records attribute access, so that the same rules run as ordinary Python.
"""

import os
from collections.abc import Callable, Sequence
from functools import cache, cached_property, partial
from operator import itemgetter
from typing import Any, TypeVar

import numpy as np

from w51_env.compiler import trial
from w51_env.compiler.fingerprint import fingerprint_and_constants
from w51_env.errors import FileError

JIT_DISABLED = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0") or not trial.can_compile()
if not JIT_DISABLED:
    from w51_env.compiler import machine_code  # needs llvmlite, which may be as unknown as Numba

NUMBA_SETTINGS = ".numba_config.yaml"

Function = TypeVar("Function", bound=Callable[..., Any])


class Kernel:
    """A rule that only compiled code can call. Numba sees it as a function that it has compiled."""

    def __init__(self, function: Callable[..., Any]):
        self.py_func = function
        self.__name__, self.__doc__ = function.__name__, function.__doc__

    @cached_property
    def _dispatcher(self) -> Any:
        from w51_env.compiler import compiler

        return compiler.dispatcher_of_kernel(self.py_func)

    @property
    def _numba_type_(self) -> Any:
        from w51_env.compiler import compiler

        compiler.check_compiling(self.__name__)
        return self._dispatcher._numba_type_


class Primitive:
    """An operation that the compiler writes itself, as compiled code calls it.

    Args:
        function: The Python function that does the same with the JIT off.
        written_by: The function of `compiler.primitives` that gives its Numba type.
        details: The arguments of this function after `function`.
    """

    def __init__(self, function: Callable[..., Any], written_by: str, *details: Any):
        self.py_func = function
        self._written_by, self._details = written_by, details

    @cached_property
    def _numba_type_(self) -> Any:
        from w51_env.compiler import primitives

        return getattr(primitives, self._written_by)(self.py_func, *self._details)


def kernel(function: Function) -> Function:
    """Compile a rule: one function over one record, called from other kernels and from entries.

    With the JIT on, only other compiled code can call it. Integers are passed as int64 whatever their width in the
    record, so that each rule is compiled once and not once for each mixture of int8 and int64 that its callers have. No
    two records that a kernel takes may share memory, and no index of it may be below 0 (NUMBA_BOUNDSCHECK=1 looks).
    """
    return function if JIT_DISABLED else Kernel(function)  # type: ignore[return-value]


def late(owner: str) -> Callable[[Function], Function]:
    """A kernel that a first step does not need, compiled when it is called first (`Late`)."""
    return lambda function: function if JIT_DISABLED else Late(function, owner)  # type: ignore[return-value]


def operation(function: Function) -> Function:
    """An operation in whose place compiled code has that of its name in `compiler.primitives.OPERATIONS`."""
    return function if JIT_DISABLED else Primitive(function, "type_of_operation")  # type: ignore[return-value]


def scratch(count: int, dtype: type) -> Callable[[], np.ndarray]:
    """A function for kernels: (count,) numbers of any value, which last until the kernel ends.

    They are on the stack. An array of numpy would be allocated, and its references counted.
    """

    def make() -> np.ndarray:
        return np.empty(count, dtype)

    return make if JIT_DISABLED else Primitive(make, "type_of_scratch", count, dtype)  # type: ignore[return-value]


def scratch_records(count: int, dtype: np.dtype) -> Callable[[], np.ndarray]:
    """The same with (count,) structured records, which are all zero at first."""

    def make() -> np.ndarray:
        return records(np.zeros(count, dtype))

    return make if JIT_DISABLED else Primitive(make, "type_of_scratch", count, dtype)  # type: ignore[return-value]


def _memory_of(record: Any) -> np.ndarray:
    return np.frombuffer(record, np.int64)


# (n,) int64 for kernels: the memory of a record as numbers, to compare much of it at once.
words_of: Any = _memory_of if JIT_DISABLED else Primitive(_memory_of, "type_of_words")


class Compiled:
    """A function that is loaded, or else compiled, for each combination of types of its arguments at first use.

    Args:
        function: The Python function.
        owner: The name under which it is kept, as a game's.
        compile_with: The function of `compiler.compiler` that compiles it.
    """

    def __init__(self, function: Callable[..., Any], owner: str, compile_with: str):
        self._function, self._compile_with = function, compile_with
        self._name = f"{owner}.{function.__name__}"
        self._loaded: dict[tuple, Any] = {}

    @property
    def fingerprint(self) -> str:
        """What the machine code depends on but the types of the arguments, and but late kernels, as a digest."""
        return self._reached[0]

    @property
    def late_kernels(self) -> "dict[str, Late]":
        """The late kernels that it calls, by their titles."""
        # By the name of the class: where this module was reloaded, kernels made before are of another one.
        return {one.title: one for one in self._reached[1] if type(one).__qualname__ == Late.__qualname__}

    @cached_property
    def _reached(self) -> tuple[str, list[Any]]:
        return fingerprint_and_constants(self._function)

    def _code(self, types: tuple) -> Any:
        if types not in self._loaded:
            with machine_code.lock:  # of two threads that come first, one may run code that the other would replace
                if types not in self._loaded:
                    key = f"{self._compile_with} {self.fingerprint} {types} {sorted(self.late_kernels)}"
                    compile_now = partial(self._compile, types)
                    self._loaded[types] = machine_code.obtain(self._name, key, compile_now, self._address_of)
        return self._loaded[types]

    def _address_of(self, title: str, types: tuple) -> int:
        return self.late_kernels[title]._code(types).address

    def _compile(self, types: tuple) -> Any:
        if os.path.exists(NUMBA_SETTINGS):  # noqa: PTH110 (`Path` raises where the working directory is closed)
            raise FileError(
                f"{NUMBA_SETTINGS} in the working directory: Numba would take settings for cached code from it, "
                "but it may be untrusted. Remove it, or work in another directory; NUMBA_... variables are accepted"
            )
        from w51_env.compiler import compiler

        return getattr(compiler, self._compile_with)(self._function, types)


class Late(Compiled):
    """A kernel that is compiled apart from those that call it, when it is called first.

    They call it by its address, which each object file of theirs holds in a variable. Its arguments are records and
    integers, its result is an integer or nothing.

    Args:
        function: The kernel.
        owner: The name under which it is kept, as a game's.

    Attributes:
        title: Its module and name.
    """

    def __init__(self, function: Any, owner: str):
        super().__init__(getattr(function, "py_func", function), owner, "compile_late")
        self.title = f"{self._function.__module__}.{self._function.__qualname__}"

    def __call__(self, *arguments: Any) -> Any:
        return self._function(*arguments)  # with the JIT off

    @cached_property
    def _numba_type_(self) -> Any:
        from w51_env.compiler import primitives

        return primitives.type_of_late(self._function, self.title)


class Entry(Compiled):
    """A function that Python calls.

    Its arguments are arrays and NamedTuples of arrays, and it returns an integer or nothing. If it has one more
    argument, this is an integer that each call gives.

    Args:
        function: The Python function.
        owner: The name under which it is kept, as a game's.
    """

    def __init__(self, function: Callable[..., Any], owner: str):
        self.py_func = function
        super().__init__(function, owner, "compile_entry")

    def bind(self, *arguments: Any) -> Callable[[int], int]:
        """The entry with these arguments, whose arrays are read and written at every call: (number) -> integer.

        The arrays are C-contiguous. A call passes one address and one number, so it takes some 60 ns. Numba's own calls
        look at each array, for some 200 ns each, and count its references with atomic operations.
        """
        if JIT_DISABLED:
            return self._plain(
                [type(one)._make(map(records, one)) if _is_group(one) else records(one) for one in arguments]
            )
        arrays = [array for one in arguments for array in (one if _is_group(one) else (one,))]
        return self._code(tuple([_type_of(one) for one in arguments])).bind(arrays)

    def __call__(self, *arguments: Any, number: int = 0) -> int:
        """One call with these arguments, for those that are not made at every step."""
        return self.bind(*arguments)(number)

    def _plain(self, arguments: Sequence[Any]) -> Callable[[int], int]:
        takes_number = self.py_func.__code__.co_argcount > len(arguments)
        return lambda number: self.py_func(*arguments, *([number] if takes_number else []))


def _is_group(argument: Any) -> bool:
    return isinstance(argument, tuple)


def _type_of(argument: Any) -> tuple:
    """Of an array its dtype and number of dimensions; of a NamedTuple its class, and the same of its arrays by name."""
    if _is_group(argument):
        return type(argument), tuple([(name, *_type_of(one)) for name, one in argument._asdict().items()])
    return argument.dtype, argument.ndim


def entry(owner: str) -> Callable[[Callable[..., Any]], Entry]:
    """Make a function an entry that is kept under the name of its owner. All that it calls is defined before it."""
    return lambda function: Entry(function, owner)


def aligned_zeros(shape: tuple[int, ...], dtype: np.dtype | type) -> np.ndarray:
    """Zeros that begin with a cache line of 64 bytes."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    memory = np.zeros(size + 64, np.uint8)
    start = -memory.ctypes.data % 64
    return memory[start : start + size].view(dtype).reshape(shape)


def records(array: np.ndarray) -> np.ndarray:
    """The same memory, such that `array[i].field` works with the JIT on and off."""
    return array.view(_record_dtype(array.dtype)) if JIT_DISABLED and array.dtype.fields is not None else array


def record_of(**numbers: int) -> np.ndarray:
    """(1,) record of numbers by their names."""
    return np.array([tuple(numbers.values())], [(name, np.int64) for name in numbers])


def rows(array: np.ndarray, field: str = "values") -> np.ndarray:
    """The same memory as records with one field, one record for each index of the first axis.

    Compiled code passes a record as a pointer. A slice of an array would be passed as eight numbers.
    """
    flat = array.reshape(array.shape[0], -1)
    return records(flat.view(_row_dtype(field, array.dtype, array.shape[1:]))[:, 0])


def blocks(states: np.ndarray) -> np.ndarray:
    """The same memory as opaque blocks, which numpy copies in one piece, and records field by field."""
    return states.view(_block_dtype(states.dtype.itemsize))


def repeated(states: np.ndarray, times: int) -> np.ndarray:
    """Each of (N,) states as often as said, one after the other."""
    return np.repeat(blocks(states), times).view(states.dtype)


@cache
def _record_dtype(dtype: np.dtype) -> np.dtype:
    """Of records with fields as attributes. np.recarray takes five times as long, and has a method `round`."""
    return np.dtype((type("Record", (np.void,), {name: _attribute(name) for name in dtype.names or ()}), dtype))


def _attribute(field: str) -> property:
    def write(record: Any, value: Any) -> None:
        record[field] = value

    return property(itemgetter(field), write)


@cache
def _block_dtype(size: int) -> np.dtype:
    return np.dtype(f"V{size}")


@cache
def _row_dtype(field: str, dtype: np.dtype, shape: tuple[int, ...]) -> np.dtype:
    """One object for equal dtypes: to find the code for some types is faster if they are the same objects."""
    return np.dtype([(field, dtype, shape)])
