"""The tables of docs/experiments/payee.md."""

from itertools import product
from typing import Any

import numpy as np

from docs import _tables
from experiments.analysis import p_value
from experiments.payee_figure import HEURISTIC, MEASURES, TRAINED, differences, trained_for, under
from w51_lab.statistics.estimates import holm, over_seeds

Data = dict[str, Any]
PRIMARY = ("bank", "others", "price")
LOTS = (("others", 0.0), ("others", 0.5), ("others", 1.0), ("left", 1.0), ("right", 1.0))


def payee(data: Data) -> str:
    """One lot, the mini game, and what trained agents do under the payee that they were trained for and others."""
    payees = list(dict.fromkeys(cell["payee"] for cell in data["cells"] if cell.get("agent") == TRAINED))
    return "\n\n".join(
        (
            one_lot(data),
            nano(data),
            own_rule(data, payees),
            compared(data, payees),
            crossed(data, payees),
            apart(data),
            curves(data),
            beside(data, payees),
            f"({_note(data)})",
        )
    )


def _note(data: Data) -> str:
    seconds = sum(cell.get("training_seconds", 0) for cell in data["cells"]) / 60
    settings = data["settings"]
    trainings = sum("training_seconds" in cell for cell in data["cells"])
    return (
        f"{trainings} trainings of {settings['decisions']:,} decisions, {settings['games']:,} games a measurement, "
        f"{settings['iterations']} iterations of CFR+ in `nano`; {seconds:.0f} minutes of training on a busy machine. "
        f"{_tables.measured(data['machine'], data['cells'])}"
    )


def one_lot(data: Data) -> str:
    """Price, who is fooled, and points of a seat, in what CFR+ finds from its first start; the prices of all starts."""
    rows = []
    for ahead in (False, True):
        for payment, refund in LOTS:
            (cell,) = (
                cell
                for cell in data["cells"]
                if (cell.get("lot"), cell.get("refund"), cell.get("ahead")) == (payment, refund, ahead)
            )
            first, prices = cell["starts"][0], [start["price"] for start in cell["starts"]]
            numbers = (f"{first[key]:.2f}" for key in ("fooled", "score", "score_knowing", "score_of_the_third", "gap"))
            name = {0.0: "bank", 0.5: "others, half"}.get(refund, payment)
            wanted = "to be ahead" if ahead else "points"
            rows.append((name, wanted, f"{first['price']:.2f} ({min(prices):.2f} to {max(prices):.2f})", *numbers))
    header = (
        *("one lot: payee", "bidders want", "price (of all starts)", "counterfeits sold to the third seat"),
        *("points of a seat", "of one that knows", "of the third then", "a best response gains"),
    )
    return _tables.table(header, rows)


def nano(data: Data) -> str:
    """The mini game, two starts of CFR+ each."""
    rows = []
    for cell in (cell for cell in data["cells"] if "nano" in cell):
        texts = [
            " and ".join(f"{scale * start[key]:.{digits}f}" for start in cell["starts"])
            for key, scale, digits in (("price", 1, 2), ("sold", 100, 0), ("score", 1, 2))
        ]
        gaps = " and ".join(f"{100 * float(np.mean(start['gap'])):.1f}" for start in cell["starts"])
        rows.append((cell["nano"], *texts, gaps))
    return _tables.table(
        ("`nano`: payee", "price", "sold, %", "points of a seat", "a best response gains, points"), rows
    )


def own_rule(data: Data, payees: list[str]) -> str:
    """Copies of agents under the rule that they were trained for, over trainings; the same of the heuristic."""
    rows = []
    for name in payees:
        cells, (bot,) = trained_for(data, name), trained_for(data, name, HEURISTIC)
        measures = (f"{_mean(under(data, name, name, key))} ({bot['under'][name][key]:.2f})" for key in MEASURES)
        rows.append((name, len(cells), _mean([100 * cell["wins_alone"] for cell in cells], 1), *measures))
    header = ("whole game: payee", "trainings", "wins alone among heuristics, %", *MEASURES.values())
    return _tables.table(header, rows)


def compared(data: Data, payees: list[str]) -> str:
    """Differences from the bank, and of right from left; the secondary ones judged together."""
    pairs = [*(("bank", name) for name in payees if name != "bank"), ("left", "right")]
    found = []
    for (first, second), key in product(pairs, MEASURES):
        values = differences(under(data, first, first, key), under(data, second, second, key))
        if len(values) > 1:
            found.append(((first, second, key), values))
    secondary = [values for question, values in found if question != PRIMARY]
    stars = iter(holm([p_value({"trainings": values}) for values in secondary]))
    rows: dict[tuple[str, str], list[str]] = {}
    for question, values in found:
        mark = " (the question)" if question == PRIMARY else " \\*" * next(stars)
        mean, low, high = over_seeds(values)
        text = f"{mean:+.2f} [{low:+.2f}, {high:+.2f}]{mark}"
        rows.setdefault(question[:2], []).append(text)
    lines = [(f"{first} → {second}", *texts) for (first, second), texts in rows.items()]
    return _tables.table(("difference over trainings", *MEASURES.values()), lines)


def crossed(data: Data, payees: list[str]) -> str:
    """Prices of agents trained for each payee that play under each."""
    rows = [(f"trained for {name}", *(_mean(under(data, name, rule, "price")) for rule in payees)) for name in payees]
    return _tables.table(("price", *(f"under {rule}" for rule in payees)), rows)


def apart(data: Data) -> str:
    """The difference of prices between bank and others: of the rule for the same agents, and of training for it."""
    parts = (
        ("the rule, for agents trained for bank", ("bank", "bank"), ("bank", "others")),
        ("the rule, for agents trained for others", ("others", "bank"), ("others", "others")),
        ("training, under bank", ("bank", "bank"), ("others", "bank")),
        ("training, under others", ("bank", "others"), ("others", "others")),
    )
    rows = []
    for name, one, other in parts:
        mean, low, high = over_seeds(differences(under(data, *one, "price"), under(data, *other, "price")))
        rows.append((name, f"{mean:+.2f} [{low:+.2f}, {high:+.2f}]"))
    return _tables.table(("bank → others, apart", "price"), rows)


def curves(data: Data) -> str:
    """Wins alone among heuristics in longer trainings."""
    cells = [cell for cell in data["cells"] if "curve" in cell]
    decisions = [f"{round(point['decisions'], -5):,}" for point in cells[0]["points"]]
    rows = [(cell["curve"], *(f"{100 * point['wins_alone']:.1f}" for point in cell["points"])) for cell in cells]
    return _tables.table(("wins alone among heuristics, %, after decisions", *decisions), rows)


def beside(data: Data, payees: list[str]) -> str:
    """Wins of three copies by their place beside a weak player, in percent."""
    slips = list(next(cell["beside"] for cell in data["cells"] if "beside" in cell))
    rows = []
    for name in payees:
        cells = trained_for(data, name)
        places = [np.array([cell["beside"][slip] for cell in cells]) for slip in slips]
        rows.append((name, *(" / ".join(f"{100 * mean:.0f}" for mean in place.mean(axis=0)) for place in places)))
    header = (f"random action with probability {slip}" for slip in slips)
    return _tables.table(("wins, %: left / opposite / right / the weak player", *header), rows)


def _mean(values: list[float], digits: int = 2) -> str:
    mean, low, high = over_seeds(values)
    ends = f" [{low:.{digits}f}, {high:.{digits}f}]" if len(values) > 1 else ""
    return f"{mean:.{digits}f}{ends}"
