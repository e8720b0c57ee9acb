"""States that a batch is given: those that compiled code cannot play are refused, by the name of the field."""

import copy
from collections.abc import Callable

import numpy as np
import pytest

from tests.env.engine.batches import GAMES, running
from w51_env import make_game
from w51_env.alles_futsch import state as futsch
from w51_env.compiler.compile import JIT_DISABLED
from w51_env.engine.batch import Batch
from w51_env.engine.determinization import Determinizer
from w51_env.engine.errors import OptionError
from w51_env.engine.game import Game
from w51_env.engine.limits import Limits
from w51_env.engine.saved_states import CHECKSUM_BYTES, checksum
from w51_env.engine.state_check import StateCheck
from w51_env.warehouse51 import state as w51

FREE = ("stream", "decisions")  # fields that may have any value


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


def pass_over(states: np.ndarray) -> None:
    states["seat"], states["secret_bid"] = states["revealer"], w51.NOT_BID


def draw_all(states: np.ndarray) -> None:
    states["drawn"] = GAMES[0].rules["deck_size"]
    states["place"][0, : GAMES[0].rules["num_relics"][0]] = w51.UNSOLD


def add_all(states: np.ndarray) -> None:
    states["money"][0, 0], states["standing_bid"], states["added"] = 50, 30, 20
    states["seat"], states["leader"] = 0, futsch.NOBODY


def own_all(states: np.ndarray) -> None:
    states["owned"] = futsch.MAX_OWNED


def bid(amount: int) -> Callable[[np.ndarray], None]:
    """A standing bid of seat 1."""

    def write(states: np.ndarray) -> None:
        states["leader"], states["standing_bid"] = 1, amount

    return write


def more_in_deck(states: np.ndarray) -> None:
    states["place"][0, np.flatnonzero(states["place"][0] != w51.IN_DECK)[0]] = w51.IN_DECK


W51_CASES = {
    "over but not ended": (w51.REVEAL, change("phase", w51.OVER), "over"),
    "nobody to move": (w51.REVEAL, change("seat", w51.NOBODY), "seat"),
    "a lot between auctions": (w51.REVEAL, change("lot", 3), "lot"),
    "no lot in an auction": (w51.OPEN_AUCTION, change("lot", w51.NO_RELIC), "lot"),
    "more ingots than in the box": (w51.REVEAL, change("reserve", 70), "ingots"),
    "more bid than there is": (w51.OPEN_AUCTION, bid(w51.MAX_INGOTS), "standing_bid"),
    "a bid in a blind auction": (w51.BLIND_AUCTION, change("standing_bid", 1), "standing_bid"),
    "a leader of a blind auction": (w51.BLIND_AUCTION, change("leader", 1), "standing_bid"),
    "a seat passed over in a blind auction": (w51.BLIND_AUCTION, pass_over, "secret_bid"),
    "no deck to choose": (w51.REVEAL, draw_all, "drawn"),
    "nothing to take": (w51.TAKE, change("place", w51.UNSOLD, slice(None)), "phase"),
    "nothing to give": (w51.GIVE, change("pawned", 1, slice(None)), "phase"),
    "a secret bid of more than there is": (w51.BLIND_AUCTION, change("secret_bid", 70, 1), "secret_bid"),
    "a secret bid between auctions": (w51.REVEAL, change("secret_bid", 0, 1), "secret_bid"),
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
    "more bid than there is": (futsch.BID, bid(futsch.MAX_MONEY), "standing_bid"),
    "a bid below nothing": (futsch.BID, bid(-1), "standing_bid"),
    "a raise in two parts of more than there is": (futsch.BID, change("added", 500), "added"),
    "a raise in two parts that leaves nothing for the second": (futsch.BID, add_all, "added"),
    "a raise outside an auction": (futsch.SELECT, change("added", 500), "added"),
    "a small raise outside an auction": (futsch.PLACE, change("added", 20), "added"),
    "no card to select": (futsch.SELECT, change("face_up", futsch.NO_CARD, slice(None)), "face_up"),
    "no object to place": (futsch.PLACE, change("to_place", 0, slice(None)), "to_place"),
    "nobody to sell to": (futsch.SELL, own_all, "selling"),
    "more money than there can be": (futsch.SELECT, change("money", futsch.MAX_MONEY, 0), "money"),
    "a full row in an auction": (futsch.BID, change("face_up", 7, slice(None)), "face_up"),
    "more of a card gone than there can be": (futsch.BID, change("gone", futsch.NUM_CARDS, 4), "gone"),
    "more objects lost than there can be": (futsch.PLACE, change("lost", 100, 2), "lost"),
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
def test_states_in_any_memory_and_games_that_never_began_or_were_forfeited_are_taken(game: Game):
    batch, other = running(game), Batch(game, 3, seed=1, autoreset="disabled")
    states = batch.clone()
    read_only, strided = states.copy(), np.repeat(states, 2)[::2]
    read_only.flags.writeable = False
    for given in (read_only, strided):
        other.load(given)
        np.testing.assert_array_equal(other.observation[:2], batch.observation)
    other.load(states[:1])  # the other two are all zero
    other.load(other.clone())
    other.restore(other.snapshot())
    np.testing.assert_array_equal(other.seat[1:], -1)
    batch = Batch(game, 3, seed=1, autoreset="disabled", illegal_action="lose")
    batch.reset()
    batch.step(np.full(3, len(game.actions) - 1))
    np.testing.assert_array_equal(batch.done, True)
    other.load(batch.clone())
    np.testing.assert_array_equal(other.final_ranks, batch.final_ranks)


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
    np.testing.assert_array_equal(batch.games["reserve"], 100)


PLAYED = (
    *GAMES,
    make_game("warehouse51_v1", preset="mini"),
    make_game("alles_futsch_v1", num_players=2, start_money=40, no_buyer="taken", cards="random"),
)
ENDLESS = 4000  # decisions: more than random play of any of these games has


def changed(game: Game, states: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """The states that a batch takes after one to four numbers of each were written over, within their ranges."""
    assert game.limits is not None
    ranges, taken = game.limits.ranges, []
    names, check = list(ranges), StateCheck(game, np.zeros(1, game.record))
    for index in range(len(states)):
        state = states[index : index + 1]
        for field in generator.choice(names, generator.integers(1, 5)):
            numbers, (low, high) = state[field].reshape(-1), ranges[field]
            value = generator.integers(low, high + 1) if generator.random() < 0.5 else generator.integers(-2, 6)
            numbers[generator.integers(numbers.size)] = min(max(value, low), high)
        try:
            check.take(state)
        except OptionError:
            continue
        taken.append(index)
    return states[taken]


@pytest.mark.skipif(JIT_DISABLED, reason="thousands of games")
@pytest.mark.parametrize(
    "game", PLAYED, ids=lambda game: f"{game.name}-{game.num_players}-{game.options['num_players']}"
)
def test_a_changed_state_that_is_taken_is_played_to_its_end(game: Game):
    source, batch = Batch(game, 256, seed=5), Batch(game, 256, seed=5, autoreset="disabled")
    source.reset()
    generator, played = np.random.default_rng(5), 0
    for _ in range(12):
        for _ in range(4):
            source.step(source.sample_actions())
        states = changed(game, source.clone(), generator)
        batch.load(states)
        for drawn in range(ENDLESS):
            if (batch.seat < 0).all():
                break
            batch.step(batch.sample_actions(drawn))
        ended = batch.games["over"][: len(states)]
        assert ended.all(), states[ended == 0][0]
        played += len(states)
    assert played > 1000
