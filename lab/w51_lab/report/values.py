"""Numbers of a summary as texts of the page; an unknown one is a dash."""

import math
from collections.abc import Callable
from typing import Any, TypeGuard

from w51_lab.statistics.records import Estimate

Keywords = dict[str, Any]  # of Matplotlib and rich, each of another type: what several calls share
ABSENT = "\N{EN DASH}"
NO_BREAK = "\N{NO-BREAK SPACE}"
_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"))


def result_of(decides: str) -> str:
    """What agents are compared by, in words."""
    return {"win": "win rate", "payoff": "mean score"}.get(decides, "mean rank")


def result_text(decides: str) -> Callable[[float | None], str]:
    """How a result is written, of what agents are compared by."""
    return percent if decides == "win" else number


def difference_of(decides: str) -> str:
    """What the differences of two agents are of."""
    return {"win": "of the win rates, in percentage points", "payoff": "of the mean scores"}.get(
        decides, "of the ranks"
    )


def known(value: float | None) -> TypeGuard[float]:
    """Whether this is a finite number."""
    return value is not None and math.isfinite(value)


def percent(value: float | None) -> str:
    return f"{value:.1%}" if known(value) else ABSENT


def points(value: float | None) -> str:
    """A difference of rates in percentage points, with its sign."""
    return signed(100 * value, 1) if known(value) else ABSENT


def number(value: float | None, digits: int = 2) -> str:
    return _minus(f"{value:,.{digits}f}") if known(value) else ABSENT


def signed(value: float | None, digits: int = 2) -> str:
    """A number with a plus or a minus, or without a sign if it rounds to zero."""
    if not known(value):
        return ABSENT
    return _minus(f"{value:+,.{digits}f}") if round(value, digits) else f"{0:.{digits}f}"


def count(value: int | None) -> str:
    return ABSENT if value is None else f"{value:,}"


def seconds(value: float | None) -> str:
    """A time in seconds, milliseconds or microseconds, with three significant digits."""
    if not known(value):
        return ABSENT
    size, unit = next(((size, unit) for size, unit in _UNITS if value >= size), _UNITS[-1])
    return f"{value / size:,.3g} {unit}" if value < 1000 else f"{value:,.0f} s"


def interval(value: Estimate | None, write: Callable[[float], str]) -> str:
    """Low to high, each written by `write`."""
    if value is None or value.low is None or value.high is None:
        return ABSENT
    return f"{write(value.low)} to {write(value.high)}"


def with_interval(value: Estimate | None, digits: int = 2) -> str:
    """The mean with its interval, `3.98 (2.32 to 12.02)`; intervals need not be symmetric."""
    if value is None:
        return ABSENT
    mean, between = number(value.mean, digits), interval(value, lambda end: number(end, digits))
    return mean if between == ABSENT else f"{mean} ({between.replace(' ', NO_BREAK)})"


def _minus(text: str) -> str:
    """With a minus sign that is as wide as a plus."""
    return text.replace("-", "\N{MINUS SIGN}")
