"""The course of a game: the chance of each seat to win after each decision, everything known."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from w51_agents.search.agent_playouts import PopulationPlayouts
from w51_agents.search.playouts import LeafBatch, Playouts
from w51_env.compiler.compile import repeated
from w51_env.engine.batch import Batch
from w51_env.engine.game import Game
from w51_env.engine.victory import wins_of

COURSE = 128  #     games that are played to the end from each step of a game
_ALWAYS, _HALF, _NEVER = 4, 2, 0  # quarters of the games of a course in which the bot has a seat
_AT_ONCE = 16  #    steps of a course whose games are played together


class Course:
    """Plays games to the end from each decision of a game.

    Args:
        game: The game with its rules bound.
        playouts: Who plays.
        network: Name of the network in them; None: the bot has all seats.
    """

    def __init__(self, game: Game, playouts: Playouts, network: str | None):
        self._game, self._playouts, self._network = game, playouts, network

    def chances(self, states: np.ndarray, actions: Sequence[int], seats: Sequence[str | None] = ()) -> np.ndarray:
        """(N, num_players) floats: the chance of each seat to win after each decision.

        The same random numbers are used at all decisions. So chances change where somebody chose what those who play
        to the end would not have chosen, and nowhere else.

        Args:
            states: (N,) structured, the states in which the decisions were made.
            actions: The action that was chosen in each.
            seats: Name of the agent in each seat, None where it is not known. The bot or the network that sits there
                plays on; empty: nobody is known.
        """
        with self._seated(seats):
            return self._chances(states, actions)

    def _chances(self, states: np.ndarray, actions: Sequence[int]) -> np.ndarray:
        players, chosen = self._game.num_players, np.asarray(actions, np.int64)
        streams = np.random.default_rng(0).integers(2**63, size=COURSE).astype(np.uint64)
        goes_on = np.concatenate([[False], self._deals_nothing(states, chosen)])
        wins = np.empty((len(states), COURSE, players))
        for start in range(0, len(states), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            begun, first = repeated(states[part], COURSE), np.repeat(chosen[part], COURSE)
            begun["stream"] = np.tile(streams, len(states[part]))
            # Where the choice is the one of the game before, that game goes on: its result is known.
            is_new = (self._playouts.choices(begun) != first) | ~np.repeat(goes_on[part], COURSE)
            played = np.empty((len(first), players))
            played[is_new] = wins_of(self._playouts.play(LeafBatch(begun[is_new], first[is_new])).ranks)
            for at, anew in enumerate(is_new.reshape(-1, COURSE, 1)):
                of_step = played[at * COURSE : (at + 1) * COURSE]
                wins[start + at] = np.where(anew, of_step, wins[start + at - 1])
        return wins.mean(axis=1)

    @contextmanager
    def _seated(self, seats: Sequence[str | None]) -> Iterator[None]:
        """Those who are known to sit at the table play on there."""
        if not isinstance(self._playouts, PopulationPlayouts):
            yield
            return
        quarters = self._playouts.population.bot_quarters
        known = {self._game.bots[-1]: _ALWAYS, self._network: _NEVER, None: _HALF}
        quarters[: len(seats)] = [known.get(name, _HALF) for name in seats]
        try:
            yield
        finally:
            quarters[:] = _HALF

    def _deals_nothing(self, states: np.ndarray, actions: np.ndarray) -> np.ndarray:
        """(N - 1,) bool: whether the state after each decision is the same with another random stream."""
        batch = Batch(self._game, len(states) - 1, seed=0, autoreset="disabled", observe=False, keep_final=False)
        dealt = states[:-1].copy()
        dealt["stream"] += np.uint64(1)
        batch.load(dealt)
        batch.step(actions[:-1])
        after = batch.clone()
        after["stream"] = states["stream"][1:]
        return np.array(after == states[1:])
