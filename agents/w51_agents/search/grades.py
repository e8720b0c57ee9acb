"""Grades of decisions: what each action was worth to the seat that decided, by playouts from what this seat knew."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from w51_agents.search.playouts import LeafBatch, Playouts
from w51_env.compiler.compile import repeated
from w51_env.engine.determinization import Determinizer
from w51_env.engine.game import Game
from w51_env.engine.victory import wins_of

FIRST, MORE = 32, 160  # determinizations in which the actions are played, then the best ones and the chosen one
_TRIED, _CONTENDERS = 12, 3  # actions at first, of many that differ by a number, and after that


@dataclass(frozen=True)
class Grade:
    """How one decision was made.

    Attributes:
        chances: (num_players,) the share of playouts that each seat won after the chosen action, 0 to 1; a shared win
            counts as its part.
        best: Action id of the action with the greatest share for the seat that decided.
        cost: Share by which `best` led the chosen action, 0 or more; 0 if the chosen action was best.
        error: Standard error of `cost`, of pairs of playouts from the same determinization.
        playouts: Number of playouts that began with the chosen action.
    """

    chances: tuple[float, ...]
    best: int
    cost: float
    error: float
    playouts: int


class Grader:
    """Grades decisions. The best bot plays all seats after the action, so a grade is worth what this bot is."""

    def __init__(self, game: Game):
        self._playouts = Playouts(game, game.bots[-1])

    def chances(self, determinizer: Determinizer, chosen: int, seed: int) -> tuple[float, ...]:
        """The share of the win that each seat gets after an action, with the arguments of `grade`."""
        return tuple(self._play(determinizer.draw(MORE, seed), [chosen])[:, 0].mean(axis=0).tolist())

    def grade(self, determinizer: Determinizer, actions: Sequence[int], chosen: int, seed: int) -> Grade:
        """The grade of a decision.

        Args:
            determinizer: Of the seat that decided.
            actions: Its legal actions.
            chosen: The action that it chose, one of `actions`.
            seed: Seed of the determinizations; the same seed gives the same grade.
        """
        if len(actions) == 1:
            return Grade(self.chances(determinizer, chosen, seed), chosen, 0.0, 0.0, MORE)
        spread = np.linspace(0, len(actions) - 1, min(_TRIED, len(actions))).round().astype(int)  # the ends among them
        actions = sorted({chosen, *(sorted(actions)[index] for index in spread)})
        seat, at = determinizer.seat, actions.index(chosen)
        first = self._play(determinizer.draw(FIRST, seed), actions)
        order = np.argsort(-first[:, :, seat].mean(axis=0), kind="stable")[:_CONTENDERS]
        contenders = sorted({at, *order.tolist()})
        more = self._play(determinizer.draw(MORE, seed + 1), [actions[index] for index in contenders])
        wins = np.concatenate([first[:, contenders], more])
        seat_wins = wins[:, :, seat]
        position = contenders.index(at)
        means = seat_wins.mean(axis=0)
        best = position if means[position] == means.max() else int(means.argmax())
        leads = seat_wins[:, best] - seat_wins[:, position]
        return Grade(
            tuple(wins[:, position].mean(axis=0).tolist()),
            actions[contenders[best]],
            float(leads.mean()),
            float(leads.std(ddof=1) / len(leads) ** 0.5),
            len(leads),
        )

    def _play(self, states: np.ndarray, actions: Sequence[int]) -> np.ndarray:
        """(D, K, num_players) the share of the win of each seat, in each state after each action."""
        leaves = LeafBatch(repeated(states, len(actions)), np.tile(np.array(actions, np.int64), len(states)))
        wins = wins_of(self._playouts.play(leaves).ranks)
        return wins.reshape(len(states), len(actions), -1)
