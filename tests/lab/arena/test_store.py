"""The folder of a tournament: stored block by block, read and resumed; damaged, foreign and full folders."""

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pyarrow", reason="needs the extra 'arena'")
from tests.commands import refused
from tests.commands import run as command
from tests.lab.arena.small import CHEAT, DRAWN, FORGETFUL, PLAIN, plan_of, same
from w51_agents import AgentError
from w51_agents.system import files
from w51_env.engine.errors import FileError
from w51_lab.arena.store import BLOCKS, REPLAYS, SPEC, Store
from w51_lab.arena.summary import summary_of
from w51_lab.arena.tournament import run
from w51_lab.arena.workers import InProcessExecutor
from w51_lab.report.results import SUMMARY, write_results


class Killed(InProcessExecutor):
    """Is killed after so many blocks."""

    def __init__(self, plan, after: int):
        super().__init__(plan)
        self.after = after

    def results(self, blocks):
        for number, result in enumerate(super().results(blocks)):
            if number == self.after:
                raise KeyboardInterrupt
            yield result


def resume(folder: Path) -> Store:
    return Store.resume(folder, [CHEAT, DRAWN, FORGETFUL, PLAIN, "changing:Changing"])


@pytest.mark.slow
def test_a_killed_tournament_goes_on_and_ends_the_same(tmp_path):
    whole = run(plan_of("heuristic", DRAWN), InProcessExecutor(plan_of("heuristic", DRAWN)))
    store = Store.begin(tmp_path, "one", plan_of("heuristic", DRAWN, replays=2, behaviour=True))
    with pytest.raises(KeyboardInterrupt):
        run(store.plan, Killed(store.plan, 4), store)
    again = resume(store.folder)
    assert len(again.load()) == 4
    counted = []
    played = run(again.plan, InProcessExecutor(again.plan), again, lambda games, stored: counted.append(games))
    assert same(whole, played)
    assert sum(counted) == again.plan.num_games
    assert sorted(path.stem for path in (store.folder / BLOCKS).glob("*.parquet")) == [
        f"{block.number:06}" for block in again.plan.blocks
    ]
    summary = summary_of(again.plan, played)
    write_results(again.plan, played, summary, again.folder)
    assert json.loads((again.folder / SUMMARY).read_text())["games"] == again.plan.num_games
    assert "replays/" in (again.folder / "report.html").read_text()


def test_what_is_kept_is_what_was_played(tmp_path):
    store = Store.begin(tmp_path, "one", plan_of(CHEAT, "random", games=24, replays=4, behaviour=True))
    played = run(store.plan, InProcessExecutor(store.plan), store)
    read = run(store.plan, Killed(store.plan, 0), resume(store.folder))
    assert same(played, read)
    first, second = played.behaviour, read.behaviour
    assert not any(isinstance(part, dict) for part in first)  # not in memory
    for ours, theirs in zip(first, second, strict=True):
        for name in ours:
            mine, read_back = ours[name], theirs[name]  # each is read from its file
            for column in mine:
                assert np.array_equal(mine[column], read_back[column])
    assert [replay for result in played.results for _, replay in result.replays] == [
        replay for result in read.results for _, replay in result.replays
    ]
    assert sum(len(result.replays) for result in read.results) == 4
    assert played.statistics[0].failures == read.statistics[0].failures
    assert played.statistics[0].failures["illegal"] > 0
    assert (played.statistics[0].first.observation == read.statistics[0].first.observation).all()


@pytest.mark.parametrize("change", [lambda data: data[:100], lambda data: b""], ids=["cut off", "empty"])
def test_damaged_blocks_are_errors_before_any_game_and_can_be_removed(tmp_path, change):
    store = Store.begin(tmp_path, "one", plan_of("heuristic", "random", games=12))
    played = run(store.plan, InProcessExecutor(store.plan), store)
    path = store.folder / BLOCKS / "000002.parquet"
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(
        AgentError, match=r"000002\.parquet: damaged .*; if the file is removed, its games are played again"
    ):
        run(store.plan, Killed(store.plan, 0), resume(store.folder))
    path.unlink()
    assert same(played, run(store.plan, InProcessExecutor(store.plan), resume(store.folder)))


def test_no_damaged_byte_changes_the_results(tmp_path):
    store = Store.begin(tmp_path, "one", plan_of("heuristic", "random", games=12))
    played = run(store.plan, InProcessExecutor(store.plan), store)
    path = store.folder / BLOCKS / "000001.parquet"
    whole = path.read_bytes()
    found = 0
    for place in range(0, len(whole), 61):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 255]) + whole[place + 1 :])
        try:
            assert same(played, run(store.plan, Killed(store.plan, 0), resume(store.folder)))
        except AgentError as error:
            assert "000001.parquet: damaged" in str(error)  # noqa: PT017 - most are found, some are in bytes that are not read
            found += 1
    assert found > 10


def test_temporary_files_of_a_killed_process_are_removed(tmp_path):
    store = Store.begin(tmp_path, "one", plan_of("heuristic", "random", games=12))
    left = [store.folder / part / f"{files._UNFINISHED}x.pdf" for part in ("", BLOCKS, REPLAYS)]
    for path in left:
        path.touch()
    Store.resume(store.folder)
    assert not any(path.exists() for path in left)


