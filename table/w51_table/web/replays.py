"""The replays that pages have opened."""

from collections import OrderedDict

from w51_env.engine.errors import ReplayError
from w51_env.engine.registry import current_id, make_game, registered_games
from w51_lab.replays.replay import Replay
from w51_table.play.playback import Playback
from w51_table.play.table import PlayerError
from w51_table.web.new_game import check_no_path
from w51_table.web.registry import TableRegistry

MAX_BYTES = 512 * 1024  # of a replay that a page sends
_KEPT = 32  # replays in memory


class Replays:
    """The replays that pages have opened, and the games of tables that everybody may see whole.

    Args:
        tables: The tables of the server.
    """

    def __init__(self, tables: TableRegistry):
        self._tables = tables
        self._playbacks: OrderedDict[str, Playback] = OrderedDict()

    def add(self, content: bytes) -> str:
        """The name of a replay that a page has sent.

        Raises:
            W51Error: It is no replay, is damaged, or names a file of this machine.
        """
        try:
            replay = Replay.parse(content.decode())
        except UnicodeDecodeError as error:
            raise ReplayError(f"not JSON: {error}") from None
        if (game_id := current_id(replay.game_id)) in registered_games():
            check_no_path(make_game(game_id), replay.options)
        return self.keep(replay)

    def keep(self, replay: Replay, default_agent: str | None = None) -> str:
        """The name of a replay that is kept in memory.

        Args:
            replay: The replay.
            default_agent: Name of the agent that the page shows first, or `none`; None: that of hints.

        Raises:
            ReplayError: The replay does not lead to its recorded result.
        """
        replay.verify()
        name = replay.final.digest[:16]
        self._playbacks[name] = Playback.of_replay(replay, default_agent)
        if len(self._playbacks) > _KEPT:
            self._playbacks.popitem(last=False)
        return name

    async def get(self, name: str) -> Playback:
        """The replay of this name, or the game of the table of this name: a finished one, or one of agents.

        Raises:
            W51Error: There is none, or its file is damaged.
        """
        if name in self._playbacks:
            self._playbacks.move_to_end(name)
            return self._playbacks[name]
        session = await self._tables.get(name)
        if session is None:
            raise PlayerError("no_replay")
        return await session.playback()
