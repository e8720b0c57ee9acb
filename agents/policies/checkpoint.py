"""Checkpoints: weights in a safetensors file, with the game they are for. Loading one runs no code."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from w51_env.agents.agent import AgentError
from w51_env.agents.files import digest_of
from w51_env.core.game import Game

FORMAT = "w51_env checkpoint 1"
_RENAMED_WEIGHTS = {  # in files of w51_env 0.1.0, by pattern
    r"\bbody\.": "torso.",
    r"\btorso\.square$": "torso.mean_square",
    r"\btorso\.seen$": "torso.count",
    r"\bvalue\.deviation$": "value.std",
    r"\badvice\.trust$": "residual.logit_bias",
    r"\badvice\.meaning\.": "residual.embedding.",
}
_RENAMED_SHAPE = {
    "hidden": "hidden_sizes",
    "network": "hidden_sizes",
    "advisor": "base_policy",
    "reckoning": "heuristic_features",
}


@dataclass(frozen=True)
class Checkpoint:
    """The content of a checkpoint file.

    Attributes:
        kind: Name of the trainer that wrote it.
        weights: Parameters and buffers, by name.
        shape: Arguments of the network's constructor: plain data.
    """

    kind: str
    weights: dict[str, np.ndarray]
    shape: dict[str, Any]


def write_checkpoint(checkpoint: Checkpoint, game: Game, path: Path) -> None:
    """Write a checkpoint of an agent for `game`."""
    metadata = {
        "format": FORMAT,
        "kind": checkpoint.kind,
        "game": game.id,
        "tables": interface_digest(game),
        "unobserved": json.dumps(unobserved(game)),
        "shape": json.dumps(checkpoint.shape),
        "digest": digest_of(checkpoint.weights),
    }
    path.write_bytes(pack(checkpoint.weights, metadata))


def read_checkpoint(path: Path, game: Game) -> Checkpoint:
    """The checkpoint in a file.

    Raises:
        AgentError: The file cannot be read, is damaged, of another format, or for another game, other observations or
            actions, or another value of an option that no observation shows.
    """
    weights, metadata = unpack(path, FORMAT, "checkpoint", "not a checkpoint, or a damaged one")
    if metadata.get("digest") != digest_of(weights):
        raise AgentError(f"checkpoint {path}: damaged: the weights do not fit their digest")
    _check_game(metadata, game, path)
    shape = {_RENAMED_SHAPE.get(name, name): value for name, value in json.loads(metadata["shape"]).items()}
    return Checkpoint(metadata["kind"], {current_name(name): array for name, array in weights.items()}, shape)


def current_name(name: str) -> str:
    """The name of a weight today, from its name in a file of any version."""
    for old, new in _RENAMED_WEIGHTS.items():
        name = re.sub(old, new, name)
    return name


def interface_digest(game: Game) -> str:
    """SHA-256 of the meaning of a network's inputs and outputs: slices of the observation and names of actions."""
    slices = [(part.name, part.start, part.stop, part.low, part.high) for part in game.layout.values()]
    return hashlib.sha256(json.dumps([game.id, slices, [action.name for action in game.actions]]).encode()).hexdigest()


def unobserved(game: Game) -> dict[str, Any]:
    """The options that no observation shows; a network is trained for one value of each."""
    return {name: game.options[name] for name in game.unobserved}


def _check_game(metadata: Mapping[str, str], game: Game, path: Path) -> None:
    """AgentError unless the network was trained for the observations, actions and unobserved options of this game."""
    if metadata.get("game") != game.id:
        raise AgentError(f"checkpoint {path}: a network for {metadata.get('game')}, but the game is {game.id}")
    # A checkpoint older than an option was trained with its default.
    trained_for = unobserved(game.make()) | json.loads(metadata["unobserved"])
    for name, value in unobserved(game).items():
        if trained_for[name] != value:
            was, now = (shorten(repr(option), 60) for option in (trained_for[name], value))
            raise AgentError(
                f"checkpoint {path}: trained with {name}={was}, but the game has {name}={now}, "
                "which no observation shows"
            )
    if metadata.get("tables") != interface_digest(game):
        raise AgentError(
            f"checkpoint {path}: trained with other observations or actions than {game.id} has with these options"
        )


def pack(arrays: Mapping[str, np.ndarray], metadata: Mapping[str, str]) -> bytes:
    """The bytes of a safetensors file. The caller writes them, so that a full disk raises OSError."""
    return save({name: np.asarray(array, order="C") for name, array in arrays.items()}, dict(metadata))


def unpack(path: Path, wanted: str, what: str, unreadable: str) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """Arrays and metadata of a file whose metadata name the format `wanted`.

    Args:
        path: The file.
        wanted: The format.
        what: What the file is, for messages.
        unreadable: The message if it cannot be read.

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
