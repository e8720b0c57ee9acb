"""Arrays in numpy's format npz, which may be a stranger's: what they unpack to is known before they are unpacked."""

import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO

import numpy as np

_DAMAGED = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, RuntimeError, MemoryError)


@contextmanager
def open_arrays(file: IO[bytes], max_bytes: int) -> Iterator[Mapping[str, np.ndarray]]:
    """The arrays of an open file, each unpacked when it is asked for.

    Raises:
        ValueError: They are larger, hold objects, or the file is damaged; also while it is read, inside the context.
        KeyError: There is no array of a name.
    """
    try:
        check_unpacked(file, max_bytes)
        with np.load(file, allow_pickle=False) as arrays:
            yield arrays
    except _DAMAGED as error:
        raise ValueError(str(error) or type(error).__name__) from None


def check_unpacked(file: IO[bytes], max_bytes: int) -> None:
    """ValueError if a zip unpacks to more; it is then at its start. `zipfile` unpacks no more than a file says."""
    with zipfile.ZipFile(file) as archive:
        size = sum(entry.file_size for entry in archive.infolist())
    if size > max_bytes:
        raise ValueError(f"it unpacks to {size:,} bytes, but at most {max_bytes:,} are allowed")
    file.seek(0)
