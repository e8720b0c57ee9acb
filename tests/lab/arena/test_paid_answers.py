"""Language models in tournaments, through evaluate.py: no answer of a finished game is asked for twice."""

import base64
import csv
import json
import re
import signal
import socket
import sqlite3
import time
import zlib
from contextlib import closing
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("openai", reason="needs the extra 'llm'")

from pyarrow import parquet

from tests.agents.chat_servers import first_legal, serving
from tests.commands import ROOT, invoke, paste, refused, run, start, succeeded, wait_for
from tests.lab.arena.small import stored_blocks
from w51_agents.agent.interface import ForfeitsError, UnreachableError
from w51_agents.console.terminal import FORFEITED, SPENT
from w51_lab.arena.agent_statistics import AgentStatistics
from w51_lab.arena.database import RESULTS
from w51_lab.arena.plan import Plan
from w51_lab.arena.spec import TournamentSpec
from w51_lab.arena.spending import SpendingError, SpendingLimit
from w51_lab.arena.tournament import _check_forfeits
from w51_lab.arena.tournament import run as play
from w51_lab.arena.workers import InProcessExecutor, make_executor
from w51_lab.commands.evaluate import app
from w51_lab.report.exports import write_table
from w51_lab.report.summary import summary_of

MINI = ("--preset", "mini", "--players", 3)


def questions(folder: Path) -> int:
    """The questions of the games that are stored."""
    found = 0
    with closing(sqlite3.connect(folder / RESULTS)) as file:
        for (text,) in file.execute("SELECT facts FROM blocks"):
            found += int(sum(own["usage"].get("questions", 0) for own in json.loads(text)["statistics"]))
    return found


@pytest.mark.slow
def test_after_ctrl_c_no_answer_is_asked_for_again(tmp_path):
    folder = tmp_path / "cup"
    with serving(lambda messages, number: f"[{first_legal(messages[-1]['content'])}]") as stub:
        program = start("evaluate.py", stub.name, "random", *MINI, "--games", 9, "--out", folder, "--workers", 1)
        wait_for(lambda: stored_blocks(folder) >= 2)
        program.send_signal(signal.SIGINT)
        _, errors = program.communicate(timeout=120)
        assert program.returncode == 130, errors
        assert 0 < stored_blocks(folder) < 9
        status, printed = paste(errors, ROOT)
        assert status == 0, printed
        assert len(stub.requests) - questions(folder) <= 1  # the question that was interrupted
    assert stored_blocks(folder) == 9


@pytest.mark.slow
def test_after_kill_9_in_the_middle_of_games_no_answer_is_asked_for_again(tmp_path):
    folder = tmp_path / "cup"
    with serving(lambda messages, number: f"[{first_legal(messages[-1]['content'])}]") as stub:
        program = start("evaluate.py", stub.name, "random", *MINI, "--games", 9, "--out", folder, "--workers", 2)
        wait_for(lambda: stored_blocks(folder) >= 1)
        program.kill()
        program.communicate(timeout=60)
        time.sleep(2)  # the processes of games end with the program
        asked, kept = len(stub.requests), questions(folder)
        assert asked > kept
        succeeded(run("evaluate.py", "--resume", folder, "--allow", stub.name, "--workers", 2))
        assert len(stub.requests) - questions(folder) <= 2  # the questions that were interrupted
    assert stored_blocks(folder) == 9


