"""Checkpoints: weights in a safetensors file, with the game they are for. Loading one runs no code."""

import hashlib
import json
import logging
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from textwrap import shorten
from types import UnionType
from typing import Any

import numpy as np
from safetensors import safe_open
from safetensors.numpy import save

from w51_agents.agent.interface import AgentError
from w51_agents.console.terminal import command
from w51_agents.system.files import digest_of
from w51_agents.system.json_text import parse_json
from w51_agents.system.option_files import option_digest
from w51_env.engine.game import Game
from w51_env.engine.registry import current_id

logger = logging.getLogger("w51_env")

FORMAT = "w51_env checkpoint"
VERSION = 2  #  of all files of `pack`
_MAX_BYTES = 4 * 2**30  #  of a file: all of it is read into memory


@dataclass(frozen=True)
class Checkpoint:
    """The content of a checkpoint file.

    Attributes:
        kind: Kind of policy: `selfplay`, an `ActorCritic`, which any trainer may write; or `maskable_ppo`.
        weights: Parameters and buffers, by name.
        shape: Arguments of the network's constructor: plain data.
        reads_items: Whether it reads the features of the game's items, and so plays with any items.
    """

    kind: str
    weights: dict[str, np.ndarray]
    shape: dict[str, Any]
    reads_items: bool = False


def write_checkpoint(checkpoint: Checkpoint, game: Game, path: Path) -> None:
    """Write a checkpoint of an agent for `game`."""
    metadata = {
        "kind": checkpoint.kind,
        "game": game.id,
        "tables": interface_digest(game, checkpoint.reads_items),
        "unobserved": json.dumps(unobserved(game, checkpoint.reads_items)),
        "shape": json.dumps(checkpoint.shape),
    }
    if checkpoint.reads_items:
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
        reads_items = metadata.get("reads_items") == "true" and game.items is not None
        checkpoint = Checkpoint(metadata["kind"], weights, shape, reads_items)
        _check_game(metadata, game, path, reads_items, to_start)
    except AgentError:
        raise
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise AgentError(f"checkpoint {path}: not a checkpoint, or a damaged one: {error!r} in its metadata") from None
    _check_shape(checkpoint, game, path)
    return checkpoint


def interface_digest(game: Game, reads_items: bool = False, game_id: str | None = None) -> str:
    """SHA-256 of the meaning of a network's inputs and outputs: slices of the observation and names of actions.

    Args:
        game: The game.
        reads_items: Leave out the names of the items: the network reads their features.
        game_id: Id of an earlier version of the game with the same inputs and outputs; None: that of the game.
    """
    slices = [(part.name, part.start, part.stop, part.low, part.high) for part in game.layout.values()]
    names = [action.name for action in game.actions]
    if reads_items and game.items is not None:
        for start in game.items.actions:
            names[start : start + len(game.items.features)] = ["item"] * len(game.items.features)
    return hashlib.sha256(json.dumps([game_id or game.id, slices, names]).encode()).hexdigest()


def unobserved(game: Game, reads_items: bool = False) -> dict[str, Any]:
    """The options that neither an observation nor a feature of items shows; a network is trained for one value each."""
    shown = game.items.option if reads_items and game.items is not None else None
    return {name: game.options[name] for name in game.unobserved if name != shown}


def _check_game(metadata: Mapping[str, str], game: Game, path: Path, reads_items: bool, to_start: bool) -> None:
    """AgentError unless the network was trained for the observations, actions and unobserved options of this game."""
    made_for = metadata["game"]
    if current_id(made_for) != game.id:
        raise AgentError(f"checkpoint {path}: a network for {made_for}, but the game is {game.id}")
    # A checkpoint older than an option was trained with its default.
    trained_for = unobserved(game.make()) | parse_json(metadata["unobserved"])
    has_other_items = False
    for name, value in unobserved(game, reads_items).items():
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
                f"Train an agent for it: {_train_command(game)}"
            )
        logger.warning("w51_env: %s. The training starts from it all the same", differs)
        has_other_items |= game.items is not None and name == game.items.option
    if (
        metadata.get("tables") != interface_digest(game, reads_items, made_for) and not has_other_items
    ):  # which name actions
        raise AgentError(
            f"checkpoint {path}: trained with other observations or actions than {game.id} has with these options"
        )


def option_in_words(value: Any) -> str:
    """The value of an option for a message; the content of a file by its digest."""
    return f"content of SHA-256 {option_digest(value)[:16]}..." if _is_content(value) else in_short(value)


def _is_content(value: Any) -> bool:
    """Whether the value of an option is the text of a file, which has several lines."""
    return isinstance(value, str) and "\n" in value


def _train_command(game: Game) -> str:
    """A command that trains an agent for a game with these options."""
    usual = game.make().options
    changed = {name: value for name, value in game.options.items() if value != usual.get(name)}
    options = {"num_players": game.num_players, **changed, **game.option_files}
    values = {name: "FILE" if _is_content(value) else value for name, value in options.items()}
    changes = [f"options.{name}={'null' if value is None else value}" for name, value in values.items()]
    arguments = ["--config", "quick", f"game={game.id}", "opponents=[heuristic]", *changes]
    return f"{command('train')} {shlex.join(arguments)}"


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
        check_sizes(checkpoint.weights, sizes, game, f"checkpoint {path}", checkpoint.reads_items)


def check_sizes(
    weights: Mapping[str, np.ndarray], hidden_sizes: Sequence[int], game: Game, source: str, reads_items: bool = False
) -> None:
    """AgentError, which names the source, unless there is a weight for each layer of a network of these sizes.

    A network is allocated by its sizes, so this comes first.
    """
    shapes = Counter(array.shape for array in weights.values())
    outputs = [] if reads_items else [len(game.actions)]
    inner = Counter((outputs, inputs) for inputs, outputs in pairwise([*hidden_sizes, *outputs]))
    min_inputs = 1 if reads_items else game.layout.size
    first = any(len(shape) == 2 and shape[0] == hidden_sizes[0] and shape[1] >= min_inputs for shape in shapes)
    if not first or inner - shapes:
        raise AgentError(f"{source}: the weights do not fit the network: hidden_sizes is {in_short(hidden_sizes)}")


def in_short(value: Any) -> str:
    """A value of a file for a message."""
    return shorten(repr(value), 60)


# ---- safetensors files with a digest


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
