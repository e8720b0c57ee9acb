"""Places on the leaderboard: figures of several seeds, and paired tests of entries on the deals that both played."""

from collections.abc import Sequence
from itertools import combinations
from math import hypot, nan
from statistics import mean

import numpy as np

from w51_lab.benchmark.entry import AgentRun
from w51_lab.benchmark.track_figures import Against, Figure, over_runs
from w51_lab.statistics.estimates import holm, student_p


def strength_of(runs: Sequence[AgentRun], track: str) -> Figure:
    """The strength of an entry in a track, with its interval."""
    return interval_of([run.tracks[track].figures.strength for run in runs])


def interval_of(values: Sequence[Figure]) -> Figure:
    """A figure with its interval: over deals for one agent; for several the mean over seeds.

    All seeds play the same deals, so the interval over seeds leaves out the chance of deals: each end is moved away by
    the mean distance of the single agents' ends, as independent errors add up, but not beyond the farthest of these.
    """
    if len(values) == 1:
        return values[0]
    interval = over_runs([value.mean for value in values])
    below = hypot(interval.mean - interval.low, mean(value.mean - value.low for value in values))
    above = hypot(interval.high - interval.mean, mean(value.high - value.mean for value in values))
    low = max(interval.mean - below, min(value.low for value in values))
    high = min(interval.mean + above, max(value.high for value in values))
    return Figure(mean=interval.mean, low=low, high=high)


def places_of(entries: Sequence[Sequence[Sequence[Against]]]) -> list[str]:
    """The places that paired tests leave open for each entry, from 1, such as `2 to 4`.

    Two entries are compared on the deals that both played, over all opponents: where one of the two is an opponent, the
    games between them count for the other, and its own are worth the equal share, which they have by symmetry. All
    pairs are judged together (Holm): of equally strong entries, any is called better with 5 % at most.

    Args:
        entries: Of each the matches of its agents, as many as it has seeds.
    """
    pairs = list(combinations(range(len(entries)), 2))
    compared = [_compared(entries[one], entries[other]) for one, other in pairs]
    better, worse = [0] * len(entries), [0] * len(entries)
    for (one, other), (ahead, _), decided in zip(pairs, compared, holm([p for _, p in compared]), strict=True):
        if decided:
            first, second = (one, other) if ahead > 0 else (other, one)
            better[second] += 1
            worse[first] += 1
    ends = [(1 + above, len(entries) - below) for above, below in zip(better, worse, strict=True)]
    return [str(first) if first == last else f"{first} to {last}" for first, last in ends]


def _compared(one: Sequence[Sequence[Against]], other: Sequence[Sequence[Against]]) -> tuple[float, float]:
    """The mean difference of two entries, and how likely one as large is between equals; nan where nothing differs.

    The interval over seeds of an entry widens that over deals, as in `interval_of`.
    """
    rates = [[_over_all(run) for run in runs] for runs in (one, other)]
    deals = min(len(rate) for side in rates for rate in side)
    by_deal = [np.array([rate[:deals] for rate in side]) for side in rates]
    differences = by_deal[0].mean(axis=0) - by_deal[1].mean(axis=0)
    variance = differences.var(ddof=1) / deals
    freedom = deals - 1
    for side in by_deal:
        if len(side) > 1:
            variance += side.mean(axis=1).var(ddof=1) / len(side)
            freedom = min(freedom, len(side) - 1)
    ahead = float(differences.mean())
    return ahead, student_p(ahead / variance**0.5, freedom) if variance > 0 else nan


def _over_all(matches: Sequence[Against]) -> np.ndarray:
    """(deals,) mean standing over matches; those of an agent with itself without the chance of their games."""
    rates = [np.ones_like(match.by_deal) if match.is_own else match.by_deal for match in matches]
    return np.mean([rate / match.best for rate, match in zip(rates, matches, strict=True)], axis=0)