def refusing() -> str:
    """An address at which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return f"llm:http://127.0.0.1:{server.getsockname()[1]}/v1,model=none"


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 3])
def test_a_server_that_refuses_connections_ends_the_tournament_with_one_error(tmp_path, workers: int):
    arguments = (refusing(), "random", *MINI, "--games", 60, "--out", tmp_path / "cup", "--workers", workers)
    result = run("evaluate.py", *arguments)
    errors = refused(result, "continue with: ")
    assert errors.count("cannot be reached") == 1
    assert "forfeit" not in result[1] + errors


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


def test_a_run_whose_decisions_are_not_the_models_ends_with_a_status_of_its_own(tmp_path):
    with serving(lambda messages, number: "hm") as stub:
        arguments = (stub.name, "random", *MINI, "--games", 60, "--out", tmp_path / "cup", "--workers", 1)
        status, printed, errors = invoke(app, *arguments)
        assert len(stub.requests) == 6  # three decisions, each asked for twice
    assert status == FORFEITED
    assert "the model failed to make 3 of 3 decisions, more than max_forfeits=0.05 allows" in errors
    assert "continue with: " in errors
    assert "win" not in printed


def test_decisions_that_are_skipped_after_failures_are_not_the_models_either():
    plan = Plan(TournamentSpec(agents=(refusing(), "random"), options={"preset": "mini"}, games=6))
    played = AgentStatistics(decisions=97)
    played.failures["errors"] = 3
    results: Any = {0: SimpleNamespace(statistics=[played, AgentStatistics()])}
    _check_forfeits(plan, results)
    played.skipped = 3
    with pytest.raises(ForfeitsError, match="failed to make 6 of 100 decisions"):
        _check_forfeits(plan, results)


@pytest.mark.usefixtures("not_laid_out")
def test_games_with_decisions_that_are_not_the_models_are_played_again_and_transcripts_have_all(tmp_path):
    is_ill = True

    def answer(messages, number):
        return "hm" if is_ill and number in (7, 8) else f"[{first_legal(messages[1]['content'])}]"

    folder = tmp_path / "cup"
    with serving(answer) as stub:
        words = (stub.name, "random", *MINI, "--games", 6, "--out", folder, "--workers", 1, "--ratings", "--replays", 2)
        printed, errors = succeeded(invoke(app, *words))
        printed = " ".join(printed.split())
        assert len(re.findall(r"% of its decisions were drawn at random\.", printed)) == 2  # below both tables
        assert " a game)" in printed
        assert "forfeited decisions: 1 errors" in errors
        lines = [json.loads(line) for line in (folder / "transcripts.jsonl").read_text().splitlines()]
        assert sum(line["questions"] for line in lines) == len(stub.requests)
        (failed,) = [line for line in lines if line["action"] is None]
        assert (failed["answer"], failed["questions"]) == ("hm", 2)
        is_ill, before = False, len(stub.requests)
        status, _, errors = invoke(app, "--resume", folder, "--allow", stub.name, "--workers", 1)
        assert (status, "forfeited" in errors) == (0, False)
        again = [line for line in lines if line["game"] == failed["game"]]
        assert len(stub.requests) - before <= 3 * len(again)  # one game of all
    page = next(folder.glob("replays/*.html")).read_text()
    film = json.loads(zlib.decompress(base64.b64decode(re.search(r'id="data" type="text/plain">([^<]+)<', page)[1])))
    reports = [report for _, _, report, _ in film["steps"] if report]
    assert reports
    assert all("was told:\nYou are Player" in text and " said:\n[" in text for _, text, _ in reports)
    table = parquet.read_table(folder / "transcripts.parquet").to_pylist()
    assert {row["game"] for row in table} == set(range(6))
    assert all(row["action"] in row["legal"] for row in table)
    assert all("You are Player" in row["prompt"] and row["input_tokens"] == 100 for row in table)


def test_the_table_for_a_paper_has_decisions_not_the_models_tokens_cost_and_play(tmp_path):
    with serving(lambda messages, number: f"[{first_legal(messages[1]['content'])}]") as stub:
        agent, path = f"{stub.name},input_price=100", tmp_path / "table.csv"
        plan = Plan(TournamentSpec(agents=(agent, "random"), options={"preset": "mini"}, games=6, behaviour=True))
        summary = summary_of(plan, play(plan, InProcessExecutor(plan)))
        write_table(summary, path)
    rows = {row["agent"]: row for row in csv.DictReader(path.read_text().splitlines())}
    assert float(rows[agent]["tokens_per_game"]) == pytest.approx(110 * len(stub.requests) / 6)
    assert float(rows[agent]["cost_per_game"]) == pytest.approx(0.01 * len(stub.requests) / 6)
    assert (float(rows[agent]["forfeited"]), rows["random"]["cost_per_game"]) == (0, "")
    assert {"price_less_worth", "counterfeits_bought_knowing", "counterfeits_known_bid_up"} <= rows[agent].keys()
    write_table(summary, tmp_path / "table.md")
    assert "| decisions not its own | tokens a game | cost a game |" in (tmp_path / "table.md").read_text()
    assert "| 0.00% |" in (tmp_path / "table.md").read_text()


@pytest.mark.usefixtures("not_laid_out")
def test_no_game_begins_that_would_pass_the_limit_of_what_models_may_use(tmp_path):
    """Prices of the server's own counts: what it was asked and answered is the cost that the command says."""
    folder, limit = tmp_path / "cup", ("--max-cost", 2.0)
    with serving(lambda messages, number: f"[{first_legal(messages[1]['content'])}]") as stub:
        agent = f"{stub.name},input_price=100,parallel=3"  # 0.01 for a question
        status, _, errors = invoke(app, agent, "random", *MINI, "--games", 90, "--out", folder, *limit)
        asked = len(stub.requests)
        assert (status, 100 < asked <= 200) == (SPENT, True)
        assert f"the games have cost {0.01 * asked:.2f}, the next one may need" in errors
        assert "and --max-cost is 2.0; continue with: " in errors
        assert re.search(r": about [\d,]+ decisions; with [\d,]+ tokens read and 300 written for each", errors)
        assert re.search(r" / 90 games, .* left, [\d,]+ of about [\d,]+ tokens, cost \d\.\d\d of about \d", errors)
        resume = ("--resume", folder, "--allow", agent)
        assert invoke(app, *resume, *limit)[0] == SPENT
        assert len(stub.requests) == asked
        assert invoke(app, *resume, "--max-cost", 3.0)[0] == SPENT
        assert asked < len(stub.requests) <= 300


