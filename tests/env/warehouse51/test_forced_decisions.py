"""T9: who is asked, and what the engine plays by itself."""

import numpy as np

from tests.env.warehouse51.table import Table


def test_a_seat_with_two_legal_actions_is_asked():  # T9
    table = Table(4).decks("holy_grail", "golden_fleece", "ark_of_the_covenant").ingots(10, 10, 6, 10)
    table.play("choose_deck_blue", "bid_5")
    assert (table.seat, table.legal()) == (2, {"pass", "bid_6"})


def test_a_forced_decision_is_played_and_shows_in_the_events():  # T9
    table = Table(4).decks("holy_grail", "golden_fleece", "ark_of_the_covenant").ingots(10, 10, 5, 10)
    table.play("choose_deck_blue", "bid_5")
    assert table.events() == [
        {"event": "bid", "seat": 1, "ingots": 5, "matches": 0, "forced": False},
        {"event": "passed", "seat": 2, "forced": True},
    ]
    assert table.seat == 3
    assert table["decisions"] == 3  # the deck, the bid, and the forced pass


def test_the_last_deck_is_turned_over_unasked():  # T9, T1
    table = Table(4).decks("holy_grail", "baba_yagas_mortar", "golden_fleece")
    table.play("choose_deck_green", "pass", "bid_1", "pass", "pass")
    assert table.events("revealed") == [
        {"event": "revealed", "seat": 2, "relic": table.index("holy_grail"), "forced": True}
    ]
    assert (table.phase, table.seat) == ("open_auction", 3)


def test_a_game_may_run_to_its_end_unasked():  # T9, T6, T7
    table = Table(3).decks("holy_grail", "excalibur").counterfeits().ingots(0, 0, 0).play("choose_deck_blue")
    assert table.over
    assert table.event_names()[:12] == [
        "revealed", *["passed"] * 3, "unsold", "revealed", *["bid_in_secret"] * 3, *["bid_shown"] * 3,
    ]  # fmt: skip
    assert all(event["forced"] for name in ("revealed", "passed", "bid_in_secret") for event in table.events(name))
    assert table["decisions"] == 8


def test_with_ask_forced_every_decision_is_asked():  # T9, option: ask_forced
    table = Table(4, ask_forced=True).decks("holy_grail", "baba_yagas_mortar", "golden_fleece").ingots(10, 15, 5, 10)
    table.play("choose_deck_green", "bid_5")
    assert (table.seat, table.legal()) == (2, {"pass"})
    table.play("pass")
    assert table.events() == [{"event": "passed", "seat": 2, "forced": True}]
    table.play("pass", "pass")
    assert (table.seat, table.legal()) == (1, {"choose_deck_blue"})


def test_with_ask_forced_an_empty_hand_is_asked_too():  # T9, T5, option: ask_forced
    table = Table(4, ask_forced=True).decks("sharur", "golden_fleece").ingots(10, 0, 10, 10).play("choose_deck_golden")
    assert (table.seat, table.legal()) == (1, {"pass"})


def test_asking_changes_nothing_but_who_plays_the_move():  # T9, option: ask_forced
    lots = ("holy_grail", "sharur", "flying_carpet", "golden_fleece", "muramasa")
    asked, unasked = (
        Table(4, ask_forced=ask).give(2, "gleipnir").decks(*lots).ingots(3, 10, 4, 0) for ask in (True, False)
    )
    draw = np.random.default_rng(7)
    decisions = 0
    while not unasked.over:
        legal = sorted(unasked.legal())
        while len(asked.legal()) == 1:
            asked.play(*asked.legal())
        assert sorted(asked.legal()) == legal
        assert len(legal) > 1
        action = legal[draw.integers(len(legal))]
        asked.play(action)
        unasked.play(action)
        decisions += 1
    while not asked.over:
        asked.play(*asked.legal())
    assert asked.state.tobytes() == unasked.state.tobytes()
    assert decisions < unasked["decisions"]
