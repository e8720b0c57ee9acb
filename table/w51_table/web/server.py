"""What the handlers of requests share: settings, tables, replays, agents."""

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from starlette.requests import Request

from w51_agents.console.locale import locale_language
from w51_agents.named.explanation import Explanation
from w51_env.engine.errors import OptionError
from w51_env.engine.options import check_name
from w51_env.engine.plain_data import parse_integer
from w51_env.engine.registry import make_game, registered_games
from w51_env.views.language import ENGLISH, LANGUAGES, Words
from w51_table.pictures.seating import FORMS
from w51_table.play.agent_pool import AgentPool, Answer, Question, frame_question, hint_agent, only_make
from w51_table.play.coach import COACH, Coach, GameReview
from w51_table.play.playback import Playback
from w51_table.play.table import PlayerError, TableError, without_paths
from w51_table.replay_viewer.frames import Frame
from w51_table.web.limits import FULL, ServerLimits
from w51_table.web.new_game import Extras
from w51_table.web.registry import Replays, TableRegistry, delete_old
from w51_table.web.session import TableSession
from w51_table.web.sockets import ClientSockets
from w51_table.web.work import Exports, Waiting, WorkQueue, visitor_at, wait_for

_ACCEPTED = re.compile(r"([a-z]+)(?:[^a-z;][^;]*)?(?:;q=(\d(?:\.\d*)?))?")  # an entry of Accept-Language
_UNLOAD_EVERY, _CLEAN_EVERY = 5.0, 3600.0  # seconds
_Found = TypeVar("_Found")


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
    options: Mapping[str, Any] = field(default_factory=dict)
    trust: bool = False
    limits: ServerLimits = FULL
    idle: float = 60.0


