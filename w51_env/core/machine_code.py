"""Machine code: kept on disk, loaded with llvmlite alone, and made callable from Python and from other machine code.

The function of an entry takes two Python objects, an address and a number, as CPython calls a method of one argument:
nothing between Python and the code looks at arrays.
"""

import ctypes
import hashlib
import logging
import os
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

import llvmlite.binding as llvm
import numpy as np

FUNCTION = "w51_call"  # the symbol in each object file; of an entry PyObject *(PyObject *address, PyObject *number)
NEEDS_NUMBA = b"needs the runtime of Numba\n"  # before an object file

logger = logging.getLogger("w51_env")

_DIGEST_BYTES = 16
_METHOD_OF_ONE_ARGUMENT = 0x0008  # METH_O
_lock = threading.RLock()


class _MethodDef(ctypes.Structure):
    """PyMethodDef of CPython."""

    _fields_ = [
        ("name", ctypes.c_char_p), ("function", ctypes.c_void_p), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p)
    ]  # fmt: skip


_new_function = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.POINTER(_MethodDef), ctypes.py_object, ctypes.py_object)(
    ("PyCFunction_NewEx", ctypes.pythonapi)
)


class Code:
    """The machine code of one function for one combination of types; it stays loaded.

    Args:
        name: Of the function.
        objects: The object file.
        provide_runtime: Makes the functions of Numba known that some code calls.

    Attributes:
        address: Of the function.
    """

    def __init__(self, name: str, objects: bytes, provide_runtime: Callable[[], None]):
        if objects.startswith(NEEDS_NUMBA):
            provide_runtime()
            objects = objects.removeprefix(NEEDS_NUMBA)
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _new_target_machine())
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(objects))
        self._engine.finalize_object()
        self.address: int = self._engine.get_function_address(FUNCTION)
        if not self.address:
            raise OSError(f"{name}: no {FUNCTION} in the object file")
        self._method = _MethodDef(name.encode(), self.address, _METHOD_OF_ONE_ARGUMENT, None)

    def bind(self, arrays: Sequence[np.ndarray]) -> Callable[[int], int]:
        """The function of an entry with these arrays. It holds them, and the block of their addresses and shapes."""
        words = [id(IndexError)]  # the error of an index out of bounds, if indices are checked
        for array in arrays:
            assert array.flags.c_contiguous, "compiled code takes contiguous arrays"
            words += (array.ctypes.data, *array.shape)
        block = np.array(words, np.uint64)
        bound: Callable[[int], int] = _new_function(self._method, block.ctypes.data, (self, block, *arrays))
        return bound


_kept: list[object] = []  # what the addresses given to machine code lead to


def address_of_late(arguments: Sequence[type | None], link: Callable[[], int]) -> int:
    """The address of a function that calls another one, which `link` makes and gives the address of.

    Args:
        arguments: Of each argument int64, uint64, or None: the address of a record.
        link: Called once, with the interpreter lock.
    """
    kinds: dict[type | None, type] = {None: ctypes.c_void_p, np.int64: ctypes.c_int64, np.uint64: ctypes.c_uint64}
    result_and_error = (ctypes.c_void_p, ctypes.c_void_p)  # where they are written: Numba's calls
    prototype = ctypes.CFUNCTYPE(ctypes.c_int32, *result_and_error, *[kinds[kind] for kind in arguments])
    function = prototype(lambda *given: prototype(link())(*given))
    _kept.append(function)
    return ctypes.cast(function, ctypes.c_void_p).value or 0


def _new_target_machine() -> llvm.TargetMachine:
    """A target machine for one engine, which owns it."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple().create_target_machine(jit=True)


def obtain(name: str, key: str, compile_now: Callable[[], bytes], provide_runtime: Callable[[], None]) -> Code:
    """The code of this name and key: from disk, or else compiled and kept there.

    Args:
        name: Of the entry.
        key: Text of all that the code depends on but this processor and the settings of the compiler.
        compile_now: Compiles the object file.
        provide_runtime: As for `Code`.
    """
    with _lock:
        path = _path(name, key)
        if path is not None and (objects := _read(path)) is not None:
            with suppress(OSError, RuntimeError):
                return Code(name, objects, provide_runtime)
        _announce_compilation()
        objects = compile_now()
        if path is not None:
            _write(path, objects)
        return Code(name, objects, provide_runtime)


def _path(name: str, key: str) -> Path | None:
    settings = [f"{name}={value}" for name, value in sorted(os.environ.items()) if name.startswith("NUMBA_")]
    features = llvm.get_host_cpu_features().flatten()
    whole = f"{key} {llvm.get_process_triple()} {llvm.get_host_cpu_name()} {features} {settings}"
    directory = cache_directory()
    digest = hashlib.sha256(whole.encode()).hexdigest()[:20]
    return None if directory is None else directory / f"{name}-{digest}.o"


def _read(path: Path) -> bytes | None:
    """The object file; None if there is none, or a damaged one."""
    with suppress(OSError):
        data = path.read_bytes()
        if _checksum(data[_DIGEST_BYTES:]) == data[:_DIGEST_BYTES]:
            return data[_DIGEST_BYTES:]
    return None


def _write(path: Path, objects: bytes) -> None:
    try:
        handle, name = tempfile.mkstemp(dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_checksum(objects) + objects)
            os.replace(name, path)
        except BaseException:
            os.unlink(name)
            raise
    except OSError as error:
        logger.warning("w51_env: compiled code could not be cached: %s", error)


def _checksum(objects: bytes) -> bytes:
    return hashlib.blake2b(objects, digest_size=_DIGEST_BYTES).digest()


@cache
def cache_directory() -> Path | None:
    """The first writable of: `W51_ENV_CACHE`, the user's cache folder, the temporary folder; None where none is."""
    for candidate in _cache_candidates():
        try:
            candidate.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=candidate).close()
        except OSError:
            continue
        return candidate
    logger.warning("w51_env: no writable cache folder; the rules are compiled anew in every process")
    return None


def _cache_candidates() -> Iterator[Path]:
    if os.environ.get("W51_ENV_CACHE"):
        yield Path(os.environ["W51_ENV_CACHE"])
    yield Path(os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache"), "w51_env")
    with suppress(OSError):  # there may be no temporary folder either
        shared = Path(tempfile.gettempdir(), f"w51_env-{os.getuid()}")
        shared.mkdir(mode=0o700, exist_ok=True)
        if shared.lstat().st_uid == os.getuid():  # code of another user is not run
            yield shared


@cache
def _announce_compilation() -> None:
    logger.warning("w51_env: compiling the rules, kept on disk for the next time (some seconds) ...")
