"""The figures of an entry as a file for a paper or for pandas: CSV, Markdown, LaTeX."""

import csv
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

from w51_env.benchmark.entry import BenchmarkEntry
from w51_env.benchmark.leaderboard import MEASURED, interval_of, row_of, track_tables
from w51_env.benchmark.protocol import EVERY, PROTOCOL, QUICK
from w51_env.report.exports import CSV, LATEX, latex_table, latex_text
from w51_env.system.files import csv_text, write_atomic

_COLUMNS = ("track", "agent", "size", "seeds", "opponent", "figure", "mean", "low", "high")
_PANEL = "panel"


def write_entry_table(entry: BenchmarkEntry, path: Path) -> None:
    """Write the figures in the form that the suffix of the file names, as `report.exports.check_table` allows.

    A CSV file has a row for each figure and opponent; `panel` stands for all opponents together. LaTeX has a row for
    each track, Markdown the tables of the leaderboard.
    """
    if path.suffix == CSV:
        text = _csv(entry)
    elif path.suffix == LATEX:
        text = _latex(entry)
    else:
        text = "\n\n".join(track_tables([entry]).values()) + "\n"
    write_atomic(path, lambda place: place.write_text(text, "utf-8"))


def _csv(entry: BenchmarkEntry) -> str:
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    writer.writerows(_figures(entry))
    return text.getvalue()


def _figures(entry: BenchmarkEntry) -> Iterator[tuple[object, ...]]:
    for track in EVERY:
        figures = [run.tracks[track].figures for run in entry.runs if track in run.tracks]
        start = (track, csv_text(entry.name), entry.size, len(figures))
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
            _, *cells = row_of(entry, runs, track)
            rows.append([latex_text(cell) for cell in (EVERY[track].title, *cells[: len(MEASURED)])])
    quick = " Quick: few deals, wide intervals." if entry.size == QUICK else ""
    note = f"{latex_text(entry.name)} in {PROTOCOL}, in multiples of the equal share, with 95% intervals.{quick}"
    return latex_table(("track", *MEASURED), rows, note)
