"""Results of matches and tournaments as tables for the terminal, and standings as a record."""

from dataclasses import replace
from typing import NamedTuple

from rich.table import Table

from w51_lab.arena.matches import AgentResult, Results
from w51_lab.report import sections
from w51_lab.report.models import Summary
from w51_lab.report.result_table import Column, filled_table, named, terminal_table
from w51_lab.report.sentences import about_results, about_win_rates, caption, forfeited_most
from w51_lab.report.values import difference_of, interval, number, percent, result_text
from w51_lab.statistics.estimates import CONFIDENCE
from w51_lab.statistics.records import Estimate, Record

# Columns for which a terminal has room.
_STANDINGS = ("agent", "win rate", f"{CONFIDENCE:.0%} interval", "score", "rank")
_OF_SCORES = ("agent", "score", "win rate", "rank")
_PANEL = ("population", "alone", "interval", "half", "other", "invades", "resists")
_PANEL_OF_SCORES = ("population", "alone", "own", "other", "invades", "resists")
_PAIRS = ("first", "second", "difference", "interval", "better")


def standings_table(results: Results, title: str) -> Table:
    """The table of a match, one row for each agent.

    It has 80 columns with a name of 20 characters. Longer names are folded.
    """
    match, decides = match_standings(results), results.decides
    decided: dict[str, Column[_Standing]] = {
        "payoff": Column("score", lambda row: number(row.result.mean_score)),
        "rank": Column("rank", lambda row: number(row.result.mean_rank)),
        "win": Column("win rate", lambda row: percent(row.result.win_rate)),
    }
    between: Column[_Standing] = Column(
        f"{CONFIDENCE:.0%} interval", lambda row: interval(row.win_rate, result_text(decides))
    )
    by_wins = sections.win_rate_columns(results.equal_share, CONFIDENCE)
    columns: list[Column[_Standing]] = [
        named(),
        Column("seats", lambda row: str(row.result.seats)),
        *(column for name, column in decided.items() if name != decides),
        *(by_wins if decides == "win" else [decided[decides], between]),
    ]
    rows = [_Standing(one.name, one, Estimate(mean=one.result, low=one.low, high=one.high)) for one in match.agents]
    games = f"{match.games:,} games: {match.deals:,} deals, each in {match.seatings} seatings."
    about = about_win_rates(results.equal_share)
    table = filled_table(title, rows, columns, f"{games} {about if decides == 'win' else about_results(decides)}")
    return terminal_table(table, table.note)


class _Standing(NamedTuple):
    name: str
    result: AgentResult
    win_rate: Estimate


class MatchStandings(Record):
    """The standings of a match, as they are written; how many games were played, and the confidence of intervals."""

    players: int
    deals: int
    seatings: int
    games: int
    equal_share: float
    decides: str
    confidence: float
    agents: list[AgentResult]


def match_standings(results: Results) -> MatchStandings:
    """Return the standings of a match."""
    deals, seatings, players = results.wins.shape
    return MatchStandings(
        players=players,
        deals=deals,
        seatings=seatings,
        games=deals * seatings,
        equal_share=results.equal_share,
        decides=results.decides,
        confidence=CONFIDENCE,
        agents=results.standings(),
    )


def summary_tables(summary: Summary, *, ratings: bool) -> list[Table]:
    """The tables of a tournament: standings, ratings on request, and the panel or the pairs."""
    standings = sections.standings_table(summary)
    title = f"{summary.game}, {summary.players} players"
    by_payoff = summary.decides == "payoff"
    columns = _OF_SCORES if by_payoff else _STANDINGS
    shown = [terminal_table(replace(standings, title=title), caption(summary), columns)]
    if ratings and (rated := sections.ratings_table(summary)) is not None:
        shown.append(terminal_table(rated, " ".join(filter(None, map(forfeited_most, summary.agents))) or None))
    if summary.panel and (panel := sections.panel(summary)) is not None:
        table = replace(panel.tables[0], title=f"{summary.panel.agent} in populations of others")
        shown.append(terminal_table(table, panel.intro, _PANEL_OF_SCORES if by_payoff else _PANEL))
    elif (pairs := sections.pairs_table(summary)) is not None:
        title = f"Differences {difference_of(summary.decides)}, paired by deal"
        shown.append(terminal_table(replace(pairs, title=title), f"{summary.better}.", _PAIRS))
    return shown
