"""Several people at one table: who is away, time for a decision, two windows, invitations, and a rematch."""

import asyncio
import time
from concurrent.futures import Future

import pytest

pytest.importorskip("starlette", reason="needs the extra 'play'")

from tests.table.play.games import InProcessPool
from tests.table.web.visitors import (
    SOCKET,
    Browser,
    bearer,
    first_state,
    ids_of,
    live_table,
    new_table,
    play_alone,
    play_out,
    play_to,
    serving,
    visits,
)  # fmt: skip
from w51_table.play.agent_pool import Answer, Question, failed
from w51_table.play.table import PERSON
from w51_table.web import new_game, presence, session
from w51_table.web.sockets import NOT_FOUND

THREE = [PERSON, PERSON, PERSON]


def wait_for_state(browser: Browser, fits) -> dict:
    """The next state of a table for which `fits(state)` is true."""
    while not browser.received or not fits(browser.received[-1]):
        browser.receive()
    return browser.received[-1]


@pytest.fixture
def one_second(monkeypatch) -> None:
    """A clock of one second is offered."""
    monkeypatch.setattr(presence, "CLOCKS", (1,))
    monkeypatch.setattr(new_game, "CLOCKS", (1,))


def test_a_bot_plays_for_those_who_are_away_until_they_are_back(client):
    table = new_table(client, THREE, options={"first_player": 1})
    with visits(client, table, 0, None) as [host, public]:
        assert host.receive()["turn"] == 1
        public.receive()
        public.send(type="stand_in", seat=1, on=True)  # who does not play cannot order that
        for seat in (0, 1):  # nor for somebody who is here
            host.send(type="stand_in", seat=seat, on=True)
        message = wait_for_state(host, lambda state: state["decision"] >= 1)
        assert [seat["stand_in"] for seat in message["seats"]] == [False, True, False]
        decision = wait_for_state(host, lambda state: state["turn"] in (0, 2))["decision"]
        with visits(client, table, 1) as [back]:
            message = back.receive()
            assert not message["seats"][1]["stand_in"]
            assert message["decision"] == decision
            host.send(type="stand_in", seat=1, on=True)
        assert live_table(client, table.table).table.setup.seats == tuple(THREE)


def test_a_seat_that_does_not_exist_has_no_stand_in(client):
    table = new_table(client, THREE)
    with visits(client, table, 0) as [host]:
        host.receive()
        for seat in (-1, 3, 10**12):
            host.send(type="stand_in", seat=seat, on=True)
        host.send(type="ping")
        assert host.receive()["type"] == "pong"
    assert live_table(client, table.table).presence.stand_ins == set()


def test_when_the_time_is_up_a_bot_decides(client, one_second):
    table = new_table(client, THREE, clock=1, options={"first_player": 0})
    with visits(client, table, 0) as [host]:
        begun = time.monotonic()
        assert 0.5 < host.receive()["seconds"] <= 1
        late = host.until(1)
        assert time.monotonic() - begun > 0.8
        assert late["seconds"] > 0.5
    assert live_table(client, table.table).table.decision == 1


def test_without_a_clock_nobody_is_hurried_and_other_clocks_are_refused(client):
    assert first_state(client, new_table(client, THREE))["seconds"] is None
    answer = client.post("/api/tables", json={"game": "warehouse51_v1", "seats": THREE, "clock": 7})
    assert answer.status_code == 400
    assert "clock: 7, but allowed are 15, 30, 60, 120 and null" in answer.json()["error"]


def test_a_seat_in_two_windows_is_told(client):
    with visits(client, new_table(client, THREE), 0, 0) as [first, other]:
        assert other.receive()["windows"] == 2
        wait_for_state(first, lambda state: state["windows"] == 2)


