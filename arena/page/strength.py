"""Figures of how strong the agents are: win rate, score, rank, ratings, equilibrium, pairs, seats."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator, PercentFormatter

from arena.page.figures import COLUMN, FAINT, PAGE, Drawing, Mark, equal_share_line, new_figure, plain_axes
from arena.page.matrix import MOST_WITH_TEXT, matrix
from arena.page.values import ends, has_mean, interval, known, percent, signed

ROW = 0.19  #  inches that an agent takes
FRAME = 0.75  #  and what is above and below the agents
_SIGMAS = 2.0
_NAMED_COLUMNS, _NAMED_LETTERS = 6, 11  #  of a matrix: with more or longer names its columns have numbers


def draw_strength(summary: Mapping[str, Any], look: Mapping[str, Mark]) -> list[Drawing]:
    """Those figures for which the summary has numbers, in the order of the page."""
    drawings = [_win_rate(summary, look), _score_and_rank(summary, look), _ratings(summary, look)]
    drawings += [_pairs(summary, look), _meta_game(summary, look), _seats(summary, look)]
    return [drawing for drawing in drawings if drawing is not None]


def ordered(summary: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The agents, the highest win rate first."""
    return sorted(summary["agents"], key=lambda agent: -agent["win_rate"]["mean"])


def _win_rate(summary: Mapping[str, Any], look: Mapping[str, Mark]) -> Drawing:
    agents = ordered(summary)
    figure = new_figure(PAGE, FRAME + ROW * len(agents))
    axes = figure.subplots()
    _rows(axes, agents, look, lambda agent: agent["win_rate"])
    equal_share_line(axes, summary["equal_share"])
    highest = max(ends(agent["win_rate"])[1] for agent in agents)
    axes.set_xlim(0, min(1.01, max(highest, summary["equal_share"]) * 1.06))
    axes.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axes.set_xlabel("win rate of a seat")
    beside = axes.secondary_yaxis("right")
    beside.set_yticks(range(len(agents)), [_in_words(agent["win_rate"]) for agent in agents])
    beside.tick_params(length=0)
    beside.spines[:].set_visible(False)
    best, last = agents[0], agents[-1]
    return Drawing(
        "win_rate",
        figure,
        f"Win rate of one seat of each agent, with {summary['confidence']:.0%} intervals. "
        f"The dashed line is the equal share, 1 / players ({percent(summary['equal_share'])}).",
        f"Win rates of {len(agents)} agents, from {best['name']} with {percent(best['win_rate']['mean'])} "
        f"to {last['name']} with {percent(last['win_rate']['mean'])}; the equal share is {percent(summary['equal_share'])}.",
    )


def _in_words(share: Mapping[str, Any]) -> str:
    return percent(share["mean"]) + (f" ({interval(share, percent)})" if known(share.get("low")) else "")


def _score_and_rank(summary: Mapping[str, Any], look: Mapping[str, Mark]) -> Drawing | None:
    agents = ordered(summary)
    kinds = [kind for kind in ("score", "rank") if any(has_mean(agent.get(kind)) for agent in agents)]
    if not kinds:
        return None
    figure = new_figure(PAGE if len(kinds) == 2 else COLUMN, FRAME + ROW * len(agents))
    for place, (axes, kind) in enumerate(zip(figure.subplots(1, len(kinds), squeeze=False)[0], kinds, strict=True)):
        _rows(axes, agents, look, _part(kind), named=place == 0)
        axes.set_xlabel(f"mean {kind}")
        if kind == "rank":
            equal_share_line(axes, (summary["players"] + 1) / 2)
            axes.invert_xaxis()  # better is to the right, as in all figures
    return Drawing(
        "score_rank",
        figure,
        f"Mean {' and '.join(kinds)} of one seat, with {summary['confidence']:.0%} intervals, in the order of the win rates. Better is to the right.",
        f"Mean {' and '.join(kinds)} of {len(agents)} agents; the numbers are in the table of standings.",
    )


def _part(key: str) -> Callable[[Mapping[str, Any]], Mapping[str, Any] | None]:
    return lambda agent: agent.get(key)


