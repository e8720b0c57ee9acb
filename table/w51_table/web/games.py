"""The games that requests name: tables, and replays."""

from starlette.requests import Request

from w51_env.views.language import Words
from w51_table.play.playback import Playback
from w51_table.play.table import PlayerError
from w51_table.web.page import Page
from w51_table.web.registry import Replays, TableRegistry
from w51_table.web.session import TableSession


class Games:
    """The tables and replays of a server, by the names in the addresses of requests."""

    def __init__(self, tables: TableRegistry, replays: Replays, page: Page):
        self.tables, self.replays, self._page = tables, replays, page

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
        return playback, self._page.words(request, playback.names)
