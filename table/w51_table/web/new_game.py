"""What the page offers for a new table, and a table from what the page sends back. Only what was offered is taken."""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from w51_agents.language.llm.llm_settings import is_llm
from w51_agents.named.registry import registered_agents, split_label, without_folders
from w51_agents.networks.load import PRETRAINED_V1
from w51_env.engine.errors import OptionError, unknown
from w51_env.engine.game import Game
from w51_env.engine.options import check_seed
from w51_env.engine.registry import game_from_outside, make_game, registered_games
from w51_env.views.language import Words
from w51_env.views.presentation import game_title
from w51_table.lessons import lesson_games
from w51_table.lessons.exercises import GAME as EXERCISED
from w51_table.lessons.exercises import topics
from w51_table.play.agent_pool import plays_here
from w51_table.play.game_log import Kept
from w51_table.play.table import PERSON, Option, PlayerError, Setup, TableError, known_names
from w51_table.web.answer_types import GameOffer, NewGameOffer, PresetOffer
from w51_table.web.levels import levels_of
from w51_table.web.presence import CLOCKS
from w51_table.web.session import DELAYS

OWN = "own"  # the preset with the options of the command line
SEARCHES = ("search:playouts=50", "search:playouts=400")
_HIDDEN_OPTIONS = ("num_players", "reward", "ask_forced")


class NewTable(BaseModel):
    """The form of a new table."""

    model_config = ConfigDict(extra="forbid", strict=True)

    game: str = Field(max_length=64)
    preset: str = Field("", max_length=32)  # empty: the game's own, or it has none
    options: dict[str, bool | int | str | None] = Field(default_factory=dict, max_length=40)
    seats: list[str] = Field(max_length=16)
    names: list[str] = Field(default_factory=list, max_length=16)
    pace: float | None = DELAYS[1]
    clock: int | None = None
    seed: str | None = Field(None, max_length=20)  # digits: a number of 64 bits is too long for a browser


@dataclass(frozen=True, eq=False)
class Extras:
    """What the command line adds to the form. A page knows it by names that show no path.

    Attributes:
        agents: The name as in evaluate.py of each agent, by its name on the page.
        options: For each game that has all of them, by name: the value on the page, and the value of each option.
    """

    agents: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Mapping[str, tuple[Option, Option]]] = field(default_factory=dict)

    @classmethod
    def of(cls, agents: Sequence[str], options: Mapping[str, Option]) -> "Extras":
        """From arguments: agents as `NAME` or `LABEL=NAME`, and options by name, for games that have all of them.

        Raises:
            TableError: A label is given twice, or is the name of another agent.
            OptionError: No game has the options, or a value is not allowed.
        """
        named: dict[str, str] = {}
        games = map(make_game, registered_games()) if agents else ()
        taken = {PERSON, *(name for game in games for name in registered_agents(game))}
        for label, agent in map(split_label, agents):
            shown = label or without_folders(agent)
            if (shown != agent and shown in taken) or named.get(shown, agent) != agent:
                raise TableError(f"--agent {agent}: the name {shown!r} is taken; give it another one: NAME={agent}")
            named[shown] = agent
        return cls(named, _own_options(options) if options else {})

    def agent(self, shown: str) -> str:
        """The agent of a name on the page."""
        return self.agents.get(shown, shown)

    def shown(self, agent: str) -> str:
        """The name of an agent on the page."""
        return {name: label for label, name in self.agents.items()}.get(agent, without_folders(agent))

    def labels(self, agents: Iterable[str | None]) -> dict[str, str]:
        """The names on the page of agents that have another one there."""
        return {agent: shown for agent in agents if agent and (shown := self.shown(agent)) != agent}

    def check_cards(self, game: Game, agents: Iterable[str]) -> None:
        """PlayerError if a language model would read the cards of a visitor.

        Their texts could tell it what to do, and the program that the owner has named may have tools for it.
        """
        own = [value for _, value in self.options.get(game.id, {}).values()]
        if all("\n" not in str(value) or value in own for value in game.options.values()):
            return
        for agent in filter(is_llm, agents):
            raise PlayerError("agent_unusable", agent=self.shown(agent), reason="it reads no cards of visitors")

    def shown_options(self, game_id: str) -> dict[str, Option]:
        """The options of a game by name, as the page shows their values."""
        return {name: shown for name, (shown, _) in self.options.get(game_id, {}).items()}

    def chosen(self, game_id: str, preset: str, options: Mapping[str, Option]) -> dict[str, Option]:
        """The options of a table from what a page sends: those of the preset `OWN`, and values in place of names."""
        own = self.options.get(game_id, {})
        values = {name: value for name, (_, value) in own.items()} if preset == OWN else {}
        for name, sent in options.items():
            values[name] = own[name][1] if name in own and sent == own[name][0] else sent
        return values


