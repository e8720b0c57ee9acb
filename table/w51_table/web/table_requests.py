"""Requests about tables: a new one, its state, an invitation to its seats, a rematch."""

import asyncio
import re
from functools import partial
from io import BytesIO

import segno
from starlette.requests import Request

from w51_agents.system.request_checks import is_loopback
from w51_env.engine.errors import OptionError
from w51_env.engine.registry import make_game
from w51_env.views.language import LANGUAGES
from w51_env.views.presentation import game_title
from w51_table.play.agent_pool import only_make
from w51_table.play.table import PERSON, SET_UP, PlayerError, TableError
from w51_table.web.advisers import Advisers
from w51_table.web.answer_types import Invitation, Invited, MadeTable, Offer, Rematch, TableStatus, TakenSeat
from w51_table.web.games import Games
from w51_table.web.messages import seats_of, standings
from w51_table.web.new_game import new_game_options, parse_table
from w51_table.web.page import Page, bearer, body_of
from w51_table.web.session import TableSession
from w51_table.web.work import visitor_at

_MAX_FORM = 16 * 1024  # bytes
_MAX_ADDRESS = 300  # characters


class TableRequests:
    """Handlers of requests about tables."""

    def __init__(self, games: Games, advisers: Advisers, page: Page):
        self._games, self._advisers, self._page = games, advisers, page
        self._extras = advisers.extras

    async def offer(self, request: Request) -> Offer:
        """What the page begins with."""
        words, address = self._page.words(request), self._page.address
        offered = await asyncio.to_thread(new_game_options, words.language, self._extras)
        return {
            **offered,
            "language": words.language,
            "languages": LANGUAGES,
            "words": words.section("page"),
            "address": address if is_loopback(request.url.hostname or "") else None,  # others cannot open that one
        }

    async def new_table(self, request: Request) -> MadeTable:
        """A new table: its name, and the token of each seat, empty for agents."""
        form = await body_of(request, _MAX_FORM)
        try:
            setup, extra = await asyncio.to_thread(parse_table, form, self._extras)
        except OptionError as error:
            raise PlayerError("options_unusable", reason=error) from None
        game = make_game(setup.game, **setup.options)
        for agent in sorted(set(setup.seats) - {PERSON, *game.bots}):
            answer = await self._advisers.ask(request, only_make(agent, game))
            if answer.failure is not None:
                raise self._advisers.unusable(agent, answer.failure)
        name, tokens = await self._games.tables.create(setup, extra, visitor=visitor_at(request))
        return {"table": name, "tokens": tokens, "names": setup.names}

    async def status(self, request: Request) -> TableStatus:
        """How a game stands, for one of its people: whether it is over or the own turn, what is decided, the points."""
        session, seat = await self._own(request)
        view = session.table.view(seat, self._page.words(request, session.table.setup.names), SET_UP)
        return {"over": view.over, "yours": view.seat == seat, "headline": view.headline, "standings": standings(view)}

    async def invitation(self, request: Request) -> Invitation:
        """The link with which others choose a seat, and its QR code as SVG; for the table's people only.

        The page says its address, since a proxy may have another one.
        """
        session, _ = await self._own(request)
        address = request.query_params.get("address") or self._page.address or f"http://{request.headers['host']}"
        if not re.fullmatch(rf"https?://\S{{1,{_MAX_ADDRESS}}}", address):
            raise TableError(f"address: an address of at most {_MAX_ADDRESS} characters is needed")
        link = f"{address}/#/invite/{request.path_params['name']}/{session.keys.invitation}"
        drawn, code = BytesIO(), segno.make(link, micro=False)
        code.save(drawn, kind="svg", border=3, xmldecl=False, omitsize=True, light="#fff", title=link)
        return {"link": link, "qr": drawn.getvalue().decode()}

    async def invited(self, request: Request) -> Invited:
        """The seats of a table for somebody with an invitation: the name of each, and whether it may be taken."""
        session = await self._invited(request)
        free = session.free_seats()
        return {
            "title": game_title(session.table.game, self._page.words(request)),
            "seats": [{**one, "free": seat in free} for seat, one in enumerate(seats_of(session))],
            "seed": session.typed_seed,
        }

    async def take_seat(self, request: Request) -> TakenSeat:
        """A new token of a seat that nobody has yet: the one of the link to this seat is void."""
        session = await self._invited(request)
        seat = request.path_params["seat"]
        token = session.claim(seat)
        if token is None:
            raise PlayerError("seat_taken")
        return {"token": token}

    async def rematch(self, request: Request) -> Rematch:
        """A new table with people, agents and rules of a finished one; all keep their tokens. For its people only."""
        session, _ = await self._own(request)
        if not session.table.over:
            raise PlayerError("not_over")
        if session.next is not None and not self._games.tables.exists(session.next):  # old, and deleted
            session.next = None
        return {"table": await session.rematch(partial(self._games.tables.create, visitor=visitor_at(request)))}

    async def _own(self, request: Request) -> tuple[TableSession, int]:
        """The table that a request names, and the seat whose token it has."""
        session = await self._games.session(request)
        seat = session.keys.seat_of(bearer(request))
        if seat is None:
            raise PlayerError("no_table")
        session.take(seat)
        return session, seat

    async def _invited(self, request: Request) -> TableSession:
        """The table that a request names with its invitation."""
        session = await self._games.session(request)
        if not session.keys.is_invitation(bearer(request)):
            raise PlayerError("no_table")
        return session
