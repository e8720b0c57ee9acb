"""What the coach says of a decision, and which beliefs come first."""

import pytest

from tests.table.play.games import recorded
from w51_agents.named.explanation import Choice, Explanation
from w51_env.engine.game import ALL
from w51_env.views.language import LANGUAGES, Words
from w51_lab.replay_viewer.frames import Frame, frames_of
from w51_lab.replay_viewer.reports import report_of
from w51_table.play.advice import advice_sentences
from w51_table.play.coach import COACH
from w51_table.web.thoughts import beliefs_data


@pytest.fixture(scope="module")
def frame() -> Frame:
    """A decision of an open auction in which a seat may pass or bid."""
    for frame in frames_of(recorded(num_players=3)):
        kinds = [action["kind"] for action in frame.view(frame.seat).actions]
        if kinds.count("bid") > 3 and "pass" in kinds:
            return frame
    raise AssertionError


def advice(frame: Frame, best: str, other: str, chances: tuple[float, float]) -> Explanation:
    """Advice with a standard error of 2 % for each chance, and of 3 % for the difference."""
    ids = [frame.game.actions.id(name) for name in (best, other)]
    points = (20.0, 18.4)
    choices = [
        Choice(action, utility=chance, error=0.02, playouts=192, points=each, lead_error=0.03)
        for action, chance, each in zip(ids, chances, points, strict=True)
    ]
    return Explanation(COACH, ids[0], choices=tuple(choices))


def said(frame: Frame, best: str, other: str, chances: tuple[float, float], language: str = "en") -> list[str]:
    words = Words(language)
    return advice_sentences(advice(frame, best, other, chances), frame.view(frame.seat, words), words)


def test_advice_not_to_bid_says_what_the_alternative_would_leave_and_that_the_lot_is_not_worth_it(frame):
    bids = [action for action in frame.view(frame.seat).actions if action["kind"] == "bid"]
    amount, has = bids[-1]["ingots"], frame.view(frame.seat).players[frame.seat]["ingots"]
    sentences = said(frame, "pass", bids[-1]["name"], (0.4, 0.28))
    assert sentences[:4] == [
        "It won 40% ± 4% of 192 games that were played to the end from here.",
        f"The best alternative won 28%: bid {amount}. Difference of the final score: +1.6 points.",
        f"bid {amount}: it leaves you {has - amount} of {has}.",
        f"What the lot would bring is not worth {amount} here.",
    ]
    assert len(sentences) > 4  # what it would bring


def test_advice_to_bid_or_that_hardly_differs_argues_against_nothing(frame):
    bid = next(action["name"] for action in frame.view(frame.seat).actions if action["kind"] == "bid")
    for best, other, chances in ((bid, "pass", (0.4, 0.28)), ("pass", bid, (0.4, 0.39))):
        assert "not worth" not in " ".join(said(frame, best, other, chances))
    assert "About as good with 39%" in said(frame, "pass", bid, (0.4, 0.39))[1]


@pytest.mark.parametrize("language", LANGUAGES)
def test_advice_is_said_in_every_language(frame, language):
    bid = next(action["name"] for action in frame.view(frame.seat).actions if action["kind"] == "bid")
    sentences = [*said(frame, "pass", bid, (0.4, 0.28), language), *said(frame, bid, "pass", (0.4, 0.39), language)]
    assert all(sentence and "{" not in sentence for sentence in sentences)


def test_what_is_about_as_good_is_within_the_interval_of_the_difference(frame):
    bid = next(action["name"] for action in frame.view(frame.seat).actions if action["kind"] == "bid")
    second = [said(frame, "pass", bid, (0.4, other))[1].split(" ")[0] for other in (0.33, 0.35)]
    assert second == ["The", "About"]  # 7 and 5 points with an error of 3


def test_a_report_says_intervals_of_two_errors_and_no_tiny_probability(frame):
    bid, words = next(one["name"] for one in frame.view(frame.seat).actions if one["kind"] == "bid"), Words("en")
    assert report_of(advice(frame, "pass", bid, (0.4, 0.28)), frame, words).rows[0][0] == "40% ± 4%"
    choices = tuple(Choice(frame.game.actions.id("pass"), share) for share in (7.8e-46, 0.0, 0.5))
    labels = [row[0] for row in report_of(Explanation("x", choices[0].action, choices=choices), frame, words).rows]
    assert labels == ["< 0.1%", "0.0%", "50.0%"]


def test_beliefs_begin_with_what_is_known_then_with_what_differs_from_most(frame):
    for viewer in (frame.seat, ALL):
        rows = beliefs_data(frame, viewer, Words("en"))["rows"]
        believed = [chances[:-1] if viewer == ALL else chances for _, chances in rows]
        known = [1 in chances for chances in believed]
        assert known == sorted(known, reverse=True)
        assert any(known)
        usual = believed[-1]
        differ = [chances != usual for chances, is_known in zip(believed, known, strict=True) if not is_known]
        assert differ == sorted(differ, reverse=True)
