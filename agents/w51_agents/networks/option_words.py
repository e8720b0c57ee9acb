"""Options of a game in messages about networks: their values, and how a network is trained for them."""

import shlex
from typing import Any

from w51_agents.console.terminal import command
from w51_agents.networks.tensor_file import in_short
from w51_agents.system.option_files import option_digest
from w51_env.engine.game import Game


def option_in_words(value: Any) -> str:
    """The value of an option for a message; the content of a file by its digest."""
    return f"content of SHA-256 {option_digest(value)[:16]}..." if _is_content(value) else in_short(value)


def _is_content(value: Any) -> bool:
    """Whether the value of an option is the text of a file, which has several lines."""
    return isinstance(value, str) and "\n" in value


def train_command(game: Game) -> str:
    """A command that trains an agent for a game with these options."""
    usual = game.make().options
    changed = {name: value for name, value in game.options.items() if value != usual.get(name)}
    options = {"num_players": game.num_players, **changed, **game.option_files}
    values = {name: "FILE" if _is_content(value) else value for name, value in options.items()}
    changes = [f"options.{name}={'null' if value is None else value}" for name, value in values.items()]
    arguments = ["--config", "quick", f"game={game.id}", "opponents=[heuristic]", *changes]
    return f"{command('train')} {shlex.join(arguments)}"
