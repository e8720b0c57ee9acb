"""The server of a load test of the web table: its process, and samples of its memory and processor time."""

import asyncio
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from w51_table.play.game_log import SUFFIX

ROOT = Path(__file__).resolve().parents[1]
SAMPLE_EVERY = 5.0  # seconds


@dataclass(frozen=True)
class Sample:
    """The server at one moment of a run.

    Attributes:
        seconds: Since the start.
        server, agents, clients: Resident memory in MB of the server, of all its agents' processes, and of this process.
        open_tables: Number of tables that the server has open.
        busy: Processor time in seconds that the server has used.
        delayed: Seconds that the server and the clients were ready, but other processes had the processors.
    """

    seconds: float
    server: float
    agents: float
    clients: float
    open_tables: int
    busy: float
    delayed: float


@contextmanager
def server(folder: Path, *program: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The address of a server process, and the process; of play.py unless another program is named."""
    command = [*(program or (sys.executable, str(ROOT / "play.py"))), "--port", "0", "--folder", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    try:
        assert process.stdout is not None
        address = re.search(r"http://[\w.:]+", process.stdout.readline())
        assert address is not None
        yield address[0], process
    finally:
        process.terminate()
        process.wait(30)


async def sample(process: int, samples: list[Sample]) -> None:
    """Append a sample of the server, again and again."""
    begun = time.monotonic()
    while True:
        memory = resident(process), sum(map(resident, children_of(process))), resident(os.getpid())
        server, agents, clients = (size / 1e6 for size in memory)
        seconds, busy = time.monotonic() - begun, processor_seconds(process)
        delayed = sum(map(delay_seconds, (process, os.getpid())))
        samples.append(Sample(seconds, server, agents, clients, open_tables(process), busy, delayed))
        await asyncio.sleep(SAMPLE_EVERY)


def open_tables(process: int) -> int:
    """Number of files of tables that a process has open."""
    count = 0
    for file in Path(f"/proc/{process}/fd").iterdir():
        with suppress(OSError):  # it was closed meanwhile
            count += SUFFIX in str(file.readlink())
    return count


def resident(process: int) -> int:
    """Resident bytes of a process."""
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def processor_seconds(process: int) -> float:
    """Processor time that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def delay_seconds(process: int) -> float:
    """Time that the main thread of a process has waited for a processor."""
    return int(Path(f"/proc/{process}/schedstat").read_text().split()[1]) / 1e9


def children_of(process: int) -> list[int]:
    """The processes that a process has started."""
    lists = (file.read_text() for file in Path(f"/proc/{process}/task").glob("*/children"))  # by the thread that did
    return [int(child) for line in lists for child in line.split()]
