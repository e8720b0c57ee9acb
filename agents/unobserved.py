"""Options of a game that change the play and that no observation shows: what learned is for one value of each."""

from collections.abc import Mapping
from pathlib import Path
from textwrap import shorten
from typing import Any

from agents.agent import AgentError
from w51_env.core.game import Game


def unobserved(game: Game) -> dict[str, Any]:
    """The options that an agent cannot see, and so is trained for one value of."""
    return {name: game.options[name] for name in game.unobserved}


def check_unobserved(trained_for: Mapping[str, Any], game: Game, path: Path) -> None:
    """AgentError unless the game has the values that the agent of this checkpoint was trained for."""
    for name, value in unobserved(game).items():
        if trained_for.get(name) != value:
            was, now = (shorten(repr(option), 60) for option in (trained_for.get(name), value))
            raise AgentError(
                f"checkpoint {path}: a network trained with {name}={was}, which it cannot see in an observation, but the game has {now}"
            )
