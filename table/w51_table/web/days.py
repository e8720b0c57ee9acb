"""The deal of the day: the same cards for everybody at this server, and how people and agents have fared with them."""

import asyncio
import logging
import secrets
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from w51_agents.system.files import read_bytes, write_atomic
from w51_env.engine.game import ALL
from w51_env.engine.registry import make_game
from w51_env.views.language import Words
from w51_lab.replays.replay import Replay
from w51_table.play.agent_pool import AgentPool, next_question, plays_here
from w51_table.play.table import PEOPLE, PERSON, PlayerError, Setup, Table, known_names, play_moves
from w51_table.web.levels import LEVELS
from w51_table.web.registry import TableRegistry

OPPONENT, PLAYERS, SEAT = "heuristic", 4, 0  # who has the other seats; of each game; the seat that is compared
AGENTS = ("pretrained", "champion")  # with whom people are compared
MAX_PEOPLE = 1000  # a day and game; the games of more do not count
_MAX_BYTES = 1024 * 1024
_LOG = logging.getLogger("uvicorn.error")


class Result(BaseModel):
    """How a game ended for the seat that is compared."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: str
    points: float
    rank: int


class Day(BaseModel):
    """What the file of a date and a game holds: results of agents by name, and of people by table; null: not over.

    The seed is drawn when the day is first asked for: who knows the date does not know the cards.
    """

    model_config = ConfigDict(extra="forbid", strict=True)

    seed: int
    agents: dict[str, Result] = {}
    people: dict[str, Result | None] = {}


def today() -> date:
    """The day of the server: it begins at midnight UTC."""
    return datetime.now(UTC).date()


class Days:
    """The deals of the days of a server, in files `DATE-GAME.day` beside those of its tables.

    Args:
        tables: Where people play them.
        pool: Where agents play them, in the background, once somebody has asked for the day.
    """

    def __init__(self, tables: TableRegistry, pool: AgentPool):
        self._tables, self._pool = tables, pool
        self._tasks: dict[Path, asyncio.Task[None]] = {}  # of each day, its games of agents

    async def of(self, game_id: str, when: date) -> Day:
        """The results of a day so far; PlayerError if there is none of this game and date."""
        path, day = self._path(game_id, when), self._read(game_id, when)
        over = {name: found for name, one in day.people.items() if one is None and (found := self._tables.replay(name))}
        if over:
            results = await asyncio.to_thread(_results, over)
            day = self._read(game_id, when)
            day.people.update(results)
            _write(path, day)
        missing = [name for name in AGENTS if name not in day.agents and plays_here(name, make_game(game_id))]
        if missing and when == today() and path not in self._tasks:
            self._tasks[path] = asyncio.create_task(self._play(game_id, when, missing))
        return day

    def setup(self, game_id: str, when: date, holder: str, name: str = "") -> Setup:
        """The game of a day with somebody at the seat that is compared; PlayerError as of `of`."""
        seed = self._read(game_id, when).seed  # which knows the game: its name is from outside
        game = make_game(game_id, num_players=PLAYERS)
        seats = (holder, *[OPPONENT] * (PLAYERS - 1))
        return Setup(game_id, dict(game.options), seed, seats, known_names(seats, (name, *PEOPLE[1:PLAYERS])))

    def count(self, game_id: str, when: date, table: str) -> None:
        """The game of a table is somebody's first one of a day."""
        day = self._read(game_id, when)
        if len(day.people) < MAX_PEOPLE:
            day.people[table] = None
            _write(self._path(game_id, when), day)

    def close(self) -> None:
        """Stop the games of agents."""
        for task in self._tasks.values():
            task.cancel()

    async def _play(self, game_id: str, when: date, names: Iterable[str]) -> None:
        for name in names:
            table = Table(self.setup(game_id, when, name))
            while (agent := table.agent_to_move()) is not None:
                answer = await asyncio.wrap_future(self._pool.ask(next_question(table, agent)))
                if answer.failure is not None:
                    _LOG.warning("deal of the day: %s failed: %s", agent, answer.failure)
                    return
                table.play(answer.action)
            day = self._read(game_id, when)
            day.agents[name] = _result(table, name)
            _write(self._path(game_id, when), day)

    def _read(self, game_id: str, when: date) -> Day:
        """The file of a day; that of today is made if there is none."""
        path = self._path(game_id, when)
        if game_id not in LEVELS or (when != today() and not path.exists()):
            raise PlayerError("no_day")
        if not path.exists():
            _write(path, Day(seed=secrets.randbits(64)))
        try:
            return Day.model_validate_json(read_bytes(path, _MAX_BYTES, follow_links=False))
        except (OSError, ValueError) as error:  # ValidationError is a ValueError
            _LOG.warning("%s: %s", path, error)
            raise PlayerError("no_day") from None

    def _path(self, game_id: str, when: date) -> Path:
        return self._tables.folder / f"{when}-{game_id}.day"


def _write(path: Path, day: Day) -> None:
    """Write the file of a day, for its owner alone."""

    def write(temporary: Path) -> None:
        temporary.write_text(day.model_dump_json(), "utf-8")

    try:
        write_atomic(path, write, follow_links=False).chmod(0o600)
    except OSError as error:
        _LOG.warning("%s: %s", path, error)
        raise PlayerError("not_written") from None


def _results(replays: Mapping[str, bytes]) -> dict[str, Result]:
    """The results of finished tables, by name."""
    found = {}
    for name, content in replays.items():
        replay = Replay.parse(content.decode())
        table = Table(Setup(replay.game_id, replay.options, replay.seed, (PERSON,) * PLAYERS))
        play_moves(table, replay.moves)
        found[name] = _result(table, replay.players[SEAT])
    return found


def _result(table: Table, name: str) -> Result:
    score = table.view(ALL, Words(), table.decision).players[SEAT]["score"]
    return Result(name=name, points=float(score["total"]), rank=score["rank"])
