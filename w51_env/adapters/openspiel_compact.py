"""Compact tables of actions and observations for `w51_env.adapters.openspiel`, without what a small game never uses.

The tables of a game are those of its largest form. A mini game uses few of their entries; a network has an input and an
output for each. What is used is found in games that are drawn, half of them at random, half with high bids. All that is
left out is checked at each use, so a game that needs it ends with an error.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from w51_env.engine.batch import Batch
from w51_env.engine.errors import OptionError
from w51_env.engine.game import ActionTable, Game
from w51_env.engine.registry import make_game

COMPACT = ("auto", "yes", "no")
PRESETS = ("nano", "mini")  # for which `auto` is `yes`
_GAMES, _SEEDS = 2048, 2  # games that are drawn at once, and how often
_HIGH = 0.5  # part of the decisions of the second half that take the last legal action


@dataclass(frozen=True)
class CompactTables:
    """Which actions and positions of the observation a game uses.

    Attributes:
        actions: Ids of the game's actions, ascending; the index is the compact id.
        table: These actions by their compact ids.
        positions: (P,) int64, positions of the observation that vary.
        constant: (layout.size,) int8, the value of each other position in all observations.
        rows: Most events and own actions that a seat can have seen in a game that was drawn.
    """

    actions: tuple[int, ...]
    table: ActionTable
    positions: np.ndarray
    constant: np.ndarray
    rows: int

    @cached_property
    def _ids(self) -> dict[int, int]:
        return {action: number for number, action in enumerate(self.actions)}

    def id_of(self, game: Game, action: int) -> int:
        """The compact id of an action; OptionError if it has none."""
        try:
            return self._ids[action]
        except KeyError:
            raise OptionError(
                f"compact: action {action} ({game.actions[action].name}) is legal, but was not in {_GAMES * _SEEDS:,} "
                "drawn games; make the game with compact=False"
            ) from None

    def check(self, game: Game, observation: np.ndarray) -> None:
        """OptionError if an observation has another value where it is taken to be constant."""
        other = np.flatnonzero((observation != self.constant) & self._is_constant)
        if other.size:
            name = next(name for name, part in game.layout.items() if part.start <= other[0] < part.stop)
            raise OptionError(
                f"compact: the observation has {observation[other[0]]} in {name!r} at {other[0]}, but "
                f"{self.constant[other[0]]} in all of {_GAMES * _SEEDS:,} drawn games; make the game with compact=False"
            )

    @cached_property
    def _is_constant(self) -> np.ndarray:
        constant = np.ones(len(self.constant), bool)
        constant[self.positions] = False
        return constant


def compact_tables(game: Game) -> CompactTables:
    """The tables of a game; the same for equal options."""
    return _tables(game.id, tuple(sorted(game.options.items())))


@lru_cache(maxsize=64)
def _tables(game_id: str, options: tuple[tuple[str, Any], ...]) -> CompactTables:
    game = make_game(game_id, **dict(options))
    used = np.zeros(len(game.actions), bool)
    low, high = np.full(game.layout.size, 127, np.int8), np.full(game.layout.size, -128, np.int8)
    batch = Batch(game, _GAMES, autoreset="disabled", keep_final=False, events=True)
    most = 0
    for seed in range(_SEEDS):
        generator = np.random.default_rng(seed)
        batch.reset(seed=seed)
        rows = np.zeros(_GAMES, np.int64)
        while True:
            rows += np.bincount(batch.event_rows()[:, 0], minlength=_GAMES) + 1  # and the decision
            for seat in range(game.num_players):
                seen = batch.observe(seat)
                low, high = np.minimum(low, seen.min(axis=0)), np.maximum(high, seen.max(axis=0))
            if not (batch.seat >= 0).any():
                break
            used |= batch.action_mask.any(axis=0)
            actions = batch.sample_actions()
            last = len(used) - 1 - batch.action_mask[:, ::-1].argmax(axis=1)
            is_high = (np.arange(_GAMES) % 2 == 1) & (generator.random(_GAMES) < _HIGH) & (batch.seat >= 0)
            batch.step(np.where(is_high, last, actions))
        most = max(most, int(rows.max()))
    kept = tuple(np.flatnonzero(used).tolist())
    table = ActionTable([game.actions[action] for action in kept])
    return CompactTables(kept, table, np.flatnonzero(high > low), low, most)
