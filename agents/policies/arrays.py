"""Arrays with text about them in a safetensors file: plain numbers, nothing that can be run."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from agents.agent import AgentError


def pack(arrays: Mapping[str, np.ndarray], metadata: Mapping[str, str]) -> bytes:
    """The content of a file. It is left to the caller to write it, so that a full disk is an OSError and none of safetensors' own."""
    return save({name: np.asarray(array, order="C") for name, array in arrays.items()}, dict(metadata))


def unpack(path: Path, wanted: str, what: str, unreadable: str) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """Arrays and metadata of a file whose metadata name the format `wanted`.

    Args:
        path: The file.
        wanted: The format.
        what: It is, for messages.
        unreadable: What is said where it is no such file.

    Raises:
        AgentError: It cannot be read, or is of another format.
    """
    try:
        with safe_open(path, "np") as file:
            metadata = file.metadata() or {}
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a mapping
    except (OSError, SafetensorError) as error:
        raise AgentError(f"{what} {path}: {unreadable}: {error}") from None
    if metadata.get("format") != wanted:
        raise AgentError(f"{what} {path}: format {metadata.get('format')!r}, but {wanted!r} is needed")
    return arrays, metadata


def digest_of(arrays: Mapping[str, np.ndarray], text: str = "") -> str:
    """SHA-256 of arrays and a text; safetensors itself has no checksum."""
    digest = hashlib.sha256(text.encode())
    for name, array in sorted(arrays.items()):
        digest.update(f"{name} {array.dtype} {array.shape} ".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()
