"""How fast agents play: at a delay while people decide or watch a lot, else in one go."""

import time

import numpy as np
import pytest

pytest.importorskip("starlette", reason="needs the extra 'play'")

from tests.table.play.games import InProcessPool
from tests.table.web.visitors import Browser, new_table, visits
from w51_table.play.agent_pool import Answer, Question
from w51_table.play.table import PERSON

SEATS = [PERSON, "heuristic", "heuristic", "heuristic"]


def pass_lot(browser: Browser) -> dict:
    """Pass at the next own turn in an auction; the state at that turn."""
    while True:
        state = browser.receive()
        if passes := [group for group in state["actions"] if group["kind"] == "pass"]:
            browser.send(type="act", decision=state["decision"], action=passes[0]["id"])
            return state
        if state["actions"]:
            group = state["actions"][0]
            action = group["id"] if "id" in group else group["choices"][0][1]
            browser.send(type="act", decision=state["decision"], action=action)


def states_until(browser: Browser, key: str) -> list[dict]:
    """The states up to one that has something in a field, or the end."""
    states = [browser.receive()]
    while not states[-1][key] and not states[-1]["over"]:
        states.append(browser.receive())
    return states


def raise_ten_times(self: InProcessPool, question: Question) -> Answer:
    """The least bid, in the first two dozen decisions."""
    legal = np.flatnonzero(question.decision[1])
    names = [question.game.actions[action].name for action in legal]
    is_early = len(question.past.actions) < 24
    return Answer(
        int(
            next(
                (one for one, name in zip(legal, names, strict=True) if name.startswith("raise") == is_early), legal[0]
            )
        )
    )


def test_an_auction_that_has_lost_its_people_is_played_in_one_go(client, monkeypatch):
    """Some thirty bids and passes at 0.4 s each were 12 s in which there was nothing to do."""
    monkeypatch.setattr(InProcessPool, "answer", raise_ten_times)
    table = new_table(client, SEATS, "alles_futsch_v1", pace=2.5, options={"first_player": 0})
    with visits(client, table, 0) as [browser]:
        passed = pass_lot(browser)["decision"]
        begun = time.monotonic()
        states = states_until(browser, "staged")  # sold
        assert sum(len(state["raises"]) for state in states) >= 10
        assert states[-1]["decision"] > passed + 10
        assert len(states) <= 2 + int(time.monotonic() - begun)


def test_who_is_in_a_hurry_is_shown_the_next_own_decision(client):
    table = new_table(client, SEATS, pace=2.5, seed="4")
    with visits(client, table, 0) as [browser]:
        pass_lot(browser)
        while not (state := browser.receive())["hurry"]:
            pass
        browser.send(type="hurry")
        begun = time.monotonic()
        states = states_until(browser, "actions")
        assert states[-1]["decision"] > state["decision"] + 3
        assert len(states) <= 2 + int(time.monotonic() - begun)
        assert not states[-1]["hurry"]  # it is the own turn


def test_nobody_hurries_other_people(client):
    table = new_table(client, [PERSON, PERSON, "heuristic"], pace=0.4, seed="4")
    with visits(client, table, 0, 1) as browsers:
        for browser in browsers:
            assert not browser.receive()["hurry"]
