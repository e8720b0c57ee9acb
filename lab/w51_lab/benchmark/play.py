"""Plays the tracks of the benchmark: a tournament for each game and opponent, kept in a folder, so that it resumes."""

import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from w51_agents.agent.interface import AgentError
from w51_agents.exact.exploitability import exploitability
from w51_agents.exact.tree import build_tree
from w51_agents.isolation.isolated import IsolatedAgent
from w51_agents.language.llm.llm_settings import is_llm
from w51_agents.language.llm.llm_settings import parse_settings as llm_settings
from w51_agents.language.prompts import PROMPTS
from w51_agents.named.registry import make_agent
from w51_agents.search.search_settings import is_search
from w51_env import make_game
from w51_env.engine.errors import W51Error
from w51_env.engine.game import Game
from w51_lab.arena.agent_statistics import UsageFacts
from w51_lab.arena.blocks import play_block
from w51_lab.arena.plan import Plan, TournamentState
from w51_lab.arena.seatings import PANEL, ROTATIONS
from w51_lab.arena.spec import TournamentSpec
from w51_lab.arena.spending import SpendingLimit, forecast
from w51_lab.arena.store import SPEC, Store
from w51_lab.arena.tournament import run
from w51_lab.arena.workers import make_executor
from w51_lab.benchmark.entry import USAGE, AgentRun, Deals, Exact, Match, Played, TrackEntry
from w51_lab.benchmark.protocol import (
    DEALS,
    EVERY,
    EXACT,
    EXACT_GAMES,
    HELD_OUT_STYLES,
    LANGUAGE_TRACKS,
    PANEL_FILES,
    PROTOCOL,
    QUICK,
    TRACKS,
    Setting,
)
from w51_lab.benchmark.track_figures import TrackFigures, cells_of, figures, packed, unpacked

Advance = Callable[[int, bool], None]
_UNMEASURED = TournamentState(slow=())
_FOLDERS = re.compile(r"(?<![^\s'=(])/(?:[^\s/:']+/)+")  # an entry is published: it names no folder of a machine


@dataclass(frozen=True)
class Ways:
    """How games are played.

    Attributes:
        size: Which part of the deals: one of `protocol.SIZES`.
        workers: Number of processes; None: all cores.
        allowed: Names of agents whose code may be imported when a folder is resumed.
        trust: Load pickled models.
        limit: What language models may use in all tracks together.
    """

    size: str
    workers: int | None = None
    allowed: Collection[str] = ()
    trust: bool = False
    limit: SpendingLimit = field(default_factory=SpendingLimit)


def tracks_for(agent: str, chosen: Sequence[str]) -> list[str]:
    """The names of the tracks that an agent plays: those that were chosen, else all for its kind.

    Raises:
        AgentError: An unknown track, or one in which a language model is chosen that is not for these: nobody could
            play its games again.
    """
    known = [*EVERY, EXACT]
    if unknown := [name for name in chosen if name not in known]:
        raise AgentError(f"track: {unknown[0]!r}, but known are {', '.join(known)}")
    if is_llm(agent) and (others := [name for name in chosen if name not in LANGUAGE_TRACKS]):
        raise AgentError(f"track: {others[0]!r}, but {agent} is a language model, for {', '.join(LANGUAGE_TRACKS)}")
    return list(dict.fromkeys(chosen)) or ([*LANGUAGE_TRACKS] if is_llm(agent) else [*TRACKS, EXACT])


def refused(agent: str, names: Sequence[str], ways: Ways) -> dict[str, str]:
    """The tracks with a game that an agent cannot play, such as cards that it was not trained with, and why.

    Code of others plays a few games of each to show it.

    Raises:
        AgentError: It can play none, or is unknown.
    """
    errors: dict[str, W51Error] = {}
    with_games = [name for name in names if name != EXACT]
    if not with_games:
        setting = next(iter(EXACT_GAMES.values()))
        make_agent(agent, make_game(setting.game, **setting.options), trust=ways.trust)
    for name in with_games:
        try:
            for setting in EVERY[name].played(ways.size):
                _try(plan_of(agent, setting.panel[0], setting, 2, _UNMEASURED, trust=ways.trust))
        except W51Error as error:
            errors[name] = error
    if errors and len(errors) == len(with_games):
        raise errors[with_games[0]]
    return {name: _FOLDERS.sub("", str(error)) for name, error in errors.items()}


