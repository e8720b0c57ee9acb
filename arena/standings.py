"""Results as tables for the terminal and as plain data."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from arena.intervals import CONFIDENCE
from arena.matches import Results, Standing


def standings_table(results: Results, title: str) -> Table:
    """One row for each agent of a match; see `standings_rows`."""
    return standings_rows(results.standings(), results.equal_share, title, caption(results))


def standings_rows(standings: Sequence[Standing], equal_share: float, title: str, told: str) -> Table:
    """One row for each agent; a win rate is green where all of its interval is above the equal share, red where all is below.

    It has 80 columns for a name of 20 characters; only a name that leaves no room for the numbers is folded.
    """
    table = plain_table(title, told)
    table.add_column("agent", overflow="fold")
    for column in ("seats", "mean score", "mean rank", "win rate", f"{CONFIDENCE:.0%} interval"):
        table.add_column(column, justify="right", no_wrap=True)
    for standing in standings:
        colour = "green" if standing.low > equal_share else "red" if standing.high < equal_share else "default"
        table.add_row(
            Text(standing.name),
            str(standing.seats),
            f"{standing.mean_score:.2f}",
            f"{standing.mean_rank:.2f}",
            f"[{colour}]{standing.win_rate:.1%}[/]",
            f"{standing.low:.1%} to {standing.high:.1%}",
        )
    return table


def plain_table(title: str, told: str | None = None) -> Table:
    """An empty table with a title and, below it, how it was made."""
    return Table(
        title=title,
        title_justify="left",
        caption=told,
        caption_justify="left",
        box=SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )


def caption(results: Results) -> str:
    """How the numbers were made."""
    deals, seatings, _ = results.wins.shape
    return (
        f"{deals * seatings:,} games: {deals:,} deals, each in {seatings} seatings. Win rate of one seat: the equal share is {results.equal_share:.1%}, "
        "each of k tied winners counts 1/k; intervals by deal."
    )


def standings_data(results: Results) -> dict[str, Any]:
    """The same as plain data, for JSON."""
    deals, seatings, _ = results.wins.shape
    return {
        "deals": deals,
        "seatings": seatings,
        "games": deals * seatings,
        "equal_share": results.equal_share,
        "confidence": CONFIDENCE,
        "agents": [asdict(standing) for standing in results.standings()],
    }
