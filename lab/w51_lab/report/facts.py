"""Title and result of the page, and how the games were played: what a reader needs to judge and to repeat them."""

from collections.abc import Mapping
from textwrap import shorten

from w51_env.engine.registry import make_game, registered_games
from w51_lab.report.models import Summary
from w51_lab.report.result_table import Section
from w51_lab.report.values import interval, number, percent, result_of, result_text, seconds

_SEATINGS = {
    "permutations": "each deal in every order of the agents",
    "rotations": "each deal once for each rotation of the agents around the table",
}
_PLAYERS, _MAX_VALUE = "num_players", 100


def title(summary: Summary) -> str:
    """The game and the number of agents."""
    agents = len(summary.agents)
    return f"Arena of {summary.game}: {agents} agent{'s' if agents > 1 else ''}, {summary.players} players"


def result(summary: Summary) -> str:
    """The outcome in three sentences."""
    best, equal_share = summary.ordered[0], percent(summary.equal_share)
    write, what = result_text(summary.decides), result_of(summary.decides)
    height = "lowest" if summary.decides == "rank" else "highest"
    found = best.result(summary.decides)
    within = f"{summary.confidence:.0%} interval {interval(found, write)}"
    rival = next((pair for pair in summary.compared if pair.first == best.name), None)
    tie = f" It is undecided whether it is better than {rival.second}." if rival and not rival.decided else ""
    first = f"{summary.games:,} games on {summary.deals.count:,} deals. {best.name} has the {height} {what}: "
    if summary.decides != "win":
        return f"{first}{write(found.mean)} ({within}).{tie}"
    share = f"the equal share of wins is {equal_share}.{tie} Each of k tied winners counts 1/k."
    return f"{first}{write(found.mean)} ({within}); {share}"


def method(summary: Summary) -> Section:
    """How the games were played."""
    deals, stopped = summary.deals, summary.stopped
    effect = summary.design_effect.score if summary.decides == "payoff" else summary.design_effect.win_rate
    named, games = deals.name, summary.games
    ended = f"early, after {stopped.deals:,} of {stopped.of:,} deals: {stopped.reason}" if stopped else ""
    worth = f"these {games:,} games are worth about {games / effect:,.0f} independent ones" if effect else ""
    facts = {
        "game": summary.game,
        "players": str(summary.players),
        "options": _options(summary),
        "deals": f"{deals.count:,}, {named if named.startswith('seed ') else f'deal set {named}'}",
        "digest of the deals": deals.digest,
        "seatings": _SEATINGS.get(summary.seatings, summary.seatings),
        "line-ups": f"{len(summary.matches):,}",
        "games": f"{games:,}",
        "ended": ended or "as planned",
        "intervals": f"{summary.confidence:.0%}, with deals as independent draws",
        "design effect": f"{number(effect)}: {worth}" if effect else "",
        "time": seconds(summary.seconds),
        "versions": _versions(summary.versions),
    }
    return Section("method", "Method", facts=tuple((name, value) for name, value in facts.items() if value))


def _versions(versions: Mapping[str, str | bool | None]) -> str:
    """Names with their versions; a flag is its name if it is true."""
    shown = {name: version for name, version in versions.items() if version}
    return ", ".join(
        name.replace("_", " ") if version is True else f"{name} {version}" for name, version in shown.items()
    )


def _options(summary: Summary) -> str:
    """The options that differ from the game's defaults; all options, if the game is not registered here."""
    game, options = summary.game, {name: value for name, value in summary.options.items() if name != _PLAYERS}
    usual = make_game(game, num_players=summary.players).options if game in registered_games() else {}
    changed = {name: value for name, value in options.items() if name not in usual or usual[name] != value}
    written = ", ".join(f"{name} = {shorten(str(value), _MAX_VALUE)}" for name, value in changed.items())
    return written or "the defaults"
