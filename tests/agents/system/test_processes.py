"""Processes of this package begin with nothing of the working directory, which may be a stranger's folder."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import ROOT, run

# A script of a user, with a module of its own beside it.
SCRIPT = """
import os
import signal
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor

import mine
from w51_agents.system.processes import spawn_context

if __name__ == "__main__":
    before = dict(os.environ)
    with ProcessPoolExecutor(2, spawn_context()) as pool:
        print(pool.submit(mine.path_of_a_script).result() == sys.path)
    print(dict(os.environ) == before)
"""
MINE = """
import signal
import subprocess
import sys

def path_of_a_script():
    # A script that a process starts finds the modules beside it.
    subprocess.run([sys.executable, __file__.replace("mine", "sibling")], check=True)
    return sys.path
"""
TABLE_AND_TOURNAMENT = """
from w51_env import make_game
from w51_lab.arena.plan import Plan
from w51_lab.arena.spec import TournamentSpec
from w51_lab.arena.workers import ProcessPool
from w51_table.play.agent_pool import AgentPool, only_make

if __name__ == "__main__":
    pool = AgentPool(slow=1, time_limit=60.0)
    print(pool.ask(only_make("random", make_game("warehouse51_v1"))).result().failure)
    pool.close()
    plan = Plan(TournamentSpec(agents=("random",), options={"preset": "mini"}, games=4))
    executor = ProcessPool(plan, 1)
    print(len(list(executor.results(plan.blocks))) == len(plan.blocks))
    executor.close()
"""
PLANTED = ("multiprocessing", "json", "pickle", "numpy", "runpy", "threading")


@pytest.fixture
def strange(tmp_path: Path) -> Path:
    """A folder with files that have the names of modules."""
    folder = tmp_path / "strange"
    folder.mkdir()
    for name in PLANTED:
        (folder / f"{name}.py").write_text(f"open({str(tmp_path / 'it_ran')!r}, 'w')\nraise ImportError('planted')\n")
    return folder


def run_script(text: str, tmp_path: Path, folder: Path) -> list[str]:
    """The lines that a script outside of `folder` prints in it."""
    script = tmp_path / "scripts" / "script.py"
    script.parent.mkdir()
    script.write_text(text)
    (script.parent / "mine.py").write_text(MINE)
    (script.parent / "sibling.py").write_text("import mine")
    done = subprocess.run(
        [sys.executable, script],
        cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, text=True, timeout=120,
    )  # fmt: skip
    return done.stdout.splitlines()


def test_a_process_imports_nothing_of_the_working_directory_and_leaves_the_environment(strange, tmp_path):
    assert run_script(SCRIPT, tmp_path, strange) == ["True", "True"]
    assert not (tmp_path / "it_ran").exists()


@pytest.mark.slow
def test_the_agents_of_a_table_and_the_workers_of_a_tournament_run_nothing_of_it(strange, tmp_path):
    assert run_script(TABLE_AND_TOURNAMENT, tmp_path, strange) == ["None", "True"]
    assert not (tmp_path / "it_ran").exists()


@pytest.mark.slow
def test_evaluate_py_runs_nothing_of_it(strange, tmp_path):
    few = ("--games", 8, "--time-limit", 60, "--option", "preset=mini", "--workers", 2)
    assert run("evaluate.py", "search:playouts=1", "random", *few, folder=strange)[0] == 0
    assert not (tmp_path / "it_ran").exists()


def test_no_module_makes_processes_of_its_own():
    """All take them from `system.processes`."""
    found = [
        str(path.relative_to(ROOT))
        for name in ("agents", "lab", "table", "w51_env")
        for path in sorted((ROOT / name).rglob("*.py"))
        if re.search(r"get_context\(|import multiprocessing|multiprocessing import (Process|Pool)", path.read_text())
    ]
    assert found == []


SERVER = "from w51_agents.console.w51 import main; main(['play', '--port', '0', '--folder', '{}'])"


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1])
def test_a_server_ends_in_silence_at_any_signal_to_stop(tmp_path, number):
    line = [sys.executable, "-c", SERVER.format(tmp_path)]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        assert "http://127.0.0.1" in server.stdout.readline()
        server.send_signal(number)
        _, errors = server.communicate(timeout=60)
        assert (server.returncode, "Traceback" in errors) == (130, False), errors


def test_a_signal_stops_a_program_in_the_background_too():
    """A shell that starts it with `&` in a script lets it ignore Ctrl-C."""
    code = """
import signal, time
from w51_agents.system.stopping import stopped_as_by_ctrl_c
signal.signal(signal.SIGINT, signal.SIG_IGN)
with stopped_as_by_ctrl_c():
    print("ready", flush=True)
    time.sleep(60)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
        assert program.stdout.readline() == b"ready\n"
        program.send_signal(signal.SIGTERM)
        assert b"KeyboardInterrupt" in program.communicate(timeout=30)[1]
