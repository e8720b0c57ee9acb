"""Records what agents do in a match: fed after each call of a batch, it gives tables at the end."""

from importlib import import_module
from typing import Any

import numpy as np

from agents.agent import AgentError
from arena.behaviour.columns import NONE, SEATS, Layout, Table, Tables, complete, events_layout
from arena.behaviour.rows import Rows
from w51_env.core.batch import Batch
from w51_env.core.game import Game
from w51_env.core.victory import wins_of

# Games with tables of their own. Such a module has
#   BEGINS_LOT: the kind of event that begins a lot; MONEY: what money is counted in; POINT_PRICE: how much of it is set against a point;
#   layouts(game) -> {table: Layout};
#   tables(game, rows, states) -> Tables, without keys and agents; states: (N,) structured, the games when they are over;
#   summarise(tables, own) -> what `summary` tells beside what it makes of the tables that all have: lots, money, points.
_OWN_TABLES = {
    "warehouse51": "arena.behaviour.warehouse51",
    "alles_futsch": "arena.behaviour.alles_futsch",
}


def own_tables(game: Game) -> Any:
    """The module with the tables of this game; None if it has the events alone."""
    return import_module(_OWN_TABLES[game.name]) if game.name in _OWN_TABLES else None


def layouts(game: Game, events: bool = False) -> dict[str, Layout]:
    """The tables that a recorder gives for this game, with the events if asked for; a game without tables of its own always has them."""
    own = own_tables(game)
    found = {"seats": SEATS, **(own.layouts(game) if own else {})}
    if events or own is None:
        found["events"] = events_layout([kind.name for kind in game.event_kinds])
    return found


class Recorder:
    """Follows all games of a batch from their beginning to their end.

    Args:
        game: The game with its rules bound.
        events: Keep the events, too, as a table; a game that this package has no tables for always keeps them.

    Example:
        >>> batch = Batch(game, 100, controllers=["heuristic"] * 4, autoreset="disabled", events=True)
        >>> recorder = Recorder(game)
        >>> batch.reset(seed=1)
        >>> recorder.read(batch)
        >>> tables = recorder.tables(batch, np.arange(100), 0, np.zeros((100, 4), int))
    """

    def __init__(self, game: Game, events: bool = False):
        self.game = game
        self._layouts = layouts(game, events)
        self._parts: list[np.ndarray] = []

    def read(self, batch: Batch) -> None:
        """Take in what happened in the last call; to be called after `reset` and after each `step`.

        Raises:
            OptionError: The batch keeps no log.
            RuntimeError: Its log was too small.
        """
        self._parts.append(batch.event_rows())

    def tables(self, batch: Batch, deals: np.ndarray, lineups: np.ndarray | int, agents: np.ndarray) -> Tables:
        """What was seen, once all games are over.

        Args:
            batch: The batch that was read, with autoreset `disabled`: its games are those that were followed.
            deals: (N,) integers, the deal of each game.
            lineups: (N,) integers, or one for all: its line-up.
            agents: (N, num_players) integers, who sat in each seat.

        Returns:
            The tables of `layouts(game)`, each a dict of columns.

        Raises:
            AgentError: A game is not over, or may have begun anew.
        """
        if batch.autoreset != "disabled" or (batch.seat >= 0).any():
            raise AgentError(
                f"behaviour: {int((batch.seat >= 0).sum())} games are not over, autoreset {batch.autoreset!r}; all games must be, and stay so"
            )
        own = own_tables(self.game)
        rows = Rows(self._parts, batch.num_games, own.BEGINS_LOT if own else None)
        found: Tables = {"seats": _seats(batch), "events": _events(rows)}
        if own:
            found.update(own.tables(self.game, rows, batch.games))
        keys = {"deal": np.asarray(deals), "lineup": np.broadcast_to(np.asarray(lineups), batch.num_games)}
        return {name: complete(layout, found[name], keys, np.asarray(agents)) for name, layout in self._layouts.items()}


def _seats(batch: Batch) -> Table:
    num_games, players = batch.final_scores.shape
    return {
        "game": np.repeat(np.arange(num_games), players),
        "seat": np.tile(np.arange(players), num_games),
        "score": batch.final_scores.reshape(-1),
        "rank": batch.final_ranks.reshape(-1),
        "wins": wins_of(batch.final_ranks).reshape(-1),
        "decisions": np.repeat(batch.final_length, players),
    }


def _events(rows: Rows) -> Table:
    table = {name: getattr(rows, name) for name in ("game", "kind", "a", "b", "c", "forced")}
    return {**table, "seat": np.where(rows.seat >= 0, rows.seat, NONE)}
