"""Verifies an entry: it is whole, and games of each match, drawn at random and played again, end the same."""

import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from w51_agents.agent.interface import Agent, AgentError
from w51_agents.isolation.isolated import IsolatedAgent
from w51_agents.language.llm.llm_settings import is_llm
from w51_agents.language.prompts import PROMPTS
from w51_agents.named.registry import check_named
from w51_env.engine.errors import W51Error
from w51_env.engine.registry import make_game
from w51_lab.arena.agent_statistics import AgentFacts
from w51_lab.arena.blocks import play_block
from w51_lab.arena.plan import Plan, TournamentState
from w51_lab.arena.players import SLOW_SECONDS
from w51_lab.arena.seatings import MATCH
from w51_lab.arena.tournament import collect, statistics_of
from w51_lab.benchmark.copies import check_copies, is_of_package
from w51_lab.benchmark.entry import AgentRun, BenchmarkEntry, Match
from w51_lab.benchmark.lineage import about_of
from w51_lab.benchmark.matches import Ways, cards_of, plan_of
from w51_lab.benchmark.play import attackers_of, exact_of, refused, tracks_for
from w51_lab.benchmark.protocol import ATTACKER, EVERY, EXACT, STRANGER
from w51_lab.benchmark.sizes import check_size
from w51_lab.benchmark.track_figures import cells_of, same, unpacked
from w51_lab.benchmark.whole import check_whole

MIN_DEALS_PLAYED = 6  # of each match: whoever forged half of its deals is found with a probability of 98 %
# Networks may choose otherwise on another processor, where two actions are almost as likely: a part of each line-up.
MAX_DIFFERENT = 0.02
# Other machines and other loads: the times of a decision that may both be true, as a factor and in milliseconds.
_TIMES, _MILLISECONDS = 3.0, 0.05
# By which the mean number of decisions, and the fraction of forfeits, of some deals may differ from those of all.
_PART, _FORFEITS = 0.4, 0.1
_LAST_DIGIT = 1e-9


@dataclass
class Verified:
    """What was compared: deals of line-ups that were played again, and those of them that ended otherwise."""

    cells: int = 0
    different: int = 0

    def __str__(self) -> str:
        return (
            f"verified: its figures follow from its games; {self.cells:,} deals of line-ups were played again, "
            f"{self.different:,} ended otherwise"
        )


def verify(
    entry: BenchmarkEntry,
    part: float,
    tracks: Sequence[str] = (),
    allowed: Collection[str] = (),
    *,
    agents: Sequence[str] = (),
    others: Sequence[BenchmarkEntry] = (),
    trust: bool = False,
) -> Verified:
    """Verify an entry.

    Args:
        entry: The entry.
        part: Part of the deals of each match that is played again, in all line-ups; at least `MIN_DEALS_PLAYED` deals.
            Deals that were played in one block with these are played, too.
        tracks: Only these; none: all of the entry.
        allowed: Names of agents whose code may be imported.
        agents: What the agents of the entry are called here, such as other paths of the same checkpoints.
        others: Entries of which it must be no copy.
        trust: Load pickled models.

    Raises:
        AgentError: It does not match; the message says what.
    """
    verified = Verified()
    if agents and len(agents) != len(entry.runs):
        raise AgentError(f"agents: {len(agents)} given, but entry {entry.name!r} has {len(entry.runs)}")
    check_size(entry)
    check_whole(entry)
    check_copies(entry, others)
    for run, agent in zip(entry.runs, agents or [run.agent for run in entry.runs], strict=True):
        if agent != run.agent and is_of_package(run.agent):
            raise AgentError(f"entry {entry.name!r}: is of {run.agent}, which has this name everywhere, not of {agent}")
        check_named(make_game("warehouse51_v1"), [agent], [*allowed, *agents], f"entry {entry.name!r}")
        if about_of(entry.about, {agent: [*run.tracks, *([EXACT] if run.exact else [])]}) != entry.about:
            raise AgentError(f"entry {entry.name!r}: does not say that {agent} uses the heuristic, or whom it met")
        _check_refused(entry, run, agent, trust)
        chosen = tracks_for(agent, [*tracks] or [*run.tracks, *([EXACT] if run.exact else [])])
        for name in chosen:
            if name == EXACT:
                _verify_exact(run, agent, trust)
            elif name not in run.tracks:
                raise AgentError(f"entry {entry.name!r}: has no track {name!r}")
            else:
                _verify_track(run, agent, name, Ways(entry.size, trust=trust), part, verified)
    return verified


