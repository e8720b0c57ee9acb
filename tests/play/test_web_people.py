"""Several people at a table: bots that stand in for those who are away, the clock, two windows, and a rematch."""

import time

import pytest

from tests.play.visitors import SOCKET, Browser, live_table, new_table, play_alone, play_to
from w51_env.play.table import PERSON
from w51_env.play.web import new_game, presence

THREE = [PERSON, PERSON, PERSON]


def wait_for_state(browser: Browser, fits) -> dict:
    """The next state of a table for which `fits(state)` is true."""
    while not browser.received or not fits(browser.received[-1]):
        browser.receive()
    return browser.received[-1]


def test_a_bot_plays_for_those_who_are_away_until_they_are_back(client):
    table = new_table(client, THREE, options={"first_player": 1})
    with client.websocket_connect(SOCKET) as a, client.websocket_connect(SOCKET) as b:
        host, public = Browser(a, table.table, table.tokens[0]), Browser(b, table.table)
        assert host.receive()["turn"] == 1
        public.receive()
        public.send(type="stand_in", seat=1, on=True)  # who does not play cannot order that
        host.send(type="stand_in", seat=0, on=True)  # nor for somebody who is here
        host.send(type="stand_in", seat=1, on=True)
        message = wait_for_state(host, lambda state: state["decision"] >= 1)
        assert [seat["stand_in"] for seat in message["seats"]] == [False, True, False]
        decision = wait_for_state(host, lambda state: state["turn"] in (0, 2))["decision"]
        with client.websocket_connect(SOCKET) as c:
            back = Browser(c, table.table, table.tokens[1])
            message = back.receive()
            assert not message["seats"][1]["stand_in"]
            assert message["decision"] == decision
            host.send(type="stand_in", seat=1, on=True)
        assert live_table(client, table.table).table.setup.seats == tuple(THREE)


@pytest.mark.parametrize("seat", [-1, 3, 10**12])
def test_a_seat_that_does_not_exist_has_no_stand_in(client, seat):
    table = new_table(client, THREE)
    with client.websocket_connect(SOCKET) as a:
        host = Browser(a, table.table, table.tokens[0])
        host.receive()
        host.send(type="stand_in", seat=seat, on=True)
        host.send(type="ping")
        assert host.receive()["type"] == "pong"
    assert live_table(client, table.table).presence.stand_ins == set()


def test_when_the_time_is_up_a_bot_decides(client, monkeypatch):
    monkeypatch.setattr(presence, "CLOCKS", (1,))
    monkeypatch.setattr(new_game, "CLOCKS", (1,))
    table = new_table(client, THREE, clock=1, options={"first_player": 0})
    with client.websocket_connect(SOCKET) as a:
        host = Browser(a, table.table, table.tokens[0])
        begun = time.monotonic()
        assert 0.5 < host.receive()["seconds"] <= 1
        late = host.until(1)
        assert time.monotonic() - begun > 0.8
        assert late["seconds"] > 0.5
    assert live_table(client, table.table).table.decision == 1


def test_without_a_clock_nobody_is_hurried_and_other_clocks_are_refused(client):
    table = new_table(client, THREE)
    with client.websocket_connect(SOCKET) as a:
        assert Browser(a, table.table, table.tokens[0]).receive()["seconds"] is None
    answer = client.post("/api/tables", json={"game": "warehouse51_v0", "seats": THREE, "clock": 7})
    assert answer.status_code == 400
    assert "clock: 7, but allowed are 15, 30, 60, 120 and null" in answer.json()["error"]


def test_a_seat_in_two_windows_is_told(client):
    table = new_table(client, THREE)
    with client.websocket_connect(SOCKET) as a, client.websocket_connect(SOCKET) as b:
        first, other = (Browser(socket, table.table, table.tokens[0]) for socket in (a, b))
        assert other.receive()["windows"] == 2
        wait_for_state(first, lambda state: state["windows"] == 2)


