"""Sections on strength: standings, panel, pairs, meta-game, seats, matches, forfeits. None for one without data."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from w51_lab.report.result_table import Agent, Cell, Column, ResultTable, Section, named, table_of, tables_of
from w51_lab.report.sentences import forfeited_most
from w51_lab.report.values import (
    ABSENT,
    compared,
    count,
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


def standings(summary: Mapping[str, Any]) -> Section:
    """Win rates with intervals, scores, ratings and costs of all agents."""
    table = standings_table(summary, numbered=True)
    return Section("standings", "Standings", "", ("win_rate", "score_rank", "ratings"), [table])


def standings_table(summary: Mapping[str, Any], *, numbered: bool = False) -> ResultTable:
    """A row for each agent, the highest win rate first."""
    agents, share = ordered(summary), summary["equal_share"]
    failed = any(map(_forfeited, agents))
    columns: list[Column] = [
        named(),
        *win_rate_columns(share, summary["confidence"], f"of one seat; the equal share is {percent(share)}"),
        _ranged("score", "mean"),
        _ranged("rank", "mean, from 1"),
        _ranged("Elo", "mean of all agents: 1500", 0),
        ("rating", "Plackett-Luce: mu ± sigma", _rating),
        ("games", "games in which it had a seat", lambda agent: count(agent.get("games"))),
        ("forfeits", "decisions that it forfeited", lambda agent: count(_forfeited(agent)) if failed else ABSENT),
        ("time per decision", "mean wall time", lambda agent: seconds(agent.get("seconds_per_decision"))),
        ("tokens", "read and written by a language model", lambda agent: _used(agent, *_TOKENS)),
        ("cost", "by the prices of its settings", lambda agent: _used(agent, "cost")),
    ]
    note = (
        f"Sorted by win rate. Blue: the whole interval is above the equal share ({percent(share)}); "
        "orange: the whole interval is below it. Intervals are of one agent each, not corrected for several agents."
    )
    note = " ".join([note, *filter(None, map(forfeited_most, agents))])
    (table,) = tables_of(("Standings", agents, columns, note), numbered=numbered)
    return table


def win_rate_columns(equal_share: float, confidence: float, meaning: str = "of one seat") -> list[Column]:
    """The win rate, coloured if its whole interval is above or below the equal share, and the interval."""

    def rate(agent: Agent) -> Cell:
        value = agent["win_rate"]
        better = known(value.get("low")) and value["low"] > equal_share
        worse = known(value.get("high")) and value["high"] < equal_share
        return Cell(percent(value["mean"]), "better" if better else "worse" if worse else "")

    title = f"{confidence:.0%} interval"
    return [("win rate", meaning, rate), (title, "", lambda agent: interval(agent["win_rate"], percent))]


def _ranged(title: str, meaning: str, digits: int = 2) -> Column:
    """A mean with its interval; in a terminal the mean alone."""

    def cell(agent: Agent) -> Cell:
        value = agent.get(title.lower())
        return Cell(with_interval(value, digits), "range", brief=number((value or {}).get("mean"), digits))

    return title, meaning, cell


def _rating(agent: Agent) -> str:
    rated = agent.get("rating") or {}
    return f"{number(rated.get('mu'))} ± {number(rated.get('sigma'))}" if known(rated.get("mu")) else ABSENT


def _used(agent: Agent, *keys: str) -> str:
    usage = agent.get("usage")
    if not usage:
        return ABSENT
    total = sum(usage[key] for key in keys)
    return number(total) if keys == ("cost",) else count(int(total))


def panel(summary: Mapping[str, Any]) -> Section | None:
    """Invasion and resistance against each member of the panel; None without a panel."""
    found = summary.get("panel")
    if not found:
        return None
    agent, share = found["agent"], percent(summary["equal_share"])
    columns: list[Column] = [
        named(title="population"),
        ("alone", f"win rate of one {agent} among copies of the other agent", _rate("invasion", "invades")),
        ("interval", "", lambda row: interval(row["invasion"], percent)),
        ("half", "win rate of a seat where neither is alone", _rate("half")),
        ("other", f"win rate of one copy of the other agent among copies of {agent}", _rate("resistance", "resists")),
        ("interval", "", lambda row: interval(row["resistance"], percent)),
        ("invades", "alone it wins more than the equal share", lambda row: _verdict(row, "invades")),
        ("resists", "the other agent alone wins less than the equal share", lambda row: _verdict(row, "resists")),
        ("strength", "mean win rate of a seat over all mixtures", _rate("strength")),
    ]
    intro = (
        f"{agent} plays with each other agent in every mixture, on the same deals. It invades a population if it wins "
        f"more than the equal share ({share}) alone among its members, and resists it if a lone member wins less among "
        f"copies of {agent}. Strength: {percent(found['strength']['mean'])} "
        f"({interval(found['strength'], percent)}), the mean over all populations."
    )
    tables = tables_of(("Invasion and resistance", [*found["members"], {**found, "name": "mean"}], columns, ""))
    return Section("panel", "Populations", intro, ("populations",), tables)


def _rate(key: str, verdict: str = "") -> Callable[[Mapping[str, Any]], Cell]:
    """A win rate, coloured by a verdict on it."""
    kinds: dict[bool | None, str] = {True: "better", False: "worse"}
    return lambda row: Cell(percent((row[key] or {}).get("mean")), kinds.get(row.get(verdict), ""))


def _verdict(row: Mapping[str, Any], key: str) -> str:
    """Whether something holds, in a word; a question mark if it is undecided."""
    return {True: "yes", False: "no", None: "?"}[row[key]] if key in row else ABSENT


def pairs(summary: Mapping[str, Any]) -> Section | None:
    """Every two agents compared on the deals that both played."""
    tables = [table for table in (pairs_table(summary), _payoffs(summary)) if table is not None]
    intro = "Every two agents are compared on the same deals, so that luck of the deal does not count."
    intro += f" {summary['better']}."
    return Section("pairs", "Head to head", intro, ("pairs",), tables) if tables else None


def pairs_table(summary: Mapping[str, Any]) -> ResultTable | None:
    """A row for each two agents, the stronger one first."""
    found = compared(summary)
    columns: list[Column] = [
        named("first", "first"),
        named("second", "second", "words"),
        ("difference", "of the win rates, in percentage points", _difference),
        ("interval", "", lambda pair: interval(pair["win_rate"], points)),
        _ranged("score", "difference of the mean scores"),
        ("better", "", lambda pair: Cell("undecided" if undecided(pair) else pair["better"], "words")),
    ]
    return table_of("Pairs", found[:_MAX_ROWS], columns, _first_rows(len(found)))


def _difference(pair: Mapping[str, Any]) -> Cell:
    difference = pair["win_rate"]["mean"]
    return Cell(points(difference), "" if undecided(pair) else "better" if difference > 0 else "worse")


def _payoffs(summary: Mapping[str, Any]) -> ResultTable | None:
    payoffs = summary["payoffs"]
    row_of = dict(zip(payoffs["agents"], payoffs["table"], strict=True))
    agents = [agent for agent in ordered(summary) if agent["name"] in row_of]

    def against(number: int, other: int) -> Column:
        def cell(agent: Agent) -> str:
            is_itself = agent["name"] == payoffs["agents"][other]
            return ABSENT if is_itself else points(row_of[agent["name"]][other])

        return str(number), "", cell

    note = (
        "Mean win rate of the row less that of the column, in percentage points, over the games of both. "
        "The columns have the numbers of the rows."
    )
    others = [payoffs["agents"].index(agent["name"]) for agent in agents]
    columns = [named(), *(against(number, other) for number, other in enumerate(others, 1))]
    return table_of("Payoffs", agents, columns, note, numbered=True)


def meta_game(summary: Mapping[str, Any]) -> Section | None:
    """The meta-game, in which a player chooses an agent."""
    tables = tables_of(("Meta-game", ordered(summary), [named(), *_meta_columns()], ""))
    intro = "In the meta-game each of two players chooses an agent; the payoff is the difference of the win rates."
    return Section("meta-game", "Meta-game", intro, ("meta_game",), tables) if tables else None


def _meta_columns() -> list[Column]:
    weight = "weight in the Nash equilibrium of highest entropy"
    gain = "win rate less that of the Nash mixture, in percentage points"
    time = "fraction of time that evolving populations spend at the agent"
    return [
        ("Nash weight", weight, lambda agent: percent(agent.get("nash"))),
        ("gain", gain, lambda agent: points(agent.get("nash_skill"))),
        ("alpha-rank", time, lambda agent: percent(agent.get("alpha_rank"))),
    ]


def ratings_table(summary: Mapping[str, Any]) -> ResultTable | None:
    """Ratings and weights in the meta-game, as far as the summary has them."""
    elo = [
        ("Elo", "", lambda agent: number((agent.get("elo") or {}).get("mean"), 0)),
        ("interval", "", lambda agent: interval(agent.get("elo"), lambda end: number(end, 0))),
    ]
    return table_of("Ratings", ordered(summary), [named(), *elo, ("Plackett-Luce", "", _rating), *_meta_columns()])


def seats(summary: Mapping[str, Any]) -> Section | None:
    """Win rate by seat."""
    by_name = dict(zip((agent["name"] for agent in summary["agents"]), summary["seats"], strict=True))

    def in_seat(seat: int) -> Column:
        return f"seat {seat}", "", lambda agent: percent(by_name[agent["name"]][seat])

    columns = [named(), *map(in_seat, range(len(summary["seats"][0])))]
    tables = tables_of(("Win rate by seat", ordered(summary), columns, ""))
    return Section("seats", "Seats", "", ("seats",), tables) if tables else None


def matches(summary: Mapping[str, Any]) -> Section | None:
    """The results of each line-up."""
    played = summary["matches"]
    limit = _MAX_ROWS // summary["players"]
    rows = [
        {**agent, "lineup": Cell(_line_up(match["lineup"]), "name", rows=len(match["agents"])) if index == 0 else None}
        for match in played[:limit]
        for index, agent in enumerate(match["agents"])
    ]
    rate, (_, _, between) = win_rate_columns(summary["equal_share"], summary["confidence"])
    columns: list[Column] = [
        ("line-up", "", lambda row: row["lineup"]),
        named(kind="words"),
        *(rate, ("interval", "", between)),
        *(_ranged("score", "mean"), _ranged("rank", "mean")),
    ]
    tables = tables_of(("Matches", rows, columns, _first_rows(len(played), limit)))
    return Section("matches", "Match by match", tables=tables) if tables else None


def forfeits(summary: Mapping[str, Any]) -> Section | None:
    """Decisions that agents forfeited because their code failed."""
    agents = [agent for agent in ordered(summary) if agent.get("forfeits")]
    failed = [agent for agent in agents if _forfeited(agent)]
    if not agents:
        return None
    if not failed:
        return Section("forfeits", "Forfeits", "No agent forfeited a decision.")

    def number_of(kind: str) -> Column:
        return kind, _FORFEITS[kind], lambda agent: count(agent["forfeits"].get(kind, 0))

    kinds = [number_of(kind) for kind in _FORFEITS if any(kind in agent["forfeits"] for agent in failed)]
    first = ("first failure", "", lambda agent: Cell(agent["forfeits"].get("first") or ABSENT, "message"))
    intro = "In place of a forfeited decision a legal action is drawn uniformly."
    tables = tables_of(("Forfeited decisions", failed, [named(), *kinds, first], ""))
    return Section("forfeits", "Forfeits", intro, (), tables)


def _forfeited(agent: Agent) -> int:
    forfeits = agent.get("forfeits") or {}
    return sum(forfeits.get(kind) or 0 for kind in _FORFEITS)


def _line_up(names: Sequence[str]) -> str:
    """Each agent once, with its number of seats."""
    seats_of = {name: names.count(name) for name in names}
    return ", ".join(
        name if seats == 1 else f"{seats} \N{MULTIPLICATION SIGN} {name}" for name, seats in seats_of.items()
    )


def _first_rows(rows: int, limit: int = _MAX_ROWS) -> str:
    return f"The first {limit:,} of {rows:,}; summary.json has all." if rows > limit else ""
