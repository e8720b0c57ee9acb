"""Executor on a Ray cluster. A block that is lost with its machine is played again elsewhere, and counted once."""

import json
import logging
import os
import socket
import stat
import time
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

import w51_env
from w51_env.agents.agent import AgentError
from w51_env.agents.files import check_files, file_data
from w51_env.arena.blocks import BlockResult, play_block
from w51_env.arena.plan import Block, Plan, TournamentState
from w51_env.arena.spec import TournamentSpec
from w51_env.arena.workers import one_thread
from w51_env.core.errors import needs_extra

with needs_extra("a cluster needs Ray", "ray"):
    import ray
    from ray.exceptions import RayError, RayTaskError

_AHEAD = 2  #  maximum number of submitted blocks per core
_CONNECT_SECONDS = 5.0
_COUNT_SECONDS = 1.0  #  between two looks at the size of the cluster
_MOMENT = 0.1  #  seconds; each core has another block meanwhile
_RETRIES = 10  #  of a block whose machine dies
_TOKEN = (
    "Clusters authenticate by a token: set RAY_AUTH_MODE=token, and copy ~/.ray/auth_token from the head to this "
    "machine (docs/arena.md, Several machines)"
)


class Cluster:
    """An executor on a Ray cluster. Sources are sent to the machines; files of agents must have the same paths there.

    A machine where they have another content plays no block.

    Args:
        plan: The tournament.
        address: Address of the cluster: `auto` or `host:port`; `local` starts one on this machine.

    Raises:
        AgentError: No cluster at this address, or others can read the token of the cluster.
    """

    def __init__(self, plan: Plan, address: str):
        plan.close()  # the agents play on the cluster
        package = Path(w51_env.__file__).resolve().parent
        sources = {"py_modules": [str(package)], "env_vars": {"PYTHONHASHSEED": "0"}}
        _check_token()
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
            raise AgentError(f"ray {address!r}: cannot be reached: {error}. {_TOKEN}") from None
        self._play: Any = ray.remote(num_cpus=1, max_retries=_RETRIES)(_play_block)
        # Sent to each machine once, not with each block.
        self._shared = ray.put((plan.spec.model_dump_json(), plan.state, json.dumps(file_data(plan.files))))
        self._cores, self._counted = 1, -_COUNT_SECONDS

    def results(self, blocks: Iterable[Block]) -> Iterator[BlockResult]:
        """Yield block results as they finish; AgentError if an agent cannot be made or a block is lost too often."""
        waiting = iter(blocks)
        running: dict[Any, Block] = {}
        while True:
            for block in islice(waiting, max(0, _AHEAD * self._count_cores() - len(running))):
                running[self._play.remote(self._shared, block)] = block
            if not running:
                return
            for reference in _ended(list(running)):
                block = running.pop(reference)
                try:
                    result = ray.get(reference)
                except RayTaskError as error:
                    raise AgentError(f"block {block.number}: {error.cause}") from None
                except RayError as error:
                    raise AgentError(
                        f"block {block.number}: lost with its machine {_RETRIES + 1} times: {error}"
                    ) from None
                yield result

    def _count_cores(self) -> int:
        """The cores of the cluster, which change as machines come and go; it is asked for them now and then."""
        if time.monotonic() - self._counted >= _COUNT_SECONDS:
            self._cores = max(1, int(ray.cluster_resources().get("CPU", 1)))
            self._counted = time.monotonic()
        return self._cores

    def close(self) -> None:
        """Stop all work and disconnect."""
        ray.shutdown()


def _ended(running: list[Any]) -> list[Any]:
    """Some that have ended, at least one. To look at thousands takes long, so all that end in a moment are taken."""
    ended: list[Any] = ray.wait(running, num_returns=len(running), timeout=_MOMENT)[0]
    return ended or ray.wait(running)[0]


def _check_token() -> None:
    """AgentError if others of this machine can read the file of the token, with which they could run code there."""
    path = Path(os.environ.get("RAY_AUTH_TOKEN_PATH") or Path.home() / ".ray" / "auth_token")
    if os.environ.get("RAY_AUTH_MODE") != "token" or not path.is_file():
        return
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & 0o077:
        raise AgentError(f"{path}: its mode is {mode:04o}, so others can read this password: chmod 0600 {path}")


def _check_reachable(address: str) -> None:
    """AgentError if nothing listens at a host and port: Ray itself would wait for minutes."""
    host, separator, port = address.removeprefix("ray://").rpartition(":")
    if separator and port.isdigit():
        try:
            socket.create_connection((host, int(port)), _CONNECT_SECONDS).close()
        except OSError as error:
            raise AgentError(f"ray {address!r}: cannot be reached: {error}") from None


@lru_cache(maxsize=1)
def _plan_of(text: str, state: TournamentState, files: str) -> Plan:
    """Plan of a worker, made once for many blocks; AgentError if its machine has other files of agents."""
    plan = Plan(TournamentSpec.model_validate_json(text), state)
    one_thread()
    check_files(json.loads(files), plan.files, f"machine {socket.gethostname()}")
    return plan


def _play_block(shared: tuple[str, TournamentState, str], block: Block) -> BlockResult:
    return play_block(_plan_of(*shared), block)