def test_tokens_of_all_models_are_limited_together_and_over_several_tournaments():
    def block(read: int) -> Any:
        return SimpleNamespace(statistics=[AgentStatistics(usage={"input_tokens": read, "output_tokens": 10})] * 2)

    blocks: list[Any] = list("abcdefgh")
    limit = SpendingLimit(max_tokens=6000)
    portions, results = limit.portions(blocks, found := {}), found
    assert next(portions) == ["a"]
    results[0] = block(390)  # 800 tokens: six more can be paid for, of which half begin
    assert next(portions) == ["b", "c", "d"]
    results.update({number: block(490) for number in (1, 2, 3)})
    with pytest.raises(StopIteration):
        next(SpendingLimit().portions([], results))
    assert next(portions) == ["e"]
    results[4] = block(490)
    limit.count(results.values())
    with pytest.raises(SpendingError, match="the games have used 4,800 tokens, and --max-tokens is 4,800"):
        next(SpendingLimit(max_tokens=4800, tokens=limit.tokens).portions(blocks, {}))
    assert next(SpendingLimit(max_tokens=10**6).portions(blocks, results)) == blocks


def test_a_model_plays_games_that_are_stored_one_by_one_and_is_asked_as_often_at_a_time_as_it_may_be():
    plan = Plan(TournamentSpec(agents=(f"{refusing()},parallel=3", "random"), options={"preset": "mini"}, games=12))
    assert [block.stop - block.start for block in plan.blocks] == [1] * plan.num_games
    executor = make_executor(plan, None)
    assert executor._workers == 3
    executor.close()


def test_more_games_than_were_asked_for_are_announced_before_any(tmp_path):
    play = partial(invoke, app, "heuristic", "random", *MINI, "--json", tmp_path / "x.json", "--games")
    _, errors = succeeded(play(3))
    assert "6 games will be played, where 3 were asked for: each deal is played in 3 games" in errors
    assert "intervals need at least 2 deals" in errors
    assert json.loads((tmp_path / "x.json").read_text())["games"] == 6
    assert "will be played" not in play(12)[2]
