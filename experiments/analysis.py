"""What figures and pages compute from the data of the experiments; without PyTorch."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from w51_lab.statistics.estimates import Interval, holm, over_seeds, student_p, student_quantile
from w51_lab.statistics.metagame import nash_average

PLAYERS = 4
TOLD_AT = (0, 2, 5, 10, 20, 40)  #  own decisions before, at which telling is measured: from each to the next
FIRST = "random"  #  the first agent of PSRO
DOUBT = "doubtful"
LOTS = {  # of pairs of games, with their names on the page
    "lots.price_of_the_same": "price of the same lots",
    "lots.bids": "bids for a lot",
    "lots.unsold": "unsold lots",
    "decisions": "decisions in a game",
    "score": "score",
    "worth": "worth of a bought lot",
    "money_at_the_end": "ingots at the end",
    "pawns.pawned": "pawned relics",
    "score_spread": "spread of the scores of a game",
    "lots.worth_of_the_same": "worth of the same lots",
}
BESIDE = {
    "win_rate.left_1": "wins, %, left of the random player",
    "win_rate.left_2": "wins, %, opposite of it",
    "win_rate.left_3": "wins, %, right of it",
}
OF_CHANGED = {  # of the agent that differs
    "win_rate": "wins, %",
    "score": LOTS["score"],
    "counterfeits.known_bid_up": "known counterfeits bid up in a game",
    "counterfeits.bought_knowing": "known counterfeits bought in a game",
    "counterfeits.known_had_to_buy": "bought of the known ones bid for, %",
    "counterfeits.bought_unknowing": "counterfeits bought unknowing",
    "lots.price_of_the_same": LOTS["lots.price_of_the_same"],
}
BY_KNOWLEDGE = {  # of the same lots
    f"lots.{name}_of_the_same{who}": f"{name}{who or ', all'}"
    for name in ("price", "worth")
    for who in ("", ", known to the buyer", ", known to others", ", genuine")
}
MEASURES = {
    **BY_KNOWLEDGE,
    **LOTS,
    **BESIDE,
    **OF_CHANGED,
    DOUBT: "counterfeits, %, of doubtful relics: all, bought",
}
PERCENT = {*BESIDE, "win_rate", "lots.unsold", "counterfeits.known_had_to_buy", DOUBT}
_MANY = 2000  #  degrees of freedom of intervals over deals


def option_of(cell: Mapping[str, Any]) -> str:
    """What differs in a pair of games: an option, or `agent`."""
    return str(cell["pair"].partition("=")[0])


def kind_of(cell: Mapping[str, Any]) -> tuple[str, bool]:
    """Of a pair of games; pairs of one kind have the same measures."""
    return option_of(cell), " " in cell["agent"]


def over_all(row: Mapping[str, Any]) -> Interval:
    """The difference of a pair of games: over several trainings, else over deals; an unknown end is nan."""
    if row["trainings"]:
        return over_seeds(row["trainings"])
    mean, low, high = (row["difference"][name] for name in ("mean", "low", "high"))
    return Interval(mean, *(math.nan if end is None else end for end in (low, high)))


def p_value(row: Mapping[str, Any]) -> float:
    """How likely a difference at least as far from 0 is, if there is none; nan if its interval is not known."""
    interval, values = over_all(row), row["trainings"]
    if math.isnan(interval.low):
        return math.nan
    freedom = len(values) - 1 if values else _MANY
    reach = (interval.high - interval.low) / 2
    if not reach:
        return float(interval.mean == 0)
    return student_p(interval.mean / reach * student_quantile(freedom), freedom)


def odds(rate: Any) -> np.ndarray:
    """Odds to win relative to those of an equal share: 1 for an agent as good as the heuristic."""
    rate = np.clip(np.asarray(rate, float), 1e-3, 1 - 1e-3)
    return np.asarray(rate / (1 - rate) * (PLAYERS - 1))


def fit(amounts: np.ndarray, rates: np.ndarray, trainings: np.ndarray) -> dict[str, float]:
    """Exponent of odds over amount by least squares of logarithms: the mean over trainings, with its 95 % interval."""
    x, y = np.log10(amounts), np.log10(odds(rates))
    each = [np.polyfit(x[trainings == one], y[trainings == one], 1)[0] for one in np.unique(trainings)]
    exponent, low, high = over_seeds(each)
    return {"exponent": exponent, "low": low, "high": high, "height": float(y.mean() - exponent * x.mean())}


def series(data: dict[str, Any]) -> dict[str, list[tuple[str, np.ndarray, np.ndarray, np.ndarray]]]:
    """For each panel its series: (name, amounts, (N, 3) win rates with their intervals, seeds of the trainings)."""
    trained = [cell for cell in data["cells"] if "width" in cell]
    rows = [(cell["width"], point["decisions"], point, cell["seed"]) for cell in trained for point in cell["points"]]
    widths = sorted({cell["width"] for cell in trained})
    by_width = {width: [row[1:] for row in rows if row[0] == width] for width in widths}
    last = [(cell["width"], cell["points"][-1], cell["seed"]) for cell in trained]
    search = [(cell["playouts"], cell, 0) for cell in data["cells"] if "playouts" in cell]
    return {
        "decisions of the training": [(f"width {width}", *_arrays(points)) for width, points in by_width.items()],
        "width of both layers": [("at the end of the training", *_arrays(last))],
        "playouts for each decision": [("search", *_arrays(search))],
    }


def _arrays(rows: list[tuple[int, dict[str, float], int]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rates = [[point["win_rate"], point["low"], point["high"]] for _, point, _ in rows]
    return np.array([row[0] for row in rows], float), np.array(rates), np.array([row[2] for row in rows])


def table_of(rows: list[dict[str, Any]]) -> np.ndarray:
    """Antisymmetric payoffs of the meta-game: wins alone among copies of the other less the other's among one's own."""
    table = np.zeros((len(rows) + 1,) * 2)
    for number, row in enumerate(rows, 1):
        for other, (alone, against) in enumerate(row["wins"]):
            table[number, other], table[other, number] = alone - against, against - alone
    return table


def redrawn_weights(rows: list[dict[str, Any]], games: int, draws: int = 400) -> np.ndarray:
    """(draws, A) Nash weights of the meta-game if as many games of each pair are played again."""
    random = np.random.default_rng(0)
    again = ([{"wins": random.binomial(games, row["wins"]) / games} for row in rows] for _ in range(draws))
    return np.array([nash_average(table_of(drawn)).weights for drawn in again])


def unlike_first(arms: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Which means over trainings differ from those of the first arm, if all of the page are judged together (Holm).

    Args:
        arms: Of each arm (trainings, measures), two trainings or more; the measures of all are the same.

    Returns:
        Of each arm but the first (measures,) booleans, by Student's t with the deviation of both arms.
    """
    first, *others = arms
    p_values = []
    for other in others:
        freedom = len(first) + len(other) - 2
        squares = sum(((arm - arm.mean(axis=0)) ** 2).sum(axis=0) for arm in (first, other))
        errors = np.sqrt(squares / freedom * (1 / len(first) + 1 / len(other)))
        statistics = (other.mean(axis=0) - first.mean(axis=0)) / errors
        p_values += [student_p(statistic, freedom) for statistic in statistics]
    return np.split(np.array(holm(p_values)), len(others))
