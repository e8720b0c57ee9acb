"""The process that is connected to a Ray cluster.

Ray ends the process that is connected to a cluster when its own node is lost. So that is a process of its own, and its
end an error.
"""

import logging
import os
import signal
import socket
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from w51_agents.agent.interface import AgentError, UnreachableError
from w51_agents.system.errors import needs_extra
from w51_agents.system.processes import spawn_context
from w51_env.engine.imports import HOUSES
from w51_lab.arena.workers import end_with

with needs_extra("a cluster needs Ray", "ray"):
    import ray
    from ray.exceptions import RayError, RayTaskError

RETRIES = 10  #  of a task that is lost with its machine

_CONNECT_SECONDS, _CLOSE_SECONDS = 5.0, 10.0
_TOKEN = (
    "Clusters authenticate by a token: set RAY_AUTH_MODE=token, and copy ~/.ray/auth_token from the head to this "
    "machine (docs/arena.md, Several machines)"
)


class RayProcess:
    """The process; sources are sent to the machines.

    Args:
        address: Address of the cluster: `auto` or `host:port`; `local` starts one on this machine.

    Raises:
        AgentError: No cluster at this address.
    """

    def __init__(self, address: str):
        _check_reachable(address)
        self._address = address
        self._process = ProcessPoolExecutor(1, spawn_context(), _start, (os.getpid(),))
        try:
            self.call(_connect, address)
        except BaseException:
            self.close()
            raise

    def call(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function in the process; UnreachableError if it has lost the cluster."""
        try:
            return self._process.submit(work, *arguments).result()
        except (BrokenProcessPool, OSError, RayError):  # Ray ends the process, or its call fails just before that
            raise UnreachableError(
                f"ray {self._address!r}: the connection to the cluster is lost, as when the node of this machine was "
                "stopped or marked dead"
            ) from None

    def close(self) -> None:
        """Stop all work and disconnect."""
        with suppress(RuntimeError, OSError, RayError):  # it has ended, or takes too long
            self._process.submit(ray.shutdown).result(_CLOSE_SECONDS)
        for process in list((self._process._processes or {}).values()):
            process.terminate()
        self._process.shutdown(cancel_futures=True)


def result_of(reference: Any, what: str) -> Any:
    """What a task returned, in the process of the cluster; an AgentError, not raised, if it failed or was lost."""
    try:
        return ray.get(reference)
    except RayTaskError as error:
        return AgentError(f"{what}: {error.cause}")
    except RayError as error:
        return UnreachableError(f"{what}: lost with its machine {RETRIES + 1} times: {error}")


def _start(parent: int) -> None:
    threading.Thread(target=end_with, args=(parent,), daemon=True).start()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is handled by the parent
    os.dup2(2, 1)  # Ray prints what happens to nodes


def _connect(address: str) -> None:
    """Connect to the cluster; AgentError if that fails."""
    packages = [str(Path(package.__file__ or "").resolve().parent) for package in map(import_module, HOUSES)]
    sources = {"py_modules": packages, "env_vars": {"PYTHONHASHSEED": "0"}}
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


def _check_reachable(address: str) -> None:
    """AgentError if nothing listens at a host and port: Ray itself would wait for minutes."""
    host, separator, port = address.removeprefix("ray://").rpartition(":")
    if separator and port.isdigit():
        try:
            socket.create_connection((host, int(port)), _CONNECT_SECONDS).close()
        except OSError as error:
            raise AgentError(f"ray {address!r}: cannot be reached: {error}") from None
