"""The reverse of the leak test: a change of each field of the state is seen by exactly the seats that may know it."""

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest

from tests.env.properties.knowledge import known_gaps
from tests.env.warehouse51.relic_files import every_kind
from tests.env.warehouse51.table import Table
from w51_env import warehouse51
from w51_env.engine.batch import Batch
from w51_env.engine.game import PUBLIC
from w51_env.views.view import View
from w51_env.warehouse51.state import CANCEL, EXPOSED, IN_DECK, MAX_RELICS, NO_GAP, NO_RELIC, NOT_BID, PHASES, UNSOLD

PLAYERS = 4
RELICS = every_kind()
GAME = warehouse51.make(PLAYERS, relics=RELICS)
SEATS = range(PLAYERS)
EVERYONE, NOBODY = frozenset(SEATS), frozenset[int]()
OWNED, OTHERS_OWNED, LEFT_UNSOLD, CERTIFIED, IN_A_DECK = 1, 3, 6, 4, 12  # relics of the test's state

Place = tuple[int, ...]
Change = tuple[Place, int]  # an index into the field (empty for a single number) and its other value


class Field(NamedTuple):
    """How a field can be changed in a test's state, and who then sees a difference.

    Attributes:
        changes: The single changes to make: (index, other value).
        seen_by: (state, index, other value) -> the seats that may know of it.
        why: What it is that they know, or why nobody sees it.
    """

    changes: Callable[[np.void], Iterable[Change]]
    seen_by: Callable[[np.void, Place, int], frozenset[int]]
    why: str


def everyone(state: np.void, index: Place, other: int) -> frozenset[int]:
    return EVERYONE


def nobody(state: np.void, index: Place, other: int) -> frozenset[int]:
    return NOBODY


def number(name: str) -> Callable[[np.void], Iterable[Change]]:
    """A number that can be one more."""
    return lambda state: [((), int(state[name]) + 1)]


def others(name: str, values: Iterable[int], places: Iterable[Place] = ((),)) -> Callable[[np.void], Iterable[Change]]:
    """Every other value at each of these places."""
    return lambda state: [(at, value) for at in places for value in values if value != state[name][at]]


def each(name: str, *shape: int) -> Callable[[np.void], Iterable[Change]]:
    """One more at every place of an array field, so far as the game has it; 1 becomes 0."""

    def changes(state: np.void) -> Iterator[Change]:
        for index in np.ndindex(*shape):
            value = int(state[name][index])
            yield index, 0 if value == 1 else value + 1

    return changes


def deck(state: np.void) -> Iterator[Change]:
    """Another relic of the same deck there: what is still in the deck, and the order of what was drawn."""
    for position in range(MAX_RELICS):
        yield (position,), int(state["deck"][position - 1 if position else 1])


def sees_counterfeits(state: np.void, index: Place, other: int) -> frozenset[int]:
    """Those who have seen the gap where the card was, or the one where it is."""
    gaps = {int(state["counterfeit_gap"][index]), other}
    return frozenset(seat for seat in SEATS if gaps & known_gaps(GAME, state, seat))


def sees_secret_bid(state: np.void, index: Place, other: int) -> frozenset[int]:
    """That a seat has bid, all see; how much, the seat alone."""
    now_bid = (int(state["secret_bid"][index]) == NOT_BID) != (other == NOT_BID)
    return EVERYONE if now_bid else frozenset(index)


def sees_giver(state: np.void, index: Place, other: int) -> frozenset[int]:
    """A certificate that is placed has no giver any more: only where it lies matters."""
    return EVERYONE if state["certificate_on"][index] == NO_RELIC else NOBODY