def _try(plan: Plan) -> None:
    """AgentError with its first failure if the agent of a tournament, of others, fails at each decision of a block."""
    try:
        if isinstance(plan.agents[0], IsolatedAgent):
            tried = play_block(plan, plan.blocks[0]).statistics[0]
            if tried.first is not None and tried.forfeited >= tried.decisions + tried.skipped:
                raise AgentError(f"agent {plan.names[0]}: fails at each decision, first: {tried.first.message}")
    finally:
        plan.close()


def num_games(played: Mapping[str, Sequence[str]], size: str) -> int:
    """Number of games of all agents, of which each plays these tracks."""
    return sum(
        EVERY[name].num_deals(size) * players * (players - 1)
        for names in played.values()
        for name, setting, _ in _matches(names, size)
        for players in (make_game(setting.game, **setting.options).num_players,)
    )


def costs(played: Mapping[str, Sequence[str]], ways: Ways) -> list[str]:
    """What the games of each language model in these tracks will use, in a sentence; none for other agents."""
    return [
        line
        for agent in filter(is_llm, played)
        for line in forecast([
            plan_of(agent, opponent, setting, EVERY[name].num_deals(ways.size), _UNMEASURED)
            for name, setting, opponent in _matches(played[agent], ways.size)
        ])
    ]  # fmt: skip


def _matches(names: Sequence[str], size: str) -> Iterator[tuple[str, Setting, str]]:
    """Track, game and opponent of each match of these tracks."""
    for name in names:
        for setting in EVERY[name].played(size) if name != EXACT else ():
            for opponent in setting.panel:
                yield name, setting, opponent


def play(
    agent: str, names: Sequence[str], without: Mapping[str, str], folder: Path, ways: Ways, advance: Advance
) -> AgentRun:
    """Play an agent in these tracks but those that it refuses, or what is missing of them in a folder.

    Raises:
        AgentError, OptionError, FileError: The agent is unknown, cannot play a game, or fails to be stored.
        SpendingError: Language models have used as much as they may.
    """
    played = [name for name in names if name != EXACT and name not in without]
    tracks = {name: play_track(agent, name, folder, ways, advance) for name in played}
    exact = exact_of(agent, ways.trust) if EXACT in names else {}
    return AgentRun(agent=agent, tracks=tracks, refused=dict(without), exact=exact)


def play_track(agent: str, name: str, folder: Path, ways: Ways, advance: Advance) -> TrackEntry:
    """The games of one track and their figures."""
    settings = []
    for number, setting in enumerate(EVERY[name].played(ways.size)):
        matches = []
        for opponent in setting.panel:
            place = f"{name}-{number}-{opponent.partition(':')[0]}"
            plan = plan_of(agent, opponent, setting, EVERY[name].num_deals(ways.size), trust=ways.trust)
            matches.append(_play_match(plan, folder, place, ways, advance))
        settings.append(
            Played(
                game=setting.game,
                options=dict(setting.options),
                cards=cards_of(plan.game),
                players=plan.game.num_players,
                matches=tuple(matches),
            )
        )
    return TrackEntry(settings=tuple(settings), figures=figures_of(settings))


def figures_of(settings: Sequence[Played]) -> TrackFigures:
    """The figures that follow from the games of a track."""
    return figures(
        [
            (match.opponent, played.players, unpacked(match.cells, played.players, match.deals.count))
            for played in settings
            for match in played.matches
        ],
        HELD_OUT_STYLES,
    )


