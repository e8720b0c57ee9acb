"""Decisions that are searched, in games of one response among copies of a network: what each action is worth there."""

import os
import zlib
from collections.abc import Iterator
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from w51_agents.named.registry import make_agent
from w51_agents.search.agent_playouts import agent_playouts
from w51_agents.search.imputation import BidImputation
from w51_agents.search.playouts import LeafBatch, Outcomes
from w51_agents.search.priors import MOST_CANDIDATES, Likeliest
from w51_agents.search.search_settings import SearchSettings
from w51_agents.search.search_state import SearchState
from w51_env import make_game
from w51_env.engine.batch import Batch
from w51_env.engine.game import NO_ACTION, Game
from w51_env.engine.victory import wins_of

AT_ONCE = 32  #  games that a process plays together
HELD_OUT = 5  #  parts of the decisions, of which one is not fitted to
ALL_LOTS = 100  #  no game has more
LOTS_TOGETHER = 4


class Searched(NamedTuple):
    """Decisions that were searched: one row for each; candidates beyond the last one are -1, with utility 0.

    Attributes:
        observations, masks: (N, size) int8; (N, actions) int8.
        candidates: (N, MOST_CANDIDATES) int64, the actions, the likeliest first.
        utilities: (N, 2, MOST_CANDIDATES) float32, their mean utilities in each half of the determinizations.
        wins: (games,) float64, what the response won.
    """

    observations: np.ndarray
    masks: np.ndarray
    candidates: np.ndarray
    utilities: np.ndarray
    wins: np.ndarray


class Asked(NamedTuple):
    """Which decisions are searched, and how long.

    Attributes:
        playouts: Of each decision, in all.
        share: Of the network's own decisions that are searched, beside all of the response.
        lots: Only those after which at most so many lots are to come.
    """

    playouts: int
    share: float = 0.05
    lots: int = ALL_LOTS


def searched(agent: str, players: int, batches: int, asked: Asked, path: Path) -> Searched:
    """The searched decisions of some batches of games, by a process for each core; from a file, once it is there."""
    if not path.exists():
        seed = zlib.crc32(path.stem.encode())
        with get_context("spawn").Pool(min(batches, len(os.sched_getaffinity(0)))) as pool:
            parts = pool.map(partial(_play, agent, players, asked), range(seed, seed + batches), chunksize=1)
        joined = Searched._make(map(np.concatenate, zip(*parts, strict=True)))
        np.savez_compressed(path, **joined._asdict())
    with np.load(path) as arrays:
        return Searched(**arrays)


def explained(inputs: np.ndarray, halves: np.ndarray, ridge: float) -> float:
    """What inputs explain of the variance of a worth without its noise: by least squares, in decisions not fitted to.

    Args:
        inputs: (N, width), a row for each decision, in the order of the games.
        halves: (N, 2) the worth, estimated twice, with noise of its own.
        ridge: Of the least squares, with inputs of deviation 1.
    """
    inputs, worth = np.c_[(inputs - inputs.mean(0)) / (inputs.std(0) + 1e-6), np.ones(len(inputs))], halves.mean(1)
    errors, part = np.empty(len(worth)), np.arange(len(worth)) * HELD_OUT // len(worth)
    for held_out in range(HELD_OUT):
        fitted = inputs[part != held_out]
        products = fitted.T @ fitted + ridge * np.eye(inputs.shape[1])
        weights = np.linalg.solve(products, fitted.T @ worth[part != held_out])
        errors[part == held_out] = (worth - inputs @ weights)[part == held_out]
    return float(worth.var() - (errors**2).mean()) / float(np.cov(halves, rowvar=False)[0, 1])


def lots_left(game: Game, observations: np.ndarray) -> np.ndarray:
    """(N,) how many lots begin after that on the table."""
    left: np.ndarray = observations[:, game.layout[game.lots_left].slice].sum(1)
    return left


def best_of_other_half(halves: np.ndarray, is_one: np.ndarray) -> np.ndarray:
    """(N, 2) the worth in each half of the determinizations of the action that is best in the other one.

    Args:
        halves: (N, 2, K) the worth of actions in both halves.
        is_one: (N, K) whether it is an action that may be chosen.
    """
    best = np.where(is_one[:, None], halves, -np.inf).argmax(2)[:, ::-1, None]
    found: np.ndarray = np.take_along_axis(halves, best, 2)[:, :, 0]
    return found


def spread(halves: np.ndarray) -> float:
    """The standard deviation of a worth (N, 2), estimated twice, without its noise, which each half has of its own."""
    return max(0.0, float(np.cov(halves, rowvar=False)[0, 1])) ** 0.5


