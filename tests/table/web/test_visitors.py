"""Visitors beside each other: what one does keeps nobody else from a table, a replay, or the coach."""

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

pytest.importorskip("starlette", reason="needs the extra 'play'")
from starlette.testclient import TestClient

from tests.table.play.games import played_at_random
from tests.table.web.test_advice import BIDS, LATE, NAMES, sent
from tests.table.web.visitors import ADDRESS, ORIGIN, SOCKET, Browser, bearer, new_table, serving, visits
from w51_agents.named.explanation import Explanation
from w51_env.pictures.shapes import fit
from w51_table.play.coach import COACH, Coach
from w51_table.play.table import PERSON
from w51_table.positions.evening import Evening
from w51_table.web.limits import Allowances, ServerLimits, visitor_of
from w51_table.web.sockets import TOO_MANY

HUNG = 3.0  # seconds; what is refused is at once


def another(client: TestClient, host: str = "10.0.0.2", **headers: str) -> TestClient:
    """A visitor of the same server with another address."""
    return TestClient(client.app, base_url=ADDRESS, headers={**ORIGIN, **headers}, client=(host, 5))


def replay_of(name: str) -> bytes:
    """A short game, the same but for the name of a player."""
    replay = played_at_random(preset="nano").replay()
    return replay.encode().replace(json.dumps(replay.players[0]).encode(), json.dumps(name).encode())


@pytest.mark.parametrize("header", ["a" * 60_000 + ";x", "a," * 30_000, "de" + ";q=" * 20_000, "," * 60_000])
def test_a_long_list_of_languages_holds_nobody_up(client, header):
    begun = time.process_time()
    assert client.get("/api/covers/warehouse51_v1", headers={"accept-language": header}).status_code == 200
    assert time.process_time() - begun < HUNG


@pytest.mark.parametrize("path", ["?form=wide&", "/answer?agent=random&", "/replay?"])
@pytest.mark.parametrize("letter", ["a", "😀", "人", "\\"])
def test_long_names_at_a_real_table_are_refused_before_anything_is_drawn(client, path, letter):
    begun = time.process_time()
    answer = sent(client, path, *BIDS, names=[letter * 15_000, *NAMES[1:]])
    assert answer.status_code == 400
    assert "but texts of at most 24 letters are needed" in answer.json()["error"]
    assert time.process_time() - begun < HUNG
    assert sent(client, "?", *BIDS, names=[letter * 24, *NAMES[1:]]).status_code == 200


def test_a_long_text_of_a_picture_is_measured_to_its_place_only():
    begun = time.process_time()
    assert fit("😀" * 100_000, 20, 200) == "😀" * 9 + "…"
    assert time.process_time() - begun < 0.1


def test_an_evening_ends_when_nobody_waits_for_it():
    left = iter([None, None])
    with pytest.raises(StopIteration):
        Evening({"position": LATE, "names": NAMES, "events": BIDS}, check=lambda: next(left))


def test_replays_of_visitors_replace_neither_each_other_nor_that_of_the_command_line(client):
    server, guest = client.app.state.server, another(client)
    first = played_at_random(preset="nano").replay()
    own = server.replays.keep(first, "none")
    name = guest.post("/api/replays", content=replay_of("Zoe")).json()["replay"]
    assert client.post("/api/replays", content=first.encode()).json()["replay"] == own
    for number in range(40):
        assert client.post("/api/replays", content=replay_of(f"Guest {number}")).status_code == 200
    assert guest.get(f"/api/replays/{own}").json()["names"] == list(first.players)
    assert guest.get(f"/api/replays/{own}").json()["adviser"] == "none"
    assert guest.get(f"/api/replays/{name}").json()["names"][0] == "Zoe"


def test_who_makes_too_many_tables_is_refused_and_others_are_not(client):
    client.app.state.server.tables._new_of_visitors = Allowances(2, 0.0)
    form = {"game": "warehouse51_v1", "seats": ["random"] * 3, "preset": "nano"}
    assert [client.post("/api/tables", json=form).status_code for _ in range(3)] == [200, 200, 400]
    assert another(client).post("/api/tables", json=form).status_code == 200


