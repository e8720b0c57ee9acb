"""The points if the game ended now, what a viewer believes of counterfeits, and the causes of events."""

import pytest

from tests.env.warehouse51.table import Table
from w51_agents.language.score_table import score_lines
from w51_env import make_game, make_vec
from w51_env.engine.game import ALL, PUBLIC
from w51_env.views.language import LANGUAGES, Words
from w51_env.views.text_table import explanation

NAMES = ("Ida", "Max", "Zoe", "Ben")


def played(game: str, steps: int, num_players: int = 4, **options):
    batch = make_vec(game, 1, seed=5, num_players=num_players, events=True, autoreset="disabled", **options)
    batch.reset()
    for number in range(steps):
        if batch.done[0]:
            break
        batch.step(batch.sample_actions(number))
    return batch


def event(kind: str, **fields) -> str:
    game = make_game("warehouse51_v1")
    return game.event_text({"event": kind, "seat": 0, "forced": False, **fields}, Words("en", NAMES))


def test_at_the_end_the_standing_is_the_score():
    view = played("warehouse51_v1", 1000).view(0, 0)
    assert view.over
    for player in view.players:
        assert player["standing"]["total"] == player["score"]["total"] == sum(player["standing"]["points"].values())
        assert player["standing"]["points"] == player["score"]["points"]


def test_who_knows_everything_has_no_doubts_and_others_mark_relics_that_may_be_counterfeit():
    batch = played("warehouse51_v1", 80)
    doubts = {viewer: [p["standing"]["doubtful"] for p in batch.view(0, viewer).players] for viewer in (ALL, PUBLIC)}
    assert any(doubts[PUBLIC])
    assert not any(doubts[ALL])


@pytest.mark.parametrize("viewer", [PUBLIC, 0, 3, ALL])
def test_beliefs_add_up_to_the_cards_in_the_gaps(viewer):  # S4
    view = played("warehouse51_v1", 30).view(0, viewer)
    cards = sum(gap["cards"] for gap in view.table["gaps"])
    assert sum(view.table["beliefs"].values()) == pytest.approx(cards)
    seen = [relic for gap in view.table["gaps"] for relic in gap["relics"]]
    assert [view.table["beliefs"][relic] for relic in seen] == [1] * len(seen)


def test_a_counterfeit_that_the_viewer_knows_does_not_count_in_its_standing():
    """A relic with a known counterfeit card brings nothing to those who know it, and may to others."""
    batch = played("warehouse51_v1", 0)
    fake = batch.view(0, 0).table["gaps"][0]["relics"][0]  # seats 0 and 1 know it
    record = batch.games[0]
    index = list(batch.view(0, 0).table["relics"]).index(fake)
    record["place"][index] = 2
    batch.refresh()
    values = [sum(batch.view(0, viewer).players[2]["standing"]["values"].values()) for viewer in (0, 1, 2, PUBLIC)]
    assert values[:2] == [0, 0]
    assert values[2:] == [batch.view(0, 2).table["relics"][fake]["value"]] * 2


def test_the_lot_brings_its_first_owner_a_majority():
    batch = played("warehouse51_v1", 1)
    view = batch.view(0, 0, words=Words("en", NAMES))
    category = view.table["relics"][view.table["lot"]["relic"]]["category"]
    first = {"blue": 8, "green": 7, "golden": 6, "red": 5}[category]
    for gains in view.table["lot"]["gains"]:
        assert {source: points for source, points in gains.items() if points} == {category: first}
    assert f"You would become first in {category}: +{first}" in score_lines(view)
    assert "You would pay Max." in score_lines(view)


@pytest.mark.parametrize(
    ("lot", "place"), [("malleus_maleficarum", "be tied for first"), ("unicorns_horn", "become second")]
)
def test_a_tie_for_first_is_not_called_second(lot, place):
    table = Table(4).counterfeits().decks(lot).give(1, "holy_grail").play("choose_deck_blue")
    lines = score_lines(table.batch.view(0, 0, words=Words("en", NAMES)))
    assert [line for line in lines if line.startswith("You would") and "blue" in line] == [
        f"You would {place} in blue: +6"
    ]


@pytest.mark.parametrize(
    ("payment_to", "payee"), [("right", "Ben"), ("bank", "the reserve"), ("others", "all others in equal parts")]
)
def test_a_view_says_who_would_be_paid(payment_to, payee):  # option: payment_to
    batch = played("warehouse51_v1", 1, payment_to=payment_to)
    view = batch.view(0, 0, words=Words("en", NAMES))
    assert f"You would pay {payee}." in score_lines(view)
    rule = {"right": "neighbour on the right", "bank": "to the reserve", "others": "all others in equal parts"}
    assert any(rule[payment_to] in line for line in explanation(view))


def test_who_would_be_paid_is_said_to_the_bidder_and_of_the_leader():
    batch = played("warehouse51_v1", 1)
    bid = batch.game.actions.id("bid_1")
    bidder = int(batch.seat[0])
    batch.step([bid])
    mover = int(batch.seat[0])
    lines = score_lines(batch.view(0, mover, words=Words("en", NAMES)))
    assert f"You would pay {NAMES[(mover + 1) % 4]}." in lines
    assert f"{NAMES[bidder]} would pay you." in lines
    lines = score_lines(batch.view(0, (mover + 1) % 4, words=Words("en", NAMES)))
    assert [line for line in lines if "would pay" in line] == [f"{NAMES[bidder]} would pay {NAMES[mover]}."]


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("game", ["warehouse51_v1", "alles_futsch_v1"])
def test_points_and_rules_are_said_in_every_language(game, code):
    batch = played(game, 40)
    view = batch.view(0, 0, words=Words(code, NAMES))
    lines = score_lines(view) + explanation(view)
    assert len(lines) > 15
    assert not [line for line in lines if "{" in line]


def test_an_event_names_the_relic_that_caused_it_and_says_when_money_ran_out():
    assert event("income", ingots=1) == "Ida gets 1 from the reserve (Cornucopia)."
    assert event("gained", ingots=3) == "Ida takes 3 from the reserve (Aladdin's Lamp; the reserve is empty)."
    assert event("paid", ingots=1, payee=1) == "Ida pays 1 to Max (Pandora's Box; no more ingots)."
    assert event("bid", ingots=4, matches=1) == "Ida matches the bid: 4."
    assert event("bid", ingots=4, matches=0) == "Ida bids 4."


def test_a_bid_that_equals_the_standing_one_is_logged_as_a_match():  # T2, effect: may_match_bid
    batch = played("warehouse51_v1", 0)
    relics = list(batch.view(0, 0).table["relics"])
    bids = []
    for number in range(400):
        if batch.done[0]:
            break
        batch.games["place"][0, relics.index("mjollnir")] = 1  # its owner may match
        batch.refresh()
        standing = int(batch.games["standing_bid"][0])
        batch.step(batch.sample_actions(number))
        bids += [(one["matches"], one["ingots"] == standing) for one in batch.events(0) if one["event"] == "bid"]
    assert {matches for matches, _ in bids} == {0, 1}
    assert all(matches == same for matches, same in bids)
