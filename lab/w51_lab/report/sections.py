"""Sections on strength: standings, pairs, meta-game, seats, matches, forfeits. None for a section without data."""

from collections.abc import Mapping, Sequence
from typing import Any

from w51_lab.report.page_tables import Agent, AgentColumn, Cell, PageSection, PageTable, agent_table
from w51_lab.report.tables import forfeited_most
from w51_lab.report.values import (
    ABSENT,
    compared,
    count,
    has_mean,
    interval,
    known,
    number,
    ordered,
    percent,
    points,
    seconds,
    undecided,
    with_interval,
)

_MAX_ROWS = 2000
_TOKENS = ("input_tokens", "output_tokens")
_FORFEITS = {
    "errors": "its code failed",
    "illegal": "it did not return a legal action",
    "late": "it took too long",
    "skipped": "decisions without a call, after too many failures in a game",
}


def standings(summary: Mapping[str, Any]) -> PageSection:
    """Win rates with intervals, scores, ratings and costs of all agents."""
    agents, equal_share = ordered(summary), summary["equal_share"]
    failed = any(_forfeited(agent) for agent in agents)

    def rating(agent: Agent) -> str:
        rated = agent.get("rating") or {}
        return f"{number(rated.get('mu'))} ± {number(rated.get('sigma'))}" if known(rated.get("mu")) else ABSENT

    of_seat = f"of one seat; the equal share is {percent(equal_share)}"
    columns: list[AgentColumn] = [
        ("win rate", of_seat, lambda agent: _win_rate(agent, summary)),
        (f"{summary['confidence']:.0%} interval", "", lambda agent: interval(agent["win_rate"], percent)),
        ("score", "mean", lambda agent: Cell(with_interval(agent.get("score")), "range")),
        ("rank", "mean, from 1", lambda agent: Cell(with_interval(agent.get("rank")), "range")),
        ("Elo", "mean of all agents: 1500", lambda agent: Cell(with_interval(agent.get("elo"), 0), "range")),
        ("rating", "Plackett-Luce: mu ± sigma", rating),
        ("games", "games in which it had a seat", lambda agent: count(agent.get("games"))),
        ("forfeits", "decisions that it forfeited", lambda agent: count(_forfeited(agent)) if failed else ABSENT),
        ("time per decision", "mean wall time", lambda agent: seconds(agent.get("seconds_per_decision"))),
    ]
    if any(agent.get("usage") for agent in agents):
        columns.append(("tokens", "read and written by a language model", lambda agent: _used(agent, *_TOKENS)))
        columns.append(("cost", "by the prices of its settings", lambda agent: _used(agent, "cost")))
    note = (
        f"Sorted by win rate. Blue: the whole interval is above the equal share ({percent(equal_share)}); "
        "orange: the whole interval is below it. Intervals are of one agent each, not corrected for several agents."
    )
    note = " ".join([note, *filter(None, map(forfeited_most, agents))])
    table = agent_table("Standings", agents, columns, note, numbered=True)
    return PageSection("standings", "Standings", "", ("win_rate", "score_rank", "ratings"), [table] if table else [])


def _used(agent: Agent, *keys: str) -> str:
    usage = agent.get("usage")
    if not usage:
        return ABSENT
    total = sum(usage[key] for key in keys)
    return number(total) if keys == ("cost",) else count(int(total))


def pairs(summary: Mapping[str, Any]) -> PageSection | None:
    """Every two agents compared on the deals that both played."""
    compared_pairs = compared(summary)
    tables = []
    if compared_pairs:
        scored = any(has_mean(pair.get("score")) for pair in compared_pairs)
        columns = [
            ("first", ""),
            ("second", ""),
            ("difference", "of the win rates, in percentage points"),
            ("interval", ""),
            *([("score", "difference of the mean scores")] if scored else []),
            ("better", ""),
        ]
        rows = [_pair_row(pair, scored) for pair in compared_pairs[:_MAX_ROWS]]
        tables.append(PageTable("Pairs", columns, rows, _first_rows(len(compared_pairs))))
    if payoffs := _payoffs(summary):
        tables.append(payoffs)
    intro = "Every two agents are compared on the same deals, so that luck of the deal does not count."
    intro += f" {summary['better']}." if summary.get("better") else ""
    return PageSection("pairs", "Head to head", intro, ("pairs",), tables) if tables else None


def _pair_row(pair: Mapping[str, Any], scored: bool) -> list[Cell]:
    difference = pair["win_rate"]["mean"]
    if undecided(pair):
        kind, better = "", "undecided"
    else:
        kind = "better" if difference > 0 else "worse"
        better = pair["better"]
    return [
        Cell(pair["first"], "name"),
        Cell(pair["second"], "words"),
        Cell(points(difference), kind),
        Cell(interval(pair["win_rate"], points)),
        *([Cell(with_interval(pair.get("score")), "range")] if scored else []),
        Cell(better, "words"),
    ]


