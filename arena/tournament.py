"""A tournament from its plan to its games: blocks are played, kept as they come, and looked at at fixed places."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from arena.behaviour import concatenate
from arena.blocks import Outcome
from arena.games import Games
from arena.plan import Block, Plan
from arena.referee import KINDS, Conduct
from arena.sequential import pair_differences, settle
from arena.store import Store
from arena.workers import Executor
from w51_env.core.behaviour import Tables


@dataclass(frozen=True)
class Played:
    """A tournament that is over.

    Attributes:
        games: All games that count.
        conducts: How each agent behaved in them.
        outcomes: The blocks, in order.
        stopped: The number of deals after which every difference was settled, if the tournament ended there; else None.
        seconds: Of all blocks together.
    """

    games: Games
    conducts: list[Conduct]
    outcomes: list[Outcome]
    stopped: int | None

    @cached_property
    def behaviour(self) -> Tables:
        """What the agents did, if that was asked for: the tables of all blocks as one."""
        return concatenate([outcome.behaviour for outcome in self.outcomes])

    @property
    def seconds(self) -> float:
        """Of work, by all workers together."""
        return sum(outcome.seconds for outcome in self.outcomes)


def run(
    plan: Plan, executor: Executor, store: Store | None = None, on_progress: Callable[[int], None] = lambda games: None
) -> Played:
    """Play what is not played yet.

    Args:
        plan: The tournament.
        executor: Who plays.
        store: Where blocks are kept, and taken from if they are there.
        on_progress: Called with the number of games that were added.

    Raises:
        AgentError: What is kept is damaged, or cannot be kept.
    """
    outcomes = store.kept() if store is not None else {}
    for outcome in outcomes.values():
        on_progress(len(outcome.deals))
    parts = _parts(plan)
    stop = _settled_part(plan, parts, outcomes, 0)
    if stop is None:
        looked = 0
        for outcome in executor.outcomes(_missing(plan, outcomes)):
            outcomes[outcome.block.number] = outcome
            if store is not None:
                store.keep(outcome)
            on_progress(len(outcome.deals))
            if plan.spec.until_settled:
                stop = _settled_part(plan, parts, outcomes, looked)
                looked = _whole_parts(parts, outcomes)
                if stop is not None:
                    break
    counted = [block for part in parts[: len(parts) if stop is None else stop] for block in part]
    chosen = [outcomes[block.number] for block in counted]
    ended_early = stop is not None and stop < len(parts)
    return Played(collect(plan, chosen), conducts_of(plan, chosen), chosen, counted[-1].stop if ended_early else None)


def collect(plan: Plan, outcomes: list[Outcome]) -> Games:
    """The games of whole parts of the deals, ordered by deal, line-up and seating."""
    lineups = np.concatenate([np.full(len(outcome.deals), outcome.block.lineup, np.int32) for outcome in outcomes])
    columns = {
        name: np.concatenate([getattr(outcome, name) for outcome in outcomes])
        for name in ("deals", "seats", "scores", "ranks", "lengths")
    }
    order = np.lexsort((lineups, columns["deals"]))  # stable: seatings stay as they are
    return Games(plan.names, lineups=lineups[order], **{name: column[order] for name, column in columns.items()})


def conducts_of(plan: Plan, outcomes: list[Outcome]) -> list[Conduct]:
    """How each agent behaved in all of these."""
    found = [Conduct() for _ in plan.names]
    for outcome in outcomes:
        for total, part in zip(found, outcome.conducts, strict=True):
            total.decisions += part.decisions
            total.seconds += part.seconds
            total.unasked += part.unasked
            total.first = total.first or part.first
            for kind in KINDS:
                total.faults[kind] += part.faults[kind]
    return found


def _missing(plan: Plan, outcomes: dict[int, Outcome]) -> Iterator[Block]:
    return (block for block in plan.blocks if block.number not in outcomes)


def _parts(plan: Plan) -> list[list[Block]]:
    """The blocks of each part of the deals: together they have all games of those."""
    lineups = len(plan.lineups)
    return [plan.blocks[start : start + lineups] for start in range(0, len(plan.blocks), lineups)]


def _whole_parts(parts: list[list[Block]], outcomes: dict[int, Outcome]) -> int:
    """How many parts are there without a gap."""
    return next(
        (place for place, part in enumerate(parts) if any(block.number not in outcomes for block in part)), len(parts)
    )


def _settled_part(plan: Plan, parts: list[list[Block]], outcomes: dict[int, Outcome], looked: int) -> int | None:
    """After how many whole parts every pair is settled; None if that is not so, or not asked for. The first `looked` parts are known
    not to suffice. Parts are judged one after the other, so it does not matter which came first, nor how often somebody looks.
    """
    if not plan.spec.until_settled or len(plan.names) < 2:
        return None
    for count in range(looked + 1, _whole_parts(parts, outcomes) + 1):
        games = collect(plan, [outcomes[block.number] for part in parts[:count] for block in part])
        if all(verdict.better for verdict in settle(pair_differences(games)[1], len(plan.deals.seeds))):
            return count
    return None
