"""Verifies an entry: its figures follow from its games, which are those of the protocol, and a random part of them,
played again, ends the same.
"""

import random
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from w51_env.agents.agent import AgentError
from w51_env.agents.files import file_data
from w51_env.agents.registry import check_code
from w51_env.arena.blocks import play_block
from w51_env.arena.plan import Plan, TournamentState
from w51_env.arena.tournament import collect
from w51_env.benchmark.entry import AgentRun, Entry, Match, Played
from w51_env.benchmark.play import deals_of, exact_of, figures_of, plan_of, settings_of, tracks_for
from w51_env.benchmark.protocol import EXACT, LANGUAGE_TRACKS, Setting
from w51_env.benchmark.results import WHOLE, same, unpacked

# Networks may choose otherwise on another processor, where two actions are almost as likely.
MAX_DIFFERENT = 0.02


@dataclass
class Found:
    """What was compared: deals of line-ups that were played again, and those of them that ended otherwise."""

    cells: int = 0
    different: int = 0

    def __str__(self) -> str:
        return f"verified: {self.cells:,} deals of line-ups played again, {self.different:,} ended otherwise"


def verify(
    entry: Entry, part: float, tracks: Sequence[str] = (), allowed: Collection[str] = (), *, trust: bool = False
) -> Found:
    """Verify an entry.

    Args:
        entry: The entry.
        part: About which part of the games is played again, at least one block of each match.
        tracks: Only these; none: all of the entry.
        allowed: Names of agents whose code may be imported.
        trust: Load pickled models.

    Raises:
        AgentError: It does not match; the message says what.
    """
    found = Found()
    for run in entry.runs:
        chosen = tracks_for(run.agent, [*tracks] or [*run.tracks, *([EXACT] if run.exact else [])])
        check_code("warehouse51_v0", [run.agent], allowed, f"entry {entry.name!r}")
        for name in chosen:
            if name == EXACT:
                _verify_exact(run, trust)
            elif name not in run.tracks:
                raise AgentError(f"entry {entry.name!r}: has no track {name!r}")
            else:
                _verify_track(run, name, entry.quick, part, found, trust)
    if found.different > MAX_DIFFERENT * found.cells:
        raise AgentError(f"entry {entry.name!r}: {found.different:,} of {found.cells:,} deals end otherwise here")
    return found


def _verify_track(run: AgentRun, name: str, quick: bool, part: float, found: Found, trust: bool) -> None:
    track, settings = run.tracks[name], settings_of(name, quick)
    where = f"entry of {run.agent}, track {name}"
    if [(one.game, one.options) for one in track.settings] != [(one.game, dict(one.options)) for one in settings]:
        raise AgentError(f"{where}: its games are not those of the protocol")
    for played, setting in zip(track.settings, settings, strict=True):
        if [match.opponent for match in played.matches] != [*setting.panel]:
            raise AgentError(f"{where}: its opponents are not those of the protocol, {', '.join(setting.panel)}")
        for match in played.matches:
            plan = _plan(run.agent, setting, match, deals_of(name, quick), trust)
            _check_facts(f"{where}, {match.opponent}", played, match, plan)
            if name not in LANGUAGE_TRACKS:  # a model need not answer the same again
                try:
                    _replay(plan, match, part, found)
                finally:
                    plan.close()
    if not same(track.figures, figures_of(track.settings)):
        raise AgentError(f"{where}: its figures do not follow from its games")


def _plan(agent: str, setting: Setting, match: Match, deals: int, trust: bool) -> Plan:
    return plan_of(agent, match.opponent, setting, deals, TournamentState(match.secret, match.slow), trust=trust)


def _check_facts(where: str, played: Played, match: Match, plan: Plan) -> None:
    """AgentError if deals or files are not those of the protocol and of the agent, or numbers cannot be."""
    if played.players != plan.game.num_players or match.deals != plan.deal_facts:
        digests = match.deals.get("digest"), plan.deal_facts["digest"]
        raise AgentError(f"{where}: its deals have the digest {digests[0]}, but those of the protocol {digests[1]}")
    now = file_data(plan.files)
    for name, files in now.items():
        own = [one["sha256"] for one in match.files.get(name, [])]
        if own != [one["sha256"] for one in files]:
            raise AgentError(f"{where}: the files of {name} are not those with which it was played")
    cells = unpacked(match.cells, played.players, match.deals["count"])
    if cells[:, :, 0].min() < 0 or cells[:, :, 0].max() > WHOLE * played.players:
        raise AgentError(f"{where}: wins beyond the number of games")


def _replay(plan: Plan, match: Match, part: float, found: Found) -> None:
    """Play random blocks again and compare their cells."""
    cells = unpacked(match.cells, plan.game.num_players, match.deals["count"])
    for lineup, start, stop in _drawn(plan, part):
        blocks = [one for one in plan.blocks if (one.lineup, one.start, one.stop) == (lineup, start, stop)]
        games = collect(plan, [play_block(plan, block) for block in blocks])
        own = games.seats == 0
        wins = np.zeros(stop - start, np.int64)
        np.add.at(wins, games.deal_index, np.rint(games.wins * WHOLE * own).astype(np.int64).sum(axis=1))
        scores = np.zeros(stop - start, np.int64)
        np.add.at(scores, games.deal_index, (games.scores * own).sum(axis=1))
        kept = cells[lineup, start:stop]
        found.cells += stop - start
        found.different += int(((kept[:, 0] != wins) | (kept[:, 1] != scores)).sum())


def _drawn(plan: Plan, part: float) -> Iterator[tuple[int, int, int]]:
    """Random ranges of deals of line-ups, whose choice nobody can foresee."""
    ranges = sorted({(block.lineup, block.start, block.stop) for block in plan.blocks})
    yield from random.SystemRandom().sample(ranges, max(1, round(part * len(ranges))))


def _verify_exact(run: AgentRun, trust: bool) -> None:
    kept, now = run.exact, exact_of(run.agent, trust)
    if kept is None or not same(kept.points, now.points):
        raise AgentError(
            f"entry of {run.agent}: exploitability {kept.points if kept else None}, but it is {now.points} here"
        )
