"""Checkpoints: weights in a safetensors file, with the game they are for. Loading one runs no code."""

import hashlib
import json
import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import UnionType
from typing import Any

import numpy as np

from w51_agents.agent.interface import AgentError
from w51_agents.networks.option_words import option_in_words, train_command
from w51_agents.networks.tensor_file import in_short, pack, unpack
from w51_agents.system.json_text import parse_json
from w51_env.engine.game import Game
from w51_env.engine.registry import current_id

logger = logging.getLogger("w51_env")

FORMAT = "w51_env checkpoint"


@dataclass(frozen=True)
class Checkpoint:
    """The content of a checkpoint file.

    Attributes:
        trainer: `selfplay` for an `ActorCritic`, which any trainer may write; or `maskable_ppo`.
        weights: Parameters and buffers, by name.
        shape: Arguments of the network's constructor: plain data.
        plays_any_items: Whether it reads the features of the game's items, and so plays with any items.
    """

    trainer: str
    weights: dict[str, np.ndarray]
    shape: dict[str, Any]
    plays_any_items: bool = False


def write_checkpoint(checkpoint: Checkpoint, game: Game, path: Path) -> None:
    """Write a checkpoint of an agent for `game`."""
    metadata = {
        "kind": checkpoint.trainer,
        "game": game.id,
        "tables": interface_digest(game, checkpoint.plays_any_items),
        "unobserved": json.dumps(unobserved(game, checkpoint.plays_any_items)),
        "shape": json.dumps(checkpoint.shape),
    }
    if checkpoint.plays_any_items:
        metadata["reads_items"] = json.dumps(True)
    path.write_bytes(pack(checkpoint.weights, metadata, FORMAT))


def read_checkpoint(path: Path, game: Game, *, to_start: bool = False) -> Checkpoint:
    """The checkpoint in a file.

    Args:
        path: The file.
        game: The game that it plays.
        to_start: A training starts from it: a warning, not an error, for another value of an option that no observation
            shows.

    Raises:
        AgentError: The file cannot be read, is damaged, of another format, or for another game, other observations or
            actions, or another value of an option that no observation shows.
    """
    weights, metadata = unpack(path, FORMAT, "checkpoint", "not a checkpoint, or a damaged one")
    try:
        shape = dict(parse_json(metadata["shape"]).items())
        plays_any_items = metadata.get("reads_items") == "true" and game.items is not None
        checkpoint = Checkpoint(metadata["kind"], weights, shape, plays_any_items)
        _check_game(metadata, game, path, plays_any_items, to_start)
    except AgentError:
        raise
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise AgentError(f"checkpoint {path}: not a checkpoint, or a damaged one: {error!r} in its metadata") from None
    _check_shape(checkpoint, game, path)
    return checkpoint


def interface_digest(game: Game, plays_any_items: bool = False, game_id: str | None = None) -> str:
    """SHA-256 of the meaning of a network's inputs and outputs: slices of the observation and names of actions.

    Args:
        game: The game.
        plays_any_items: Leave out the names of the items: the network reads their features.
        game_id: Id of an earlier version of the game with the same inputs and outputs; None: that of the game.
    """
    slices = [(part.name, part.start, part.stop, part.low, part.high) for part in game.layout.values()]
    names = [action.name for action in game.actions]
    if plays_any_items and game.items is not None:
        for start in game.items.actions:
            names[start : start + len(game.items.features)] = ["item"] * len(game.items.features)
    return hashlib.sha256(json.dumps([game_id or game.id, slices, names]).encode()).hexdigest()


def unobserved(game: Game, plays_any_items: bool = False) -> dict[str, Any]:
    """The options that neither an observation nor a feature of items shows; a network is trained for one value each."""
    shown = game.items.option if plays_any_items and game.items is not None else None
    return {name: game.options[name] for name in game.unobserved if name != shown}


def _check_game(metadata: Mapping[str, str], game: Game, path: Path, plays_any_items: bool, to_start: bool) -> None:
    """AgentError unless the network was trained for the observations, actions and unobserved options of this game."""
    made_for = metadata["game"]
    if current_id(made_for) != game.id:
        raise AgentError(f"checkpoint {path}: a network for {made_for}, but the game is {game.id}")
    # A checkpoint older than an option was trained with its default.
    trained_for = unobserved(game.make()) | parse_json(metadata["unobserved"])
    has_other_items = False
    for name, value in unobserved(game, plays_any_items).items():
        if trained_for[name] == value:
            continue
        was, now = option_in_words(trained_for[name]), option_in_words(value)
        file = game.option_files.get(name)
        differs = (
            f"checkpoint {path}: trained with {name}={was}, but the game has {name}={now}"
            f"{f' from the file {file}' if file else ''}"
        )
        if not to_start:
            raise AgentError(
                f"{differs}; the agent plays only what it was trained for, as no "
                f"observation shows this option. It plays with --option {name}=..., as in its training. "
                f"Train an agent for it: {train_command(game)}"
            )
        logger.warning("w51_env: %s. The training starts from it all the same", differs)
        has_other_items |= game.items is not None and name == game.items.option
    if (
        metadata.get("tables") != interface_digest(game, plays_any_items, made_for) and not has_other_items
    ):  # which name actions
        raise AgentError(
            f"checkpoint {path}: trained with other observations or actions than {game.id} has with these options"
        )


def _check_shape(checkpoint: Checkpoint, game: Game, path: Path) -> None:
    """AgentError unless the shape is one, and the weights have its sizes."""
    shape, sizes = checkpoint.shape, checkpoint.shape.get("hidden_sizes")
    known: dict[str, type | UnionType] = {
        "hidden_sizes": list,
        "base_policy": str | None,
        "heuristic_features": bool,
        "hidden_slices": list,
        "network": str,
        "network_settings": dict,
    }
    for name, value in shape.items():
        if name not in known or not isinstance(value, known[name]):
            raise AgentError(f"checkpoint {path}: not a checkpoint, or a damaged one: {name}: {in_short(value)}")
    for name in shape.get("hidden_slices", ()):
        if not isinstance(name, str) or name not in game.layout:
            raise AgentError(f"checkpoint {path}: hidden_slices: {in_short(name)}, which {game.id} does not have")
    if not sizes or not all(type(size) is int and size > 0 for size in sizes):
        raise AgentError(f"checkpoint {path}: hidden_sizes: {in_short(sizes)}, but positive integers are needed")
    if ":" not in shape.get("network", ""):  # other layers are known to their class only
        check_sizes(checkpoint.weights, sizes, game, f"checkpoint {path}", checkpoint.plays_any_items)


def check_sizes(
    weights: Mapping[str, np.ndarray],
    hidden_sizes: Sequence[int],
    game: Game,
    source: str,
    plays_any_items: bool = False,
) -> None:
    """AgentError, which names the source, unless there is a weight for each layer of a network of these sizes.

    A network is allocated by its sizes, so this comes first.
    """
    shapes = Counter(array.shape for array in weights.values())
    outputs = [] if plays_any_items else [len(game.actions)]
    inner = Counter((outputs, inputs) for inputs, outputs in pairwise([*hidden_sizes, *outputs]))
    min_inputs = 1 if plays_any_items else game.layout.size
    first = any(len(shape) == 2 and shape[0] == hidden_sizes[0] and shape[1] >= min_inputs for shape in shapes)
    if not first or inner - shapes:
        raise AgentError(f"{source}: the weights do not fit the network: hidden_sizes is {in_short(hidden_sizes)}")
