"""Tables as files for papers and spreadsheets: CSV, Markdown, LaTeX. All text of them is escaped here."""

import math
import re
from pathlib import Path

from w51_agents.agent.interface import AgentError
from w51_agents.console.terminal import printable
from w51_agents.system.files import csv_table, write_text
from w51_lab.report.model_columns import model_columns
from w51_lab.report.models import AgentSummary, Summary
from w51_lab.report.result_table import Cell, Column, ResultTable, filled_table, named
from w51_lab.report.sentences import caption
from w51_lab.report.values import NO_BREAK
from w51_lab.statistics.records import Estimate

CSV, MARKDOWN, LATEX = _FORMS = (".csv", ".md", ".tex")
_WORDY = {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"}
_LATEX = str.maketrans({**{sign: f"\\{sign}" for sign in "&%$#_{}"}, **_WORDY})
# What acts in a line of Markdown: signs that always act; underscores at the edge of a word; the end of a link's text.
_SIGNS = re.compile(r"[\\`*|~${}]|(?<![^\W_])_|_(?![^\W_])|\](?=[(\[:])")
_HTML = re.compile(r"<(?=[A-Za-z!/?])|&(?=#?\w+;)")
_ENTITIES = {"<": "&lt;", "&": "&amp;"}
_COLUMNS = ("agent", "games", "win_rate", "win_rate_low", "win_rate_high", "score", "score_low", "score_high", "rank")


def check_table(path: Path) -> None:
    """AgentError unless a table can be written in the form that the suffix names."""
    if path.suffix not in _FORMS:
        raise AgentError(f"--table {path}: {path.suffix!r}, but allowed are {', '.join(_FORMS)}")


def write_table(summary: Summary, path: Path) -> None:
    """Write a row for each agent of a summary, the best first, in the form that the suffix of the file names."""
    agents, more = summary.ordered, model_columns(summary)
    if path.suffix == CSV:
        rows = [
            (
                *(printable(one.name), one.games, *_ends(one.win_rate), *_ends(one.score)),
                *(one.rank.mean, *(column.value(one) for column in more)),
            )
            for one in agents
        ]
        write_text(csv_table((*_COLUMNS, *(column.name for column in more)), rows), path)
        return
    columns: list[Column[AgentSummary]] = [
        named(),
        Column("games", lambda agent: f"{agent.games:,}"),
        Column("win rate", lambda agent: "{:.1f} % ({:.1f} to {:.1f})".format(*_ends(agent.win_rate, 100))),
        Column("score", lambda agent: "{:.2f} ({:.2f} to {:.2f})".format(*_ends(agent.score))),
        Column("rank", lambda agent: f"{agent.rank.mean:.2f}"),
        *(Column(column.head, column.text) for column in more),
    ]
    table = filled_table("Standings", agents, columns, caption(summary))
    text = (
        latex_table(table)
        if path.suffix == LATEX
        else f"{markdown_table(table, '---:')}\n\n{markdown_text(table.note)}\n"
    )
    write_text(text, path)


def _ends(value: Estimate, unit: float = 1.0) -> tuple[float, ...]:
    return tuple(unit * (math.nan if end is None else end) for end in (value.mean, value.low, value.high))


def markdown_table(table: ResultTable, rule: str = "---") -> str:
    """A table in Markdown; `rule` is that of all columns but the first. A link is of `http`, without brackets."""
    rules = ["---", *[rule] * (len(table.columns) - 1)]
    lines = [[title for title, _ in table.columns], rules, *(map(_markdown_cell, row) for row in table.rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _markdown_cell(cell: Cell) -> str:
    return f"[{markdown_text(cell.text)}]({cell.link})" if cell.link else markdown_text(cell.text)


def markdown_text(text: str) -> str:
    """A text as a line of Markdown that has no markup, no HTML and no comment."""
    return _HTML.sub(lambda found: _ENTITIES[found[0]], _SIGNS.sub(r"\\\g<0>", _line(text)))


def latex_text(text: str) -> str:
    """A text as a line of LaTeX, its signs escaped."""
    return _line(text).translate(_LATEX)


def _line(text: str) -> str:
    return printable(" ".join(text.replace(NO_BREAK, " ").splitlines()))


def latex_table(table: ResultTable) -> str:
    """A `tabular` with the rules of booktabs: the first column left, numbers right, and the note as a comment above."""
    rows = [[title for title, _ in table.columns], *([cell.text for cell in row] for row in table.rows)]
    heads, *body = [" & ".join(map(latex_text, row)) + r" \\" for row in rows]
    begin, end = rf"\begin{{tabular}}{{l{'r' * (len(table.columns) - 1)}}}", r"\end{tabular}"
    rules = (r"\toprule", r"\midrule", r"\bottomrule")
    return "\n".join([f"% {latex_text(table.note)}", begin, rules[0], heads, rules[1], *body, rules[2], end, ""])
