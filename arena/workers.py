"""Who plays the blocks: this process, several processes, or the machines of a Ray cluster. The outcome is the same.

An executor takes blocks and gives their outcomes as they come, in any order, each block once.
"""

import os
import signal
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import chain, islice
from multiprocessing import get_context
from typing import Any, Protocol

from agents.agent import AgentError
from agents.bots import BotAgent
from arena.blocks import Outcome, play_block
from arena.plan import Block, Plan, Spec

_AHEAD = 2  #  blocks that wait for each worker
_DEATHS = 3  #  of processes, after which it is no accident


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
    """Several processes of this machine. A block whose process dies is played again, some times."""

    def __init__(self, plan: Plan, workers: int):
        self._plan = plan
        self._workers = workers
        self._pool = self._new_pool()

    def outcomes(self, blocks: Iterable[Block]) -> Iterator[Outcome]:
        """See `Executor`; AgentError if processes die again and again."""
        waiting = iter(blocks)
        running: dict[Future, Block] = {}
        again: list[Block] = []
        deaths = 0
        while True:
            for block in islice(chain(again, waiting), _AHEAD * self._workers - len(running)):
                running[self._pool.submit(_work, block)] = block
            again = []
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                try:
                    outcome = future.result()
                except BrokenProcessPool:
                    # Whichever block it was, all that were under way are lost with it.
                    deaths += 1
                    again = sorted(running.values(), key=lambda block: block.number)
                    if deaths > _DEATHS:
                        raise AgentError(self._last_words(again)) from None
                    running.clear()
                    self.close()
                    self._pool = self._new_pool()
                    break
                running.pop(future)
                yield outcome

    def close(self) -> None:
        """See `Executor`."""
        for process in list(
            (self._pool._processes or {}).values()
        ):  # a block may take minutes; nobody waits for it any more
            process.terminate()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _new_pool(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self._workers, get_context("spawn"), _begin, (self._plan.spec, os.getpid()))

    def _last_words(self, blocks: list[Block]) -> str:
        agents = sorted(
            {self._plan.names[agent] for block in blocks for agent in self._plan.lineups[block.lineup].tolist()}
        )
        return (
            f"workers: killed {_DEATHS + 1} times, by an agent or for want of memory, while {', '.join(agents)} played "
            f"(blocks {', '.join(str(block.number) for block in blocks)})"
        )


def make_executor(plan: Plan, workers: int | None) -> Executor:
    """The executor for so many workers.

    Args:
        plan: The tournament.
        workers: None for all cores. Tables of bots alone need no processes: their workers are threads of the engine.
    """
    count = min(workers or cores(), len(plan.blocks))
    if all(isinstance(agent, BotAgent) for agent in plan.agents):
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


def _begin(spec: Spec, parent: int) -> None:
    global _plan
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one who gave them their work
    one_thread()
    _plan = Plan(spec)


def _work(block: Block) -> Outcome:
    return play_block(_plan, block)


def _end_with(parent: int) -> None:
    """A process whose parent was killed has nobody to work for."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)
