"""Tournaments as small as can be, for tests, and agents for them.

The process of an isolated agent imports this module too, so it imports what tournaments need when it makes one.
"""

import os
import re
import signal
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from w51_agents.agent.interface import BatchAgent, SingleAgent

if TYPE_CHECKING:
    from w51_env.engine.game import Game
    from w51_lab.arena.plan import Plan
    from w51_lab.arena.store import Store
    from w51_lab.arena.tournament import TournamentResult


class Outside(BatchAgent):
    """A bot that is asked through the agent protocol instead of playing inside the batch; counts its decisions."""

    def __init__(self, game: "Game", name: str):
        from w51_agents import make_agent

        self._agent = make_agent(name, game)
        self.decisions = 0

    def reset(self, seed: int) -> None:
        self._agent.reset(seed)

    def act_batch(self, observations, action_masks, infos=None):
        self.decisions += len(observations)
        return self._agent.act_batch(observations, action_masks, infos)


class Drawn(SingleAgent):
    """A random legal action, drawn by the agent itself."""

    def __init__(self, game):
        self.reset(0)

    def reset(self, seed: int) -> None:
        self._generator = np.random.default_rng(seed)

    def act(self, observation, action_mask, info=None) -> int:
        return int(self._generator.choice(np.flatnonzero(action_mask)))


class Cheat(SingleAgent):
    """Bids more than it has, now and then."""

    def __init__(self, game):
        pass

    def act(self, observation, action_mask, info=None) -> int:
        illegal = np.flatnonzero(np.asarray(action_mask) == 0)
        return int(illegal[0]) if observation.sum() % 7 == 0 else int(np.flatnonzero(action_mask)[0])


class Forgetful(SingleAgent):
    """Counts its decisions, plays by the count, and has no `reset`."""

    def __init__(self, game):
        self._count = 0

    def act(self, observation, action_mask, info=None) -> int:
        self._count += 1
        legal = np.flatnonzero(action_mask)
        return int(legal[self._count % len(legal)])


class Plain:
    """Not made from any class of ours, with the two methods that count."""

    def __init__(self, game):
        pass

    def reset(self, seed: int) -> None:
        pass

    def act(self, observation, action_mask, info=None) -> int:
        return int(np.flatnonzero(action_mask)[-1])


def parent(process: int) -> int:
    """The process that started another one."""
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])


class Killer(Plain):
    """Kills the process that asks it, the first time in each that the file KILLER is not there."""

    is_slow = False  # else it is tried before the tournament

    def act(self, observation, action_mask, info=None) -> int:
        if not (kills := Path(os.environ["KILLER"])).exists():
            if os.environ.get("KILL_ONCE"):
                kills.touch()
            os.kill(parent(os.getppid()), signal.SIGKILL)  # the agent plays in a fork of the process that made it
        return super().act(observation, action_mask, info)


FORGETFUL, KILLER = (f"tests.lab.arena.small:{name}" for name in ("Forgetful", "Killer"))
DRAWN, CHEAT = "tests.lab.arena.small:Drawn", "tests.lab.arena.small:Cheat"


def stored_blocks(folder: Path) -> int:
    """Number of blocks in the folder of a tournament, which another process may be writing."""
    from w51_lab.arena.database import RESULTS

    if not (folder / RESULTS).exists():
        return 0
    with closing(sqlite3.connect(f"{(folder / RESULTS).absolute().as_uri()}?mode=ro", uri=True)) as file:
        try:
            return int(file.execute("SELECT count(*) FROM blocks").fetchone()[0])
        except sqlite3.OperationalError:  # it is being made, or its writer was killed
            return 0


def edit(path: Path, statement: str) -> None:
    """Change a file of results as no writer that respects its schema could."""
    is_lax = not statement.startswith(("DROP", "ALTER", "CREATE"))
    strict = "SELECT name, sql FROM sqlite_schema WHERE type = 'table'"
    with closing(sqlite3.connect(path)) as file:
        schema = file.execute(strict).fetchall()
    lax = [(name, re.sub(r" NOT NULL| CHECK \([^)]*\)|STRICT| INTEGER(?! PRIMARY)", "", sql)) for name, sql in schema]
    steps = [lax, None, schema] if is_lax else [None]
    for step in steps:
        with closing(sqlite3.connect(path)) as file, file:
            if step is None:
                file.executescript(statement)
                continue
            file.execute("PRAGMA writable_schema = ON")
            file.executemany("UPDATE sqlite_schema SET sql = ?2 WHERE name = ?1", step)


def plan_of(*agents: str, **changes: Any) -> "Plan":
    """A tournament of the mini game, in many blocks."""
    from w51_lab.arena.plan import Plan, TournamentState
    from w51_lab.arena.spec import TournamentSpec

    spec = {"options": {"preset": "mini"}, "games": 60, "time_limit": 60.0, **changes}  # a limit: each deal is a block
    return Plan(TournamentSpec(agents=agents, **spec), TournamentState(slow=()))


def finish(plan: "Plan", store: "Store | None" = None) -> "TournamentResult":
    """Play the blocks that are not stored, in this process."""
    from w51_lab.arena.tournament import run
    from w51_lab.arena.workers import InProcessExecutor

    return run(plan, InProcessExecutor(plan), store)


def same(first: "TournamentResult", second: "TournamentResult") -> bool:
    """Whether two tournaments have the same games."""
    columns = ("deals", "lineups", "seats", "scores", "ranks", "lengths")
    return all((getattr(first.games, name) == getattr(second.games, name)).all() for name in columns)
