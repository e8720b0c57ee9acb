"""Parts of a summary: its agents and pairs in order, its numbers as texts of the page; an unknown one is a dash."""

import math
from collections.abc import Callable, Mapping
from typing import Any, TypeGuard

ABSENT = "\N{EN DASH}"
NO_BREAK = "\N{NO-BREAK SPACE}"
_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"))


def known(value: Any) -> TypeGuard[float]:
    """Whether this is a finite number."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def has_mean(value: Any) -> bool:
    """Whether this is {"mean", ...} with a number in it."""
    return isinstance(value, Mapping) and known(value.get("mean"))


def ends(value: Mapping[str, Any]) -> tuple[float, float]:
    """Low and high end of an interval; the mean in place of an unknown end."""
    low, high = value.get("low"), value.get("high")
    return float(low if known(low) else value["mean"]), float(high if known(high) else value["mean"])


def percent(value: Any) -> str:
    return f"{value:.1%}" if known(value) else ABSENT


def points(value: Any) -> str:
    """A difference of rates in percentage points, with its sign."""
    return signed(100 * value, 1) if known(value) else ABSENT


def number(value: Any, digits: int = 2) -> str:
    return _minus(f"{value:,.{digits}f}") if known(value) else ABSENT


def signed(value: Any, digits: int = 2) -> str:
    """A number with a plus or a minus, or without a sign if it rounds to zero."""
    if not known(value):
        return ABSENT
    return _minus(f"{value:+,.{digits}f}") if round(value, digits) else f"{0:.{digits}f}"


def count(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else ABSENT


def seconds(value: Any) -> str:
    """A time in seconds, milliseconds or microseconds, with three significant digits."""
    if not known(value):
        return ABSENT
    size, unit = next(((size, unit) for size, unit in _UNITS if value >= size), _UNITS[-1])
    return f"{value / size:,.3g} {unit}" if value < 1000 else f"{value:,.0f} s"


def interval(value: Any, write: Callable[[Any], str]) -> str:
    """Low to high, each written by `write`."""
    if not (has_mean(value) and known(value.get("low")) and known(value.get("high"))):
        return ABSENT
    return f"{write(value['low'])} to {write(value['high'])}"


def with_interval(value: Any, digits: int = 2) -> str:
    """The mean with its interval, `3.98 (2.32 to 12.02)`; intervals need not be symmetric."""
    if not has_mean(value):
        return ABSENT
    mean, between = number(value["mean"], digits), interval(value, lambda end: number(end, digits))
    return mean if between == ABSENT else f"{mean} ({between.replace(' ', NO_BREAK)})"


def _minus(text: str) -> str:
    """With a minus sign that is as wide as a plus."""
    return text.replace("-", "\N{MINUS SIGN}")


def deciding(summary: Mapping[str, Any]) -> str:
    """The key of what agents are compared by: `win_rate`, `rank` or `score`."""
    return {"rank": "rank", "payoff": "score"}.get(summary.get("decides", "win"), "win_rate")


def difference_of(key: str) -> str:
    """What the differences of two agents are of."""
    return {"win_rate": "of the win rates, in percentage points", "score": "of the mean scores"}.get(
        key, "of the ranks"
    )


def ordered(summary: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The agents, sorted by what decides, the best first."""
    key, sign = deciding(summary), 1 if deciding(summary) == "rank" else -1
    return sorted(summary["agents"], key=lambda agent: sign * agent[key]["mean"])


def compared(summary: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The pairs with a known difference, the better agent first, in the order of the standings."""
    order = {agent["name"]: index for index, agent in enumerate(ordered(summary))}
    pairs = [pair for pair in summary.get("pairs") or [] if has_mean(pair.get("win_rate"))]
    pairs = [pair if order[pair["first"]] < order[pair["second"]] else _swapped(pair) for pair in pairs]
    return sorted(pairs, key=lambda pair: (order[pair["first"]], order[pair["second"]]))


def _swapped(pair: Mapping[str, Any]) -> dict[str, Any]:
    """The pair in reverse order."""
    differences = {kind: _negative(pair[kind]) for kind in ("win_rate", "score", "rank") if has_mean(pair.get(kind))}
    return {**pair, **differences, "first": pair["second"], "second": pair["first"]}


def _negative(value: Mapping[str, Any]) -> dict[str, float | None]:
    low, high = value.get("low"), value.get("high")
    return {"mean": -value["mean"], "low": -high if known(high) else None, "high": -low if known(low) else None}


def undecided(pair: Mapping[str, Any]) -> bool:
    """Whether the sequential test has not decided which agent is better."""
    return not pair.get("decided")
