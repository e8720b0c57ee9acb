"""Finished games in the browser: step by step, what everyone hid, and what the hint agent would have done."""

from collections import OrderedDict
from typing import Any

import numpy as np

from w51_env.core.errors import ReplayError
from w51_env.core.game import ALL, PUBLIC
from w51_env.core.language import Words
from w51_env.core.registry import make_game, registered_games
from w51_env.core.replay import Replay
from w51_env.core.view import event_data
from w51_env.play.agent_pool import hint_agent
from w51_env.play.table import PlayerError, TableError, said
from w51_env.play.web.messages import shown
from w51_env.play.web.offer import check_no_path
from w51_env.play.web.opened import OpenReplay
from w51_env.play.web.tables import LiveTables
from w51_env.render.seating import FORMS

MOST_BYTES = 512 * 1024  # of a replay that a page sends
_KEPT = 32  # replays in memory


class Replays:
    """The replays that pages have opened, and the games of tables that everybody may see whole.

    Args:
        tables: The tables of the server.
    """

    def __init__(self, tables: LiveTables):
        self._tables = tables
        self._open: OrderedDict[str, OpenReplay] = OrderedDict()

    def add(self, content: bytes) -> str:
        """The name of a replay that a page has sent.

        Raises:
            W51Error: It is no replay, is damaged, or names a file of this machine.
        """
        try:
            replay = Replay.parse(content.decode())
        except UnicodeDecodeError as error:
            raise ReplayError(f"not JSON: {error}") from None
        if replay.game_id in registered_games():
            check_no_path(make_game(replay.game_id), replay.options)
        return self.keep(replay)

    def keep(self, replay: Replay, adviser: str | None = None) -> str:
        """The name of a replay that is kept in memory; `adviser` as of `OpenReplay`."""
        opened = OpenReplay.of(replay, adviser)
        name = replay.final.digest[:16]
        self._open[name] = opened
        if len(self._open) > _KEPT:
            self._open.popitem(last=False)
        return name

    async def get(self, name: str) -> OpenReplay:
        """The replay of this name, or the game of the table of this name: a finished one, or one of agents.

        Raises:
            W51Error: There is none, or its file is damaged.
        """
        if name in self._open:
            self._open.move_to_end(name)
            return self._open[name]
        live = await self._tables.get(name)
        if live is None:
            raise PlayerError("no_replay")
        return await live.opened()


def about(opened: OpenReplay, words: Words) -> dict[str, Any]:
    """What the page needs beside the steps: how many there are, lots, names."""
    return {
        "steps": len(opened.frames),
        "complete": opened.complete,
        "lots": lots_of(opened, words),
        "names": [words.seat(seat) for seat in range(opened.game.num_players)],
        "decide": any(opened.agents),
        "adviser": opened.adviser or ("" if any(opened.agents) else hint_agent(opened.game)),
        "failure": said(opened.failure, words) if opened.failure else None,
    }


def lots_of(opened: OpenReplay, words: Words) -> list[tuple[int, str]]:
    """(step, sentence) for each lot: where it begins, and with what."""
    return [
        (step, f"{number}. {event_data(opened.game, words, event)['text']}")
        for number, (step, event) in enumerate(opened.lots, 1)
    ]


def step_data(opened: OpenReplay, step: int, viewer: int | str, words: Words, form: str) -> dict[str, Any]:
    """One step as a viewer may see it, with the action that was chosen there."""
    check_step(opened, step, len(opened.frames))
    check_form(form)
    if viewer not in (ALL, PUBLIC, *range(opened.game.num_players)):
        raise TableError(f"viewer: {viewer!r}")
    view = opened.frames[step].view(viewer, words)
    chosen = opened.frames[step].action
    texts = {action["id"]: action["text"] for action in view.actions}
    return {
        **shown(view, form),
        "news": [event["text"] for event in view.news],
        "action": texts.get(chosen),
    }


def check_step(opened: OpenReplay, step: int, count: int) -> None:
    """TableError unless the step is one of the first `count`."""
    if not 0 <= step < count:
        raise TableError(f"step: {step}, but 0 to {count - 1} is allowed")


def decisions_of(opened: OpenReplay, seat: int | None) -> list[int]:
    """The steps at which a seat decided."""
    return [frame.number for frame in opened.frames[:-1] if frame.seat == seat]


def review(opened: OpenReplay, steps: list[int], hints: np.ndarray, words: Words, form: str) -> dict[str, Any]:
    """The end of a game with everything that was hidden, and the decisions at which the hint was another action.

    Args:
        opened: The game.
        steps: The decisions of the visitor.
        hints: The hint agent's action at each of them.
        words: The language, with the names of the players.
        form: Layout of the picture.
    """
    lots = lots_of(opened, words)
    differences = []
    for step, hint in zip(steps, hints.tolist(), strict=True):
        chosen = opened.frames[step].action
        if chosen is not None and chosen != hint:
            view = opened.frames[step].view(opened.frames[step].seat, words)
            texts = {action["id"]: action["text"] for action in view.actions}
            said = {"action": texts[chosen], "hint": texts[hint]}
            where = max((lot for lot in lots if lot[0] <= step), default=(0, view.headline))[1]
            differences.append({"step": step, "where": where, **said})
    last = opened.frames[-1].view(ALL, words)
    scores = [(player["score"]["rank"], player["name"], player["score"]["total"]) for player in last.players]
    return {
        **shown(last, check_form(form)),
        "standings": sorted(scores, key=lambda score: score[0]),
        "decisions": len(steps),
        "differences": differences,
    }


def check_form(form: str) -> str:
    """The layout of a picture; TableError if there is no such layout."""
    if form not in FORMS:
        raise TableError(f"form: {form!r}, but allowed are {', '.join(FORMS)}")
    return form
