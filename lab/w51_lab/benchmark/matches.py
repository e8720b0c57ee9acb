"""The games of one match of the benchmark, kept in a folder, and the figures that follow from matches."""

import hashlib
import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from w51_agents.agent.interface import AgentError
from w51_agents.language.llm.llm_settings import is_llm
from w51_agents.language.llm.llm_settings import parse_settings as llm_settings
from w51_agents.language.prompts import PROMPTS
from w51_agents.named.composed import is_composed
from w51_agents.search.search_settings import is_search
from w51_env import make_game
from w51_env.engine.game import Game
from w51_lab.arena.agent_statistics import UsageFacts
from w51_lab.arena.plan import Plan, TournamentState
from w51_lab.arena.seatings import MATCH, PANEL, ROTATIONS
from w51_lab.arena.spec import TournamentSpec
from w51_lab.arena.spending import SpendingLimit
from w51_lab.arena.store import SPEC, Store
from w51_lab.arena.tournament import run
from w51_lab.arena.workers import make_executor
from w51_lab.benchmark.entry import USAGE, Deals, Match, Played
from w51_lab.benchmark.protocol import HELD_OUT_STYLES, PANEL_FILES, PROTOCOL, QUICK, Setting, best_known
from w51_lab.benchmark.track_figures import Against, TrackFigures, cells_of, figures, packed, unpacked

Advance = Callable[[int, bool], None]


@dataclass(frozen=True)
class Ways:
    """How games are played.

    Attributes:
        size: Which part of the deals: one of `protocol.SIZES`.
        workers: Number of processes; None: all cores.
        allowed: Names of agents whose code may be imported when a folder is resumed.
        trust: Load pickled models.
        limit: What language models may use in all tracks together.
        responses: Networks that were trained as responses to the agent: attackers beside those of the protocol.
    """

    size: str
    workers: int | None = None
    allowed: Collection[str] = ()
    trust: bool = False
    limit: SpendingLimit = field(default_factory=SpendingLimit)
    responses: tuple[str, ...] = ()


def num_players(setting: Setting) -> int:
    """Number of seats of a game."""
    return make_game(setting.game, **setting.options).num_players


def plan_of(
    agent: str,
    opponent: str,
    setting: Setting,
    deals: int,
    state: TournamentState | None = None,
    *,
    form: Literal["match", "panel"] = PANEL,
    trust: bool = False,
) -> Plan:
    """The tournament of an agent with one opponent on published deals: in every mixture of the two, or alone (MATCH).

    Raises:
        AgentError: An unknown agent, or a file of an agent of the panel is not that of the protocol.
    """
    options = dict(setting.options)
    players = num_players(setting)
    spec = TournamentSpec(
        agents=(agent, opponent),
        game=setting.game,
        options=options,
        format=form,
        seatings=ROTATIONS,
        deals=setting.deals,
        games=deals * players * (1 if form == MATCH else players - 1),
        trust=trust,
    )
    plan = Plan(spec, state)
    for name, frozen in PANEL_FILES.get(setting.game, {}).items():
        if name in plan.files and (digests := [one.sha256 for one in plan.files[name]]) != [frozen]:
            raise AgentError(f"panel: {name} has the digest {digests[0]}, but in {PROTOCOL} {frozen}")
    return plan


def play_match(
    plan: Plan, folder: Path, place: str, ways: Ways, advance: Advance, *, agent_at: Literal[0, 1] = 0
) -> Match:
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
    facts, agent = played.statistics[agent_at].facts, plan.spec.agents[agent_at]
    seconds = facts.seconds_per_decision if is_llm(agent) else facts.processor_seconds_per_decision
    return Match(
        opponent=plan.spec.agents[1 - agent_at],
        deals=Deals(**dict(plan.deal_facts)),
        files={name: tuple(file.sha256 for file in files) for name, files in plan.files.items() if files},
        secret=plan.state.secret,
        slow=plan.state.slow or (),
        decisions=facts.decisions,
        milliseconds=round(1000 * (seconds or 0.0), 4),
        forfeits=facts.forfeits.fraction,
        usage=_used(facts.usage) if facts.usage else {},
        model=model_facts(agent),
        cells=packed(cells_of(played.games)),
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


def cards_of(game: Game) -> str:
    """SHA-256 of the features of a game's items; empty for a game without, whose cards follow from its options."""
    if game.items is None:
        return ""
    return hashlib.sha256(repr(game.items.names).encode() + game.items.features.tobytes()).hexdigest()


def figures_of(agent: str, track: str, settings: Sequence[Played]) -> TrackFigures:
    """The figures that follow from the games of a track."""
    return figures(against(agent, track, settings), HELD_OUT_STYLES)


def against(agent: str, track: str, settings: Sequence[Played]) -> list[Against]:
    """The games of an agent with each opponent, in each game of a track."""
    return [
        Against(
            match.opponent,
            unpacked(match.cells, played.players - 1, match.deals.count),
            is_own(agent, match),
            best_known(track, match.opponent),
        )
        for played in settings
        for match in played.matches
    ]


def is_own(agent: str, match: Match) -> bool:
    """Whether an opponent is the agent itself, by its name or its files, in whatever form."""
    files = match.files.get(agent, ())
    return match.opponent == agent or (
        bool(files) and files == match.files.get(match.opponent) and not is_composed(match.opponent)
    )
