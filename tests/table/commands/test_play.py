"""play.py as a program: what it writes, and what bad input gets."""

import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.commands import ROOT, invoke, refused
from tests.table.play.games import recorded
from w51_table.commands.play import app

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run() -> Run:
    """play.py in this process: exit status, output, errors."""
    return partial(invoke, app)


@pytest.fixture
def replay(tmp_path: Path) -> Path:
    path = tmp_path / "game.json"
    recorded(preset="mini").save(path)
    return path


@pytest.mark.parametrize("suffix", [".txt", ".html", ".svg"])
def test_a_replay_is_exported(suffix: str, run: Run, replay: Path, tmp_path: Path):
    output = tmp_path / f"game{suffix}"
    status, printed, _ = run("export", replay, output)
    assert status == 0
    assert printed == f"{output}: {output.stat().st_size:,} bytes\n"
    assert "Ann" in output.read_text("utf-8") or suffix == ".html"


def test_a_game_of_agents_is_exported_in_a_language(run: Run, tmp_path: Path):
    output = tmp_path / "game.txt"
    given = ("export", "heuristic", "random", output, "--option", "preset=mini", "--seed", 3, "--language", "de")
    assert run(*given)[0] == 0
    text = output.read_text("utf-8")
    assert re.search(r"^\* (heuristic|random)( \d)? beginnt", text, re.MULTILINE)
    assert run(*given)[0] == 0
    assert output.read_text("utf-8") == text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["watch", "no/such.json"], "no/such.json: cannot be read"),
        (["watch", "heuristc"], "heuristic"),
        (["watch", "heuristic", "--viewer", "9"], "viewer: 9, but allowed are 'public', 'all', 0, 1, 2, 3"),
        (["watch", "heuristic", "--language", "xx"], "language: 'xx'"),
        (["watch", *["heuristic"] * 6], "num_players: 6"),
        (["watch", "heuristic", "--game", "chess_v0"], "chess_v0"),
        (["watch", "GAME", "--agent", "nobody"], "nobody"),
        (["watch", "GAME", "--players", "4"], "--players: not allowed with a replay"),
        (["watch", "GAME", "--viewer", "private"], "viewer: 'private'"),
        (["watch", "heuristic", "--port", "0"], "--port: not allowed without --browser"),
        (["watch", "heuristc", "--browser"], "heuristic"),
        (["watch", "GAME", "--browser", "--port", "99999"], "port 99999"),
        (["watch", "heuristic", "--browser", "--folder", "/dev/null/tables"], "/dev/null/tables"),
        (["export", "GAME"], "a replay and a file are needed"),
        (["export", "game.html", "x.gif"], "game.html: .html is what is written, but the .json of a replay is read"),
        (["export", "GAME", "x.pdf"], "the suffix is '.pdf', but allowed are .html, .txt, .svg, .gif, .mp4"),
        (["export", "GAME", "no/such/x.html"], "no/such"),
        (["export", "GAME", "/dev/null/x.html"], "/dev/null"),
        (["export", "GAME", "x.svg", "--frame", "5000"], "--frame 5000"),
        (["export", "GAME", "x.gif", "--fps", "0"], "--fps 0"),
        (["export", "GAME", "x.txt", "--explain", "--agent", "nobody"], "nobody"),
        (["export", "GAME", "x.gif", "--explain"], ".gif has no reports of agents; .html and .txt have"),
        (["export", "GAME", "x.mp4", "--explain"], ".mp4 has no reports of agents"),
        (["export", "GAME", "x.svg", "--explain"], ".svg has no reports of agents"),
        (["export", "GAME", "x.txt", "--agent", "heuristic"], "--agent: not allowed without --explain"),
        (["export", "GAME", "x.svg", "--agent", "heuristic"], "--agent: not allowed for .svg"),
        (["export", "GAME", "x.gif", "--frame", "3"], "--frame: not allowed for .gif, but for .svg"),
        (["export", "GAME", "x.html", "--fps", "3"], "--fps: not allowed for .html, but for .gif, .mp4"),
        (["export", "GAME", "x.txt", "--theme", "dark"], "--theme: not allowed for .txt"),
        (["watch", "GAME", "--seed", "3"], "--seed: not allowed with a replay"),
        (["watch", "heuristic", "--agent", "random"], "--agent: not allowed for a game that agents play"),
        (["terminal", "--resume", "GAME", "--seed", "3"], "--seed: not allowed with --resume"),
        (["terminal", "heuristic", "--allow", "a:B"], "--allow: not allowed without --resume"),
        (["terminal", "nobody"], "nobody"),
        (["terminal", "heuristic", "--seat", "7"], "--seat 7"),
        (["terminal", *["heuristic"] * 4], "agents: 4"),
        (["terminal", "heuristic", "--seed", "-1"], "seed"),
        (["terminal", "heuristic", "--folder", "/dev/null/tables"], "/dev/null/tables"),
        (["terminal", "heuristic", "--option", "pawn_limits=2"], "pawn_limits"),
        (["watch", "heuristic"], "the terminal: standard input or error is not a terminal"),
        (["terminal", "heuristic"], "the terminal: standard input or error is not a terminal"),
        (["terminal", "sb3:model.zip"], "--trust"),
        (["terminal", "--resume", "no/such.table"], "no/such.table"),
        (["terminal", "--resume", "GAME"], "table"),
        (["--port", "99999"], "port 99999"),
        (["--port", "TAKEN"], "another program uses it: take another one with --port"),
        (["--host", "192.0.2.7"], "of 192.0.2.7"),
        (["--agent", "heuristc"], "did you mean 'heuristic'?"),
        (["--folder", "/dev/null/tables"], "/dev/null/tables"),
        (["--language", "xx"], "language: 'xx'"),
    ],
)
def test_bad_input_is_an_error_in_words_before_anything_starts(
    run: Run, replay: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
):
    monkeypatch.chdir(tmp_path)
    before = {path.name for path in tmp_path.iterdir()}
    with socket.create_server(("127.0.0.1", 0)) as taken:
        meant = {"GAME": str(replay), "TAKEN": str(taken.getsockname()[1])}
        status, _, errors = run(*(meant.get(argument, argument) for argument in arguments))
    assert status == 2
    assert message in errors
    assert "Traceback" not in errors
    assert {path.name for path in tmp_path.iterdir()} - before <= {"runs"}


