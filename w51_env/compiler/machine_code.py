"""Machine code: cached, loaded with llvmlite alone, and made callable from Python and from other machine code.

The function of an entry takes two Python objects, an address and a number, as CPython calls a method of one argument:
nothing between Python and the code looks at arrays.
"""

import ast
import ctypes
import hashlib
import json
import logging
import os
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NamedTuple

import llvmlite.binding as llvm
import numpy as np

from w51_env.compiler.cache import cache_folder, read, warn_once, write

logger = logging.getLogger("w51_env")

FUNCTION = "w51_call"  # the symbol in each object file; of an entry PyObject *(PyObject *address, PyObject *number)
NOT_LINKED = 51  # the status of a late kernel that could not be compiled; those of Numba are below 0, or small
# Whether the parts of an object file are loaded into one piece of memory; tried on Linux on x86 only.
SIDE_BY_SIDE = all(part in llvm.get_process_triple() for part in ("x86_64", "linux"))

_METHOD_OF_ONE_ARGUMENT = 0x0008  # METH_O
lock = threading.RLock()  # for what compiles or loads code
# A fork waits until no thread compiles or loads: neither code that is half made nor its locks are left to the child.
os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)


class _MethodDef(ctypes.Structure):
    """PyMethodDef of CPython."""

    _fields_ = [
        ("name", ctypes.c_char_p), ("function", ctypes.c_void_p), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p)
    ]  # fmt: skip


_new_function = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.py_object)(
    ("PyCFunction_NewEx", ctypes.pythonapi)
)


class Objects(NamedTuple):
    """An object file, and what it needs.

    Attributes:
        needs_numba: Whether it calls functions of Numba's runtime.
        late: Of each late kernel that it calls: the variable for its address, its title, the dtypes of its arguments.
        code: The object file.
    """

    needs_numba: bool
    late: list[tuple[str, str, list[str]]]
    code: bytes

    def to_bytes(self) -> bytes:
        """The file that is kept."""
        return json.dumps(self[:2]).encode() + b"\n" + self.code

    @classmethod
    def from_bytes(cls, data: bytes) -> "Objects":
        """What `to_bytes` gave."""
        needs, _, code = data.partition(b"\n")
        needs_numba, late = json.loads(needs)
        return cls(needs_numba, late, code)


AddressOf = Callable[[str, tuple], int]  # (title, dtypes) -> the address of a late kernel


class Code:
    """The machine code of one function for one combination of types; it stays loaded.

    Args:
        name: Of the function.
        objects: The object file.
        address_of: Gives it late kernels.
    """

    def __init__(self, name: str, objects: Objects, address_of: AddressOf):
        if objects.needs_numba:
            _provide_runtime()
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _new_target_machine(), SIDE_BY_SIDE or None)
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(objects.code))
        self._engine.finalize_object()
        self._first_calls = [self._link_late(address_of, *late) for late in objects.late]
        self.address: int = self._engine.get_function_address(FUNCTION)
        if not self.address:
            raise OSError(f"{name}: no {FUNCTION} in the object file")
        self._method = _MethodDef(name.encode(), self.address, _METHOD_OF_ONE_ARGUMENT, None)

    def bind(self, arrays: Sequence[np.ndarray]) -> Callable[[int], int]:
        """The function of an entry with these arrays. It holds them, and the block of their addresses and shapes."""
        words = [id(IndexError), id(RuntimeError)]  # of indices, if they are checked; of late kernels
        for array in arrays:
            assert array.flags.c_contiguous, "compiled code takes contiguous arrays"
            words += (_address(array), *array.shape)
        block = np.array(words, np.uint64)
        bound: Callable[[int], int] = _new_function(ctypes.byref(self._method), _address(block), (self, block, *arrays))
        return bound

    def _link_late(self, address_of: AddressOf, variable: str, title: str, kinds: list[str]) -> object:
        """A function that links a late kernel and calls it. The variable has its address until then."""
        types = tuple([_dtype(kind) for kind in kinds])
        arguments = [ctypes.c_void_p if kind.fields else np.ctypeslib.as_ctypes_type(kind) for kind in types]
        # Numba's calls: first where the result and an error are written.
        prototype = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, *arguments)
        address = ctypes.c_uint64.from_address(self._engine.get_global_value_address(variable))

        def first_call(*given: int) -> int:
            try:
                address.value = address_of(title, types)
            except BaseException:  # also Ctrl-C: no exception may leave a function that machine code calls
                logger.exception("w51_env: %s could not be compiled", title)
                return NOT_LINKED
            status: int = prototype(address.value)(*given)
            return status

        function = prototype(first_call)
        address.value = ctypes.cast(function, ctypes.c_void_p).value or 0
        return function


def _address(array: np.ndarray) -> int:
    """Where the numbers of an array are. `array.ctypes` takes six times as long, and is for what cannot be written."""
    if array.size and array.flags.writeable and array.dtype.names is None:
        return ctypes.addressof(ctypes.c_char.from_buffer(array))  # type: ignore[arg-type]
    return array.ctypes.data


def _dtype(text: str) -> np.dtype:
    """The dtype of which this is the text."""
    return np.dtype(ast.literal_eval(text) if text[0] in "[{" else text)


def _provide_runtime() -> None:
    """Make known to the loader what code that allocates arrays calls."""
    from numba.core.registry import cpu_target
    from numba.core.runtime import rtsys

    rtsys.initialize(cpu_target.target_context)


def _new_target_machine() -> llvm.TargetMachine:
    """A target machine for one engine, which owns it."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple().create_target_machine(jit=True)


def obtain(name: str, key: str, compile_now: Callable[[], Objects], address_of: AddressOf) -> Code:
    """The code of this name and key: from the cache, or else compiled and cached.

    Args:
        name: Of the entry.
        key: Text of all that the code depends on but this processor and the settings of the compiler.
        compile_now: Compiles the object file.
        address_of: As for `Code`.
    """
    with lock:
        folder, note = cache_folder()
        path = None if folder is None else folder / _file_name(name, key)
        if path is not None and (kept := read(path)) is not None:
            with suppress(OSError, RuntimeError):
                return Code(name, Objects.from_bytes(kept), address_of)
        warn_once("compiling the rules (some seconds) ...")
        objects = compile_now()
        if path is None or write(path, objects.to_bytes()):
            warn_once(f"compiled code is cached {'nowhere' if folder is None else f'in {folder}'}{note}")
        return Code(name, objects, address_of)


def _file_name(name: str, key: str) -> str:
    settings = [f"{name}={value}" for name, value in sorted(os.environ.items()) if name.startswith("NUMBA_")]
    features = llvm.get_host_cpu_features().flatten()
    whole = f"{key} {llvm.get_process_triple()} {llvm.get_host_cpu_name()} {features} {settings}"
    return f"{name}-{hashlib.sha256(whole.encode()).hexdigest()[:20]}.o"
