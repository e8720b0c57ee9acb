"""Output files of a pair: effects, paired tables with their codebook, a figure."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from w51_agents.named.versions import Versions, versions
from w51_agents.system.files import csv_table, write_text
from w51_env.engine.options import OptionValues
from w51_lab.arena.deals import DealFacts
from w51_lab.behaviour.writing import write_tables
from w51_lab.pairs.effects import Effect, PlayedPair
from w51_lab.pairs.figure import draw
from w51_lab.pairs.option_pair import OptionPair
from w51_lab.report.figures import write_figure
from w51_lab.report.result_table import Cell, Column, ResultTable, table_of
from w51_lab.report.tournament_files import write_data
from w51_lab.report.values import ABSENT, interval, number, signed
from w51_lab.statistics.records import Record

EFFECTS = "effects"
_CSV = ("measure", "agent", "unit", "first", "second", "difference", "low", "high", "deals", "of", "meaning")


class PairSide(Record):
    """One side: the value of what differs, and all options of its game."""

    value: Any  # of any option
    options: OptionValues


class PairDeals(DealFacts):
    """Deals of a pair; `unequal` is what chance draws otherwise on the second side."""

    unequal: list[str]


class PairFacts(Record):
    """All that is known of a pair, as `effects.json` has it."""

    game: str
    option: str
    first: PairSide
    second: PairSide
    agents: list[str]
    deals: PairDeals
    seatings: str
    pairs_of_games: int
    trainings: list[int]
    versions: Versions
    effects: list[Effect]


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
    rows = [_row(effect) for effect in effects]
    write_text(csv_table(_CSV, rows), folder / f"{EFFECTS}.csv")
    figure = draw(effects, pair.change, sentence(played))
    for suffix in (".png", ".pdf"):
        write_figure(figure, folder / f"{EFFECTS}{suffix}")
    return [*(folder / f"{EFFECTS}{suffix}" for suffix in (".json", ".csv", ".png", ".pdf")), *paths]


def _row(effect: Effect) -> list[str | float]:
    """A row of `effects.csv`; nothing for an unknown end."""
    ends = (effect.difference.mean, effect.difference.low, effect.difference.high)
    of_both = (effect.measure, effect.agent, effect.unit, effect.first, effect.second)
    return [*of_both, *("" if end is None else end for end in ends), effect.deals, effect.meaning]


def facts(played: Sequence[PlayedPair], effects: Sequence[Effect]) -> PairFacts:
    """All that is known of a pair."""
    pair = played[0].pair
    first, second = (
        PairSide(value=plan.game.options.get(pair.change.option, value), options=dict(plan.game.options))
        for plan, value in zip(pair.plans, pair.change.values, strict=True)
    )
    return PairFacts(
        game=pair.games[0].id,
        option=pair.change.option,
        first=first,
        second=second,
        agents=list(pair.plans[0].names),
        deals=PairDeals(**dict(pair.plans[0].deal_facts), unequal=list(pair.unequal())),
        seatings=pair.plans[0].seatings,
        pairs_of_games=sum(len(one.first.games.seats) for one in played),
        trainings=[one.training for one in played if one.training >= 0],
        versions=versions(),
        effects=list(effects),
    )


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
    left_out = any(effect.deals < effect.of for effect in effects)
    agent: Column[Effect] = Column("agent", lambda effect: Cell(effect.agent, "name"))
    columns: list[Column[Effect]] = [
        Column("measure", lambda effect: Cell(effect.measure, "name")),
        Column("unit", lambda effect: Cell(effect.unit, "words"), needed=False),
        *([agent] if len(played[0].pair.plans[0].names) > 1 else []),
        Column("first", lambda effect: number(effect.first), first),
        Column("second", lambda effect: number(effect.second), second),
        Column("difference", lambda effect: signed(effect.shown.mean)),
        Column("95% interval", lambda effect: interval(effect.shown, signed), needed=False),
        Column("deals", lambda effect: f"{effect.deals:,}" if left_out else ABSENT, needed=False),
    ]
    some = " Of some rows fewer deals count: those that have the number on both sides." if left_out else ""
    note = f"First: {first}; second: {second}. {sentence(played)}.{some} {equal_deals(played[0].pair)}"
    return table_of(f"{second} against {first}", effects, columns, note)
