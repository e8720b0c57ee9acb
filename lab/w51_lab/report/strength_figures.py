"""Figures of the strength of agents: win rate, score, rank, ratings, meta-game, pairs, seats."""

from collections.abc import Callable, Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator, PercentFormatter

from w51_lab.report.figures import (
    COLUMN,
    FAINT,
    PAGE,
    Drawing,
    Look,
    Mark,
    agent_panels,
    panel_grid,
    plain_axes,
    reference_line,
)
from w51_lab.report.matrix import MAX_WITH_TEXT, matrix
from w51_lab.report.models import AgentSummary, Summary
from w51_lab.report.values import difference_of, interval, known, percent, result_of, signed
from w51_lab.statistics.panel import Mixture
from w51_lab.statistics.records import Estimate

_PLOTS, _HEIGHT = 3, 1.7  # plots of populations side by side; their height in inches
_SIGMAS = 2.0
_USUAL = "The dashed line is what equal agents have: on the left it invades, if it is better than that."
_OWN = "Hollow marks: among copies of itself. It invades if it has more, alone, than the other agent has there."
_CLEAR = 3.0  # standard errors, as there are many cells
# A matrix with more columns or longer names has numbers above its columns.
_NAMED_COLUMNS, _NAMED_LETTERS = 6, 11

_ValueOf = Callable[[AgentSummary], Estimate | None]  # an agent's mean with the ends of its interval


def draw_strength(summary: Summary, look: Look) -> list[Drawing]:
    """The figures for which the summary has numbers, in the order of the page."""
    draws = (_win_rate, _score_and_rank, _ratings, _pairs, _meta_game, _seats)
    return [drawing for draw in draws if (drawing := draw(summary, summary.ordered, look)) is not None]


def _win_rate(summary: Summary, agents: Sequence[AgentSummary], look: Look) -> Drawing | None:
    if summary.decides == "payoff":
        return None
    figure, (axes,) = agent_panels(agents, look)
    _intervals(axes, agents, look, lambda agent: agent.win_rate)
    equal_share = summary.equal_share
    reference_line(axes, equal_share, "equal share")
    highest = max(agent.win_rate.ends[1] for agent in agents)
    axes.set_xlim(0, min(1.01, max(highest, equal_share) * 1.06))
    axes.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axes.set_xlabel("win rate of a seat")
    beside = axes.secondary_yaxis("right")
    beside.set_yticks(range(len(agents)), [_with_interval(agent.win_rate) for agent in agents])
    beside.tick_params(length=0)
    beside.spines[:].set_visible(False)
    best, last = agents[0], agents[-1]
    return Drawing(
        "win_rate",
        figure,
        f"Win rate of one seat of each agent, with {summary.confidence:.0%} intervals. "
        f"The dashed line is the equal share, 1 / players ({percent(equal_share)}).",
        f"Win rates of {len(agents)} agents, from {best.name} with {percent(best.win_rate.mean)} "
        f"to {last.name} with {percent(last.win_rate.mean)}; the equal share is {percent(equal_share)}.",
    )


def _with_interval(rate: Estimate) -> str:
    return percent(rate.mean) + (f" ({interval(rate, percent)})" if rate.low is not None else "")


def _interval_panels(
    agents: Sequence[AgentSummary], look: Look, panels: Mapping[str, _ValueOf]
) -> tuple[Figure, dict[str, Axes]]:
    """A panel of intervals for each label."""
    count = len(panels)
    figure, panel_axes = agent_panels(agents, look, count, count, PAGE if count > 1 else COLUMN)
    for axes, (label, value_of) in zip(panel_axes, panels.items(), strict=True):
        _intervals(axes, agents, look, value_of)
        axes.set_xlabel(label)
    return figure, dict(zip(panels, panel_axes, strict=True))


def _score_and_rank(summary: Summary, agents: Sequence[AgentSummary], look: Look) -> Drawing:
    score, rank = "mean score", "mean rank"
    figure, panels = _interval_panels(agents, look, {score: lambda agent: agent.score, rank: lambda agent: agent.rank})
    reference_line(panels[rank], (summary.players + 1) / 2, "equal agents")
    panels[rank].invert_xaxis()  # better is to the right, as in all figures
    return Drawing(
        "score_rank",
        figure,
        f"Mean score and mean rank of one seat, with {summary.confidence:.0%} intervals, sorted by "
        f"{result_of(summary.decides)}. Better is to the right.",
        f"Mean score and mean rank of {len(agents)} agents; the numbers are in the table of standings.",
    )


