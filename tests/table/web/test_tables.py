"""Tables of the web server: put away and opened again, full disks, agents that fail."""

import asyncio
import gc
import resource
import weakref
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager

import pytest

pytest.importorskip("starlette", reason="needs the extra 'play'")

from tests.table.play.games import InProcessPool
from tests.table.web.visitors import (
    bearer,
    first_state,
    ids_of,
    live_table,
    new_table,
    play_alone,
    serving,
    visits,
)  # fmt: skip
from w51_table.play.agent_pool import failed, next_question
from w51_table.play.table import PERSON
from w51_table.web import session
from w51_table.web.limits import ServerLimits
from w51_table.web.sockets import TOO_MANY


@pytest.mark.slow
def test_a_game_with_agents_goes_on_after_the_server_ended(tmp_path):
    with serving(tmp_path) as client:
        table = new_table(client, [PERSON, "random", "heuristic"])
        with visits(client, table, 0) as [browser]:
            play_alone(browser, moves=5)
        before = live_table(client, table.table).table
    with serving(tmp_path) as client:
        with visits(client, table, 0) as [browser]:
            browser.receive()
            after = live_table(client, table.table).table
            assert after.actions[: before.decision] == before.actions
            play_alone(browser, moves=1000)
        costs = client.get(f"/api/review/{table.table}/0").json()
        assert len(costs["costs"]) <= costs["decisions"] == sum(move.seat == 0 for move in after.moves())
        assert client.get(f"/api/replays/{table.table}").json()["steps"] == after.decision + 1
        notes = [client.get(f"/api/replays/{table.table}/{step}/thoughts").json()["note"] for step in range(6)]
        assert ["A person decides" in note for note in notes] == [move.seat == 0 for move in after.moves()[:6]]


def test_nothing_of_a_game_in_progress_can_be_reviewed_or_replayed(client):
    table = new_table(client, [PERSON, PERSON, PERSON])
    own = bearer(table.tokens[0])
    of_review, of_replay = ("", "/chances", "/0"), ("", "/0", "/file", "/0/thoughts", "/0/beliefs", "/moves")
    for path in [*(f"review/{{}}{end}" for end in of_review), *(f"replays/{{}}{end}" for end in of_replay)]:
        answer = client.get(f"/api/{path.format(table.table)}", headers=own)
        assert answer.status_code == 400, path
        assert set(answer.json()) == {"error"}
    assert client.post(f"/api/replays/{table.table}/0/again", json={"action": None}).status_code == 400


def test_a_hint_goes_to_the_seat_to_move_only(client):
    table = new_table(client, [PERSON, PERSON, PERSON], preset="mini", options={"first_player": 0})
    with visits(client, table, 0, 1) as [mover, other]:
        other.receive()
        mover.send(type="hint", decision=0)
        hints = []
        while len(hints) < 2:
            if (message := mover.receive())["type"] == "hint":
                hints.append(message)
        first, hint = hints
        assert (first["first"], first["reasons"]) == (True, [])
        assert not hint["first"]
        assert hint["reasons"]
        assert hint["action"] in ids_of(next(message for message in mover.received if message["type"] == "state"))
        other.send(type="hint", decision=0)
        mover.send(type="act", decision=0, action=hint["action"])
        other.until(1)
        assert {message["type"] for message in other.received} == {"state"}


def test_a_table_that_nobody_visits_is_put_away_and_opened_again(client):
    table = new_table(client, [PERSON, "random", "random"])
    tables = client.app.state.server.tables
    with visits(client, table, 0) as [browser]:
        browser.receive()
        tables.unload(idle=0.0)
        assert len(tables) == 1
    client.portal.call(tables.unload, 0.0)
    assert len(tables) == 0
    assert first_state(client, table)["seat"] == 0
    assert len(tables) == 1


def test_a_table_keeps_its_pace_when_it_is_put_away(client):
    table = new_table(client, [PERSON, "random", "random"], pace=2.5)
    client.portal.call(client.app.state.server.tables.unload, -1.0)
    assert first_state(client, table)["pace"] == 2.5