def _payoffs(summary: Mapping[str, Any]) -> PageTable | None:
    payoffs = summary.get("payoffs")
    if not payoffs or not payoffs.get("agents"):
        return None
    index = {name: row for row, name in enumerate(payoffs["agents"])}
    agents = [agent for agent in ordered(summary) if agent["name"] in index]

    def against(column: int, other: str) -> AgentColumn:
        def cell(agent: Agent) -> str:
            return ABSENT if agent["name"] == other else points(payoffs["table"][index[agent["name"]]][index[other]])

        return str(column), "", cell

    note = (
        "Mean win rate of the row less that of the column, in percentage points, over the games of both. "
        "The columns have the numbers of the rows."
    )
    columns = [against(column, other["name"]) for column, other in enumerate(agents, 1)]
    return agent_table("Payoffs", agents, columns, note, numbered=True)


def meta_game(summary: Mapping[str, Any]) -> PageSection | None:
    """The meta-game, in which a player chooses an agent."""
    weight = "weight in the Nash equilibrium of highest entropy"
    gain = "win rate less that of the Nash mixture, in percentage points"
    time = "fraction of time that evolving populations spend at the agent"
    columns: list[AgentColumn] = [
        ("Nash weight", weight, lambda agent: percent(agent.get("nash"))),
        ("gain", gain, lambda agent: points(agent.get("nash_skill"))),
        ("alpha-rank", time, lambda agent: percent(agent.get("alpha_rank"))),
    ]
    table = agent_table("Meta-game", ordered(summary), columns)
    intro = "In the meta-game each of two players chooses an agent; the payoff is the difference of the win rates."
    return PageSection("meta-game", "Meta-game", intro, ("meta_game",), [table]) if table else None


def seats(summary: Mapping[str, Any]) -> PageSection | None:
    """Win rate by seat."""
    if not summary.get("seats"):
        return None
    by_name = dict(zip((agent["name"] for agent in summary["agents"]), summary["seats"], strict=True))

    def in_seat(seat: int) -> AgentColumn:
        return f"seat {seat}", "", lambda agent: percent(by_name[agent["name"]][seat])

    columns = [in_seat(seat) for seat in range(len(summary["seats"][0]))]
    table = agent_table("Win rate by seat", ordered(summary), columns)
    return PageSection("seats", "Seats", "", ("seats",), [table]) if table else None


def matches(summary: Mapping[str, Any]) -> PageSection | None:
    """The results of each line-up."""
    played = summary.get("matches") or []
    if not played:
        return None
    limit = _MAX_ROWS // summary["players"]
    rows = []
    for match in played[:limit]:
        for index, agent in enumerate(match["agents"]):
            head = [Cell(_line_up(match["lineup"]), "name", rows=len(match["agents"]))] if index == 0 else []
            rate = [_win_rate(agent, summary), Cell(interval(agent["win_rate"], percent))]
            means = [Cell(with_interval(agent.get(key)), "range") for key in ("score", "rank")]
            rows.append([*head, Cell(agent["name"], "words"), *rate, *means])
    columns = [("line-up", ""), ("agent", ""), ("win rate", "of one seat")]
    columns += [("interval", ""), ("score", "mean"), ("rank", "mean")]
    table = PageTable("Matches", columns, rows, _first_rows(len(played), limit))
    return PageSection("matches", "Match by match", tables=(table,))


def forfeits(summary: Mapping[str, Any]) -> PageSection | None:
    """Decisions that agents forfeited because their code failed."""
    agents = [agent for agent in ordered(summary) if agent.get("forfeits")]
    failed = [agent for agent in agents if _forfeited(agent)]
    if not agents:
        return None
    if not failed:
        return PageSection("forfeits", "Forfeits", "No agent forfeited a decision.")

    def number_of(kind: str) -> AgentColumn:
        return kind, _FORFEITS[kind], lambda agent: count(agent["forfeits"].get(kind, 0))

    columns = [number_of(kind) for kind in _FORFEITS if any(kind in agent["forfeits"] for agent in failed)]
    columns.append(("first failure", "", lambda agent: Cell(agent["forfeits"].get("first") or ABSENT, "message")))
    table = agent_table("Forfeited decisions", failed, columns)
    intro = "In place of a forfeited decision a legal action is drawn uniformly."
    return PageSection("forfeits", "Forfeits", intro, (), [table] if table else [])


def _forfeited(agent: Agent) -> int:
    forfeits = agent.get("forfeits") or {}
    return sum(forfeits.get(kind) or 0 for kind in _FORFEITS)


def _win_rate(agent: Agent, summary: Mapping[str, Any]) -> Cell:
    """The mean, coloured if the whole interval is above or below the equal share."""
    rate, equal_share = agent["win_rate"], summary["equal_share"]
    better = known(rate.get("low")) and rate["low"] > equal_share
    worse = known(rate.get("high")) and rate["high"] < equal_share
    return Cell(percent(rate["mean"]), "better" if better else "worse" if worse else "")


def _line_up(names: Sequence[str]) -> str:
    """Each agent once, with its number of seats."""
    seats_of = {name: names.count(name) for name in names}
    return ", ".join(
        name if seats == 1 else f"{seats} \N{MULTIPLICATION SIGN} {name}" for name, seats in seats_of.items()
    )


def _first_rows(rows: int, limit: int = _MAX_ROWS) -> str:
    return f"The first {limit:,} of {rows:,}; summary.json has all." if rows > limit else ""
