"""Finished games in the browser: step by step, what everyone hid, and what the hint agent would have done."""

from collections import OrderedDict
from typing import Any

from w51_env.adapters.agent_seeds import decision_seed
from w51_env.engine.errors import ReplayError
from w51_env.engine.game import ALL, PUBLIC
from w51_env.engine.registry import current_id, make_game, registered_games
from w51_env.views.language import Words
from w51_lab.replays.replay import Replay
from w51_table.play.agent_pool import Question, hint_agent, is_quick
from w51_table.play.playback import Playback
from w51_table.play.table import PlayerError, TableError, error_text
from w51_table.replay_viewer.frames import Frame
from w51_table.web.messages import shown
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


def about(playback: Playback, words: Words) -> dict[str, Any]:
    """What the page needs beside the steps: how many there are, lots, names."""
    return {
        "steps": len(playback.frames),
        "complete": playback.complete,
        "over": playback.frames[-1].seat < 0,
        "lots": lots_of(playback, words),
        "names": words.seats(playback.game.num_players),
        "decide": any(playback.agents),
        "beliefs": playback.game.presentation.rendering.beliefs is not None,
        "adviser": playback.default_agent or ("" if any(playback.agents) else hint_agent(playback.game)),
        "failure": error_text(playback.failure, words) if playback.failure else None,
    }


def lots_of(playback: Playback, words: Words) -> list[tuple[int, str]]:
    """(step, sentence) for each lot: where it begins, and with what."""
    return [
        (step, f"{number}. {playback.game.event_text(event, words)}")
        for number, (step, event) in enumerate(playback.lots, 1)
    ]


def step_data(playback: Playback, step: int, viewer: int | str, words: Words, form: str) -> dict[str, Any]:
    """One step as a viewer may see it, with the action that was chosen there."""
    check_step(playback, step, len(playback.frames))
    check_viewer(playback, viewer)
    view = playback.frames[step].view(viewer, words)
    chosen = playback.frames[step].action
    return {
        **shown(view, form),
        "news": [event["text"] for event in view.news],
        "action": None if chosen is None else view.action_texts().get(chosen),
    }


def check_viewer(playback: Playback, viewer: int | str) -> None:
    """TableError unless it is a seat, `PUBLIC` or `ALL`."""
    if viewer not in (ALL, PUBLIC, *range(playback.game.num_players)):
        raise TableError(f"viewer: {viewer!r}")


def check_step(playback: Playback, step: int, count: int) -> None:
    """TableError unless the step is one of the first `count`."""
    if not 0 <= step < count:
        raise TableError(f"step: {step}, but 0 to {count - 1} is allowed")


def question(playback: Playback, frame: Frame, agent: str) -> Question:
    """A decision of a playback for an agent, which is to explain it."""
    info = None
    if not is_quick(agent):
        info = {"determinizer": frame.determinizer(), "view": frame.view(frame.seat), "earlier": ()}
    seed = decision_seed(playback.seed, frame.number)
    decision = frame.observation[None], frame.mask[None]
    return Question(playback.game_id, playback.game, agent, seed, *decision, info, explain=True)


def review(playback: Playback, words: Words, form: str) -> dict[str, Any]:
    """The end of a game with everything that was hidden.

    Args:
        playback: The game.
        words: The language, with the names of the players.
        form: Layout of the picture.
    """
    last = playback.frames[-1].view(ALL, words)
    scores = [(player["score"]["rank"], player["name"], player["score"]["total"]) for player in last.players]
    return {**shown(last, form), "standings": sorted(scores, key=lambda score: score[0])}
