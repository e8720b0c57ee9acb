"""The guided first games: every step is a legal decision of the learner, with a text in every language."""

import pytest

from w51_agents.language.score_table import lot_lines
from w51_env.views.language import LANGUAGES, Words
from w51_table.lessons import LEARNER, lesson_games, lesson_steps
from w51_table.play.table import TableError


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", lesson_games())
def test_each_step_asks_for_a_legal_action_of_the_learner_and_the_last_one_is_won(game, language):
    steps = list(lesson_steps(game, language))
    texts = [text for step in steps for text in (step.text, step.why) if text]
    assert len(set(texts)) == 2 * len(steps) - 1  # at the end nothing is asked for
    assert set(texts) == set(Words(language).section(f"lesson_{game}").values())  # no text that it does not show
    assert not set(texts) & (set() if language == "en" else {step.text for step in lesson_steps(game, "en")})
    for step in steps[:-1]:
        assert step.view.viewer == step.view.seat == LEARNER
        assert step.action in {action["id"] for action in step.view.actions}
    assert steps[-1].action is None
    assert steps[-1].view.players[LEARNER]["score"]["rank"] == 1


def test_the_lesson_of_warehouse51_has_all_that_a_beginner_must_see():
    """One lot of each kind, a counterfeit that the learner knows, a pawn, a certificate, the scoring."""
    steps = list(lesson_steps("warehouse51_v1", "en"))
    events = {event["event"] for step in steps for event in step.view.news}
    assert {"sold", "bid_shown", "pawned", "took_certificate", "certified", "exposed", "scored"} <= events
    lots = {step.view.table["lot"]["auction"] for step in steps if step.view.table["lot"]}
    assert lots == {"open", "blind"}
    assert any(
        step.view.table["beliefs"][step.view.table["lot"]["relic"]] == 1 for step in steps if step.view.table["lot"]
    )


def test_the_lesson_of_alles_futsch_has_all_that_a_beginner_must_see():
    """Bids, a lost auction, a sale to another seat and one to the learner, a bonus."""
    steps = list(lesson_steps("alles_futsch_v1", "en"))
    events = [event for step in steps for event in step.view.news]
    assert {"bid", "bought", "took", "sold", "bonus", "finished"} <= {event["event"] for event in events}
    assert {event["seat"] == LEARNER for event in events if event["event"] == "bought"} == {True, False}
    assert {event["seat"] == LEARNER for event in events if event["event"] == "sold"} == {True, False}


def test_the_buyer_of_a_card_is_told_what_becomes_of_its_objects():
    bought = list(lesson_steps("alles_futsch_v1", "en"))[3].view
    assert lot_lines(bought) == ["2 sculptures: yours", "1 jewel: to sell, 20,000 each"]


@pytest.mark.parametrize("game", lesson_games())
def test_each_step_tells_only_what_happened_since_the_step_before(game):
    told = [event["event"] for step in lesson_steps(game, "en") for event in step.view.news]
    ends = [name for name in told if name == "finished"]
    assert told.count("set_up") == 1
    assert len(ends) == 3
    assert told.count("sold" if game == "warehouse51_v1" else "bought") == 4


def test_a_game_without_a_lesson_is_refused_with_those_that_have_one():
    with pytest.raises(TableError, match="allowed are alles_futsch_v1, warehouse51_v1"):
        list(lesson_steps("chess_v0", "en"))
