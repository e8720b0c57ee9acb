"""Entries as tables: Markdown for each track of the leaderboard; CSV and LaTeX for papers."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from math import hypot
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

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
from w51_lab.benchmark.sizes import mean_milliseconds
from w51_lab.benchmark.track_figures import over_runs
from w51_lab.report.exports import CSV, LATEX, latex_table, markdown_table, write_text
from w51_lab.report.result_table import Column, tables_of

MAX_FORFEITS = 0.01  # of an entry that has a place: what is drawn at random is not the agent's
MIN_MILLISECONDS = 0.01  # bots decide within the engine
_HELPED = {True: "yes", False: "no", None: "not said"}
_CSV = ("track", "agent", "size", "seeds", "opponent", "figure", "mean", "low", "high")
_PANEL = "panel"


class Line(NamedTuple):
    """The agents of an entry in a track, and the place of the entry."""

    entry: BenchmarkEntry
    runs: Sequence[AgentRun]
    track: str
    place: str = ""

    @property
    def figures(self) -> list[dict[str, Any]]:
        """The figures of each agent."""
        return [run.tracks[self.track].figures for run in self.runs]


def lines_of(entries: Sequence[BenchmarkEntry], track: str) -> list[Line]:
    """The entries in a track: the strongest is first; those without a place follow."""
    runs_of = [(entry, [run for run in entry.runs if track in run.tracks]) for entry in entries]
    lines = [Line(entry, runs, track) for entry, runs in runs_of if runs]
    lines.sort(key=lambda line: (why_unplaced(line), -strength_of(line.runs, track)["mean"]))
    places = places_of([strength_of(line.runs, track) for line in lines if not why_unplaced(line)])
    places += [why_unplaced(line) for line in lines[len(places) :]]
    return [line._replace(place=place) for line, place in zip(lines, places, strict=True)]


def why_unplaced(line: Line) -> str:
    """Why an entry has no place in a track; empty if it has one."""
    return "forfeits" if forfeits_of(line) > MAX_FORFEITS else "quick" if line.entry.size == QUICK else ""


def forfeits_of(line: Line) -> float:
    """The part of the decisions of the agents that were drawn at random, mean over their matches."""
    settings = [played for run in line.runs for played in run.tracks[line.track].settings]
    return mean(match.forfeits for played in settings for match in played.matches)


def track_tables(entries: Sequence[BenchmarkEntry]) -> dict[str, str]:
    """A Markdown section for each track that an entry has, with the single opponents last, and one for mini games."""
    sections = {}
    for name, track in EVERY.items():
        if lines := lines_of(entries, name):
            columns = [*_NAMES, *_MEASURED, _HELP, *(_USAGE if name == LANGUAGE else ())]
            opponents = [(line, opponent) for line in lines for opponent in line.figures[0]["members"]]
            tables = tables_of((track.title, lines, columns, ""), (track.title, opponents, _AGAINST, ""))
            sections[name] = "\n\n".join([f"## {track.title}", *map(markdown_table, tables)])
    if known := sorted(row for entry in entries for run in entry.runs if (row := _exact_row(entry, run)) is not None):
        columns = _columns(lambda row: row[1], ("entry", *EXACT_GAMES))
        tables = tables_of((EXACT_TITLE, known, columns, ""))
        sections[EXACT] = "\n\n".join([f"## {EXACT_TITLE}", *map(markdown_table, tables)])
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


def _deals(line: Line) -> str:
    """Number of deals of each game."""
    settings = line.runs[0].tracks[line.track].settings
    count = settings[0].matches[0].deals["count"]
    return str(count) if len(settings) == 1 else f"{len(settings)} x {count}"


def _held_out(line: Line) -> str:
    """Strength among the styles that are held out; without a claim if the entry met one of them in training."""
    if met := [name for name in line.entry.about.met if name in HELD_OUT_STYLES]:
        return f"met {', '.join(met)}"
    values = [one["held_out"] for one in line.figures]
    return "" if None in values else _text(interval_of(values))


def _adaptation(line: Line) -> str:
    """What the agents gain in the second half of the lots over the first; empty where nothing can be learned."""
    values = [one["adaptation"] for one in line.figures]
    return "" if None in values else _text(interval_of(values))


def _weakest(line: Line) -> str:
    """The opponent against which the agents are weakest, and their strength."""
    members = [one["members"] for one in line.figures]
    means = {name: mean(one[name]["strength"]["mean"] for one in members) for name in members[0]}
    weakest = min(means, key=lambda name: means[name])
    return f"{weakest}: {means[weakest]:.2f}"


def _milliseconds(line: Line) -> str:
    milliseconds = mean_milliseconds(line.runs, line.track)
    return f"{milliseconds:.2g}" if milliseconds >= MIN_MILLISECONDS else f"< {MIN_MILLISECONDS}"


def _usage(line: Line) -> tuple[str, ...]:
    """Model and prompts, questions, tokens, cost, and the fraction of answers that were invalid."""
    matches = [match for run in line.runs for played in run.tracks[line.track].settings for match in played.matches]
    used = Counter(dict.fromkeys(("questions", "cost", "input_tokens", "output_tokens"), 0.0))
    for match in matches:
        used.update(match.usage)
    decisions = sum(one.decisions for one in matches)
    forfeited = sum(one.forfeits * one.decisions for one in matches)
    invalid = max(0.0, used["questions"] - (decisions - forfeited))  # each decision that was made has one valid answer
    models = dict.fromkeys(f"{one.model['model']}, {one.model['prompts']}" for one in matches if one.model)
    return (
        "; ".join(models),
        f"{used['questions']:,.0f}",
        f"{used['input_tokens'] + used['output_tokens']:,.0f}",
        f"{used['cost']:.2f}",
        f"{invalid / max(1, used['questions']):.1%}",
    )


def _columns(cells: Callable[[Any], Sequence[str]], titles: Sequence[str]) -> list[Column]:
    """The columns of a function that makes the cells of all of them."""

    def column(index: int, title: str) -> Column:
        return title, "", lambda row: cells(row)[index]

    return [column(index, title) for index, title in enumerate(titles)]


def _against(which: str, title: str = "") -> Column:
    """A figure of the agents of a line and an opponent."""

    def cell(row: tuple[Line, str]) -> str:
        line, opponent = row
        return _text(interval_of([one["members"][opponent][which] for one in line.figures]))

    return title or which, "", cell


def _text(value: dict[str, float]) -> str:
    return f"{value['mean']:.2f} [{value['low']:.2f}, {value['high']:.2f}]"


_NAMES: tuple[Column, ...] = (
    ("place", "", lambda line: line.place),
    ("entry", "", lambda line: name_of(line.entry, line.runs)),
    ("agent", "", lambda line: agents_of(line.runs)),
)
_MEASURED: tuple[Column, ...] = (
    ("strength", "", lambda line: _text(strength_of(line.runs, line.track))),
    ("deals", "", _deals),
    ("held-out styles", "", _held_out),
    ("weakest against", "", _weakest),
    ("adaptation", "", _adaptation),
    ("ms a decision", "", _milliseconds),
    ("forfeits", "", lambda line: f"{forfeits_of(line):.1%}"),
)
_HELP: Column = ("heuristic's help", "", lambda line: _HELPED[line.entry.about.uses_heuristic])
_USAGE = _columns(_usage, ("model, prompts", "questions", "tokens", "cost", "invalid answers"))
_AGAINST: tuple[Column, ...] = (
    ("entry", "", lambda row: name_of(row[0].entry, row[0].runs)),
    ("against", "", lambda row: row[1]),
    *map(_against, ("alone", "reverse", "margin")),
    _against("first", "gain, first half"),
    _against("second", "gain, second half"),
)


def write_entry_table(entry: BenchmarkEntry, path: Path) -> None:
    """Write the figures in the form that the suffix of the file names, as `report.exports.check_table` allows.

    A CSV file has a row for each figure and opponent; `panel` stands for all opponents together. LaTeX has a row for
    each track, Markdown the tables of the leaderboard.
    """
    lines = [line for track in EVERY for line in lines_of([entry], track)]
    if path.suffix == CSV:
        text = csv_table(_CSV, (row for line in lines for row in _figures(line)))
    elif path.suffix == LATEX:
        quick = " Quick: few deals, wide intervals." if entry.size == QUICK else ""
        note = f"{entry.name} in {PROTOCOL}, in multiples of the equal share, with 95% intervals.{quick}"
        title: Column = ("track", "", lambda line: EVERY[line.track].title)
        text = "\n".join(map(latex_table, tables_of((entry.name, lines, (title, *_MEASURED), note))))
    else:
        text = "\n\n".join(track_tables([entry]).values()) + "\n"
    write_text(text, path)


def _figures(line: Line) -> Iterator[tuple[object, ...]]:
    """The rows of a CSV file."""
    start, figures = (line.track, line.entry.name, line.entry.size, len(line.runs)), line.figures
    yield (*start, _PANEL, "forfeits", *3 * (forfeits_of(line),))
    for which in ("strength", "held_out", "adaptation"):
        if figures[0][which] is not None:
            yield (*start, _PANEL, which, *interval_of([one[which] for one in figures]).values())
    for opponent in figures[0]["members"]:
        members = [one["members"][opponent] for one in figures]
        for which in members[0]:
            yield (*start, opponent, which, *interval_of([one[which] for one in members]).values())
