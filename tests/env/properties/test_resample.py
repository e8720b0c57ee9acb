"""resample_hidden keeps what the seat knows and draws all that is possible, each as likely as in the deal."""

import itertools
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.env.chi_square import p_value, p_value_of_table
from tests.env.invariants.warehouse51 import Warehouse51Invariants
from tests.env.properties.generate import every_preset, games
from tests.env.properties.knowledge import known_gaps
from tests.env.properties.reference import Reference, plain
from tests.env.properties.test_leaks import batch_of, random_states
from tests.env.properties.test_secret_bids import redrawn_bids
from tests.env.warehouse51.relic_files import relic, relic_text
from w51_env import warehouse51
from w51_env.engine.batch import Batch
from w51_env.engine.game import Game
from w51_env.warehouse51.state import BLIND_AUCTION, NOT_BID, ON_THE_BLOCK, UNSOLD

HIDDEN = ("stream", "deck", "counterfeit_gap", "secret_bid")
MIN_P_VALUE = 1e-3  # a p-value below this fails; seeds are fixed, so a test that passes goes on passing

# Six relics, five with a counterfeit, two blank cards: few enough to list all that could be.
SIX_RELICS = (
    *(relic(f"blue_{index}", "blue", counterfeit=True) for index in range(4)),
    relic("red_sword", "red", 2, weapon=True, counterfeit=True),
    relic("red_cup", "red", 3),
)
SWORD = 4


def assert_consistent(game: Game, states: np.ndarray, redrawn: np.ndarray, seat: int) -> None:
    """Whether each redrawn state is one that the seat can't tell from the true one, by the rules alone."""
    for field in states.dtype.names:
        if field not in HIDDEN:
            np.testing.assert_array_equal(states[field], redrawn[field], err_msg=f"{field} is known to seat {seat}")
    for true, drawn in zip(states, redrawn, strict=True):
        assert_hidden_is_consistent(game, true, drawn, seat)


def assert_hidden_is_consistent(game: Game, true: np.void, drawn: np.void, seat: int) -> None:
    rules = game.rules[0]
    for category in range(4):  # S3
        start = int(rules["deck_start"][category])
        first, end = start + int(true["drawn"][category]), start + int(rules["deck_size"][category])
        np.testing.assert_array_equal(true["deck"][start:first], drawn["deck"][start:first])
        assert sorted(true["deck"][first:end]) == sorted(drawn["deck"][first:end])
    known = known_gaps(game, true, seat)
    blanks = 0
    for gap in range(game.num_players):  # S4
        cards = np.flatnonzero(drawn["counterfeit_gap"] == gap)
        assert len(cards) <= rules["gap_cards"]
        assert rules["has_counterfeit"][cards].all()
        blanks += int(rules["gap_cards"]) - len(cards)
        if gap in known:
            np.testing.assert_array_equal(cards, np.flatnonzero(true["counterfeit_gap"] == gap))
    assert blanks <= rules["blank_counterfeits"]
    reference = Reference(game, plain(true))
    for other in range(game.num_players):  # T5; that the engine lets the seat bid so: `redrawn_bids`
        bid = int(drawn["secret_bid"][other])
        if other == seat or true["secret_bid"][other] == NOT_BID:
            assert bid == true["secret_bid"][other]
        else:
            assert 0 <= bid <= reference.affordable(other)


def assert_redraws_are_consistent(game: Game, num_games: int, seed: int) -> int:
    """Redraw random states for each seat; returns how many redrawn states are not the true one."""
    states = random_states(game, num_games, seed)
    true, batch = batch_of(game, states), batch_of(game, states)
    other = 0
    for seat in range(game.num_players):
        batch.games[:] = states
        batch.resample_hidden(seat, seed)
        Warehouse51Invariants(batch).check()
        assert batch.observe(seat).tobytes() == true.observe(seat).tobytes()
        assert_consistent(game, states, batch.games, seat)
        assert redrawn_bids(game, batch.games.copy(), seat)[1] == 0
        other += int((states[list(HIDDEN[1:])] != batch.games[list(HIDDEN[1:])]).sum())
    return other


@every_preset
def test_what_is_redrawn_fits_all_that_the_seat_knows(game: Game):  # S3, S4, T5
    assert assert_redraws_are_consistent(game, num_games=24, seed=4) >= 24


@settings(max_examples=30)
@given(game=games(), seed=st.integers(0, 1000))
def test_a_redraw_fits_for_any_relic_set_and_any_options(game: Game, seed: int):
    assert_redraws_are_consistent(game, num_games=12, seed=seed)


def six_relics() -> Game:
    cards = relic_text(*SIX_RELICS, blank_counterfeits=2)
    return warehouse51.make(4, relics=cards, counterfeits_per_gap=1, first_player=0)


@pytest.fixture(scope="module")
def six() -> Game:
    return six_relics()


def sword_on_the_block(game: Game) -> np.void:
    """A blind auction: the first blue relic is gone, seats 1 and 2 have bid, seat 3 is to move."""
    batch = Batch(game, 1, seed=0, autoreset="disabled")
    batch.reset()
    state = batch.games[0]
    state["drawn"] = [1, 0, 0, 1]
    state["deck"][:6] = [0, 1, 2, 3, SWORD, 5]
    state["place"][:6] = [UNSOLD, -1, -1, -1, ON_THE_BLOCK, -1]
    state["counterfeit_gap"][:6] = [0, -1, -1, 3, -1, -1]  # seat 0 sees blue_0 on the left, blue_3 on the right
    state["lot"] = SWORD
    state["phase"] = BLIND_AUCTION
    state["bidding"] = 0
    state["ingots"][:4] = [10, 2, 3, 10]
    state["reserve"] = 35
    state["secret_bid"][:4] = [-1, 1, 0, -1]
    state["seat"] = 3
    return state.copy()


