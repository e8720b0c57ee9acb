"""evaluate.py as a program: options, messages, output files."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
import typer

from tests.commands import ROOT, invoke, paste, refused, start, succeeded, wait_for
from tests.lab.arena.small import CHEAT, DRAWN, stored_blocks
from w51_agents.agent.seeds import SECRET_VARIABLE
from w51_lab.arena.spec import TournamentSpec
from w51_lab.commands.evaluate import app

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run() -> Run:
    """evaluate.py in this process: exit status, output, errors."""
    return partial(invoke, app)


def test_it_prints_a_table_and_writes_the_summary(run: Run, tmp_path):
    printed, _ = succeeded(run("heuristic", "random", "--games", 400, "--seed", 3, "--json", tmp_path / "table.json"))
    data = json.loads((tmp_path / "table.json").read_text())
    heuristic, random = data["agents"]
    assert (data["games"], data["deals"]["count"], data["seatings"]) == (400, 100, "permutations")
    assert (heuristic["seats"], random["seats"]) == (1, 3)
    assert heuristic["win_rate"]["low"] > data["equal_share"] > random["win_rate"]["high"]
    assert heuristic["win_rate"]["mean"] + 3 * random["win_rate"]["mean"] == pytest.approx(1)
    for standing in data["agents"]:
        assert f"{standing['win_rate']['mean']:.1%}" in printed
        assert f"{standing['score']['mean']:.2f}" in printed


@pytest.mark.parametrize(
    ("arguments", "option", "value"),
    [
        (["--option", "num_players=3"], "num_players", 3),
        (["--option", "num_players=3", "--players", 3], "num_players", 3),
        (["--option", "preset=de"], "pawn_limit", 4),
    ],
)
def test_players_and_preset_are_options_of_the_game(run: Run, arguments: list, option: str, value: object, tmp_path):
    succeeded(run("random", *arguments, "--games", 4, "--json", tmp_path / "table.json"))
    assert json.loads((tmp_path / "table.json").read_text())["options"][option] == value


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["heuristc"], "heuristic"),
        (["heuristic"] * 6, "6"),
        (["runs/nothing"], "runs/nothing: there is no such file or folder"),
        (["exploiter", "--game", "alles_futsch_v1"], "no pretrained network for alles_futsch_v1"),
        (
            ["exploiter", "--option", "relics=mini"],
            "trained with relics='reconstruction-1', but the game has relics='mini'",
        ),
        (["random", "--players", 7], "num_players: 7"),
        (["random", "--preset", "fancy"], "fancy"),
        (["random", "--game", "chess_v0"], "chess_v0"),
        (["random", "--option", "pawn_limit"], "pawn_limit"),
        (["random", "--players", 4, "--option", "num_players=3"], "num_players: --players has 4, but --option 3"),
        (["random", "--preset", "fr", "--option", "preset=de"], "preset: --preset has 'fr', but --option 'de'"),
        (["random", "--option", "preset=[de]"], "preset: ['de'] is unknown"),
        (["random", "--json", "no/such/folder/table.json"], "no/such/folder"),
        (["random", "--games", 1], "games: 1"),
        ([], "agents: none"),
        ([""], "agents: ''"),
        (
            ["--resume", "x", "--games", 500, "--seed", 1],
            "games, seed: not allowed with --resume, because x defines the games",
        ),
        (["random", "--format", "cup"], "format: 'cup'"),
        (["random", "--seatings", "all"], "seatings: 'all'"),
        (["random", "--time-limit", -1], "time_limit: -1"),
        (["random", "--behaviour"], "need --out"),
        (["random", "--resume", "no/such/folder"], "no/such/folder"),
        (["model.zip", "random"], "--trust"),
        (["sb3:model.zip", "random", "--trust"], "model.zip: there is no such file"),
        (["search:playouts=none", "random"], "playouts"),
        (["nobody:Nobody", "random"], "agent 'nobody:Nobody' cannot be made: ModuleNotFoundError"),
        (["random", "--out", "/dev/null/results"], "/dev/null/results"),
    ],
)
def test_bad_input_is_an_error_in_words_before_any_game(run: Run, arguments: list, message: str):
    result = run(*arguments)
    refused(result, message)
    assert "win rate" not in result[1]


@pytest.mark.slow
def test_an_interrupted_tournament_is_resumed_to_the_same_end(run: Run, tmp_path, monkeypatch):
    """Ctrl-C in the middle; what was played is kept, and the end is as if nothing had happened."""
    monkeypatch.setenv(SECRET_VARIABLE, "of both")
    folder = tmp_path / "the cup"
    arguments = (DRAWN, "heuristic", "--preset", "mini", "--games", 1200)
    arguments += ("--time-limit", 60, "--workers", 1)
    program = start("evaluate.py", *arguments, "--out", folder)
    wait_for(lambda: stored_blocks(folder) > 3)
    program.send_signal(signal.SIGINT)
    _, errors = program.communicate(timeout=60)
    assert program.returncode == 130
    assert "Traceback" not in errors
    assert not (folder / "report.html").exists()
    kept = stored_blocks(folder)
    status, printed = paste(errors, ROOT)
    assert status == 0, printed
    assert kept < stored_blocks(folder)
    status, uninterrupted, _ = run(*arguments)
    assert [line for line in printed.splitlines() if "%" in line] == [
        line for line in uninterrupted.splitlines() if "%" in line
    ]
    assert (folder / "report.html").exists()
    assert json.loads((folder / "summary.json").read_text())["games"] == 1200


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1])
@pytest.mark.parametrize("workers", [1, 2])
def test_other_signals_stop_a_tournament_as_ctrl_c_does(tmp_path, number, workers):
    """Sent to all processes, as a terminal and Slurm send them."""
    arguments = (DRAWN, "heuristic", "--preset", "mini", "--games", 30_000, "--time-limit", 60, "--workers", workers)
    program = start("evaluate.py", *arguments, "--out", tmp_path / "cup")
    wait_for(lambda: stored_blocks(tmp_path / "cup") > 3)
    for process in (program.pid, *children(program.pid)):
        if number != signal.SIGTERM:
            os.kill(process, number)
    program.send_signal(number)
    _, errors = program.communicate(timeout=60)
    assert (program.returncode, "Traceback" in errors) == (130, False)
    assert re.search(r"Interrupted; continue with: .*--resume", errors)
    assert stored_blocks(tmp_path / "cup") > 3
    assert not list((tmp_path / "cup").glob("*-wal"))


def children(process: int) -> list[int]:
    """All processes that a process has started, and theirs."""
    started = [int(one) for one in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    return [each for one in started for each in (one, *children(one))]


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1])
def test_other_signals_stop_a_recording_as_ctrl_c_does(tmp_path, number):
    code = "from w51_agents.console.w51 import main; main()"
    line = [sys.executable, "-c", code, "dataset", str(tmp_path / "games"), "random", "--games", "100000"]
    program = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for(lambda: (tmp_path / "games.parts" / "0.npz").exists())
    program.send_signal(number)
    printed, errors = program.communicate(timeout=60)
    assert (program.returncode, "Traceback" in errors) == (130, False), errors
    assert "Stopped. The same command goes on from" in printed


def test_ratings_are_printed_on_request(run: Run):
    printed, _ = succeeded(run("heuristic", "random", "--preset", "mini", "--games", 60, "--ratings"))
    assert "Plackett-Luce" in printed
    assert "Elo" in printed


@pytest.mark.slow
def test_an_agent_that_fails_is_reported_and_the_tournament_goes_on(run: Run, tmp_path):
    _, errors = succeeded(run(CHEAT, "random", "--games", 40, "--out", tmp_path / "cup", "--workers", 1))
    assert f"{CHEAT} forfeited decisions: " in errors
    assert "is not legal; legal are" in errors
    first = json.loads((tmp_path / "cup" / "failures.json").read_text())[0]
    assert first["agent"] == CHEAT
    assert first["observation"]["ingots"]
    assert "is not legal; legal are" in (tmp_path / "cup" / "report.html").read_text()


@pytest.mark.slow
@pytest.mark.parametrize(("tournament", "matches"), [("pairs", 12), ("panel", 6), ("groups", 4)])
def test_more_agents_than_seats_play_in_pairs_panels_and_groups(run: Run, tournament: str, matches: int, tmp_path):
    names = ["heuristic", "random", "tests.lab.arena.small:Drawn", "tests.lab.arena.small:Cheat"]
    arguments = ("--preset", "mini", "--games", 24, "--workers", 2, "--format", tournament)
    printed, _ = succeeded(run(*names, *arguments, "--json", tmp_path / "table.json"))
    summary = json.loads((tmp_path / "table.json").read_text())
    assert len(summary["pairs"]) == 6
    assert len(summary["matches"]) == matches
    if tournament == "panel":
        assert [member["name"] for member in summary["panel"]["members"]] == names[1:]
        assert "heuristic in populations of others" in printed
    else:
        assert summary["agents"][0]["nash"] >= 0


def test_every_field_of_a_specification_has_a_help_text_and_an_option_with_its_default(run: Run):
    parameters = {parameter.name: parameter for parameter in typer.main.get_command(app).params}
    assert set(TournamentSpec.model_fields) - set(parameters) == {"names", "options"}
    _, printed, _ = run("--help")
    for name, field in TournamentSpec.model_fields.items():
        assert field.description
        if name not in ("agents", "names", "options"):
            assert f"--{name.replace('_', '-')} " in printed
            assert parameters[name].default == field.default
