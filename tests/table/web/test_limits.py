"""The web table as a process that may open few files, and clients that are silent, slow, many, or gone."""

import asyncio
import json
import os
import re
import resource
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Awaitable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TypeVar

import pytest

pytest.importorskip("starlette", reason="needs the extra 'play'")

from websockets.asyncio.client import ClientConnection, connect

from tests.commands import ROOT
from tests.table.web.browser.pages import Server
from w51_table.play.game_log import GameLog
from w51_table.play.table import PERSON, Setup, Table

pytestmark = pytest.mark.slow

NAMES = [f"table{number:011}" for number in range(600)]
LIMITED = 'ulimit {} && exec "$0" "$@"'
PLAY = (sys.executable, str(ROOT / "play.py"), "--language", "en", "--folder")


class Limited(Server):
    """`play.py` as a process whose number of open files is limited; the log is in the folder above its tables."""

    def __init__(self, folder: Path, ulimit: str):
        self.log, self.ulimit = folder.parent / "log", ulimit
        super().__init__(folder)

    def begin(self) -> None:
        command = ["bash", "-c", LIMITED.format(self.ulimit), *PLAY, str(self.folder), "--port", str(self.port)]
        with self.log.open("w") as log:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        assert self.address in self.process.stdout.readline(), self.errors

    @property
    def errors(self) -> str:
        return self.log.read_text("utf-8")

    def get(self) -> int:
        """The status of a request for the page."""
        with urllib.request.urlopen(self.address, timeout=10.0) as answer:
            return answer.status

    def connect(self, sent: bytes = b"", receives: int | None = None, source: str = "127.0.0.1") -> socket.socket:
        """A connection that has sent something, and `receives` so many bytes if it does not read."""
        connection = socket.socket()
        connection.bind((source, 0))
        if receives is not None:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receives)
        connection.settimeout(10)
        connection.connect(("127.0.0.1", self.port))
        connection.sendall(sent)
        return connection

    def descriptors(self) -> int:
        """How many files it has open."""
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))  # noqa: PTH208 - names, not files

    def connected(self) -> int:
        """How many connections it has to clients."""
        local = f":{self.port:04X}"
        rows = [line.split() for line in Path("/proc/net/tcp").read_text("utf-8").splitlines()[1:]]
        return sum(row[1].endswith(local) and row[3] == "01" for row in rows)


