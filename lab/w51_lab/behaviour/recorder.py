"""Recording what agents do in a match: read after each call of a batch, it gives the behaviour tables at the end."""

import numpy as np

from w51_agents.agent.interface import AgentError
from w51_env.engine.batch import Batch
from w51_env.engine.game import Game
from w51_env.engine.victory import wins_of
from w51_lab.behaviour.contract import (
    MISSING,
    SEAT,
    Column,
    EventColumns,
    Table,
    Tables,
    TableSchema,
    behaviour_of,
    seat_and_agent,
)

# Every table begins with these.
KEYS = (
    Column(
        "deal", "i8", "index of the deal in the deal set; the games of a deal have the same cards in several seatings"
    ),
    Column("lineup", "i4", "index of the line-up in the tournament"),
    Column("game", "i4", "index of the game in these tables"),
)
_RANKS = ("first", "second", "third")
_SEATS = TableSchema(
    "each seat of each game",
    (
        *SEAT,
        Column("score", "i2", "its final score"),
        Column("rank", "i1", "its rank from 1; equal ranks stay equal"),
        Column("wins", "f4", "1 / k for each of k winners, 0 for the other seats"),
        Column("decisions", "u2", "decisions of all seats in this game"),
    ),
)


def schemas(game: Game, events: bool = False) -> dict[str, TableSchema]:
    """The tables that a recorder gives for a game, with their columns.

    Args:
        game: The game.
        events: With the table of events; a game without behaviour tables always has it.
    """
    behaviour = behaviour_of(game)
    schema_of = {"seats": _SEATS, **(behaviour.schemas(game) if behaviour else {})}
    if events or behaviour is None:
        schema_of["events"] = _events_schema(game)
    return {name: TableSchema(schema.rows, (*KEYS, *schema.columns)) for name, schema in schema_of.items()}


def _events_schema(game: Game) -> TableSchema:
    kinds = tuple(kind.name for kind in game.event_types)
    meaning = "the event type; the page of the game lists the kinds and their fields a, b, c"
    columns = (
        Column("kind", "i1", meaning, kinds),
        *seat_and_agent("seat", "the seat that caused it; null if none did", nullable=True),
        *(Column(name, "i2", f"{rank} field of the event") for name, rank in zip("abc", _RANKS, strict=True)),
        Column("forced", "b1", "whether it was the only legal action"),
    )
    return TableSchema("each event of each game, in order", columns)


class BehaviourRecorder:
    """Records the events of all games of a batch and makes behaviour tables of them.

    Args:
        game: The game with its options bound.
        events: Keep the table of events, too; a game without behaviour tables always keeps it.

    Example:
        >>> batch = Batch(game, 100, controllers=["heuristic"] * 4, autoreset="disabled", events=True)
        >>> recorder = BehaviourRecorder(game)
        >>> batch.reset(seed=1)
        >>> recorder.read(batch)
        >>> tables = recorder.tables(batch, np.arange(100), 0, np.zeros((100, 4), int))
    """

    def __init__(self, game: Game, events: bool = False):
        self.game = game
        self._schemas = schemas(game, events)
        self._parts: list[np.ndarray] = []

    def read(self, batch: Batch) -> None:
        """Add the events of the last call. Call it after `reset` and after each `step`.

        Raises:
            OptionError: The batch keeps no log.
            RuntimeError: Its log was too small.
        """
        self._parts.append(batch.event_rows())

    def tables(self, batch: Batch, deals: np.ndarray, lineups: np.ndarray | int, agents: np.ndarray) -> Tables:
        """The behaviour tables, once all games are over.

        Args:
            batch: The batch that was read, with autoreset `disabled`.
            deals: (N,) integers, the deal of each game.
            lineups: (N,) integers, the line-up of each game, or one for all.
            agents: (N, num_players) integers, the agent in each seat.

        Returns:
            The tables of `schemas(game)`, each a dict of columns.

        Raises:
            AgentError: A game is not over, or may have restarted.
        """
        if batch.autoreset != "disabled" or (batch.seat >= 0).any():
            running = int((batch.seat >= 0).sum())
            raise AgentError(
                f"behaviour: {running} games are not over, autoreset is {batch.autoreset!r}; "
                "all games must be over, and autoreset must be 'disabled'"
            )
        behaviour = behaviour_of(self.game)
        events = EventColumns(self._parts, batch.num_games, behaviour.lot_begins if behaviour else None)
        logged = {name: getattr(events, name) for name in ("game", "kind", "a", "b", "c", "forced")}
        logged["seat"] = np.where(events.seat >= 0, events.seat, MISSING)
        recorded: Tables = {"seats": _seats(batch), "events": logged}
        if behaviour:
            recorded.update(behaviour.tables(self.game, events, batch.games))
        keys = {"deal": np.asarray(deals), "lineup": np.broadcast_to(np.asarray(lineups), batch.num_games)}
        return {
            name: _complete(schema, recorded[name], keys, np.asarray(agents)) for name, schema in self._schemas.items()
        }


def _seats(batch: Batch) -> Table:
    num_games, num_players = batch.final_scores.shape
    return {
        "game": np.repeat(np.arange(num_games), num_players),
        "seat": np.tile(np.arange(num_players), num_games),
        "score": batch.final_scores.reshape(-1),
        "rank": batch.final_ranks.reshape(-1),
        "wins": wins_of(batch.final_ranks).reshape(-1),
        "decisions": np.repeat(batch.final_length, num_players),
    }


def _complete(schema: TableSchema, table: Table, keys: Table, agents: np.ndarray) -> Table:
    """The table with the keys of its games, and agents by (games, seats); columns in order, with their dtypes."""
    game = table["game"]
    complete: Table = {}
    for column in schema.columns:
        if column.name in keys:
            values = keys[column.name][game]
        elif column.agent_of is not None:
            seat = table[column.agent_of]
            values = np.where(seat >= 0, agents[game, seat], MISSING)
        else:
            values = table[column.name]
        complete[column.name] = np.ascontiguousarray(values, column.dtype)
    return complete
