"""Whether an agent is as strong on deals that nobody knew when its entry was made: they follow from a later commit."""

from collections.abc import Sequence
from dataclasses import replace

from w51_agents.agent.interface import AgentError
from w51_lab.arena.blocks import play_block
from w51_lab.arena.deals import PREFIX
from w51_lab.arena.tournament import collect
from w51_lab.benchmark.entry import AgentRun, BenchmarkEntry, Deals, TrackEntry
from w51_lab.benchmark.matches import figures_of, plan_of
from w51_lab.benchmark.protocol import EVERY, LANGUAGE_TRACKS, PARTS
from w51_lab.benchmark.track_figures import Figure, cells_of, packed
from w51_lab.benchmark.verify import state_of

_MIN_DEALS = 12  # of each match; a quarter of those of an entry, if that is more


def check_fresh(
    entry: BenchmarkEntry, commit: str, tracks: Sequence[str] = (), agents: Sequence[str] = (), *, trust: bool = False
) -> dict[str, Figure]:
    """The strength of an entry in each track on the deals that follow from a commit.

    Args:
        entry: The entry, which was verified.
        commit: Hash of a commit, of 40 digits.
        tracks: Only these; none: all but those of language models.
        agents: What the agents of the entry are called here.
        trust: Load pickled models.

    Raises:
        AgentError: An interval of strength in the entry lies wholly above that on these deals.
    """
    found = {}
    for run, agent in zip(entry.runs, agents or [run.agent for run in entry.runs], strict=True):
        for name in tracks or run.tracks:
            if name in run.tracks and name not in LANGUAGE_TRACKS:
                stored, now = run.tracks[name].figures.strength, _strength(run, agent, name, entry.size, commit, trust)
                if stored.low > now.high:
                    raise AgentError(
                        f"entry of {run.agent}, track {name}: a strength of {stored.mean:.2f} on the published deals, "
                        f"but of {now.mean:.2f} [{now.low:.2f}, {now.high:.2f}] on those of commit {commit[:8]}"
                    )
                found[name] = now
    return found


def _strength(run: AgentRun, agent: str, name: str, size: str, commit: str, trust: bool) -> Figure:
    track, settings = EVERY[name], []
    entered: TrackEntry = run.tracks[name]
    deals = max(_MIN_DEALS, track.deals // PARTS["quarter"])
    for played, setting in zip(entered.settings, track.played(size), strict=True):
        matches = []
        for match in played.matches:
            fresh, state = replace(setting, deals=PREFIX + commit), state_of(match, {run.agent: agent})
            plan = plan_of(agent, match.opponent, fresh, deals, state, trust=trust)
            try:
                games = collect(plan, [play_block(plan, block) for block in plan.blocks])
            finally:
                plan.close()
            facts = Deals(**dict(plan.deal_facts))
            matches.append(match.model_copy(update={"deals": facts, "cells": packed(cells_of(games))}))
        settings.append(played.model_copy(update={"matches": tuple(matches)}))
    return figures_of(run.agent, name, settings).strength