def plan_of(
    agent: str,
    opponent: str,
    setting: Setting,
    deals: int,
    state: TournamentState | None = None,
    *,
    trust: bool = False,
) -> Plan:
    """The tournament of an agent with one opponent, in every mixture of the two, on published deals.

    Raises:
        AgentError: An unknown agent, or a file of the opponent is not that of the protocol.
    """
    options = dict(setting.options)
    players = make_game(setting.game, **options).num_players
    spec = TournamentSpec(
        agents=(agent, opponent),
        game=setting.game,
        options=options,
        format=PANEL,
        seatings=ROTATIONS,
        deals=DEALS,
        games=deals * players * (players - 1),
        behaviour=True,
        trust=trust,
    )
    plan = Plan(spec, state)
    digests = [one.sha256 for one in plan.files.get(opponent, [])]
    if opponent in PANEL_FILES and digests != [PANEL_FILES[opponent]]:
        raise AgentError(f"panel: {opponent} has the digest {digests[0]}, but in {PROTOCOL} {PANEL_FILES[opponent]}")
    return plan


def _play_match(plan: Plan, folder: Path, place: str, ways: Ways, advance: Advance) -> Match:
    places = [folder / place, folder / f"{place}-2"]  # the second one where the first had files of others
    if kept := next((path for path in places if (path / SPEC).is_file()), None):
        store = Store.resume(kept, ways.allowed, trust=ways.trust)
        if store.plan.spec.agents != plan.spec.agents or len(store.plan.deals.seeds) != len(plan.deals.seeds):
            raise AgentError(f"benchmark {folder / place}: holds other games, of {', '.join(store.plan.spec.agents)}")
    else:
        store = Store.begin(folder, place, plan)
    plan = store.plan
    few = ways.size == QUICK and not any(map(is_search, plan.spec.agents)) and ways.workers is None
    executor = make_executor(plan, 1 if few else ways.workers)  # processes start longer than few games take
    try:
        played = run(plan, executor, store, advance, ways.limit)
    finally:
        executor.close()
        plan.close()
    facts = played.statistics[0].facts
    seconds = facts.seconds_per_decision if is_llm(plan.spec.agents[0]) else facts.processor_seconds_per_decision
    return Match(
        opponent=plan.spec.agents[1],
        deals=Deals(**dict(plan.deal_facts)),
        files={name: tuple(file.sha256 for file in files) for name, files in plan.files.items() if files},
        secret=plan.state.secret,
        slow=plan.state.slow or (),
        decisions=facts.decisions,
        milliseconds=round(1000 * (seconds or 0.0), 4),
        forfeits=facts.forfeits.fraction,
        usage=_used(facts.usage) if facts.usage else {},
        model=model_facts(plan.spec.agents[0]),
        cells=packed(cells_of(played.games, played.behaviour)),
    )


def _used(usage: UsageFacts) -> dict[USAGE, float]:
    return {
        "questions": usage.questions,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cached_tokens": usage.cached_tokens,
        "cost": usage.cost,
    }


def model_facts(agent: str) -> dict[str, str | int | float | None]:
    """How a language model is asked; empty for other agents."""
    if not is_llm(agent):
        return {}
    settings = llm_settings(agent)
    asked = {name: getattr(settings, name) for name in ("answer", "memory", "note_words", "prompt_tokens", "fields")}
    plain = {name: value if isinstance(value, str) else json.dumps(value) for name, value in settings.request.items()}
    return {"model": settings.model or settings.address, "prompts": PROMPTS, **asked, **plain}


def exact_of(agent: str, trust: bool) -> dict[str, Exact]:
    """Exact exploitability of an agent in each mini game."""
    return {name: _exact_in(setting, agent, trust) for name, setting in EXACT_GAMES.items()}


def _exact_in(setting: Setting, agent: str, trust: bool) -> Exact:
    game = make_game(setting.game, **setting.options)
    try:
        points = 100 * exploitability(build_tree(game), agent, make_agent(agent, game, trust=trust)).exploitability
    except W51Error as error:
        return Exact(points=None, reason=_FOLDERS.sub("", str(error)))
    return Exact(points=round(points, 3))


def cards_of(game: Game) -> str:
    """SHA-256 of the features of a game's items; empty for a game without, whose cards follow from its options."""
    if game.items is None:
        return ""
    return hashlib.sha256(repr(game.items.names).encode() + game.items.features.tobytes()).hexdigest()
