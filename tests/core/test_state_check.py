"""States that a batch is given: those that compiled code cannot play are refused, by the name of the field."""

import copy
from collections.abc import Callable

import numpy as np
import pytest

from w51_env import make_game
from w51_env.alles_futsch import state as futsch
from w51_env.core.batch import Batch
from w51_env.core.checksums import CHECKSUM_BYTES, checksum
from w51_env.core.determinization import Determinizer
from w51_env.core.errors import OptionError
from w51_env.core.game import Game
from w51_env.core.limits import Limits
from w51_env.warehouse51 import state as w51

GAMES = (make_game("warehouse51_v0", num_players=3), make_game("alles_futsch_v0", num_players=3))
FREE = ("stream", "decisions")  # fields that may have any value


def running(game: Game, *phases: int) -> Batch:
    """A batch of two games in their middle, both in one of these phases."""
    batch, found = Batch(game, 64, seed=3, autoreset="disabled"), Batch(game, 2, seed=1, autoreset="disabled")
    batch.reset()
    for _ in range(40):
        batch.step(batch.sample_actions())
    while True:
        is_in = np.isin(batch.games["phase"], phases) if phases else batch.seat >= 0
        if is_in.sum() >= 2:
            found.load(batch.clone(np.flatnonzero(is_in)[:2]))
            return found
        batch.step(batch.sample_actions())


def out_of_range() -> list:
    """Each field that has a range, with a number below and one above it."""
    found = []
    for game in GAMES:
        for field in set(game.record.names) - set(FREE):
            kind = np.iinfo(game.record[field].base)
            values = (kind.min, kind.max) if field != "points" else (kind.min,)  # a source of points gives up to 127
            found += [pytest.param(game, field, value, id=f"{game.name}-{field}-{value}") for value in values]
    return sorted(found, key=lambda one: one.id)


@pytest.mark.parametrize(("game", "field", "value"), out_of_range())
def test_a_number_out_of_range_is_refused(game, field, value):
    batch = running(game)
    states, before = batch.clone(), batch.snapshot()
    states[field][1] = value
    with pytest.raises(OptionError, match=rf"states\[1\]: {field} is {value}, but -?\d+ to \d+ is allowed"):
        batch.load(states)
    assert batch.snapshot() == before


def change(field: str, value: int, *index: int | slice) -> Callable[[np.ndarray], None]:
    """Write a number into an array of one state."""

    def write(states: np.ndarray) -> None:
        states[field][(0, *index)] = value

    return write


def bid_all(states: np.ndarray) -> None:
    states["leader"], states["standing_bid"] = 1, w51.MAX_INGOTS


def more_in_deck(states: np.ndarray) -> None:
    states["place"][0, np.flatnonzero(states["place"][0] != w51.IN_DECK)[0]] = w51.IN_DECK


def bid_all_money(states: np.ndarray) -> None:
    states["leader"], states["standing_bid"] = 1, futsch.MOST_MONEY


W51_CASES = {
    "over but not ended": (w51.REVEAL, change("phase", w51.OVER), "over"),
    "nobody to move": (w51.REVEAL, change("seat", w51.NOBODY), "seat"),
    "a lot between auctions": (w51.REVEAL, change("lot", 3), "lot"),
    "no lot in an auction": (w51.OPEN_AUCTION, change("lot", w51.NO_RELIC), "lot"),
    "more ingots than in the box": (w51.REVEAL, change("reserve", 70), "ingots"),
    "more bid than there is": (w51.OPEN_AUCTION, bid_all, "standing_bid"),
    "a secret bid of more than there is": (w51.BLIND_AUCTION, change("secret_bid", 70, 1), "secret_bid"),
    "more relics drawn than there are": (w51.REVEAL, change("drawn", w51.MAX_RELICS, 1), "drawn"),
    "a relic in the deck that was drawn": (w51.REVEAL, more_in_deck, "place"),
    "a relic in the deck of another category": (w51.REVEAL, change("deck", w51.MAX_RELICS - 1, slice(None)), "deck"),
}
FUTSCH_CASES = {
    "over but not ended": (futsch.SELECT, change("phase", futsch.OVER), "over"),
    "nobody to move": (futsch.SELECT, change("seat", futsch.NOBODY), "seat"),
    "no card in an auction": (futsch.BID, change("card", futsch.NO_CARD), "card"),
    "a card between auctions": (futsch.SELECT, change("card", 5), "card"),
    "no type that is sold": (futsch.SELL, change("selling", futsch.NO_TYPE), "selling"),
    "a type sold at no sale": (futsch.BID, change("selling", 2), "selling"),
    "more bid than there is": (futsch.BID, bid_all_money, "standing_bid"),
    "more money than there can be": (futsch.SELECT, change("money", futsch.MOST_MONEY, 0), "money"),
    "a full row in an auction": (futsch.BID, change("face_up", 7, slice(None)), "face_up"),
    "a card twice in the deck": (futsch.SELECT, change("deck", 7, slice(2, 4)), "deck"),
}
CASES = [
    pytest.param(game, *case, id=f"{game.name}: {name}")
    for game, cases in zip(GAMES, (W51_CASES, FUTSCH_CASES), strict=True)
    for name, case in cases.items()
]


