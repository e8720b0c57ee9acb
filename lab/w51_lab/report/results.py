"""Output files of a tournament: summary, report, figures, behaviour tables and failures."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from w51_agents.system.files import write_json
from w51_env.engine.errors import MissingPackageError, report_os_errors
from w51_env.engine.imports import by_name
from w51_lab.arena.block_files import replay_path
from w51_lab.arena.plan import Plan
from w51_lab.arena.supervisor import AgentStatistics
from w51_lab.arena.surprise import most_surprising
from w51_lab.arena.tournament import TournamentResult
from w51_lab.behaviour import write_behaviour
from w51_lab.replays.replay import Replay
from w51_lab.report.transcripts import spoken_in, write_transcripts

_write_replay_page = by_name("w51_table.replay_viewer.game_page:write_game_page")
SUMMARY, BEHAVIOUR, FAILURES = "summary.json", "behaviour", "failures.json"
_Kept = tuple[Path, int, Replay, str]  # file and deal of a replay, the replay, why it was kept: "" for the first games


def check_installed(*, report: bool, ratings: bool, alpha: bool) -> None:
    """Raise MissingPackageError if a package for these outputs is missing; called before any game is played."""
    wanted = (
        (report, "a report", ("pyarrow", "jinja2", "matplotlib"), "arena"),
        (ratings, "ratings", ("openskill",), "arena"),
        (alpha, "alpha-rank", ("open_spiel", "networkx", "matplotlib"), "games"),
    )
    for asked, what, packages, extra in wanted:
        missing = [package for package in packages if asked and find_spec(package) is None]
        if missing:
            raise MissingPackageError(f"{what}: needs {', '.join(missing)}: pip install '.[{extra}]'")


def write_results(plan: Plan, played: TournamentResult, summary: dict[str, Any], folder: Path) -> Path:
    """Write the output files of a tournament into its folder; return the path of the report.

    Raises:
        FileError: A file that cannot be written.
        MissingPackageError: A missing package.
    """
    from w51_lab.report.page import ReplayLink, write_page

    write_data(summary, folder / SUMMARY)
    if plan.spec.behaviour:
        write_behaviour(plan.game, plan.names, played.behaviour, folder / BEHAVIOUR)
    write_data(failures_of(plan, played.statistics), folder / FAILURES)
    write_transcripts(plan, played, folder)

    agents = dict(zip(plan.names, plan.agents, strict=True))
    links = []
    told = [result for result in played.results if any(one.transcript for one in result.statistics)]
    games = ((result, row) for result in told for row in range(len(result.deals)))
    spoken = {replay_path(folder, result.block, row): spoken_in(result, row) for result, row in games}
    for path, deal, replay, reason in _first_replays(played, folder) + _surprising(plan, played, summary, folder):
        page = _write_replay_page(replay, agents, path.with_suffix(".html"), spoken.get(path))
        links.append(ReplayLink(path, deal, replay.players, replay.final.scores, page, reason))
    return write_page(summary, folder, links)


def _first_replays(played: TournamentResult, folder: Path) -> list[_Kept]:
    """The replays of the first games, which the store has written."""
    replays = [
        (replay_path(folder, result.block, row), int(result.deals[row]), replay, "")
        for result in played.results
        for row, replay in result.replays
    ]
    return sorted(replays, key=lambda kept: kept[1])


def _surprising(plan: Plan, played: TournamentResult, summary: dict[str, Any], folder: Path) -> list[_Kept]:
    """Write the replays of the most surprising games."""
    candidates = [result.candidates for result in played.results]
    seats = [result.seats for result in played.results]
    elo = [(agent.get("elo") or {}).get("mean") or 0.0 for agent in summary["agents"]]
    replays = []
    for surprise in most_surprising(candidates, seats, elo, plan.names, plan.spec.surprising):
        result, row = played.results[surprise.block], surprise.candidate.row
        replay = surprise.candidate.replay(plan.game, [plan.names[agent] for agent in result.seats[row]])
        path = replay_path(folder, result.block, row)
        with report_os_errors(f"output {path}: cannot be written"):
            replay.save(path)
        replays.append((path, int(result.deals[row]), replay, surprise.reason))
    return replays


def write_data(data: Any, path: Path) -> None:
    """Write plain data as JSON, atomically; FileError if it cannot be written."""
    with report_os_errors(f"output {path}: cannot be written"):
        write_json(data, path)


def failures_of(plan: Plan, statistics: list[AgentStatistics]) -> list[dict[str, Any]]:
    """Return the first failure of each agent, with the named parts of the observation and the legal actions."""
    failures = []
    for name, agent_statistics in zip(plan.names, statistics, strict=True):
        if agent_statistics.first is not None:
            first, layout = agent_statistics.first, plan.game.layout
            called = first.observation.size > 0  # else `reset` failed
            observation = {part: layout.read(first.observation, part).tolist() for part in layout} if called else None
            legal = [plan.game.actions[action].name for action in np.flatnonzero(first.mask)]
            counts = {
                "failures": agent_statistics.failures,
                "skipped": agent_statistics.skipped,
                "first": first.message,
                "seat": first.seat,
                "traceback": first.traceback.splitlines(),
            }
            failures.append({"agent": name, **counts, "legal": legal, "observation": observation})
    return failures
