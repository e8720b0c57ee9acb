"""Entries as tables: Markdown for each track of the leaderboard; CSV and LaTeX for papers."""

from collections.abc import Iterator, Sequence
from math import hypot
from pathlib import Path
from statistics import mean
from typing import Any

from w51_agents.system.files import csv_table
from w51_lab.benchmark.entry import AgentRun, BenchmarkEntry
from w51_lab.benchmark.protocol import (
    EVERY,
    EXACT,
    EXACT_GAMES,
    EXACT_TITLE,
    HELD_OUT_STYLES,
    LANGUAGE,
    PROTOCOL,
    QUICK,
)
from w51_lab.benchmark.results import over_runs
from w51_lab.benchmark.sizes import mean_milliseconds
from w51_lab.report.exports import CSV, LATEX, latex_table, markdown_table, write_text

MEASURED = ("strength", "deals", "held-out styles", "weakest against", "ms a decision")
_HEADER = ("place", "entry", "agent", *MEASURED, "heuristic's help")
_LANGUAGE_HEADER = (*_HEADER, "model, prompts", "questions", "tokens", "cost", "invalid answers", "forfeits")
_AGAINST = ("entry", "against", "alone", "reverse", "margin")
MIN_MILLISECONDS = 0.01  # bots decide within the engine
_HELPED = {True: "yes", False: "no", None: "not said"}
_COLUMNS = ("track", "agent", "size", "seeds", "opponent", "figure", "mean", "low", "high")
_PANEL = "panel"


def track_tables(entries: Sequence[BenchmarkEntry]) -> dict[str, str]:
    """A Markdown section for each track that an entry has, with the single opponents last, and one for mini games.

    The strongest entry is first; quick ones follow, without a place.
    """
    sections = {}
    for name, track in EVERY.items():
        rows = [(entry, [run for run in entry.runs if name in run.tracks]) for entry in entries]
        rows = [(entry, runs) for entry, runs in rows if runs]
        if rows:
            rows.sort(key=lambda row: (row[0].size == QUICK, -strength_of(row[1], name)["mean"]))
            header = _LANGUAGE_HEADER if name == LANGUAGE else _HEADER
            places = places_of([strength_of(runs, name) for entry, runs in rows if entry.size != QUICK])
            places += ["quick"] * (len(rows) - len(places))
            lines = [(place, *row_of(*row, name)) for place, row in zip(places, rows, strict=True)]
            against = markdown_table(_AGAINST, [line for entry, runs in rows for line in _against(entry, runs, name)])
            sections[name] = f"## {track.title}\n\n{markdown_table(header, lines)}\n\n{against}"
    if known := sorted(row for entry in entries for run in entry.runs if (row := _exact_row(entry, run)) is not None):
        sections[EXACT] = (
            f"## {EXACT_TITLE}\n\n{markdown_table(('entry', *EXACT_GAMES), [cells for _, cells in known])}"
        )
    return sections


def _exact_row(entry: BenchmarkEntry, run: AgentRun) -> tuple[float, tuple[str, ...]] | None:
    """The points of an agent in the first mini game, and its row; None if they are not known."""
    points = [run.exact[name].points if name in run.exact else None for name in EXACT_GAMES]
    if points[0] is None:
        return None
    name = entry.name if len(entry.runs) == 1 else f"{entry.name}, {run.agent}"
    return points[0], (name, *("" if one is None else f"{one:.2f}" for one in points))


def places_of(strengths: Sequence[dict[str, float]]) -> list[str]:
    """The places that the intervals leave open for each entry, from 1, such as `2 to 4`.

    Entries whose intervals lie wholly above another are before it, those wholly below after it.
    """
    places = []
    for strength in strengths:
        first = 1 + sum(other["low"] > strength["high"] for other in strengths)
        last = len(strengths) - sum(other["high"] < strength["low"] for other in strengths)
        places.append(str(first) if first == last else f"{first} to {last}")
    return places


def row_of(entry: BenchmarkEntry, runs: Sequence[AgentRun], track: str) -> tuple[str, ...]:
    """The cells of an entry in the table of a track, but its place."""
    figures = [run.tracks[track].figures for run in runs]
    weakest = min(figures[0]["members"], key=lambda name: _mean(figures, name, "strength"))
    milliseconds = mean_milliseconds(runs, track)
    row = (
        name_of(entry, runs),
        agents_of(runs),
        _text(strength_of(runs, track)),
        _deals(runs[0], track),
        _held_out(entry, figures),
        f"{weakest}: {_mean(figures, weakest, 'strength'):.2f}",
        f"{milliseconds:.2g}" if milliseconds >= MIN_MILLISECONDS else f"< {MIN_MILLISECONDS}",
        _HELPED[entry.about.uses_heuristic],
    )
    return (*row, *_usage(runs, track)) if track == LANGUAGE else row


def _deals(run: AgentRun, track: str) -> str:
    """Number of deals of each game."""
    settings = run.tracks[track].settings
    count = settings[0].matches[0].deals["count"]
    return str(count) if len(settings) == 1 else f"{len(settings)} x {count}"


def _held_out(entry: BenchmarkEntry, figures: Sequence[dict[str, Any]]) -> str:
    """Strength among the styles that are held out; without a claim if the entry met one of them in training."""
    if met := [name for name in entry.about.met if name in HELD_OUT_STYLES]:
        return f"met {', '.join(met)}"
    values = [one["held_out"] for one in figures]
    return "" if None in values else _text(interval_of(values))


