"""The threads of a training. They wait without using a core, and no result depends on their number."""

from concurrent.futures import ThreadPoolExecutor

import torch

from w51_env.system.cores import usable_cores


def make_threads(count: int | None) -> ThreadPoolExecutor | None:
    """Threads that compute beside each other, each with PyTorch on as many threads as the caller has.

    Args:
        count: Their number; None: one for each core that this process may use.

    Returns:
        None where one is enough: the caller computes.
    """
    count = count or usable_cores()
    if count == 1:
        return None
    return ThreadPoolExecutor(count, "w51_env training", torch.set_num_threads, (torch.get_num_threads(),))
