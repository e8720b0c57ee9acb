"""A kept replay as a page of its own, with what the agents report of their decisions."""

from pathlib import Path
from typing import Any

from w51_env.agents.agent import Agent
from w51_env.agents.explanation import explain, report_of
from w51_env.arena.plan import Plan
from w51_env.core.errors import report_os_errors
from w51_env.core.game import ALL
from w51_env.render.replay_page import Report, replay_page, step_of
from w51_env.replays.frames import Frame, frames_of
from w51_env.replays.replay import Replay
from w51_env.system.files import write_atomic
from w51_env.views.language import ENGLISH, Words
from w51_env.views.presentation import game_title


def write_replay_page(replay: Replay, plan: Plan, path: Path) -> Path:
    """Write the page of a game of a tournament: everything is shown, also what was hidden.

    Args:
        replay: The game; its players are the names of agents of the plan.
        plan: The tournament. Agents with a policy report its probabilities and their value; it is computed again.
        path: The file.

    Raises:
        FileError: The file cannot be written.
    """
    agents: dict[str, Any] = dict(zip(plan.names, plan.agents, strict=True))
    words = Words(ENGLISH, replay.players)
    steps = []
    for frame in frames_of(replay):
        name = replay.players[frame.seat] if frame.seat >= 0 else ""
        report = _report(name, agents[name], frame, words) if name else None
        steps.append(step_of(frame.view(ALL, words), frame.begins_lot, report))
    text = replay_page(f"{game_title(plan.game, words)}: {', '.join(replay.players)}", steps, words)
    with report_os_errors(f"output {path}: cannot be written"):
        return write_atomic(path, lambda temporary: temporary.write_text(text, "utf-8"))


def _report(name: str, agent: Agent, frame: Frame, words: Words) -> Report | None:
    """What the agent reports, if it has a policy; None else, since a search would cost as much as the game."""
    if not hasattr(agent, "policy"):
        return None
    return report_of(explain(name, agent, frame.game, frame.observation, frame.mask), frame, words)
