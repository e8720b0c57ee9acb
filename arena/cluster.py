"""The machines of a Ray cluster as workers. A block that is lost with its machine is played again elsewhere, and counted once."""

import logging
import socket
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from agents.agent import AgentError
from arena.blocks import Outcome, play_block
from arena.plan import Block, Plan, Spec
from arena.workers import one_thread

try:
    import ray
    from ray.exceptions import RayError, RayTaskError
except ImportError as missing:
    raise AgentError(f"a cluster needs Ray: pip install 'w51_env[ray]' ({missing})") from None

_AHEAD = 2  #  blocks that wait for each core
_PATIENCE = 5.0  #  seconds for a machine to answer
_TRIES = 10  #  of a block whose machines die


class Cluster:
    """See `arena.workers.Executor`. The sources are sent to the machines; files of agents must be there under the same paths.

    Args:
        plan: The tournament.
        address: Of the cluster: `auto`, `host:port`; `local` starts one on this machine.

    Raises:
        AgentError: There is no such cluster.
    """

    def __init__(self, plan: Plan, address: str):
        self._spec = plan.spec
        root = Path(__file__).resolve().parents[1]
        sources = {
            "py_modules": [str(root / "agents"), str(root / "arena"), str(root / "w51_env")],
            "env_vars": {"PYTHONHASHSEED": "0"},
        }
        _check_reachable(address)
        try:
            ray.init(
                address=address,
                runtime_env=sources,
                log_to_driver=False,
                logging_level=logging.ERROR,
                include_dashboard=False,
            )
        except (ConnectionError, OSError, RuntimeError, ValueError, RayError) as error:
            raise AgentError(f"ray {address!r}: no cluster can be reached there: {error}") from None
        self._play: Any = ray.remote(num_cpus=1, max_retries=_TRIES)(_work)

    def outcomes(self, blocks: Iterable[Block]) -> Iterator[Outcome]:
        """See `Executor`; AgentError if an agent cannot be made there, or a block is lost too often."""
        waiting = iter(blocks)
        running: dict[Any, Block] = {}
        while True:
            cores = max(1, int(ray.cluster_resources().get("CPU", 1)))
            for block in islice(waiting, max(0, _AHEAD * cores - len(running))):
                running[self._play.remote(self._spec, block)] = block
            if not running:
                return
            for reference in ray.wait(list(running))[0]:
                block = running.pop(reference)
                try:
                    outcome = ray.get(reference)
                except RayTaskError as error:
                    raise AgentError(f"block {block.number}: {error.cause}") from None
                except RayError as error:
                    raise AgentError(f"block {block.number}: lost with its machine, {_TRIES} times: {error}") from None
                yield outcome

    def close(self) -> None:
        """See `Executor`."""
        ray.shutdown()


def _check_reachable(address: str) -> None:
    """AgentError if nobody answers at a host and port: Ray itself would wait for minutes."""
    host, separator, port = address.removeprefix("ray://").rpartition(":")
    if separator and port.isdigit():
        try:
            socket.create_connection((host, int(port)), _PATIENCE).close()
        except OSError as error:
            raise AgentError(f"ray {address!r}: no cluster can be reached there: {error}") from None


@lru_cache(maxsize=1)
def _plan_of(text: str) -> Plan:
    """A worker's plan, made once for many blocks."""
    one_thread()
    return Plan(Spec.model_validate_json(text))


def _work(spec: Spec, block: Block) -> Outcome:
    return play_block(_plan_of(spec.model_dump_json()), block)
