"""Output files of a tournament: summary, report, figures, behaviour tables and failures."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np

from w51_agents.system.errors import report_os_errors
from w51_agents.system.files import Plain, write_json
from w51_env.engine.errors import MissingPackageError
from w51_lab.arena.agent_statistics import AgentStatistics
from w51_lab.arena.plan import Block, Plan
from w51_lab.arena.recorded_games import RecordedGame
from w51_lab.arena.surprise import most_surprising
from w51_lab.arena.tournament import TournamentResult
from w51_lab.behaviour import write_behaviour
from w51_lab.replay_viewer.game_page import write_game_page
from w51_lab.replays.replay import Replay
from w51_lab.report.models import FirstFailure, Summary
from w51_lab.report.transcripts import spoken_in, write_transcripts

SUMMARY, BEHAVIOUR, FAILURES, REPLAYS = "summary.json", "behaviour", "failures.json", "replays"


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
            raise MissingPackageError(f"{what}: needs {', '.join(missing)}: pip install 'w51_env[{extra}]'")


def write_results(plan: Plan, played: TournamentResult, summary: Summary, folder: Path) -> Path:
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
    for index, recorded, reason in _kept_games(plan, played, summary):
        result, row = played.results[index], recorded.row
        replay = recorded.replay(plan.game, [plan.names[agent] for agent in result.seats[row]])
        path = _write_replay(folder, result.block, row, replay)
        page = write_game_page(replay, agents, path.with_suffix(".html"), spoken_in(result, row))
        links.append(ReplayLink(path, int(result.deals[row]), replay.players, replay.final.scores, page, reason))
    return write_page(summary, folder, links)


def _kept_games(plan: Plan, played: TournamentResult, summary: Summary) -> list[tuple[int, RecordedGame, str]]:
    """Games whose replays are kept: index of the block, the game, and why; "" for the first games."""
    first = [(index, game, "") for index, result in enumerate(played.results) for game in result.replays]
    first.sort(key=lambda kept: int(played.results[kept[0]].deals[kept[1].row]))
    candidates = [result.candidates for result in played.results]
    seats = [result.seats for result in played.results]
    elo = [agent.elo.mean if agent.elo else 0.0 for agent in summary.agents]
    surprises = most_surprising(candidates, seats, elo, plan.names, plan.spec.surprising)
    return first + [(surprise.block, surprise.candidate.game, surprise.reason) for surprise in surprises]


def _write_replay(folder: Path, block: Block, row: int, replay: Replay) -> Path:
    path = folder / REPLAYS / f"{block.number:06}-{row:05}.json"
    with report_os_errors(f"output {path}: cannot be written"):
        path.parent.mkdir(exist_ok=True)
        replay.save(path)
    return path


def write_data(data: Plain, path: Path) -> None:
    """Write plain data and records as JSON, atomically; FileError if it cannot be written."""
    with report_os_errors(f"output {path}: cannot be written"):
        write_json(data, path)


def failures_of(plan: Plan, statistics: list[AgentStatistics]) -> list[FirstFailure]:
    """Return the first failure of each agent, with the named parts of the observation and the legal actions."""
    failures = []
    for name, agent_statistics in zip(plan.names, statistics, strict=True):
        if agent_statistics.first is not None:
            first, layout = agent_statistics.first, plan.game.layout
            called = first.observation.size > 0  # else `reset` failed
            observation = {part: layout.read(first.observation, part).tolist() for part in layout} if called else None
            legal = [plan.game.actions[action].name for action in np.flatnonzero(first.mask)]
            failures.append(
                FirstFailure(
                    agent=name,
                    failures=agent_statistics.failures,
                    skipped=agent_statistics.skipped,
                    first=first.message,
                    seat=first.seat,
                    traceback=first.traceback.splitlines(),
                    legal=legal,
                    observation=observation,
                )
            )
    return failures
