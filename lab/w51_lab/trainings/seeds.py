"""Runs of one config with several seeds: a table with an interval over seeds, and their curves in one figure."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.table import Table

from w51_agents.system.files import write_json, write_text
from w51_agents.training.log import STRENGTH
from w51_agents.training.run import Run
from w51_lab.arena.matches import Results
from w51_lab.report.exports import latex_table
from w51_lab.report.result_table import Cell, Column, ResultTable, filled_table, terminal_table
from w51_lab.report.values import ABSENT, percent, result_of, result_text
from w51_lab.statistics.estimates import over_seeds
from w51_lab.trainings.curves import curves_of, draw_runs

SEEDS, PICTURE, TABLE = "seeds.json", "seeds.png", "seeds.tex"


@dataclass(frozen=True)
class SeedResult:
    """What decides, of an agent in one line-up, trained with several seeds.

    Attributes:
        players: Seats of each game.
        alone: The agent that has one seat; `trained` stands for the trained one.
        among: The agent in all other seats.
        equal_share: 1 / players.
        decides: What agents are compared by, as `decided_by` has it.
        by_seed: Result of the one seat for each seed, in the order of the seeds.
        mean, low, high: Over the seeds, with a 95 % interval by Student's t.
    """

    players: int
    alone: str
    among: str
    equal_share: float
    decides: str
    by_seed: list[float]
    mean: float
    low: float
    high: float


def results_of(name: str, by_seed: Sequence[Sequence[Results]]) -> list[SeedResult]:
    """The results of each line-up with the trained agent.

    Args:
        name: The name of the trained agent in the results of the first seed.
        by_seed: For each seed its matches, in the same order.
    """
    rows = []
    for matches in zip(*by_seed, strict=True):
        alone, among = ("trained" if one == name else one for one in matches[0].names[:2])
        if "trained" not in (alone, among):
            continue  # one baseline among copies of another
        rates = [results.standings()[0].result for results in matches]
        mean, low, high = over_seeds(rates)
        players, decides = len(matches[0].lineup), matches[0].decides
        if decides == "win":
            low, high = max(0.0, low), min(1.0, high)
        rows.append(SeedResult(players, alone, among, 1 / players, decides, rates, mean, low, high))
    return rows


def write_seeds(
    seeds: Sequence[int], runs: Sequence[Run], rows: Sequence[SeedResult], label: str, folder: Path
) -> None:
    """Write the results, also for LaTeX, and the figure of the learning curves; its label is the name of the config."""
    facts = [
        {"seed": seed, "decisions": run.trainer.decisions, "seconds": run.seconds}
        for seed, run in zip(seeds, runs, strict=True)
    ]
    write_json({"runs": facts, "results": [asdict(row) for row in rows]}, folder / SEEDS)
    write_text(latex_table(_table(rows, seeds)), folder / TABLE)
    if all(run.matches for run in runs):
        draw_runs([curves_of(label, [run.folder / STRENGTH for run in runs])], "decisions", folder / PICTURE)


def sweep_table(settings: Mapping[str, Sequence[SeedResult]], path: Path) -> Table:
    """The results of several settings, for a terminal: the win rate of the trained agent in each line-up.

    They are also written to a file for LaTeX.
    """
    rows = [(name, row) for name, results in settings.items() for row in results if row.alone == "trained"]
    what = result_of(rows[0][1].decides)
    note = f"{what.capitalize()} of one trained agent among the others; of several seeds the mean, and its interval."
    columns: list[Column[tuple[str, SeedResult]]] = [
        Column("setting", lambda pair: Cell(pair[0], "name")),
        Column("among", lambda pair: Cell(pair[1].among, "name")),
        Column("players", lambda pair: str(pair[1].players)),
        Column(what, lambda pair: result_text(pair[1].decides)(pair[1].mean)),
        Column("interval", lambda pair: _between(pair[1]), needed=False),
    ]
    table = filled_table(f"{len(settings)} settings", rows, columns, note)
    write_text(latex_table(table), path)
    return terminal_table(table, note)


def _between(row: SeedResult) -> str:
    write = result_text(row.decides)
    return ABSENT if len(row.by_seed) == 1 else f"{write(row.low)} to {write(row.high)}"


def seeds_table(rows: Sequence[SeedResult], seeds: Sequence[int]) -> Table:
    """The table of the results over seeds, for a terminal."""
    table = _table(rows, seeds)
    return terminal_table(table, table.note)


def _table(rows: Sequence[SeedResult], seeds: Sequence[int]) -> ResultTable:
    decides = rows[0].decides
    note = (
        f"{result_of(decides).capitalize()}s of one seat; seeds {', '.join(map(str, seeds))}, and their mean with its "
        "95% interval over seeds by Student's t."
    )
    share: Column[SeedResult] = Column("equal share", lambda row: percent(row.equal_share))
    scale, digits = (100, 1) if decides == "win" else (1, 2)
    columns: list[Column[SeedResult]] = [
        Column("one", lambda row: Cell(row.alone, "name")),
        Column("among", lambda row: Cell(row.among, "name")),
        Column("players", lambda row: str(row.players)),
        *([share] if decides == "win" else []),
        Column("mean", lambda row: result_text(decides)(row.mean)),
        Column("interval", _between),
        Column("by seed", lambda row: Cell(" ".join(f"{scale * rate:.{digits}f}" for rate in row.by_seed), "words")),
    ]
    return filled_table(f"{len(seeds)} seeds", rows, columns, note)
