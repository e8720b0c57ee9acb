"""Load test of the web table: `python benchmarks/web_tables.py --tables 50 --browsers 200 --seconds 600`.

It starts `play.py` as a process and connects clients over WebSockets, as browsers do. Each client plays a random legal
action some time after its seat is to move; now and then it sends an action twice, late or for another seat. A table
whose game is over is followed by a new one. At the end the files of the tables are compared with what the clients sent:
no action is lost, doubled or made up. A click is timed from the action to the first state after it. Memory is that of
the server, of the processes of its agents, and of the clients. A table is open as long as its file is.
"""

import asyncio
import gzip
import json
import random
import re
import statistics
import tempfile
import time
import urllib.request
from dataclasses import asdict, dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from benchmarks.measure import Result, headline, machine, show, wide_console, write_json
from benchmarks.web_server import SAMPLE_EVERY, Sample, sample, server
from w51_lab.replays.replay import Replay
from w51_table.play.game_log import SUFFIX, GameLog
from w51_table.play.table import PERSON

_SEATS = (PERSON, PERSON, PERSON, "heuristic")
_BOTS = (PERSON, "heuristic", "heuristic", "heuristic")
# What a file of the page names: the rest of it.
_PACKED = {"accept-encoding": "gzip"}
_FILES = re.compile(r"""(?:src=|href=|from )"(?:\./)?([\w.]+\.(?:js|css|svg))"|url\(([\w/-]+\.ttf)\)""")
_FAULTS = 0.05  # share of actions that are followed by faulty messages
_LISTED_EVERY = 30.0  # seconds, in the file of the figures
Source = tuple[str, int]  # the address that a client connects from


@dataclass
class Clicks:
    """What the clients did and saw.

    Attributes:
        sent: (table, decision) of each action that was sent in turn: its seat and id.
        early: The same of those that were sent a decision too early. They count if the seat is then to move.
        seconds: Time from each action to the first state after it.
        turns: Time from each action until the same client is to move again, or the game is over.
        messages, max_bytes: Number of messages received, and size of the largest.
    """

    sent: dict[tuple[str, int], tuple[int, int]] = field(default_factory=dict)
    early: dict[tuple[str, int], tuple[int, int]] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)
    turns: list[float] = field(default_factory=list)
    messages: int = 0
    max_bytes: int = 0


@dataclass
class Load:
    """The plan of a run.

    Attributes:
        address: Of the server.
        seats: Who holds the seats of each table.
        watchers: Clients at each table beside those of its seats.
        think: Mean seconds before a client acts.
        until: When the clients stop, by the monotonic clock.
    """

    address: str
    seats: tuple[str, ...]
    watchers: int
    think: float
    until: float
    clicks: Clicks = field(default_factory=Clicks)
    tables: list[str] = field(default_factory=list)

    def new_table(self, source: Source) -> tuple[str, list[str]]:
        """Name and tokens of a new table, made from an address of this machine."""
        form = {"game": "warehouse51_v1", "seats": self.seats, "pace": 0.0}
        origin = {"origin": self.address, "content-type": "application/json"}
        connection = HTTPConnection(self.address.removeprefix("http://"), source_address=source)
        connection.request("POST", "/api/tables", json.dumps(form), origin)
        with connection.getresponse() as answer:
            made = json.load(answer)
        self.tables.append(made["table"])
        return made["table"], made["tokens"]


async def run_table(load: Load, number: int) -> None:
    """Play one game after the other at one table with all its clients, from an address of its own."""
    source = f"127.0.0.{2 + number % 250}", 0  # what one address may have is limited
    while time.monotonic() < load.until:
        name, tokens = await asyncio.to_thread(load.new_table, source)
        clients = [token for token in tokens if token] + [""] * load.watchers
        await asyncio.gather(*(run_client(load, name, token, source) for token in clients))


async def warm_up(address: str) -> None:
    """Play one game with bots, so that their process is ready."""
    load = Load(address, _BOTS, 0, 0.0, time.monotonic() + 300.0)
    source = "127.0.0.1", 0
    name, tokens = await asyncio.to_thread(load.new_table, source)
    await run_client(load, name, tokens[0], source)