def _ratings(summary: Summary, agents: Sequence[AgentSummary], look: Look) -> Drawing | None:
    def plackett_luce(agent: AgentSummary) -> Estimate | None:
        if agent.rating is None:
            return None
        mu, reach = agent.rating.mu, _SIGMAS * agent.rating.sigma
        return Estimate(mean=mu, low=mu - reach, high=mu + reach)

    panels: dict[str, _ValueOf] = {}
    if agents[0].elo:
        panels["Elo"] = lambda agent: agent.elo
    if agents[0].rating:
        panels[f"Plackett-Luce rating, ± {_SIGMAS:.0f} sigma"] = plackett_luce
    if not panels:
        return None
    figure, drawn = _interval_panels(agents, look, panels)
    shown = [f"{label} with {summary.confidence:.0%} intervals" if label == "Elo" else label for label in drawn]
    return Drawing(
        "ratings",
        figure,
        f"Ratings: {' and '.join(shown)}.",
        f"Ratings of {len(agents)} agents; the numbers are in the table of standings.",
    )


def _meta_game(summary: Summary, agents: Sequence[AgentSummary], look: Look) -> Drawing | None:
    if agents[0].nash is None:
        return None
    figure, panels = agent_panels(agents, look, 2, 2, extra=0.2)
    masses: dict[str, list[float | None]] = {
        "Nash": [None if agent.nash is None else agent.nash.mean for agent in agents],
        "alpha-rank": [agent.alpha_rank for agent in agents],
    }
    _masses(
        panels[0], {label: list(filter(known, values)) for label, values in masses.items() if values[0] is not None}
    )
    axes = panels[1]
    _intervals(axes, agents, look, _nash_skill)
    reference_line(axes, 0.0, "Nash mixture")
    in_points = summary.decides == "win"
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: signed(100 * value if in_points else value, 0)))
    axes.set_xlabel("gain, percentage points" if in_points else "gain")
    return Drawing(
        "meta_game",
        figure,
        "Weight of each agent in the meta-game. "
        "Gain of each agent against the Nash mixture; no agent gains against it.",
        f"Weights and gains of {len(agents)} agents in the meta-game; the numbers are in the table beside it.",
    )


def _nash_skill(agent: AgentSummary) -> Estimate | None:
    return None if agent.nash_skill is None else Estimate(mean=agent.nash_skill, low=None, high=None)


def _masses(axes: Axes, masses: Mapping[str, Sequence[float]]) -> None:
    """A bar for each weight of each agent; the second kind is lighter."""
    thick = 0.7 / len(masses)
    for index, (label, values) in enumerate(masses.items()):
        heights = [row + (index - (len(masses) - 1) / 2) * thick for row in range(len(values))]
        alpha = 1.0 if index == 0 else 0.45
        axes.barh(heights, values, thick * 0.9, color=FAINT, alpha=alpha, label=label, linewidth=0)
    axes.set_xlim(0, 1.02)
    axes.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axes.set_xlabel("weight")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=len(masses), borderaxespad=0.1, handlelength=1.2)


def _pairs(summary: Summary, agents: Sequence[AgentSummary], look: Look) -> Drawing | None:
    pairs = summary.compared
    if not pairs:
        return None
    index = {agent.name: row for row, agent in enumerate(agents)}
    values: list[list[float | None]] = [[None] * len(agents) for _ in agents]
    unsure = set()
    for pair in pairs:
        row, column = index[pair.first], index[pair.second]
        difference = pair.result(summary.decides).mean
        values[row][column], values[column][row] = difference, -difference
        if not pair.decided:
            unsure |= {(row, column), (column, row)}
    labels = columns = [look[name].label for name in index]
    if len(index) > _NAMED_COLUMNS or max(map(len, labels)) > _NAMED_LETTERS:
        columns = [str(row + 1) for row in range(len(index))]
        labels = [f"{label}  {column}" for label, column in zip(labels, columns, strict=True)]
    figure = matrix(
        labels, columns, values, unsure, (lambda value: signed(100 * value, 0)) if summary.decides == "win" else signed
    )
    marked = "In brackets" if len(index) <= MAX_WITH_TEXT else "With a dot"
    return Drawing(
        "pairs",
        figure,
        f"The agent of the row less that of the column: differences {difference_of(summary.decides)}, on the same "
        "deals. Blue: the row has more." + (f" {marked}: it is undecided which is better." if unsure else ""),
        f"Differences {difference_of(summary.decides)}, of {len(index)} agents; the numbers are in the table of pairs.",
    )


