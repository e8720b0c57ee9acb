"""Figures of the behaviour of agents: prices, money, points by source, and statistics of the game."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from w51_lab.behaviour.summary import AgentBehaviour, BehaviourSummary, KindOfLot, StatisticFacts
from w51_lab.report.behaviour_tables import sources_of, units_of
from w51_lab.report.figures import (
    FAINT,
    GRID,
    INK,
    PAGE,
    Drawing,
    Look,
    agent_panels,
    new_figure,
    panel_grid,
    plain_axes,
    reference_line,
    short,
)
from w51_lab.report.matrix import matrix
from w51_lab.report.models import Summary
from w51_lab.report.values import Keywords, known, signed

_MAX_OVERLAID = 8  # agents in one panel; more have a panel each
_MIN_LEFT = 0.2  # of the games, for a mean of those with so many lots
_PANELS, _PANEL_NAME = 5, 18  # panels side by side; letters of the name above one
_COLOURS = ("#8a929b", "#0072b2", "#009e73", "#d55e00", "#e69f00", "#cc79a7", "#56b4e9")
_LEGEND: Keywords = {"borderaxespad": 0.2, "handlelength": 1, "columnspacing": 1.2, "loc": "lower left"}


def draw_behaviour(summary: Summary, look: Look) -> list[Drawing]:
    """The figures for which the summary has numbers; the agents are in the order of the standings."""
    if summary.behaviour is None:
        return []
    draws = (_prices, _money, _points, _statistics)
    return [drawing for draw in draws if (drawing := draw(summary.behaviour, summary.behaved, look)) is not None]


def _prices(behaviour: BehaviourSummary, agents: Sequence[AgentBehaviour], look: Look) -> Drawing | None:
    """Price against worth, a panel for each category; of many agents only the difference."""
    kinds = [kind for agent in agents for kind in _kinds(agent)]
    categories = list(dict.fromkeys(str(kind.category) for kind in kinds))
    if not categories:
        return None
    alt = f"Mean prices and worth of lots that {len(agents)} agents bought, by category; the numbers are in the table."
    if len(agents) > _MAX_OVERLAID:
        gains = [[_gain(agent, category) for category in categories] for agent in agents]
        labels = [look[agent.name].label for agent in agents]
        figure = matrix(labels, categories, gains, set(), lambda value: signed(value, 1), minimum=1.0)
        caption = "Worth of a lot to its buyer less its price, by category. Blue: worth more than the price."
        return Drawing("prices", figure, caption, alt)
    point_price, unit = behaviour.point_price, units_of(behaviour)[1]
    figure = new_figure(PAGE, 2.3 + 0.16 * -(-len(agents) // 4))
    panels = figure.subplots(1, len(categories), sharex=True, sharey=True, squeeze=False)[0]
    for axes, category in zip(panels, categories, strict=True):
        axes.axline((0, 0), slope=1, color=FAINT, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
        for agent in agents:
            mark, agent_kinds = look[agent.name], [kind for kind in _kinds(agent) if str(kind.category) == category]
            worths, prices = (
                [kind.worth or 0.0 for kind in agent_kinds],
                [(kind.price or 0.0) / point_price for kind in agent_kinds],
            )
            sizes = [4 + 40 * min(1.0, kind.bought or 0.0) for kind in agent_kinds]
            axes.scatter(worths, prices, sizes, color=mark.colour, marker=mark.marker, alpha=0.8, linewidths=0)
        axes.margins(0.12)
        axes.set_title(category)
        axes.grid(True)
        axes.patch.set_alpha(0)
    panels[0].set_ylabel(f"price, in {unit}")
    figure.supxlabel(f"worth to the buyer, in {unit}", fontsize=8)
    _agent_legend(panels[0], agents, look)
    each = (
        "A mark for each value of a lot" if any(kind.value is not None for kind in kinds) else "A mark for each agent"
    )
    caption = (
        f"Mean price of lots against their worth to the buyer, by category. {each}; large marks: bought often. "
        "On the dashed line price and worth are equal; below it the buyer gained."
    )
    return Drawing("prices", figure, caption, alt)


def _kinds(agent: AgentBehaviour) -> list[KindOfLot]:
    """The kinds of lots whose price and worth are known, if lots have categories."""
    return [kind for kind in agent.prices if not {None} & {kind.category, kind.price, kind.worth}]


def _gain(agent: AgentBehaviour, category: str) -> float | None:
    """Worth less price of what an agent bought of a category, over all values."""
    kinds = [kind for kind in _kinds(agent) if str(kind.category) == category]
    bought = sum(kind.bought or 0.0 for kind in kinds)
    return -sum((kind.price_less_worth or 0.0) * (kind.bought or 0.0) for kind in kinds) / bought if bought else None


def _money(behaviour: BehaviourSummary, agents: Sequence[AgentBehaviour], look: Look) -> Drawing | None:
    """Money over the lots: all agents in one panel, or of many each in a panel with the range of the others."""
    agents = [agent for agent in agents if any(map(known, agent.money_by_lot))]
    if not agents:
        return None
    money, _ = units_of(behaviour)
    lines = [_lasting(agent) for agent in agents]
    longest = max(lot + 1 for line in lines for lot, value in enumerate(line) if known(value))
    lines = [line[:longest] for line in lines]
    band = ""
    if len(agents) <= _MAX_OVERLAID:
        figure = new_figure(PAGE, 2.4)
        panels = [figure.subplots()]
        for agent, line in zip(agents, lines, strict=True):
            mark = look[agent.name]
            style: Keywords = {"color": mark.colour, "marker": mark.marker, "label": mark.label}
            panels[0].plot(line, markersize=2.5, markeredgewidth=0, **style)
        panels[0].legend(loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=1.4)
    else:
        figure, panels = panel_grid(len(agents), _PANELS, PAGE, 0.95, 0.4, sharex=True, sharey=True)
        by_lot = [[line[lot] for line in lines if lot < len(line) and known(line[lot])] for lot in range(longest)]
        for axes, agent, line in zip(panels, agents, lines, strict=True):
            axes.fill_between(range(longest), list(map(min, by_lot)), list(map(max, by_lot)), color=GRID, linewidth=0)
            axes.plot(line, color=look[agent.name].colour)
            axes.set_title(short(look[agent.name].label, _PANEL_NAME), fontsize=6.5, fontweight="normal")
        band = " The band is the range of all agents."
    for axes in panels:
        plain_axes(axes, "y")
        axes.tick_params(axis="x", length=2.5)
        axes.set_ylim(bottom=0)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=8 if len(panels) == 1 else 3))
    figure.supxlabel("lots that were auctioned", fontsize=8)
    figure.supylabel(money, fontsize=8)
    return Drawing(
        "money",
        figure,
        f"Mean money of a seat after each lot, in {money}, over the games with at least so many lots; lots that under "
        f"{_MIN_LEFT:.0%} of an agent's games have are left out.{band}",
        f"Mean money of {len(agents)} agents over the lots of a game.",
    )


def _lasting(agent: AgentBehaviour) -> list[float]:
    """Money by lot, nan where few games are left: these are the long ones, and their means are not comparable."""
    return [
        value if known(value) and games is not None and games >= _MIN_LEFT else float("nan")
        for value, games in zip(agent.money_by_lot, agent.games_by_lot, strict=True)
    ]


def _points(behaviour: BehaviourSummary, agents: Sequence[AgentBehaviour], look: Look) -> Drawing | None:
    """Stacked bars: sources that bring points to the right of zero, sources that cost points to the left."""
    sources = sources_of(agents)
    if not sources:
        return None
    figure, (axes,) = agent_panels(agents, look, extra=0.25)
    right, left = [0.0] * len(agents), [0.0] * len(agents)
    colours = {source: _COLOURS[index % len(_COLOURS)] for index, source in enumerate(sources)}
    colours |= behaviour.colours
    for source in sources:
        points = [agent.points.get(source) for agent in agents]
        values = [value if known(value) else 0.0 for value in points]
        starts = [right[row] if value > 0 else left[row] for row, value in enumerate(values)]
        axes.barh(range(len(agents)), values, 0.72, left=starts, color=colours[source], label=source, linewidth=0)
        right = [end + max(0.0, value) for end, value in zip(right, values, strict=True)]
        left = [end + min(0.0, value) for end, value in zip(left, values, strict=True)]
    totals = [low + high for low, high in zip(left, right, strict=True)]
    axes.plot(totals, range(len(agents)), "|", color=INK, markersize=7, markeredgewidth=1.2, label="score")
    if min(left) < 0:
        reference_line(axes, 0.0)
    unit = units_of(behaviour)[1]
    axes.set_xlabel(unit)
    (score, *bars), (score_label, *labels) = axes.get_legend_handles_labels()
    axes.legend([*bars, score], [*labels, score_label], bbox_to_anchor=(0, 1.0), ncols=len(sources) + 1, **_LEGEND)
    return Drawing(
        "points",
        figure,
        f"Mean {unit} of a seat by source; the vertical stroke is the score.",
        "Points by source; the numbers are in the table.",
    )


def _statistics(behaviour: BehaviourSummary, agents: Sequence[AgentBehaviour], look: Look) -> Drawing | None:
    """Stacked bars of the statistics that have a panel, two panels side by side."""
    panels: dict[str, list[StatisticFacts]] = {}
    for entry in behaviour.statistics:
        if entry.panel and any(known(agent.statistic(entry.group, entry.name)) for agent in agents):
            panels.setdefault(entry.panel, []).append(entry)
    if not panels:
        return None
    figure, drawn = agent_panels(agents, look, len(panels), 2, extra=0.2)
    for axes, (title, parts) in zip(drawn, panels.items(), strict=True):
        starts = [0.0] * len(agents)
        for number, entry in enumerate(parts):
            values = [agent.statistic(entry.group, entry.name) or 0.0 for agent in agents]
            style: Keywords = {"color": FAINT, "alpha": 0.5**number, "linewidth": 0}
            axes.barh(range(len(agents)), values, 0.7, left=starts, label=entry.name.replace("_", " "), **style)
            starts = [start + value for start, value in zip(starts, values, strict=True)]
        axes.set_xlim(left=0)
        axes.xaxis.set_major_locator(MaxNLocator(5))
        axes.set_title(title, pad=15)
        if len(parts) > 1:
            axes.legend(bbox_to_anchor=(-0.02, 1.0), ncols=len(parts), **_LEGEND)
    return Drawing(
        "habits", figure, "Means per seat of a game.", "Behaviour per seat of a game; the numbers are in the tables."
    )


def _agent_legend(axes: Axes, agents: Sequence[AgentBehaviour], look: Look) -> None:
    """The agents' marks above all panels."""
    marks = [look[agent.name] for agent in agents]
    handles = [axes.plot([], [], mark.marker, color=mark.colour, label=mark.label)[0] for mark in marks]
    axes.figure.legend(handles=handles, loc="outside upper left", ncols=4, handletextpad=0.2, columnspacing=1.2)