def test_a_rematch_has_the_same_people_and_another_seed_and_is_made_once(client):
    table = new_table(client, [PERSON, PERSON, "random"], preset="nano")
    path, own = f"/api/tables/{table.table}/rematch", [bearer(token) for token in table.tokens]
    assert client.post(path, headers=own[0]).status_code == 400  # it is not over
    with visits(client, table, 0, 1) as browsers:
        live = live_table(client, table.table)
        while not live.table.over:
            for browser in browsers:
                browser.until(live.table.decision)
            if live.table.seat in (0, 1):
                play_to(client, table, browsers, last=live.table.decision + 1)
        assert client.post(path).status_code == 400  # a spectator cannot
        made = [client.post(path, headers=headers).json()["table"] for headers in own[:2]]
        assert made[0] == made[1] != table.table
        assert wait_for_state(browsers[1], lambda state: state["next"])["next"] == made[0]
    again, before = live_table(client, made[0]).table.setup, live.table.setup
    assert (again.seats, again.names, again.options) == (before.seats, before.names, before.options)
    assert again.seed != before.seed
    with client.websocket_connect(SOCKET) as a:
        assert Browser(a, made[0], table.tokens[1]).receive()["seat"] == 1


def test_a_stand_in_finishes_a_game_that_people_left(client):
    with visits(client, new_table(client, [PERSON, PERSON, "random"], preset="nano"), 0) as [host]:
        host.receive()
        host.send(type="stand_in", seat=1, on=True)
        play_alone(host, moves=1000)
        assert host.received[-1]["over"]


def test_an_invitation_gives_each_free_seat_once_and_only_to_those_who_have_it(client):
    table = new_table(client, [PERSON, PERSON, "random"], names=["Ann", "Bob", ""])
    host, path = bearer(table.tokens[0]), f"/api/tables/{table.table}/invitation"
    assert client.get(path).status_code == 400
    found = client.get(path, headers=host).json()
    assert found["qr"].startswith("<svg")
    address, _, secret = found["link"].rpartition("/")
    assert address.endswith(f"/#/invite/{table.table}")
    assert secret not in table.tokens
    guest, seats = bearer(secret), f"/api/invitations/{table.table}"
    assert client.get(f"/api/tables/{table.table}", headers=guest).status_code == 400
    assert client.get(seats, headers=host).status_code == 400
    with visits(client, table, 0) as [browser]:
        browser.receive()
        offered = client.get(seats, headers=guest).json()["seats"]
        assert [(seat["name"], seat["free"]) for seat in offered][:2] == [("Ann", False), ("Bob", True)]
        assert [seat["free"] for seat in offered[2:]] == [False]
        for seat in (0, 2, 7):
            assert client.post(f"{seats}/{seat}", headers=guest).status_code == 400
        assert client.post(f"{seats}/1", headers=bearer("x")).status_code == 400
        token = client.post(f"{seats}/1", headers=guest).json()["token"]
        assert token not in table.tokens  # which the host knows
        assert client.post(f"{seats}/1", headers=guest).status_code == 400
    with visits(client, table, 1) as [void]:
        assert void.until_closed() == NOT_FOUND
    with client.websocket_connect(SOCKET) as b:
        assert Browser(b, table.table, token).receive()["seat"] == 1


def test_a_seat_stays_taken_when_the_server_begins_again_the_table_is_put_away_and_in_a_rematch(tmp_path):
    with serving(tmp_path) as client:
        table = new_table(client, [PERSON, PERSON, PERSON, "random"], preset="mini", options={"relics": "nano"})
        host = bearer(table.tokens[0])
        link = client.get(f"/api/tables/{table.table}/invitation", headers=host).json()["link"]
        guest = bearer(link.rpartition("/")[2])
        first_state(client, table, 1)  # by a link of their own, and soon gone
        token = client.post(f"/api/invitations/{table.table}/2", headers=guest).json()["token"]

        def is_taken(client, name) -> bool:
            claimed = [client.post(f"/api/invitations/{name}/{seat}", headers=guest).status_code for seat in range(3)]
            owners = map(bearer, (*table.tokens[:2], token))
            states = [client.get(f"/api/tables/{name}", headers=own).status_code for own in owners]
            return claimed == [400] * 3 and states == [200] * 3

        def unload(client) -> None:
            client.portal.call(client.app.state.server.tables.unload, -1.0)

        assert is_taken(client, table.table)
        unload(client)
        assert is_taken(client, table.table)
    with serving(tmp_path) as client:
        assert is_taken(client, table.table)
        live = live_table(client, table.table)
        play_out(live)
        path = f"/api/tables/{table.table}/rematch"
        again = client.post(path, headers=host).json()["table"]
        assert is_taken(client, again)
        unload(client)
        live_table(client, table.table).table = live.table
        assert client.post(path, headers=host).json()["table"] == again
        unload(client)
        (tmp_path / f"{again}.table").unlink()
        live_table(client, table.table).table = live.table
        assert client.post(path, headers=host).json()["table"] != again