RELIC_PLACES = others("place", {*SEATS, UNSOLD}, [(OWNED,), (OTHERS_OWNED,), (LEFT_UNSOLD,)])
FROM_A_DECK = others("place", SEATS, [(IN_A_DECK,)])
GAPS = others("counterfeit_gap", {NO_GAP, *SEATS}, [(relic,) for relic in range(MAX_RELICS)])
FIELDS: dict[str, Field] = {
    "stream": Field(number("stream"), nobody, "random numbers"),
    "decisions": Field(number("decisions"), nobody, "a count for replays and policies, not of the game"),
    "scores": Field(each("scores", PLAYERS), everyone, "totals"),
    "ranks": Field(each("ranks", PLAYERS), everyone, "ranks"),
    "points": Field(each("points", PLAYERS, 6), nobody, "follow from what is seen; their sum is `scores`"),
    "over": Field(number("over"), nobody, "follows from the phase"),
    "phase": Field(others("phase", range(len(PHASES))), everyone, "whose choice, and what"),
    "seat": Field(others("seat", SEATS), everyone, "to move"),
    "first_player": Field(others("first_player", SEATS), everyone, "who began"),
    "last_winner": Field(others("last_winner", SEATS), everyone, "T1"),
    "revealer": Field(others("revealer", SEATS), everyone, "T1"),
    "lot": Field(others("lot", (NO_RELIC, 0, 25)), everyone, "T1"),
    "standing_bid": Field(number("standing_bid"), everyone, "T2"),
    "leader": Field(others("leader", SEATS), everyone, "T2"),
    "bidding": Field(each("bidding", PLAYERS), everyone, "T2"),
    "secret_bid": Field(others("secret_bid", {NOT_BID, 0, 1, 5}, [(seat,) for seat in SEATS]), sees_secret_bid, "T5"),
    "ingots": Field(each("ingots", PLAYERS), everyone, "S2"),
    "reserve": Field(number("reserve"), everyone, "S2"),
    "drawn": Field(each("drawn", 4), everyone, "how many are left in each deck"),
    "deck": Field(deck, nobody, "S3: face down; what was drawn follows from `place`"),
    "place": Field(lambda state: [*RELIC_PLACES(state), *FROM_A_DECK(state)], everyone, "who has what"),
    "pawned": Field(others("pawned", [1], [(OWNED,), (OTHERS_OWNED,), (CERTIFIED,)]), everyone, "P1"),
    "counterfeit_gap": Field(GAPS, sees_counterfeits, "S4"),
    "looked": Field(each("looked", PLAYERS, PLAYERS), everyone, "who has looked where"),
    "shown": Field(number("shown"), everyone, "E3"),
    "cancelled": Field(each("cancelled", MAX_RELICS), nobody, "E3: nothing before the cards are turned over"),
    "certificate_from": Field(lambda state: [((1,), NO_RELIC), ((0,), OWNED), ((1,), OWNED)], sees_giver, "E2"),
    "certificate_on": Field(lambda state: [((0,), OWNED), ((0,), NO_RELIC), ((1,), OWNED)], everyone, "E2"),
    "buyer": Field(each("buyer", MAX_RELICS), everyone, "public memory"),
    "price": Field(each("price", MAX_RELICS), everyone, "public memory"),
    "highest_bid": Field(each("highest_bid", PLAYERS, MAX_RELICS), everyone, "public memory"),
    "turn": Field(number("turn"), everyone, "E1, E2, E3"),
    "unused": Field(each("unused", *GAME.record["unused"].shape), nobody, "fills the record"),
}
# Once the counterfeit cards are turned over (E3), more is seen.
FIELDS_WHEN_SHOWN: dict[str, Field] = {
    "counterfeit_gap": Field(GAPS, everyone, "E3"),
    "cancelled": Field(each("cancelled", MAX_RELICS), everyone, "E3"),
    "place": Field(lambda state: [*RELIC_PLACES(state), ((OWNED,), EXPOSED)], everyone, "who has what"),
}


@cache
def state_of(shown: bool) -> np.void:
    """A blind auction in the middle of a game: two bids are in, some relics pawned, certified, looked for.

    With `shown`, the same when the counterfeit cards are turned over.
    """
    table = Table(num_players=PLAYERS, seed=2, relics=RELICS)
    for name in ("oracle_bones", "gleipnir", "book_of_thoth"):
        table.state["buyer"][table.relics.index(name)] = 2
        table.give(2, name)
    record = table.state
    record["place"][[0, 1, 2, 3, 4, 6]] = [IN_DECK, 1, IN_DECK, 2, 1, UNSOLD]
    record["looked"][2][0] = 1
    record["counterfeit_gap"][:] = NO_GAP
    record["counterfeit_gap"][[0, 1, 3, 15]] = [0, 1, 2, 3]
    record["certificate_from"] = [table.relics.index("gleipnir"), table.relics.index("book_of_thoth")]
    record["certificate_on"] = [CERTIFIED, NO_RELIC]
    record["lot"] = 2
    record["place"][2] = -2
    record["phase"] = 2
    record["revealer"], record["leader"] = 0, -1
    record["seat"] = 3
    record["secret_bid"][:3] = [NOT_BID, 3, 0]
    record["last_winner"] = 0
    table.batch.refresh()
    state = record.copy()
    if shown:
        state["phase"], state["shown"] = CANCEL, 1
    return state


