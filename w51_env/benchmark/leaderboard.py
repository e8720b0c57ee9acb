"""Entries as tables: a leaderboard for each track."""

from collections.abc import Sequence
from statistics import mean
from typing import Any

from w51_env.benchmark.entry import AgentRun, Entry
from w51_env.benchmark.protocol import EVERY, EXACT_TITLE, LANGUAGE
from w51_env.benchmark.results import over_runs

_HEADER = ("agent", "strength", "weakest against", "alone", "reverse", "margin", "ms a decision", "heuristic's help")
_LEAST = 0.01  # milliseconds; bots decide within the engine


def track_tables(entries: Sequence[Entry]) -> dict[str, str]:
    """A Markdown section for each track that an entry has, the strongest first; that of exact exploitability last."""
    found = {}
    for name, track in EVERY.items():
        rows = [(entry, [run for run in entry.runs if name in run.tracks]) for entry in entries]
        rows = [(entry, runs) for entry, runs in rows if runs]
        if rows:
            rows.sort(key=lambda row: -_strength(row[1], name)["mean"])
            header = (*_HEADER, "questions, tokens, cost, invalid") if name == LANGUAGE else _HEADER
            lines = [_row(entry, runs, name) for entry, runs in rows]
            found[name] = f"### {track.title}\n\n{_table(header, lines)}"
    exact = [(entry, run.exact) for entry in entries for run in entry.runs if run.exact is not None]
    known = sorted((one.points, entry.name) for entry, one in exact if one.points is not None)
    if known:
        lines = [(name, f"{points:.2f}") for points, name in known]
        found["nano"] = f"### {EXACT_TITLE}\n\n{_table(('agent', 'points'), lines)}"
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
    weakest = min(
        figures[0]["members"], key=lambda name: mean(one["members"][name]["strength"]["mean"] for one in figures)
    )
    name = entry.name + (f" ({len(runs)} seeds)" if len(runs) > 1 else "") + (" (quick)" if entry.quick else "")
    helped = {True: "yes", False: "no", None: "not said"}[entry.about.uses_heuristic]
    cells = [_overall(figures, which) for which in ("alone", "reverse", "margin")]
    row = (name, _text(_strength(runs, track)), f"{weakest}: {_of(figures, weakest, 'strength'):.2f}", *cells)
    milliseconds = _milliseconds(runs, track)
    row = (*row, f"{milliseconds:.2g}" if milliseconds >= _LEAST else f"< {_LEAST}", helped)
    return (*row, _usage(runs, track)) if track == LANGUAGE else row


def _strength(runs: Sequence[AgentRun], track: str) -> dict[str, float]:
    """Strength with its interval: over deals for one agent, the interquartile mean over seeds for several."""
    values = [run.tracks[track].figures["strength"] for run in runs]
    return values[0] if len(values) == 1 else over_runs([value["mean"] for value in values])


def _overall(figures: Sequence[dict[str, Any]], which: str) -> str:
    """Of each opponent in a fixed order."""
    sign = "+" if which == "margin" else ""
    return " ".join(f"{_of(figures, name, which):{sign}.{1 if sign else 2}f}" for name in figures[0]["members"])


def _of(figures: Sequence[dict[str, Any]], member: str, which: str) -> float:
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
