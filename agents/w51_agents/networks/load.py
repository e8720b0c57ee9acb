"""Agents from checkpoints: the path for a name, and the agent that plays it."""

from pathlib import Path
from textwrap import shorten
from typing import Any

from w51_agents.agent.interface import Agent, AgentError
from w51_agents.system.errors import needs_extra
from w51_agents.system.files import exists, is_folder
from w51_env.engine.game import Game
from w51_env.engine.table_statistics import NAME as TABLE_STATISTICS

CHECKPOINT = "checkpoint.safetensors"  # in the folder of a run
SNAPSHOTS = "snapshots"  # a folder in that of a run
PRETRAINED, PRETRAINED_V2, PRETRAINED_V1, EXPLOITER = "pretrained", "pretrained-v2", "pretrained-v1", "exploiter"
SHIPPED = (PRETRAINED, PRETRAINED_V2, EXPLOITER, PRETRAINED_V1)  # the networks that come with the repository
# Those that draw their actions: where much is hidden, one that always takes the likeliest is easy to exploit.
_DRAW = {(PRETRAINED_V2, "warehouse51_v1")}
# What the values of shipped networks are, by game: a chance to win less an equal share, or the change of the lead over
# the mean of the others that is still to come, in points.
WIN, POINTS = "win", "points"
_VALUES = {
    ("warehouse51_v1", PRETRAINED): POINTS,
    ("warehouse51_v1", PRETRAINED_V2): POINTS,
    ("warehouse51_v1", EXPLOITER): WIN,
    ("warehouse51_v1", PRETRAINED_V1): WIN,
    ("alles_futsch_v1", PRETRAINED): WIN,
    ("alles_futsch_v1", PRETRAINED_V2): WIN,
}
_SHIPPED_FOLDER = Path(__file__).parents[1] / PRETRAINED  # a file for each game, in a folder for each other network


def checkpoint_of(name: str | Path, game: Game) -> Path:
    """The path of a checkpoint, which may not exist.

    Args:
        name: A path with or without its suffix, the folder of a run, or one of `SHIPPED`.
        game: The game it plays.
    """
    if name in SHIPPED:
        return shipped_path(game, str(name))
    path = Path(name)
    if is_folder(path):
        return path / CHECKPOINT
    return path if exists(path) or path.suffix else path.with_suffix(".safetensors")


def existing_checkpoint(name: str | Path, game: Game) -> Path:
    """The path of a checkpoint, as in `checkpoint_of`; AgentError, saying what is missing, if there is none."""
    path = checkpoint_of(name, game)
    if exists(path):
        return path
    if name in SHIPPED:
        games = ", ".join(sorted(file.stem for file in path.parent.glob("*.safetensors")))
        raise AgentError(f"agent {name!r}: there is no pretrained network for {game.id}, only for {games}")
    if is_folder(name):
        raise AgentError(f"checkpoint {name}: there is no {CHECKPOINT} in this folder")
    place = "" if Path(name).is_absolute() else f" in {Path.cwd()}"
    raise AgentError(f"checkpoint {shorten(str(name), 200)}: there is no such file or folder{place}")


def shipped_path(game: Game, name: str = PRETRAINED) -> Path:
    """The checkpoint of a network that comes with the repository for this game; it may not exist."""
    folder = _SHIPPED_FOLDER if name == PRETRAINED else _SHIPPED_FOLDER / name
    return folder / f"{game.id}.safetensors"


def value_unit(name: str, game: Game) -> str | None:
    """What the values of an agent are: `WIN` or `POINTS`; None if it is not known. `name` may have a form."""
    return _VALUES.get((game.id, name.partition(":")[0]))


def load_agent(game: Game, name: str | Path, *, trust: bool = False) -> Agent:
    """The agent of a checkpoint; AgentError if there is none, or none for this game.

    In a game with table statistics, one that was trained without them reads the other columns of the observation.

    Args:
        game: The game it plays.
        name: As for `checkpoint_of`.
        trust: As for `network_of`.
    """
    path = existing_checkpoint(name, game)
    with needs_extra(f"checkpoint {path}: a network needs PyTorch and safetensors", "train"):
        from w51_agents.networks.checkpoint import read_checkpoint
        from w51_agents.networks.making import agent_of_network, network_of
        from w51_agents.networks.maskable import TRAINER as MASKABLE
        from w51_agents.networks.maskable import MaskablePPOAgent, policy_of
    known = game
    try:
        checkpoint = read_checkpoint(path, game)
    except AgentError:
        if not game.options.get(TABLE_STATISTICS):
            raise
        known = game.make(**{**game.options, TABLE_STATISTICS: False})  # its observation is the first part of this one
        checkpoint = read_checkpoint(path, known)
    if checkpoint.trainer == MASKABLE:
        maskable = MaskablePPOAgent(known, policy_of(checkpoint, known, path))
        maskable.shown = game.layout
        return maskable
    network = network_of(checkpoint, known, path, trust=trust)
    agent: Any = agent_of_network(known, network, greedy=(name, game.id) not in _DRAW)
    agent.shown = game.layout
    return agent
