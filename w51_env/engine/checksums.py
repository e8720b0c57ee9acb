"""Checksums of saved bytes, which detect damaged bytes and bytes of something else."""

import hashlib

from w51_env.engine.errors import OptionError

CHECKSUM_BYTES = 16


def checksum(*parts: bytes) -> bytes:
    """The checksum of these bytes, CHECKSUM_BYTES long."""
    return hashlib.blake2b(b"".join(parts), digest_size=CHECKSUM_BYTES).digest()


def check_bytes(name: str, data: object, method: str) -> bytes:
    """The bytes that the method of this name returned, in one piece; OptionError for anything else."""
    if not isinstance(data, bytes | bytearray | memoryview):
        raise OptionError(f"{name}: {in_short(data)}, but bytes of `{method}` are needed")
    return bytes(data)


def in_short(value: object) -> str:
    """An array's dtype and shape, or the type of another value, for error messages."""
    dtype, shape = getattr(value, "dtype", None), getattr(value, "shape", None)
    return type(value).__name__ if dtype is None or shape is None else f"{dtype} of shape {shape}"