async def run_client(load: Load, name: str, token: str, source: Source) -> None:
    """One browser at a table, to the end of the game or of the run."""
    origin: Any = load.address
    settings: dict[str, Any] = {"origin": origin, "max_size": None, "compression": None, "local_addr": source}
    async with connect(f"ws{load.address[4:]}/ws", **settings) as socket:
        await socket.send(json.dumps({"type": "hello", "table": name, "token": token, "language": "en"}))
        waiting: tuple[int, float] | None = None  # the decision that was sent, and when
        turn: tuple[int, float] | None = None  # the same, until the client is to move again
        while time.monotonic() < load.until:
            try:
                text = await asyncio.wait_for(socket.recv(), max(0.0, load.until - time.monotonic()))
            except (TimeoutError, ConnectionClosed):
                return
            load.clicks.messages += 1
            load.clicks.max_bytes = max(load.clicks.max_bytes, len(text.encode() if isinstance(text, str) else text))
            state = json.loads(text)
            decision = state["decision"]
            if waiting is not None and decision > waiting[0]:
                load.clicks.seconds.append(time.monotonic() - waiting[1])
                waiting = None
            if turn is not None and decision > turn[0] and (state["actions"] or state["over"]):
                load.clicks.turns.append(time.monotonic() - turn[1])
                turn = None
            if state["over"]:
                return
            if state["actions"] and (name, decision) not in load.clicks.sent:
                await asyncio.sleep(random.expovariate(1 / load.think) if load.think else 0)
                action = random.choice(action_ids(state))
                load.clicks.sent[name, decision] = state["seat"], action
                waiting = turn = decision, time.monotonic()
                await send_action(socket, decision, action, faulty := random.random() < _FAULTS)
                if faulty:
                    load.clicks.early[name, decision + 1] = state["seat"], action


async def send_action(socket: Any, decision: int, action: int, faulty: bool) -> None:
    """Send an action; a faulty client sends it also again, late, early, and one that is not legal."""
    act = {"type": "act", "decision": decision, "action": action}
    wrong = [act, {**act, "decision": decision - 1}, {**act, "decision": decision + 1}, {**act, "action": -1}]
    for message in [act, *(wrong if faulty else [])]:
        await socket.send(json.dumps(message))


def action_ids(state: dict[str, Any]) -> list[int]:
    """Ids of the actions of a state message."""
    single = [group["id"] for group in state["actions"] if "id" in group]
    return single + [choice[1] for group in state["actions"] for choice in group.get("choices", ())]


def check_files(folder: Path, load: Load) -> tuple[int, list[str]]:
    """(number of people's decisions in the files, sentences about what is wrong).

    The last action of a table may be missing where the run ended before its answer.
    """
    mistakes, decisions = [], 0
    sent, early = load.clicks.sent, load.clicks.early
    for name in load.tables:
        game_log, table = GameLog.open(folder / f"{name}{SUFFIX}")
        game_log.close()
        for decision, move in enumerate(table.moves()):
            person = table.setup.seats[move.seat] == PERSON
            decisions += person
            played, key = (move.seat, table.game.actions.id(move.action)), (name, decision)
            if played == early.get(key):
                continue
            if person and key not in sent:
                mistakes.append(f"{name}: decision {decision}: {move}, but no client sent it")
            if key in sent and played != sent[key]:
                mistakes.append(f"{name}: decision {decision}: {move}, but {sent[key]} was sent")
        made = table.decision
        lost = [decision for other, decision in sent if other == name and decision > made]
        mistakes += [f"{name}: decision {decision} was sent, but is lost" for decision in lost]
        if table.over:
            Replay.load(folder / f"{name}.json")
    return decisions, mistakes


async def run(load: Load, tables: int, process: int) -> list[Sample]:
    """Run all clients; the samples."""
    samples: list[Sample] = []
    sampler = asyncio.create_task(sample(process, samples))
    await asyncio.gather(*(run_table(load, number) for number in range(tables)))
    sampler.cancel()
    return samples


def first_load(address: str) -> int:
    """Bytes of the page, all its files with its fonts, and what it asks for first with the pictures of the games, as a
    browser gets them: packed, if the server packs them.
    """
    size = 0
    loaded = {}
    left = ["/", "/api/offer"]
    while left:
        path = left.pop()
        with urllib.request.urlopen(urllib.request.Request(f"{address}{path}", headers=_PACKED)) as answer:
            body = answer.read()
            loaded[path] = gzip.decompress(body) if answer.headers["content-encoding"] == "gzip" else body
        size += len(body)
        if path == "/api/offer":
            left += [f"/api/covers/{game['id']}" for game in json.loads(loaded[path])["games"]]
        elif not path.startswith("/api") and not path.endswith(".ttf"):
            left += {f"/{a or b}" for a, b in _FILES.findall(loaded[path].decode())} - loaded.keys() - set(left)
    return size


