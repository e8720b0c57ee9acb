"""Results as records: read by attribute, so that mypy knows every name, and written as JSON, where null is unknown."""

import math
from typing import Protocol, Self

from pydantic import BaseModel, ConfigDict

from w51_lab.statistics.estimates import Interval


class Record(BaseModel):
    """Part of a result. No field has a default: what a result has is filled where it is made, or None is said there."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Named(Protocol):
    """What has a name."""

    @property
    def name(self) -> str: ...


class Estimate(Record):
    """A mean with the ends of its 95 % interval; an unknown end is None."""

    mean: float
    low: float | None
    high: float | None

    @classmethod
    def of(cls, interval: Interval) -> Self:
        """The record of an interval."""
        return cls(mean=float(interval.mean), low=finite(interval.low), high=finite(interval.high))

    @property
    def ends(self) -> tuple[float, float]:
        """Low and high; the mean in place of an unknown end."""
        return self.mean if self.low is None else self.low, self.mean if self.high is None else self.high

    def __neg__(self) -> "Estimate":
        low, high = (None if end is None else -end for end in (self.high, self.low))
        return Estimate(mean=-self.mean, low=low, high=high)


def finite(value: float) -> float | None:
    """A number; None if it is unknown."""
    return float(value) if math.isfinite(value) else None
