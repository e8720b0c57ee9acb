"""Requests about replays, games of agents and finished games: what is shown, reported, refused and sent as a file."""

import json
import re
import socket
import threading
import time
import urllib.request
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("starlette", reason="needs the extra 'play'")
from starlette.testclient import TestClient

from tests.table.play.games import played_at_random
from tests.table.web.visitors import live_table, new_table, visits
from w51_lab.replay_viewer.frames import frames_of
from w51_table.play.table import PERSON
from w51_table.web import work
from w51_table.web.sockets import NOT_FOUND


def test_a_replay_is_shown_step_by_step_as_each_viewer_may_see_it(client, tmp_path):
    replay = played_at_random().replay()
    replay.save(tmp_path / "r.json")
    name = client.post("/api/replays", content=(tmp_path / "r.json").read_bytes()).json()["replay"]
    about = client.get(f"/api/replays/{name}").json()
    assert about["names"] == ["Ann", "Ben", "Cem"]
    assert about["steps"] == len(replay.moves) + 1
    assert len(about["lots"]) >= 20
    steps = {viewer: client.get(f"/api/replays/{name}/5?viewer={viewer}").json() for viewer in ("all", "public", "1")}
    assert len({step["text"] for step in steps.values()}) == 3
    assert client.get(f"/api/replays/{name}/{about['steps'] - 1}").json()["headline"] == "the game is over"
    thoughts = client.get(f"/api/replays/{name}/5/thoughts").json()
    assert thoughts["title"].startswith("pretrained: ")
    assert sum(choice["probability"] for choice in thoughts["choices"]) == pytest.approx(1, abs=0.02)
    assert len(thoughts["choices"]) == list(frames_of(replay))[5].mask.sum()
    assert [choice["played"] for choice in thoughts["choices"]].count(True) == 1
    for path in ("99999", "5?viewer=7", "5?viewer=x", "5?form=x", f"{about['steps'] - 1}/thoughts"):
        assert client.get(f"/api/replays/{name}/{path}").status_code == 400, path


def test_agents_play_as_far_as_they_are_watched_and_each_reports_its_decision(client):
    table = new_table(client, ["search:playouts=50", "heuristic", "random"])
    path = f"/api/replays/{table.table}"
    assert client.get(path).json()["adviser"] == ""
    planned = client.get(f"{path}/0/thoughts").json()
    assert client.get(path).json()["steps"] == 1
    for step in (0, 0, 5, 1, 0):  # repeated, early and late requests change nothing
        about = client.post(f"{path}/{step}/advance").json()
    assert (about["steps"], about["complete"], about["failure"]) == (3, False, None)
    decided = [client.get(f"{path}/{step}").json()["action"] for step in (0, 1)]
    reports = [client.get(f"{path}/{step}/thoughts").json() for step in (0, 1)]
    assert all(report["title"].endswith(action) for report, action in zip(reports, decided, strict=True))
    choices = [{**choice, "played": choice["chosen"]} for choice in planned["choices"]]  # what was planned was played
    assert reports[0] == {**planned, "choices": choices}
    names = [report["title"].split(":")[0] for report in reports]
    assert "search, 50 playouts" in names or client.get(f"{path}/0/thoughts?agent=search:playouts=50").json()["choices"]
    assert client.get(f"{path}/0/thoughts?agent=os:system").status_code == 400
    assert client.get(f"{path}/7").status_code == 400
    with visits(client, table, None) as [browser]:
        assert browser.until_closed() == NOT_FOUND


def test_a_game_of_agents_goes_on_from_its_file(client):
    table = new_table(client, ["heuristic", "random", "random"], preset="mini")
    path = f"/api/replays/{table.table}"
    for step in range(5):
        client.post(f"{path}/{step}/advance")
    before = [client.get(f"{path}/{step}").json() for step in range(6)]
    client.portal.call(client.app.state.server.tables.unload, -1.0)
    assert len(client.app.state.server.tables) == 0
    assert [client.get(f"{path}/{step}").json() for step in range(6)] == before
    step = 5
    while not (about := client.post(f"{path}/{step}/advance").json())["complete"]:
        step += 1
    assert about["steps"] == step + 2
    assert client.get(f"{path}/file").status_code == 200
    assert client.get(f"/api/review/{table.table}").json()["standings"][0][0] == 1


