"""How much the server takes at a time, of all and of each visitor: connections, clients, tables; log messages."""

import ipaddress
import logging
import time
from collections import OrderedDict
from dataclasses import dataclass

from w51_agents.system.processes import open_files
from w51_table.play.table import TableError

_SPARE = 140  # descriptors beside those: connections that are refused or not seen yet, agents, files that are read
_MIN_FREE = 60
_PART = 4  # one visitor has at most a fourth of the connections and of the clients
_MAX_VISITORS = 10_000  # whose allowances are remembered


@dataclass(frozen=True)
class ServerLimits:
    """The most at a time.

    Attributes:
        connections: Of all kinds, also those that have sent nothing yet.
        clients: Connections to tables, over WebSockets; the others are left for pages and forms.
        tables: Tables in memory; each holds its file open.
    """

    connections: int = 1100
    clients: int = 1000
    tables: int = 500

    def of_visitor(self, what: int) -> int:
        """How many of those one visitor may have."""
        return max(1, what // _PART)


FULL = ServerLimits()


def fit_limits() -> tuple[ServerLimits, str]:
    """The limits for the files that this process may open, and a sentence if they are less than `FULL`.

    The soft limit of the process is raised as far as needed.

    Raises:
        TableError: It may open so few that no table could be played.
    """
    wanted = FULL.connections + FULL.tables
    used, allowed = open_files(_SPARE + wanted)
    if (free := allowed - used - _SPARE) >= wanted:
        return FULL, ""
    if free < _MIN_FREE:
        raise TableError(f"ulimit -n: {allowed} open files, but at least {allowed - free + _MIN_FREE} are needed")
    connections = free * FULL.connections // wanted
    limits = ServerLimits(connections, connections * FULL.clients // FULL.connections, free - connections)
    return limits, (
        f"this process may open {allowed:,} files (ulimit -n), so the server takes {limits.clients:,} clients and "
        f"{limits.tables:,} tables at a time, not {FULL.clients:,} and {FULL.tables:,}; more are refused."
    )


class Allowance:
    """How often something may happen: some times at once, then at a rate."""

    def __init__(self, burst: float, per_second: float):
        self._burst = burst
        self._per_second = per_second
        self._left = burst
        self._before = time.monotonic()

    def take(self) -> bool:
        """Whether it may happen now; then it counts."""
        now = time.monotonic()
        self._left = min(self._burst, self._left + (now - self._before) * self._per_second)
        self._before = now
        if self._left < 1.0:
            return False
        self._left -= 1.0
        return True


class Allowances:
    """An `Allowance` of each visitor, by address."""

    def __init__(self, burst: float, per_second: float):
        self._each = burst, per_second
        self._visitors: OrderedDict[str, Allowance] = OrderedDict()

    def take(self, visitor: str) -> bool:
        """Whether it may happen now for this visitor; then it counts."""
        allowance = self._visitors.setdefault(visitor, Allowance(*self._each))
        self._visitors.move_to_end(visitor)
        if len(self._visitors) > _MAX_VISITORS:
            self._visitors.popitem(last=False)
        return allowance.take()


def visitor_of(host: str) -> str:
    """The visitor with this address: an IPv4 address, or the network of an IPv6 one, in which one machine has many."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return ""
    if isinstance(address, ipaddress.IPv4Address) or address.ipv4_mapped:
        return str(getattr(address, "ipv4_mapped", None) or address)
    return str(ipaddress.ip_network((address, 64), strict=False))


class RateFilter(logging.Filter):
    """Lets messages of a log through at a rate, as whoever can connect can cause them; says how many were left out."""

    def __init__(self) -> None:
        super().__init__()
        self._allowance = Allowance(20, 1.0)
        self._left_out = 0

    def filter(self, record: logging.LogRecord) -> bool:
        if not self._allowance.take():
            self._left_out += 1
            return False
        if self._left_out:
            record.msg = f"{record.getMessage()} ({self._left_out:,} messages before this one were left out)"
            record.args = None
            self._left_out = 0
        return True
