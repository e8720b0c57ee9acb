"""Figures of how the agents behaved: prices, money, points, counterfeits and pawns."""

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from arena.page.behaviour_tables import behaved, sources_of, statistic
from arena.page.figures import FAINT, GRID, INK, PAGE, Drawing, Mark, equal_share_line, new_figure, plain_axes, short
from arena.page.matrix import matrix
from arena.page.strength import FRAME, ROW
from arena.page.values import known, signed

_MOST_OVERLAID = 8  #  agents in one panel; more have a panel each
_PANELS, _PANEL_NAME = 5, 18  #  in a row; letters of the name above one
_COLOURS = ("#8a929b", "#0072b2", "#009e73", "#d55e00", "#e69f00", "#cc79a7", "#56b4e9")


def draw_behaviour(summary: Mapping[str, Any], look: Mapping[str, Mark]) -> list[Drawing]:
    """Those figures for which there are numbers; the agents are in the order of the standings."""
    behaviour = summary.get("behaviour") or {}
    agents = behaved(summary)
    drawings = [
        _prices(behaviour, agents, look),
        _money(behaviour, agents, look),
        _points(behaviour, agents, look),
        _habits(behaviour, agents, look),
    ]
    return [drawing for drawing in drawings if drawing is not None]


def _prices(
    behaviour: Mapping[str, Any], agents: Sequence[Mapping[str, Any]], look: Mapping[str, Mark]
) -> Drawing | None:
    """Price against worth, a panel for each category; of many agents only the difference."""
    kinds = [
        kind
        for agent in agents
        for kind in agent.get("prices") or []
        if known(kind.get("price")) and known(kind.get("worth"))
    ]
    categories = list(dict.fromkeys(kind["category"] for kind in kinds if "category" in kind))
    if not categories:
        return None
    alt = f"Mean prices and worth of what {len(agents)} agents bought, by category; the numbers are in the table of prices."
    if len(agents) > _MOST_OVERLAID:
        table = [[_gain(agent, category) for category in categories] for agent in agents]
        figure = matrix([look[agent["name"]].label for agent in agents], categories, table, set(), _tenths, least=1.0)
        return Drawing(
            "prices",
            figure,
            "Points that a lot brought its buyer less the price, by category. Blue: worth more than the price.",
            alt,
        )
    point_price = behaviour.get("point_price") or 1
    figure = new_figure(PAGE, 2.3 + 0.16 * -(-len(agents) // 4))
    panels = figure.subplots(1, len(categories), sharex=True, sharey=True, squeeze=False)[0]
    for axes, category in zip(panels, categories, strict=True):
        axes.axline((0, 0), slope=1, color=FAINT, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
        for agent in agents:
            mark = look[agent["name"]]
            own = [
                kind
                for kind in agent.get("prices") or []
                if kind.get("category") == category and known(kind.get("price"))
            ]
            worths, costs = [kind["worth"] for kind in own], [kind["price"] / point_price for kind in own]
            sizes = [4 + 40 * min(1.0, kind["bought"]) for kind in own]
            axes.scatter(
                worths, costs, sizes, color=mark.colour, marker=mark.marker, alpha=0.8, linewidths=0, label=mark.label
            )
        axes.margins(0.12)
        axes.set_title(category)
        axes.grid(True)
        axes.patch.set_alpha(0)
    panels[0].set_ylabel("price, in points")
    figure.supxlabel("points that it brought its buyer", fontsize=8)
    _legend(panels[0], agents, look)
    valued = any("value" in kind for kind in kinds)
    each = "A mark for each value of a lot" if valued else "A mark for each agent"
    return Drawing(
        "prices",
        figure,
        f"Mean price against the points that a lot brought its buyer, by category. {each}, the larger the more often it was bought. "
        "On the dashed line price and worth are equal; below it the buyer gained.",
        alt,
    )


def _tenths(value: float) -> str:
    return signed(value, 1)


def _gain(agent: Mapping[str, Any], category: str) -> float | None:
    """Worth less price of what it bought of a category, over all values."""
    kinds = [
        kind
        for kind in agent.get("prices") or []
        if kind.get("category") == category and known(kind.get("price_less_worth"))
    ]
    bought = sum(kind["bought"] for kind in kinds)
    return -sum(kind["price_less_worth"] * kind["bought"] for kind in kinds) / bought if bought else None


def _money(
    behaviour: Mapping[str, Any], agents: Sequence[Mapping[str, Any]], look: Mapping[str, Mark]
) -> Drawing | None:
    """Money over the lots: all agents in one panel, or of many each in its own with the others behind it."""
    agents = [agent for agent in agents if any(map(known, agent.get("money_by_lot") or []))]
    if not agents:
        return None
    money = behaviour.get("money", "money")
    lines = {
        agent["name"]: [value if known(value) else float("nan") for value in agent["money_by_lot"]] for agent in agents
    }
    longest = max(lot + 1 for line in lines.values() for lot, value in enumerate(line) if known(value))
    lines = {name: line[:longest] for name, line in lines.items()}
    if len(agents) <= _MOST_OVERLAID:
        figure = new_figure(PAGE, 2.4)
        axes = figure.subplots()
        for agent in agents:
            mark = look[agent["name"]]
            axes.plot(
                lines[agent["name"]],
                color=mark.colour,
                marker=mark.marker,
                markersize=2.5,
                markeredgewidth=0,
                label=mark.label,
            )
        panels = [axes]
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=1.4)
    else:
        rows = -(-len(agents) // _PANELS)
        figure = new_figure(PAGE, 0.4 + 0.95 * rows)
        panels = list(figure.subplots(rows, _PANELS, sharex=True, sharey=True, squeeze=False).flat)
        known_money = [
            [line[lot] for line in lines.values() if lot < len(line) and known(line[lot])] for lot in range(longest)
        ]
        low, high = [min(values) for values in known_money], [max(values) for values in known_money]
        for axes, agent in zip(panels, agents, strict=False):
            axes.fill_between(range(longest), low, high, color=GRID, linewidth=0)
            axes.plot(lines[agent["name"]], color=look[agent["name"]].colour)
            axes.set_title(short(look[agent["name"]].label, _PANEL_NAME), fontsize=6.5, fontweight="normal")
        for axes in panels[len(agents) :]:
            axes.remove()
        panels = panels[: len(agents)]
    band = " The band is from the poorest to the richest agent." if len(panels) > 1 else ""
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
        f"Mean {money} of a seat after each lot, over the games that went so far.{band}",
        f"Mean {money} of {len(agents)} agents over the lots of a game.",
    )


def _points(
    behaviour: Mapping[str, Any], agents: Sequence[Mapping[str, Any]], look: Mapping[str, Mark]
) -> Drawing | None:
    """Stacked bars: what brings points to the right of zero, what costs them to the left."""
    sources = sources_of(agents)
    if not sources:
        return None
    figure = new_figure(PAGE, FRAME + 0.25 + ROW * len(agents))
    axes = figure.subplots()
    right, left = [0.0] * len(agents), [0.0] * len(agents)
    colours_of = behaviour.get("colours") or {}
    colours = [colours_of.get(source, _COLOURS[place % len(_COLOURS)]) for place, source in enumerate(sources)]
    for source, colour in zip(sources, colours, strict=True):
        values = [_points_of(agent, source) for agent in agents]
        starts = [right[row] if value > 0 else left[row] for row, value in enumerate(values)]
        axes.barh(range(len(agents)), values, 0.72, left=starts, color=colour, label=source, linewidth=0)
        right = [end + max(0.0, value) for end, value in zip(right, values, strict=True)]
        left = [end + min(0.0, value) for end, value in zip(left, values, strict=True)]
    totals = [low + high for low, high in zip(left, right, strict=True)]
    axes.plot(totals, range(len(agents)), "|", color=INK, markersize=7, markeredgewidth=1.2, label="score")
    _side(axes, agents, look)
    if min(left) < 0:
        equal_share_line(axes, 0.0, "")
    axes.set_xlabel("points")
    (score, *bars), (score_label, *labels) = axes.get_legend_handles_labels()
    style: dict[str, Any] = {"ncols": len(sources) + 1, "borderaxespad": 0.2, "handlelength": 1, "columnspacing": 1.2}
    axes.legend([*bars, score], [*labels, score_label], loc="lower left", bbox_to_anchor=(0, 1.0), **style)
    return Drawing(
        "points",
        figure,
        "Mean points of a seat by source; the upright stroke is the score.",
        "Points by source; the numbers are in the table.",
    )


def _points_of(agent: Mapping[str, Any], source: str) -> float:
    value = (agent.get("points") or {}).get(source)
    return value if known(value) else 0.0


def _habits(
    behaviour: Mapping[str, Any], agents: Sequence[Mapping[str, Any]], look: Mapping[str, Mark]
) -> Drawing | None:
    """Bars of what an agent does in a game, two panels in a row."""
    parts_of: dict[str, list[tuple[str, Any]]] = {}
    for entry in behaviour.get("statistics") or []:
        if entry["panel"] and any(known(statistic(entry)(agent)) for agent in agents):
            parts_of.setdefault(entry["panel"], []).append((entry["name"].replace("_", " "), statistic(entry)))
    panels = list(parts_of.items())
    if not panels:
        return None
    rows = -(-len(panels) // 2)
    figure = new_figure(PAGE, rows * (FRAME + 0.2 + ROW * len(agents)))
    grid = list(figure.subplots(rows, 2, squeeze=False).flat)
    for place, (axes, (title, parts)) in enumerate(zip(grid, panels, strict=False)):
        starts = [0.0] * len(agents)
        for shade, (label, value_of) in enumerate(parts):
            values = [value if known(value := value_of(agent)) else 0.0 for agent in agents]
            axes.barh(
                range(len(agents)),
                values,
                0.7,
                left=starts,
                color=FAINT,
                alpha=(1, 0.5, 0.25)[shade],
                label=label,
                linewidth=0,
            )
            starts = [start + value for start, value in zip(starts, values, strict=True)]
        _side(axes, agents if place % 2 == 0 else [], look)
        axes.set_ylim(len(agents) - 0.5, -0.5)
        axes.set_xlim(left=0)
        axes.xaxis.set_major_locator(MaxNLocator(5))
        axes.set_title(title, pad=15)
        if len(parts) > 1:
            axes.legend(
                loc="lower left",
                bbox_to_anchor=(-0.02, 1.0),
                ncols=3,
                borderaxespad=0.2,
                handlelength=1,
                columnspacing=1.2,
            )
    for axes in grid[len(panels) :]:
        axes.remove()
    return Drawing(
        "habits",
        figure,
        "What a seat does in a game, in the mean.",
        "Habits of the agents; the numbers are in the table of behaviour.",
    )


def _side(axes: Axes, agents: Sequence[Mapping[str, Any]], look: Mapping[str, Mark]) -> None:
    """Names down the side, the first on top."""
    plain_axes(axes)
    axes.set_yticks(range(len(agents)), [look[agent["name"]].label for agent in agents])
    if agents:
        axes.set_ylim(len(agents) - 0.5, -0.5)


def _legend(axes: Axes, agents: Sequence[Mapping[str, Any]], look: Mapping[str, Mark]) -> None:
    """The agents' marks above all panels."""
    figure = axes.figure
    handles = [
        axes.plot([], [], look[a["name"]].marker, color=look[a["name"]].colour, label=look[a["name"]].label)[0]
        for a in agents
    ]
    figure.legend(handles=handles, loc="outside upper left", ncols=4, handletextpad=0.2, columnspacing=1.2)