def test_results_of_another_tournament_are_not_mixed_in(tmp_path):
    one, other = (
        Store.begin(tmp_path, name, plan_of("heuristic", "random", games=games))
        for name, games in (("one", 12), ("other", 40))
    )
    run(other.plan, InProcessExecutor(other.plan), other)
    last = max((other.folder / BLOCKS).glob("*.parquet"))
    (one.folder / BLOCKS / last.name).write_bytes(last.read_bytes())
    with pytest.raises(AgentError, match="of another tournament"):
        one.load()


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("version", "0.0.0", "made by w51_env 0.0.0"),
        ("deals", {"name": "seed 0", "count": 20, "digest": "0"}, "its deals have the digest 0, but now it is"),
        ("deals", [1], "damaged: deals is list, but an object is needed"),
        ("files", None, "damaged: files is NoneType"),
        ("spec", {"agents": ["heuristc"]}, "heuristc"),
        ("spec", {"agents": ["random"], "game": "chess_v0"}, "chess_v0"),
        ("spec", {"agents": ["random"], "gmes": 7}, "gmes"),
    ],
)
def test_a_folder_that_cannot_be_resumed_is_an_error(tmp_path, key: str, value, message: str):
    store = Store.begin(tmp_path, "one", plan_of("heuristic", "random"))
    kept = json.loads((store.folder / SPEC).read_text())
    (store.folder / SPEC).write_text(json.dumps({**kept, key: value}))
    with pytest.raises(Exception, match=message):
        resume(store.folder)


def test_a_missing_or_damaged_tournament_is_named(tmp_path):
    with pytest.raises(FileError, match=r"tournament .*nowhere: there is no such folder"):
        resume(tmp_path / "nowhere")
    (tmp_path / "link").symlink_to(tmp_path)  # any folder may contain one
    with pytest.raises(FileError, match=r"is not the folder of a tournament: it has no tournament\.json"):
        resume(tmp_path)
    (tmp_path / "link").unlink()
    (tmp_path / SPEC).write_text("{")
    with pytest.raises(AgentError, match="damaged"):
        resume(tmp_path)


def test_a_changed_module_of_an_agent_is_an_error(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    module = tmp_path / "changing.py"
    module.write_text("from tests.lab.arena.small import Plain as Changing\n")
    store = Store.begin(tmp_path, "one", plan_of("changing:Changing", "random"))
    module.write_text("from tests.lab.arena.small import Forgetful as Changing\n")
    with pytest.raises(AgentError, match="the file of agent 'changing:Changing' has changed since"):
        resume(store.folder)


def test_missing_replays_are_errors(tmp_path):
    store = Store.begin(tmp_path, "one", plan_of("heuristic", "random", games=12, replays=2))
    run(store.plan, InProcessExecutor(store.plan), store)
    next((store.folder / "replays").iterdir()).unlink()
    with pytest.raises(AgentError, match=r"parquet: damaged"):
        store.load()


def test_a_folder_is_for_one_process_at_a_time(tmp_path):
    store = Store.begin(tmp_path, "one", plan_of("heuristic", "random"))
    refused(command("evaluate.py", "--resume", store.folder), "another process uses it")


def test_a_replay_that_a_killed_process_did_not_finish_is_removed(tmp_path, monkeypatch):
    store = Store.begin(tmp_path, "one", plan_of("heuristic", "random", games=12, replays=1))

    class Killed(BaseException):
        pass

    def die(*_):
        raise Killed

    monkeypatch.setattr(Path, "replace", die)
    monkeypatch.setattr(Path, "unlink", lambda *_, **__: None)  # as after kill -9
    with pytest.raises(Killed):
        run(store.plan, InProcessExecutor(store.plan), store)
    monkeypatch.undo()
    assert list((store.folder / "replays").iterdir())
    assert not list((resume(store.folder).folder / "replays").iterdir())


def test_a_disk_that_is_full_before_the_first_block_is_an_error(tmp_path, monkeypatch):
    make = Path.mkdir

    def full(path: Path, *arguments, **more):
        if path.name == BLOCKS:
            raise OSError(28, "No space left on device")
        make(path, *arguments, **more)

    monkeypatch.setattr(Path, "mkdir", full)
    with pytest.raises(FileError, match=r"output .*one: cannot be made: No space left on device"):
        Store.begin(tmp_path, "one", plan_of("heuristic", "random"))


def test_a_full_disk_is_an_error_and_stored_blocks_stay(tmp_path, monkeypatch):
    store = Store.begin(tmp_path, "one", plan_of("heuristic", "random", games=12))

    def full(*arguments, **more):
        raise OSError(28, "No space left on device")

    def fill_disk(games, stored):
        monkeypatch.setattr("pyarrow.parquet.write_table", full)

    with pytest.raises(FileError, match=r"000001\.parquet: cannot be written: No space left on device; .* --resume"):
        run(store.plan, InProcessExecutor(store.plan), store, fill_disk)
    monkeypatch.undo()
    assert sorted(path.name for path in (store.folder / BLOCKS).iterdir()) == ["000000.parquet"]
    assert len(run(store.plan, InProcessExecutor(store.plan), resume(store.folder)).games.seats) == 12
