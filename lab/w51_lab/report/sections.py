"""Sections on strength: standings, panel, pairs, meta-game, seats, matches, forfeits. None for one without data."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from w51_lab.arena.agent_statistics import UsageFacts
from w51_lab.report.models import AgentSummary, PairSummary, Standing, Summary
from w51_lab.report.result_table import Cell, Column, Item, ResultTable, Section, filled_table, named, table_of
from w51_lab.report.sentences import forfeited_most
from w51_lab.report.values import (
    ABSENT,
    NO_BREAK,
    count,
    difference_of,
    interval,
    number,
    percent,
    points,
    result_of,
    result_text,
    seconds,
    signed,
    with_interval,
)
from w51_lab.statistics.panel import PanelMeans, PanelMember
from w51_lab.statistics.records import Estimate

_MAX_ROWS = 2000


class HasWinRate(Protocol):
    """What has a win rate."""

    @property
    def win_rate(self) -> Estimate: ...


def standings(summary: Summary) -> Section:
    """Win rates with intervals, scores, ratings and costs of all agents."""
    table = standings_table(summary, numbered=True)
    return Section("standings", "Standings", "", ("win_rate", "score_rank", "ratings"), [table])


def standings_table(summary: Summary, *, numbered: bool = False) -> ResultTable:
    """A row for each agent, the best first."""
    agents, share = summary.ordered, summary.equal_share
    failed = any(agent.forfeits.count for agent in agents)
    by_payoff = summary.decides == "payoff"
    score: Column[AgentSummary] = _ranged("score", lambda agent: agent.score, "mean", whole=by_payoff)
    columns: list[Column[AgentSummary]] = [
        named(),
        *([score] if by_payoff else []),
        *win_rate_columns(share, summary.confidence, f"of one seat; the equal share is {percent(share)}"),
        *([] if by_payoff else [score]),
        _ranged("rank", lambda agent: agent.rank, "mean, from 1"),
        _ranged("Elo", lambda agent: agent.elo, "mean of all agents: 1500", 0, needed=False),
        Column("rating", _rating, "Plackett-Luce: mu ± sigma", needed=False),
        Column("games", lambda agent: count(agent.games), "games in which it had a seat"),
        Column(
            "forfeits",
            lambda agent: count(agent.forfeits.count) if failed else ABSENT,
            "decisions that it forfeited",
            needed=False,
        ),
        Column("time per decision", lambda agent: seconds(agent.seconds_per_decision), "mean wall time", needed=False),
        _used("tokens", "read and written by a language model", lambda usage: count(int(usage.tokens))),
        _used("cost", "by the prices of its settings", lambda usage: number(usage.cost)),
    ]
    note = (
        f"Sorted by {result_of(summary.decides)}, which decides. Blue: the whole interval of the win rate is above the "
        f"equal share ({percent(share)}); orange: the whole interval is below it. Intervals are of one agent each, not "
        "corrected for several agents."
    )
    note = " ".join([note, *filter(None, map(forfeited_most, agents))])
    return filled_table("Standings", agents, columns, note, numbered)


def win_rate_columns(equal_share: float, confidence: float, meaning: str = "of one seat") -> list[Column[HasWinRate]]:
    """The win rate, coloured if its whole interval is above or below the equal share, and the interval."""

    def rate(agent: HasWinRate) -> Cell:
        low, high = agent.win_rate.low, agent.win_rate.high
        better, worse = low is not None and low > equal_share, high is not None and high < equal_share
        return Cell(percent(agent.win_rate.mean), "better" if better else "worse" if worse else "")

    between: Column[HasWinRate] = Column(f"{confidence:.0%} interval", lambda agent: interval(agent.win_rate, percent))
    return [Column("win rate", rate, meaning), between]


def _ranged(
    title: str,
    value_of: Callable[[Item], Estimate | None],
    meaning: str,
    digits: int = 2,
    needed: bool = True,
    whole: bool = False,
) -> Column[Item]:
    """A mean with its interval; in a terminal the mean alone, unless `whole`."""

    def cell(item: Item) -> Cell:
        value = value_of(item)
        text = with_interval(value, digits)
        brief = text.replace(NO_BREAK, " ") if whole else number(None if value is None else value.mean, digits)
        return Cell(text, "range", brief=brief)

    return Column(title, cell, meaning, needed)


def _rating(agent: AgentSummary) -> str:
    return f"{number(agent.rating.mu)} ± {number(agent.rating.sigma)}" if agent.rating else ABSENT


def _used(title: str, meaning: str, write: Callable[[UsageFacts], str]) -> Column[AgentSummary]:
    return Column(title, lambda agent: write(agent.usage) if agent.usage else ABSENT, meaning, needed=False)


@dataclass(frozen=True)
class _Population:
    """A row of the panel's table: a member, or the mean over all, which has no verdicts."""

    name: str
    means: PanelMeans
    member: PanelMember | None = None

    @property
    def invades(self) -> bool | None:
        return self.member.invades if self.member else None

    @property
    def resists(self) -> bool | None:
        return self.member.resists if self.member else None


