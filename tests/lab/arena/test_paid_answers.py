"""Language models in tournaments, through evaluate.py: no answer of a finished game is asked for twice."""

import json
import signal
import socket
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

pytest.importorskip("pyarrow", reason="needs the extra 'arena'")
pytest.importorskip("httpx", reason="needs the extra 'llm'")

from tests.agents.test_llm import first_legal, serving
from tests.commands import ROOT, paste, run, start, wait_for
from tests.lab.arena.small import stored_blocks
from w51_agents.agent import UnreachableError
from w51_lab.arena.plan import Plan
from w51_lab.arena.results_file import RESULTS
from w51_lab.arena.spec import TournamentSpec
from w51_lab.arena.workers import InProcessExecutor, make_executor

MINI = ("--preset", "mini", "--players", 3)


def questions(folder: Path) -> int:
    """The questions of the games that are stored."""
    found = 0
    with closing(sqlite3.connect(folder / RESULTS)) as file:
        for (text,) in file.execute("SELECT facts FROM blocks"):
            found += int(sum(own["usage"].get("questions", 0) for own in json.loads(text)["statistics"]))
    return found


@pytest.mark.slow
def test_after_ctrl_c_no_answer_of_a_finished_game_is_asked_for_again(tmp_path):
    folder = tmp_path / "cup"
    with serving(lambda messages, number: f"[{first_legal(messages[-1]['content'])}]") as stub:
        program = start("evaluate.py", stub.name, "random", *MINI, "--games", 9, "--out", folder, "--workers", 1)
        wait_for(lambda: stored_blocks(folder) >= 2)
        program.send_signal(signal.SIGINT)
        _, errors = program.communicate(timeout=120)
        assert program.returncode == 130, errors
        asked, kept = len(stub.requests), questions(folder)
        games = stored_blocks(folder)
        assert 0 < games < 9
        assert 0 <= asked - kept < 100  # those of the game that was interrupted
        status, printed = paste(errors, ROOT)
        assert status == 0, printed
        assert len(stub.requests) - asked == questions(folder) - kept
    assert stored_blocks(folder) == 9


def refusing() -> str:
    """An address at which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return f"llm:http://127.0.0.1:{server.getsockname()[1]}/v1,model=none"


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 3])
def test_a_server_that_refuses_connections_ends_the_tournament_with_one_error(tmp_path, workers: int):
    arguments = (refusing(), "random", *MINI, "--games", 60, "--out", tmp_path / "cup", "--workers", workers)
    status, printed, errors = run("evaluate.py", *arguments)
    assert status == 2
    assert "cannot be reached" in errors
    assert "continue with: " in errors
    assert errors.count("cannot be reached") == 1
    assert "Traceback" not in errors
    assert "forfeit" not in printed + errors


@pytest.mark.parametrize(
    ("agent", "message"),
    [(refusing(), "cannot be reached"), ("llm:/no/such/program", "No such file or directory")],
    ids=["server", "program"],
)
def test_a_model_that_cannot_be_reached_is_asked_once(agent: str, message: str):
    plan = Plan(TournamentSpec(agents=(agent, "random"), options={"preset": "mini"}, games=8))
    executor = InProcessExecutor(plan)
    with pytest.raises(UnreachableError, match=message):
        list(executor.results(plan.blocks))
    assert plan.agents[0].usage.questions == 0


def test_a_key_that_is_refused_ends_the_tournament_at_the_first_question():
    with serving(lambda messages, number: 401) as stub:
        plan = Plan(TournamentSpec(agents=(stub.name, "random"), options={"preset": "mini"}, games=8))
        with pytest.raises(UnreachableError, match=r"status 401.*environment variable OPENAI_API_KEY"):
            list(InProcessExecutor(plan).results(plan.blocks))
        assert len(stub.requests) == 1


def test_a_model_plays_games_that_are_stored_one_by_one_and_is_asked_as_often_at_a_time_as_it_may_be():
    plan = Plan(TournamentSpec(agents=(f"{refusing()},parallel=3", "random"), options={"preset": "mini"}, games=12))
    assert [block.stop - block.start for block in plan.blocks] == [1] * plan.num_games
    executor = make_executor(plan, None)
    assert executor._workers == 3
    executor.close()


def test_more_games_than_were_asked_for_are_announced_before_any(tmp_path):
    status, _, errors = run("evaluate.py", "heuristic", "random", *MINI, "--games", 3, "--json", tmp_path / "x.json")
    assert status == 0
    assert "6 games will be played, where 3 were asked for: each deal is played in 3 games" in errors
    assert "intervals need at least 2 deals" in errors
    assert json.loads((tmp_path / "x.json").read_text())["games"] == 6
    assert "will be played" not in run("evaluate.py", "heuristic", "random", *MINI, "--games", 12)[2]
