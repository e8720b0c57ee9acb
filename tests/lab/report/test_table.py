"""One table of results in every medium."""

import pytest
from rich.console import Console

from tests.lab.report.pages import invented
from w51_lab.report.exports import latex_table, latex_text, markdown_table, markdown_text
from w51_lab.report.models import Summary
from w51_lab.report.result_table import Cell, Column, ResultTable, table_of, terminal_table
from w51_lab.report.sections import standings_table
from w51_lab.report.values import NO_BREAK

HOSTILE = "[red]a_b[/] | <b>&\x1b"


def in_terminal(table: ResultTable, only: tuple[str, ...] = ()) -> str:
    console = Console(width=300)
    with console.capture() as capture:
        console.print(terminal_table(table, table.note, only))
    return capture.get()


def test_a_table_has_the_same_cells_in_every_medium():
    table = standings_table(Summary.model_validate(invented()))
    texts = in_terminal(table), markdown_table(table), latex_table(table).replace("\\", "")
    for (title, _), cell in zip(table.columns, table.rows[0], strict=True):
        for text in texts:
            assert title in text
            assert (cell.brief if text is texts[0] and cell.brief else cell.text.replace(NO_BREAK, " ")) in text


def test_a_terminal_shows_chosen_columns_and_the_mean_of_a_value_with_its_interval():
    table = standings_table(Summary.model_validate(invented()))
    lines = in_terminal(table, ("agent", "win rate", "score")).splitlines()
    assert lines[1].split() == ["agent", "win", "rate", "score"]
    assert lines[3].split() == ["heuristic", "40.0%", "20.00"]


def test_columns_that_are_unknown_for_all_rows_are_left_out_and_nothing_known_is_no_table():
    columns = [
        Column("agent", lambda item: Cell(item[0], "name")),
        Column("a", lambda item: item[1]),
        Column("b", lambda item: "\N{EN DASH}", needed=False),
    ]
    table = table_of("title", [("x", "1")], columns, numbered=True)
    assert table is not None
    assert [title for title, _ in table.columns] == ["", "agent", "a"]
    assert [cell.text for cell in table.rows[0]] == ["1", "x", "1"]
    assert table_of("title", [("x", "1")], [columns[0], columns[2]]) is None
    assert table_of("title", [], columns) is None
    with pytest.raises(ValueError, match="table 'title': nothing is known for a"):
        table_of("title", [("x", "\N{EN DASH}")], columns)


def test_a_name_acts_in_no_medium():
    table = ResultTable("title", [("agent", "")], [[Cell(HOSTILE, "name")]], HOSTILE)
    assert r"[red]a_b[/] | <b>&\x1b" in in_terminal(table)
    assert markdown_text(HOSTILE) in markdown_table(table)
    assert latex_text(HOSTILE) in latex_table(table)
