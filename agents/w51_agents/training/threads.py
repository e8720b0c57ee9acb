"""The threads of a training. They wait without using a core, and no result depends on their number."""

import sys
from concurrent.futures import ThreadPoolExecutor

import torch

from w51_agents.system.processes import usable_cores

_limit: int | None = None


def limit_threads(count: int) -> None:
    """Let trainings of this process that share cores with others have so many threads, whatever their config says."""
    global _limit
    _limit = count


def thread_count(count: int | None) -> int:
    """The number of threads of a config; None: one for each core that this process may use."""
    return min(count or usable_cores(), _limit or sys.maxsize)


def make_threads(count: int | None, processes: int = 1) -> ThreadPoolExecutor | None:
    """Threads that compute beside each other, each with PyTorch on as many threads as the caller has.

    Args:
        count: Their number, as for `thread_count`; where it is None, processes share the cores.
        processes: Those of this training on this machine.

    Returns:
        None where one is enough: the caller computes.
    """
    count = thread_count(count) if count or processes == 1 else max(1, thread_count(None) // processes)
    if count == 1:
        return None
    return ThreadPoolExecutor(count, "w51_env training", torch.set_num_threads, (torch.get_num_threads(),))