def results_of(
    load: Load, decisions: int, samples: list[Sample], tables: int, seconds: float, page: int
) -> list[Result]:
    """The figures of a run."""
    people = sum(seat == PERSON for seat in load.seats)
    group = f"{tables} tables, {tables * (people + load.watchers)} browsers, {seconds:g} s"
    length = max(SAMPLE_EVERY, samples[-1].seconds - samples[0].seconds)
    busy, delayed = ((getattr(samples[-1], key) - getattr(samples[0], key)) / length for key in ("busy", "delayed"))
    single = [
        ("first load of the page", "bytes", float(page)),
        ("people's decisions in the files", "decisions", float(decisions)),
        ("tables opened", "tables", float(1 + len(load.tables))),  # and that of the warm-up
        ("tables put away", "tables", float(1 + len(load.tables) - samples[-1].open_tables)),
        ("most tables open at a time", "tables", float(max(one.open_tables for one in samples))),
        ("messages to browsers", "messages/s", load.clicks.messages / seconds),
        ("largest message", "bytes", float(load.clicks.max_bytes)),
        ("clicks", "clicks", float(len(load.clicks.seconds))),
        *times("click to answer", load.clicks.seconds),
        *(times("click to the own next turn", load.clicks.turns) if people == 1 else ()),
        ("processor time of the server", "of a core", busy),
        ("server and clients wait for a processor", "of the time", delayed),
    ]
    for part in ("server", "agents", "clients"):
        values = [getattr(one, part) for one in samples]
        for when, share in (("at the start", 0.0), ("after half the time", 0.5), ("at the end", 1.0)):
            single.append((f"memory, {part}, {when}", "MB", around(values, share)))
    return [Result(group, name, unit, value, value, value, 1) for name, unit, value in single]


def times(name: str, seconds: list[float]) -> list[tuple[str, str, float]]:
    """Median, high quantiles and maximum of times, in milliseconds."""
    ordered = sorted(seconds)
    shares = (0.5, 0.95, 0.99)
    within = [
        (f"{name}, {share:.0%} within", ordered[min(len(ordered) - 1, int(share * len(ordered)))]) for share in shares
    ]
    return [(label, "ms", 1000 * value) for label, value in [*within, (f"{name}, slowest", ordered[-1])]]


def around(values: list[float], share: float) -> float:
    """The median of a tenth of the values, those about a share of the run."""
    count = max(1, len(values) // 10)
    first = min(max(0, round(share * len(values)) - count // 2), len(values) - count)
    return statistics.median(values[first : first + count])


def listed(samples: list[Sample]) -> list[dict[str, float]]:
    """The samples for the file of the figures, some time apart."""
    step = round(_LISTED_EVERY / SAMPLE_EVERY)
    return [{name: round(value, 1) for name, value in asdict(one).items()} for one in samples[::step]]


def main(
    tables: Annotated[int, typer.Option(help="Number of tables.")] = 50,
    browsers: Annotated[int, typer.Option(help="Number of browsers, at least three for each table.")] = 200,
    seconds: Annotated[float, typer.Option(help="Length of the run.")] = 600.0,
    think: Annotated[float, typer.Option(help="Mean seconds before a person acts.")] = 3.0,
    alone: Annotated[bool, typer.Option(help="One person against three bots at each table.")] = False,
    w51: Annotated[Path | None, typer.Option(help="The program w51 that serves, as of a wheel; else play.py.")] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Where the figures are written.")] = None,
) -> None:
    """Play at many web tables at once, and check that no decision is lost or doubled."""
    console: Console = wide_console()
    facts = machine()
    console.print(headline(facts))
    seats = _BOTS if alone else _SEATS
    watchers = browsers // tables - sum(seat == PERSON for seat in seats)
    if watchers < 0:
        raise typer.BadParameter(f"{browsers} browsers are too few for {tables} tables")
    with tempfile.TemporaryDirectory() as folder:
        with server(Path(folder), *((str(w51), "play") if w51 else ())) as (address, process):
            page = first_load(address)
            asyncio.run(warm_up(address))
            load = Load(address, seats, watchers, think, time.monotonic() + seconds)
            samples = asyncio.run(run(load, tables, process.pid))
        decisions, mistakes = check_files(Path(folder), load)
    results = results_of(load, decisions, samples, tables, seconds, page)
    show(console, results)
    if json_file is not None:
        write_json(json_file, facts, results, mistakes=len(mistakes), samples=listed(samples))
    if mistakes:
        console.print("\n".join(mistakes[:20]))
        raise typer.Exit(1)
    console.print(f"{len(load.tables)} games: no decision was lost, doubled or made up.")


if __name__ == "__main__":
    typer.run(main)