def _ratings(summary: Mapping[str, Any], look: Mapping[str, Mark]) -> Drawing | None:
    agents = ordered(summary)

    def plackett_luce(agent: Mapping[str, Any]) -> dict[str, float] | None:
        rating = agent.get("rating") or {}
        if not (known(rating.get("mu")) and known(rating.get("sigma"))):
            return None
        reach = _SIGMAS * rating["sigma"]
        return {"mean": rating["mu"], "low": rating["mu"] - reach, "high": rating["mu"] + reach}

    panels = [("Elo", _part("elo")), (f"Plackett-Luce rating, ± {_SIGMAS:.0f} sigma", plackett_luce)]
    panels = [panel for panel in panels if any(has_mean(panel[1](agent)) for agent in agents)]
    if not panels:
        return None
    figure = new_figure(PAGE if len(panels) == 2 else COLUMN, FRAME + ROW * len(agents))
    for place, (axes, (label, value)) in enumerate(
        zip(figure.subplots(1, len(panels), squeeze=False)[0], panels, strict=True)
    ):
        _rows(axes, agents, look, value, named=place == 0)
        axes.set_xlabel(label)
    told = [f"{label} with {summary['confidence']:.0%} intervals" if label == "Elo" else label for label, _ in panels]
    return Drawing(
        "ratings",
        figure,
        f"Ratings: {' and '.join(told)}.",
        f"Ratings of {len(agents)} agents; the numbers are in the table of standings.",
    )


def _meta_game(summary: Mapping[str, Any], look: Mapping[str, Mark]) -> Drawing | None:
    agents = ordered(summary)
    masses = {"nash": "Nash", "alpha_rank": "alpha-rank"}
    masses = {key: label for key, label in masses.items() if any(known(agent.get(key)) for agent in agents)}
    skilled = any(known(agent.get("nash_skill")) for agent in agents)
    panels = (1 if masses else 0) + skilled
    if not panels:
        return None
    figure = new_figure(PAGE if panels == 2 else COLUMN, FRAME + 0.2 + ROW * len(agents))
    panes = list(figure.subplots(1, panels, squeeze=False)[0])
    if masses:
        axes = panes.pop(0)
        _masses(axes, agents, masses)
        _names(axes, agents, look)
    if skilled:
        axes = panes.pop(0)
        _rows(axes, agents, look, lambda agent: {"mean": agent.get("nash_skill")}, named=not masses)
        equal_share_line(axes, 0.0, "Nash mixture")
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: signed(100 * value, 0)))
        axes.set_xlabel("gain, percentage points")
    said = [
        "the weight of each agent in the game of choosing an agent" if masses else "",
        "what each gains against the Nash mixture" if skilled else "",
    ]
    caption = ", and ".join(filter(None, said))
    return Drawing(
        "meta_game",
        figure,
        f"{caption[0].upper()}{caption[1:]}. Against the Nash mixture no agent gains.",
        f"Weights and gains of {len(agents)} agents in the meta-game; the numbers are in the table beside it.",
    )


def _masses(axes: Axes, agents: Sequence[Mapping[str, Any]], masses: Mapping[str, str]) -> None:
    """A bar for each weight of each agent; the second kind lighter."""
    thick = 0.7 / len(masses)
    for place, (key, label) in enumerate(masses.items()):
        heights = [row + (place - (len(masses) - 1) / 2) * thick for row in range(len(agents))]
        values = [agent[key] if known(agent.get(key)) else 0.0 for agent in agents]
        axes.barh(
            heights, values, thick * 0.9, color=FAINT, alpha=1.0 if place == 0 else 0.45, label=label, linewidth=0
        )
    plain_axes(axes)
    axes.set_xlim(0, 1.02)
    axes.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axes.set_xlabel("weight")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=len(masses), borderaxespad=0.1, handlelength=1.2)


def _pairs(summary: Mapping[str, Any], look: Mapping[str, Mark]) -> Drawing | None:
    pairs = compared(summary)
    if not pairs:
        return None
    names = [agent["name"] for agent in ordered(summary)]
    place = {name: row for row, name in enumerate(names)}
    table: list[list[float | None]] = [[None] * len(names) for _ in names]
    doubtful = set()
    for pair in pairs:
        row, column, difference = place[pair["first"]], place[pair["second"]], pair["win_rate"]["mean"]
        table[row][column], table[column][row] = difference, -difference
        if open_question(pair):
            doubtful |= {(row, column), (column, row)}
    labels = [look[name].label for name in names]
    if len(names) > _NAMED_COLUMNS or max(map(len, labels)) > _NAMED_LETTERS:
        columns = [str(row + 1) for row in range(len(names))]
        labels = [f"{label}  {column}" for label, column in zip(labels, columns, strict=True)]
    else:
        columns = labels
    figure = matrix(labels, columns, table, doubtful, _whole_points)
    noted = (
        f" {'In brackets' if len(names) <= MOST_WITH_TEXT else 'With a dot'}: it is not settled who is better."
        if doubtful
        else ""
    )
    return Drawing(
        "pairs",
        figure,
        "Win rate of the agent of the row less that of the agent of the column, in percentage points, on the same deals. "
        f"Blue: the row is better.{noted}",
        f"Differences of the win rates of {len(names)} agents in pairs; the numbers are in the table of pairs.",
    )


