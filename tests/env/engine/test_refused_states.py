"""A batch whose states were refused: every call says so until it begins anew."""

import copy

import numpy as np
import pytest

from tests.env.engine.batches import GAMES, running
from w51_env.engine.batch import Batch
from w51_env.engine.errors import GameOverError, OptionError
from w51_env.engine.game import Game

ANY_CALL = {
    "step": lambda batch: batch.step(np.zeros(batch.num_games, int)),
    "sample_actions": lambda batch: batch.sample_actions(),
    "observe": lambda batch: batch.observe(0),
    "resample_hidden": lambda batch: batch.resample_hidden(0, 1),
    "determinizer": lambda batch: batch.determinizer(0),
    "view": lambda batch: batch.view(0, "all"),
    "clone": lambda batch: batch.clone(),
    "snapshot": lambda batch: batch.snapshot(),
    "state_bytes": lambda batch: batch.state_bytes(0),
    "load_bytes": lambda batch: batch.load_bytes(0, running(batch.game).state_bytes(0)),
    "events": lambda batch: batch.events(0),
    "event_rows": lambda batch: batch.event_rows(),
    "a copy": copy.deepcopy,
    "reset of some games": lambda batch: batch.reset(which=np.arange(batch.num_games) == 0),
}


def refused(game: Game) -> tuple[Batch, bytes]:
    """A batch of two games whose states were refused, and a snapshot from before."""
    batch = Batch(game, 2, seed=1, autoreset="disabled", events=True)
    batch.load(running(game).clone())
    before = batch.snapshot()
    batch.games["phase"] = 127
    with pytest.raises(OptionError, match=r"games\[0\]: phase is 127"):
        batch.refresh()
    return batch, before


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
@pytest.mark.parametrize("call", ANY_CALL)
def test_a_batch_whose_states_were_refused_refuses_every_call(call: str, game: Game):
    batch, _ = refused(game)
    with pytest.raises(GameOverError, match=f"^{call}: the states in games were refused; call reset, load or restore"):
        ANY_CALL[call](batch)
    with pytest.raises(OptionError, match=r"games\[0\]: phase is 127"):
        batch.refresh()


def write_others(batch: Batch, before: bytes) -> None:
    batch.games[:] = running(batch.game).games
    batch.refresh()


REPAIRS = {
    "reset": lambda batch, before: batch.reset(),
    "seeded reset": lambda batch, before: batch.reset(seed=3),
    "load": lambda batch, before: batch.load(running(batch.game).clone()),
    "load of one": lambda batch, before: batch.load(running(batch.game).clone()[:1]),
    "restore": lambda batch, before: batch.restore(before),
    "refresh": write_others,
}


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
@pytest.mark.parametrize("repair", REPAIRS)
def test_a_batch_whose_states_were_refused_can_begin_anew(repair: str, game: Game):
    batch, before = refused(game)
    REPAIRS[repair](batch, before)
    batch.restore(batch.snapshot())  # no game is left that a batch cannot be given
    for call in ("observe", "clone", "state_bytes"):
        ANY_CALL[call](batch)
    for _ in range(30):
        batch.step(batch.sample_actions())
