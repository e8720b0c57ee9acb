"""Entries as tables: a leaderboard for each track."""

from collections.abc import Sequence
from statistics import mean
from typing import Any

from w51_env.benchmark.entry import AgentRun, Entry
from w51_env.benchmark.protocol import EVERY, EXACT, EXACT_TITLE, LANGUAGE
from w51_env.benchmark.results import over_runs

_HEADER = ("agent", "strength", "weakest against", "ms a decision", "heuristic's help")
_USAGE = "questions, tokens, cost, invalid"
_AGAINST = ("agent", "against", "alone", "reverse", "margin")
_MIN_SHOWN = 0.01  # milliseconds; bots decide within the engine


def track_tables(entries: Sequence[Entry]) -> dict[str, str]:
    """A Markdown section for each track that an entry has, the strongest first; that of exact exploitability last."""
    found = {}
    for name, track in EVERY.items():
        rows = [(entry, [run for run in entry.runs if name in run.tracks]) for entry in entries]
        rows = [(entry, runs) for entry, runs in rows if runs]
        if rows:
            rows.sort(key=lambda row: -_strength(row[1], name)["mean"])
            header = (*_HEADER, _USAGE) if name == LANGUAGE else _HEADER
            summary = _table(header, [_row(entry, runs, name) for entry, runs in rows])
            against = _table(_AGAINST, [line for entry, runs in rows for line in _against(entry, runs, name)])
            found[name] = f"## {track.title}\n\n{summary}\n\n{against}"
    exact = [(entry, run.exact) for entry in entries for run in entry.runs if run.exact is not None]
    if known := sorted((one.points, entry.name) for entry, one in exact if one.points is not None):
        lines = [(name, f"{points:.2f}") for points, name in known]
        found[EXACT] = f"## {EXACT_TITLE}\n\n{_table(('agent', 'points'), lines)}"
    return found


def points(entries: Sequence[Entry], track: str) -> list[tuple[str, float, float, float, float]]:
    """Name, milliseconds a decision, strength and its interval of each entry in a track, for a figure."""
    found = []
    for entry in entries:
        if runs := [run for run in entry.runs if track in run.tracks]:
            own = _strength(runs, track)
            found.append((entry.name, _milliseconds(runs, track), own["mean"], own["low"], own["high"]))
    return found


def _row(entry: Entry, runs: Sequence[AgentRun], track: str) -> tuple[str, ...]:
    figures = [run.tracks[track].figures for run in runs]
    weakest = min(figures[0]["members"], key=lambda name: _mean(figures, name, "strength"))
    helped = {True: "yes", False: "no", None: "not said"}[entry.about.uses_heuristic]
    milliseconds = _milliseconds(runs, track)
    row = (
        _name(entry, runs),
        _text(_strength(runs, track)),
        f"{weakest}: {_mean(figures, weakest, 'strength'):.2f}",
        f"{milliseconds:.2g}" if milliseconds >= _MIN_SHOWN else f"< {_MIN_SHOWN}",
        helped,
    )
    return (*row, _usage(runs, track)) if track == LANGUAGE else row


def _against(entry: Entry, runs: Sequence[AgentRun], track: str) -> list[tuple[str, ...]]:
    """A row for each opponent."""
    figures = [run.tracks[track].figures["members"] for run in runs]
    return [
        (_name(entry, runs), name, *(_text(_over([one[name][which] for one in figures])) for which in _AGAINST[2:]))
        for name in figures[0]
    ]


def _name(entry: Entry, runs: Sequence[AgentRun]) -> str:
    return entry.name + (f" ({len(runs)} seeds)" if len(runs) > 1 else "") + (" (quick)" if entry.quick else "")


def _strength(runs: Sequence[AgentRun], track: str) -> dict[str, float]:
    return _over([run.tracks[track].figures["strength"] for run in runs])


def _over(values: Sequence[dict[str, float]]) -> dict[str, float]:
    """A figure with its interval: over deals for one agent, the interquartile mean over seeds for several."""
    return values[0] if len(values) == 1 else over_runs([value["mean"] for value in values])


def _mean(figures: Sequence[dict[str, Any]], member: str, which: str) -> float:
    return mean(one["members"][member][which]["mean"] for one in figures)


def _milliseconds(runs: Sequence[AgentRun], track: str) -> float:
    matches = [match for run in runs for played in run.tracks[track].settings for match in played.matches]
    return sum(one.milliseconds * one.decisions for one in matches) / max(1, sum(one.decisions for one in matches))


def _usage(runs: Sequence[AgentRun], track: str) -> str:
    matches = [match for run in runs for played in run.tracks[track].settings for match in played.matches]
    total = {key: sum(one.usage.get(key, 0) for one in matches) for key in ("questions", "cost")}
    tokens = sum(one.usage.get(key, 0) for one in matches for key in ("input_tokens", "output_tokens"))
    invalid = sum(one.forfeits * one.decisions for one in matches) / max(1, sum(one.decisions for one in matches))
    return f"{total['questions']:,.0f}, {tokens:,.0f}, {total['cost']:.2f}, {invalid:.1%}"


def _text(value: dict[str, float]) -> str:
    return f"{value['mean']:.2f} [{value['low']:.2f}, {value['high']:.2f}]"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |" for line in lines)