def test_a_rematch_has_the_same_people_and_another_seed_and_is_made_once(client):
    table = new_table(client, [PERSON, PERSON, "random"], preset="nano")
    path = f"/api/tables/{table.table}/rematch"
    bearer = [{"authorization": f"Bearer {token}"} for token in table.tokens]
    assert client.post(path, headers=bearer[0]).status_code == 400  # it is not over
    with client.websocket_connect(SOCKET) as a, client.websocket_connect(SOCKET) as b:
        browsers = [Browser(a, table.table, table.tokens[0]), Browser(b, table.table, table.tokens[1])]
        live = live_table(client, table.table)
        while not live.table.over:
            for browser in browsers:
                browser.until(live.table.decision)
            if live.table.seat in (0, 1):
                play_to(client, table, browsers, last=live.table.decision + 1)
        assert client.post(path).status_code == 400  # a spectator cannot
        made = [client.post(path, headers=headers).json()["table"] for headers in bearer[:2]]
        assert made[0] == made[1] != table.table
        assert wait_for_state(browsers[1], lambda state: state["next"])["next"] == made[0]
    again = live_table(client, made[0]).table.setup
    before = live.table.setup
    assert (again.seats, again.names, again.options) == (before.seats, before.names, before.options)
    assert again.seed != before.seed
    with client.websocket_connect(SOCKET) as a:
        assert Browser(a, made[0], table.tokens[1]).receive()["seat"] == 1


def test_a_stand_in_finishes_a_game_that_people_left(client):
    table = new_table(client, [PERSON, PERSON, "random"], preset="nano")
    with client.websocket_connect(SOCKET) as a:
        host = Browser(a, table.table, table.tokens[0])
        host.receive()
        host.send(type="stand_in", seat=1, on=True)
        play_alone(host, moves=1000)
        assert host.received[-1]["over"]


def test_an_invitation_gives_each_free_seat_once_and_only_to_those_who_have_it(client):
    table = new_table(client, [PERSON, PERSON, "random"], names=["Ann", "Bob", ""])
    host = {"authorization": f"Bearer {table.tokens[0]}"}
    path = f"/api/tables/{table.table}/invitation"
    assert client.get(path).status_code == 400
    found = client.get(path, headers=host).json()
    assert found["qr"].startswith("<svg")
    address, _, secret = found["link"].rpartition("/")
    assert address.endswith(f"/#/invite/{table.table}")
    assert secret not in table.tokens
    assert client.get(f"/api/tables/{table.table}", headers={"authorization": f"Bearer {secret}"}).status_code == 400
    guest = {"authorization": f"Bearer {secret}"}
    seats = f"/api/invitations/{table.table}"
    assert client.get(seats, headers=host).status_code == 400
    with client.websocket_connect(SOCKET) as a:
        Browser(a, table.table, table.tokens[0]).receive()
        offered = client.get(seats, headers=guest).json()["seats"]
        assert [(seat["name"], seat["free"]) for seat in offered][:2] == [("Ann", False), ("Bob", True)]
        assert [seat["free"] for seat in offered[2:]] == [False]
        for seat in (0, 2, 7):
            assert client.post(f"{seats}/{seat}", headers=guest).status_code == 400
        assert client.post(f"{seats}/1", headers={"authorization": "Bearer x"}).status_code == 400
        assert client.post(f"{seats}/1", headers=guest).json() == {"token": table.tokens[1]}
        assert client.post(f"{seats}/1", headers=guest).status_code == 400
    with client.websocket_connect(SOCKET) as b:
        assert Browser(b, table.table, table.tokens[1]).receive()["seat"] == 1


def test_the_state_of_a_game_is_told_to_its_people_from_what_they_may_know(client):
    table = new_table(client, [PERSON, PERSON, "random"], options={"first_player": 1}, names=["Ann", "Bob", ""])
    path = f"/api/tables/{table.table}"
    assert client.get(path).status_code == 400
    states = [client.get(path, headers={"authorization": f"Bearer {token}"}).json() for token in table.tokens[:2]]
    assert [state["yours"] for state in states] == [False, True]
    assert states[0]["headline"] == "Bob chooses a deck"
    assert [name for name, _ in states[0]["standings"]][:2] == ["Ann", "Bob"]
    assert not states[0]["over"]