def _check_refused(entry: BenchmarkEntry, run: AgentRun, agent: str, trust: bool) -> None:
    """AgentError if an agent can play a track of which its entry says that it cannot."""
    try:
        now = refused(agent, [*run.refused], Ways(entry.size, trust=trust)) if run.refused else {}
    except W51Error:  # of these it can play none
        return
    if can := run.refused.keys() - now.keys():
        raise AgentError(f"entry of {run.agent}: says that its agent cannot play {', '.join(sorted(can))}, but it can")


def _verify_track(run: AgentRun, agent: str, name: str, ways: Ways, part: float, verified: Verified) -> None:
    track, entered = EVERY[name], run.tracks[name]
    where = f"entry of {run.agent}, track {name}"
    for played, setting in zip(entered.settings, track.played(ways.size), strict=True):
        for match in played.matches:
            state, deals = state_of(match, {run.agent: agent}), track.num_deals(ways.size)
            plan = plan_of(agent, match.opponent, setting, deals, state, trust=ways.trust)
            _verify_match(where, run.agent, played.cards, match, plan, part, verified)
    attackers = attackers_of(agent, name, ways)
    called = [one if one == STRANGER else ATTACKER.format(run.agent) for one in attackers]
    if called != [match.opponent for match in entered.attacks[: len(called)]]:
        raise AgentError(f"{where}: its first attackers are not {', '.join(called)}")
    for attacker, match in zip(attackers, entered.attacks, strict=False):  # trained ones are not here
        state, deals = state_of(match, {run.agent: agent, match.opponent: attacker}), track.num_attack_deals(ways.size)
        plan = plan_of(attacker, agent, track.settings[0], deals, state, form=MATCH, trust=ways.trust)
        _verify_match(where, run.agent, entered.settings[0].cards, match, plan, part, verified)


def state_of(match: Match, here: Mapping[str, str]) -> TournamentState:
    """The state of the tournament of a match, with what agents are called here."""
    return TournamentState(match.secret, tuple(here.get(one, one) for one in match.slow))


def _verify_match(
    where: str, called: str, cards: str, match: Match, plan: Plan, part: float, verified: Verified
) -> None:
    where = f"{where}, {match.opponent}"
    try:
        _check_facts(where, called, cards, match, plan)
        if not any(map(is_llm, plan.spec.agents)):  # a model need not answer the same again
            _replay(where, plan, match, part, verified)
    finally:
        plan.close()


def _check_facts(where: str, called: str, cards: str, match: Match, plan: Plan) -> None:
    """AgentError if deals, cards or files are not those of the protocol and of the agent."""
    if dict(match.deals) != dict(plan.deal_facts):
        digests = f"the digest {match.deals.digest}, but those of the protocol {plan.deal_facts.digest}"
        raise AgentError(f"{where}: its deals have {digests}")
    if cards != (known := cards_of(plan.game)):
        raise AgentError(f"{where}: its cards have the digest {cards!r}, but those of the protocol {known!r}")
    at = _at(plan)
    agent, opponent = plan.spec.agents[at], plan.spec.agents[1 - at]
    if others := {*match.files, *match.slow} - {called, match.opponent, opponent, agent}:
        raise AgentError(f"{where}: files or slow agents of {', '.join(sorted(others))}, which did not play")
    for name, stored in ((agent, called), (opponent, match.opponent)):
        if match.files.get(stored, ()) != tuple(file.sha256 for file in plan.files.get(name, ())):
            raise AgentError(f"{where}: the files of {stored} are not those with which it was played")
    for name, one in zip(plan.spec.agents, plan.agents, strict=True):
        if (name in (plan.state.slow or ())) and not _may_be_slow(one, match):
            raise AgentError(f"{where}: names {name} among slow agents, which it is not")
    if match.model.get("prompts", PROMPTS) != PROMPTS:
        raise AgentError(f"{where}: its prompts are {match.model['prompts']!r}, but these are {PROMPTS!r}")


