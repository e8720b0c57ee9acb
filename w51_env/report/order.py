"""The agents of a summary in the order of the standings, and their pairs."""

from collections.abc import Mapping
from typing import Any

from w51_env.report.values import has_mean, known


def ordered(summary: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The agents, sorted by win rate, the highest first."""
    return sorted(summary["agents"], key=lambda agent: -agent["win_rate"]["mean"])


def compared(summary: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The pairs with a known difference, the agent of the higher win rate first, in the order of the standings."""
    order = {agent["name"]: index for index, agent in enumerate(ordered(summary))}
    pairs = [pair for pair in summary.get("pairs") or [] if has_mean(pair.get("win_rate"))]
    pairs = [pair if order[pair["first"]] < order[pair["second"]] else _swapped(pair) for pair in pairs]
    return sorted(pairs, key=lambda pair: (order[pair["first"]], order[pair["second"]]))


def _swapped(pair: Mapping[str, Any]) -> dict[str, Any]:
    """The pair in reverse order."""
    differences = {kind: _negative(pair[kind]) for kind in ("win_rate", "score") if has_mean(pair.get(kind))}
    return {**pair, **differences, "first": pair["second"], "second": pair["first"]}


def _negative(value: Mapping[str, Any]) -> dict[str, float | None]:
    low, high = value.get("low"), value.get("high")
    return {"mean": -value["mean"], "low": -high if known(high) else None, "high": -low if known(low) else None}


def undecided(pair: Mapping[str, Any]) -> bool:
    """Whether the sequential test has not decided which agent is better."""
    return not pair.get("decided")
