"""The page of a game, with what agents report of its decisions."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from w51_agents.explanation import explain_decision
from w51_agents.system.files import write_atomic
from w51_env.engine.errors import report_os_errors
from w51_env.engine.game import ALL
from w51_env.text.table import news_lines
from w51_env.views.language import ENGLISH, Words
from w51_env.views.presentation import game_title
from w51_lab.replays.replay import Replay
from w51_table.pictures.seating import FORMS
from w51_table.pictures.svg import draw
from w51_table.replay_viewer.frames import Frame, frames_of
from w51_table.replay_viewer.replay_page import Step, replay_page
from w51_table.replay_viewer.reports import Report, report_of


def game_page(
    frames: Iterable[Frame], viewer: int | str, words: Words, report: Callable[[Frame], Report | None]
) -> str:
    """The page of a game as a viewer may see it, with a report for each frame, or None."""
    steps = []
    for frame in frames:
        view = frame.view(viewer, words)
        wide, narrow = (draw(view, theme="auto", form=form) for form in FORMS)
        steps.append(Step(wide, narrow, news_lines(view), bool(frame.lots), report(frame)))
    names = ", ".join(words.seats(frame.game.num_players))
    return replay_page(f"{game_title(frame.game, words)}: {names}", steps, words)


def write_game_page(replay: Replay, agents: Mapping[str, Any], path: Path) -> Path:
    """Write the page of a game: everything is shown, also what was hidden.

    Args:
        replay: The game; its players are names of agents.
        agents: Agents by name. Those with a policy report its probabilities and their value; it is computed again.
        path: The file.

    Raises:
        FileError: The file cannot be written.
    """
    words = Words(ENGLISH, replay.players)

    def report(frame: Frame) -> Report | None:
        name = replay.players[frame.seat] if frame.seat >= 0 else ""
        if not hasattr(agents.get(name), "policy"):  # a search would cost as much as the game
            return None
        return report_of(explain_decision(name, agents[name], frame.game, frame.observation, frame.mask), frame, words)

    text = game_page(frames_of(replay), ALL, words, report)
    with report_os_errors(f"output {path}: cannot be written"):
        return write_atomic(path, lambda temporary: temporary.write_text(text, "utf-8"))
