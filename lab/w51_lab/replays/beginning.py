"""How a replayed game begins: as its seed deals it, or in a state whose fields are given."""

from collections.abc import Sequence

import numpy as np

from w51_agents.system.json_text import JsonObject
from w51_env.engine.batch import Batch
from w51_env.engine.errors import OptionError
from w51_env.engine.game import Game
from w51_env.engine.plain_data import in_short


def begin_replayed(game: Game, seed: int, controllers: Sequence[str], start: JsonObject | None = None) -> Batch:
    """One game at its first external decision, with its events logged; arguments as the attributes of `Replay`."""
    batch = Batch(game, 1, controllers=controllers, autoreset="disabled", keep_final=False, events=True)
    batch.reset(seed=np.array([seed], np.uint64))
    if start is not None:
        batch.load(_state_of(game, start))
    return batch


def fields_of(game: Game, state: np.void) -> JsonObject:
    """The fields of a state by name, as plain data."""
    return {name: state[name].tolist() for name in game.record.names or ()}


def _state_of(game: Game, start: JsonObject) -> np.ndarray:
    """(1,) structured: the state with these fields; OptionError if the record has other ones."""
    state, names = np.zeros(1, game.record), game.record.names or ()
    if sorted(start) != sorted(names):
        raise OptionError(f"start: the fields {', '.join(start)}, but {', '.join(names)} are needed")
    for name in names:
        try:
            state[name][0] = start[name]
        except (TypeError, ValueError, OverflowError):
            raise OptionError(f"start.{name}: {in_short(start[name])}, but numbers of its shape are needed") from None
    return state
