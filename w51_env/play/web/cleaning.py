"""Deletes the files of tables that nobody has played at for long, so that a server's folder does not fill up."""

import fcntl
import json
import os
import time
from contextlib import suppress
from pathlib import Path

from w51_env.play.game_log import SUFFIX
from w51_env.play.web.seat_keys import TOKENS
from w51_env.replays.replay import MAX_BYTES
from w51_env.system.files import open_file, read_open

DAY = 24 * 60 * 60
KEPT, KEPT_EMPTY = 30 * DAY, DAY  # seconds since the last decision; without any decision


def delete_old(folder: Path) -> int:
    """Delete the old tables of a folder that no process has open; replays stay. Returns how many were deleted."""
    deleted = 0
    with suppress(OSError):  # the folder is gone
        for entry in sorted(folder.glob(f"*{SUFFIX}")):
            with suppress(OSError, ValueError):  # a link, no table, gone, or open in another process
                deleted += _delete_if_old(entry)
    return deleted


def _delete_if_old(path: Path) -> bool:
    """Delete the file of a table if it is old; errors if it is no such file, or in use."""
    if time.time() - path.lstat().st_mtime < KEPT_EMPTY:
        return False
    descriptor = open_file(path, follow_links=False)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        first, *decisions = read_open(descriptor, MAX_BYTES).splitlines()
        is_table = TOKENS in json.loads(first)["extra"]  # of this server, not of the terminal
        age = time.time() - os.fstat(descriptor).st_mtime
        if not is_table or age < (KEPT if decisions else KEPT_EMPTY):
            return False
        path.unlink()
        return True
    except (LookupError, TypeError) as error:
        raise ValueError("no table") from error
    finally:
        os.close(descriptor)
