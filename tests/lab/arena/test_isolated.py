"""Isolated agents in processes of their own: whatever one does is its forfeit, and nothing reaches the others."""

import gc
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from tests.lab.arena.small import DRAWN
from w51_agents import make_agent
from w51_agents.isolation import isolated, link
from w51_agents.isolation.isolated import AgentSource, IsolatedAgent
from w51_agents.isolation.link import AgentProcess
from w51_agents.isolation.messages import send
from w51_env import make_game
from w51_lab.arena.plan import Plan, TournamentState
from w51_lab.arena.spec import TournamentSpec
from w51_lab.arena.tournament import TournamentResult, run
from w51_lab.arena.workers import InProcessExecutor, ProcessPool

ENDED = {
    "Panics": "PanicException: a panic of Rust",
    "Interrupts": "KeyboardInterrupt",
    "Exits": "SystemExit: 0",
    "Leaves": "its process ended with status 0",
    "Segfaults": "its process ended with signal SIGSEGV",
    "Killed": "its process ended with signal SIGKILL",
    "Closes": "its process ",
    "Hogs": "MemoryError",
    "Deep": "ValueError: deep in a library",
    "Lone": "ValueError: bad \\udcff",
    "Long": "ValueError: xxxxxxxx",
    "Orphans": "its process ended with status 3",
    "RealTime": "its process ended with signal 35",
    "Babbles": "its process answers no more: ValueError",
    "Nests": "its process answers no more: RecursionError",
    "Hangs": "over the time limit of 0.05 s for a decision",
    "HangsInC": "over the time limit of 0.05 s for a decision",
}
FATAL = ("Leaves", "Segfaults", "Killed", "Closes", "HangsInC", "Orphans", "RealTime", "Babbles", "Nests")


def plan_of(agent: str, games: int = 12, **changes) -> Plan:
    return Plan(
        TournamentSpec(agents=(agent, "random"), options={"preset": "mini"}, games=games, memory_limit=2.0, **changes),
        TournamentState(slow=()),
    )


def played(plan: Plan, workers: int = 1) -> TournamentResult:
    executor = InProcessExecutor(plan) if workers == 1 else ProcessPool(plan, workers)
    try:
        return run(plan, executor)
    finally:
        executor.close()


def test_a_process_whose_answer_nobody_awaits_ends_in_silence():
    mine, theirs = socket.socketpair()
    command = [sys.executable, "-P", "-c", link._START, json.dumps(sys.path), str(theirs.fileno())]
    process = subprocess.Popen(command, pass_fds=(theirs.fileno(),), stderr=subprocess.PIPE)
    send(mine, {"do": "status", "pid": process.pid})  # it has not yet begun to read
    mine.close()
    theirs.close()
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, b"")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ENDED)
def test_each_kind_of_misbehaviour_is_a_forfeit_by_name(kind: str, monkeypatch):
    monkeypatch.setattr(link, "_GRACE", 0.2 if kind == "HangsInC" else 9.0)
    limit = {"time_limit": 0.05} if kind.startswith("Hangs") else {}
    plan = plan_of(f"tests.lab.arena.bad:{kind}", **limit)
    found = played(plan)
    statistics, other = found.statistics
    assert len(found.games.scores) == plan.num_games
    assert statistics.first is not None
    assert statistics.first.message.startswith(ENDED[kind])
    assert sum(statistics.failures.values()) > 0
    assert (statistics.skipped > 0) == (kind in FATAL)
    assert not other.first
    statistics.first.message.encode()
    statistics.first.traceback.encode()
    if kind not in FATAL and not kind.startswith("Hangs"):
        assert "in misbehave" in statistics.first.traceback


def test_an_agent_that_dies_by_a_real_time_signal_costs_one_process_a_player_of_a_block(monkeypatch):
    started = []
    new = AgentProcess.__init__
    monkeypatch.setattr(AgentProcess, "__init__", lambda *given, **more: started.append(0) or new(*given, **more))
    plan = plan_of("tests.lab.arena.bad:RealTime", games=60)
    found = played(plan)
    first = found.statistics[0].first
    assert (first.kind, first.message) == ("errors", "its process ended with signal 35")
    assert len(found.games.scores) == plan.num_games
    # Beside these: the one that makes the agent, and one in which its first decisions are timed.
    assert len(started) <= 2 + len(plan.blocks) * plan.game.num_players


def ends(pid: int) -> bool:
    """Whether a process has ended or does so within seconds."""
    for _ in range(500):
        try:
            if Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z":
                return True
        except FileNotFoundError:
            return True
        time.sleep(0.01)
    return False