def _against(entry: BenchmarkEntry, runs: Sequence[AgentRun], track: str) -> list[tuple[str, ...]]:
    """A row for each opponent."""
    figures = [run.tracks[track].figures["members"] for run in runs]
    return [
        (
            name_of(entry, runs),
            name,
            *(_text(interval_of([one[name][which] for one in figures])) for which in _AGAINST[2:]),
        )
        for name in figures[0]
    ]


def name_of(entry: BenchmarkEntry, runs: Sequence[AgentRun]) -> str:
    """The name of an entry, with the number of its seeds."""
    return entry.name + (f" ({len(runs)} seeds)" if len(runs) > 1 else "") + (" (quick)" if entry.size == QUICK else "")


def agents_of(runs: Sequence[AgentRun]) -> str:
    """The names of the agents themselves, which the author does not choose; of several seeds the first."""
    return runs[0].agent + (f" and {len(runs) - 1} more" if len(runs) > 1 else "")


def strength_of(runs: Sequence[AgentRun], track: str) -> dict[str, float]:
    """The strength of an entry in a track, with its interval."""
    return interval_of([run.tracks[track].figures["strength"] for run in runs])


def interval_of(values: Sequence[dict[str, float]]) -> dict[str, float]:
    """A figure with its interval: over deals for one agent; for several the interquartile mean over seeds.

    All seeds play the same deals, so the interval over seeds leaves out the chance of deals: each end is moved away by
    the mean distance of the single agents' ends, as independent errors add up, but not beyond the farthest of these.
    """
    if len(values) == 1:
        return values[0]
    interval = over_runs([value["mean"] for value in values])
    of_deals = {end: mean(abs(value[end] - value["mean"]) for value in values) for end in ("low", "high")}
    reach = {end: hypot(interval[end] - interval["mean"], of_deals[end]) for end in of_deals}
    low = max(interval["mean"] - reach["low"], min(value["low"] for value in values))
    high = min(interval["mean"] + reach["high"], max(value["high"] for value in values))
    return {"mean": interval["mean"], "low": low, "high": high}


def _mean(figures: Sequence[dict[str, Any]], member: str, which: str) -> float:
    return mean(one["members"][member][which]["mean"] for one in figures)


def _usage(runs: Sequence[AgentRun], track: str) -> tuple[str, ...]:
    """Model and prompts, questions, tokens, cost, fraction of answers that were invalid, and of decisions forfeited."""
    matches = [match for run in runs for played in run.tracks[track].settings for match in played.matches]
    questions, cost = (sum(one.usage.get(key, 0) for one in matches) for key in ("questions", "cost"))
    tokens = sum(one.usage.get(key, 0) for one in matches for key in ("input_tokens", "output_tokens"))
    decisions = sum(one.decisions for one in matches)
    forfeited = sum(one.forfeits * one.decisions for one in matches)
    invalid = max(0.0, questions - (decisions - forfeited))  # each decision that was made has one valid answer
    models = dict.fromkeys(f"{one.model['model']}, {one.model['prompts']}" for one in matches if one.model)
    return (
        "; ".join(models),
        f"{questions:,.0f}",
        f"{tokens:,.0f}",
        f"{cost:.2f}",
        f"{invalid / max(1, questions):.1%}",
        f"{forfeited / max(1, decisions):.1%}",
    )


def _text(value: dict[str, float]) -> str:
    return f"{value['mean']:.2f} [{value['low']:.2f}, {value['high']:.2f}]"


def write_entry_table(entry: BenchmarkEntry, path: Path) -> None:
    """Write the figures in the form that the suffix of the file names, as `report.exports.check_table` allows.

    A CSV file has a row for each figure and opponent; `panel` stands for all opponents together. LaTeX has a row for
    each track, Markdown the tables of the leaderboard.
    """
    if path.suffix == CSV:
        text = csv_table(_COLUMNS, _figures(entry))
    elif path.suffix == LATEX:
        text = _latex(entry)
    else:
        text = "\n\n".join(track_tables([entry]).values()) + "\n"
    write_text(text, path)


def _figures(entry: BenchmarkEntry) -> Iterator[tuple[object, ...]]:
    for track in EVERY:
        figures = [run.tracks[track].figures for run in entry.runs if track in run.tracks]
        start = (track, entry.name, entry.size, len(figures))
        for which in ("strength", "held_out") if figures else ():
            if figures[0][which] is not None:
                yield (*start, _PANEL, which, *interval_of([one[which] for one in figures]).values())
        for opponent in figures[0]["members"] if figures else ():
            members = [one["members"][opponent] for one in figures]
            for which in members[0]:
                yield (*start, opponent, which, *interval_of([one[which] for one in members]).values())


def _latex(entry: BenchmarkEntry) -> str:
    rows = []
    for track in EVERY:
        if runs := [run for run in entry.runs if track in run.tracks]:
            _, _, *cells = row_of(entry, runs, track)
            rows.append((EVERY[track].title, *cells[: len(MEASURED)]))
    quick = " Quick: few deals, wide intervals." if entry.size == QUICK else ""
    note = f"{entry.name} in {PROTOCOL}, in multiples of the equal share, with 95% intervals.{quick}"
    return latex_table(("track", *MEASURED), rows, note)
