"""Locks of open files, which end with the process that has them, and flags that some systems do not have."""

import errno
import os
import sys

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

NO_LINK = getattr(os, "O_NOFOLLOW", 0)  #  for `os.open`: a link is an error
NO_WAIT = getattr(os, "O_NONBLOCK", 0)  #  to open a pipe would wait for its writer
_FAR = 1 << 30  #  Windows locks bytes, so that nobody else reads them: one after the end of any file


def lock(descriptor: int) -> None:
    """Lock an open file.

    Raises:
        BlockingIOError, PermissionError: Another descriptor of it has the lock.
        OSError: Its file system has no locks.
    """
    if sys.platform == "win32":
        at = os.lseek(descriptor, 0, os.SEEK_CUR)
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        os.lseek(descriptor, at, os.SEEK_SET)
    else:  # `flock`, because the locks of `lockf` end when the process closes any descriptor of the file
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in (errno.EAGAIN, errno.EACCES):
                raise
            hint = "name a folder on another one, as on a local disk, or mount it with locks"
            raise OSError(error.errno, f"its file system has no locks ({error.strerror}): {hint}") from None
