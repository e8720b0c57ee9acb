"""A tournament from its plan to its games: blocks are played, stored, and tested after fixed numbers of deals."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import comb

import numpy as np

from w51_agents.language.llm.llm_agent import LLMAgent
from w51_lab.arena.agent_statistics import AgentStatistics
from w51_lab.arena.blocks import BlockResult
from w51_lab.arena.plan import Plan
from w51_lab.arena.spending import SpendingLimit
from w51_lab.arena.store import Store
from w51_lab.arena.workers import Executor
from w51_lab.behaviour import Parts
from w51_lab.statistics.games import Games
from w51_lab.statistics.sequential import (
    LOOK_EVERY,
    deals_needed,
    pair_differences,
    sequential_tests,
    valid_intervals,
)


@dataclass(frozen=True)
class TournamentResult:
    """A finished tournament.

    Attributes:
        games: All games that count.
        statistics: Calls and failures of each agent in them.
        results: The blocks, in order.
        stopped: Number of deals after which every difference was decided, or known well enough, and the tournament
            stopped; None if it did not.
    """

    games: Games
    statistics: list[AgentStatistics]
    results: list[BlockResult]
    stopped: int | None

    @property
    def behaviour(self) -> Parts:
        """Behaviour tables of each block, read from the store if there is one; empty tables if not asked for."""
        return [result.behaviour for result in self.results]

    @property
    def seconds(self) -> float:
        """Wall time of all blocks, added up over workers."""
        return sum(result.seconds for result in self.results)


def run(
    plan: Plan,
    executor: Executor,
    store: Store | None = None,
    on_progress: Callable[[int, bool], None] = lambda games, stored: None,
    limit: SpendingLimit | None = None,
    on_size: Callable[[int], None] = lambda deals: None,
) -> TournamentResult:
    """Play all blocks that are not stored.

    Args:
        plan: The tournament.
        executor: Plays the blocks.
        store: Folder from which blocks are read and to which they are written.
        on_progress: Called with a number of games, and whether they come from the store.
        limit: Of what language models use, those of stored games included, which it counts.
        on_size: Called after a look with the number of deals that `--precision` seems to need.

    Raises:
        ForfeitsError: A language model has failed to make too many of its decisions.
        SpendingError: They have used as much, and games are left.
        AgentError: A stored block is damaged, or a file that an agent reads has changed meanwhile.
        FileError: A block cannot be written.
    """
    stored = store.load() if store is not None else {}
    results = {number: result for number, result in stored.items() if _is_of_the_models(plan, result)}
    for result in results.values():
        on_progress(len(result.deals), True)
    looks = _Looks(plan, on_size)
    stop = looks.last_range(results)
    if stop is None:
        stop = _play(plan, executor, store, on_progress, limit or SpendingLimit(), looks, results)
    ranges = plan.ranges
    if limit is not None:
        limit.count(results.values())
    counted = [block for one in ranges[: len(ranges) if stop is None else stop] for block in one]
    chosen = [results[block.number] for block in counted]
    ended_early = stop is not None and stop < len(ranges)
    games = collect(plan, chosen)
    return TournamentResult(
        games, statistics_of(plan, chosen), _sharing(games, chosen), counted[-1].stop if ended_early else None
    )


class _Looks:
    """The looks at a tournament that may stop early: after each range of deals in order, whoever finishes first.

    Args:
        plan: The tournament.
        on_size: As of `run`.
    """

    def __init__(self, plan: Plan, on_size: Callable[[int], None]):
        self._plan, self._on_size = plan, on_size
        self._ranges, self._differences = 0, np.empty((0, comb(len(plan.names), 2)))

    def last_range(self, results: dict[int, BlockResult]) -> int | None:
        """The number of complete ranges after which every pair is known well enough; None: none, or not asked for."""
        plan = self._plan
        if not plan.spec.stops_early or len(plan.names) < 2:
            return None
        planned = len(plan.deals.seeds)
        for blocks in plan.ranges[self._ranges :]:
            if any(block.number not in results for block in blocks):
                return None
            games = collect(plan, [results[block.number] for block in blocks])
            self._differences = np.concatenate([self._differences, pair_differences(games)[1]])
            self._ranges += 1
            if plan.width is None:
                if all(test.better for test in sequential_tests(self._differences, planned, games.largest)):
                    return self._ranges
            elif not (deals := len(self._differences)) % LOOK_EVERY:
                found = valid_intervals(self._differences, planned, games.largest)
                reached = max(one.high - one.low for one in found)
                if reached <= plan.width:
                    return self._ranges
                self._on_size(deals_needed(plan.width, reached, deals, planned))
        return None


def _play(
    plan: Plan,
    executor: Executor,
    store: Store | None,
    on_progress: Callable[[int, bool], None],
    limit: SpendingLimit,
    looks: _Looks,
    results: dict[int, BlockResult],
) -> int | None:
    """Add the missing blocks to `results`; the number of ranges after which the tournament stopped, None if it did not.

    Raises:
        ForfeitsError, SpendingError, AgentError, FileError: As of `run`.
    """
    missing = [block for block in plan.blocks if block.number not in results]
    for portion in limit.portions(missing, results):
        for result in executor.results(portion):
            plan.check_files()  # the block may have been played with other weights
            results[result.block.number] = result if store is None else store.add(result)
            on_progress(len(result.deals), False)
            _check_forfeits(plan, results)
            if (stop := looks.last_range(results)) is not None:
                return stop
    return None


def _check_forfeits(plan: Plan, results: dict[int, BlockResult]) -> None:
    """ForfeitsError if a language model has failed to make too many of its decisions, those skipped included."""
    for index, agent in enumerate(plan.agents):
        if isinstance(agent, LLMAgent):
            own = [result.statistics[index] for result in results.values()]
            agent.check_forfeits(sum(one.forfeited for one in own), sum(one.decisions + one.skipped for one in own))


def _is_of_the_models(plan: Plan, result: BlockResult) -> bool:
    """Whether language models made all of their decisions in a block; else it is played again."""
    pairs = zip(plan.agents, result.statistics, strict=True)
    return not any(isinstance(agent, LLMAgent) and one.forfeited for agent, one in pairs)


def collect(plan: Plan, results: list[BlockResult]) -> Games:
    """Return the games of these blocks, which hold whole deals, ordered by deal, line-up and seating."""
    lineups = np.concatenate([np.full(len(result.deals), result.block.lineup, np.int32) for result in results])
    deals = np.concatenate([result.deals for result in results])
    order = np.lexsort((lineups, deals))  # stable: keeps the order of seatings, as blocks have it
    columns = {
        name: np.concatenate([getattr(result, name) for result in results])[order]
        for name in ("seats", "scores", "ranks", "lengths")
    }
    return Games(plan.names, deals[order], lineups[order], **columns, decides=plan.game.decides)


def _sharing(games: Games, results: list[BlockResult]) -> list[BlockResult]:
    """The blocks with the memory of all games in place of their own, where they hold the games in the same order."""
    ends = np.cumsum([len(result.deals) for result in results]).tolist()
    shared = []
    for result, end in zip(results, ends, strict=True):
        rows = slice(end - len(result.deals), end)
        columns = {name: getattr(games, name)[rows] for name in ("deals", "seats", "scores", "ranks", "lengths")}
        equal = all(np.array_equal(column, getattr(result, name)) for name, column in columns.items())
        shared.append(replace(result, **columns) if equal else result)
    return shared


def statistics_of(plan: Plan, results: list[BlockResult]) -> list[AgentStatistics]:
    """Return calls and failures of each agent in all of these blocks."""
    totals = [AgentStatistics() for _ in plan.names]
    for result in results:
        for total, part in zip(totals, result.statistics, strict=True):
            total.add(part)
    return totals
