"""How the games were made, in words: what a reader needs to judge the numbers, and to play them again."""

from collections.abc import Mapping
from textwrap import shorten
from typing import Any

from arena.page.sections import Section
from arena.page.strength import compared, open_question, ordered
from arena.page.values import interval, known, number, percent, seconds
from w51_env.core.errors import W51Error
from w51_env.core.registry import make_game, registered_games

_SEATINGS = {
    "permutations": "each deal in every order of the players",
    "rotations": "each deal once for each seat, all moved one seat on each time",
}
_LONGEST_VALUE = 100


def title(summary: Mapping[str, Any]) -> str:
    """What was played, and by how many agents."""
    agents = len(summary["agents"])
    return f"Arena of {summary['game']}: {agents} agent{'s' if agents > 1 else ''}, {summary['players']} at a table"


def result(summary: Mapping[str, Any]) -> str:
    """The outcome in a sentence or two."""
    best = ordered(summary)[0]
    share = best["win_rate"]
    within = interval(share, percent)
    known_within = f" ({summary['confidence']:.0%} interval {within})" if known(share.get("low")) else ""
    deals = (summary.get("deals") or {}).get("count")
    on = f" on {deals:,} deals" if known(deals) else ""
    rival = next((pair for pair in compared(summary) if pair["first"] == best["name"]), None)
    doubt = f" It is not settled that it is better than {rival['second']}." if rival and open_question(rival) else ""
    return (
        f"{summary['games']:,} games{on}. {best['name']} has the highest win rate: {percent(share['mean'])}{known_within} of "
        f"its games, where the equal share is {percent(summary['equal_share'])}.{doubt} Each of k tied winners counts 1/k."
    )


def how_it_was_made(summary: Mapping[str, Any]) -> Section:
    """The facts of the games; those that the summary does not tell are left out."""
    deals = summary.get("deals") or {}
    saving = (summary.get("saving") or {}).get("win_rate")
    stopped = summary.get("stopped")
    facts = {
        "game": summary["game"],
        "players": str(summary["players"]),
        "options": _options(summary),
        "deals": _deals(deals),
        "digest of the deals": deals.get("digest"),
        "seatings": _SEATINGS.get(summary.get("seatings", ""), summary.get("seatings")),
        "line-ups": f"{len(summary['matches']):,}" if summary.get("matches") else None,
        "games": f"{summary['games']:,}",
        "ended": f"early, after {stopped['deals']:,} of {stopped['of']:,} deals: {stopped['reason']}"
        if stopped
        else "as planned"
        if "stopped" in summary
        else None,
        "intervals": f"{summary['confidence']:.0%}, with deals as the independent draws",
        "saved by equal deals": f"as narrow an interval of the win rate would need {number(saving, 1)} times as many independent games"
        if known(saving)
        else None,
        "time": seconds(summary.get("seconds")) if known(summary.get("seconds")) else None,
        "versions": _versions(summary.get("versions") or {}),
    }
    return Section("method", "How it was made", facts=tuple((what, value) for what, value in facts.items() if value))


def _versions(versions: Mapping[str, Any]) -> str:
    """Names with their versions; what is true or not is told if it is true."""
    told = {
        name.replace("_", " ") if isinstance(version, bool) else name: version
        for name, version in versions.items()
        if version
    }
    return ", ".join(name if version is True else f"{name} {version}" for name, version in told.items())


def _deals(deals: Mapping[str, Any]) -> str:
    name = str(deals.get("name") or "")
    named = name if not name or name.startswith("seed ") else f"deal set {name}"
    counted = f"{deals['count']:,}" if known(deals.get("count")) else ""
    return ", ".join(filter(None, (counted, named)))


def _options(summary: Mapping[str, Any]) -> str | None:
    """Those that differ from the game's defaults; all of them, if the game is not known here."""
    options = {name: value for name, value in (summary.get("options") or {}).items() if name != "num_players"}
    usual: Mapping[str, Any] = {}
    if summary["game"] in registered_games():
        try:
            usual = make_game(summary["game"], num_players=summary["players"]).options
        except W51Error:  # the game may have changed since
            usual = {}
    changed = {name: value for name, value in options.items() if name not in usual or usual[name] != value}
    written = ", ".join(f"{name} = {shorten(str(value), _LONGEST_VALUE)}" for name, value in changed.items())
    return written or ("the defaults" if "options" in summary else None)
