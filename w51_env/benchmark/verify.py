"""Verifies an entry: its figures follow from its games, which are those of the protocol, and a random part of them,
played again, ends the same.
"""

import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from w51_env.agents.agent import AgentError
from w51_env.agents.registry import check_code
from w51_env.arena.blocks import play_block
from w51_env.arena.plan import Plan, TournamentState
from w51_env.arena.tournament import collect
from w51_env.benchmark.entry import AgentRun, BenchmarkEntry, Match, Played
from w51_env.benchmark.play import cards_of, exact_of, figures_of, plan_of, tracks_for
from w51_env.benchmark.protocol import EVERY, EXACT, LANGUAGE_TRACKS
from w51_env.benchmark.results import WHOLE, cells_of, same, unpacked
from w51_env.benchmark.sizes import check_size
from w51_env.text.prompts import PROMPTS

# Networks may choose otherwise on another processor, where two actions are almost as likely.
MAX_DIFFERENT = 0.02


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
    trust: bool = False,
) -> Verified:
    """Verify an entry.

    Args:
        entry: The entry.
        part: About which part of the games is played again, at least one block of each match.
        tracks: Only these; none: all of the entry.
        allowed: Names of agents whose code may be imported.
        agents: What the agents of the entry are called here, such as other paths of the same checkpoints.
        trust: Load pickled models.

    Raises:
        AgentError: It does not match; the message says what.
    """
    verified = Verified()
    if agents and len(agents) != len(entry.runs):
        raise AgentError(f"agents: {len(agents)} given, but entry {entry.name!r} has {len(entry.runs)}")
    check_size(entry)
    for run, agent in zip(entry.runs, agents or [run.agent for run in entry.runs], strict=True):
        check_code("warehouse51_v0", [agent], [*allowed, *agents], f"entry {entry.name!r}")
        chosen = tracks_for(agent, [*tracks] or [*run.tracks, *([EXACT] if run.exact else [])])
        for name in chosen:
            if name == EXACT:
                _verify_exact(run, agent, trust)
            elif name not in run.tracks:
                raise AgentError(f"entry {entry.name!r}: has no track {name!r}")
            else:
                _verify_track(run, agent, name, entry.size, part, verified, trust)
    if verified.different > MAX_DIFFERENT * verified.cells:
        raise AgentError(f"entry {entry.name!r}: {verified.different:,} of {verified.cells:,} deals end otherwise here")
    return verified


def _verify_track(
    run: AgentRun, agent: str, name: str, size: str, part: float, verified: Verified, trust: bool
) -> None:
    track, settings = run.tracks[name], EVERY[name].played(size)
    where = f"entry of {run.agent}, track {name}"
    if [(one.game, one.options) for one in track.settings] != [(one.game, dict(one.options)) for one in settings]:
        raise AgentError(f"{where}: its games are not those of the protocol")
    for played, setting in zip(track.settings, settings, strict=True):
        if [match.opponent for match in played.matches] != [*setting.panel]:
            raise AgentError(f"{where}: its opponents are not those of the protocol, {', '.join(setting.panel)}")
        for match in played.matches:
            slow = tuple(agent if one == run.agent else one for one in match.slow)
            state = TournamentState(match.secret, slow)
            plan = plan_of(agent, match.opponent, setting, EVERY[name].num_deals(size), state, trust=trust)
            try:
                _check_facts(f"{where}, {match.opponent}", run.agent, played, match, plan)
                if name not in LANGUAGE_TRACKS:  # a model need not answer the same again
                    _replay(plan, match, part, verified)
            finally:
                plan.close()
    if not same(track.figures, figures_of(track.settings)):
        raise AgentError(f"{where}: its figures do not follow from its games")


def _check_facts(where: str, called: str, played: Played, match: Match, plan: Plan) -> None:
    """AgentError if deals or files are not those of the protocol and of the agent, or numbers cannot be."""
    if played.players != plan.game.num_players or match.deals != plan.deal_facts:
        digests = match.deals.get("digest"), plan.deal_facts["digest"]
        raise AgentError(f"{where}: its deals have the digest {digests[0]}, but those of the protocol {digests[1]}")
    if played.cards != (cards := cards_of(plan.game)):
        raise AgentError(f"{where}: its cards have the digest {played.cards!r}, but those of the protocol {cards!r}")
    agent, opponent = plan.spec.agents
    for name, stored in ((agent, called), (opponent, opponent)):
        if match.files.get(stored, ()) != tuple(file.sha256 for file in plan.files.get(name, ())):
            raise AgentError(f"{where}: the files of {stored} are not those with which it was played")
    if match.model.get("prompts", PROMPTS) != PROMPTS:
        raise AgentError(f"{where}: its prompts are {match.model['prompts']!r}, but these are {PROMPTS!r}")
    cells = unpacked(match.cells, played.players, match.deals["count"])
    if cells[:, :, 0].min() < 0 or cells[:, :, 0].max() > WHOLE * played.players:
        raise AgentError(f"{where}: wins beyond the number of games")


def _replay(plan: Plan, match: Match, part: float, verified: Verified) -> None:
    """Play random blocks again and compare their cells."""
    stored = unpacked(match.cells, plan.game.num_players, match.deals["count"])
    ranges = sorted({(block.lineup, block.start, block.stop) for block in plan.blocks})
    chosen = random.SystemRandom().sample(ranges, max(1, round(part * len(ranges))))  # nobody can foresee it
    for lineup, start, stop in chosen:
        blocks = [one for one in plan.blocks if (one.lineup, one.start, one.stop) == (lineup, start, stop)]
        cells = cells_of(collect(plan, [play_block(plan, block) for block in blocks]))
        verified.cells += stop - start
        verified.different += int((stored[lineup, start:stop] != cells[lineup]).any(axis=1).sum())


def _verify_exact(run: AgentRun, agent: str, trust: bool) -> None:
    now = exact_of(agent, trust)
    if run.exact.keys() != now.keys():
        raise AgentError(f"entry of {run.agent}: its mini games are not those of the protocol")
    for name, stored in run.exact.items():
        if not same(stored.points, now[name].points):
            raise AgentError(f"entry of {run.agent}: exploitability {stored.points}, but it is {now[name].points} here")