def _own_options(given: Mapping[str, Option]) -> dict[str, dict[str, tuple[Option, Option]]]:
    games = {game_id: make_game(game_id) for game_id in registered_games()}
    known = sorted({name for game in games.values() for name in game.options})
    for name in given:
        if name not in known:
            raise OptionError(unknown("option", name, known))
    own = {
        game_id: make_game(game_id, **given) for game_id, game in games.items() if given.keys() <= game.options.keys()
    }
    if not own:
        raise OptionError(f"options {', '.join(given)}: no game has all of them")
    return {
        game_id: {  # a file is shown by its name without folders
            name: (Path(game.option_files[name]).name if name in game.option_files else value, game.options[name])
            for name, value in given.items()
        }
        for game_id, game in own.items()
    }


def agents_of(game: Game, extras: Extras) -> list[str]:
    """Names of the agents that a table of this game may have, as the page shows them."""
    playable = [name for name in registered_agents(game) if name != PRETRAINED_V1 and plays_here(name, game)]
    levels = [level["agent"] for level in levels_of(game)]
    return list(dict.fromkeys([*playable, *SEARCHES, *levels, *extras.agents]))


@cache
def new_game_options(language: str, extras: Extras) -> NewGameOffer:
    """Games with their agents, presets and options, as the form of a new table shows them."""
    words = Words(language)
    games = [_options_of(game_id, words, extras) for game_id in registered_games()]
    return {"games": games, "paces": [*DELAYS, None], "clocks": [None, *CLOCKS], "lessons": lesson_games()}


def _options_of(game_id: str, words: Words, extras: Extras) -> GameOffer:
    game, own = make_game(game_id), extras.shown_options(game_id)
    choices = {name: (*game.choices[name], own[name]) if name in own else game.choices[name] for name in game.choices}
    return {
        "id": game_id,
        "title": game_title(game, words),
        "players": game.choices.get("num_players", (game.num_players,)),
        "default_players": game.num_players,
        "presets": [_preset_of(game_id, preset, extras) for preset in (*([OWN] if own else []), *game.presets)],
        "agents": agents_of(game, extras),
        "levels": levels_of(game),
        "topics": topics() if game_id == EXERCISED else (),
        "options": [
            {"name": name, "value": value, "choices": choices.get(name) and tuple(dict.fromkeys(choices[name]))}
            for name, value in game.options.items()
            if name not in _HIDDEN_OPTIONS
        ],
    }


def _preset_of(game_id: str, preset: str, extras: Extras) -> PresetOffer:
    game = _make(game_id, preset, extras, extras.chosen(game_id, preset, {}))
    values = {**game.options, **(extras.shown_options(game_id) if preset == OWN else {})}
    shown = {name: value for name, value in values.items() if name not in _HIDDEN_OPTIONS}
    return {"name": preset, "players": game.num_players, "options": shown, "agents": agents_of(game, extras)}


def _make(game_id: str, preset: str, extras: Extras, options: Mapping[str, Option]) -> Game:
    is_own = preset == OWN and game_id in extras.options
    return make_game(game_id, **options) if is_own else make_game(game_id, preset=preset, **options)


def parse_table(text: bytes, extras: Extras) -> tuple[Setup, Kept]:
    """The setup of a new table, and what its file holds beside the game.

    Raises:
        W51Error: It is not what the page sends, or something that was not offered; the message names it.
    """
    try:
        form = NewTable.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        raise TableError(f"{'.'.join(map(str, first['loc'])) or 'table'}: {first['msg']}") from None
    extra: Kept = {"pace": form.pace, "clock": form.clock, "typed_seed": form.seed is not None}
    check_times(extra)
    options = extras.chosen(form.game, form.preset, form.options)
    is_own = form.preset == OWN and form.game in extras.options
    preset = {} if is_own or not form.preset else {"preset": form.preset}
    game = game_from_outside(form.game, {**options, **preset, "num_players": len(form.seats)})
    allowed = [PERSON, *agents_of(game, extras)]
    for number, seat in enumerate(form.seats):
        _check_offered(f"seats[{number}]", seat, allowed)
    names = known_names(form.seats, [*form.names, *[""] * len(form.seats)][: len(form.seats)])
    typed_seed = int(form.seed) if form.seed is not None and form.seed.isdecimal() else form.seed
    seed = secrets.randbits(64) if typed_seed is None else check_seed("seed", typed_seed)
    seats = tuple(map(extras.agent, form.seats))
    extras.check_cards(game, seats)
    extra["labels"] = extras.labels(seats)
    return Setup(form.game, dict(game.options), seed, seats, names), extra


def _check_offered(what: str, value: Any, allowed: Sequence[Any]) -> None:
    if value not in allowed:
        raise TableError(f"{what}: {value!r}, but allowed are {', '.join(map(str, allowed))}")


def check_times(extra: Kept) -> None:
    """TableError unless the pace and the clock of a table are some that the page offers, or null."""
    for name, value, allowed in (("pace", extra.get("pace"), DELAYS), ("clock", extra.get("clock"), CLOCKS)):
        if value is not None and value not in allowed:
            raise TableError(f"{name}: {value!r}, but allowed are {', '.join(map(str, allowed))} and null")
