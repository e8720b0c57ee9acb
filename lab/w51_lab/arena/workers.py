"""Executors, which play the blocks of a tournament in this process or in a pool of processes.

The results are the same for all of them, and for `w51_lab.arena.cluster`.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import chain, islice
from pathlib import Path
from typing import Any, Protocol

from w51_agents.agent.bots import BotAgent
from w51_agents.agent.interface import AgentError
from w51_agents.system.processes import spawn_context, usable_cores
from w51_lab.arena.blocks import BlockResult, play_block
from w51_lab.arena.plan import Block, Plan, TournamentState
from w51_lab.arena.spec import TournamentSpec

_AHEAD = 2  #  maximum number of submitted blocks per worker
_RESTARTS = 3  #  of a pool whose process died


class Executor(Protocol):
    """Plays blocks of a tournament."""

    def results(self, blocks: Iterable[Block]) -> Iterator[BlockResult]:
        """Yield the result of each block as it finishes; blocks are taken in order, shortly before they are played."""

    def close(self) -> None:
        """Stop all work."""


class InProcessExecutor:
    """Plays blocks in this process, one after the other."""

    def __init__(self, plan: Plan, threads: int = 1):
        one_thread()
        self._plan = plan
        self._threads = threads

    def results(self, blocks: Iterable[Block]) -> Iterator[BlockResult]:
        for block in blocks:
            yield play_block(self._plan, block, self._threads)

    def close(self) -> None:
        """End the processes of agents."""
        self._plan.close()


class ProcessPool:
    """Plays blocks in several processes of this machine. If a process dies, its block is played again."""

    def __init__(self, plan: Plan, workers: int):
        plan.close()  # the agents play in the workers
        self._plan = plan
        self._workers = workers
        self._pool = self._new_pool()

    def results(self, blocks: Iterable[Block]) -> Iterator[BlockResult]:
        """Yield block results as they finish; AgentError if processes die repeatedly."""
        waiting = iter(blocks)
        running: dict[Future, Block] = {}
        again: list[Block] = []
        deaths = 0
        while True:
            for block in islice(chain(again, waiting), _AHEAD * self._workers - len(running)):
                running[self._pool.submit(_play_block, block)] = block
            again = []
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                try:
                    result = future.result()
                except BrokenProcessPool:
                    # All running blocks are lost with the one whose process died.
                    deaths += 1
                    again = sorted(running.values(), key=lambda block: block.number)
                    if deaths > _RESTARTS:
                        raise AgentError(self._died(again)) from None
                    running.clear()
                    self.close()
                    self._pool = self._new_pool()
                    break
                running.pop(future)
                yield result

    def close(self) -> None:
        """Stop all processes without waiting for their blocks."""
        for process in list((self._pool._processes or {}).values()):
            process.terminate()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _new_pool(self) -> ProcessPoolExecutor:
        made_of = self._plan.spec, self._plan.state, self._plan.answers
        return ProcessPoolExecutor(self._workers, spawn_context(), _start_worker, (*made_of, os.getpid()))

    def _died(self, blocks: list[Block]) -> str:
        seated = {agent for block in blocks for agent in self._plan.lineups[block.lineup].tolist()}
        agents = ", ".join(sorted(self._plan.names[agent] for agent in seated))
        numbers = ", ".join(str(block.number) for block in blocks)
        times = f"killed {_RESTARTS + 1} times, by an agent or for lack of memory"
        return f"workers: {times}, in games of {agents} (blocks {numbers})"


def make_executor(plan: Plan, workers: int | None) -> Executor:
    """Return the executor for a number of workers.

    Args:
        plan: The tournament.
        workers: Number of processes, or of threads of the engine if all agents are bots. None: as many as there are
            cores; with language models as many as they may be asked questions at the same time.
    """
    asked = [parallel for agent in plan.agents if (parallel := getattr(agent, "parallel", None)) is not None]
    count = min(workers or min(asked, default=usable_cores()), len(plan.blocks))
    if all(isinstance(agent, BotAgent) for agent in plan.agents):
        return InProcessExecutor(plan, workers or usable_cores())
    return InProcessExecutor(plan) if count == 1 else ProcessPool(plan, count)


def one_thread() -> None:
    """Make PyTorch use one thread if an agent of the plan has loaded it: sums depend on the number of threads."""
    if torch := sys.modules.get("torch"):
        torch.set_num_threads(1)


_plan: Any = None  #  the plan of a worker process


def _start_worker(spec: TournamentSpec, state: TournamentState, answers: Path | None, parent: int) -> None:
    global _plan
    threading.Thread(target=end_with, args=(parent,), daemon=True).start()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is handled by the parent
    _plan = Plan(spec, state)
    _plan.keep_answers(answers)
    one_thread()


def _play_block(block: Block) -> BlockResult:
    return play_block(_plan, block)


def end_with(parent: int) -> None:
    """Exit when the parent process is gone."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)
