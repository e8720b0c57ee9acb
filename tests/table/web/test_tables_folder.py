"""The folder of the web table's tables, which a stranger may have filled: through real requests and connections."""

import json
import os
import shutil
import time

import pytest

pytest.importorskip("starlette", reason="needs the extra 'play'")

from tests.table.play.games import played_at_random
from tests.table.web.visitors import SOCKET, Browser, new_table
from w51_table.play.game_log import GameLog
from w51_table.play.table import PERSON, Setup, Table, without_paths
from w51_table.web import registry
from w51_table.web.registry import DAY, KEPT, delete_old
from w51_table.web.sockets import NOT_FOUND

NAME = "A" * 16
SEATS = (PERSON, "random", "random")


def write_table(path, options=None, tokens=("token", "", "")):
    table = Table(Setup("warehouse51_v1", {"num_players": 3, **(options or {})}, 1, SEATS))
    GameLog.create(path, table, {"tokens": list(tokens), "invitation": "guests"}).close()


def closing_code(client) -> int:
    with client.websocket_connect(SOCKET) as session:
        return Browser(session, NAME, "token").until_closed()


@pytest.mark.parametrize("content", ["root:x:0:0\n", "{}", '{"schema": 1}', "link", "pipe", "folder"])
def test_a_replay_in_the_folder_is_sent_only_if_it_is_a_file_with_a_replay(client, tmp_path, content):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    played_at_random().replay().save(folder / "good.json")
    path = tmp_path / f"{NAME}.json"
    if content == "link":
        path.symlink_to(folder / "good.json")
    elif content == "pipe":
        os.mkfifo(path)
    elif content == "folder":
        path.symlink_to(folder, target_is_directory=True)
    else:
        path.write_text(content)
    answer = client.get(f"/api/replays/{NAME}/file")
    assert answer.status_code == 400
    assert str(tmp_path) not in answer.text
    if path.is_file():
        path.unlink()
        shutil.copy(folder / "good.json", path)
        assert client.get(f"/api/replays/{NAME}/file").content == path.read_bytes()


def test_the_replay_of_a_finished_game_replaces_a_link_and_not_what_it_leads_to(client, tmp_path):
    seats = ["random", "random"]
    name = new_table(client, seats, "alles_futsch_v1").table
    kept = tmp_path / "kept"
    kept.write_text("kept")
    (tmp_path / f"{name}.json").symlink_to(kept)
    step = 0
    while not client.post(f"/api/replays/{name}/{step}/advance").json()["complete"]:
        step += 1
    assert kept.read_text() == "kept"
    assert json.loads(client.get(f"/api/replays/{name}/file").content)["game"] == "alles_futsch_v1"


def test_a_table_that_is_a_link_is_neither_read_nor_written(client, tmp_path):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    write_table(folder / "x.table")
    before = (folder / "x.table").read_bytes()
    (tmp_path / f"{NAME}.table").symlink_to(folder / "x.table")
    assert closing_code(client) == NOT_FOUND
    for path in (f"/api/replays/{NAME}", f"/api/review/{NAME}", f"/api/replays/{NAME}/file"):
        answer = client.get(path)
        assert answer.status_code == 400
        assert str(tmp_path) not in answer.text
    assert (folder / "x.table").read_bytes() == before


def test_a_table_whose_options_name_a_file_is_refused_before_the_file_is_opened(client, tmp_path):
    write_table(tmp_path / f"{NAME}.table")
    first = (tmp_path / f"{NAME}.table").read_text("utf-8")
    os.mkfifo(tmp_path / "pipe")  # to read it would never end
    header = json.loads(first)
    header["options"]["relics"] = str(tmp_path / "pipe")
    (tmp_path / f"{NAME}.table").write_text(json.dumps(header) + "\n", "utf-8")
    answer = client.get(f"/api/replays/{NAME}")
    assert answer.json()["error"].startswith("The file of this table cannot be used.")
    assert str(tmp_path) not in answer.text


@pytest.mark.parametrize("agent", ["planted:Agent", "runs/mine", "search:prior=runs/mine", "mimic:a/b>random,lots=1"])
def test_a_table_whose_agent_is_code_or_a_file_is_refused_before_it_is_opened(client, tmp_path, agent):
    write_table(tmp_path / f"{NAME}.table")
    text = (tmp_path / f"{NAME}.table").read_text("utf-8").replace('["person", "random"', f'["person", "{agent}"')
    (tmp_path / f"{NAME}.table").write_text(text, "utf-8")
    assert client.get(f"/api/replays/{NAME}").json()["error"].startswith("An agent of this table is code of others.")


def test_errors_of_agents_name_no_path():
    text = "FileNotFoundError: [Errno 2] No such file: '/home/someone/model.zip' (~/x, a/b, 1/2)"
    assert without_paths(text) == "FileNotFoundError: [Errno 2] No such file: '...' (..., a/b, 1/2)"
    assert without_paths("agent a/b/x.zip: no a/b/x.zip (1/2)", "sb3:a/b/x.zip") == "agent x.zip: no x.zip (1/2)"


def test_new_tables_are_made_at_a_rate(client, monkeypatch):
    server = client.app.state.server
    monkeypatch.setattr(server.tables, "_new", registry.Allowance(2, 0.001))
    form = {"game": "warehouse51_v1", "seats": list(SEATS)}
    answers = [client.post("/api/tables", json=form) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 400]
    assert answers[2].json()["error"] == "Too many new tables at a time. Try again in a minute."


def test_a_full_folder_is_told_without_its_path(client, monkeypatch, tmp_path):
    monkeypatch.setattr(registry, "MAX_FILES", 0)
    answer = client.post("/api/tables", json={"game": "warehouse51_v1", "seats": list(SEATS)})
    assert "no room" in answer.json()["error"]
    assert str(tmp_path) not in answer.text


def test_old_tables_are_deleted_but_no_other_files_and_none_that_is_open(tmp_path):
    def aged(name, days, decisions=1, taken=()):
        table = Table(Setup("warehouse51_v1", {"num_players": 3}, 1, SEATS))
        for _ in range(decisions):
            table.play(int(table.action_mask.argmax()))
        game_log = GameLog.create(tmp_path / f"{name}.table", table, {"tokens": ["a", "", ""], "invitation": "guests"})
        if taken:
            game_log.change({"taken": taken})  # no decision
        os.utime(game_log.path, (time.time() - days * DAY,) * 2)
        return game_log

    for number, days in enumerate([KEPT / DAY + 1, 20]):
        aged(f"decided-{number:08}", days).close()
    for number, (days, taken) in enumerate([(2, ()), (2, [0]), (0, ())]):
        aged(f"no-decision-{number:04}", days, 0, taken).close()
    aged("2026-01-01-120000-terminal", 400).close()
    held = aged("held-held-held-1", 400)
    for name in ("other.table", "0123456789abcdef.json"):
        (tmp_path / name).write_text("not ours\n")
        os.utime(tmp_path / name, (0, 0))
    (tmp_path / f"{NAME}.table").symlink_to(tmp_path / "other.table")
    os.utime(tmp_path / f"{NAME}.table", (0, 0), follow_symlinks=False)
    assert delete_old(tmp_path) == 3
    assert {path.stem for path in tmp_path.iterdir()} == {
        "decided-00000001", "no-decision-0002", "2026-01-01-120000-terminal", "held-held-held-1", "other",
        "0123456789abcdef", NAME,
    }  # fmt: skip
    held.close()
