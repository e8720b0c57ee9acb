"""The page of a game that agents have played, with what they report of their decisions."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from w51_agents.explanation import explain_decision
from w51_agents.system.files import write_atomic
from w51_env.engine.errors import report_os_errors
from w51_env.engine.game import ALL
from w51_env.views.language import ENGLISH, Words
from w51_env.views.presentation import game_title
from w51_lab.replays.replay import Replay
from w51_table.replay_viewer.frames import frames_of
from w51_table.replay_viewer.replay_page import replay_page, step_of
from w51_table.replay_viewer.reports import report_of, spoken_report


def write_game_page(
    replay: Replay, agents: Mapping[str, Any], path: Path, spoken: Mapping[int, Mapping[str, Any]] | None = None
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
    words = Words(ENGLISH, replay.players)
    steps = []
    game = None
    for frame in frames_of(replay):
        game = frame.game
        name = replay.players[frame.seat] if frame.seat >= 0 else ""
        report = None
        if record := (spoken or {}).get(int(frame.state["decisions"])):
            report = spoken_report(name, record)
        elif hasattr(agents.get(name), "policy"):  # a search would cost as much as the game
            explanation = explain_decision(name, agents[name], frame.game, frame.observation, frame.mask)
            report = report_of(explanation, frame, words)
        steps.append(step_of(frame.view(ALL, words), frame.begins_lot, report))
    title = game_title(game, words) if game is not None else ""
    text = replay_page(f"{title}: {', '.join(replay.players)}", steps, words)
    with report_os_errors(f"output {path}: cannot be written"):
        return write_atomic(path, lambda temporary: temporary.write_text(text, "utf-8"))
