"""The folder of compiled code: files that no other user can have written (docs/security.md)."""

import hashlib
import logging
import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

logger = logging.getLogger("w51_env")

_DIGEST_BYTES = 16
_HAS_OWNERS = hasattr(os, "geteuid")  #  else, as on Windows, access lists keep others out of a user's folders
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)  #  to open a pipe would wait for its writer


def read(path: Path) -> bytes | None:
    """What `write` wrote; None if there is none, a damaged one, or one that another user can have written."""
    with suppress(OSError), open(path, "rb", opener=_open_no_link) as file:
        _check_private(path, os.fstat(file.fileno()), stat.S_ISREG)
        data = file.read()
        if _checksum(data[_DIGEST_BYTES:]) == data[:_DIGEST_BYTES]:
            return data[_DIGEST_BYTES:]
    return None


def _open_no_link(path: str, flags: int) -> int:
    return os.open(path, flags | _NO_LINK | _NO_WAIT)


def write(path: Path, data: bytes) -> bool:
    """Whether this could be written, with a digest of it."""
    try:
        handle, name = tempfile.mkstemp(dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_checksum(data) + data)
            os.replace(name, path)
        except BaseException:
            os.unlink(name)
            raise
    except OSError as error:
        warn_once(f"compiled code could not be cached in {path.parent}: {error.strerror or error}")
        return False
    return True


def _checksum(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_DIGEST_BYTES).digest()


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
    if not _HAS_OWNERS:
        return
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
    if not _HAS_OWNERS:
        return
    status = folder.lstat()
    is_shared = status.st_mode & 0o022 and not status.st_mode & stat.S_ISVTX and not stat.S_ISLNK(status.st_mode)
    superuser = os.stat("/").st_uid  # not 0 in some containers
    if status.st_uid not in (0, superuser, os.geteuid()) or is_shared:
        raise PermissionError(f"other users can change {folder}")


def _check_private(path: Path, status: os.stat_result, is_kind: Callable[[int], bool]) -> None:
    """PermissionError unless it is of this kind and belongs to this user, and no other user can write to it."""
    if not is_kind(status.st_mode) or (_HAS_OWNERS and (status.st_uid != os.geteuid() or status.st_mode & 0o022)):
        raise PermissionError(f"other users can change {path}")


@cache
def warn_once(message: str) -> None:
    logger.warning("w51_env: %s", message)
