"""The most surprising games of a tournament: a value estimate swings most, or an agent wins whose rating is low.

Each block keeps candidates: the games with the largest swings, and each agent's clearest win. Ratings are known only at
the end, when `most_surprising` chooses among the candidates.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from w51_env.engine.batch import Batch
from w51_env.engine.game import Game
from w51_lab.arena.recorded_games import ActionLog, RecordedGame

SWING: Literal["swing"] = "swing"
UPSET: Literal["upset"] = "upset"


@dataclass(frozen=True)
class Candidate:
    """A game that may be one of the most surprising ones.

    Attributes:
        kind: `swing` or `upset`.
        winner: Index of the agent that won, for an upset; -1 for a swing.
        size: Largest change of a value estimate, in its units; or the lead of the winner, in points.
        game: The game.
    """

    kind: Literal["swing", "upset"]
    winner: Annotated[int, Field(ge=-1)]
    size: Annotated[float, Field(allow_inf_nan=False)]
    game: RecordedGame


class SurpriseLog:
    """Watches a block, and finds its candidates.

    Args:
        game: The game with its rules bound.
        agents: The agents. One with a method `values` (`PolicyAgent.values`) estimates the values of its own seats.
        seated: (N, num_players) int64, index of the agent in each seat.
        count: Number of swings to keep.
    """

    def __init__(self, game: Game, agents: Sequence[Any], seated: np.ndarray, count: int):
        self._game = game
        self._critics = {index: agent for index, agent in enumerate(agents) if hasattr(agent, "values")}
        self._seated = seated
        self._count = count
        self._values = np.full(seated.shape, np.nan, np.float32)  # at the last decision of each seat
        self._swings = np.zeros(len(seated), np.float32)

    def read(self, batch: Batch) -> None:
        """Estimate the values of the decisions that come."""
        running = np.flatnonzero(batch.seat >= 0)
        movers = self._seated[running, batch.seat[running]]
        for index, critic in self._critics.items():
            rows = running[movers == index]
            if len(rows):
                self._note(rows, batch.seat[rows], critic.values(batch.observation[rows], batch.action_mask[rows]))

    def candidates(self, batch: Batch, log: ActionLog) -> list[Candidate]:
        """The candidates of the finished block, with the log of all its games."""
        if self._critics and self._game.options.get("reward") == "win":
            rows, seats = np.nonzero(~np.isnan(self._values))
            self._note(rows, seats, batch.rewards[rows, seats])
        largest = np.argsort(-self._swings, kind="stable")[: self._count]
        chosen = [
            Candidate(SWING, -1, float(self._swings[row]), log.game(row, batch))
            for row in largest.tolist()
            if self._swings[row] > 0
        ]
        scores = np.sort(batch.final_scores, axis=1)
        leads = scores[:, -1] - scores[:, -2]
        alone = (batch.final_ranks == 1).sum(axis=1) == 1
        winners = np.where(alone, self._seated[np.arange(len(leads)), (batch.final_ranks == 1).argmax(axis=1)], -1)
        for winner in np.unique(winners[winners >= 0]).tolist():
            row = int(np.where(winners == winner, leads, -1).argmax())
            chosen.append(Candidate(UPSET, winner, float(leads[row]), log.game(row, batch)))
        return chosen

    def _note(self, rows: np.ndarray, seats: np.ndarray, values: np.ndarray) -> None:
        """Compare the value of a seat in each of the rows with the one before."""
        changes = np.nan_to_num(np.abs(values - self._values[rows, seats]))
        np.maximum.at(self._swings, rows, changes)
        self._values[rows, seats] = values


@dataclass(frozen=True)
class Surprise:
    """One of the most surprising games.

    Attributes:
        block: Index of its block among those of the tournament.
        candidate: The game.
        reason: Why it was kept, in words.
    """

    block: int
    candidate: Candidate
    reason: str


def most_surprising(
    candidates: Sequence[Sequence[Candidate]],
    seats: Sequence[np.ndarray],
    elo: Sequence[float],
    names: Sequence[str],
    count: int,
) -> list[Surprise]:
    """The most surprising games: the largest swing, the largest upset, the second largest swing, and so on.

    An upset is a win of an agent whose rating gives it less than the equal share: the less, the larger.

    Args:
        candidates: The candidates of each block.
        seats: (G, P) index of the agent in each seat of the games of each block.
        elo: Rating of each agent.
        names: Name of each agent.
        count: Number of games.
    """
    kinds: dict[str, list[tuple[float, Surprise]]] = {SWING: [], UPSET: []}
    for block, of_block in enumerate(candidates):
        for candidate in of_block:
            if candidate.kind == SWING:
                reason = f"value swing {candidate.size:.2f}"
                kinds[SWING].append((candidate.size, Surprise(block, candidate, reason)))
                continue
            strengths = 10 ** (np.array([elo[agent] for agent in seats[block][candidate.game.row]]) / 400)
            expected = 10 ** (elo[candidate.winner] / 400) / strengths.sum()
            if expected < 1 / len(strengths):
                reason = f"upset: {names[candidate.winner]} wins, expected {expected:.0%}"
                kinds[UPSET].append((-expected, Surprise(block, candidate, reason)))
    for games in kinds.values():
        games.sort(key=lambda item: -item[0])
    chosen: dict[tuple[int, int], Surprise] = {}
    for index in range(count):
        for games in kinds.values():
            if index < len(games) and len(chosen) < count:
                surprise = games[index][1]
                chosen.setdefault((surprise.block, surprise.candidate.game.row), surprise)
    return list(chosen.values())