def test_a_decision_is_made_again_at_a_new_table_or_agents_play_on_after_another_action(client, tmp_path):
    name, seat = sent_replay(client, tmp_path), 1
    moves = client.get(f"/api/replays/{name}/moves").json()["moves"]
    step = next(step for step, (mover, _) in enumerate(moves) if mover == seat and step > 3)
    path = f"/api/replays/{name}/{step}"
    made = SimpleNamespace(**client.post(f"{path}/again", json={"action": None}).json())
    table = live_table(client, made.table).table
    assert (table.decision, table.seat, table.setup.seats[seat]) == (step, seat, PERSON)
    assert [one for one in table.setup.seats if one != PERSON] == ["pretrained"] * 2
    assert live_table(client, made.table).keys.seat_of(made.token) == seat
    played = client.get(path).json()["action"]
    assert moves[step] == [seat, played]
    other = next(int(action) for action in np.flatnonzero(table.action_mask))
    watched = client.post(f"{path}/again", json={"action": other}).json()
    assert (watched["token"], watched["step"]) == ("", step + 1)
    assert client.get(f"/api/replays/{watched['table']}/moves").json()["moves"][:step] == moves[:step]
    assert client.post(f"/api/replays/{watched['table']}/{step + 1}/advance").json()["steps"] == step + 3
    for body in ({"action": -1}, {"action": 9999}, {"seat": 1}):
        assert client.post(f"{path}/again", json=body).status_code == 400
    assert client.post(f"/api/replays/{name}/{len(moves)}/again", json={"action": None}).status_code == 400


def test_a_review_tells_mistakes_and_what_to_practise_once_it_is_whole_and_refines(client, tmp_path, monkeypatch):
    for name, playouts in (("_SLICE", 100), ("REVIEWED", 600), ("REFINED", 1200)):
        monkeypatch.setattr(f"w51_table.play.review.{name}", playouts)
    name = sent_replay(client, tmp_path)
    steps = client.get(f"/api/replays/{name}").json()["steps"]
    chances = client.get(f"/api/review/{name}/chances").json()
    assert len(chances["chances"]) == steps - 1
    assert chances["players"] == "pretrained, heuristic bot"
    assert all(sum(after) == pytest.approx(1, abs=0.01) for after in chances["chances"])
    for seat in range(3):
        asked = []
        while not asked or not asked[-1]["refined"]:
            asked.append(found := client.get(f"/api/review/{name}/{seat}").json())
        wholes = [one["whole"] for one in asked]
        assert wholes == sorted(wholes)
        assert wholes[-1]
        assert len(wholes) <= 12
        assert not any(one["why"] for early in asked if not early["whole"] for one in early["costs"])
        assert 0 <= found["accuracy"] <= 1
        assert -1 < found["loss"] < 1 < 100 * found["error"]
        assert 1 <= len(found["practice"]) <= 3
        assert len({one["where"] for one in found["practice"]}) == len(found["practice"])
        assert {one["step"] for one in found["costs"][:1]} <= {one["step"] for one in found["practice"]}
        assert all(one["action"] for one in found["practice"])
        assert [bool(one["why"]) for one in found["costs"][:4]] == [True, True, True, False][: len(found["costs"])]


def test_one_decision_that_somebody_looks_at_is_played_on_alone_until_it_is_settled(client, tmp_path, monkeypatch):
    monkeypatch.setattr("w51_table.play.review._SLICE", 200)
    monkeypatch.setattr("w51_table.play.review.WHOLE", 1000)
    name = sent_replay(client, tmp_path)
    steps = client.get(f"/api/replays/{name}").json()["steps"]
    answers = {step: [client.get(f"/api/review/{name}/steps/{step}").json()] for step in range(steps - 1)}
    for step, asked in answers.items():
        while not asked[-1]["settled"]:
            asked.append(client.get(f"/api/review/{name}/steps/{step}").json())
            assert len(asked) <= 5
        found, is_mistake = asked[-1]["found"], asked[-1]["mistake"]
        assert bool(found["why"]) == is_mistake
        assert found["cost"] >= 0.01 or not is_mistake
        assert not any(one["found"]["why"] for one in asked[:-1])
    assert {1} < {len(asked) for asked in answers.values()}
    assert client.get(f"/api/review/{name}/steps/{steps - 1}").status_code == 400


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text[:-40], "not JSON"),
        (lambda text: "[1, 2]", "an object with"),
        (lambda text: "\xff", "is needed|not JSON"),
        (lambda text: text.replace('"seed": 3', '"seed": 4'), "moves"),
        (lambda text: text.replace("warehouse51_v1", "os:system"), "'os:system' is unknown"),
        (lambda text: text.replace("reconstruction-1", "/etc/passwd"), "relics: '/etc/passwd', but allowed here"),
    ],
)
def test_a_damaged_or_foreign_replay_is_refused_with_the_reason(client, tmp_path, change, message):
    played_at_random().replay().save(tmp_path / "r.json")
    answer = client.post("/api/replays", content=change((tmp_path / "r.json").read_text("utf-8")).encode("utf-8"))
    assert answer.status_code == 400
    assert re.search(message, answer.json()["error"])


