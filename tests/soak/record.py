"""What the long proofs have in common: a time limit with a progress line, and the file of their latest figures."""

import json
import sys
import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from w51_agents.console.terminal import StatusLine
from w51_agents.named.versions import git
from w51_agents.system.files import write_json

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benchmarks" / "results" / "soak.json"
_SECONDS_BETWEEN_LINES = {True: 0.5, False: 30.0}  #  on a terminal, and where the output is no terminal


class ProofError(AssertionError):
    """What was to be proved is wrong; the message says how to see it again."""


class Budget:
    """A time limit, and a line that shows how far a proof is. A context.

    Args:
        title: Name of the proof.
        minutes: Time limit; None: no limit.
        total: What `done` counts up to.
        unit: What is counted.
    """

    def __init__(self, title: str, minutes: float | None, total: int, unit: str):
        self.title, self.total, self.unit = title, total, unit
        self.done = 0
        self._begun = self._shown = time.monotonic()
        self._limit = 60 * minutes if minutes is not None else float("inf")
        self._live = sys.stderr.isatty()
        self._line = StatusLine(sys.stderr)

    @property
    def seconds(self) -> float:
        """Elapsed time."""
        return time.monotonic() - self._begun

    @property
    def over(self) -> bool:
        """Whether everything is done or the time is up."""
        return self.done >= self.total or self.seconds >= self._limit

    def advance(self, count: int) -> None:
        """Count, and show it now and then."""
        self.done += count
        now = time.monotonic()
        if now - self._shown >= _SECONDS_BETWEEN_LINES[self._live]:
            self._shown = now
            if self._live:
                self._line.show(self.text())
            else:
                print(self.text(), file=sys.stderr, flush=True)

    def text(self) -> str:
        """The progress as text."""
        rate = self.done / max(self.seconds, 1e-9)
        left = min((self.total - self.done) / max(rate, 1e-9), self._limit - self.seconds)
        clock = timedelta(seconds=round(min(max(0.0, left), 1e8)))
        return f"{self.title}: {self.done:,} / {self.total:,} {self.unit}, {rate:,.1f}/s, {clock} left"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live:
            self._line.clear()


def record(proof: str, figures: Mapping[str, Any], seed: int, seconds: float) -> dict[str, Any]:
    """Write the figures of a proof into `RESULTS`, beside those of the others; returns what is written."""
    entry = {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "commit": commit(),
        "seed": seed,
        "seconds": round(seconds, 1),
        **figures,
    }
    found = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    write_json({**found, proof: entry}, RESULTS)
    return entry


def commit() -> str:
    """The commit of the sources, with a `+` if files differ from it."""
    name, changed = git("rev-parse", "--short", "HEAD"), git("status", "--porcelain", "--untracked-files=no")
    if name is None or changed is None:
        return "unknown"
    return name + "+" * any(not line.endswith(RESULTS.name) for line in changed.splitlines())