def test_a_table_of_spectators_makes_room_and_they_may_come_again(tmp_path):
    with serving(tmp_path, limits=ServerLimits(tables=2)) as client:
        tables = [new_table(client, [PERSON] * 3) for _ in range(2)]
        with visits(client, tables[0], 0) as [player], visits(client, tables[1], None) as [spectator]:
            assert [player.receive()["type"], spectator.receive()["type"]] == ["state", "state"]
            another_table = new_table(client, [PERSON] * 3)
            assert spectator.until_closed() == TOO_MANY
            with visits(client, tables[1], None) as [again]:
                assert again.receive()["type"] == "state"
            status = f"/api/tables/{tables[0].table}"
            assert client.get(status, headers=bearer(tables[0].tokens[0])).status_code == 200
            with visits(client, another_table, 0) as [other]:
                assert other.receive()["type"] == "state"
                full = client.post("/api/tables", json={"game": "warehouse51_v1", "seats": [PERSON] * 3})
                assert full.json()["error"].startswith("All 2 tables")


def test_one_address_has_a_part_of_the_clients(tmp_path):
    with serving(tmp_path, limits=ServerLimits(clients=8)) as client, ExitStack() as stack:
        table = new_table(client, [PERSON] * 3)
        for _ in range(2):
            assert stack.enter_context(visits(client, table, None))[0].receive()["type"] == "state"
        with visits(client, table, None) as [third]:
            assert third.until_closed() == TOO_MANY
        with another(client).websocket_connect(SOCKET) as socket:
            assert Browser(socket, table.table).receive()["type"] == "state"


def test_behind_a_proxy_visitors_are_those_that_it_names(tmp_path):
    with serving(tmp_path, allowed_hosts=["play.example.org"]) as client:
        client.app.state.server.tables._new_of_visitors = Allowances(1, 0.0)
        form = {"game": "warehouse51_v1", "seats": ["random"] * 3, "preset": "nano"}
        sent_for = ["1.2.3.4", "9.9.9.9, 1.2.3.4", "9.9.9.9, 5.6.7.8", "1.2.3.4"]
        visitors = [another(client, **{"x-forwarded-for": one}) for one in sent_for]
        assert [one.post("/api/tables", json=form).status_code for one in visitors] == [200, 400, 200, 400]


@pytest.mark.parametrize(
    ("host", "visitor"),
    [("1.2.3.4", "1.2.3.4"), ("::ffff:1.2.3.4", "1.2.3.4"), ("2001:db8::1:2:3:4", "2001:db8::/64"), ("x" * 99, "")],
)
def test_a_visitor_is_an_address_or_the_network_of_one(host, visitor):
    assert visitor_of(host) == visitor


@pytest.fixture
def slow_coach(client, monkeypatch):
    """A coach that takes a while for any answer, at a server at which there is room for eight questions."""

    def slowly(coach, frame, seed):
        time.sleep(0.2)
        return Explanation(COACH, int(frame.mask.argmax()))

    hints = client.app.state.server.advisers._hints
    monkeypatch.setattr(Coach, "advise", slowly)
    hints.patience, hints._seconds = 4.0, 0.5
    return hints


def test_of_many_questions_to_the_coach_each_is_answered_or_refused_at_once(client, slow_coach):
    guest = another(client)

    def ask(visitor: TestClient) -> tuple[int, float]:
        begun = time.monotonic()
        status = sent(visitor, "/answer?", *BIDS, position=LATE).status_code
        return status, time.monotonic() - begun

    with ThreadPoolExecutor(62) as pool:
        many = [pool.submit(ask, client) for _ in range(60)]
        time.sleep(0.3)
        assert pool.submit(ask, guest).result()[0] == 200  # in turn, and not behind all others
        waiting = sum(not one.done() for one in many)
        found = [one.result() for one in many]
    assert {status for status, _ in found} == {200, 400}
    assert sum(status == 200 for status, _ in found) >= 4
    assert waiting
    assert max(seconds for _, seconds in found) < 20


def test_a_hint_is_refused_in_words_or_not_computed_for_who_has_left(client, slow_coach):
    blocked = threading.Event()
    slow_coach.submit("another visitor", blocked.wait)
    table = new_table(client, [PERSON, "random", "random"])
    with visits(client, table, 0) as [browser]:
        state = browser.receive()
        while not state["actions"]:
            state = browser.receive()
        browser.send(type="hint", decision=state["decision"])
        while browser.receive().get("type") != "hint":
            pass
        assert browser.received[-1]["first"]
    for _ in range(50):
        if not sum(not one.cancelled() for waiting in slow_coach._waiting.values() for one, _ in waiting):
            break
        time.sleep(0.1)
    else:
        pytest.fail("the hint still waits")
    slow_coach.patience = 0.0
    with visits(client, table, 0) as [browser]:
        browser.send(type="hint", decision=state["decision"])
        while browser.receive()["type"] != "busy":
            pass
        assert browser.received[-1]["text"] == "The server has too much to do. Try again later."
    blocked.set()
