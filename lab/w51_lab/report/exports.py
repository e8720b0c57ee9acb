"""Tables as files for papers and spreadsheets: CSV, Markdown, LaTeX. All text of them is escaped here."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from w51_agents.agent import AgentError
from w51_agents.console.terminal import printable
from w51_agents.system.files import csv_table, write_atomic
from w51_lab.report.sentences import caption
from w51_lab.report.values import ordered

CSV, MARKDOWN, LATEX = _FORMS = (".csv", ".md", ".tex")
_WORDY = {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"}
_LATEX = str.maketrans({**{sign: f"\\{sign}" for sign in "&%$#_{}"}, **_WORDY})
# What acts in a line of Markdown: signs that always act; underscores at the edge of a word; the end of a link's text.
_SIGNS = re.compile(r"[\\`*|~${}]|(?<![^\W_])_|_(?![^\W_])|\](?=[(\[:])")
_HTML = re.compile(r"<(?=[A-Za-z!/?])|&(?=#?\w+;)")
_ENTITIES = {"<": "&lt;", "&": "&amp;"}
_COLUMNS = ("agent", "games", "win_rate", "win_rate_low", "win_rate_high", "score", "score_low", "score_high", "rank")
_HEADS = ("agent", "games", "win rate", "score", "rank")
_ENDS = ("mean", "low", "high")


def check_table(path: Path) -> None:
    """AgentError unless a table can be written in the form that the suffix names."""
    if path.suffix not in _FORMS:
        raise AgentError(f"--table {path}: {path.suffix!r}, but allowed are {', '.join(_FORMS)}")


def write_table(summary: dict[str, Any], path: Path) -> None:
    """Write a row for each agent of a summary, the best first, in the form that the suffix of the file names."""
    agents = ordered(summary)
    if path.suffix == CSV:
        means = [[agent[key][end] for key in ("win_rate", "score") for end in _ENDS] for agent in agents]
        rows = [
            (printable(agent["name"]), agent["games"], *values, agent["rank"]["mean"])
            for agent, values in zip(agents, means, strict=True)
        ]
        write_text(csv_table(_COLUMNS, rows), path)
        return
    cells = [
        (
            agent["name"],
            f"{agent['games']:,}",
            "{:.1f} % ({:.1f} to {:.1f})".format(*(100 * agent["win_rate"][end] for end in _ENDS)),
            "{:.2f} ({:.2f} to {:.2f})".format(*(agent["score"][end] for end in _ENDS)),
            f"{agent['rank']['mean']:.2f}",
        )
        for agent in agents
    ]
    if path.suffix == LATEX:
        write_text(latex_table(_HEADS, cells, caption(summary)), path)
    else:
        write_text(f"{markdown_table(_HEADS, cells, '---:')}\n\n{markdown_text(caption(summary))}\n", path)


def write_text(text: str, path: Path) -> None:
    """Write a file, atomically."""
    write_atomic(path, lambda place: place.write_text(text, "utf-8"))


class Link(NamedTuple):
    """A link in a table; the address is one of `http` or `https` without brackets and spaces."""

    text: str
    address: str


def markdown_table(heads: Sequence[str], rows: Sequence[Sequence[str | Link]], rule: str = "---") -> str:
    """A table in Markdown; `rule` is that of all columns but the first."""
    rules = ["---", *[rule] * (len(heads) - 1)]
    lines = [heads, rules, *([_markdown_cell(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _markdown_cell(cell: str | Link) -> str:
    return f"[{markdown_text(cell.text)}]({cell.address})" if isinstance(cell, Link) else markdown_text(cell)


def markdown_text(text: str) -> str:
    """A text as a line of Markdown that has no markup, no HTML and no comment."""
    line = printable(" ".join(text.splitlines()))
    return _HTML.sub(lambda found: _ENTITIES[found[0]], _SIGNS.sub(r"\\\g<0>", line))


def latex_text(text: str) -> str:
    """A text as a line of LaTeX, its signs escaped."""
    return printable(" ".join(text.splitlines())).translate(_LATEX)


def latex_table(heads: Sequence[str], rows: Sequence[Sequence[str]], note: str) -> str:
    """A `tabular` with the rules of booktabs: the first column left, numbers right, and a comment above."""
    body = [" & ".join(map(latex_text, row)) + r" \\" for row in (heads, *rows)]
    begin, end = rf"\begin{{tabular}}{{l{'r' * (len(heads) - 1)}}}", r"\end{tabular}"
    return "\n".join(
        [f"% {latex_text(note)}", begin, r"\toprule", body[0], r"\midrule", *body[1:], r"\bottomrule", end, ""]
    )