def test_a_table_is_not_put_away_while_somebody_waits_for_its_agent(client, monkeypatch):
    table = new_table(client, ["random", "random", "random"])
    tables, waiting = client.app.state.server.tables, Future()
    ask = InProcessPool.ask
    monkeypatch.setattr(InProcessPool, "ask", lambda self, question: waiting)

    async def advance() -> tuple[int, int]:
        live = await tables.get(table.table)
        deciding = asyncio.create_task(live.advance(0))
        await asyncio.sleep(0)
        tables.unload(-1.0)
        kept = len(tables)
        waiting.set_result(ask(live.pool, next_question(live.table, "random")).result())
        await deciding
        return kept, live.table.decision

    assert client.portal.call(advance) == (1, 1)
    client.portal.call(tables.unload, -1.0)
    assert len(tables) == 0


@contextmanager
def full_disk(most: int) -> Iterator[None]:
    """No file can become longer than `most` bytes, as if the disk were full."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_a_decision_that_cannot_be_written_is_not_played_and_can_be_taken_again(client, tmp_path, caplog):
    table = new_table(client, [PERSON, PERSON, PERSON], options={"first_player": 0})
    file = tmp_path / f"{table.table}.table"
    with visits(client, table, 0) as [browser]:
        before, size = browser.receive(), file.stat().st_size
        with full_disk(size + 3):
            browser.send(type="act", decision=0, action=ids_of(before)[0])
            after = browser.receive()
        assert (after["decision"], ids_of(after)) == (0, ids_of(before))
        assert after["failure"] == "The server cannot write to its disk. The reason is in its log."
        assert file.stat().st_size == size
        assert "File too large" in caplog.text
        browser.send(type="act", decision=0, action=ids_of(before)[0])
        assert browser.until(1)["failure"] is None


def test_a_replay_that_could_not_be_written_is_written_when_somebody_asks_for_it(client, tmp_path):
    table = new_table(client, [PERSON, "random", "random"], preset="nano")
    (tmp_path / f"{table.table}.json").mkdir()
    with visits(client, table, 0) as [browser]:
        play_alone(browser, 200)
        assert browser.received[-1]["over"]
    path = f"/api/replays/{table.table}/file"
    assert client.get(path).json()["error"].startswith("The server cannot write")
    (tmp_path / f"{table.table}.json").rmdir()
    assert client.get(path).json()["game"] == "warehouse51_v1"


def test_a_table_that_cannot_be_written_is_not_begun(client):
    with full_disk(10):
        answer = client.post("/api/tables", json={"game": "warehouse51_v1", "seats": [PERSON] * 3})
    assert (answer.status_code, len(client.app.state.server.tables)) == (400, 0)
    assert answer.json()["error"].startswith("The server cannot write")


def test_when_all_tables_are_in_use_the_page_tries_again(tmp_path):
    with serving(tmp_path, limits=ServerLimits(tables=1)) as client:
        first = new_table(client, [PERSON] * 3)
        second = new_table(client, [PERSON] * 3)
        with visits(client, second, 0) as [browser]:
            browser.receive()
            with visits(client, first, 0) as [other]:
                assert other.until_closed() == TOO_MANY
        assert first_state(client, first)["seat"] == 0


def test_agents_wait_for_visitors_and_a_failing_agent_is_reported_without_the_reason(client, monkeypatch, caplog):
    table = new_table(client, [PERSON, "random", "random"], options={"first_player": 1})
    live = live_table(client, table.table)
    assert live.table.decision == 0
    monkeypatch.setattr(InProcessPool, "answer", lambda self, question: failed(question, "broken"))
    with visits(client, table, 0) as [browser]:
        while not browser.receive()["actions"]:
            pass
        failure = "random failed, and a random action was played. The reason is in the log of the server."
        assert browser.received[-1]["failure"] == failure
    assert live.table.decision > 0
    assert "broken" in caplog.text


def test_of_a_table_that_is_put_away_nothing_stays_in_memory(client, monkeypatch):
    monkeypatch.setattr(session, "RELOAD_SECONDS", 0.0)
    tables, games = [], []
    gc.collect()
    gc.disable()  # a full collection of the server is rare
    try:
        for _ in range(3):
            table = new_table(client, [PERSON, "random", "random"])
            tables.append(weakref.ref(live_table(client, table.table)))
            games.append(weakref.ref(live_table(client, table.table).table.game))
            with visits(client, table, 0) as [browser]:
                play_alone(browser, moves=2)
            assert client.get(f"/api/rules/{table.table}").status_code == 200
        client.portal.call(client.app.state.server.tables.unload, -1.0)
        client.portal.call(asyncio.sleep, 0.1)
        assert [table() for table in tables] == [None] * 3
        assert sum(game() is not None for game in games) <= 1  # all have one page of rules
    finally:
        gc.enable()
