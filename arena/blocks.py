"""Playing one block of a tournament: the unit that workers take, keep and, if they are killed, play again."""

import time
from dataclasses import dataclass

import numpy as np

from arena.behaviour import BehaviourRecorder
from arena.plan import Block, Plan
from arena.play import play
from arena.referee import Conduct, RefereedPlayer
from w51_env.core.batch import Batch
from w51_env.core.behaviour import Tables
from w51_env.core.game import NO_ACTION
from w51_env.core.replay import Replay


@dataclass(frozen=True)
class Outcome:
    """What a block brought; a row a game, ordered by deal and seating.

    Attributes:
        block: Which.
        deals: (G,) int64.
        seats: (G, P) int16, the agents.
        scores, ranks: (G, P) int16, int8.
        lengths: (G,) uint16, decisions.
        conducts: How each agent of the tournament behaved here.
        replays: (row, replay) of those games that were to be kept.
        behaviour: Tables of what the agents did, by name; empty if not asked for.
        seconds: It took.
    """

    block: Block
    deals: np.ndarray
    seats: np.ndarray
    scores: np.ndarray
    ranks: np.ndarray
    lengths: np.ndarray
    conducts: list[Conduct]
    replays: list[tuple[int, Replay]]
    behaviour: Tables
    seconds: float


def play_block(plan: Plan, block: Block, threads: int = 1) -> Outcome:
    """Play the games of one block.

    Args:
        plan: The tournament; its agents begin anew.
        block: One of the plan's.
        threads: Of the engine; the outcome is the same for any number.
    """
    begun = time.perf_counter()
    seated = plan.seated(block)
    _, seatings, num_players = seated.shape
    table = seated.reshape(-1, num_players)
    seeds = np.repeat(plan.deals.seeds[block.start : block.stop], seatings)
    players = []
    for index, (name, agent) in enumerate(zip(plan.names, plan.agents_anew(), strict=True)):
        players.append(
            RefereedPlayer(name, agent, plan.game, len(table), plan.spec.limit, plan.agent_seed(block, index))
        )
    watch = _Watch(plan, block, seatings)
    batch = play(plan.game, players, table, seeds, look=watch.look, threads=threads, events=plan.spec.behaviour)
    deal = np.repeat(np.arange(block.start, block.stop), seatings)
    return Outcome(
        block,
        deal,
        table.astype(np.int16),
        batch.final_scores.copy(),
        batch.final_ranks.copy(),
        batch.final_length.copy(),
        [player.conduct for player in players],
        watch.replays(seeds, table, batch),
        watch.recorder.tables(batch, deal, block.lineup, table) if watch.recorder else {},
        seconds=time.perf_counter() - begun,
    )


class _Watch:
    """Follows the games of a block: what agents do in all of them, if asked for, and the actions of the tournament's first games.

    Args:
        plan: The tournament.
        block: Which block.
        seatings: Of each deal.
    """

    def __init__(self, plan: Plan, block: Block, seatings: int):
        self._plan = plan
        # Replays are of the first line-up; those of earlier blocks come first.
        games = slice(block.start * seatings, block.stop * seatings)
        self._kept = len(range(plan.spec.replays)[games]) if block.lineup == 0 else 0
        self._actions: list[np.ndarray] = []
        self.recorder = BehaviourRecorder(plan.game) if plan.spec.behaviour else None

    def look(self, batch: Batch, actions: np.ndarray) -> None:
        """See `play`."""
        self._actions.append(actions[: self._kept].copy())
        if self.recorder is not None:
            self.recorder.read(batch)

    def replays(self, seeds: np.ndarray, table: np.ndarray, batch: Batch) -> list[tuple[int, Replay]]:
        """(row, replay) of the games that are kept."""
        found = []
        for row in range(self._kept):
            actions = [int(step[row]) for step in self._actions if step[row] != NO_ACTION]
            seats = batch.controller_names(row)
            names = [self._plan.names[agent] for agent in table[row]]
            found.append(
                (row, Replay.record(self._plan.game, int(seeds[row]), actions, controllers=seats, players=names))
            )
        return found