class Server:
    """What the handlers of requests share.

    Raises:
        W51Error: An agent or an option of the settings cannot be offered.
    """

    def __init__(self, settings: ServerSettings):
        self.settings = settings
        self.pool = AgentPool(trust=settings.trust)
        self.extras = Extras.of(settings.agents, settings.options)
        agents = list(self.extras.agents.values())
        self.tables = TableRegistry(settings.folder, self.pool, settings.limits.tables, settings.idle, agents)
        self.replays = Replays(self.tables)
        self.sockets = ClientSockets(self.tables, settings.limits, self.advise)
        self.address: str | None = None  # for links that others open; None: the one that the browser uses
        self.exports = Exports()
        self.evenings = WorkQueue("evenings", 20.0)
        self._reviews = WorkQueue("reviews", 60.0)
        self._asked = Waiting()
        self._hints = WorkQueue("hints", 30.0)
        self._coaches = Coach(), Coach()  # of hints and of reviews, each in its own thread
        self._reviewed: WeakKeyDictionary[Playback, GameReview] = WeakKeyDictionary()

    def words(self, request: Request, names: Sequence[str] = ()) -> Words:
        """The language that a request asks for, else that of the settings, of the browser, of the locale."""
        accepted = request.headers.get("accept-language", "")
        wanted = request.query_params.get("language") or self.settings.language or accepted_language(accepted)
        return Words(wanted if wanted in LANGUAGES else ENGLISH, names)

    async def session(self, request: Request) -> TableSession:
        """The table of the name in the address of a request; PlayerError if there is none."""
        session = await self.tables.get(request.path_params["name"])
        if session is None:
            raise PlayerError("no_table")
        return session

    async def playback(self, request: Request, *, over: bool = False) -> tuple[Playback, Words]:
        """The game of the name in the address of a request, and its words.

        Raises:
            W51Error: As of `Replays.get`, or `over` is asked for and the game is not over.
        """
        playback = await self.replays.get(request.path_params["name"])
        if over and playback.frames[-1].seat >= 0:
            raise PlayerError("not_over")
        return playback, self.words(request, playback.names)

    async def ask(self, request: Request, question: Question) -> Answer:
        """The answer of an agent to somebody who steps through a game; the errors are those of `Waiting.wait`."""
        return await self._asked.wait(request, partial(self.pool.ask, question))

    def advise(self, visitor: str, frame: Frame, seed: int) -> Future[Explanation]:
        """What the coach advises a visitor at a decision; `seed` is that of the game. PlayerError if too many ask."""
        return self._hints.submit(visitor, partial(self._coaches[0].advise, frame, seed))

    async def explained(
        self, request: Request, frame: Frame, agent: str, game_id: str, seed: int, actions: Sequence[int] | None = None
    ) -> Explanation:
        """What the coach or an agent reports of a decision; `seed` and the `actions` before are the game's.

        Raises:
            PlayerError: The agent failed, or too many wait.
            ClientDisconnect: As of `wait_for`.
        """
        self.extras.check_cards(frame.game, [agent])
        if agent == COACH:
            return await wait_for(request, self.advise(visitor_at(request), frame, seed))
        answer = await self.ask(request, await asyncio.to_thread(frame_question, frame, agent, game_id, seed, actions))
        if answer.explanation is None:
            raise self.unusable(agent, answer.failure)
        return answer.explanation

    def unusable(self, agent: str, failure: str | None) -> PlayerError:
        """The error that visitors see of an agent that failed."""
        return PlayerError("agent_unusable", agent=self.extras.shown(agent), reason=without_paths(failure, agent))

    async def reviewed(
        self, request: Request, playback: Playback, find: Callable[[GameReview, Playback], _Found]
    ) -> _Found:
        """What `find` computes of a finished game; the errors are those of `WorkQueue.run`."""
        review = self._reviewed.setdefault(playback, GameReview(self._coaches[1]))
        return await self._reviews.run(request, lambda stopped: find(review, playback))

    def close(self) -> None:
        """Close the tables, and end the agents' processes and all work."""
        for part in (self.tables, self._hints, self.evenings, self.exports, self._reviews, self.pool):
            part.close()

    def start_agents(self) -> None:
        """Begin to load the quick agents and the coach, so that no client waits for it."""
        for game_id in registered_games():
            game = make_game(game_id)
            for agent in sorted({*game.bots, hint_agent(game)}):
                self.pool.ask(only_make(agent, game))
            self._hints.submit("", partial(self._coaches[0].judge, game))

    async def keep(self) -> None:
        """Put tables away, for as long as the server runs."""
        while True:
            await asyncio.sleep(_UNLOAD_EVERY)
            self.tables.unload()

    async def clean(self) -> None:
        """Delete the files of old tables, now and for as long as the server runs."""
        while True:
            await asyncio.to_thread(delete_old, self.settings.folder)
            await asyncio.sleep(_CLEAN_EVERY)


def number_of(request: Request, name: str) -> int | None:
    """The integer of this name in the address of a request; None without one; OptionError if it is another text."""
    text = request.query_params.get(name, "")
    try:
        return parse_integer(text) if text else None
    except ValueError as error:
        raise OptionError(f"{name}: {error}") from None


def form_of(request: Request) -> str:
    """The layout of pictures that a request asks for; OptionError if there is no such layout."""
    return check_name("form", request.query_params.get("form", FORMS[0]), FORMS)


async def body_of(request: Request, max_bytes: int) -> bytes:
    """The body of a request.

    Raises:
        TableError: It is longer than `most` bytes.
    """
    content = b""
    async for part in request.stream():
        content += part
        if len(content) > max_bytes:
            raise TableError(f"request: more than {max_bytes} bytes")
    return content


def accepted_language(header: str) -> str:
    """The language that a browser wants most (`Accept-Language`, RFC 9110) of those there are; else the user's own."""
    entries = map(_ACCEPTED.fullmatch, header.replace(" ", "").lower().split(","))
    wanted = [(float(entry[2] or 1), entry[1]) for entry in entries if entry and entry[1] in LANGUAGES]
    weight, code = max(wanted, key=lambda entry: entry[0], default=(0.0, ""))
    return code if weight > 0 else locale_language()
