"""Invariants: what holds in every state of any game, checked over all games of a batch at once."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from w51_env.compiler.compile import blocks
from w51_env.engine.batch import Batch
from w51_env.engine.errors import OptionError
from w51_env.engine.game import Game
from w51_env.engine.state_check import check_states

_AT_ONCE = 1024  # states that are checked at once


class BrokenInvariantError(AssertionError):
    """A state that no sequence of legal actions may lead to."""


@dataclass(frozen=True)
class Shown:
    """What a batch gives beside the states, of some of its games: each array as in `Batch`."""

    action_mask: np.ndarray
    seat: np.ndarray
    rewards: np.ndarray
    done: np.ndarray
    observation: np.ndarray


def assert_noticed(
    kind: Callable[[Batch], "Invariants"],
    game: Game,
    steps: int,
    choose: Callable[[Batch], np.ndarray],
    change: tuple[str, Any, Any],
    name: str,
) -> None:
    """After a change of a state the broken invariant is named, and the game.

    Args:
        kind: The invariants of the game.
        game: The game, whose first phase is one between auctions.
        steps: Number of decisions before the change.
        choose: The actions of the games of a batch.
        change: A field of a state that has held, an index into it and a number, each of the two maybe as a function of
            the state.
        name: Names of invariants, one of which is broken, as a regular expression.
    """
    batch = Batch(game, 8, seed=1, autoreset="disabled")
    batch.reset()
    for _ in range(steps):
        batch.step(choose(batch))
    while batch.games["phase"][3] != 0:
        batch.step(choose(batch))
    invariants = kind(batch)
    invariants.check()
    state = batch.games[3]
    field, index, value = (part(state) if callable(part) else part for part in change)
    if isinstance(index, tuple) and not index:  # of a single number
        state[field] = value
    else:
        state[field][index] = value
    with pytest.raises(BrokenInvariantError, match=f"^({name}).*game 3"):
        invariants.check()


class Invariants:
    """Invariants of a game, each a numpy expression over many games of a batch.

    A subclass adds methods `_check_...(games)` that yield arrays which must be true throughout. `self.shown` is what
    the batch gives beside these games.

    Args:
        batch: Made with `autoreset` `disabled` or `next_step`, so that finished games stay visible.
        most_decisions: More than any game can have: so every game ends.
        phases: Names of all phases; `over` is that of a finished game.
    """

    def __init__(self, batch: Batch, most_decisions: int, phases: Sequence[str]):
        self.batch = batch
        self.game = batch.game
        self.rules = batch.game.rules[0]
        self.players = batch.game.num_players
        self.most_decisions = most_decisions
        self.over = phases.index("over")
        self.num_phases = len(phases)
        self.shown: Shown
        self._before: np.ndarray | None = None
        self._kept: list[tuple[np.ndarray, ...]] = []
        self._checks: dict[str, Callable[[np.ndarray], Iterator[np.ndarray]]] = {
            name.removeprefix("_check_").replace("_", " "): getattr(self, name)
            for kind in reversed(type(self).__mro__)
            for name in vars(kind)
            if name.startswith("_check_")
        }

    def check(self, which: np.ndarray | None = None) -> None:
        """Check games of the batch.

        Args:
            which: Indices of the games; None: all. What must not change from state to state is compared with the last
                check of all games.

        Raises:
            BrokenInvariantError: Names the rule, the game's index and its seed.
        """
        self.keep(which)
        self.check_kept()

    def keep(self, which: np.ndarray | None = None) -> None:
        """The same, but many states are checked at once, some steps later, or by `check_kept`: several times faster."""
        batch, chosen = self.batch, slice(None) if which is None else which
        games = blocks(batch.games)[chosen].copy()
        before = games if self._before is None else self._before[chosen]
        arrays = (batch.action_mask, batch.seat, batch.rewards, batch.done, batch.observation)
        shown = [array[chosen].copy() for array in arrays]
        self._kept.append((games, before, np.arange(batch.num_games)[chosen], *shown))
        if which is None:
            self._before = games
        if sum(len(games) for games, *_ in self._kept) >= _AT_ONCE:
            self.check_kept()

    def check_kept(self) -> None:
        """Check what was kept, as `check` does."""
        if not self._kept:
            return
        games, before, numbers, *shown = (np.concatenate(arrays) for arrays in zip(*self._kept, strict=True))
        self._kept.clear()
        games, before = (states.view(self.batch.games.dtype) for states in (games, before))
        self.shown = Shown(*shown)
        for name, check in self._checks.items():
            for holds in check(games):
                self._assert_all(name, games, numbers, holds)
        for holds in self.compare(before, games):
            self._assert_all("nothing dealt changes", games, numbers, holds | _has_begun(before, games, holds.ndim))
        try:
            check_states("states", self.game, games)  # a batch can be given them
        except OptionError as error:
            raise BrokenInvariantError(f"a state of {self._options} is refused: {error}") from None

    def _assert_all(self, name: str, games: np.ndarray, numbers: np.ndarray, holds: np.ndarray) -> None:
        if not holds.all():
            index = int(np.argmin(holds.reshape(len(games), -1).all(1)))
            where = f"seed {games['stream'][index]}, after {games['decisions'][index]} decisions"
            raise BrokenInvariantError(f"{name}: game {numbers[index]} of {self._options}, {where}")

    @property
    def _options(self) -> dict[str, object]:
        """The options of the game for messages: of a whole relic file the first line."""
        values = self.game.options.items()
        return {name: value.partition("\n")[0] if isinstance(value, str) else value for name, value in values}

    def compare(self, before: np.ndarray, games: np.ndarray) -> Iterator[np.ndarray]:
        """A later state of the same games with an earlier one; what it yields must be true where no game began anew."""
        yield from ()

    def seat_columns(self, games: np.ndarray, field: str) -> tuple[np.ndarray, np.ndarray]:
        """A per-seat field: of the seats in play, and of the others."""
        return games[field][:, : self.players], games[field][:, self.players :]

    # ---- one rule each; every array yielded must be true throughout

    def _check_who_moves_can_move(self, games: np.ndarray) -> Iterator[np.ndarray]:  # T9
        over = games["over"] == 1
        least = 1 if self.rules["ask_forced"] else 2
        legal = self.shown.action_mask.sum(1)
        yield np.where(over, legal == 0, legal >= least)
        yield self.shown.action_mask <= 1
        seat = games["seat"]
        yield self.shown.seat == np.where(over, -1, seat)
        yield over | ((seat >= 0) & (seat < self.players))
        yield over == (games["phase"] == self.over)
        yield (games["phase"] >= 0) & (games["phase"] < self.num_phases)
        yield games["decisions"] <= self.most_decisions

    def _check_scores_and_ranks_agree(self, games: np.ndarray) -> Iterator[np.ndarray]:  # G5, A5
        over = (games["over"] == 1)[:, None]
        scores, nobodys_scores = self.seat_columns(games, "scores")
        ranks, nobodys_ranks = self.seat_columns(games, "ranks")
        yield nobodys_scores == 0
        yield nobodys_ranks == 0
        yield over | ((scores == 0) & (ranks == 0))
        better = (ranks[:, :, None] > ranks[:, None, :]).sum(2)
        yield ~over | (ranks == better + 1)
        yield ~over[:, :, None] | ~(
            (scores[:, :, None] > scores[:, None, :]) & (ranks[:, :, None] >= ranks[:, None, :])
        )

    def _check_rewards_sum_to_zero(self, games: np.ndarray) -> Iterator[np.ndarray]:
        rewards, done = self.shown.rewards, self.shown.done
        low, high = self.game.reward_range
        yield np.abs(rewards.sum(1, dtype=np.float64)) < 1e-3
        yield done[:, None] | (rewards == 0)
        yield (rewards >= low) & (rewards <= high)
        yield ~done | (games["over"] == 1)

    def _check_observations_are_in_range(self, games: np.ndarray) -> Iterator[np.ndarray]:
        layout = self.game.layout
        yield (self.shown.observation >= layout.low) & (self.shown.observation <= layout.high)


def _has_begun(before: np.ndarray, games: np.ndarray, dimensions: int) -> np.ndarray:
    other: np.ndarray = before["stream"] != games["stream"]
    return other.reshape(-1, *(1,) * (dimensions - 1))
