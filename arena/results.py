"""What a tournament leaves: its summary, and in its folder the report, pictures, tables of behaviour and faults."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from agents.agent import AgentError
from agents.files import write_json
from agents.versions import versions
from arena.behaviour import summarise_behaviour, write_behaviour
from arena.plan import Plan
from arena.referee import Conduct
from arena.store import replay_path
from arena.summary import summarise
from arena.tournament import Played

SUMMARY, BEHAVIOUR, FAULTS = "summary.json", "behaviour", "faults.json"


def check_installed(*, report: bool, ratings: bool, alpha: bool) -> None:
    """AgentError, before any game is played, unless the packages are there that these need at the end."""
    wanted = [
        (report, "a report", ("pyarrow", "jinja2", "matplotlib"), "arena"),
        (ratings, "ratings", ("openskill",), "arena"),
    ]
    wanted.append((alpha, "alpha-rank", ("open_spiel", "networkx", "matplotlib"), "games"))
    for asked, what, packages, extra in wanted:
        missing = [package for package in packages if asked and find_spec(package) is None]
        if missing:
            raise AgentError(f"{what}: needs {', '.join(missing)}: pip install 'w51_env[{extra}]'")


def summary_of(plan: Plan, played: Played, *, ratings: bool = False, alpha: bool = False) -> dict[str, Any]:
    """See `summarise`.

    Args:
        plan: The tournament.
        played: Its games.
        ratings: With Plackett and Luce's ratings; AgentError if openskill is missing.
        alpha: With alpha-rank; AgentError if OpenSpiel is missing.
    """
    facts = {
        "game": plan.game.id,
        "options": dict(plan.game.options),
        "versions": versions(),
        "deals": plan.deal_facts,
        "seatings": plan.seatings,
        "seconds": round(played.seconds, 3),
    }
    behaviour = summarise_behaviour(plan.game, plan.names, played.behaviour) if plan.spec.behaviour else None
    return summarise(
        played.games,
        facts,
        [_conduct_facts(conduct) for conduct in played.conducts],
        planned=len(plan.deals.seeds) if plan.spec.until_settled else None,
        ratings=ratings,
        alpha=alpha,
        behaviour=behaviour,
    )


def write_results(plan: Plan, played: Played, summary: dict[str, Any], folder: Path) -> Path:
    """Fill the folder of a tournament; returns the path of the report.

    Raises:
        AgentError: A package is missing, or a file cannot be written.
    """
    from arena.page.report import ReplayLink, write_page

    write_data(summary, folder / SUMMARY)
    if plan.spec.behaviour:
        write_behaviour(plan.game, plan.names, played.behaviour, folder / BEHAVIOUR)
    write_data(faults_of(plan, played.conducts), folder / FAULTS)
    links = []
    for outcome in played.outcomes:
        for row, replay in outcome.replays:
            links.append(
                ReplayLink(
                    replay_path(folder, outcome.block, row),
                    int(outcome.deals[row]),
                    replay.players,
                    replay.final.scores,
                )
            )
    return write_page(summary, folder, links)


def write_data(data: Any, path: Path) -> None:
    """Write plain data, whole or not at all; AgentError if it cannot be written."""
    try:
        write_json(data, path)
    except OSError as error:
        raise AgentError(f"output {path}: cannot be written: {error.strerror or error}") from None


def faults_of(plan: Plan, conducts: list[Conduct]) -> list[dict[str, Any]]:
    """The first fault of each agent that has any, with the observation that caused it, by named parts, and the actions that were legal."""
    found = []
    for name, conduct in zip(plan.names, conducts, strict=True):
        if conduct.first is not None:
            first, layout = conduct.first, plan.game.layout
            shown = first.observation.size > 0  # nothing was shown yet to one that could not be reset
            observation = {part: layout.read(first.observation, part).tolist() for part in layout} if shown else None
            legal = [plan.game.actions[action].name for action in np.flatnonzero(first.mask)]
            counts = {"faults": conduct.faults, "unasked": conduct.unasked}
            found.append(
                {
                    "agent": name,
                    **counts,
                    "first": first.message,
                    "seat": first.seat,
                    "legal": legal,
                    "observation": observation,
                }
            )
    return found


def _conduct_facts(conduct: Conduct) -> dict[str, Any]:
    first = conduct.first.message if conduct.first is not None else None
    each = conduct.seconds / conduct.decisions if conduct.decisions else None
    return {
        "forfeits": {**conduct.faults, "unasked": conduct.unasked, "first": first},
        "decisions": conduct.decisions,
        "seconds_per_decision": each,
    }