# Fields whose change shows in an observation, but not in each view: they count in some phases only, or for relics that
# somebody has, or follow from the rest.
NOT_IN_EVERY_VIEW = {"scores", "ranks", "standing_bid", "leader", "bidding", "buyer", "price", "turn", "cancelled"}

# What all know of the past and no observation needs: a count, the end, which relic gave a certificate that is placed.
PUBLIC_MEMORY = {"decisions", "over", "certificate_from"}


def views(state: np.void) -> dict[int | str, View]:
    """What each seat and the public see in a state, as views."""
    return {viewer: GAME.presentation.make_view(GAME, state, viewer) for viewer in (*SEATS, PUBLIC)}


def assert_views_differ_for_those_who_may_know(before: dict, state: np.void, name: str, may_know: frozenset) -> None:
    """A view differs if its viewer may know of the change, and not if it may not."""
    public = may_know == EVERYONE and (name != "counterfeit_gap" or state["shown"])  # each card has two who know it
    for viewer, view in views(state).items():
        known = public if viewer == PUBLIC else viewer in may_know
        if known and name not in NOT_IN_EVERY_VIEW:
            assert view != before[viewer], f"{name}: the view of {viewer} does not show it"
        if not known and name not in PUBLIC_MEMORY:
            assert view == before[viewer], f"{name}: the view of {viewer} shows it"


def observations(states: np.ndarray) -> np.ndarray:
    """(K, PLAYERS, layout.size): what each seat sees in each state."""
    batch = Batch(GAME, len(states), seed=0, autoreset="disabled", observe=False)
    batch.reset()
    batch.games[:] = states
    return np.stack([batch.observe(seat) for seat in SEATS], axis=1)


@cache
def reached_by(name: str, shown: bool) -> np.ndarray:
    """(layout.size,) bool: what of the observation a change of the field changes, for those who may know it alone."""
    state, field = state_of(shown), (FIELDS_WHEN_SHOWN if shown else FIELDS)[name]
    (before,) = observations(state.reshape(1))
    views_before = views(state)
    changes = list(field.changes(state))
    states = np.repeat(state.reshape(1), len(changes))
    for other, (index, value) in zip(states, changes, strict=True):
        if index:
            other[name][index] = value
        else:
            other[name] = value
    assert (states != state).all(), f"{name}: a change that changes nothing"
    differs = observations(states) != before
    for (index, value), other, seen in zip(changes, states, differs.any(2), strict=True):
        seats = {seat for seat in SEATS if seen[seat]}
        may_know = field.seen_by(state, index, value)
        assert seats == may_know, (
            f"{name}{list(index)} -> {value}: seen by {seats}, but {set(may_know)} may know ({field.why})"
        )
        assert_views_differ_for_those_who_may_know(views_before, other, name, may_know)
    return differs.any((0, 1))


def test_every_field_of_the_state_has_its_viewers():
    fields = GAME.record.names
    assert [name for name in fields if name not in FIELDS] == [], "say in FIELDS who may see it"
    assert list(FIELDS) == list(fields), "FIELDS has another order, or a field that the state does not have"


CHANGED = [*((name, False) for name in FIELDS), *((name, True) for name in FIELDS_WHEN_SHOWN)]


@pytest.mark.parametrize(("name", "shown"), CHANGED)
def test_a_change_of_a_field_is_seen_by_exactly_those_who_may_know_it(name: str, shown: bool):  # S3, S4, T5, E3
    reached_by(name, shown)


def test_changes_of_the_state_reach_all_slices_of_the_observation():
    reached = np.any([reached_by(name, shown) for name, shown in CHANGED], axis=0)
    silent = [part.name for part in GAME.layout.values() if not reached[part.slice].any()]
    assert silent == ["num_players", "options"]
