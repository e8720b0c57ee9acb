"""Title and result of the page, and how the games were played: what a reader needs to judge and to repeat them."""

from collections.abc import Mapping
from textwrap import shorten
from typing import Any

from w51_env.engine.errors import W51Error
from w51_env.engine.registry import make_game, registered_games
from w51_lab.report.table import Section
from w51_lab.report.values import compared, interval, known, number, ordered, percent, seconds, undecided

_SEATINGS = {
    "permutations": "each deal in every order of the agents",
    "rotations": "each deal once for each rotation of the agents around the table",
}
_MAX_VALUE = 100


def title(summary: Mapping[str, Any]) -> str:
    """The game and the number of agents."""
    agents = len(summary["agents"])
    return f"Arena of {summary['game']}: {agents} agent{'s' if agents > 1 else ''}, {summary['players']} players"


def result(summary: Mapping[str, Any]) -> str:
    """The outcome in three sentences."""
    best = ordered(summary)[0]
    rate = best["win_rate"]
    within = f" ({summary['confidence']:.0%} interval {interval(rate, percent)})" if known(rate.get("low")) else ""
    deals = (summary.get("deals") or {}).get("count")
    on = f" on {deals:,} deals" if known(deals) else ""
    rival = next((pair for pair in compared(summary) if pair["first"] == best["name"]), None)
    tie = f" It is undecided whether it is better than {rival['second']}." if rival and undecided(rival) else ""
    return (
        f"{summary['games']:,} games{on}. {best['name']} has the highest win rate: {percent(rate['mean'])}{within}; "
        f"the equal share is {percent(summary['equal_share'])}.{tie} Each of k tied winners counts 1/k."
    )


def method(summary: Mapping[str, Any]) -> Section:
    """The facts of the games that the summary has."""
    deals = summary.get("deals") or {}
    stopped = summary.get("stopped")
    ended = "as planned" if "stopped" in summary else None
    if stopped:
        ended = f"early, after {stopped['deals']:,} of {stopped['of']:,} deals: {stopped['reason']}"
    facts = {
        "game": summary["game"],
        "players": str(summary["players"]),
        "options": _options(summary),
        "deals": _deals(deals),
        "digest of the deals": deals.get("digest"),
        "seatings": _SEATINGS.get(summary.get("seatings", ""), summary.get("seatings")),
        "line-ups": f"{len(summary['matches']):,}" if summary.get("matches") else None,
        "games": f"{summary['games']:,}",
        "ended": ended,
        "intervals": f"{summary['confidence']:.0%}, with deals as independent draws",
        "design effect": _design_effect((summary.get("design_effect") or {}).get("win_rate"), summary["games"]),
        "time": seconds(summary.get("seconds")) if known(summary.get("seconds")) else None,
        "versions": _versions(summary.get("versions") or {}),
    }
    return Section("method", "Method", facts=tuple((name, value) for name, value in facts.items() if value))


def _design_effect(effect: float | None, games: int) -> str | None:
    if not (known(effect) and effect > 0):
        return None
    return f"{number(effect)}: these {games:,} games are worth about {games / effect:,.0f} independent ones"


def _versions(versions: Mapping[str, Any]) -> str:
    """Names with their versions; a flag is its name if it is true."""
    shown = {name: version for name, version in versions.items() if version}
    return ", ".join(
        name.replace("_", " ") if version is True else f"{name} {version}" for name, version in shown.items()
    )


def _deals(deals: Mapping[str, Any]) -> str:
    name = str(deals.get("name") or "")
    named = name if not name or name.startswith("seed ") else f"deal set {name}"
    counted = f"{deals['count']:,}" if known(deals.get("count")) else ""
    return ", ".join(filter(None, (counted, named)))


def _options(summary: Mapping[str, Any]) -> str | None:
    """The options that differ from the game's defaults; all options, if the game is not registered here."""
    options = {name: value for name, value in (summary.get("options") or {}).items() if name != "num_players"}
    usual: Mapping[str, Any] = {}
    if summary["game"] in registered_games():
        try:
            usual = make_game(summary["game"], num_players=summary["players"]).options
        except W51Error:  # the game may have changed since
            usual = {}
    changed = {name: value for name, value in options.items() if name not in usual or usual[name] != value}
    written = ", ".join(f"{name} = {shorten(str(value), _MAX_VALUE)}" for name, value in changed.items())
    return written or ("the defaults" if "options" in summary else None)