def test_a_spectator_keeps_neither_the_clock_nor_the_agents_running(client, one_second):
    table = new_table(client, THREE, clock=1, options={"first_player": 0})
    agents = new_table(client, [PERSON, "random", "random"], options={"first_player": 1})
    with visits(client, table, None) as [first], visits(client, agents, None) as [second]:
        assert first.receive()["seconds"] is None
        assert not second.receive()["thinking"]
        time.sleep(1.2)
        assert [live_table(client, one.table).table.decision for one in (table, agents)] == [0, 0]
        assert first_state(client, table)["seconds"] > 0.5


def test_who_loads_the_page_again_is_not_away(client, monkeypatch):
    monkeypatch.setattr(presence, "RELOAD_SECONDS", 0.6)
    monkeypatch.setattr(session, "RELOAD_SECONDS", 0.6)
    table = new_table(client, THREE, options={"first_player": 1})
    with visits(client, table, 0) as [host]:
        first_state(client, table, 1)
        wait_for_state(host, lambda state: state["seats"][1]["here"])
        host.send(type="stand_in", seat=1, on=True)
        host.send(type="ping")
        while host.receive()["type"] != "pong":
            pass
        assert live_table(client, table.table).presence.stand_ins == set()
        host.receive()
        wait_for_state(host, lambda state: not state["seats"][1]["here"])  # is told without another event
        host.send(type="stand_in", seat=1, on=True)
        host.until(1)


def test_a_stand_in_that_still_thinks_does_not_decide_for_who_is_back(client, monkeypatch):
    table = new_table(client, THREE, options={"first_player": 1})
    waiting: list[tuple[Question, Future[Answer]]] = []

    def ask(self: InProcessPool, question: Question) -> Future[Answer]:
        waiting.append((question, Future()))
        return waiting[-1][1]

    monkeypatch.setattr(InProcessPool, "ask", ask)
    with visits(client, table, 0) as [host]:
        host.receive()
        host.send(type="stand_in", seat=1, on=True)
        wait_for_state(host, lambda state: state["seats"][1]["stand_in"])
        with visits(client, table, 1) as [back]:
            back.send(type="act", decision=0, action=ids_of(back.receive())[0])
            back.until(1)
            [(question, answer)] = waiting
            client.portal.call(answer.set_result, failed(question, "late"))
            client.portal.call(asyncio.sleep, 0.05)
            live = live_table(client, table.table)
            assert (live.table.decision, live.failure) == (1, None)


def test_a_typed_seed_is_shown_to_all_and_a_rematch_has_another_one(client):
    table, other = new_table(client, THREE, seed="7"), new_table(client, THREE)
    for made, seed in ((table, "7"), (other, None)):
        guest = bearer(live_table(client, made.table).keys.invitation)
        assert client.get(f"/api/invitations/{made.table}", headers=guest).json()["seed"] == seed
        for seat in (None, 1):
            assert first_state(client, made, seat)["seed"] == seed
    play_out(live_table(client, table.table))
    again = client.post(f"/api/tables/{table.table}/rematch", headers=bearer(table.tokens[0])).json()["table"]
    assert live_table(client, again).typed_seed is None


def test_the_state_of_a_game_is_told_to_its_people_from_what_they_may_know(client):
    table = new_table(client, [PERSON, PERSON, "random"], options={"first_player": 1}, names=["Ann", "Bob", ""])
    path = f"/api/tables/{table.table}"
    assert client.get(path).status_code == 400
    states = [client.get(path, headers=bearer(token)).json() for token in table.tokens[:2]]
    assert [state["yours"] for state in states] == [False, True]
    assert states[0]["headline"] == "Bob chooses a deck"
    assert [name for name, _ in states[0]["standings"]][:2] == ["Ann", "Bob"]
    assert not states[0]["over"]