def _whole_points(value: float) -> str:
    return signed(100 * value, 0)


def compared(summary: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The pairs of which something is known, the agent of the higher win rate first, in the order of the standings."""
    place = {agent["name"]: place for place, agent in enumerate(ordered(summary))}
    known_pairs = [pair for pair in summary.get("pairs") or [] if has_mean(pair.get("win_rate"))]
    turned = [pair if place[pair["first"]] < place[pair["second"]] else _turned(pair) for pair in known_pairs]
    return sorted(turned, key=lambda pair: (place[pair["first"]], place[pair["second"]]))


def _turned(pair: Mapping[str, Any]) -> dict[str, Any]:
    """The same pair with the other agent first."""
    differences = {kind: _negative(pair[kind]) for kind in ("win_rate", "score") if has_mean(pair.get(kind))}
    return {**pair, **differences, "first": pair["second"], "second": pair["first"]}


def _negative(value: Mapping[str, Any]) -> dict[str, float | None]:
    low, high = value.get("low"), value.get("high")
    return {"mean": -value["mean"], "low": -high if known(high) else None, "high": -low if known(low) else None}


def open_question(pair: Mapping[str, Any]) -> bool:
    """Whether it is not known which of two is better: not settled, or, where that was not asked, zero is in the interval."""
    if pair.get("settled") is not None:
        return not pair["settled"]
    low, high = (pair["win_rate"].get(end) for end in ("low", "high"))
    return not (known(low) and known(high)) or low <= 0 <= high


def _seats(summary: Mapping[str, Any], look: Mapping[str, Mark]) -> Drawing | None:
    seats = summary.get("seats")
    if not seats:
        return None
    names = [agent["name"] for agent in summary["agents"]]
    by_name = dict(zip(names, seats, strict=True))
    names = [agent["name"] for agent in ordered(summary)]
    shares = [[share if known(share) else None for share in by_name[name]] for name in names]
    own = [[share for share in row if share is not None] for row in shares]
    means = [sum(row) / len(row) if row else 0.0 for row in own]
    table = [
        [None if share is None else share - mean for share in row] for row, mean in zip(shares, means, strict=True)
    ]
    texts = [[None if share is None else f"{100 * share:.1f}" for share in row] for row in shares]
    figure = matrix(
        [look[name].label for name in names],
        [f"seat {seat}" for seat in range(len(seats[0]))],
        table,
        set(),
        str,
        texts,
        least=0.05,
    )
    return Drawing(
        "seats",
        figure,
        "Win rate of each agent by the seat it sat in, in percent. The colour is the difference from its mean over the seats: blue is above.",
        f"Win rate by seat of {len(names)} agents; the numbers are in the table beside it.",
    )


def _rows(
    axes: Axes,
    agents: Sequence[Mapping[str, Any]],
    look: Mapping[str, Mark],
    value_of: Callable[[Mapping[str, Any]], Mapping[str, Any] | None],
    named: bool = True,
) -> None:
    """A row for each agent, with a mark at the mean and a line over the interval."""
    for row, agent in enumerate(agents):
        value, mark = value_of(agent), look[agent["name"]]
        if value is not None and has_mean(value):
            axes.plot(ends(value), [row, row], color=mark.colour, linewidth=1.3, solid_capstyle="butt")
            axes.plot(value["mean"], row, color=mark.colour, marker=mark.marker, markeredgewidth=0)
    plain_axes(axes)
    axes.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
    _names(axes, agents if named else [], look)
    axes.set_ylim(len(agents) - 0.5, -0.5)


def _names(axes: Axes, agents: Sequence[Mapping[str, Any]], look: Mapping[str, Mark]) -> None:
    """The agents' names down the side, the first on top."""
    axes.set_yticks(range(len(agents)), [look[agent["name"]].label for agent in agents])
    if agents:
        axes.set_ylim(len(agents) - 0.5, -0.5)