def sent_replay(client: TestClient, folder: Path) -> str:
    """The name of a short game that a page has sent."""
    played_at_random(preset="nano").replay().save(folder / "r.json")
    name: str = client.post("/api/replays", content=(folder / "r.json").read_bytes()).json()["replay"]
    return name


@pytest.mark.parametrize(
    ("kind", "begins"), [("html", b"<!doctype html>"), ("txt", b"# Warehouse 51"), ("svg", b"<svg"), ("gif", b"GIF89a")]
)
def test_a_finished_game_is_sent_as_a_file(client, tmp_path, kind, begins):
    name = sent_replay(client, tmp_path)
    answer = client.get(f"/api/replays/{name}/export/{kind}?language=en")
    assert answer.status_code == 200, answer.text
    assert answer.content[: len(begins)].lower() == begins.lower()
    assert answer.headers["content-disposition"] == f'attachment; filename="{name}.{kind}"'


def test_only_a_finished_game_is_sent_and_only_in_known_formats(client, tmp_path):
    table = new_table(client, [PERSON] * 3)
    assert client.get(f"/api/replays/{table.table}/export/txt").status_code == 400
    name = sent_replay(client, tmp_path)
    for kind, message in (("exe", "format: '.exe', but allowed are .html"), ("svg?theme=pink", "theme: 'pink'")):
        answer = client.get(f"/api/replays/{name}/export/{kind}")
        assert (answer.status_code, message in answer.json()["error"]) == (400, True)


def replay_file(folder: Path) -> bytes:
    """The content of the file of a game."""
    played_at_random(seed=4).replay().save(folder / "game.json")
    return (folder / "game.json").read_bytes()


def leave(client, path: str) -> None:
    """A request whose client is gone before the answer."""
    scope = {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": [(b"host", b"127.0.0.1")]}
    messages = iter([{"type": "http.request", "body": b"", "more_body": False}, {"type": "http.disconnect"}])

    async def receive():
        return next(messages)

    async def send(message):
        pass

    client.portal.call(client.app, scope, receive, send)


def test_what_clients_that_are_gone_asked_for_stops_and_delays_nobody(client, tmp_path, monkeypatch):
    name = client.post("/api/replays", content=replay_file(tmp_path)).json()["replay"]
    made: list[str] = []

    def export(options, path, progress):
        made.append(path.suffix)
        while path.suffix == ".gif":  # endless, unless it is stopped
            progress(0)
            time.sleep(0.01)
        path.write_text("the game")

    monkeypatch.setattr(work, "export", export)
    path = f"/api/replays/{name}/export"
    for _ in range(130):
        leave(client, f"{path}/gif")
    assert client.get(f"/api/replays/{name}/5/thoughts").status_code == 200
    for _ in range(2):
        assert client.get(f"{path}/txt").text == "the game"
    assert made.count(".txt") == 1  # the second one is kept
    assert client.get(f"{path}/txt?language=de").status_code == 200
    assert made.count(".txt") == 2


def test_a_full_queue_of_exports_is_said_and_delays_nothing_else(client, tmp_path, monkeypatch):
    monkeypatch.setattr(client.app.state.server.exports, "patience", 0.0)
    blocked = threading.Event()
    client.app.state.server.exports.submit("another visitor", blocked.wait)
    name = client.post("/api/replays", content=replay_file(tmp_path)).json()["replay"]
    busy = client.get(f"/api/replays/{name}/export/txt")
    assert (busy.status_code, busy.json()["error"]) == (400, "The server has too much to do. Try again later.")
    assert client.get(f"/api/replays/{name}/5/thoughts").status_code == 200
    blocked.set()


@pytest.mark.slow
def test_130_animations_on_closed_connections_delay_no_play(server, tmp_path):
    address = server.address.rstrip("/")
    asked = urllib.request.Request(f"{address}/api/replays", replay_file(tmp_path), {"origin": address})
    with urllib.request.urlopen(asked) as answer:
        path = f"{address}/api/replays/{json.load(answer)['replay']}"
    for _ in range(130):
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            head = f"GET {path.removeprefix(address)}/export/gif HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n"
            connection.sendall(head.encode())
    for end in ("/5/thoughts", "/export/txt"):
        with urllib.request.urlopen(path + end, timeout=20) as answer:
            assert answer.status == 200
