"""What the command line adds to the form of a new table: agents by name, and options, such as own cards."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from w51_agents.registry import registered_agents, split_label
from w51_env.engine.errors import OptionError, unknown
from w51_env.engine.game import Game
from w51_env.engine.registry import make_game, registered_games
from w51_table.play.table import PERSON, TableError

OWN = "own"  # the preset with the options of the command line


@dataclass(frozen=True)
class Extras:
    """What the command line adds to the form. A page knows it by names that show no path.

    Attributes:
        agents: The name on the page, and the name as in evaluate.py, of each agent.
        options: Id of the game, name of the option, value on the page, and value of each option.
    """

    agents: tuple[tuple[str, str], ...] = ()
    options: tuple[tuple[str, str, Any, Any], ...] = ()

    @classmethod
    def of(cls, agents: Sequence[str], options: Mapping[str, Any]) -> "Extras":
        """From arguments: agents as `NAME` or `LABEL=NAME`, and options by name, for games that have all of them.

        Raises:
            TableError: A label is given twice, or is the name of another agent.
            OptionError: No game has the options, or a value is not allowed.
        """
        named: dict[str, str] = {}
        taken = {PERSON, *(name for game_id in registered_games() for name in registered_agents(make_game(game_id)))}
        for label, agent in map(split_label, agents):
            if (label and label in taken) or named.get(label or agent, agent) != agent:
                raise TableError(f"--agent {label}={agent}: the name {label!r} is taken")
            named[label or agent] = agent
        return cls(tuple(named.items()), tuple(_own_options(options)))

    def agent(self, shown: str) -> str:
        """The agent of a name on the page."""
        return dict(self.agents).get(shown, shown)

    def shown(self, agent: str) -> str:
        """The name of an agent on the page."""
        return {name: label for label, name in self.agents}.get(agent, agent)

    def shown_options(self, game_id: str) -> dict[str, Any]:
        """The options of a game by name, as the page shows their values."""
        return {name: shown for game, name, shown, _ in self.options if game == game_id}

    def chosen(self, game_id: str, preset: str, options: Mapping[str, Any]) -> dict[str, Any]:
        """The options of a table from what a page sends: those of the preset `OWN`, and values in place of names."""
        own = {name: (shown, value) for game, name, shown, value in self.options if game == game_id}
        values = {name: value for name, (_, value) in own.items()} if preset == OWN else {}
        for name, sent in options.items():
            values[name] = own[name][1] if name in own and sent == own[name][0] else sent
        return values


def _own_options(given: Mapping[str, Any]) -> list[tuple[str, str, Any, Any]]:
    games = {game_id: make_game(game_id) for game_id in registered_games()}
    known = sorted({name for game in games.values() for name in game.options})
    for name in given:
        if name not in known:
            raise OptionError(unknown("option", name, known))
    fitting = [game_id for game_id, game in games.items() if given.keys() <= game.options.keys()]
    if not fitting:
        raise OptionError(f"options {', '.join(given)}: no game has all of them")
    found = []
    for game_id in fitting:
        own = make_game(game_id, **given)
        found += [(game_id, name, _shown(own, name, value), own.options[name]) for name, value in given.items()]
    return found


def _shown(game: Game, name: str, given: Any) -> Any:
    """How a page shows the value of an option: a file by its name without folders."""
    return Path(game.option_files[name]).name if name in game.option_files else given