def test_a_process_has_the_folder_and_environment_of_its_caller_without_the_secret(monkeypatch, tmp_path):
    monkeypatch.setenv("W51_ENV_SECRET", "1234")
    monkeypatch.setenv("COLOUR", "blue")
    monkeypatch.chdir(tmp_path)
    process = AgentProcess.start()
    while not (environment := Path(f"/proc/{process.pid}/environ").read_bytes()):
        time.sleep(0.01)  # it is starting
    assert b"COLOUR=blue" in environment
    assert b"1234" not in environment
    assert Path(f"/proc/{process.pid}/cwd").readlink() == tmp_path
    process.end()
    assert ends(process.pid)


def test_forks_end_with_the_process_that_made_the_agent():
    made = AgentProcess.start()
    forks = [made.fork() for _ in range(2)]
    forks[0].end()
    assert ends(forks[0].pid)
    os.kill(made.pid, signal.SIGKILL)
    assert ends(forks[1].pid)


@pytest.mark.slow
def test_a_child_that_keeps_the_socket_open_holds_nobody_up():
    begun = time.monotonic()
    played(plan_of("tests.lab.arena.bad:Orphans", games=6))
    assert time.monotonic() - begun < 25


@pytest.mark.slow
def test_settings_of_the_process_are_those_of_the_beginning_in_each_block():
    found = played(plan_of("tests.lab.arena.bad:Sets", time_limit=60.0))
    assert not any(statistics.first for statistics in found.statistics)


@pytest.mark.slow
def test_misbehaviour_changes_nothing_with_the_number_of_workers():
    plan = plan_of("tests.lab.arena.bad:Leaves", time_limit=60.0)  # a deal is a block
    one, two = played(plan), played(plan, 2)
    np.testing.assert_array_equal(one.games.scores, two.games.scores)
    assert one.statistics[0].failures == two.statistics[0].failures


@pytest.mark.slow
def test_the_games_are_the_same_whatever_exception_it_is():
    """The same decisions are forfeited and the same actions drawn, by whatever the agent fails."""
    first, *others = (played(plan_of(f"tests.lab.arena.bad:{kind}")).games for kind in ("Deep", "Panics", "Interrupts"))
    for other in others:
        np.testing.assert_array_equal(first.scores, other.scores)


def test_a_reset_that_hangs_forfeits_the_block(monkeypatch):
    monkeypatch.setattr(isolated, "RESET_SECONDS", 0.3)
    begun = time.monotonic()
    plan = plan_of("tests.lab.arena.bad:BadReset")
    statistics = played(plan).statistics[0]
    assert statistics.first.message == "reset: over the time limit"
    assert statistics.decisions == 0 < statistics.skipped
    assert time.monotonic() - begun < 60


def test_an_agent_finds_no_true_states_and_no_command_line_and_prints_to_the_standard_error_stream(capfd):
    assert played(plan_of("tests.lab.arena.bad:Spy", games=3)).statistics[0].first is None
    out, shown = capfd.readouterr()
    assert not out
    assert shown.startswith("I think.")


def test_its_process_ends_with_the_plan():
    plan = plan_of(DRAWN)
    agent = plan.agents[0]
    assert isinstance(agent, IsolatedAgent)
    agent.begin()
    processes = [agent.pid, agent._process.pid]
    assert all(Path(f"/proc/{pid}").exists() for pid in processes)
    del agent, plan
    gc.collect()
    assert all(map(ends, processes))


def test_a_call_of_many_decisions_gives_what_the_class_gives():
    game, generator = make_game("warehouse51_v1", preset="mini"), np.random.default_rng(1)
    observations = generator.integers(-5, 5, (3000, game.layout.size), np.int8)
    masks = generator.integers(0, 2, (3000, len(game.actions)), np.int8)
    masks[:, 0] = 1
    agent, inside = IsolatedAgent(AgentSource(DRAWN, game.id, dict(game.options)), game), make_agent(DRAWN, game)
    for player in (agent, inside):
        if player is agent:
            agent.begin()
        player.reset(7)
    for count in (1, 3000, 5):  # the memory grows
        actions = agent.act_batch(observations[:count], masks[:count])
        assert actions.tolist() == inside.act_batch(observations[:count], masks[:count]).tolist()
    agent.close()


def test_views_and_determinizations_reach_an_agent_that_needs_them():
    assert played(plan_of("tests.lab.arena.bad:Searcher", games=3)).statistics[0].first is None