def panel(summary: Summary) -> Section | None:
    """Invasion and resistance against each member of the panel; None without a panel."""
    found = summary.panel
    if not found:
        return None
    agent = found.agent
    write, what = result_text(summary.decides), result_of(summary.decides)
    alone, other = f"{what} of one {agent} among copies of the other agent", f"{what} of one copy of the other agent"
    usual = {
        "win": f"the equal share ({percent(summary.equal_share)})",
        "payoff": "a seat of the population among its own copies",
    }.get(summary.decides, "the middle rank")
    columns: list[Column[_Population]] = [
        named(title="population"),
        Column("alone", lambda row: Cell(write(row.means.invasion.mean), _judged(row.invades)), alone),
        Column("interval", lambda row: interval(row.means.invasion, write)),
        Column(
            "half",
            lambda row: write(row.means.half.mean) if row.means.half else ABSENT,
            f"{what} of a seat where neither is alone",
            needed=False,
        ),
        Column(
            "own",
            lambda row: write(row.member.own.mean) if row.member and row.member.own else ABSENT,
            f"{what} of the other agent among its own copies",
            needed=False,
        ),
        Column(
            "other",
            lambda row: Cell(write(row.means.resistance.mean), _judged(row.resists)),
            f"{other} among copies of {agent}",
        ),
        Column("interval", lambda row: interval(row.means.resistance, write)),
        Column("invades", lambda row: _verdict(row, row.invades), f"alone it has more than {usual}"),
        Column("resists", lambda row: _verdict(row, row.resists), "the other agent alone has less than that"),
        Column("strength", lambda row: write(row.means.strength.mean), f"{what} of a seat over all mixtures"),
    ]
    intro = (
        f"{agent} plays with each other agent in every mixture, on the same deals. Results are the {what}. It invades "
        f"a population if it has more, alone among its members, than {usual}; it resists if a lone member has less "
        f"among copies of {agent}. Strength: {write(found.strength.mean)} ({interval(found.strength, write)}), the "
        "mean over all mixtures."
    )
    if found.own is not None:
        intro += f" Among its own copies {agent} has {write(found.own.mean)} ({interval(found.own, write)})."
    rows = [*(_Population(member.name, member, member) for member in found.members), _Population("mean", found)]
    table = filled_table("Invasion and resistance", rows, columns)
    return Section("panel", "Populations", intro, ("populations",), [table])


def _judged(verdict: bool | None) -> str:
    """The colour of a result on which there is a verdict."""
    return "" if verdict is None else "better" if verdict else "worse"


def _verdict(row: _Population, holds: bool | None) -> str:
    """Whether something holds, in a word; a question mark if it is undecided."""
    return ABSENT if row.member is None else "?" if holds is None else "yes" if holds else "no"


def pairs(summary: Summary) -> Section | None:
    """Every two agents compared on the deals that both played."""
    tables = [table for table in (pairs_table(summary), _payoffs(summary)) if table is not None]
    intro = "Every two agents are compared on the same deals, so that luck of the deal does not count."
    intro += f" {summary.better}."
    return Section("pairs", "Head to head", intro, ("pairs",), tables) if tables else None


def pairs_table(summary: Summary) -> ResultTable | None:
    """A row for each two agents, the stronger one first."""
    found, decides = summary.compared, summary.decides
    of_scores: Column[PairSummary] = _ranged("score", lambda pair: pair.score, "difference of the mean scores")
    columns: list[Column[PairSummary]] = [
        Column("first", lambda pair: Cell(pair.first, "name")),
        Column("second", lambda pair: Cell(pair.second, "words")),
        Column("difference", lambda pair: _difference(pair, decides), difference_of(decides)),
        Column("interval", lambda pair: interval(pair.result(decides), _signed(decides)), needed=False),
        *([of_scores] if decides != "payoff" else []),
        Column("better", lambda pair: Cell(pair.better or "undecided", "words")),
    ]
    return table_of("Pairs", found[:_MAX_ROWS], columns, _first_rows(len(found)))


def _signed(decides: str) -> Callable[[float | None], str]:
    """How a difference is written."""
    return points if decides == "win" else signed


def _difference(pair: PairSummary, decides: str) -> Cell:
    kind = "" if not pair.decided else "better" if pair.better == pair.first else "worse"
    return Cell(_signed(decides)(pair.result(decides).mean), kind)


def _payoffs(summary: Summary) -> ResultTable | None:
    names, agents = summary.payoffs.agents, summary.ordered
    row_of = dict(zip(names, summary.payoffs.table, strict=True))

    def against(number: int, other: int) -> Column[AgentSummary]:
        def cell(agent: AgentSummary) -> str:
            return ABSENT if agent.name == names[other] else _signed(summary.decides)(row_of[agent.name][other])

        return Column(str(number), cell, needed=False)

    note = (
        f"The row less the column: differences {difference_of(summary.decides)}, over the games of both. "
        "The columns have the numbers of the rows."
    )
    others = [against(number, names.index(agent.name)) for number, agent in enumerate(agents, 1)]
    columns: list[Column[AgentSummary]] = [named(), *others]
    return table_of("Payoffs", agents, columns, note, numbered=True)


