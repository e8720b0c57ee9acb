"""The page of a real table without a browser: what it is sent, and that the server keeps nothing."""

import json

import pytest

pytest.importorskip("starlette", reason="needs the extra 'play'")

from tests.table.web.visitors import ORIGIN
from w51_env.warehouse51.relics import load_relic_set
from w51_lab.replays.replay import Replay
from w51_table.play.coach import Coach
from w51_table.play.evening import frame
from w51_table.positions.evening import Evening

POSITION = {"game": "warehouse51_v1", "seat": 0, "gaps": {"0": ["holy_grail"], "3": ["excalibur"]}, "revealer": 1}
TURNED = {"action": "choose_deck_red", "shown": ["oracle_bones"]}
BIDS = [TURNED, {"action": "pass"}, {"action": "bid_2"}]
NAMES = ["Ida", "Ben", "Zoe", "Max"]
OTHERS = {relic.id for relic in load_relic_set("reconstruction-1").relics} - {"holy_grail", "excalibur", "oracle_bones"}
LATE = {**POSITION, "unsold": sorted(OTHERS)[:12]}  # the coach has half a game to play to the end


def sent(client, path: str, *events, language: str = "en", **data):
    body = json.dumps({"position": POSITION, "names": NAMES, "events": [*events], **data})
    return client.post(f"/api/advice{path}language={language}", content=body, headers=ORIGIN)


def test_the_form_gets_all_relics_and_who_may_advise(client):
    blank = client.get("/api/advice/warehouse51_v1?players=3&language=en").json()
    assert len(blank["table"]["relics"]) == 26
    assert [player["ingots"] for player in blank["players"]] == [10, 10, 10]
    assert blank["agents"][0] == ["coach", "Coach"]
    assert blank["first"] in [name for name, _ in blank["agents"]]
    assert client.get("/api/advice/alles_futsch_v1?players=6&language=en").status_code == 400


def test_each_event_leads_to_the_next_and_asks_for_what_it_shows(client):
    begun = sent(client, "?").json()
    assert (begun["headline"], begun["turn"], begun["advised"]) == ("Ben chooses a deck", 1, False)
    assert begun["names"] == {str(index): f"choose_deck_{name}" for index, name in enumerate(begun_decks(begun))}
    needs = sent(client, "?", {"action": "choose_deck_red"}).json()["needs"]
    assert needs["asks"] == "Which relic was turned over?"
    assert ["oracle_bones", "Oracle Bones"] in needs["choices"]
    passed = sent(client, "?", TURNED, {"action": "pass"}, {"action": "bid_2"}).json()
    assert passed["turn"] == 0
    assert passed["advised"]
    assert passed["news"][-1] == "Max bids 2."
    assert passed["position"]["bid"] == 2
    assert passed["beliefs"]["names"] == ["Ida"]


def begun_decks(state) -> list[str]:
    return [group["part"].removeprefix("category:") for group in state["actions"]]


def test_the_answer_says_what_to_do_how_sure_it_is_and_why(client):
    answer = sent(client, "/answer?", *BIDS, position=LATE).json()
    assert answer["title"] == f"Coach: {answer['text']}"
    assert len(answer["choices"]) == 2
    assert answer["why"].startswith("It won ")
    assert "You would pay Ben." in answer["reasons"]
    assert sent(client, "/answer?agent=pretrained&", *BIDS).json()["text"].startswith(("bid", "pass"))


def test_the_coach_advises_the_same_at_a_real_table_as_at_one_of_the_page(client):
    evening = Evening({"position": LATE, "names": NAMES, "events": BIDS})
    advice = Coach().advise(frame(evening, evening.advised()), 0)
    answer = sent(client, "/answer?", *BIDS, position=LATE).json()
    assert [choice["utility"] for choice in answer["choices"]] == [choice.utility for choice in advice.choices]


@pytest.mark.parametrize(
    ("path", "data", "message"),
    [
        ("?", {"position": {**POSITION, "gaps": {}}}, "Counterfeits in the gap between Ida and Ben: there is one"),
        ("?", {"names": ["Ida"]}, "names: 1, but there are 4 seats"),
        ("?", {"position": 3}, "position: 3, but an object with game, seat and more is needed"),
        ("/answer?", {}, "It is not your decision."),
        ("/answer?agent=llm:x&", {}, "agent: 'llm:x', but allowed are"),
    ],
)
def test_what_is_not_possible_is_said(client, path, data, message):
    answer = sent(client, path, **data)
    assert answer.status_code == 400
    assert message in answer.json()["error"]


@pytest.mark.parametrize(
    ("wrong", "field", "most"),
    [
        ({"ingots": [1212, 0, 0, 0]}, "ingots[0]", 70),
        ({"ingots": [7, 70, 9, 8]}, "ingots", None),
        ({"lot": "oracle_bones", "bid": 3}, "leader", None),
        ({"gaps": {"0": ["holy_grail"], "3": []}}, "gaps[3]", None),
        ({"unsold": ["excalibur", "excalibur"]}, "relics", None),
    ],
)
def test_a_mistake_names_the_field_that_it_is_about(client, wrong, field, most):
    answer = sent(client, "?", position={**POSITION, **wrong}).json()
    assert (answer["field"], answer["most"]) == (field, most)


def test_a_mistake_is_said_in_the_language_of_the_page(client):
    wrong = {"position": {**POSITION, "ingots": [70, 0, 0, 0]}}
    said = {sent(client, "?", language=language, **wrong).json()["error"] for language in ("en", "fr", "de", "hu")}
    assert len(said) == 4


def test_an_evening_is_exported_as_a_replay_that_the_page_shows(client):
    content = sent(client, "/replay?", TURNED, {"action": "pass"}).content
    replay = Replay.parse(content.decode())
    replay.verify()
    assert replay.players == tuple(NAMES)
    shown = client.post("/api/replays?language=en", content=content, headers=ORIGIN).json()["replay"]
    assert client.get(f"/api/replays/{shown}?language=en").json()["steps"] == 3
    assert client.get(f"/api/replays/{shown}/0?language=en").json()["headline"] == "Ben chooses a deck"