def _at(plan: Plan) -> int:
    """Which agent of a tournament is that of the entry: an attacker comes before it."""
    return int(plan.spec.format == MATCH)


def _may_be_slow(agent: Agent, match: Match) -> bool:
    """Whether an agent can be slow, for which games are played in other, smaller blocks, with other seeds."""
    declared = getattr(agent, "is_slow", None)
    if declared is None and isinstance(agent, IsolatedAgent):  # it was measured
        return match.milliseconds * _TIMES > 1000 * SLOW_SECONDS
    return bool(declared)


def _replay(where: str, plan: Plan, match: Match, part: float, verified: Verified) -> None:
    """Play the blocks of random deals again and compare the cells, the decisions and their time."""
    count = len(plan.deals.seeds)
    number = min(count, max(MIN_DEALS_PLAYED, round(part * count)))
    chosen = random.SystemRandom().sample(range(count), number)  # nobody can foresee them
    blocks = [block for block in plan.blocks if any(block.start <= deal < block.stop for deal in chosen)]
    results = [play_block(plan, block) for block in blocks]
    games = collect(plan, results)
    stored = unpacked(match.cells, len(plan.lineups), count)[:, games.deal_ids]
    different = (stored != cells_of(games)).any(axis=2)  # (line-ups, deals)
    verified.cells += different.size
    verified.different += int(different.sum())
    reads_files = any(plan.files.get(name) for name in plan.spec.agents)  # else it is no network: bots, search by bots
    allowed = int(MAX_DIFFERENT * different.shape[1]) if reads_files else 0
    if (most := int(different.sum(axis=1).max())) > allowed:
        raise AgentError(
            f"{where}: {most:,} of {different.shape[1]:,} deals of a line-up end otherwise here, at most {allowed} may"
        )
    is_whole = different.shape[1] == count
    tolerance = _PART if not is_whole else MAX_DIFFERENT if reads_files else 0.0
    facts = statistics_of(plan, results)[_at(plan)].facts
    _check_statistics(where, match, facts, count / different.shape[1], tolerance)


def _check_statistics(where: str, match: Match, facts: AgentFacts, times: float, tolerance: float) -> None:
    """AgentError if decisions, forfeits or times cannot be those of the blocks that were played.

    Args:
        where: The match, for messages.
        match: The match.
        facts: What was counted while the blocks were played.
        times: How many times as many games the match has.
        tolerance: The part by which the numbers may differ.
    """
    decisions, forfeits = times * facts.decisions, facts.forfeits.fraction
    if abs(match.decisions - decisions) > tolerance * decisions:
        raise AgentError(f"{where}: {match.decisions:,} decisions, but {decisions:,.0f} by the games played again")
    if abs(match.forfeits - forfeits) > min(tolerance, _FORFEITS) + _LAST_DIGIT:
        raise AgentError(f"{where}: forfeits of {match.forfeits:.2%}, but {forfeits:.2%} in the games played again")
    measured = 1000 * (facts.processor_seconds_per_decision or 0.0)
    less, more = sorted((measured, match.milliseconds))
    if more > _TIMES * less + _MILLISECONDS:
        raise AgentError(f"{where}: {match.milliseconds:g} ms a decision, but {measured:.3g} ms here")


def _verify_exact(run: AgentRun, agent: str, trust: bool) -> None:
    now = exact_of(agent, trust)
    for name, stored in run.exact.items():
        if not same(stored.points, now[name].points):
            raise AgentError(f"entry of {run.agent}: exploitability {stored.points}, but it is {now[name].points} here")
