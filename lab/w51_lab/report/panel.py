"""An agent among the members of a panel, in both directions: a section of the page, and a figure of its populations."""

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator, PercentFormatter

from w51_lab.report.figures import FAINT, PAGE, Drawing, Look, Mark, new_figure, plain_axes
from w51_lab.report.page_tables import Cell, PageSection, PageTable
from w51_lab.report.tables import verdict
from w51_lab.report.values import ABSENT, ends, interval, percent

_PLOTS = 3  # side by side
_HEIGHT = 1.7  # inches


def panel_section(summary: Mapping[str, Any]) -> PageSection | None:
    """Invasion and resistance against each member of the panel; None without a panel."""
    panel = summary.get("panel")
    if not panel:
        return None
    agent, share = panel["agent"], percent(summary["equal_share"])
    columns = [
        ("population", ""),
        ("alone", f"win rate of one {agent} among copies of the other agent"),
        ("interval", ""),
        ("half", "win rate of a seat where neither is alone"),
        ("other alone", f"win rate of one copy of the other agent among copies of {agent}"),
        ("interval", ""),
        ("invades", "alone it wins more than the equal share"),
        ("resists", "the other agent alone wins less than the equal share"),
        ("strength", "mean win rate of a seat over all mixtures"),
    ]
    rows = [_row(member, Cell(member["name"], "name")) for member in panel["members"]]
    rows.append(_row(panel, Cell("mean", "name")))
    intro = (
        f"{agent} plays with each other agent in every mixture, on the same deals. It invades a population if it wins "
        f"more than the equal share ({share}) alone among its members, and resists it if a lone member wins less among "
        f"copies of {agent}. Strength: {percent(panel['strength']['mean'])} "
        f"({interval(panel['strength'], percent)}), the mean over all populations."
    )
    table = PageTable("Invasion and resistance", columns, rows)
    return PageSection("panel", "Populations", intro, ("populations",), (table,))


def _row(means: Mapping[str, Any], head: Cell) -> list[Cell]:
    invasion, half, resistance = means["invasion"], means["half"], means["resistance"]
    invades, resists = means.get("invades"), means.get("resists")
    verdicts = [Cell(verdict(means[key]) if key in means else ABSENT) for key in ("invades", "resists")]
    return [
        head,
        Cell(percent(invasion["mean"]), _kind(invades)),
        Cell(interval(invasion, percent)),
        Cell(percent(half["mean"]) if half else ABSENT),
        Cell(percent(resistance["mean"]), _kind(resists)),
        Cell(interval(resistance, percent)),
        *verdicts,
        Cell(percent(means["strength"]["mean"])),
    ]


def _kind(holds: bool | None) -> str:
    return "" if holds is None else "better" if holds else "worse"


def draw_panel(summary: Mapping[str, Any], look: Look) -> list[Drawing]:
    """For each member of the panel the win rates over the number of seats that the agent has; [] without a panel."""
    panel = summary.get("panel")
    if not panel:
        return []
    members, agent = panel["members"], look[panel["agent"]]
    columns = min(_PLOTS, len(members))
    lines = -(-len(members) // columns)
    figure = new_figure(PAGE, _HEIGHT * lines + 0.3)
    grid = list(figure.subplots(lines, columns, squeeze=False, sharey=True).flat)
    for axes in grid[len(members) :]:
        axes.remove()
    for index, (axes, member) in enumerate(zip(grid, members, strict=False)):
        populations = member["populations"]
        _curve(axes, populations, "win_rate", agent)
        _curve(axes, populations, "member_win_rate", look[member["name"]])
        plain_axes(axes, "y")
        axes.axhline(summary["equal_share"], color=FAINT, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_xlim(0.7, summary["players"] - 0.7)
        axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
        axes.set_title(look[member["name"]].label, color=look[member["name"]].colour)
        axes.set_xlabel(f"seats of {agent.label}", color=agent.colour)
        axes.set_ylabel("win rate of a seat" if index % columns == 0 else "")
    grid[0].set_ylim(bottom=0)
    return [
        Drawing(
            "populations",
            figure,
            f"Win rates of one seat of {agent.label} and of each other agent over their mixture, with "
            f"{summary['confidence']:.0%} intervals. The dashed line is the equal share. On the left {agent.label} is "
            f"alone, on the right the other agent. Above the line on the left it invades; above it on the right it "
            "resists.",
            f"Win rates of {agent.label} in mixtures with {len(members)} agents; the numbers are in the table beside.",
        )
    ]


def _curve(axes: Axes, populations: Sequence[Mapping[str, Any]], key: str, mark: Mark) -> None:
    seats = [population["seats"] for population in populations]
    rates = [population[key]["mean"] for population in populations]
    for x, population in zip(seats, populations, strict=True):
        axes.plot([x, x], ends(population[key]), color=mark.colour, linewidth=1.3, solid_capstyle="butt")
    axes.plot(seats, rates, color=mark.colour, marker=mark.marker, markeredgewidth=0, linewidth=1)
