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
import stat
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

import llvmlite.binding as llvm
import numpy as np

FUNCTION = "w51_call"  # the symbol in each object file; of an entry PyObject *(PyObject *address, PyObject *number)
NOT_LINKED = 51  # the status of a late kernel that could not be compiled; those of Numba are below 0, or small
LANES = 32  # products that a dot product sums beside each other (`vectors`), with or without compiled code
# Whether the parts of an object file are loaded into one piece of memory; tried on Linux on x86 only.
SIDE_BY_SIDE = all(part in llvm.get_process_triple() for part in ("x86_64", "linux"))

logger = logging.getLogger("w51_env")

_DIGEST_BYTES = 16
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


class Links(NamedTuple):
    """What gives object files what they need.

    Attributes:
        provide_runtime: Makes the functions of Numba known.
        address_of: (title, dtypes) -> the address of a late kernel.
    """

    provide_runtime: Callable[[], None]
    address_of: Callable[[str, tuple], int]


class Code:
    """The machine code of one function for one combination of types; it stays loaded.

    Args:
        name: Of the function.
        objects: The object file.
        links: What gives it what it needs.

    Attributes:
        address: Of the function.
    """

    def __init__(self, name: str, objects: Objects, links: Links):
        if objects.needs_numba:
            links.provide_runtime()
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _new_target_machine(), SIDE_BY_SIDE or None)
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(objects.code))
        self._engine.finalize_object()
        self._first_calls = [self._link_late(links, *late) for late in objects.late]
        self.address: int = self._engine.get_function_address(FUNCTION)
        if not self.address:
            raise OSError(f"{name}: no {FUNCTION} in the object file")
        self._method = _MethodDef(name.encode(), self.address, _METHOD_OF_ONE_ARGUMENT, None)

    def bind(self, arrays: Sequence[np.ndarray]) -> Callable[[int], int]:
        """The function of an entry with these arrays. It holds them, and the block of their addresses and shapes."""
        words = [id(IndexError), id(RuntimeError)]  # of indices, if they are checked; of late kernels
        for array in arrays:
            assert array.flags.c_contiguous, "compiled code takes contiguous arrays"
            words += (array.ctypes.data, *array.shape)
        block = np.array(words, np.uint64)
        bound: Callable[[int], int] = _new_function(
            ctypes.byref(self._method), block.ctypes.data, (self, block, *arrays)
        )
        return bound

    def _link_late(self, links: Links, variable: str, title: str, kinds: list[str]) -> object:
        """A function that links a late kernel and calls it. The variable has its address until then."""
        types = tuple([_dtype(kind) for kind in kinds])
        arguments = [ctypes.c_void_p if kind.fields else np.ctypeslib.as_ctypes_type(kind) for kind in types]
        # Numba's calls: first where the result and an error are written.
        prototype = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, *arguments)
        address = ctypes.c_uint64.from_address(self._engine.get_global_value_address(variable))

        def first_call(*given: int) -> int:
            try:
                address.value = links.address_of(title, types)
            except BaseException:  # also Ctrl-C: no exception may leave a function that machine code calls
                logger.exception("w51_env: %s could not be compiled", title)
                return NOT_LINKED
            status: int = prototype(address.value)(*given)
            return status

        function = prototype(first_call)
        address.value = ctypes.cast(function, ctypes.c_void_p).value or 0
        return function


def _dtype(text: str) -> np.dtype:
    """The dtype of which this is the text."""
    return np.dtype(ast.literal_eval(text) if text[0] in "[{" else text)