def by_lots(game: Game, found: Searched) -> list[list[float]]:
    """Of decisions with as many lots to come, `LOTS_TOGETHER` numbers together: the least number, how many these
    decisions are, what a search gains in them over the likeliest action, chosen in one half of the determinizations and
    measured in the other, its standard error, and the standard deviation, without noise, of how much more the second
    likeliest action is worth.
    """
    halves, left = found.utilities, lots_left(game, found.observations) // LOTS_TOGETHER
    gains = (best_of_other_half(halves, found.candidates >= 0) - halves[:, :, 0]).mean(1)
    rows = []
    for number in np.unique(left).tolist():
        of, second = gains[left == number], (halves[:, :, 1] - halves[:, :, 0])[left == number]
        error = float(of.std() / len(of) ** 0.5)
        rows.append([number * LOTS_TOGETHER, len(of), float(of.mean()), error, spread(second)])
    return rows


def _play(agent: str, players: int, asked: Asked, seed: int) -> Searched:
    return Search(agent, make_game("warehouse51_v1", num_players=players), asked).play(seed)


class Search:
    """Plays games of a response among copies of an agent. Its decisions are searched, and some of the copies'.

    Args:
        agent: The agent, whose actions are drawn.
        game: The game.
        asked: Which decisions are searched; before the first of them nobody is a response.
    """

    def __init__(self, agent: str, game: Game, asked: Asked):
        import torch

        torch.set_num_threads(1)
        self._game, self._asked = game, asked
        self._settings = SearchSettings(playouts=asked.playouts)
        made = make_agent(agent, self._game)
        self._player, self._leaves = agent_playouts(self._game, made)
        self._candidates, self._imputation = Likeliest(self._game, made), BidImputation(self._game, self._player)

    def play(self, seed: int) -> Searched:
        """A batch of games."""
        batch, generator = Batch(self._game, AT_ONCE, seed=seed, autoreset="disabled"), np.random.default_rng(seed)
        batch.reset()
        responders = np.arange(AT_ONCE) % self._game.num_players
        rows = list(self._decisions(batch, responders, generator))
        wins = wins_of(batch.final_ranks)[np.arange(AT_ONCE), responders]
        return Searched._make([*map(np.stack, zip(*rows, strict=True)), wins])

    def _decisions(self, batch: Batch, responders: np.ndarray, generator: Any) -> Iterator[tuple[Any, ...]]:
        while len(running := np.flatnonzero(batch.seat >= 0)):
            bits = generator.integers(2**63, size=len(running)).astype(np.uint64)
            actions = np.full(AT_ONCE, NO_ACTION, np.int64)
            observations, masks = batch.observation[running], batch.action_mask[running]
            actions[running] = self._player.choose(observations, masks, bits)
            responds = batch.seat[running] == responders[running]
            some = responds | (generator.random(len(running)) < self._asked.share)
            asked = (masks.sum(1) > 1) & some & (lots_left(self._game, observations) <= self._asked.lots)
            proposed = self._candidates.candidates(observations[asked], masks[asked]) if asked.any() else []
            pairs = zip(running[asked], proposed, strict=True)
            some = [(int(game), candidates) for game, candidates in pairs if len(candidates) > 1]
            for (game, candidates), halves in zip(some, self._utilities(batch, some, generator), strict=True):
                padded, worth = np.full(MOST_CANDIDATES, -1), np.zeros((2, MOST_CANDIDATES), np.float32)
                padded[: len(candidates)], worth[:, : len(candidates)] = candidates, halves
                if batch.seat[game] == responders[game]:
                    actions[game] = candidates[halves.sum(0).argmax()]
                yield batch.observation[game].copy(), batch.action_mask[game].copy(), padded, worth
            batch.step(actions)

    def _utilities(self, batch: Batch, some: list[tuple[int, np.ndarray]], generator: Any) -> Iterator[np.ndarray]:
        """(2, K) the mean utilities of the candidates of some games, in each half of the game's determinizations."""
        if not some:
            return
        states, leaves = [], []
        for game, candidates in some:
            seed = int(generator.integers(2**63))
            state = SearchState(batch.determinizer(game), candidates, self._settings, self._imputation, seed)
            worlds = state.draw(count := 2 * max(1, self._asked.playouts // (2 * len(candidates))))
            states.append(state)
            leaves.append(LeafBatch(np.repeat(worlds, len(candidates)), np.tile(candidates, count)))
        outcomes, start = self._leaves.play(LeafBatch(*map(np.concatenate, zip(*leaves, strict=True)))), 0
        for state, part in zip(states, leaves, strict=True):
            stop = start + len(part.states)
            worth = state.utilities(Outcomes(*(values[start:stop] for values in outcomes)))[:, state.seat]
            yield worth.reshape(2, -1, len(state.candidates)).mean(1)
            start = stop
