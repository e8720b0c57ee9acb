"""Files and folders: written atomically, locked, and read with limits where they may be untrusted."""

import csv
import errno
import hashlib
import json
import os
import shutil
import stat
import tempfile
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from io import StringIO
from operator import methodcaller
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from w51_agents.system.errors import report_os_errors
from w51_agents.system.locks import NO_LINK, NO_WAIT, lock
from w51_env.engine.errors import FileError


class _Model(Protocol):
    """A record of pydantic, which light commands do not import."""

    def model_dump(self) -> dict[str, Any]: ...


Plain = None | bool | int | float | str | _Model | Sequence["Plain"] | Mapping[str, "Plain"]  # as JSON knows it

_UNFINISHED, _LOCK = ".unfinished-", ".lock"
_held: dict[tuple[int, int], int] = {}  #  the descriptors of the locks of this process, by device and inode
_holders: Counter[tuple[int, int]] = Counter()  #  how many hold each lock


def write_atomic(path: Path, write: Callable[[Path], object], *, follow_links: bool = True) -> Path:
    """Write a file atomically: `write` fills a temporary file beside `path`, which then replaces it.

    If `write` fails, an existing file is unchanged. The temporary file has the suffix of `path`, because some libraries
    choose the format by it. A link stays a link. Other targets, such as `/dev/stdout`, are written to directly. Without
    `follow_links`, for untrusted folders, a link or a pipe is replaced like a file.
    """
    if follow_links:
        if path.exists() and not path.is_file():
            write(path)
            return path
        path = path.resolve()
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=_UNFINISHED, suffix=path.suffix)
    os.close(descriptor)
    temporary = Path(name)
    try:
        write(temporary)
        temporary.chmod(0o666 & ~_umask())  # mkstemp's files are for their owner alone
        with temporary.open("rb") as file:
            os.fsync(file.fileno())  # before the name is given: a loss of power must not leave a part of it there
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return path


def write_text(text: str, path: Path) -> Path:
    """Write a text, atomically."""
    return write_atomic(path, lambda path: path.write_text(text, "utf-8"))


def write_json(data: Plain, path: Path) -> Path:
    """Write plain data and records as JSON, atomically."""
    return write_text(json.dumps(data, indent=2, default=methodcaller("model_dump")) + "\n", path)


def remove_unfinished(folder: Path) -> None:
    """Remove temporary files of `write_atomic` that a killed process left in a folder."""
    for path in folder.glob(f"{_UNFINISHED}*"):
        path.unlink(missing_ok=True)


def check_writable(path: Path) -> None:
    """FileError unless a file can be written there."""
    if is_folder(path):
        raise FileError(f"output {path}: is a folder, but a file is needed")
    if not path.parent.exists():
        raise FileError(f"output {path}: cannot be written: there is no folder {path.parent}")
    with report_os_errors(f"output {path}: cannot be written"):
        tempfile.TemporaryFile(dir=path.parent).close()


def new_folder(parent: Path, name: str, what: str, before: Collection[str]) -> Path:
    """Make and lock `parent/name`, or `parent/name-2`, `-3`, ... if it exists, so that no earlier work is lost.

    A folder that a killed process left before there was anything to resume is emptied and used.

    Args:
        parent: The folder to make it in.
        name: The name.
        what: What it is the folder of, for messages.
        before: Names of what is written into it before the file with which it can be resumed.

    Raises:
        FileError: It cannot be made.
    """
    with report_os_errors(f"output {parent / name}: cannot be made"):
        parent.mkdir(parents=True, exist_ok=True)
        number = 1
        while True:
            folder = parent / (name if number == 1 else f"{name}-{number}")
            is_new = not folder.exists()
            with suppress(FileExistsError):
                folder.mkdir()
            if _has_no_work(folder, before) and _lock(folder, again=False, is_new=is_new):
                if _has_no_work(folder, before):  # nor got any before it was locked
                    _empty(folder)
                    return folder
                release_folder(folder)
            number += 1


def _has_no_work(folder: Path, before: Collection[str]) -> bool:
    """Whether a folder is empty, or has only what a process of this package left that was killed as it began."""
    if folder.is_symlink() or not folder.is_dir() or not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        return False
    names = {path.name for path in folder.iterdir() if not path.name.startswith(_UNFINISHED)}
    return not names or (_LOCK in names and names <= {_LOCK, *before})


def _empty(folder: Path) -> None:
    """Remove all but the lock."""
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path.name != _LOCK:
            path.unlink()