def could_be(pile: list[int], gaps: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Every way to deal cards of the pile to the gaps, one each; a relic's gap or -1, for each of the six."""
    for cards in itertools.permutations(range(len(pile)), len(gaps)):
        where = [-1] * 6
        for card, gap in zip(cards, gaps, strict=True):
            if pile[card] >= 0:
                where[pile[card]] = gap
        yield tuple(where)


def drawn_states(game: Game, state: np.void, seat: int, count: int, seed: int) -> np.ndarray:
    batch = batch_of(game, np.repeat(state.reshape(1), count))
    batch.resample_hidden(seat, seed)
    return batch.games.copy()


def counted(states: np.ndarray) -> Counter[tuple[tuple[int, ...], ...]]:
    """How many there are of each deck, counterfeits and secret bids of four seats, with six relics."""
    columns = [states["deck"][:, :6], states["counterfeit_gap"][:, :6], states["secret_bid"][:, :4]]
    rows = np.hstack(columns).astype(np.int8).tobytes()
    counts = Counter(rows[start : start + 16] for start in range(0, len(rows), 16))
    keys = [tuple(np.frombuffer(row, np.int8).tolist()) for row in counts]
    return Counter({(key[:6], key[6:12], key[12:]): count for key, count in zip(keys, counts.values(), strict=True)})


def test_every_possible_state_is_drawn_as_often_as_in_the_deal(six: Game):  # S3, S4, T5
    state = sword_on_the_block(six)
    placements = Counter((0, *where[1:3], 3, *where[4:]) for where in could_be([1, 2, SWORD, -1, -1], gaps=(1, 2)))
    # Seat 0 knows gaps 0 and 3; blue_1, blue_2, the sword and two blanks are left for gaps 1 and 2: 20 deals, 13
    # pictures.
    assert placements.total() == 20
    assert len(placements) == 13
    weight: Counter[tuple] = Counter()
    for order in itertools.permutations([1, 2, 3]):
        for where, ways in placements.items():
            for bids in itertools.product(range(3), range(4)):  # seat 1 holds 2 ingots, seat 2 holds 3
                weight[(0, *order, SWORD, 5), where, (-1, *bids, -1)] += ways
    count = 100_000
    drawn = counted(drawn_states(six, state, 0, count, seed=1))
    assert set(drawn) == set(weight)
    expected = np.array(list(weight.values())) * count / weight.total()
    assert expected.min() > 50
    assert p_value([drawn[each] for each in weight], expected) > MIN_P_VALUE


def test_a_bidder_keeps_its_own_bid_and_the_other_bid_is_redrawn(six: Game):  # T5
    drawn = drawn_states(six, sword_on_the_block(six), 2, 20_000, seed=2)
    bids = Counter(map(tuple, drawn["secret_bid"][:, :4].tolist()))
    assert set(bids) == {(-1, 0, 0, -1), (-1, 1, 0, -1), (-1, 2, 0, -1)}
    assert p_value(list(bids.values())) > MIN_P_VALUE


def test_a_gap_that_the_seat_has_looked_at_stays(six: Game):  # effect: look_at_counterfeits
    state = sword_on_the_block(six)
    state["counterfeit_gap"][:6] = [0, 1, -1, 3, -1, -1]
    state["looked"][0][1] = 1
    drawn = drawn_states(six, state, 0, 20_000, seed=3)
    placements = Counter(map(tuple, drawn["counterfeit_gap"][:, :6].tolist()))
    blank, second, sword = (0, 1, -1, 3, -1, -1), (0, 1, 2, 3, -1, -1), (0, 1, -1, 3, 2, -1)
    assert set(placements) == {blank, second, sword}
    observed = [placements[blank], placements[second], placements[sword]]
    assert p_value(observed, np.array([2, 1, 1]) * 20_000 / 4) > MIN_P_VALUE


def test_nothing_is_redrawn_once_the_cards_are_turned_over(six: Game):  # E3
    state = sword_on_the_block(six)
    state["shown"] = 1
    drawn = drawn_states(six, state, 0, 100, seed=4)
    np.testing.assert_array_equal(*np.broadcast_arrays(drawn["counterfeit_gap"], state["counterfeit_gap"]))


def test_a_redraw_is_as_likely_as_a_true_deal_that_the_seat_sees_alike(six: Game):  # S3, S4, S5
    """Of many true deals, those that look alike to seat 0 hide the same things as often as redraws of one of them."""
    batch = Batch(six, 60_000, seed=5, autoreset="disabled")
    batch.reset()
    looks = batch.observe(0).tobytes()
    size = six.layout.size
    groups = Counter(looks[start : start + size] for start in range(0, len(looks), size))
    look, _ = groups.most_common(1)[0]
    alike = [index for index in range(batch.num_games) if looks[index * size : (index + 1) * size] == look]
    assert len(alike) >= 1500
    redrawn = drawn_states(six, batch.games[alike[0]].copy(), 0, len(alike), seed=6)
    for field in ("deck", "counterfeit_gap"):
        true = Counter(map(tuple, batch.games[field][alike].tolist()))
        again = Counter(map(tuple, redrawn[field].tolist()))
        assert set(true) == set(again), field
        table = [[true[each] for each in true], [again[each] for each in true]]
        assert p_value_of_table(table) > MIN_P_VALUE, field
