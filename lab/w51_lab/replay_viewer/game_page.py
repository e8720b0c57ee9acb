"""A game as one self-contained page: pictures to step through, what happened, what an agent reports. No network."""

import base64
import hashlib
import json
import re
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from html import escape
from pathlib import Path

from typing_extensions import TypedDict

from w51_agents.agent.interface import Agent
from w51_agents.named.explanation import explain_decision
from w51_agents.system.errors import report_os_errors
from w51_agents.system.files import write_text
from w51_env.engine.game import ALL
from w51_env.pictures.paint import theme_css
from w51_env.pictures.seating import NARROW, NARROW_SCREENS
from w51_env.pictures.shapes import FONT_FAMILY, FONT_FILES
from w51_env.pictures.svg import draw
from w51_env.views.language import ENGLISH, Words
from w51_env.views.presentation import game_title
from w51_lab.replay_viewer.frames import Frame, frames_of
from w51_lab.replay_viewer.reports import Report, Spoken, report_of, spoken_report
from w51_lab.replays.replay import Replay

PAGE = Path(__file__).with_name("page")  # scripts, of which the web table serves the player, too


class Film(TypedDict):
    """What the page of a game holds.

    Attributes:
        pieces: Pieces of pictures: one that several have is there once.
        picture, narrow: For each step the pieces of its picture, and of that for a phone.
        steps: Sentences, whether a lot begins, what an agent reports, and what is chosen then.
        labels: Words of the page.
    """

    pieces: Sequence[str]
    picture: Sequence[Sequence[int]]
    narrow: Sequence[Sequence[int]]
    steps: Sequence[tuple[Sequence[str], bool, Report | None, str]]
    labels: Mapping[str, str]


_TEMPLATE = Path(__file__).with_name("replay_page.html")
_TAG = re.compile(r"<(/?)[^>]*>")
_CUT_DEPTH = 4  # elements at most this deep in a picture are pieces, which equal pictures share


def game_page(
    frames: Iterable[Frame], viewer: int | str, words: Words, report: Callable[[Frame], Report | None]
) -> str:
    """The page of a game as HTML, as a viewer may see it, with a report for each frame, or None.

    The same frames give the same text.
    """
    pictures: dict[str, list[str]] = {"picture": [], "narrow": []}  # for a phone
    steps = []
    for frame in frames:
        view = frame.view(viewer, words)
        pictures["picture"].append(draw(view, theme="auto"))
        pictures["narrow"].append(draw(view, theme="auto", form=NARROW))
        played = None if frame.action is None else view.action_texts().get(frame.action)
        then = "" if played is None else words("page.then", action=played)
        steps.append(([event["text"] for event in view.news], bool(frame.lots), report(frame), then))
    labels = words.section("replay")
    needs_script = labels.pop("needs_script")
    pieces, composed = _pieces_of(pictures)
    data: Film = {"pieces": pieces, "picture": composed["picture"], "narrow": composed["narrow"], "steps": steps,
                  "labels": labels}  # fmt: skip
    packed = zlib.compress(json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode(), 9)
    script = _script()
    values = {
        "language": words.language,
        "light": theme_css("light"),
        "dark": theme_css("dark"),
        "font": FONT_FAMILY,
        **_fonts(),
        "title": escape(f"{game_title(frame.game, words)}: {', '.join(words.seats(frame.game.num_players))}"),
        "narrow": NARROW_SCREENS,
        "script": script,
        "digest": base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        "needs_script": escape(needs_script),
        "data": base64.b64encode(packed).decode(),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda match: values[match[1]], _TEMPLATE.read_text("utf-8"))


def write_game_page(
    replay: Replay, agents: Mapping[str, Agent], path: Path, spoken: Mapping[int, Spoken] | None = None
) -> Path:
    """Write the page of a game: everything is shown, also what was hidden.

    Args:
        replay: The game; its players are names of agents.
        agents: Agents by name. Those with a policy report its probabilities and their value; it is computed again.
        path: The file.
        spoken: What language models were told and said, a record of the transcript for the number of a decision.

    Raises:
        FileError: The file cannot be written.
    """
    words = Words(ENGLISH, replay.names)

    def report(frame: Frame) -> Report | None:
        name = replay.players[frame.seat] if frame.seat >= 0 else ""
        if record := (spoken or {}).get(int(frame.state["decisions"])):
            return spoken_report(name, record)
        if not hasattr(agents.get(name), "policy"):  # a search would cost as much as the game
            return None
        return report_of(explain_decision(name, agents[name], frame.game, frame.observation, frame.mask), frame, words)

    text = game_page(frames_of(replay), ALL, words, report)
    with report_os_errors(f"output {path}: cannot be written"):
        return write_text(text, path)


@cache
def _fonts() -> dict[str, str]:
    """The fonts of the pictures, packed one after another, and the weight and the bytes of each."""
    fonts = {weight: file.read_bytes() for weight, file in FONT_FILES.items()}
    return {
        "fonts": base64.b64encode(zlib.compress(b"".join(fonts.values()), 9)).decode(),
        "sizes": " ".join(f"{weight}:{len(file)}" for weight, file in fonts.items()),
    }


@cache
def _script() -> str:
    """The script of the page, with the player that it imports."""
    player, page = ((PAGE / name).read_text("utf-8") for name in ("player.js", "replay_page.js"))
    return f"{re.sub('^export ', '', player, flags=re.MULTILINE)}{re.sub('^import .*$', '', page, flags=re.MULTILINE)}"


def _pieces_of(pictures: Mapping[str, Sequence[str]]) -> tuple[list[str], dict[str, list[list[int]]]]:
    """Each different piece of a picture once; and by name, for each picture the indices of its pieces."""
    index: dict[str, int] = {}
    composed = {
        name: [[index.setdefault(piece, len(index)) for piece in _pieces(picture)] for picture in each]
        for name, each in pictures.items()
    }
    return list(index), composed


def _pieces(picture: str) -> list[str]:
    """The text cut after each tag that opens or closes an element of little depth."""
    pieces = []
    start, depth = 0, 0
    for tag in _TAG.finditer(picture):
        closing, end = tag[1], tag.end()
        alone = picture[end - 2] == "/"
        depth -= bool(closing)
        if depth < _CUT_DEPTH:
            pieces.append(picture[start:end])
            start = end
        depth += not closing and not alone
    return [*pieces, picture[start:]] if start < len(picture) else pieces
