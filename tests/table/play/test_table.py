"""Tables and their files: the game in progress, saved decision by decision."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from w51_agents import AgentError, make_agent
from w51_env import make_game
from w51_env.engine.errors import FileError, IllegalActionError
from w51_env.warehouse51 import relics
from w51_table.play.game_log import GameLog
from w51_table.play.table import PERSON, Setup, Table, TableError

SETUP = Setup("warehouse51_v1", {"num_players": 3}, 5, (PERSON, "random", PERSON), ("Ann", "random", "Börje"))


def played(decisions: int, setup: Setup = SETUP) -> Table:
    table, generator = Table(setup), np.random.default_rng(1)
    while table.decision < decisions and not table.over:
        table.play(int(generator.choice(np.flatnonzero(table.action_mask))))
    return table


def test_a_table_continues_from_its_file_with_the_same_state_and_events(tmp_path):
    table = played(40)
    game_log = GameLog.create(tmp_path / "a.table", table, {"tokens": ["x"]})
    game_log.play(table, int(np.flatnonzero(table.action_mask)[0]))
    game_log.close()
    again, continued = GameLog.open(tmp_path / "a.table")
    assert continued.record.tobytes() == table.record.tobytes()
    assert list(continued.events(None)) == list(table.events(None))
    assert continued.setup.names == SETUP.names
    assert again.extra == {"tokens": ["x"]}


def test_a_line_that_was_not_finished_is_dropped_and_the_next_decision_takes_its_place(tmp_path):
    path, table = tmp_path / "a.table", played(10)
    GameLog.create(path, table).close()
    with path.open("a") as file:
        file.write('"2 pa')
    game_log, continued = GameLog.open(path)
    assert continued.decision == 10
    game_log.play(continued, int(np.flatnonzero(continued.action_mask)[0]))
    game_log.close()
    assert GameLog.open(path)[1].decision == 11


def test_two_processes_cannot_hold_one_table(tmp_path):
    game_log = GameLog.create(tmp_path / "a.table", played(3))
    with pytest.raises(TableError, match="open in another process"):
        GameLog.open(tmp_path / "a.table")
    with pytest.raises(FileError, match="cannot be written"):
        GameLog.create(tmp_path / "a.table", played(3))
    game_log.close()


@pytest.mark.parametrize(
    "agent", ["agent.safetensors", "runs", "search:prior=agent.safetensors", "search:playout_bot=agent.safetensors"]
)
def test_a_game_does_not_go_on_with_other_weights_of_an_agent(agent, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for checkpoint in (tmp_path / "agent.safetensors", tmp_path / "runs" / "checkpoint.safetensors"):
        checkpoint.parent.mkdir(exist_ok=True)
        checkpoint.write_bytes(b"1")  # it is not loaded here
    seats = Setup("warehouse51_v1", {"num_players": 3}, 5, (PERSON, agent, PERSON))
    GameLog.create(tmp_path / "a.table", played(10, seats)).close()
    GameLog.create(tmp_path / "over.table", played(1000, seats)).close()
    GameLog.open(tmp_path / "a.table")[0].close()
    (tmp_path / "agent.safetensors").write_bytes(b"2")
    (tmp_path / "runs" / "checkpoint.safetensors").write_bytes(b"2")
    with pytest.raises(
        TableError, match=r"a\.table: seats: the file of agent '.*' has changed since: the SHA-256 of .* was"
    ):
        GameLog.open(tmp_path / "a.table")
    assert GameLog.open(tmp_path / "over.table")[1].over


def test_a_table_whose_relic_file_changes_goes_on_with_its_cards(tmp_path):
    cards = tmp_path / "cards.toml"
    built_in = (Path(relics.__file__).parent / "relic_sets" / "reconstruction-1.toml").read_text("utf-8")
    cards.write_text(built_in.replace("value = 3", "value = 1"), "utf-8")
    table = played(10, replace(SETUP, options={"num_players": 3, "relics": str(cards)}))
    GameLog.create(tmp_path / "a.table", table).close()
    cards.write_text(built_in, "utf-8")
    assert GameLog.open(tmp_path / "a.table")[1].game.options == table.game.options


def test_only_the_owner_may_read_the_file(tmp_path):
    GameLog.create(tmp_path / "a.table", played(3)).close()
    assert (tmp_path / "a.table").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda lines: [], "is empty"),
        (lambda lines: ["{", *lines[1:]], "not JSON"),
        (lambda lines: ["[1]", *lines[1:]], "an object with schema"),
        (lambda lines: [*lines[:3], '"9 pass"'], "it is the turn of seat"),
        (lambda lines: [*lines[:3], "17"], "a seat and an action are needed"),
        (lambda lines: [lines[0], *lines[2:]], "decision 0"),
        (lambda lines: [lines[0].replace('"pawn_limit": 5', '"pawn_limit": 4'), *lines[1:]], "options: changed"),
        (lambda lines: [lines[0].replace('"schema": 1', '"schema": 2'), *lines[1:]], "schema: 2"),
        (lambda lines: [lines[0].replace("warehouse51_v1", "chess_v1"), *lines[1:]], "'chess_v1' is unknown"),
    ],
)
def test_a_damaged_or_foreign_file_is_refused_with_its_reason(tmp_path, change, message):
    path = tmp_path / "a.table"
    GameLog.create(path, played(5)).close()
    lines = change(path.read_text("utf-8").splitlines())
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    with pytest.raises(TableError, match=message):
        GameLog.open(path)
    path.unlink()  # and the failed attempt holds no lock
    GameLog.create(path, played(1)).close()


@pytest.mark.parametrize(
    "name", ["a/{}", "{}.safetensors", "random{}:greedy", "search:prior={}", "search:playout_bot={}/b"]
)
def test_an_agent_with_a_name_that_no_file_can_have_is_none_without_a_trace(tmp_path, name):
    path, name = tmp_path / "a.table", name.format("a" * 300)
    GameLog.create(path, played(0)).close()
    header = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({**header, "seats": ["person", name, "person"]}) + "\n", "utf-8")
    GameLog.open(path)[0].close()  # its agents are made when it is played
    with pytest.raises(AgentError):
        make_agent(name, make_game("warehouse51_v1"))


def test_names_have_visible_letters_only_also_those_in_a_file(tmp_path):
    path = tmp_path / "a.table"
    GameLog.create(path, played(0)).close()
    header = json.loads(path.read_text("utf-8"))
    names = ["a\u2028b\x85c", 'quote " and \\', "\u202e<b>\u200b\n"]
    path.write_text(json.dumps({**header, "names": names}, ensure_ascii=False) + "\n", "utf-8")
    log, table, *_ = GameLog.open(path)
    log.close()
    assert table.setup.names == ("a?b?c", 'quote " and \\', "?<b>??")


def test_a_decision_that_is_not_legal_changes_nothing():
    table = played(7)
    before = table.record.tobytes()
    for action in (-1, len(table.game.actions), int(np.flatnonzero(table.action_mask == 0)[0])):
        with pytest.raises(IllegalActionError):
            table.play(action)
    assert (table.record.tobytes(), table.decision, len(table.moves())) == (before, 7, 7)


def test_events_of_a_seat_hold_no_private_events_of_others():
    table = played(1000)
    assert table.over
    private = {kind.name for kind in table.game.event_types if kind.private}
    for seat in range(3):
        assert all(event["seat"] == seat for event in table.events(seat) if event["event"] in private)
    assert list(table.events(None, 5)) == list(table.events(None))[-len(table.events(None, 5)) :]


def test_the_number_of_seats_must_fit_the_game():
    with pytest.raises(TableError, match="2 of them, but warehouse51_v1 has num_players=4"):
        Table(Setup("warehouse51_v1", {}, 1, (PERSON, "random")))


def test_the_replay_of_a_table_leads_to_its_state():
    table = played(1000)
    replay = table.replay()
    replay.verify()
    assert replay.final.over
    assert replay.players == SETUP.names
