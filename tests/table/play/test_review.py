"""What a review says of a way to play and of a mistake."""

from dataclasses import replace

import numpy as np
import pytest

from tests.table.play.games import recorded
from w51_agents.search.deliberation import Verdict, Worth
from w51_agents.search.price_limit import PriceLimit
from w51_agents.search.shrinkage import Belief
from w51_env.views.language import LANGUAGES, Words
from w51_lab.replay_viewer.frames import Frame, frames_of
from w51_table.play.advice import bid_of
from w51_table.play.reasons import habit_of, reason_of
from w51_table.play.review import accuracy, total_loss


@pytest.fixture(scope="module")
def auction() -> list[Frame]:
    """Decisions of an auction of a seat that may pass and bid 4 at least."""
    frames = [frame for frame in frames_of(recorded(num_players=3)) if frame.seat >= 0]
    return [frame for frame in frames if len(bids_of(frame)) >= 4]


def bids_of(frame: Frame) -> list[dict]:
    actions = frame.view(frame.seat).actions
    return [one for one in actions if bid_of(one)] if any(one["kind"] == "pass" for one in actions) else []


def verdict_of(best: int, judged: int, loss: float = 0.08) -> Verdict:
    worths = Worth(best, 0.4, 20.0, 500, 0.0, 0.0, 0.0), Worth(judged, 0.4 - loss, 18.0, 500, loss, 0.02, 0.99)
    behind = Belief(loss, 0.02, 0.99) if best != judged else Belief(0.0, 0.0, 0.0)
    return Verdict(worths, worths[best != judged], behind, 0.02, 500)


@pytest.mark.parametrize("language", LANGUAGES)
def test_why_a_bid_is_a_mistake_follows_from_what_its_seat_knew(auction, language):
    frame, words = auction[0], Words(language)
    view, bids = frame.view(frame.seat, words), bids_of(frame)
    passing = next(one["id"] for one in view.actions if one["kind"] == "pass")
    low, high = bids[0]["id"], bids[-1]["id"]
    limit = PriceLimit(passing, 0.4, np.array([low, high]), np.array([0.0, -0.1]), np.zeros(2), 100)

    def said(best: int, judged: int, view=view, limit: PriceLimit | None = limit) -> str:
        return reason_of(verdict_of(best, judged), limit, view, words)

    over = words("reason.over", over=bid_of(bids[-1]) - bid_of(bids[0]), limit=bid_of(bids[0]))
    assert said(passing, high) == over
    assert said(low, passing) == words("reason.let_go", limit=bid_of(bids[0]))
    assert said(passing, low, limit=None) == words("reason.chances", better=words.decimal(0.4, ".0%"),
                                                   chance=words.decimal(0.32, ".0%"))  # fmt: skip
    relic = view.table["lot"]["relic"]
    known = replace(view, table={**view.table, "beliefs": {relic: 1.0}})
    assert said(passing, high, known) == words("reason.counterfeit")
    payee = view.table["lot"]["payee"]
    ahead = [{**one, "standing": {"total": 99 * (one["seat"] == payee)}} for one in view.players]
    assert said(passing, low, replace(view, players=ahead)) == words("reason.leader", name=view.players[payee]["name"])


def test_a_way_to_play_that_costs_is_told_and_one_that_does_not_is_not(auction):
    words = Words("en")

    def told(choose, unlikely: int = 0, loss: float = 0.01) -> str:
        frames = [replace(frame, action=choose(frame)) for frame in auction[:12]]
        passing = {frame.number: verdict_of(0, frame.action, loss) for frame in frames}
        return habit_of(frames, passing, unlikely, words)

    def passes(frame: Frame) -> int:
        return next(one["id"] for one in frame.view(frame.seat).actions if one["kind"] == "pass")

    def doubles(frame: Frame) -> int:
        bids = bids_of(frame)
        return min(bids, key=lambda one: abs(bid_of(one) - 2 * bid_of(bids[0])))["id"]

    assert "You passed each of 12 times" in told(passes)
    assert "12 of 12 bids" in told(lambda frame: bids_of(frame)[-1]["id"])
    assert "twice the price" in told(doubles)
    assert "hardly ever" in told(lambda frame: bids_of(frame)[0]["id"], unlikely=6)
    assert told(lambda frame: bids_of(frame)[0]["id"]) == told(passes, loss=0.0) == ""


def test_accuracy_is_beside_the_best_action_and_loss_beside_the_first_sight():
    verdicts = {1: verdict_of(0, 0), 2: verdict_of(0, 1, 0.03), 3: verdict_of(0, 1, 0.06)}
    assert accuracy(verdicts) == pytest.approx((1 + 0.5 + 0.25) / 3)
    assert total_loss(verdicts.values()) == pytest.approx((0.09, 0.02 * 2**0.5))
    better = replace(verdict_of(0, 0), behind=Belief(-0.2, 0.03, 0.0))
    assert total_loss([better, *verdicts.values()])[0] == pytest.approx(-0.11)
    assert accuracy({1: verdict_of(0, 0, 0.0)}) is None