@pytest.mark.parametrize(("game", "phase", "write", "field"), CASES)
def test_fields_that_contradict_each_other_are_refused(game, phase, write, field):
    batch = running(game, phase)
    states, before = batch.clone(), batch.snapshot()
    write(states[1:])
    with pytest.raises(OptionError, match=rf"states\[1\]: {field} is .*, which no game of {game.id} has"):
        batch.load(states)
    assert batch.snapshot() == before


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_every_way_in_is_checked(game: Game):
    batch = running(game)
    before = batch.snapshot()
    states = batch.clone()
    states["seat"][0] = 100
    with pytest.raises(OptionError, match=r"record\[0\]: seat is 100, but -1 to 2 is allowed"):
        Determinizer(game, states[:1], 0)

    def signed(content: bytes) -> bytes:  # by a stranger, who can compute checksums too
        return content + checksum(game.id.encode(), game.rules.tobytes(), content)

    with pytest.raises(OptionError, match=r"state\[0\]: seat is 100"):
        batch.load_bytes(1, signed(states[:1].tobytes()))
    with pytest.raises(OptionError, match=r"snapshot\[0\]: seat is 100"):
        batch.restore(signed(states.tobytes() + before[states.nbytes : -CHECKSUM_BYTES]))
    with pytest.raises(OptionError, match=r"snapshot: controllers \[-1 77\]"):
        batch.restore(signed(before[: -CHECKSUM_BYTES - 1] + bytes([77])))
    assert batch.snapshot() == before
    batch.games["seat"][0] = 100
    with pytest.raises(OptionError, match=r"games\[0\]: seat is 100"):
        batch.refresh()


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_states_in_any_memory_are_taken(game: Game):
    batch, other = running(game), Batch(game, 2, seed=1, autoreset="disabled")
    states = batch.clone()
    read_only, strided = states.copy(), np.repeat(states, 2)[::2]
    read_only.flags.writeable = False
    for given in (read_only, strided):
        other.load(given)
        assert (other.observation == batch.observation).all()


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_games_that_never_began_and_forfeited_ones_can_be_given(game: Game):
    batch = Batch(game, 3, seed=1, autoreset="disabled", illegal_action="lose")
    other = Batch(game, 3, seed=1, autoreset="disabled")
    batch.load(running(game).clone()[:1])  # the other two are all zero
    other.load(batch.clone())
    other.restore(other.snapshot())
    assert (other.seat[1:] == -1).all()
    batch.reset()
    batch.step(np.full(3, len(game.actions) - 1))
    assert batch.done.all()
    other.load(batch.clone())
    assert (other.final_ranks == batch.final_ranks).all()


def test_a_game_names_the_range_of_each_field():
    with pytest.raises(ValueError, match="ranges: over missing or unknown"):
        Limits(np.dtype([("seat", "i1"), ("over", "i1")]), {"seat": (0, 3)})


def test_states_of_a_game_without_limits_are_not_checked():
    game = copy.copy(GAMES[0])
    object.__setattr__(game, "limits", None)
    batch = running(game)
    states = batch.clone()
    states["reserve"] = 100
    batch.load(states)
    assert (batch.games["reserve"] == 100).all()
