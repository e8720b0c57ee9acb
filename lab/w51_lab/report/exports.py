"""Tables as files for papers and spreadsheets: CSV, Markdown, LaTeX. All text of them is escaped here."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from w51_agents.agent import AgentError
from w51_agents.console.terminal import printable
from w51_agents.system.files import csv_table, write_atomic
from w51_lab.report.sentences import caption

CSV, MARKDOWN, LATEX = ".csv", ".md", ".tex"
_WORDY = {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"}
_LATEX = str.maketrans({**{sign: f"\\{sign}" for sign in "&%$#_{}"}, **_WORDY})
# What acts in a line of Markdown: signs that always act; underscores at the edge of a word; the end of a link's text.
_SIGNS = re.compile(r"[\\`*|~${}]|(?<![^\W_])_|_(?![^\W_])|\](?=[(\[:])")
_HTML = re.compile(r"<(?=[A-Za-z!/?])|&(?=#?\w+;)")
_ENTITIES = {"<": "&lt;", "&": "&amp;"}
_COLUMNS = ("agent", "games", "win_rate", "win_rate_low", "win_rate_high", "score", "score_low", "score_high", "rank")
_HEADS = ("agent", "games", "win rate", "score", "rank")


def check_table(path: Path) -> None:
    """AgentError unless a table can be written in the form that the suffix names."""
    if path.suffix not in _FORMS:
        raise AgentError(f"--table {path}: {path.suffix!r}, but allowed are {', '.join(_FORMS)}")


def write_table(summary: dict[str, Any], path: Path) -> None:
    """Write a row for each agent of a summary, the best first, in the form that the suffix of the file names."""
    text = _FORMS[path.suffix](summary)
    write_atomic(path, lambda place: place.write_text(text, "utf-8"))


def _rows(summary: dict[str, Any]) -> list[tuple[Any, ...]]:
    """The values of `_COLUMNS` for each agent."""
    agents = sorted(summary["agents"], key=lambda agent: -agent["win_rate"]["mean"])
    return [
        (
            printable(agent["name"]),
            agent["games"],
            *(agent["win_rate"][key] for key in ("mean", "low", "high")),
            *(agent["score"][key] for key in ("mean", "low", "high")),
            agent["rank"]["mean"],
        )
        for agent in agents
    ]


def _cells(row: Sequence[Any], percent: str, thousands: str = ",") -> list[str]:
    """The columns of `_HEADS` of a row, each number with its interval."""
    _, games, rate, low, high, score, score_low, score_high, rank = row
    return [
        f"{games:,}".replace(",", thousands),
        f"{100 * rate:.1f}{percent} ({100 * low:.1f} to {100 * high:.1f})",
        f"{score:.2f} ({score_low:.2f} to {score_high:.2f})",
        f"{rank:.2f}",
    ]


def _markdown(summary: dict[str, Any]) -> str:
    lines = ["| " + " | ".join(_HEADS) + " |", "| --- |" + " ---: |" * (len(_HEADS) - 1)]
    lines += [f"| {markdown_text(row[0])} | " + " | ".join(_cells(row, " %")) + " |" for row in _rows(summary)]
    return "\n".join([*lines, "", markdown_text(caption(summary)), ""])


class Link(NamedTuple):
    """A link in a table; the address is one of `http` or `https` without brackets and spaces."""

    text: str
    address: str


def markdown_table(heads: Sequence[str], rows: Sequence[Sequence[str | Link]]) -> str:
    """A table in Markdown."""
    lines = [heads, ["---"] * len(heads), *([_markdown_cell(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _markdown_cell(cell: str | Link) -> str:
    return f"[{markdown_text(cell.text)}]({cell.address})" if isinstance(cell, Link) else markdown_text(cell)


def markdown_text(text: str) -> str:
    """A text as a line of Markdown that has no markup, no HTML and no comment."""
    line = printable(" ".join(text.splitlines()))
    return _HTML.sub(lambda found: _ENTITIES[found[0]], _SIGNS.sub(r"\\\g<0>", line))


def _latex(summary: dict[str, Any]) -> str:
    rows = [[latex_text(row[0]), *_cells(row, r"\,\%", "{,}")] for row in _rows(summary)]
    return latex_table(_HEADS, rows, latex_text(caption(summary)))


def latex_text(text: str) -> str:
    """A text as a line of LaTeX, its signs escaped."""
    return printable(" ".join(text.splitlines())).translate(_LATEX)


def latex_table(heads: Sequence[str], rows: Sequence[Sequence[str]], note: str) -> str:
    """A `tabular` with the rules of booktabs: the first column left, numbers right, and a comment above."""
    body = [" & ".join(row) + r" \\" for row in rows]
    return "\n".join(
        [
            f"% {note}",
            r"\begin{tabular}{l" + "r" * (len(heads) - 1) + "}",
            r"\toprule",
            " & ".join(heads) + r" \\",
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )


_FORMS: dict[str, Callable[[dict[str, Any]], str]] = {
    CSV: lambda summary: csv_table(_COLUMNS, _rows(summary)),
    MARKDOWN: _markdown,
    LATEX: _latex,
}
