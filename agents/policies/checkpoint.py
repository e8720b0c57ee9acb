"""Checkpoints of trained agents: weights as safetensors with what they are for. Plain numbers and text, nothing that can be run."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten
from typing import Any

import numpy as np

from agents.agent import AgentError
from agents.policies.arrays import digest_of, pack, unpack
from w51_env.core.game import Game

FORMAT = "w51_env checkpoint 1"


@dataclass(frozen=True)
class Checkpoint:
    """What is in the file.

    Attributes:
        kind: The trainer it is from, which says how to make a network of it.
        weights: By name.
        shape: What that trainer needs to make the network: plain data.
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
        "tables": tables_digest(game),
        "unobserved": json.dumps(unobserved(game)),
        "shape": json.dumps(checkpoint.shape),
        "digest": digest_of(checkpoint.weights),
    }
    path.write_bytes(pack(checkpoint.weights, metadata))


def read_checkpoint(path: Path, game: Game) -> Checkpoint:
    """The checkpoint in a file.

    Raises:
        AgentError: The file cannot be read, is damaged, of another kind, or of an agent for other observations, actions, or values of
            options that it cannot see.
    """
    weights, metadata = unpack(path, FORMAT, "checkpoint", "not a checkpoint, or a damaged one")
    if metadata.get("digest") != digest_of(weights):
        raise AgentError(f"checkpoint {path}: damaged: the weights do not fit their digest")
    if metadata.get("tables") != tables_digest(game):
        raise AgentError(
            f"checkpoint {path}: a network for {metadata.get('game')}, whose observations or actions are not those of {game.id} with these options"
        )
    _check_unobserved(json.loads(metadata["unobserved"]), game, path)
    return Checkpoint(metadata["kind"], weights, json.loads(metadata["shape"]))


def tables_digest(game: Game) -> str:
    """SHA-256 of what a network's inputs and outputs mean: the slices of the observation and the actions, in order."""
    slices = [(part.name, part.start, part.stop, part.low, part.high) for part in game.layout.values()]
    return hashlib.sha256(json.dumps([game.id, slices, [action.name for action in game.actions]]).encode()).hexdigest()


def unobserved(game: Game) -> dict[str, Any]:
    """The options that an agent cannot see, and so is trained for one value of."""
    return {name: game.options[name] for name in game.unobserved}


def _check_unobserved(trained_for: Mapping[str, Any], game: Game, path: Path) -> None:
    for name, value in unobserved(game).items():
        if trained_for.get(name) != value:
            was, now = (shorten(repr(option), 60) for option in (trained_for.get(name), value))
            raise AgentError(
                f"checkpoint {path}: a network trained with {name}={was}, which it cannot see in an observation, but the game has {now}"
            )
