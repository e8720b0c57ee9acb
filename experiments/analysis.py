"""What figures and pages compute from the data of the experiments; without PyTorch."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from w51_lab.statistics.estimates import student_quantile

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
_DRAWS = 1000  #  of a bootstrap


def option_of(cell: Mapping[str, Any]) -> str:
    """What differs in a pair of games: an option, or `agent`."""
    return str(cell["pair"].partition("=")[0])


def kind_of(cell: Mapping[str, Any]) -> tuple[str, bool]:
    """Of a pair of games; pairs of one kind have the same measures."""
    return option_of(cell), " " in cell["agent"]


def mean_interval(values: Sequence[float] | np.ndarray) -> tuple[float, float, float]:
    """Mean of independent values and the ends of its 95 % interval by Student's t; one value has no interval."""
    mean = float(np.mean(values))
    if len(values) < 2:
        return mean, float("nan"), float("nan")
    reach = student_quantile(len(values) - 1) * float(np.std(values, ddof=1)) / len(values) ** 0.5
    return mean, mean - reach, mean + reach


def odds(rate: Any) -> np.ndarray:
    """Odds to win relative to those of an equal share: 1 for an agent as good as the heuristic."""
    rate = np.clip(np.asarray(rate, float), 1e-3, 1 - 1e-3)
    return np.asarray(rate / (1 - rate) * (PLAYERS - 1))


def fit(amounts: np.ndarray, rates: np.ndarray, seed: int = 0) -> dict[str, float]:
    """Exponent of odds over amount by least squares of logarithms, with a 95 % interval by bootstrap of the points."""
    x, y = np.log10(amounts), np.log10(odds(rates))
    drawn = np.random.default_rng(seed).integers(len(x), size=(_DRAWS, len(x)))
    exponents = [np.polyfit(x[draw], y[draw], 1)[0] for draw in drawn if np.ptp(x[draw]) > 0]
    exponent, height = np.polyfit(x, y, 1)
    low, high = np.quantile(exponents, (0.025, 0.975))
    return {"exponent": float(exponent), "low": float(low), "high": float(high), "height": float(height)}


def series(data: dict[str, Any]) -> dict[str, list[tuple[str, np.ndarray, np.ndarray]]]:
    """For each panel its series: (name, amounts, (N, 3) win rates with their intervals)."""
    trained = [cell for cell in data["cells"] if "width" in cell]
    rows = [(cell["width"], point) for cell in trained for point in cell["points"]]
    widths = sorted({cell["width"] for cell in trained})
    by_width = {width: [(point["decisions"], point) for other, point in rows if other == width] for width in widths}
    last = [(cell["width"], cell["points"][-1]) for cell in trained]
    search = [(cell["playouts"], cell) for cell in data["cells"] if "playouts" in cell]
    return {
        "decisions of the training": [(f"width {width}", *_arrays(points)) for width, points in by_width.items()],
        "width of both layers": [("at the end of the training", *_arrays(last))],
        "playouts for each decision": [("search", *_arrays(search))],
    }


def _arrays(rows: list[tuple[int, dict[str, float]]]) -> tuple[np.ndarray, np.ndarray]:
    rates = [[point["win_rate"], point["low"], point["high"]] for _, point in rows]
    return np.array([amount for amount, _ in rows], float), np.array(rates)


def table_of(rows: list[dict[str, Any]]) -> np.ndarray:
    """Antisymmetric payoffs of the meta-game: wins alone among copies of the other less the other's among one's own."""
    table = np.zeros((len(rows) + 1,) * 2)
    for number, row in enumerate(rows, 1):
        for other, (alone, against) in enumerate(row["wins"]):
            table[number, other], table[other, number] = alone - against, against - alone
    return table
