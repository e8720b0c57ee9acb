"""A summary as tables for the terminal."""

from typing import Any

from rich.table import Table
from rich.text import Text

from arena.matches import Standing
from arena.referee import FAULTS_A_GAME, KINDS
from arena.standings import plain_table, standings_rows

_DEALS_TO_TELL = 30  #  that the saving is more than noise


def summary_table(summary: dict[str, Any]) -> Table:
    """How each agent did over all its games."""
    standings = [
        Standing(
            agent["name"],
            agent["seats"],
            agent["score"]["mean"],
            agent["rank"]["mean"],
            agent["win_rate"]["mean"],
            agent["win_rate"]["low"],
            agent["win_rate"]["high"],
        )
        for agent in summary["agents"]
    ]
    return standings_rows(
        standings, summary["equal_share"], f"{summary['game']}, {summary['players']} players", caption(summary)
    )


def caption(summary: dict[str, Any]) -> str:
    """How the numbers were made."""
    deals, stopped, saving = summary["deals"], summary["stopped"], summary["saving"]["win_rate"]
    told = f"{summary['games']:,} games: {deals['count']:,} deals ({deals['name']}), each in {summary['games'] // deals['count']:,}"
    told += f" games, {summary['seatings']} of seats."
    if stopped is not None:
        told += f" Ended when all was settled, before {stopped['of']:,} deals."
    told += f" Win rate of one seat: the equal share is {summary['equal_share']:.1%}, each of k tied winners counts 1/k; 95 % intervals by deal."
    if saving is not None and deals["count"] >= _DEALS_TO_TELL:
        told += f" Independent games would need {saving:.1f} times as many."
    return told


def pairs_table(summary: dict[str, Any]) -> Table:
    """Every two agents: the difference of their win rates on the same deals."""
    table = plain_table("Differences of win rate, paired by deal")
    table.add_column("agents", overflow="fold")
    for column in ("difference", "95 % interval", "better"):
        table.add_column(column, justify="right", overflow="fold")
    for pair in summary["pairs"]:
        share = pair["win_rate"]
        if share["mean"] is None:
            continue
        colour = "green" if (share["low"] or 0) > 0 else "red" if (share["high"] or 0) < 0 else "default"
        better = pair["better"] or ("not settled" if pair["settled"] is not None else "")
        between = "" if share["low"] is None else f"{share['low']:+.1%} to {share['high']:+.1%}"
        table.add_row(
            Text(f"{pair['first']} - {pair['second']}"), f"[{colour}]{share['mean']:+.1%}[/]", between, Text(better)
        )
    return table


def ratings_table(summary: dict[str, Any]) -> Table:
    """Elo, Plackett and Luce's ratings, and the game of choosing an agent, as far as they were asked for and are known."""
    table = plain_table("Ratings")
    table.add_column("agent", overflow="fold")
    for column in ("Elo", "95 % interval", "Plackett-Luce", "Nash weight", "alpha-rank"):
        table.add_column(column, justify="right")
    for agent in summary["agents"]:
        elo, rating = agent.get("elo"), agent.get("rating")
        known = elo is not None and elo["low"] is not None
        table.add_row(
            Text(agent["name"]),
            f"{elo['mean']:,.0f}" if elo is not None else "",
            f"{elo['low']:,.0f} to {elo['high']:,.0f}" if elo is not None and known else "",
            f"{rating['mu']:.1f} ± {rating['sigma']:.1f}" if rating is not None else "",
            f"{agent['nash']:.1%}" if "nash" in agent else "",
            f"{agent['alpha_rank']:.1%}" if "alpha_rank" in agent else "",
        )
    return table


def fault_lines(summary: dict[str, Any]) -> list[str]:
    """A sentence for each agent that forfeited decisions."""
    lines = []
    for agent in summary["agents"]:
        forfeits = agent["forfeits"]
        if any(forfeits[kind] for kind in KINDS):
            counts = ", ".join(f"{forfeits[kind]} {kind}" for kind in KINDS if forfeits[kind])
            rest = (
                f", and was not asked {forfeits['unasked']} times after {FAULTS_A_GAME} of them in a game"
                if forfeits["unasked"]
                else ""
            )
            lines.append(f"{agent['name']} forfeited decisions: {counts}{rest}. The first: {forfeits['first']}")
    return lines
