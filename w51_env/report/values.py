"""Numbers of a summary as texts of the page; an unknown number is a dash."""

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
