"""The parts of the page as words and tables, without its figures. A part for which the summary has nothing is left out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.page.strength import compared, open_question, ordered
from arena.page.values import (
    ABSENT,
    count,
    has_mean,
    interval,
    known,
    number,
    percent,
    points,
    seconds,
    with_reach,
)

_MOST_UNFOLDED = 40
_MOST_ROWS = 2000


@dataclass(frozen=True)
class Cell:
    """A cell of a table.

    Attributes:
        kind: "name" for what heads the row, "better" or "worse" than the equal share, "words" for a text, "fault" for what code said, "" for a number.
        link: Where it leads, relative to the page.
        rows: How many rows it heads.
    """

    text: str
    kind: str = ""
    link: str = ""
    rows: int = 1


@dataclass(frozen=True)
class Table:
    """A table. `columns` are (title, what it means, or ""); `note` is said beside its title."""

    title: str
    columns: Sequence[tuple[str, str]]
    rows: Sequence[Sequence[Cell]]
    note: str = ""

    @property
    def folded(self) -> bool:
        """Whether it is long, and opened by a click."""
        return len(self.rows) > _MOST_UNFOLDED

    def is_words(self, column: int) -> bool:
        """Whether this column holds words, which stand at its left."""
        return self.rows[0][column].kind in ("name", "words", "fault")


@dataclass(frozen=True)
class Section:
    """A part of the page.

    Attributes:
        id: Of the link that leads to it.
        figures: Names of its figures; those that were not drawn are left out.
        facts: (what, its value).
    """

    id: str
    title: str
    intro: str = ""
    figures: Sequence[str] = ()
    tables: Sequence[Table] = ()
    facts: Sequence[tuple[str, str]] = ()


def standings(summary: Mapping[str, Any]) -> Section:
    """Who won how much, with intervals and ratings."""
    agents = ordered(summary)
    columns = [
        ("", "place by win rate"),
        ("agent", ""),
        ("win rate", f"of one seat; the equal share is {percent(summary['equal_share'])}"),
        (f"{summary['confidence']:.0%} interval", ""),
    ]
    optional = {
        "score": any(has_mean(agent.get("score")) for agent in agents),
        "rank": any(has_mean(agent.get("rank")) for agent in agents),
        "Elo": any(has_mean(agent.get("elo")) for agent in agents),
        "rating": any(known((agent.get("rating") or {}).get("mu")) for agent in agents),
        "games": any(known(agent.get("games")) for agent in agents),
        "forfeits": any(_forfeited(agent) for agent in agents),
        "a decision": any(known(agent.get("seconds_per_decision")) for agent in agents),
    }
    meanings = {
        "score": "mean, with half of its interval",
        "rank": "mean, from 1, with half of its interval",
        "Elo": "with half of its interval",
        "rating": "Plackett-Luce: mu, with sigma",
        "games": "in which it sat at the table",
        "forfeits": "decisions taken from it, for a fault of its code",
        "a decision": "mean time it took",
    }
    columns += [(title, meanings[title]) for title, shown in optional.items() if shown]
    rows = []
    for place, agent in enumerate(agents, 1):
        share = agent["win_rate"]
        rating = agent.get("rating") or {}
        cells = {
            "score": with_reach(agent.get("score")),
            "rank": with_reach(agent.get("rank")),
            "Elo": with_reach(agent.get("elo"), 0),
            "rating": f"{number(rating.get('mu'))} ± {number(rating.get('sigma'))}" if rating else ABSENT,
            "games": count(agent.get("games")),
            "forfeits": count(_forfeited(agent)),
            "a decision": seconds(agent.get("seconds_per_decision")),
        }
        rows.append(
            [
                Cell(str(place)),
                Cell(agent["name"], "name"),
                Cell(percent(share["mean"]), _against(share, summary["equal_share"])),
                Cell(interval(share, percent)),
                *(Cell(text) for title, text in cells.items() if optional[title]),
            ]
        )
    note = f"In the order of the win rate. Blue: all of its interval is above the equal share ({percent(summary['equal_share'])}); orange: all of it is below."
    if any(shown for title, shown in optional.items() if title in ("score", "rank", "Elo", "rating")):
        note += " ± is half of the interval" + ("; of the rating it is sigma." if optional["rating"] else ".")
    return Section(
        "standings", "Standings", "", ("win_rate", "score_rank", "ratings"), (Table("Standings", columns, rows, note),)
    )


def pairs(summary: Mapping[str, Any]) -> Section | None:
    """Each two agents compared on the deals that both played."""
    known_pairs = compared(summary)
    tables = []
    if known_pairs:
        scored = any(has_mean(pair.get("score")) for pair in known_pairs)
        columns = [
            ("first", ""),
            ("second", ""),
            ("difference", "of the win rates, in percentage points"),
            ("interval", ""),
        ]
        columns += [("score", "difference of the mean scores, with half of its interval")] if scored else []
        columns += [("who is better", "")]
        rows = []
        for pair in known_pairs[:_MOST_ROWS]:
            row = [
                Cell(pair["first"], "name"),
                Cell(pair["second"], "words"),
                Cell(points(pair["win_rate"]["mean"]), "" if open_question(pair) else _side(pair["win_rate"]["mean"])),
                Cell(interval(pair["win_rate"], points)),
            ]
            row += [Cell(with_reach(pair.get("score")))] if scored else []
            rows.append([*row, Cell(_verdict(pair), "words")])
        tables.append(Table("Pairs", columns, rows, _rest(len(known_pairs))))
    if payoffs := _payoffs(summary):
        tables.append(payoffs)
    intro = "Each two agents are compared on the same deals, so that luck that both had is not counted."
    return Section("pairs", "Head to head", intro, ("pairs",), tables) if tables else None


def _payoffs(summary: Mapping[str, Any]) -> Table | None:
    payoffs = summary.get("payoffs")
    if not payoffs or not payoffs.get("agents"):
        return None
    of = {
        name: dict(zip(payoffs["agents"], line, strict=True))
        for name, line in zip(payoffs["agents"], payoffs["table"], strict=True)
    }
    names = [agent["name"] for agent in ordered(summary) if agent["name"] in of]
    columns = [("", ""), ("agent", ""), *((str(place), "") for place in range(1, len(names) + 1))]
    rows = [
        [
            Cell(str(place)),
            Cell(name, "name"),
            *(Cell(ABSENT if name == other else points(of[name][other])) for other in names),
        ]
        for place, name in enumerate(names, 1)
    ]
    note = "Mean win rate of the row less that of the column, in percentage points, over the games where both sat. Columns have the numbers of the rows."
    return Table("Payoffs", columns, rows, note)


def meta_game(summary: Mapping[str, Any]) -> Section | None:
    """The game of choosing which agent to send."""
    kinds = {
        "nash": ("Nash weight", "in the mixture of highest entropy that no agent gains on", percent),
        "nash_skill": ("gain against it", "win rate less that of the mixture, in percentage points", points),
        "alpha_rank": ("alpha-rank", "share of time that evolving populations spend at the agent", percent),
    }
    agents = ordered(summary)
    kinds = {key: kind for key, kind in kinds.items() if any(known(agent.get(key)) for agent in agents)}
    if not kinds:
        return None
    rows = [
        [Cell(agent["name"], "name"), *(Cell(write(agent.get(key))) for key, (_, _, write) in kinds.items())]
        for agent in agents
    ]
    columns = [("agent", ""), *((title, meaning) for title, meaning, _ in kinds.values())]
    intro = "The payoffs of pairs are taken as a game in which one chooses an agent to play for oneself."
    return Section(
        "meta-game", "The game of choosing an agent", intro, ("meta_game",), (Table("Meta-game", columns, rows),)
    )


def seats(summary: Mapping[str, Any]) -> Section | None:
    """Win rate by seat."""
    if not summary.get("seats"):
        return None
    by_name = dict(zip((agent["name"] for agent in summary["agents"]), summary["seats"], strict=True))
    rows = [
        [Cell(agent["name"], "name"), *(Cell(percent(share)) for share in by_name[agent["name"]])]
        for agent in ordered(summary)
    ]
    columns = [("agent", ""), *((f"seat {seat}", "") for seat in range(len(summary["seats"][0])))]
    return Section("seats", "Seats", "", ("seats",), (Table("Win rate by seat", columns, rows),))


def matches(summary: Mapping[str, Any]) -> Section | None:
    """Each line-up by itself."""
    played = summary.get("matches") or []
    if not played:
        return None
    rows = []
    for match in played[: _MOST_ROWS // summary["players"]]:
        for place, agent in enumerate(match["agents"]):
            head = [Cell(_line_up(match["lineup"]), "name", rows=len(match["agents"]))] if place == 0 else []
            share = agent["win_rate"]
            rows.append(
                [
                    *head,
                    Cell(agent["name"], "words"),
                    Cell(percent(share["mean"]), _against(share, summary["equal_share"])),
                    Cell(interval(share, percent)),
                    Cell(with_reach(agent.get("score"))),
                    Cell(with_reach(agent.get("rank"))),
                ]
            )
    columns = [
        ("line-up", ""),
        ("agent", ""),
        ("win rate", "of one seat"),
        ("interval", ""),
        ("score", "mean"),
        ("rank", "mean"),
    ]
    note = _rest(len(played), _MOST_ROWS // summary["players"])
    return Section("matches", "Match by match", "", (), (Table("Matches", columns, rows, note),))


def forfeits(summary: Mapping[str, Any]) -> Section | None:
    """Decisions that were taken from an agent because its code failed."""
    agents = [agent for agent in ordered(summary) if agent.get("forfeits")]
    faulty = [agent for agent in agents if _forfeited(agent)]
    if not agents:
        return None
    if not faulty:
        return Section("forfeits", "Forfeits", "No agent forfeited a decision.")
    kinds = {
        "errors": "its code failed",
        "illegal": "its answer was not a legal action",
        "late": "it took too long",
        "unasked": "it was not asked any more in a game, after too many faults",
    }
    kinds = {kind: meaning for kind, meaning in kinds.items() if any(kind in agent["forfeits"] for agent in faulty)}
    rows = [
        [
            Cell(agent["name"], "name"),
            *(Cell(count(agent["forfeits"].get(kind, 0))) for kind in kinds),
            Cell(agent["forfeits"].get("first") or ABSENT, "fault"),
        ]
        for agent in faulty
    ]
    columns = [("agent", ""), *kinds.items(), ("first fault", "")]
    intro = "A decision that an agent forfeits is made for it: a legal action is drawn, each as likely as the other."
    return Section("forfeits", "Forfeits", intro, (), (Table("Forfeited decisions", columns, rows),))


def _forfeited(agent: Mapping[str, Any]) -> int:
    forfeits = agent.get("forfeits") or {}
    return sum(forfeits.get(kind) or 0 for kind in ("errors", "illegal", "late", "unasked"))


def _verdict(pair: Mapping[str, Any]) -> str:
    if open_question(pair):
        return "not settled"
    return pair.get("better") or (pair["first"] if pair["win_rate"]["mean"] > 0 else pair["second"])


def _side(difference: float) -> str:
    return "better" if difference > 0 else "worse"


def _against(value: Mapping[str, Any], equal_share: float) -> str:
    """Whether all of an interval is on one side of the equal share."""
    if known(value.get("low")) and value["low"] > equal_share:
        return "better"
    return "worse" if known(value.get("high")) and value["high"] < equal_share else ""


def _line_up(names: Sequence[str]) -> str:
    """Each agent once, with how many seats it has."""
    seats_of = {name: names.count(name) for name in names}
    return ", ".join(
        name if seats == 1 else f"{seats} \N{MULTIPLICATION SIGN} {name}" for name, seats in seats_of.items()
    )


def _rest(rows: int, most: int = _MOST_ROWS) -> str:
    return f"The first {most:,} of {rows:,}; all are in the data." if rows > most else ""
