"""Output files of a pair: effects, paired tables with their codebook, a figure."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from w51_agents.named.versions import versions
from w51_agents.system.files import csv_table
from w51_lab.behaviour.writing import write_tables
from w51_lab.pairs.effects import Effect, PlayedPair
from w51_lab.pairs.figure import draw
from w51_lab.pairs.option_pair import SIDES, OptionPair
from w51_lab.report.exports import write_text
from w51_lab.report.figures import write_figure
from w51_lab.report.result_table import Cell, Column, ResultTable, named, table_of
from w51_lab.report.tournament_files import write_data
from w51_lab.report.values import interval, number, signed

EFFECTS = "effects"
_CSV = ("measure", "agent", "unit", "first", "second", "difference", "low", "high", "deals", "meaning")


def write_pair(played: Sequence[PlayedPair], effects: Sequence[Effect], folder: Path) -> list[Path]:
    """Write the files of a pair, or of one for each training; the paths.

    `effects.json` and `effects.csv`; `seats` and `lots`, each as Parquet and CSV, with `codebook.csv`; `effects.png`
    and `effects.pdf`.

    Raises:
        FileError: A file cannot be written.
        MissingPackageError: pyarrow is missing.
    """
    pair = played[0].pair
    names = pair.plans[0].names
    parts = [part for one in played for part in one.parts]
    paths = write_tables(pair.games[0], names, played[0].tables.schemas, parts, folder)
    write_data(facts(played, effects), folder / f"{EFFECTS}.json")
    rows = [_row(effect.data) for effect in effects]
    write_text(csv_table(_CSV, rows), folder / f"{EFFECTS}.csv")
    figure = draw(effects, pair.change, sentence(played))
    for suffix in (".png", ".pdf"):
        write_figure(figure, folder / f"{EFFECTS}{suffix}")
    return [*(folder / f"{EFFECTS}{suffix}" for suffix in (".json", ".csv", ".png", ".pdf")), *paths]


def _row(effect: dict[str, Any]) -> list[Any]:
    """A row of `effects.csv`; nothing for an unknown end."""
    ends = dict(zip(("difference", "low", "high"), effect["difference"].values(), strict=True))
    return ["" if (value := {**effect, **ends}[name]) is None else value for name in _CSV]


def facts(played: Sequence[PlayedPair], effects: Sequence[Effect]) -> dict[str, Any]:
    """All that is known of a pair, as data for JSON; `unequal` is what chance draws otherwise on the second side."""
    pair = played[0].pair
    sides = {
        side: {"value": plan.game.options.get(pair.change.option, value), "options": dict(plan.game.options)}
        for side, plan, value in zip(SIDES, pair.plans, pair.change.values, strict=True)
    }
    return {
        "game": pair.games[0].id,
        "option": pair.change.option,
        **sides,
        "agents": list(pair.plans[0].names),
        "deals": {**pair.plans[0].deal_facts, "unequal": list(pair.unequal())},
        "seatings": pair.plans[0].seatings,
        "pairs_of_games": sum(len(one.first.games.seats) for one in played),
        "trainings": [one.training for one in played if one.training >= 0],
        "versions": versions(),
        "effects": [effect.data for effect in effects],
    }


def sentence(played: Sequence[PlayedPair]) -> str:
    """How much was played, and what the intervals are of."""
    games, deals = len(played[0].first.games.seats), len(played[0].first.games.deal_ids)
    if len(played) == 1:
        return f"{games:,} pairs of games on {deals:,} deals; 95 % intervals by deal"
    return f"{len(played)} trainings, each {games:,} pairs of games; 95 % intervals over trainings"


def equal_deals(pair: OptionPair) -> str:
    """A sentence on what chance draws on both sides."""
    unequal = pair.unequal()
    if not unequal:
        return "Equal deals: chance draws the same on both sides."
    option = pair.change.option
    return f"The deals are not all equal: with the other {option} chance draws another {', '.join(unequal)}."


def effects_table(played: Sequence[PlayedPair], effects: Sequence[Effect]) -> ResultTable | None:
    """The effects as a table, for the terminal and for pages."""
    first, second = played[0].pair.change.labels
    rows = [{**data, "over": data["over_trainings"] or data["difference"]} for data in (one.data for one in effects)]
    several = [("agent", "", lambda row: Cell(row["agent"], "name"))] if len(played[0].pair.plans[0].names) > 1 else []
    columns: list[Column] = [
        named("measure", "measure"),
        *several,
        ("first", first, lambda row: number(row["first"])),
        ("second", second, lambda row: number(row["second"])),
        ("difference", "", lambda row: signed(row["over"]["mean"])),
        ("95% interval", "", lambda row: interval(row["over"], signed)),
    ]
    note = f"First: {first}; second: {second}. {sentence(played)}. {equal_deals(played[0].pair)}"
    return table_of(f"{second} against {first}", rows, columns, note)
