"""The report of a tournament: one page with figures, tables and links to replays, and each figure as PNG and PDF."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from w51_agents.system.errors import needs_extra

with needs_extra("a report needs Matplotlib and Jinja2", "arena"):
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    from w51_lab.report.behaviour_figures import draw_behaviour
    from w51_lab.report.behaviour_tables import behaviour_section
    from w51_lab.report.figures import COLUMN, freeze_layout, inline_svg, marks, paper_style, write_figure
    from w51_lab.report.strength_figures import draw_panel, draw_strength

from w51_agents.system.files import check_writable, write_atomic
from w51_lab.report import facts, sections
from w51_lab.report.models import Summary
from w51_lab.report.result_table import Cell, Column, Section, table_of

REPORT = "report.html"
_HERE = Path(__file__).parent


@dataclass(frozen=True)
class ReplayLink:
    """A replay that the page links to.

    Attributes:
        path: The file, in the folder of the page or below it.
        deal: Index of the deal.
        seats: The agent in each seat.
        scores: Final scores, by seat.
        page: The game as a page, in the folder of the report or below it; None: there is none.
        reason: Why it was kept, if it is a surprising game.
    """

    path: Path
    deal: int
    seats: Sequence[str]
    scores: Sequence[int]
    page: Path | None = None
    reason: str = ""


class Picture(NamedTuple):
    """A figure on the page: as SVG, with the text below it, and whether it has the width of the page."""

    svg: Markup
    caption: str
    wide: bool


def write_page(summary: Summary, folder: Path, replays: Sequence[ReplayLink] = ()) -> Path:
    """Write `report.html`, one self-contained file, and each figure as PNG and PDF. Equal summaries give equal bytes.

    Args:
        summary: The summary from `summarise`, or read from its JSON by `Summary.model_validate_json`.
        folder: An existing folder.
        replays: The replays to link to, in this order; they are below the folder.

    Returns:
        The path of the page.

    Raises:
        FileError: The page cannot be written.
    """
    page = folder / REPORT
    check_writable(page)
    linked = _replays(replays, folder)
    pictures = _draw(summary, folder)
    parts = [
        sections.standings(summary),
        sections.panel(summary),
        sections.pairs(summary),
        sections.meta_game(summary),
        sections.seats(summary),
        behaviour_section(summary),
        sections.matches(summary),
        linked,
        sections.forfeits(summary),
        facts.method(summary),
    ]
    environment = Environment(
        loader=FileSystemLoader(_HERE), autoescape=True, undefined=StrictUndefined, keep_trailing_newline=True
    )
    text = environment.get_template("page.html.jinja").render(
        title=facts.title(summary),
        result=facts.result(summary),
        css=Markup((_HERE / "page.css").read_text(encoding="utf-8").strip()),
        sections=[part for part in parts if part is not None],
        pictures=pictures,
        games=_wins(summary, replays, folder),
    )
    return write_atomic(page, lambda temporary: temporary.write_bytes(text.encode()))


def _draw(summary: Summary, folder: Path) -> dict[str, Picture]:
    """The figures by name; also writes each as PNG and PDF."""
    look = marks([agent.name for agent in summary.agents])
    with paper_style(), warnings.catch_warnings():
        # Letters of a name that Matplotlib's font lacks; the page has fonts of its own.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        drawings = [*draw_strength(summary, look), *draw_panel(summary, look), *draw_behaviour(summary, look)]
        for drawing in drawings:
            freeze_layout(drawing.figure)
            for kind in ("png", "pdf"):
                write_figure(drawing.figure, folder / f"{drawing.name}.{kind}")
        return {
            drawing.name: Picture(
                Markup(inline_svg(drawing.figure, drawing.name, drawing.alt)),
                drawing.caption,
                drawing.figure.get_figwidth() > COLUMN,
            )
            for drawing in drawings
        }


def _wins(summary: Summary, replays: Sequence[ReplayLink], folder: Path) -> list[tuple[str, str]]:
    """(name, address) of a game to watch for each agent that won one: the one that it won by most."""
    wins = []
    for agent in summary.agents:
        led = [
            (max(replay.scores) - sorted(replay.scores)[-2], replay.page)
            for replay in replays
            if replay.page is not None and replay.seats[replay.scores.index(max(replay.scores))] == agent.name
        ]
        if led:
            wins.append((agent.name, _link(max(led, key=lambda game: game[0])[1], folder)))
    return wins


def _replays(replays: Sequence[ReplayLink], folder: Path) -> Section | None:
    """A row for each game, with the agent and the score of each seat."""

    def in_seat(seat: int) -> Column[ReplayLink]:
        return Column(f"seat {seat}", lambda replay: Cell(f"{replay.seats[seat]}: {replay.scores[seat]}", "words"))

    def link(text: str, path: Path | None) -> Cell:
        return Cell("" if path is None else text, "words", "" if path is None else _link(path, folder))

    columns: list[Column[ReplayLink]] = [
        Column("deal", lambda replay: str(replay.deal)),
        *map(in_seat, range(len(replays[0].seats) if replays else 0)),
        Column("surprise", lambda replay: Cell(replay.reason, "words")),
        Column("page", lambda replay: link("watch", replay.page)),
        Column("replay", lambda replay: link("file", replay.path)),
    ]
    table = table_of("Replays", replays, columns, "The agent in each seat, with its final score.")
    return Section("replays", "Replays", "", (), [table]) if table else None


def _link(path: Path, folder: Path) -> str:
    """The address of a file relative to the page."""
    return quote(path.resolve().relative_to(folder.resolve()).as_posix())
