"""One block of a tournament: the unit that a worker plays and that is stored."""

import time
from dataclasses import dataclass, field

import numpy as np

from w51_env.engine.batch import Batch
from w51_lab.arena.agent_statistics import AgentStatistics
from w51_lab.arena.match_loop import play
from w51_lab.arena.plan import Block, Plan
from w51_lab.arena.players import MatchPlayer, seated_players
from w51_lab.arena.recorded_games import ActionLog, RecordedGame
from w51_lab.arena.supervisor import AgentSupervisor
from w51_lab.arena.surprise import Candidate, SurpriseLog
from w51_lab.behaviour import BehaviourRecorder, Part


@dataclass(frozen=True)
class BlockResult:
    """The games of a block, one row each, ordered by deal and seating.

    Attributes:
        block: The block.
        deals: (G,) int64, index of the deal.
        seats: (G, P) int16, index of the agent in each seat.
        scores, ranks: (G, P) int16, int8, final totals and ranks from 1.
        lengths: (G,) uint16, number of decisions.
        statistics: Calls and failures of each agent of the tournament in this block.
        replays: The games whose replays were asked for.
        behaviour: Tables of what the agents did, by name; empty if not asked for. Those of a stored block are read when
            they are asked for.
        seconds: Wall time of the block.
        candidates: Games that may be among the most surprising ones; empty if not asked for.
    """

    block: Block
    deals: np.ndarray
    seats: np.ndarray
    scores: np.ndarray
    ranks: np.ndarray
    lengths: np.ndarray
    statistics: list[AgentStatistics]
    replays: list[RecordedGame]
    behaviour: Part
    seconds: float
    candidates: list[Candidate] = field(default_factory=list)


def play_block(plan: Plan, block: Block, threads: int = 1) -> BlockResult:
    """Play the games of one block.

    Args:
        plan: The tournament. Its agents are reset.
        block: A block of this plan.
        threads: Threads of the engine; the result is the same for any number.
    """
    begun = time.perf_counter()
    by_deal = plan.seated(block)
    _, seatings, num_players = by_deal.shape
    seated = by_deal.reshape(-1, num_players)
    seeds = np.repeat(plan.deals.seeds[block.start : block.stop], seatings)
    players, seats = seated_players(plan.spec.agents, plan.agents, plan.game, seated)
    try:
        supervisors = [_supervisor(plan, block, player, len(seated)) for player in players]
        log = _StepLog(plan, block, seated, seeds)
        batch = play(
            plan.game, supervisors, seats, seeds, on_step=log.read, threads=threads, events=plan.spec.behaviour
        )
    finally:
        for player in players:
            player.end()
    statistics = [AgentStatistics() for _ in plan.names]
    for player, supervisor in zip(players, supervisors, strict=True):
        statistics[player.index].add(supervisor.statistics)
    deals = np.repeat(np.arange(block.start, block.stop), seatings)
    return BlockResult(
        block,
        deals,
        seated.astype(np.int16),
        batch.final_scores.copy(),
        batch.final_ranks.copy(),
        batch.final_length.copy(),
        statistics,
        log.replays(batch),
        log.recorder.tables(batch, deals, block.lineup, seated) if log.recorder else {},
        time.perf_counter() - begun,
        log.candidates(batch),
    )


def _supervisor(plan: Plan, block: Block, player: MatchPlayer, games: int) -> AgentSupervisor:
    seed = plan.agent_seed(block, player.index, player.copy)
    return AgentSupervisor(plan.names[player.index], player.agent, plan.game, games, plan.spec.time_limit, seed)


class _StepLog:
    """What is recorded while a block is played: actions of the games with replays, and behaviour if asked for.

    Args:
        plan: The tournament.
        block: The block.
        seated: (N, num_players) int64, index of the agent in each seat.
        seeds: (N,) uint64, seed of each game.
    """

    def __init__(self, plan: Plan, block: Block, seated: np.ndarray, seeds: np.ndarray):
        # Replays are of the first line-up.
        by_deal = np.arange(block.stop * plan.num_seatings(block.lineup)).reshape(block.stop, -1)
        games = by_deal[block.start :, plan.seatings_of(block)]
        self._num_replays = int((games < plan.spec.replays).sum()) if block.lineup == 0 else 0
        wanted = plan.spec.surprising
        self._actions = ActionLog(seeds if wanted else seeds[: self._num_replays])
        self.recorder = BehaviourRecorder(plan.game) if plan.spec.behaviour else None
        self._surprises = SurpriseLog(plan.game, plan.agents, seated, wanted) if wanted else None

    def read(self, batch: Batch, actions: np.ndarray) -> None:
        """Record the (N,) int64 actions of a step and its events."""
        self._actions.read(actions)
        if self.recorder is not None:
            self.recorder.read(batch)
        if self._surprises is not None:
            self._surprises.read(batch)

    def replays(self, batch: Batch) -> list[RecordedGame]:
        """The games whose replays were asked for."""
        return [self._actions.game(row, batch) for row in range(self._num_replays)]

    def candidates(self, batch: Batch) -> list[Candidate]:
        """The games that may be among the most surprising ones; empty if not asked for."""
        return self._surprises.candidates(batch, self._actions) if self._surprises is not None else []
