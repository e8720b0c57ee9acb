"""The games of `play.py`: what is watched, and new tables, from the arguments of its commands."""

import secrets
from collections.abc import Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from w51_agents.agent.interface import AgentError
from w51_agents.commands.options import GameOptions, SeatedOptions, WatchOptions
from w51_agents.console.locale import locale_language
from w51_agents.isolation.isolated import AgentSource, IsolatedAgent, agent_of
from w51_env.engine.errors import OptionError
from w51_env.engine.game import Game
from w51_env.engine.options import check_seed
from w51_env.engine.registry import make_game
from w51_env.views.language import check_language
from w51_lab.replays.replay import Replay
from w51_table.play.agent_pool import AgentPool, hint_agent
from w51_table.play.playback import Performance, Playback
from w51_table.play.table import PEOPLE, PERSON, Setup, Table, known_names

NO_AGENT = "none"  # of --agent


def language_of(language: str | None) -> str:
    """The language of an option, or of the locale."""
    return locale_language() if language is None else check_language(language)


def watched_game(what: Sequence[str], options: WatchOptions) -> Replay | Setup:
    """A replay, or a game that agents play now, whose agents can be made, as the agent that explains a replay."""
    if len(what) == 1 and what[0].endswith(".json"):
        check_not_given("with a replay, which has its own options", **options.given)
        replay = Replay.load(what[0])
        if options.agent not in (None, NO_AGENT):
            check_agents([options.agent], replay.game_id, replay.game(), options.trust)
        return replay
    from w51_table.play.export import FORMATS

    for name in what:
        if Path(name).suffix in FORMATS:
            raise AgentError(f"{name}: {Path(name).suffix} is what is written, but the .json of a replay is read")
    check_not_given("for a game that agents play, which report their own decisions", **{"--agent": options.agent})
    game = _game_for(len(what), options)
    check_agents(what, options.game, game, options.trust)
    return _setup(options, game, _seated(what, game, game.num_players), [""] * game.num_players)


def check_agents(names: Sequence[str], game_id: str, game: Game, trust: bool) -> None:
    """An error unless these agents can be made; people are no agents."""
    for name in set(names) - {PERSON}:
        agent = agent_of(AgentSource(name, game_id, game.options, trust), game)
        if isinstance(agent, IsolatedAgent):
            agent.close()


def game_of(watched: Replay | Setup) -> Game:
    """The game that is watched."""
    return watched.game() if isinstance(watched, Replay) else make_game(watched.game, **watched.options)


def performance_of(watched: Replay | Setup, agent: str | None, pool: AgentPool) -> Performance:
    """A replay, or a game that agents play now, to step through; `agent` explains decisions of a replay."""
    if isinstance(watched, Setup):
        table = Table(watched)
        return Performance(Playback.of_table(table), pool, table)
    name = hint_agent(watched.game()) if agent is None else agent
    return Performance(Playback.of_replay(watched, None if name == NO_AGENT else name), pool)


def setup_with_person(options: SeatedOptions, agents: Sequence[str] | None, seat: int, name: str) -> Setup:
    """A new table with a person in one seat and agents, by default the one that gives hints, in the others.

    The agents, which have names of people, are not made: an assistant's are made in processes of their own.
    """
    game = options.make()
    check_range("seat", seat, 0, game.num_players - 1)
    seats = _seated(agents or [hint_agent(game)], game, game.num_players - 1)
    seats.insert(seat, PERSON)
    names = [name if holder == PERSON else PEOPLE[seat % len(PEOPLE)] for seat, holder in enumerate(seats)]
    return _setup(options, game, seats, names)


def _setup(options: SeatedOptions, game: Game, seats: list[str], names: list[str]) -> Setup:
    seed = secrets.randbits(63) if options.seed is None else check_seed("seed", options.seed)
    return Setup(options.game, dict(game.options), seed, tuple(seats), known_names(seats, names))


def _game_for(agents: int, options: GameOptions) -> Game:
    """The game with as many seats as agents, if it can have so few, and the options do not say how many."""
    game, chosen = options.make(), options.options
    if "num_players" in chosen or agents in (1, game.num_players):
        return game
    try:
        return make_game(options.game, **chosen, num_players=agents)
    except OptionError:
        if agents > game.num_players:
            raise
        return game


def _seated(agents: Sequence[str], game: Game, count: int) -> list[str]:
    """The agent of each of `count` seats: the agents in turn; AgentError if there are too many."""
    if len(agents) > count:
        raise AgentError(f"agents: {len(agents)}, but {game.id} has {count} seats for them")
    return list(islice(cycle(agents), count))


def check_not_given(where: str, **options: Any) -> None:
    """AgentError if one of these options was given where it is not allowed."""
    extra = [name for name, value in options.items() if value is not None]
    if extra:
        raise AgentError(f"{', '.join(extra)}: not allowed {where}")


def check_range(name: str, value: float, low: float, high: float) -> None:
    """AgentError unless an option has a value of a range."""
    if not low <= value <= high:
        raise AgentError(f"--{name} {value}: but {low} to {high} is allowed")
