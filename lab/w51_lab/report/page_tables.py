"""Tables and sections of the page, as the template prints them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from w51_lab.report.values import ABSENT

Agent = Mapping[str, Any]  # an agent's entry in the summary, or in its behaviour

_MAX_UNFOLDED = 40


@dataclass(frozen=True)
class Cell:
    """A cell of a table.

    Attributes:
        text: What it shows.
        kind: "name" for the head of a row, "better" or "worse" than the equal share, "words" for a text, "message" for
            the message of an error, "range" for a number with its interval, "" for a number.
        link: Address that it links to, relative to the page; "" for none.
        rows: Number of rows that a head spans.
    """

    text: str
    kind: str = ""
    link: str = ""
    rows: int = 1


@dataclass(frozen=True)
class PageTable:
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
        return self.rows[0][column].kind in ("name", "words", "message")


@dataclass(frozen=True)
class PageSection:
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
    tables: Sequence[PageTable] = ()
    facts: Sequence[tuple[str, str]] = ()


# (title, meaning, the cell of an agent); a plain text is a number.
AgentColumn = tuple[str, str, Callable[[Agent], str | Cell]]


def agent_table(
    title: str, agents: Sequence[Agent], columns: Sequence[AgentColumn], note: str = "", numbered: bool = False
) -> PageTable | None:
    """A table with a row for each agent, without the columns that are unknown for all agents.

    Args:
        title: Title of the table.
        agents: The agents, in the order of the rows.
        columns: The columns besides the agent's name.
        note: Text after the title.
        numbered: Whether the first column has the numbers of the rows.

    Returns:
        The table; None if nothing is known of any agent.
    """
    contents = [[cell_of(agent) for _, _, cell_of in columns] for agent in agents]
    cells = [[cell if isinstance(cell, Cell) else Cell(cell) for cell in row] for row in contents]
    shown = [index for index in range(len(columns)) if any(row[index].text != ABSENT for row in cells)]
    if not shown:
        return None
    titles = [("agent", ""), *(columns[index][:2] for index in shown)]
    rows = [
        [Cell(agent["name"], "name"), *(row[index] for index in shown)]
        for agent, row in zip(agents, cells, strict=True)
    ]
    if numbered:
        titles.insert(0, ("", ""))
        rows = [[Cell(str(number)), *row] for number, row in enumerate(rows, 1)]
    return PageTable(title, titles, rows, note)
