"""The server of the web table: its settings, and the parts of which the handlers of requests each get some."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from w51_table.play.agent_pool import AgentPool
from w51_table.play.table import Option
from w51_table.web.advice_requests import AdviceRequests
from w51_table.web.advisers import Advisers
from w51_table.web.day_requests import DayRequests
from w51_table.web.days import Days
from w51_table.web.games import Games
from w51_table.web.limits import FULL, ServerLimits
from w51_table.web.new_game import Extras
from w51_table.web.page import Page
from w51_table.web.registry import Replays, TableRegistry, delete_old
from w51_table.web.replay_requests import ReplayRequests
from w51_table.web.review_requests import ReviewRequests
from w51_table.web.rules import RulesRequests
from w51_table.web.sockets import ClientSockets
from w51_table.web.study_requests import StudyRequests
from w51_table.web.table_requests import TableRequests
from w51_table.web.work import Exports, WorkQueue

_UNLOAD_EVERY, _CLEAN_EVERY = 5.0, 3600.0  # seconds


@dataclass(frozen=True)
class ServerSettings:
    """Settings of a server.

    Attributes:
        folder: Where tables and replays are kept.
        host: The address that it listens on.
        allowed_hosts: Names of proxies through which the page may be opened.
        language: The first language of the page; None: that of the browser, else of the locale.
        agents: Agents that tables may have beside those of the game: `NAME`, or `LABEL=NAME`.
        options: Options of games, by name, that the form offers: own cards, for example.
        trust: Load pickled models, which can run any code.
        limits: The most tables and clients at a time.
        idle: Seconds after which a table without clients is put away.
    """

    folder: Path
    host: str = "127.0.0.1"
    allowed_hosts: Sequence[str] = ()
    language: str | None = None
    agents: Sequence[str] = ()
    options: Mapping[str, Option] = field(default_factory=dict)
    trust: bool = False
    limits: ServerLimits = FULL
    idle: float = 60.0


class Server:
    """Makes the parts, and ends them.

    Raises:
        W51Error: An agent or an option of the settings cannot be offered.
    """

    def __init__(self, settings: ServerSettings):
        self.page = Page(settings.language)
        self.extras = Extras.of(settings.agents, settings.options)
        self.advisers = Advisers(pool := AgentPool(trust=settings.trust), self.extras)
        agents = list(self.extras.agents.values())
        self.tables = TableRegistry(settings.folder, pool, settings.limits.tables, settings.idle, agents)
        self.replays = Replays(self.tables)
        self.sockets = ClientSockets(self.tables, settings.limits, self.advisers.advise)
        self.exports = Exports()
        games, evenings = Games(self.tables, self.replays, self.page), WorkQueue("evenings", 20.0)
        self.table_requests = TableRequests(games, self.advisers, self.page)
        self.day_requests = DayRequests(games, days := Days(self.tables, pool), self.page)
        self.rules_requests = RulesRequests(games, self.page)
        self.replay_requests = ReplayRequests(games, self.advisers)
        self.study_requests = StudyRequests(games, self.extras)
        self.review_requests = ReviewRequests(games, self.advisers, self.exports)
        self.advice_requests = AdviceRequests(self.advisers, self.page, evenings)
        self._closed = days, self.tables, self.advisers, evenings, self.exports, pool
        self._folder = settings.folder

    def close(self) -> None:
        """Close the tables, and end the agents' processes and all work."""
        for part in self._closed:
            part.close()

    async def keep(self) -> None:
        """Put tables away, for as long as the server runs."""
        while True:
            await asyncio.sleep(_UNLOAD_EVERY)
            self.tables.unload()

    async def clean(self) -> None:
        """Delete the files of old tables, now and for as long as the server runs."""
        while True:
            await asyncio.to_thread(delete_old, self._folder)
            await asyncio.sleep(_CLEAN_EVERY)