def _seats(summary: Summary, agents: Sequence[AgentSummary], look: Look) -> Drawing:
    place = {agent.name: index for index, agent in enumerate(summary.agents)}
    order = [place[agent.name] for agent in agents]
    rates = [summary.seats[index] for index in order]
    sat = [[rate for rate in row if rate is not None] for row in rates]
    means = [sum(own) / len(own) for own in sat]
    differences = [
        [_clear(rate, mean, error) for rate, error in zip(row, summary.seat_errors[index], strict=True)]
        for index, row, mean in zip(order, rates, means, strict=True)
    ]
    what = result_of(summary.decides)
    in_percent, scale = (", in percent", 100) if summary.decides == "win" else ("", 1)
    texts = [[None if rate is None else f"{scale * rate:.1f}" for rate in row] for row in rates]
    labels = [look[agent.name].label for agent in agents]
    columns = [f"seat {seat}" for seat in range(summary.players)]
    return Drawing(
        "seats",
        matrix(labels, columns, differences, set(), str, texts, minimum=0.05),
        f"{what.capitalize()} of each agent in each seat{in_percent}. The colour is the difference from the agent's "
        f"mean over the seats, where it is more than {_CLEAR:.0f} standard errors: blue is above the mean.",
        f"{what.capitalize()} by seat of {len(agents)} agents; the numbers are in the table beside it.",
    )


def _clear(rate: float | None, mean: float, error: float | None) -> float | None:
    """The difference from the mean; 0 where it may be noise."""
    if rate is None:
        return None
    return rate - mean if known(error) and abs(rate - mean) > _CLEAR * error else 0.0


def _intervals(axes: Axes, agents: Sequence[AgentSummary], look: Look, value_of: _ValueOf) -> None:
    """A row for each agent, with a mark at the mean and a line over the interval."""
    for row, agent in enumerate(agents):
        value, mark = value_of(agent), look[agent.name]
        if value is not None:
            axes.plot(value.ends, [row, row], color=mark.colour, linewidth=1.3, solid_capstyle="butt")
            axes.plot(value.mean, row, color=mark.colour, marker=mark.marker, markeredgewidth=0)
    axes.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))


def draw_panel(summary: Summary, look: Look) -> list[Drawing]:
    """For each member of the panel the results over the number of seats that the agent has; [] without a panel."""
    panel = summary.panel
    if not panel:
        return []
    members, agent = panel.members, look[panel.agent]
    columns, what = min(_PLOTS, len(members)), result_of(summary.decides)
    usual = {"win": summary.equal_share, "rank": (summary.players + 1) / 2}.get(summary.decides)
    figure, grid = panel_grid(len(members), columns, PAGE, _HEIGHT, 0.3, sharey=True)
    for index, (axes, member) in enumerate(zip(grid, members, strict=True)):
        _mixture(axes, member.populations, lambda mixture: mixture.result, agent)
        _mixture(axes, member.populations, lambda mixture: mixture.member_result, look[member.name])
        plain_axes(axes, "y")
        if usual is not None:
            axes.axhline(usual, color=FAINT, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
        for seats, own, mark in ((0, member.own, look[member.name]), (summary.players, panel.own, agent)):
            if own is not None:
                axes.plot(seats, own.mean, color=mark.colour, marker=mark.marker, markerfacecolor="white")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        beyond = 0.7 if panel.own is None else -0.3
        axes.set_xlim(beyond, summary.players - beyond)
        if summary.decides == "win":
            axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
        axes.set_title(look[member.name].label, color=look[member.name].colour)
        axes.set_xlabel(f"seats of {agent.label}", color=agent.colour)
        axes.set_ylabel(f"{what} of a seat" if index % columns == 0 else "")
    if summary.decides == "win":
        grid[0].set_ylim(bottom=0)
    return [
        Drawing(
            "populations",
            figure,
            f"{what.capitalize()} of one seat of {agent.label} and of each other agent over their mixture, with "
            f"{summary.confidence:.0%} intervals. On the left {agent.label} is alone, on the right the other agent. "
            + (_OWN if usual is None else _USUAL),
            f"{what.capitalize()}s of {agent.label} in mixtures with {len(members)} agents; the table beside has them.",
        )
    ]


def _mixture(axes: Axes, populations: Sequence[Mixture], rate_of: Callable[[Mixture], Estimate], mark: Mark) -> None:
    seats = [population.seats for population in populations]
    rates = [rate_of(population).mean for population in populations]
    for x, population in zip(seats, populations, strict=True):
        axes.plot([x, x], rate_of(population).ends, color=mark.colour, linewidth=1.3, solid_capstyle="butt")
    axes.plot(seats, rates, color=mark.colour, marker=mark.marker, markeredgewidth=0, linewidth=1)
