"""Who plays the blocks: this process, several processes, or the machines of a Ray cluster. The outcome is the same.

An executor takes blocks and gives their outcomes as they come, in any order, each block once.
"""

import os
import signal
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from multiprocessing import get_context
from typing import Any, Protocol

from agents.agent import AgentError
from agents.arena.blocks import Outcome, play_block
from agents.arena.plan import Block, Plan, Spec
from agents.scripted import ScriptedAgent

_AHEAD = 2  #  blocks that wait for each worker


class Executor(Protocol):
    """Plays blocks."""

    def outcomes(self, blocks: Iterable[Block]) -> Iterator[Outcome]:
        """The outcomes of the blocks as they come; blocks are taken in their order, and not long before they are played."""

    def close(self) -> None:
        """Stop all work that is under way."""


class Here:
    """This process, with threads for the engine."""

    def __init__(self, plan: Plan, threads: int = 1):
        one_thread()
        self._plan = plan
        self._threads = threads

    def outcomes(self, blocks: Iterable[Block]) -> Iterator[Outcome]:
        """See `Executor`."""
        for block in blocks:
            yield play_block(self._plan, block, self._threads)

    def close(self) -> None:
        """See `Executor`."""


class Processes:
    """Several processes of this machine."""

    def __init__(self, plan: Plan, workers: int):
        self._workers = workers
        self._pool = ProcessPoolExecutor(workers, get_context("spawn"), _begin, (plan.spec,))

    def outcomes(self, blocks: Iterable[Block]) -> Iterator[Outcome]:
        """See `Executor`; AgentError if a process dies."""
        waiting = iter(blocks)
        running: dict[Future, Block] = {}
        while True:
            for block in islice(waiting, _AHEAD * self._workers - len(running)):
                running[self._pool.submit(_work, block)] = block
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                block = running.pop(future)
                try:
                    yield future.result()
                except BrokenProcessPool:
                    raise AgentError(
                        f"block {block.number}: the process that played it was killed, by an agent or for want of memory; "
                        "with --workers 1 it is played where its message is seen"
                    ) from None

    def close(self) -> None:
        """See `Executor`."""
        for process in list((self._pool._processes or {}).values()):  # a block may take minutes; nobody waits for it any more
            process.terminate()
        self._pool.shutdown(wait=True, cancel_futures=True)


def make_executor(plan: Plan, workers: int | None) -> Executor:
    """The executor for so many workers.

    Args:
        plan: The tournament.
        workers: None for all cores. Tables of bots alone need no processes: their workers are threads of the engine.
    """
    count = min(workers or cores(), len(plan.blocks))
    if all(isinstance(agent, ScriptedAgent) for agent in plan.agents):
        return Here(plan, workers or cores())
    return Here(plan) if count == 1 else Processes(plan, count)


def cores() -> int:
    """That this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def one_thread() -> None:
    """Let PyTorch, if it is there, use one thread: sums over more threads depend on how many there are."""
    try:
        import torch
    except ImportError:
        return
    torch.set_num_threads(1)


_plan: Any = None  #  of a worker process


def _begin(spec: Spec) -> None:
    global _plan
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one who gave them their work
    one_thread()
    _plan = Plan(spec)


def _work(block: Block) -> Outcome:
    return play_block(_plan, block)
