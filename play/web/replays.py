"""Finished games in the browser: step by step, what everyone hid, and what the hint agent would have done."""

import re
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from w51_env.core.errors import ReplayError
from w51_env.core.frames import Frame, frames_of
from w51_env.core.game import ALL, PUBLIC, Game
from w51_env.core.language import Words
from w51_env.core.registry import make_game, registered_games
from w51_env.core.replay import Replay
from w51_env.core.view import event_data
from w51_env.play.agent_pool import Question, hint_agent
from w51_env.play.journal import SUFFIX
from w51_env.play.table import TableError
from w51_env.play.web.live import replay_path
from w51_env.play.web.messages import shown
from w51_env.play.web.offer import check_no_path
from w51_env.render.seating import FORMS

MOST_BYTES = 512 * 1024  # of a replay that a page sends
_KEPT = 32  # replays in memory
_NAME = re.compile(r"[A-Za-z0-9_-]{16}")


@dataclass(frozen=True)
class OpenReplay:
    """A replay, played through.

    Attributes:
        replay: The replay.
        frames: Its decisions, and its last state.
    """

    replay: Replay
    frames: list[Frame]

    @classmethod
    def of(cls, replay: Replay) -> "OpenReplay":
        """Play a replay through; ReplayError if it does not lead to its recorded result."""
        replay.verify()
        return cls(replay, list(frames_of(replay)))

    @property
    def game(self) -> Game:
        """The game with its rules bound."""
        return self.frames[0].game

    def question(self, steps: list[int], *, insight: bool = False) -> Question:
        """The decisions at these steps, for the hint agent; insight is of one decision."""
        frames = [self.frames[step] for step in steps]
        observations = np.array([frame.observation for frame in frames], np.int8)
        masks = np.array([frame.mask for frame in frames], np.int8)
        game = self.game
        return Question(game.id, game.options, hint_agent(game), 0, observations, masks, None, insight)


class Replays:
    """The replays that pages have opened, and those of finished tables.

    Args:
        folder: The folder of the tables.
    """

    def __init__(self, folder: Path):
        self._folder = folder
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
        found = OpenReplay.of(replay)
        name = replay.final.digest[:16]
        self._keep(name, found)
        return name

    def get(self, name: str) -> OpenReplay:
        """The replay of this name, or of the finished table of this name.

        Raises:
            W51Error: There is none, or its file is damaged.
        """
        if name not in self._open:
            path = self.path(name)
            if path is None:
                raise TableError("There is no such replay here. Open its file again.")
            self._keep(name, OpenReplay.of(Replay.load(path)))
        self._open.move_to_end(name)
        return self._open[name]

    def path(self, name: str) -> Path | None:
        """The file of the replay of a finished table; None if there is none."""
        path = replay_path(self._folder / f"{name}{SUFFIX}")
        return path if _NAME.fullmatch(name) and path.exists() else None

    def _keep(self, name: str, found: OpenReplay) -> None:
        self._open[name] = found
        if len(self._open) > _KEPT:
            self._open.popitem(last=False)


def lots_of(found: OpenReplay, words: Words) -> list[tuple[int, str]]:
    """(step, sentence) for each lot: where it begins, and with what."""
    kinds = {kind.name for kind in found.game.event_kinds if kind.begins_lot}
    lots: list[tuple[int, str]] = []
    for frame in found.frames:
        for event in frame.events:
            if event["event"] in kinds:
                lots.append((frame.number, f"{len(lots) + 1}. {event_data(found.game, words, event)['text']}"))
    return lots


def about(found: OpenReplay, words: Words) -> dict[str, Any]:
    """What the page needs before the first step: number of steps, lots, names."""
    seats = range(found.game.num_players)
    return {
        "steps": len(found.frames),
        "lots": lots_of(found, words),
        "names": [words.seat(seat) for seat in seats],
    }


def step_data(found: OpenReplay, step: int, viewer: int | str, words: Words, form: str) -> dict[str, Any]:
    """One step as a viewer may see it, with the action that was chosen there."""
    check_step(found, step, len(found.frames))
    if form not in FORMS:
        raise TableError(f"form: {form!r}, but allowed are {', '.join(FORMS)}")
    if viewer not in (ALL, PUBLIC, *range(found.game.num_players)):
        raise TableError(f"viewer: {viewer!r}")
    view = found.frames[step].view(viewer, words)
    chosen = found.frames[step].action
    texts = {action["id"]: action["text"] for action in view.actions}
    return {
        **shown(view, form),
        "actions": [],
        "news": [event["text"] for event in view.news],
        "action": texts.get(chosen),
    }


def check_step(found: OpenReplay, step: int, count: int) -> None:
    """TableError unless the step is one of the first `count`."""
    if not 0 <= step < count:
        raise TableError(f"step: {step}, but 0 to {count - 1} is allowed")


def decisions_of(found: OpenReplay, seat: int | None) -> list[int]:
    """The steps at which a seat decided."""
    return [frame.number for frame in found.frames[:-1] if frame.seat == seat]


def review(found: OpenReplay, steps: list[int], hints: np.ndarray, words: Words) -> dict[str, Any]:
    """The end of a game with everything that was hidden, and the decisions at which the hint was another action.

    Args:
        found: The replay of the game.
        steps: The decisions of the visitor.
        hints: The hint agent's action at each of them.
        words: The language, with the names of the players.
    """
    lots = lots_of(found, words)
    differences = []
    for step, hint in zip(steps, hints.tolist(), strict=True):
        chosen = found.frames[step].action
        if chosen is not None and chosen != hint:
            view = found.frames[step].view(found.frames[step].seat, words)
            texts = {action["id"]: action["text"] for action in view.actions}
            said = {"action": texts[chosen], "hint": texts[hint]}
            where = max((lot for lot in lots if lot[0] <= step), default=(0, view.headline))[1]
            differences.append({"step": step, "where": where, **said})
    last = shown(found.frames[-1].view(ALL, words), FORMS[0])
    return {
        "svg": last["svg"],
        "text": last["text"],
        "agent": hint_agent(found.game),
        "decisions": len(steps),
        "differences": differences,
    }