def meta_game(summary: Summary) -> Section | None:
    """The meta-game, in which a player chooses an agent."""
    table = table_of("Meta-game", summary.ordered, [named(), *_meta_columns(summary.decides)])
    what = result_of(summary.decides)
    intro = f"In the meta-game each of two players chooses an agent; the payoff is the difference of the {what}s."
    return Section("meta-game", "Meta-game", intro, ("meta_game",), [table]) if table else None


def _meta_columns(decides: str) -> list[Column[AgentSummary]]:
    weight = "weight in the Nash equilibrium of highest entropy"
    gain = f"difference {difference_of(decides)}, from the Nash mixture"
    time = "fraction of time that evolving populations spend at the agent"
    return [
        Column("Nash weight", lambda agent: percent(agent.nash.mean) if agent.nash else ABSENT, weight, needed=False),
        Column("of redrawn deals", lambda agent: interval(agent.nash, percent), "95 % interval", needed=False),
        Column("gain", lambda agent: _signed(decides)(agent.nash_skill), gain, needed=False),
        Column("alpha-rank", lambda agent: percent(agent.alpha_rank), time, needed=False),
    ]


def ratings_table(summary: Summary) -> ResultTable | None:
    """Ratings and weights in the meta-game, as far as the summary has them."""
    columns: list[Column[AgentSummary]] = [
        named(),
        Column("Elo", lambda agent: number(agent.elo.mean, 0) if agent.elo else ABSENT, needed=False),
        Column("interval", lambda agent: interval(agent.elo, lambda end: number(end, 0)), needed=False),
        Column("Plackett-Luce", _rating, needed=False),
        *_meta_columns(summary.decides),
    ]
    return table_of("Ratings", summary.ordered, columns)


def seats(summary: Summary) -> Section | None:
    """What decides, by seat."""
    write, what = result_text(summary.decides), result_of(summary.decides)
    by_name = dict(zip((agent.name for agent in summary.agents), summary.seats, strict=True))

    def in_seat(seat: int) -> Column[AgentSummary]:
        return Column(f"seat {seat}", lambda agent: write(by_name[agent.name][seat]))

    table = table_of(f"{what.capitalize()} by seat", summary.ordered, [named(), *map(in_seat, range(summary.players))])
    return Section("seats", "Seats", "", ("seats",), [table]) if table else None


def matches(summary: Summary) -> Section | None:
    """The results of each line-up."""
    played = summary.matches
    limit = _MAX_ROWS // summary.players
    heads = {
        id(match.agents[0]): Cell(_line_up(match.lineup), "name", rows=len(match.agents)) for match in played[:limit]
    }
    rate, between = win_rate_columns(summary.equal_share, summary.confidence)
    columns: list[Column[Standing]] = [
        Column("line-up", lambda agent: heads.get(id(agent))),
        named(kind="words"),
        *(rate, replace(between, title="interval")),
        _ranged("score", lambda agent: agent.score, "mean"),
        _ranged("rank", lambda agent: agent.rank, "mean"),
    ]
    rows = [agent for match in played[:limit] for agent in match.agents]
    table = table_of("Matches", rows, columns, _first_rows(len(played), limit))
    return Section("matches", "Match by match", tables=[table]) if table else None


def forfeits(summary: Summary) -> Section:
    """Decisions that agents forfeited because their code failed."""
    failed = [agent for agent in summary.ordered if agent.forfeits.count]
    if not failed:
        return Section("forfeits", "Forfeits", "No agent forfeited a decision.")
    skipped = "decisions without a call, after too many failures in a game"
    columns: list[Column[AgentSummary]] = [
        named(),
        Column("errors", lambda agent: count(agent.forfeits.errors), "its code failed"),
        Column("illegal", lambda agent: count(agent.forfeits.illegal), "it did not return a legal action"),
        Column("late", lambda agent: count(agent.forfeits.late), "it took too long"),
        Column("skipped", lambda agent: count(agent.forfeits.skipped), skipped),
        Column("first failure", lambda agent: Cell(agent.forfeits.first or ABSENT, "message"), needed=False),
    ]
    intro = "In place of a forfeited decision a legal action is drawn uniformly."
    return Section("forfeits", "Forfeits", intro, (), [filled_table("Forfeited decisions", failed, columns)])


def _line_up(names: Sequence[str]) -> str:
    """Each agent once, with its number of seats."""
    seats_of = {name: names.count(name) for name in names}
    return ", ".join(
        name if seats == 1 else f"{seats} \N{MULTIPLICATION SIGN} {name}" for name, seats in seats_of.items()
    )


def _first_rows(rows: int, limit: int = _MAX_ROWS) -> str:
    return f"The first {limit:,} of {rows:,}; summary.json has all." if rows > limit else ""
