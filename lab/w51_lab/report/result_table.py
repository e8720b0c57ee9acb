"""A table of results: built once, printed on the page (`page.html.jinja`) and in a terminal; sections of the page."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from w51_agents.console.terminal import printable
from w51_lab.report.values import ABSENT, Keywords
from w51_lab.statistics.records import Named

_MAX_UNFOLDED = 40
_WORDS = ("name", "words", "message")
_STYLES = {"better": "green", "worse": "red"}  # in a terminal
_MANY = 7  # columns; those of more stand close together in a terminal


@dataclass(frozen=True)
class Cell:
    """A cell of a table.

    Attributes:
        text: What it shows.
        kind: "name" for the head of a row, "better" or "worse" than the equal share, "words" for a text, "message" for
            the message of an error, "range" for a number with its interval, "" for a number.
        link: Address that it links to, relative to the page; "" for none.
        rows: Number of rows that a head spans.
        brief: What it shows in a terminal, which has less room; "" for the text.
    """

    text: str
    kind: str = ""
    link: str = ""
    rows: int = 1
    brief: str = ""


Item = TypeVar("Item")
_Of = TypeVar("_Of", contravariant=True)


@dataclass(frozen=True)
class Column(Generic[_Of]):
    """A column of a table of items.

    Attributes:
        title: Its title.
        cell: The cell of an item; a plain text is a number, None is covered by a head that spans rows.
        meaning: What the title stands for; "" if that is clear.
        needed: Whether it is an error if nothing is known of any item. Others are then left out.
    """

    title: str
    cell: Callable[[_Of], str | Cell | None]
    meaning: str = ""
    needed: bool = True


@dataclass(frozen=True)
class ResultTable:
    """A table. `columns` are (title, meaning or ""); `note` follows the title."""

    title: str
    columns: Sequence[tuple[str, str]]
    rows: Sequence[Sequence[Cell]]
    note: str = ""

    @property
    def folded(self) -> bool:
        """Whether the table is long, so that the page shows it after a click."""
        return len(self.rows) > _MAX_UNFOLDED

    def is_words(self, column: int) -> bool:
        """Whether the column has texts, which are aligned left."""
        return self.rows[0][column].kind in _WORDS


@dataclass(frozen=True)
class Section:
    """A section of the page.

    Attributes:
        id: Anchor of the section.
        title: Its heading.
        intro: A paragraph below the heading.
        figures: Names of its figures; those that were not drawn are left out.
        tables: Its tables.
        facts: (name, value) pairs, shown as a list.
    """

    id: str
    title: str
    intro: str = ""
    figures: Sequence[str] = ()
    tables: Sequence[ResultTable] = ()
    facts: Sequence[tuple[str, str]] = ()


def named(title: str = "agent", kind: str = "name") -> Column[Named]:
    """The column of a name that each item has."""
    return Column(title, lambda item: Cell(item.name, kind))


def table_of(
    title: str, items: Iterable[Item], columns: Sequence[Column[Item]], note: str = "", numbered: bool = False
) -> ResultTable | None:
    """A table with a row for each item, without the columns that are unknown for all of them and not needed.

    Args:
        title: Title of the table.
        items: What the rows are of, such as agents.
        columns: The columns; the first one is the head of the row.
        note: Text after the title.
        numbered: Whether a column before the first one has the numbers of the rows.

    Returns:
        The table; None if there is no item, or nothing but heads.

    Raises:
        ValueError: A column that is needed is unknown for all items.
    """
    made = [[_cell(column.cell(item)) for column in columns] for item in items]
    shown = [
        index
        for index, cells in enumerate(zip(*made, strict=True))
        if index == 0 or any(cell is not None and cell.text != ABSENT for cell in cells)
    ]
    if made and (lost := [one.title for index, one in enumerate(columns) if one.needed and index not in shown]):
        raise ValueError(f"table {title!r}: nothing is known for {', '.join(lost)}")
    if len(shown) < 2:
        return None
    titles = [(columns[index].title, columns[index].meaning) for index in shown]
    rows = [[cell for index in shown if (cell := row[index]) is not None] for row in made]
    if numbered:
        titles.insert(0, ("", ""))
        rows = [[Cell(str(number)), *row] for number, row in enumerate(rows, 1)]
    return ResultTable(title, titles, rows, note)


def filled_table(
    title: str, items: Iterable[Item], columns: Sequence[Column[Item]], note: str = "", numbered: bool = False
) -> ResultTable:
    """`table_of` for items that there are, with a column that is needed beside the head."""
    table = table_of(title, items, columns, note, numbered)
    if table is None:
        raise ValueError(f"table {title!r}: has no row")
    return table


def _cell(cell: str | Cell | None) -> Cell | None:
    return Cell(cell) if isinstance(cell, str) else cell


def terminal_table(table: ResultTable, note: str | None, only: Collection[str] = ()) -> Table:
    """A table for a terminal: texts are folded if they are long, numbers never.

    Args:
        table: The table.
        note: The text below it.
        only: Titles of the columns that are shown; none: all.
    """
    indices = [index for index, (title, _) in enumerate(table.columns) if not only or title in only]
    shown = plain_table(table.title, note)
    if len(indices) > _MANY:
        shown.padding = (0, 0)
    for index in indices:
        settings: Keywords = {"justify": "right", "no_wrap": True}
        shown.add_column(table.columns[index][0], **({"overflow": "fold"} if table.is_words(index) else settings))
    for row in table.rows:
        shown.add_row(*(_terminal_cell(row[index]) for index in indices))
    return shown


def _terminal_cell(cell: Cell) -> Text:
    return Text("" if cell.text == ABSENT else printable(cell.brief or cell.text), style=_STYLES.get(cell.kind, ""))


def plain_table(title: str, caption: str | None) -> Table:
    """An empty table for a terminal, with a title above and a caption below."""
    left: Keywords = {"title_justify": "left", "caption_justify": "left"}
    plain: Keywords = {"box": SIMPLE_HEAD, "show_edge": False, "pad_edge": False, "padding": (0, 1, 0, 0)}
    return Table(title=title, caption=caption, **left, **plain)
