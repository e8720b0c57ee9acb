"""Executor on a Ray cluster. A block that is lost with its machine is played again elsewhere, and counted once."""

import json
import socket
import time
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import Any

from w51_agents.agent.interface import AgentError
from w51_agents.named.files import check_files, file_data
from w51_agents.system.errors import needs_extra
from w51_lab.arena.blocks import BlockResult, play_block
from w51_lab.arena.plan import Block, Plan, TournamentState
from w51_lab.arena.ray_process import RETRIES, RayProcess, result_of
from w51_lab.arena.spec import TournamentSpec
from w51_lab.arena.workers import one_thread

with needs_extra("a cluster needs Ray", "ray"):
    import ray

_AHEAD = 2  #  maximum number of submitted blocks per core
_COUNT_SECONDS = 1.0  #  between two looks at the size of the cluster
_MOMENT = 0.1  #  seconds; each core has another block meanwhile


class Cluster:
    """An executor on a Ray cluster. Sources are sent to the machines; files of agents must have the same paths there.

    A machine where they have another content plays no block.

    Args:
        plan: The tournament.
        address: Address of the cluster: `auto` or `host:port`; `local` starts one on this machine.

    Raises:
        AgentError: No cluster at this address.
    """

    def __init__(self, plan: Plan, address: str):
        plan.close()  # the agents play on the cluster
        self._process, self._cores = RayProcess(address), 1
        shared = plan.spec.model_dump_json(), plan.state, json.dumps(file_data(plan.files))
        try:
            self._process.call(_begin, shared)
        except BaseException:
            self.close()
            raise

    def results(self, blocks: Iterable[Block]) -> Iterator[BlockResult]:
        """Yield block results as they finish.

        Raises:
            AgentError: An agent cannot be made.
            UnreachableError: A block is lost too often, or the node of this machine is lost.
        """
        waiting = iter(blocks)
        running = 0
        while True:
            new = list(islice(waiting, max(0, _AHEAD * self._cores - running)))
            running += len(new)
            if not running:
                return
            self._cores, results = self._process.call(_play, new)
            running -= len(results)
            yield from (result for result in results if isinstance(result, BlockResult))
            for result in results:
                if isinstance(result, AgentError):
                    raise result

    def close(self) -> None:
        """Stop all work and disconnect."""
        self._process.close()


# ---- in the process that is connected to the cluster


class _Connection:
    """The blocks that were submitted, and the size of the cluster."""

    def __init__(self, shared: tuple[str, TournamentState, str]):
        self._play: Any = ray.remote(num_cpus=1, max_retries=RETRIES)(_play_block)
        self._shared = ray.put(shared)  # sent to each machine once, not with each block
        self._running: dict[Any, Block] = {}
        self._cores, self._counted = 1, -_COUNT_SECONDS

    def play(self, blocks: list[Block]) -> tuple[int, list[BlockResult | AgentError]]:
        """Submit more blocks; the number of cores, and what became of blocks that ended within a moment."""
        for block in blocks:
            self._running[self._play.remote(self._shared, block)] = block
        # To look at thousands takes long, so all that end in a moment are taken.
        ended, _ = ray.wait(list(self._running), num_returns=len(self._running), timeout=_MOMENT)
        return self._count_cores(), [
            result_of(reference, f"block {self._running.pop(reference).number}") for reference in ended
        ]

    def _count_cores(self) -> int:
        """The cores of the cluster, which change as machines come and go; it is asked for them now and then."""
        if time.monotonic() - self._counted >= _COUNT_SECONDS:
            self._cores = max(1, int(ray.cluster_resources().get("CPU", 1)))
            self._counted = time.monotonic()
        return self._cores


_connection: Any = None


def _begin(shared: tuple[str, TournamentState, str]) -> None:
    global _connection
    _connection = _Connection(shared)


def _play(blocks: list[Block]) -> Any:
    return _connection.play(blocks)


# ---- the machines of the cluster


@lru_cache(maxsize=1)
def _plan_of(text: str, state: TournamentState, files: str) -> Plan:
    """Plan of a worker, made once for many blocks; AgentError if its machine has other files of agents."""
    plan = Plan(TournamentSpec.model_validate_json(text), state)
    one_thread()
    check_files(json.loads(files), plan.files, f"machine {socket.gethostname()}")
    return plan


def _play_block(shared: tuple[str, TournamentState, str], block: Block) -> BlockResult:
    return play_block(_plan_of(*shared), block)