def _new_target_machine() -> llvm.TargetMachine:
    """A target machine for one engine, which owns it."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple().create_target_machine(jit=True)


def obtain(name: str, key: str, compile_now: Callable[[], Objects], links: Links) -> Code:
    """The code of this name and key: from the cache, or else compiled and cached.

    Args:
        name: Of the entry.
        key: Text of all that the code depends on but this processor and the settings of the compiler.
        compile_now: Compiles the object file.
        links: As for `Code`.
    """
    with lock:
        folder, note = cache_folder()
        path = None if folder is None else folder / _file_name(name, key)
        if path is not None and (kept := _read(path)) is not None:
            with suppress(OSError, RuntimeError):
                return Code(name, Objects.from_bytes(kept), links)
        _warn_once("compiling the rules (some seconds) ...")
        objects = compile_now()
        if path is None or _write(path, objects.to_bytes()):
            _warn_once(f"compiled code is cached {'nowhere' if folder is None else f'in {folder}'}{note}")
        return Code(name, objects, links)


def _file_name(name: str, key: str) -> str:
    settings = [f"{name}={value}" for name, value in sorted(os.environ.items()) if name.startswith("NUMBA_")]
    features = llvm.get_host_cpu_features().flatten()
    whole = f"{key} {llvm.get_process_triple()} {llvm.get_host_cpu_name()} {features} {settings}"
    return f"{name}-{hashlib.sha256(whole.encode()).hexdigest()[:20]}.o"


def _read(path: Path) -> bytes | None:
    """The object file; None if there is none, a damaged one, or one that another user can have written."""
    with suppress(OSError), open(path, "rb", opener=_open_no_link) as file:
        _check_private(path, os.fstat(file.fileno()), stat.S_ISREG)
        data = file.read()
        if _checksum(data[_DIGEST_BYTES:]) == data[:_DIGEST_BYTES]:
            return data[_DIGEST_BYTES:]
    return None


def _open_no_link(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)  # to open a pipe would wait for its writer


def _write(path: Path, objects: bytes) -> bool:
    """Whether the object file could be written."""
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
        _warn_once(f"compiled code could not be cached in {path.parent}: {error.strerror or error}")
        return False
    return True


def _checksum(objects: bytes) -> bytes:
    return hashlib.blake2b(objects, digest_size=_DIGEST_BYTES).digest()


@cache
def cache_folder() -> tuple[Path | None, str]:
    """The first of `_cache_candidates` that only this user can write, or None; and why earlier ones are not used."""
    refused: list[str] = []
    for candidate in _cache_candidates():
        try:
            folder = _private_folder(candidate)
            tempfile.TemporaryFile(dir=folder).close()
            return folder, _note(refused)
        except OSError as error:
            refused.append(f"{candidate} ({error.strerror or error})")
    return None, _note(refused)


def _note(refused: list[str]) -> str:
    hint = "W51_ENV_CACHE can name a folder that only you can write"
    return f", not in {', '.join(refused)}. {hint}" if refused else ""


def _cache_candidates() -> Iterator[Path]:
    """`W51_ENV_CACHE`, folders in the user's cache folders, and in folders for temporary files."""
    if os.environ.get("W51_ENV_CACHE"):
        yield Path(os.environ["W51_ENV_CACHE"])
    if os.environ.get("XDG_CACHE_HOME"):
        yield Path(os.environ["XDG_CACHE_HOME"], "w51_env")
    yield Path(os.path.expanduser("~"), ".cache", "w51_env")
    # Not `tempfile.gettempdir()`, which may be the working directory.
    for shared in dict.fromkeys((os.environ.get("TMPDIR") or "/tmp", "/tmp", "/var/tmp")):
        if os.path.isdir(shared):
            yield Path(shared, f"w51_env-{os.geteuid()}")


def _private_folder(path: Path) -> Path:
    """The folder, without links in its path; it and the one above are made if they are missing.

    Raises:
        OSError: The path is relative: the working directory may be untrusted. It is no folder, cannot be made, or
            another user could put a file there.
    """
    if not path.is_absolute():
        raise OSError("a relative path")
    for step in (*reversed(path.parents), path):
        if step in (path, path.parent):
            step.mkdir(mode=0o700, exist_ok=True)
        _check_step(step)
    folder = path.resolve()
    for step in folder.parents:
        _check_step(step)
    _check_private(folder, folder.lstat(), stat.S_ISDIR)
    return folder


def _check_step(folder: Path) -> None:
    """PermissionError if another user can put another folder in the place of one in this folder, or of this link."""
    status = folder.lstat()
    is_shared = status.st_mode & 0o022 and not status.st_mode & stat.S_ISVTX and not stat.S_ISLNK(status.st_mode)
    superuser = os.stat("/").st_uid  # not 0 in some containers
    if status.st_uid not in (0, superuser, os.geteuid()) or is_shared:
        raise PermissionError(f"other users can change {folder}")


def _check_private(path: Path, status: os.stat_result, is_kind: Callable[[int], bool]) -> None:
    """PermissionError unless it is of this kind and belongs to this user, and no other user can write to it."""
    if not is_kind(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o022:
        raise PermissionError(f"other users can change {path}")


@cache
def _warn_once(message: str) -> None:
    logger.warning("w51_env: %s", message)
