"""Results of matches and tournaments as tables for the terminal, and standings as plain data."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from rich.table import Table

from w51_lab.arena.matches import AgentResult, Results
from w51_lab.report import sections
from w51_lab.report.result_table import Column, named, tables_of, terminal_table
from w51_lab.report.sentences import about_win_rates, caption, forfeited_most
from w51_lab.report.values import number
from w51_lab.statistics.estimates import CONFIDENCE

# Columns for which a terminal has room.
_STANDINGS = ("agent", "win rate", f"{CONFIDENCE:.0%} interval", "score", "rank")
_PANEL = ("population", "alone", "interval", "half", "other", "invades", "resists")
_PAIRS = ("first", "second", "difference", "interval", "better")


def standings_table(results: Results, title: str) -> Table:
    """The table of a match, one row for each agent.

    It has 80 columns with a name of 20 characters. Longer names are folded.
    """
    deals, seatings, _ = results.wins.shape
    rows = [{**asdict(standing), "win_rate": _rate(standing)} for standing in results.standings()]
    columns: list[Column] = [
        named(),
        ("seats", "", lambda row: str(row["seats"])),
        ("score", "", lambda row: number(row["mean_score"])),
        ("rank", "", lambda row: number(row["mean_rank"])),
        *sections.win_rate_columns(results.equal_share, CONFIDENCE),
    ]
    games = f"{deals * seatings:,} games: {deals:,} deals, each in {seatings} seatings."
    (table,) = tables_of((title, rows, columns, f"{games} {about_win_rates(results.equal_share)}"))
    return terminal_table(table, table.note)


def _rate(standing: AgentResult) -> dict[str, float]:
    return {"mean": standing.win_rate, "low": standing.low, "high": standing.high}


def standings_data(results: Results) -> dict[str, Any]:
    """Return the standings of a match as data for JSON."""
    deals, seatings, _ = results.wins.shape
    return {
        "deals": deals,
        "seatings": seatings,
        "games": deals * seatings,
        "equal_share": results.equal_share,
        "confidence": CONFIDENCE,
        "agents": [asdict(standing) for standing in results.standings()],
    }


def summary_tables(summary: Mapping[str, Any], *, ratings: bool) -> list[Table]:
    """The tables of a tournament: standings, ratings on request, and the panel or the pairs."""
    standings = sections.standings_table(summary)
    title = f"{summary['game']}, {summary['players']} players"
    shown = [terminal_table(replace(standings, title=title), caption(summary), _STANDINGS)]
    if ratings and (rated := sections.ratings_table(summary)) is not None:
        shown.append(terminal_table(rated, " ".join(filter(None, map(forfeited_most, summary["agents"]))) or None))
    if (panel := sections.panel(summary)) is not None:
        title = f"{summary['panel']['agent']} in populations of others"
        shown.append(terminal_table(replace(panel.tables[0], title=title), panel.intro, _PANEL))
    elif (pairs := sections.pairs_table(summary)) is not None:
        title = "Differences of win rate in percentage points, paired by deal"
        shown.append(terminal_table(replace(pairs, title=title), f"{summary['better']}.", _PAIRS))
    return shown