@contextmanager
def limited(folder: Path, ulimit: str) -> Iterator[Limited]:
    """A server that is ended afterwards. This process may open enough files to connect to it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, hard) if hard >= 0 else 4096, hard))
    server = Limited(folder, ulimit)
    try:
        yield server
    finally:
        server.kill()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def make_tables(folder: Path, count: int) -> None:
    """Files of tables of four people, whose tokens are `token`."""
    folder.mkdir()
    for name in NAMES[:count]:
        table = Table(Setup("warehouse51_v1", {"num_players": 3}, 1, (PERSON,) * 3))
        GameLog.create(folder / f"{name}.table", table, {"tokens": ["token", "x", "y"], "invitation": "guests"}).close()


def is_closed(connection: socket.socket) -> bool:
    """Whether the other side has closed a connection, after what it may have said."""
    connection.settimeout(1)
    try:
        while connection.recv(4096):
            pass
    except TimeoutError:
        return False
    except ConnectionError:
        pass
    return True


def is_refused_in_words(server: Limited) -> bool:
    """Whether a new connection is told why there is no room for it; tried once in a second."""
    time.sleep(1)
    with server.connect(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n") as refused:
        return b"connections at a time. Try again later." in refused.recv(4096)


@pytest.mark.parametrize("ulimit", ["-n 1024", "-Sn 1024"], ids=["hard", "soft"])
def test_silent_connections_stop_neither_the_server_nor_fill_its_log(tmp_path, ulimit):
    with limited(tmp_path / "tables", ulimit) as server, ExitStack() as stack:
        warned = "this process may open 1,024 files (ulimit -n), so the server takes" in server.errors
        assert warned == (ulimit == "-n 1024")
        sources = [f"127.0.0.{2 + number % 13}" for number in range(1_300)]
        silent = [stack.enter_context(server.connect(source=source)) for source in sources]
        time.sleep(1)
        assert server.descriptors() < (1_024 if warned else 2_000)
        assert any(is_refused_in_words(server) for _ in range(6))  # of too many at once most are only closed
        time.sleep(13)  # the time for the head of a request, and to notice it
        assert server.get() == 200
        assert all(map(is_closed, silent))
        assert "Traceback" not in server.errors
        assert len(server.errors) < 20_000


def test_one_address_has_a_part_of_the_connections(tmp_path):
    get = b"GET /api/offer HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    with limited(tmp_path / "tables", "-Sn 1024") as server, ExitStack() as stack:
        for _ in range(275):
            stack.enter_context(server.connect())
        time.sleep(0.5)
        for source, answer in (("127.0.0.1", b"HTTP/1.1 503"), ("127.0.0.2", b"HTTP/1.1 200")):
            with server.connect(get, source=source) as connection:
                assert connection.recv(4096).startswith(answer)


def test_requests_that_never_become_whole_and_who_never_reads_the_answers_are_closed(tmp_path):
    head = b"POST /api/tables HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nOrigin: http://127.0.0.1:%d\r\n"
    font = b"GET /fonts/BarlowSemiCondensed-Bold.ttf HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    with limited(tmp_path / "tables", "-n 1024") as server, ExitStack() as stack:
        begun = head % (server.port, server.port)
        upgrade = begun + b"Connection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 5\r\n\r\n"
        sent = (begun, begun + b"Content-Length: 9000\r\n\r\n{", upgrade)
        late = [stack.enter_context(server.connect(part)) for part in sent for _ in range(20)]
        stack.enter_context(server.connect(font * 400, receives=2048))
        time.sleep(1)
        assert server.connected() == 61
        start = time.monotonic()
        while time.monotonic() < start + 36:  # a byte now and then prolongs nothing
            time.sleep(2)
            for connection in late[:40]:
                with suppress(ConnectionError):
                    connection.sendall(b"x")
        assert all(map(is_closed, late))
        assert server.connected() == 0
        assert server.get() == 200
        assert "Traceback" not in server.errors


UPGRADE = b"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\nConnection: upgrade\r\n"
KEY = b"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
POST = b" HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\n"
SENT = [
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    b"GET / HTTP/9.9\r\n\r\n",
    b"POST /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n",
    b"GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n",
    b"GET /ws HTTP/1.0\r\nHost: 127.0.0.1\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n",
    b"GET /ws HTTP/1.1\r\nHost: \xff\xfe\r\nX: \xff\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\r\n",
    b"GET /%ff%fe HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    b"POST /api/tables" + POST + b"Content-Length: 100\r\n\r\n{",
    b"POST /api/replays" + POST + b"Transfer-Encoding: chunked\r\n\r\n5\r\nabc",
    b"POST /api/replays" + POST + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nabc",
    UPGRADE + KEY,
    UPGRADE + KEY + b"\x81\x84\x00\x00\x00\x00\xff\xfe\xfd\xfc",
    UPGRADE + KEY + b"\x89\xff\xff\xff",
    UPGRADE + KEY + b"\x81\x05hello",
]


def test_clients_that_send_nonsense_or_leave_in_the_middle_cause_no_traceback(tmp_path):
    reset = (1).to_bytes(4, "little") + (0).to_bytes(4, "little")
    with limited(tmp_path / "tables", "-n 1024") as server:
        for sent in SENT:
            for how in ("waits", "leaves", "resets"):
                with server.connect(sent.replace(b"{port}", b"%d" % server.port)) as connection:
                    if how == "waits":
                        is_closed(connection)
                    elif how == "resets":
                        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, reset)
        assert server.get() == 200
        assert "Traceback" not in server.errors, server.errors


Found = TypeVar("Found")
VISITORS: list[ClientConnection] = []  # their connections, which stay open


async def visit(server: Limited, name: str) -> str:
    """What a visitor gets first, or why it gets nothing; then the visitor stays."""
    try:
        address, origin = f"ws{server.address[4:]}ws", server.address.rstrip("/")
        local = f"127.0.0.{2 + len(VISITORS) // 100}", 0  # one address has not all
        socket = await connect(address, origin=origin, open_timeout=60, max_size=None, local_addr=local)
        VISITORS.append(socket)
        hello = {"type": "hello", "table": name, "token": "token", "language": "en", "form": "narrow"}
        await socket.send(json.dumps(hello))
        return json.loads(await asyncio.wait_for(socket.recv(), 120))["type"]
    except Exception as error:  # noqa: BLE001 - any refusal
        return type(error).__name__


async def staying(visits: Awaitable[Found]) -> Found:
    """The result of visits, whose connections are ended afterwards."""
    VISITORS.clear()
    try:
        return await visits
    finally:
        for connection in VISITORS:
            connection.transport.abort()
        await asyncio.sleep(0.2)


async def visit_all(server: Limited, tables: int, visitors: int) -> list[str]:
    """What the visitors get, who come in some groups and stay until all are there."""
    found: list[str] = []
    for first in range(0, visitors, 50):
        names = [NAMES[number % tables] for number in range(first, min(visitors, first + 50))]
        found += await asyncio.gather(*(visit(server, name) for name in names))
    return found


@pytest.mark.parametrize("ulimit", ["-n 1024", "-Sn 1024"], ids=["hard", "soft"])
def test_as_many_tables_and_visitors_as_were_said_at_the_start_are_taken_and_no_more(tmp_path, ulimit):
    make_tables(tmp_path / "tables", 500)
    with limited(tmp_path / "tables", ulimit) as server:
        said = re.search(r"the server takes (\d+) clients and (\d+) tables", server.errors)
        assert bool(said) == (ulimit == "-n 1024")  # the soft limit is raised
        visitors, tables = map(int, said.groups()) if said else (1_000, 500)

        async def all_there() -> list[str]:
            found = await visit_all(server, tables, visitors)
            assert await asyncio.to_thread(server.get) == 200  # the page is still served
            return [*found, *await asyncio.gather(*(visit(server, NAMES[0]) for _ in range(50)))]

        found = asyncio.run(staying(all_there()))
        assert found[:visitors] == ["state"] * visitors
        assert "state" not in found[visitors:]
        assert "Traceback" not in server.errors


def test_too_low_a_limit_is_refused_in_words(tmp_path):
    done = subprocess.run(
        ["bash", "-c", LIMITED.format("-n 150"), *PLAY, str(tmp_path / "tables"), "--port", "0"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert re.search(r"error: ulimit -n: 150 open files, but at least \d+ are needed", done.stderr)
