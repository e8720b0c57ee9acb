"""The deal of the day: the same cards for everybody, results for who has played, and nothing hidden before."""

import time
from datetime import date, timedelta

import pytest

pytest.importorskip("starlette", reason="needs the extra 'play'")

from tests.table.web.visitors import bearer, live_table, play_out, serving
from w51_table.web import day_requests, days

GAME = "warehouse51_v1"


@pytest.fixture(autouse=True)
def quick_agents(monkeypatch):
    monkeypatch.setattr(days, "AGENTS", ("random", "heuristic"))


def played(client, name="Ann", over=True, **more):
    """A table with the deal of today; `over`: its game is finished."""
    answer = client.post(f"/api/days/{GAME}", json={"name": name, **more})
    assert answer.status_code == 200, answer.text
    made = answer.json()
    if over:
        session = live_table(client, made["table"])
        play_out(session)
        assert session.save_replay()
    return made


def day_of(client, made=None, **query):
    asked = {"table": made["table"], **query} if made else query
    return client.get(f"/api/days/{GAME}", params=asked, headers=bearer(made["token"]) if made else {}).json()


def test_everybody_gets_the_same_cards_also_after_a_restart_and_other_ones_on_another_day(tmp_path, monkeypatch):
    seeds = []
    for moved in (0, 0, 1):
        day = days.today() + timedelta(days=moved)
        for module in (days, day_requests):
            monkeypatch.setattr(module, "today", lambda day=day: day)
        with serving(tmp_path) as client:
            tables = [live_table(client, played(client, name, over=False)["table"]).table for name in "ab"]
            seeds.append({table.setup.seed for table in tables})
            assert {table.setup.seats for table in tables} == {("person", *["heuristic"] * 3)}
    assert len(seeds[0]) == 1
    assert seeds[0] == seeds[1] != seeds[2]


def test_results_are_shown_to_who_has_played_and_a_second_game_does_not_count(client):
    day_of(client)  # agents begin to play
    begun, over = played(client, "Ben", over=False), played(client, "<b>Ann</b>")
    assert [day_of(client, one)["results"] for one in (None, begun)] == [[], []]
    forged = {"table": over["table"], "token": begun["token"]}
    assert day_of(client, forged)["results"] == []
    again = played(client, "Ann again", again=True)
    assert day_of(client, again)["results"] == []
    patience = time.monotonic() + 20
    while len((found := day_of(client, over))["results"]) < 3 and time.monotonic() < patience:
        time.sleep(0.05)
    assert found["over"]
    assert found["played"] == 1
    assert {(one["name"], one["agent"], one["own"]) for one in found["results"]} == {
        ("<b>Ann</b>", False, True), ("random bot", True, False), ("heuristic bot", True, False)}  # fmt: skip
    assert [one["rank"] for one in found["results"]] == sorted(one["rank"] for one in found["results"])
    score = live_table(client, over["table"]).table.view("all", days.Words(), 0).players[0]["score"]
    assert next(one["points"] for one in found["results"] if one["own"]) == score["total"]


def test_nothing_that_is_sent_before_the_game_is_over_tells_the_seed(client):
    made = played(client, over=False)
    seed = str(live_table(client, made["table"]).table.setup.seed)
    for path in (f"days/{GAME}", f"tables/{made['table']}", f"review/{made['table']}", f"replays/{made['table']}"):
        assert seed not in client.get(f"/api/{path}", headers=bearer(made["token"])).text
    [path] = client.app.state.server.tables.folder.glob("*.day")
    assert path.stat().st_mode & 0o077 == 0


def test_a_day_that_is_over_shows_its_results_to_all_and_others_are_refused(client, monkeypatch):
    played(client)
    [path] = client.app.state.server.tables.folder.glob("*.day")
    path.rename(path.with_name(path.name.replace(str(days.today()), "2026-01-02")))
    found = day_of(client, date="2026-01-02")
    assert not found["today"]
    assert [one["name"] for one in found["results"]] == ["Ann"]
    for wrong in ({"date": "2026-01-03"}, {"date": "../secret"}, {"date": str(date.max)}):
        answer = client.get(f"/api/days/{GAME}", params=wrong)
        assert (answer.status_code, answer.json()["error"]) == (400, "There is no deal of that day here.")
    assert client.get("/api/days/auctions_v0").status_code == 400
    assert client.post(f"/api/days/{GAME}", json={"name": 3}).status_code == 400
    path.with_name(f"{days.today()}-{GAME}.day").write_text("{")
    assert client.get(f"/api/days/{GAME}").status_code == 400