def check_folder(folder: Path, what: str, file: str) -> None:
    """Check the folder of earlier work, which may be untrusted.

    There may be nothing but files and folders in it: what is written to a link would replace a file elsewhere, and to
    read a pipe or a device may never end.

    Args:
        folder: The folder.
        what: What it is the folder of, for messages.
        file: The file that each such folder has.

    Raises:
        FileError: There is no such folder, it has no such file, or there is something else in it.
    """
    if not is_folder(folder):
        raise FileError(f"{what} {folder}: there is no such folder")
    if not (folder / file).exists():
        raise FileError(f"{what} {folder}: is not the folder of a {what}: it has no {file}")
    with report_os_errors(f"{what} {folder}: cannot be read"):
        for path in sorted(folder.rglob("*")):
            mode = path.lstat().st_mode
            if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
                kind = "a link" if stat.S_ISLNK(mode) else "a pipe or a device"
                raise FileError(f"{what} {path}: is {kind}, but only files and folders are allowed in {folder}")


def open_file(path: Path, flags: int = os.O_RDONLY, *, follow_links: bool = True) -> int:
    """The descriptor of a regular file, which may be untrusted: a pipe or a device may never end.

    Without `follow_links`, for files in untrusted folders, what a link leads to is not opened.

    Raises:
        OSError: It cannot be opened, or is a folder, a pipe, a device, or a link where these are not followed.
    """
    if not follow_links:
        flags |= NO_LINK
    try:
        descriptor = os.open(path, flags | NO_WAIT)
    except OSError as error:
        raise OSError("it is a link") if error.errno == errno.ELOOP else error from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError("it is no file")
    return descriptor


def read_open(descriptor: int, max_bytes: int) -> bytes:
    """The content of an open file; ValueError if it is larger than `max_bytes`."""
    with open(descriptor, "rb", closefd=False) as file:
        content = file.read(max_bytes + 1)
    if len(content) > max_bytes:
        raise ValueError(f"larger than {max_bytes:,} bytes")
    return content


def read_bytes(path: Path, max_bytes: int, *, follow_links: bool = True) -> bytes:
    """The content of a file that `open_file` opens.

    Raises:
        OSError: It cannot be read, or `open_file` refuses it.
        ValueError: It is larger than `max_bytes`.
    """
    descriptor = open_file(path, follow_links=follow_links)
    try:
        return read_open(descriptor, max_bytes)
    finally:
        os.close(descriptor)


def read_text(path: Path, max_bytes: int) -> str:
    """As `read_bytes`; also ValueError if it is not UTF-8."""
    return read_bytes(path, max_bytes).decode()


def hold_folder(folder: Path, what: str) -> None:
    """Lock a folder against other processes, until as many calls of `release_folder` or the end of this process.

    Raises:
        FileError: Another process has locked it, or it cannot be written.
    """
    with report_os_errors(f"{what} {folder}: cannot be written"):
        if not _lock(folder, again=True):
            raise FileError(f"{what} {folder}: another process uses it")


def _lock(folder: Path, again: bool, is_new: bool = False) -> bool:
    """Lock a folder; False if another process has it, or, unless `again`, this one.

    Where there are no locks, it raises OSError and leaves no file behind, nor a folder that `is_new`.
    """
    is_first = not (path := folder / _LOCK).exists()
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR | NO_LINK, 0o666)
    identity = _identity(os.fstat(descriptor))
    if again and identity in _held:
        os.close(descriptor)
    else:
        try:
            lock(descriptor)
        except OSError as error:
            os.close(descriptor)
            if isinstance(error, BlockingIOError | PermissionError):
                return False
            if is_first:
                path.unlink()
            if is_new:
                folder.rmdir()
            raise
        _held[identity] = descriptor
    _holders[identity] += 1
    return True


def release_folder(folder: Path) -> None:
    """Take back one `hold_folder`; the last one ends the lock."""
    with suppress(OSError):  # the folder is gone
        identity = _identity((folder / _LOCK).stat())
        if identity in _held:
            _holders[identity] -= 1
            if not _holders[identity]:
                os.close(_held.pop(identity))


def csv_text(text: str) -> str:
    """A text for a cell of a CSV file: spreadsheets would run one that begins like a formula, so it gets a quote."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def csv_table(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A CSV file; its texts are as `csv_text` has them."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(heads)
    writer.writerows([csv_text(cell) if isinstance(cell, str) else cell for cell in row] for row in rows)
    return text.getvalue()


def digest_of(arrays: Mapping[str, np.ndarray], text: str = "") -> str:
    """SHA-256 of arrays and a text; safetensors itself has no checksum."""
    digest = hashlib.sha256(text.encode())
    for name, array in sorted(arrays.items()):
        digest.update(f"{name} {array.dtype} {array.shape} ".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def exists(path: str | Path) -> bool:
    """Whether there is anything."""
    return _asked(Path.exists, path)


def is_file(path: str | Path) -> bool:
    """Whether there is a file."""
    return _asked(Path.is_file, path)


def is_folder(path: str | Path) -> bool:
    """Whether there is a folder."""
    return _asked(Path.is_dir, path)


def _asked(question: Callable[[Path], bool], path: str | Path) -> bool:
    try:
        return question(Path(path))
    except (OSError, ValueError):  # a name too long, a folder that may not be read, a null byte
        return False