@pytest.mark.parametrize("command", ["watch", "export"])
def test_a_damaged_replay_is_refused_with_the_reason(run: Run, replay: Path, tmp_path: Path, command: str):
    replay.write_text(replay.read_text("utf-8").replace('"over": true', '"over": false'), "utf-8")
    output = [tmp_path / "out.html"] if command == "export" else []
    assert "final.over" in refused(run(command, replay, *output), str(replay))
    assert not (tmp_path / "out.html").exists()


def test_the_file_of_a_table_imports_no_code_that_the_user_does_not_allow(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    from w51_env import make_game
    from w51_table.play.game_log import GameLog
    from w51_table.play.table import PERSON, Setup, Table

    monkeypatch.chdir(tmp_path)
    (tmp_path / "strange.py").write_text("open('ran', 'w').close()\n")
    game = make_game("warehouse51_v1", preset="mini")
    table = Table(Setup(game.id, dict(game.options), 1, (PERSON, "strange:Agent", "random")))
    GameLog.create(tmp_path / "x.table", table).close()
    refused(run("terminal", "--resume", tmp_path / "x.table"), "--allow strange:Agent")
    assert not (tmp_path / "ran").exists()


# ---- a real terminal


@pytest.fixture
def tmux(tmp_path: Path) -> Iterator[Callable[..., str]]:
    """A terminal of 80 x 24 characters: `tmux("send-keys", ...)`."""
    if shutil.which("tmux") is None:
        pytest.skip("tmux is not installed")
    socket = str(tmp_path / "socket")

    def call(*arguments: str) -> str:
        return subprocess.run(["tmux", "-S", socket, *arguments], capture_output=True, text=True, check=True).stdout

    yield call
    subprocess.run(["tmux", "-S", socket, "kill-server"], check=False)


def start(tmux: Callable[..., str], *arguments: object) -> Callable[[str], str]:
    """Start play.py in the terminal; returns a function that waits for a text and returns the screen."""
    command = " ".join(map(str, [f"PYTHONPATH={ROOT}", "LANG=C.UTF-8", sys.executable, ROOT / "play.py", *arguments]))
    tmux("new-session", "-d", "-s", "t", "-x", "80", "-y", "24", f"{command}; echo status $?; sleep 1000")

    def wait(text: str) -> str:
        begun = time.monotonic()
        while text not in (shown := tmux("capture-pane", "-p", "-t", "t")):
            assert time.monotonic() - begun < 180, shown
            time.sleep(0.1)
        return shown

    return wait


@pytest.mark.slow
def test_a_game_is_played_in_a_real_terminal_quit_and_resumed(tmux: Callable[..., str], tmp_path: Path):
    def keys(*names: str) -> None:
        tmux("send-keys", "-t", "t", *names)

    options = ("--option", "preset=mini", "--seed", 4, "--folder", tmp_path, "--name", "Zoe", "--language", "en")
    wait = start(tmux, "terminal", "heuristic", "random", *options)
    wait("Your turn")
    keys("Enter")
    wait("decision 1")
    keys("?")
    wait("Escape closes")
    keys("Enter")  # Escape and q at once would be Alt-q
    wait("Zoe")
    keys("q")
    shown = wait("status 0")
    (table,) = tmp_path.glob("*.table")
    assert table.name in shown.replace("\n", "")
    tmux("kill-session", "-t", "t")
    wait = start(tmux, "terminal", "--resume", table, "--language", "en")
    wait("Your turn")
    for _ in range(200):
        if "The game is over" in tmux("capture-pane", "-p", "-t", "t"):
            break
        keys("Enter")
        time.sleep(0.3)
    wait("The game is over")
    keys("q")
    wait("status 0")
    assert table.with_suffix(".json").exists()


@pytest.mark.slow
def test_a_replay_is_watched_in_a_real_terminal(tmux: Callable[..., str], replay: Path):
    wait = start(tmux, "watch", replay, "--language", "en")
    wait("decision 0 of")
    tmux("send-keys", "-t", "t", "Right", "NPage", "NPage")
    wait("lot 3 of")
    tmux("send-keys", "-t", "t", "End")
    wait("the game is over")
    tmux("send-keys", "-t", "t", "q")
    wait("status 0")


@pytest.mark.slow
@pytest.mark.parametrize("what", ["terminal", "watch"])
def test_keys_pressed_before_the_screen_is_there_are_not_lost(tmux: Callable[..., str], tmp_path: Path, what: str):
    agents = ["heuristic"] * (2 if what == "terminal" else 3)
    wait = start(tmux, what, *agents, "--language", "en", *(["--folder", tmp_path] if what == "terminal" else []))
    tmux("send-keys", "-t", "t", "e")
    wait("Rules and cards")
