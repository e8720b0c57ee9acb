"""Decisions of a network's games with itself that are searched: what each likely action is worth, for learning from."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from w51_agents.search.imputation import BidImputation
from w51_agents.search.players import make_playouts
from w51_agents.search.playouts import LeafBatch, Outcomes
from w51_agents.search.priors import make_prior
from w51_agents.search.search_settings import SearchSettings
from w51_agents.search.search_state import SearchState
from w51_env.engine.batch import Batch
from w51_env.engine.game import Game

CANDIDATES = 12
AT_ONCE, SHARE = 256, 0.05  #  games of a round; part of the decisions that are searched


class Searched(NamedTuple):
    """Decisions that were searched: one row for each; candidates beyond the last one are -1, with utility 0.

    Attributes:
        observations, masks: (N, size) int8; (N, actions) int8.
        candidates: (N, CANDIDATES) int64, the actions.
        utilities: (N, CANDIDATES) float32, their mean utilities less the mean of all candidates.
    """

    observations: np.ndarray
    masks: np.ndarray
    candidates: np.ndarray
    utilities: np.ndarray


def searched(game: Game, agent: str, rounds: int, playouts: int, seed: int, runs: Path) -> list[Searched]:
    """The searched decisions of each round of games, in files; a round that has one is not played again."""
    rounds_of_decisions = []
    for number in range(rounds):
        path = runs / f"{playouts}-{seed}-{number}.npz"
        if not path.exists():
            np.savez_compressed(path, **Search(game, agent, playouts).play(seed * 1000 + number)._asdict())
        with np.load(path) as arrays:
            rounds_of_decisions.append(Searched(**arrays))
    return rounds_of_decisions


def joined(parts: list[Searched]) -> Searched:
    """All rows of several."""
    return Searched(*(np.concatenate(column) for column in zip(*parts, strict=True)))


class Search:
    """Plays games of a network with itself, and searches some of the decisions."""

    def __init__(self, game: Game, agent: str, playouts: int):
        self._game, self._playouts = game, playouts
        self._settings = SearchSettings(playouts=playouts, playout_bot=agent)
        self._player, self._leaves = make_playouts(game, agent)
        self._prior, self._imputation = make_prior(game, agent, agent), BidImputation(game, self._player)

    def play(self, seed: int) -> Searched:
        """A round of games."""
        return Searched(*(np.stack(column) for column in zip(*self._play(seed), strict=True)))

    def _play(self, seed: int) -> Iterator[tuple[Any, ...]]:
        batch, generator = Batch(self._game, AT_ONCE, seed=seed, autoreset="disabled"), np.random.default_rng(seed)
        batch.reset()
        while (batch.seat >= 0).any():
            bits = generator.integers(2**63, size=AT_ONCE).astype(np.uint64)
            actions = self._player.choose(batch.observation, batch.action_mask, bits)
            chosen = np.flatnonzero((generator.random(AT_ONCE) < SHARE) & (batch.action_mask.sum(1) > 1))
            proposed = self._prior.candidates(batch.observation[chosen], batch.action_mask[chosen])
            some = [
                (game, candidates) for game, candidates in zip(chosen, proposed, strict=True) if len(candidates) > 1
            ]
            for (game, candidates), utilities in zip(some, self._utilities(batch, some, generator), strict=True):
                padded, worth = np.full(CANDIDATES, -1), np.zeros(CANDIDATES, np.float32)
                padded[: len(candidates)], worth[: len(candidates)] = candidates, utilities - utilities.mean()
                actions[game] = candidates[utilities.argmax()]
                yield batch.observation[game].copy(), batch.action_mask[game].copy(), padded, worth
            batch.step(actions)

    def _utilities(self, batch: Batch, some: list[tuple[Any, np.ndarray]], generator: Any) -> Iterator[np.ndarray]:
        """The mean utility of each candidate of some games, each in the same determinizations of its game."""
        if not some:
            return
        states, leaves = [], []
        for game, candidates in some:
            seed = int(generator.integers(2**63))
            state = SearchState(batch.determinizer(int(game)), candidates, self._settings, self._imputation, seed)
            worlds = state.draw(count := max(1, self._playouts // len(candidates)))
            states.append((state, count))
            leaves.append(LeafBatch(np.repeat(worlds, len(candidates)), np.tile(candidates, count)))
        outcomes, start = self._leaves.play(LeafBatch(*map(np.concatenate, zip(*leaves, strict=True)))), 0
        for (state, count), part in zip(states, leaves, strict=True):
            stop = start + len(part.states)
            of_game = Outcomes(*(values[start:stop] for values in outcomes))
            worth = state.utilities(of_game)[:, state.seat]
            yield worth.reshape(count, -1).mean(0)
            start = stop
