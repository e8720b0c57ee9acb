"""The threads of a training. They wait without using a core, and no result depends on their number."""

from concurrent.futures import ThreadPoolExecutor

import torch

from w51_agents.system.processes import usable_cores

_used: int | None = None


def use_threads(count: int) -> None:
    """Let trainings of this process have so many threads, whatever their config says."""
    global _used
    _used = count


def thread_count(count: int | None) -> int:
    """The number of threads of a config; None: one for each core that this process may use."""
    return _used or count or usable_cores()


def make_threads(count: int | None, processes: int = 1) -> ThreadPoolExecutor | None:
    """Threads that compute beside each other, each with PyTorch on as many threads as the caller has.

    Args:
        count: Their number, as for `thread_count`; where it is None, processes share the cores.
        processes: Those of this training on this machine.

    Returns:
        None where one is enough: the caller computes.
    """
    count = thread_count(count) if _used or count or processes == 1 else max(1, usable_cores() // processes)
    if count == 1:
        return None
    return ThreadPoolExecutor(count, "w51_env training", torch.set_num_threads, (torch.get_num_threads(),))
