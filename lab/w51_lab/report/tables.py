"""Results of matches and tournaments as tables for the terminal, and standings as plain data."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from w51_agents.console.terminal import printable
from w51_lab.arena.estimates import CONFIDENCE
from w51_lab.arena.matches import AgentResult, Results
from w51_lab.arena.supervisor import FAILURES_PER_GAME, KINDS

_INTERVAL = f"{CONFIDENCE:.0%} interval"
_MIN_DEALS = 30  #  for the design effect, which is noise for fewer


def standings_table(results: Results, title: str) -> Table:
    """Return the table of a match, one row for each agent."""
    deals, seatings, _ = results.wins.shape
    caption = f"{deals * seatings:,} games: {deals:,} deals, each in {seatings} seatings. {_about(results.equal_share)}"
    return _standings(results.standings(), results.equal_share, title, caption)


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


def summary_table(summary: dict[str, Any]) -> Table:
    """Return the table of a tournament, one row for each agent with its means over all games."""
    standings = []
    for agent in summary["agents"]:
        wins = agent["win_rate"]
        means = (agent["score"]["mean"], agent["rank"]["mean"], wins["mean"])
        standings.append(AgentResult(agent["name"], agent["seats"], *means, wins["low"], wins["high"]))
    title = f"{summary['game']}, {summary['players']} players"
    return _standings(standings, summary["equal_share"], title, caption(summary))


def panel_table(summary: dict[str, Any]) -> Table:
    """Return the table of an agent in both directions against each member of a panel, and the means over the panel."""
    panel, share = summary["panel"], summary["equal_share"]
    agent, strength = printable(panel["agent"]), panel["strength"]
    caption = (
        f"Win rates of one seat; equal share {share:.1%}. Alone: one {agent} among copies of the other agent; it "
        "invades if it wins more than the equal share. Other: one copy of the other agent among copies of "
        f"{agent}, which resists if that one wins less. Half: neither is alone. Strength, the mean over all mixtures: "
        f"{strength['mean']:.1%} ({strength['low']:.1%} to {strength['high']:.1%})."
    )
    columns = ("alone", _INTERVAL, "half", "other", _INTERVAL, "invades", "resists")
    table = plain_table(f"{agent} in populations of others", caption, ("population",), columns, no_wrap=True)
    table.padding = (0, 0)  # type: ignore[assignment] # room for names in 80 columns
    for row in (*panel["members"], {**panel, "name": "mean"}):
        invasion, half, resistance = row["invasion"], row["half"], row["resistance"]
        table.add_row(
            Text(printable(row["name"])),
            f"{invasion['mean']:.1%}",
            f"{invasion['low']:.1%} to {invasion['high']:.1%}",
            f"{half['mean']:.1%}" if half else "",
            f"{resistance['mean']:.1%}",
            f"{resistance['low']:.1%} to {resistance['high']:.1%}",
            *(verdict(row[key]) if key in row else "" for key in ("invades", "resists")),
        )
    return table


def verdict(holds: bool | None) -> str:
    """Return whether something holds, in a word; a question mark if it is undecided."""
    return "?" if holds is None else "yes" if holds else "no"


def pairs_table(summary: dict[str, Any]) -> Table:
    """Return the table of differences of win rate of every two agents, paired by deal."""
    title, columns = "Differences of win rate, paired by deal", ("difference", _INTERVAL, "better")
    table = plain_table(title, f"{summary['better']}.", ("agents",), columns, overflow="fold")
    for pair in summary["pairs"]:
        wins = pair["win_rate"]
        if wins["mean"] is None:
            continue
        colour = {pair["first"]: "green", pair["second"]: "red"}.get(pair["better"], "default")
        better = pair["better"] or "undecided"
        between = "" if wins["low"] is None else f"{wins['low']:+.1%} to {wins['high']:+.1%}"
        agents = Text(printable(f"{pair['first']} - {pair['second']}"))
        table.add_row(agents, f"[{colour}]{wins['mean']:+.1%}[/]", between, Text(printable(better)))
    return table


def ratings_table(summary: dict[str, Any]) -> Table:
    """Return the table of Elo, Plackett-Luce ratings and meta-game weights, as far as the summary has them."""
    columns = ("Elo", _INTERVAL, "Plackett-Luce", "Nash weight", "alpha-rank")
    note = " ".join(filter(None, map(forfeited_most, summary["agents"]))) or None
    table = plain_table("Ratings", note and printable(note), ("agent",), columns)
    for agent in summary["agents"]:
        elo, rating = agent.get("elo"), agent.get("rating")
        known = elo is not None and elo["low"] is not None
        table.add_row(
            Text(printable(agent["name"])),
            f"{elo['mean']:,.0f}" if elo is not None else "",
            f"{elo['low']:,.0f} to {elo['high']:,.0f}" if elo is not None and known else "",
            f"{rating['mu']:.1f} ± {rating['sigma']:.1f}" if rating is not None else "",
            f"{agent['nash']:.1%}" if "nash" in agent else "",
            f"{agent['alpha_rank']:.1%}" if "alpha_rank" in agent else "",
        )
    return table


def failure_lines(summary: dict[str, Any]) -> list[str]:
    """Return a sentence for each agent that forfeited decisions."""
    lines = []
    for agent in summary["agents"]:
        forfeits = agent["forfeits"]
        if any(forfeits[kind] for kind in KINDS):
            counts = ", ".join(f"{forfeits[kind]:,} {kind}" for kind in KINDS if forfeits[kind])
            line = f"{agent['name']} forfeited decisions: {counts}"
            if forfeits["skipped"]:
                skipped = f"{forfeits['skipped']:,} more were skipped"
                line += f"; {skipped}, after {FAILURES_PER_GAME} failures in a game or the end of its process"
            lines.append(printable(f"{line}. First failure: {first_line(forfeits['first'])}"))
    return lines


def usage_lines(summary: Mapping[str, Any]) -> list[str]:
    """Return a sentence for each language model: its tokens and cost."""
    lines = []
    for agent in summary["agents"]:
        if usage := agent.get("usage"):
            tokens = f"{usage['input_tokens']:,.0f} tokens read, {usage['output_tokens']:,.0f} written"
            used, games = usage["input_tokens"] + usage["output_tokens"], agent["games"]
            tokens += f" ({used / games:,.0f} a game)"
            cost = f"; cost {usage['cost']:,.2f} ({usage['cost'] / games:,.4f} a game)" if usage["cost"] else ""
            lines.append(printable(f"{agent['name']}: {usage['questions']:,.0f} questions, {tokens}{cost}."))
    return lines


def forfeited_most(agent: Mapping[str, Any]) -> str:
    """A sentence if random actions made most decisions of an agent, or any of a language model; else ""."""
    fraction = (agent.get("forfeits") or {}).get("fraction") or 0.0
    if fraction <= 0.5:
        is_marked = fraction > 0 and bool(agent.get("usage"))
        return f"{agent['name']}: {fraction:.2%} of its decisions were drawn at random." if is_marked else ""
    return f"{agent['name']}: {fraction:.0%} of its decisions were drawn at random, so its results are not its own."


def first_line(message: str) -> str:
    """The first line of a message, without characters that a terminal would act on."""
    return printable((message.splitlines() or [""])[0])


def _standings(standings: Sequence[AgentResult], equal_share: float, title: str, caption: str) -> Table:
    """One row for each agent; a win rate is green if its whole interval is above the equal share, red if below.

    It has 80 columns with a name of 20 characters. Longer names are folded.
    """
    columns = ("seats", "mean score", "mean rank", "win rate", _INTERVAL)
    table = plain_table(title, caption, ("agent",), columns, no_wrap=True)
    for standing in standings:
        colour = "green" if standing.low > equal_share else "red" if standing.high < equal_share else "default"
        table.add_row(
            Text(printable(standing.name)),
            str(standing.seats),
            f"{standing.mean_score:.2f}",
            f"{standing.mean_rank:.2f}",
            f"[{colour}]{standing.win_rate:.1%}[/]",
            f"{standing.low:.1%} to {standing.high:.1%}",
        )
    return table


def plain_table(
    title: str, caption: str | None, names: Sequence[str], numbers: Sequence[str], **settings: Any
) -> Table:
    """Return an empty table with a title above and a caption below.

    Args:
        title: The title.
        caption: The caption; None: none.
        names: Columns of names, which are folded if they are long.
        numbers: Columns of numbers, aligned right.
        **settings: Of the columns of numbers, as those of `rich.table.Table.add_column`.
    """
    left: dict[str, Any] = {"title_justify": "left", "caption_justify": "left"}
    plain: dict[str, Any] = {"box": SIMPLE_HEAD, "show_edge": False, "pad_edge": False, "padding": (0, 1, 0, 0)}
    table = Table(title=title, caption=caption, **left, **plain)
    for column in names:
        table.add_column(column, overflow="fold")
    for column in numbers:
        table.add_column(column, justify="right", **settings)
    return table


def _about(equal_share: float) -> str:
    return (
        f"Win rate of one seat; each of k tied winners counts 1/k. Equal share, 1 / players: {equal_share:.1%}. "
        f"{CONFIDENCE:.0%} intervals by deal."
    )


def caption(summary: dict[str, Any]) -> str:
    """What was played, and how the numbers of a summary are to be read."""
    deals, stopped, effect = summary["deals"], summary["stopped"], summary["design_effect"]["win_rate"]
    per_deal = summary["games"] // deals["count"]
    played = f"{summary['games']:,} games: {deals['count']:,} deals ({deals['name']}), each in {per_deal:,} games"
    sentences = [f"{played}, {summary['seatings']} of seats."]
    if stopped is not None:
        sentences.append(f"Stopped when all differences were decided; planned: {stopped['of']:,} deals.")
    sentences.append(_about(summary["equal_share"]))
    sentences += [forfeited_most(agent) for agent in summary["agents"] if forfeited_most(agent)]
    if effect and deals["count"] >= _MIN_DEALS:
        worth = summary["games"] / effect
        sentences.append(f"These {summary['games']:,} games are worth about {worth:,.0f} independent ones.")
    return " ".join(sentences)
