"""What the long proofs have in common: a time limit with a progress line, and the file of their latest figures."""

import json
import sys
import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from w51_agents.named.versions import git
from w51_agents.system.files import write_json

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benchmarks" / "results" / "soak.json"
_SECONDS_BETWEEN_LINES = 10.0


class ProofError(AssertionError):
    """What was to be proved is wrong; the message says how to see it again."""


class Budget:
    """A time limit, and a line now and then on how far a proof is.

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

    @property
    def over(self) -> bool:
        """Whether everything is done or the time is up."""
        return self.done >= self.total or time.monotonic() - self._begun >= self._limit

    def advance(self, count: int) -> None:
        """Count, and show it now and then."""
        self.done += count
        now = time.monotonic()
        if now - self._shown < _SECONDS_BETWEEN_LINES:
            return
        self._shown, seconds = now, now - self._begun
        rate = self.done / max(seconds, 1e-9)
        left = min((self.total - self.done) / max(rate, 1e-9), self._limit - seconds)
        clock = timedelta(seconds=round(min(max(0.0, left), 1e8)))
        text = f"{self.title}: {self.done:,} / {self.total:,} {self.unit}, {rate:,.1f}/s, {clock} left"
        print(text, file=sys.stderr, flush=True)


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
