"""The only module that calls Numba.

A rule is a small function marked `@kernel`. Rules are never cached one by one: they are compiled into the few *entries*
that Python calls (`core.loops`). Those are cached on disk, each in a folder named by its fingerprint
(`core.fingerprint`). Numba's own cache looks only at the file of the cached function, so it would miss a change in a
rule it calls.

`NUMBA_DISABLE_JIT=1` makes both decorators return the plain function; `records` then gives records attribute access,
so that the same rules run as ordinary Python.
"""

import logging
import os
import secrets
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core import bytecode, caching, config, sigutils, typed_passes, types
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass

from w51_env.core.fingerprint import fingerprint

logger = logging.getLogger("w51_env")

JIT_DISABLED = bool(config.DISABLE_JIT)

# Numba names a compiled function by its number in this process and the numbers of its record types. Two entries that
# two processes have cached may then share names, and a process that loads both calls the one's kernel for the other's
# records: so each function gets a random number, also after a fork.
bytecode.FunctionIdentity._unique_ids = iter(lambda: secrets.randbits(62), None)

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compile a rule: one function over one record, called from other kernels and from entries.

    With the JIT on, only other compiled code can call it. Integers are passed as int64 whatever their width in the
    record, so that each rule is compiled once and not once for each mixture of int8 and int64 that its callers have.
    """
    dispatcher = numba.njit(
        nogil=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True, pipeline_class=_KernelCompiler
    )(function)
    if not JIT_DISABLED:
        compile_exactly = dispatcher.compile
        dispatcher.compile = lambda signature: compile_exactly(_widen(signature))
    return dispatcher


def _widen(signature: Any) -> tuple:
    arguments, _ = sigutils.normalize_signature(signature)
    return tuple(
        types.int64 if isinstance(argument, types.Integer) and argument != types.uint64 else argument
        for argument in map(types.unliteral, arguments)
    )


@register_pass(mutates_CFG=True, analysis_only=False)
class _KernelLowering(typed_passes.NativeLowering):
    """Lower a kernel to LLVM IR and stop: only entries are optimised and turned into machine code.

    Numba would optimise each function with all it calls, at every level of the call graph, and emit machine code and
    two Python wrappers for each. Kernels are called through entries only, so this more than halves the time of a cold
    compile.
    """

    _name = "kernel_lowering"

    def run_pass(self, state: Any) -> bool:
        library = state.targetctx.codegen().create_library(state.func_id.func_qualname)
        library._optimize_final_module = lambda: None
        library._finalize_final_module = lambda: setattr(library, "_finalized", True)
        state.library = library
        state.flags.no_compile = True
        super().run_pass(state)
        lowered = state["cr"]
        unique: list = []
        # A dispatcher needs a built-in function as the key by which other code finds the kernel; it is never called.
        key = unique.append
        state.targetctx.insert_user_function(key, lowered.fndesc, [library])
        state["cr"] = lowered._replace(cfunc=key)
        return True


class _KernelCompiler(CompilerBase):
    def define_pipelines(self) -> list:
        pipeline = DefaultPassBuilder.define_nopython_pipeline(self.state)
        pipeline.add_pass_after(_KernelLowering, typed_passes.NativeLowering)
        pipeline.passes = [step for step in pipeline.passes if step[0] is not typed_passes.NativeLowering]
        pipeline.finalize()
        return [pipeline]


def entry(owner: str) -> Callable[[Function], Function]:
    """Compile a function that Python calls, and cache it on disk under the name of its owner, as a game's.

    All that it calls must be defined before it.
    """

    def compile_entry(function: Function) -> Function:
        function.__qualname__ = f"{owner}.{function.__name__}"
        dispatcher = numba.njit(nogil=True, error_model="numpy")(function)
        if not JIT_DISABLED:
            digest = fingerprint(function)
            directory = cache_directory(f"{function.__qualname__}-{digest}")
            if directory is not None:
                function.__dict__.update(cache_directory=directory, source_hash=digest)
                dispatcher._cache = _EntryCache(function)
        return dispatcher

    return compile_entry


def aligned_zeros(shape: tuple[int, ...], dtype: np.dtype | type) -> np.ndarray:
    """Zeros that begin with a cache line of 64 bytes."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    memory = np.zeros(size + 64, np.uint8)
    start = -memory.ctypes.data % 64
    return memory[start : start + size].view(dtype).reshape(shape)


def records(array: np.ndarray) -> np.ndarray:
    """The same memory, such that `array[i].field` works with the JIT on and off."""
    return array.view(np.recarray) if JIT_DISABLED and array.dtype.fields is not None else array


def rows(array: np.ndarray, field: str = "values") -> np.ndarray:
    """The same memory as records with one field, one record for each index of the first axis.

    Compiled code passes a record as a pointer. A slice of an array would be passed as eight numbers, and its references
    counted with atomic operations, for which threads wait.
    """
    flat = array.reshape(array.shape[0], -1)
    return records(flat.view(_row_dtype(field, array.dtype, array.shape[1:]))[:, 0])


@cache
def _row_dtype(field: str, dtype: np.dtype, shape: tuple[int, ...]) -> np.dtype:
    """One object for equal dtypes: a call of compiled code recognises a dtype that it has seen by its identity."""
    return np.dtype([(field, dtype, shape)])


@cache
def cache_directory(name: str) -> Path | None:
    """The first writable of: `W51_ENV_CACHE`, the user's cache folder, the temporary folder; None where none is."""
    for candidate in _cache_candidates():
        directory = candidate / name
        try:
            directory.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=directory).close()
        except OSError:
            continue
        return directory
    logger.warning("w51_env: no writable cache folder; the rules are compiled anew in every process")
    return None


def _cache_candidates() -> Iterator[Path]:
    if os.environ.get("W51_ENV_CACHE"):
        yield Path(os.environ["W51_ENV_CACHE"])
    yield Path(os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache"), "w51_env")
    with suppress(OSError):  # there may be no temporary folder either
        yield Path(tempfile.gettempdir(), f"w51_env-{os.getuid() if hasattr(os, 'getuid') else 'user'}")


class _Locator(caching._CacheLocator):
    def __init__(self, function: Callable):
        self._function = function
        self._py_file = function.__qualname__  # named in Numba's warnings

    def get_cache_path(self) -> str:
        return str(self._function.__dict__["cache_directory"])

    def get_source_stamp(self) -> str:
        return self._function.__dict__["source_hash"]

    def get_disambiguator(self) -> str:
        return "entry"

    @classmethod
    def from_function(cls, py_func: Callable, py_file: str) -> "_Locator":
        return cls(py_func)


class _EntryCacheImpl(caching.CompileResultCacheImpl):
    _locator_classes = [_Locator]


class _EntryCache(caching.FunctionCache):
    _impl_class = _EntryCacheImpl

    def _index_key(self, sig: Any, codegen: Any) -> tuple:
        # Entries close over kernels, whose pickles differ from process to process; their sources name the folder.
        return (sig, codegen.magic_tuple(), self._py_func.__qualname__)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            overload = super().load_overload(sig, target_context)
        except Exception:  # a damaged cache file only costs a new compilation
            with suppress(OSError):
                self.flush()  # begins a new index, as the damaged one could not be added to
            overload = None
        if overload is None:
            _announce_compilation()
        return overload

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError as error:
            logger.warning("w51_env: compiled code could not be cached: %s", error)


@cache
def _announce_compilation() -> None:
    logger.warning("w51_env: compiling the rules, kept on disk for the next time (some seconds) ...")
