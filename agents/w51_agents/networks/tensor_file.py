"""Arrays and texts in a safetensors file with a digest: what checkpoints and states of trainings are kept in."""

import json
from collections.abc import Mapping
from pathlib import Path
from textwrap import shorten
from typing import Any

import numpy as np
from safetensors import safe_open
from safetensors.numpy import save

from w51_agents.agent.interface import AgentError
from w51_agents.system.files import digest_of

VERSION = 2
_MAX_BYTES = 4 * 2**30  #  of a file: all of it is read into memory


def pack(arrays: Mapping[str, np.ndarray], metadata: Mapping[str, str], what: str) -> bytes:
    """The bytes of a safetensors file of the format `what`, the same for equal content.

    The caller writes them, so that a full disk raises OSError.
    """
    complete = {**metadata, "format": f"{what} {VERSION}"}
    complete["digest"] = digest_of(arrays, _text_of(complete))
    content = save({name: np.asarray(array, order="C") for name, array in arrays.items()}, complete)
    # safetensors writes metadata in random order.
    size = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + size])
    header["__metadata__"] = dict(sorted(complete.items()))
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)  # the arrays are aligned
    return len(text).to_bytes(8, "little") + text + content[8 + size :]


def unpack(path: Path, wanted: str, what: str, unreadable: str) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """Arrays and metadata of a file that `pack` wrote.

    Args:
        path: The file.
        wanted: The format.
        what: What the file is, for messages.
        unreadable: The message if it cannot be read.

    Raises:
        AgentError: It cannot be read, is of another format, or its content does not fit its digest.
    """
    try:
        if path.exists() and not path.is_file():
            raise OSError("it is no file")
        if (size := path.stat().st_size) > _MAX_BYTES:
            raise ValueError(f"{size:,} bytes, but at most {_MAX_BYTES:,} are read")
        with safe_open(path, "np") as file:
            metadata = file.metadata() or {}
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a mapping
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # noqa: BLE001 - safetensors panics, with no Exception, where memory is short
        raise AgentError(f"{what} {path}: {unreadable}: {str(error) or repr(error)}") from None
    if (written := metadata.get("format")) != f"{wanted} {VERSION}":
        raise AgentError(f"{what} {path}: format {written!r}, but '{wanted} {VERSION}' is needed")
    if metadata.get("digest") != digest_of(arrays, _text_of(metadata)):
        raise AgentError(f"{what} {path}: damaged: its content does not fit its digest")
    return arrays, metadata


def _text_of(metadata: Mapping[str, str]) -> str:
    """All metadata but the digest, as a text in a fixed order."""
    return json.dumps({name: value for name, value in sorted(metadata.items()) if name != "digest"})


def in_short(value: Any) -> str:
    """A value of a file for a message."""
    return shorten(repr(value), 60)
