"""How strong the agents of the repository are with four players: a paragraph and a figure, from the same matches."""

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any

from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from docs._svg import colour_of, svg_file
from w51_lab.report.figures import GRID, new_figure, paper_style, plain_axes, reference_line

PLAYERS, SHARE = 4, 0.25
LEARNED = {
    "pretrained": "learned among many agents",
    "pretrained-v2": "by self-play",
    "exploiter": "against the heuristic",
}
NETWORKS = tuple(LEARNED)
RESULTS = tuple(name.replace("-", "_") for name in NETWORKS)  # whose files of matches are read
HOST = "pretrained-v2"  # among which the others are compared
AGENTS = (*NETWORKS, "heuristic")
POPULATIONS = (*AGENTS, "pretrained-v1")
COLUMNS = 120
_SIZE = (7.2, 2.9)  # inches
_MARKERS = "osD^"
_STEP = 0.17  # between the agents of a row

Rate = Mapping[str, float]  # win_rate, low, high
Rates = Mapping[tuple[str, str], Rate]


def rates_of(files: Sequence[Mapping[str, Any]]) -> Rates:
    """The win rate of one agent among three copies of another, by (one, other), from files of matches."""
    matches = [match for file in files for match in file["matches"] if match.get("players", PLAYERS) == PLAYERS]
    pairs = [[agent["name"] for agent in match["agents"]] for match in matches]
    return {(one, other): match["agents"][0] for (one, other), match in zip(pairs, matches, strict=True)}


def paragraph(rates: Rates, responses: Mapping[int, Mapping[str, float]], search: Rate, commits: Sequence[str]) -> str:
    """What the figure shows, in words; what trained responses, by players and network, and a search win; commits."""

    def listed(pairs: Sequence[tuple[str, str]]) -> str:
        *texts, last = [f"{100 * rates[pair]['win_rate']:.0f}" for pair in pairs]
        return f"{', '.join(texts)} and {last} %"

    come_along = ", ".join(f"`{name}` {how}" for name, how in LEARNED.items())
    guests = [name for name in NETWORKS if name != HOST]
    among_networks = " and ".join(f"`{name}` {100 * rates[name, HOST]['win_rate']:.0f} %" for name in guests)
    trained = {players: [f"{100 * rate:.0f}" for rate in found.values()] for players, found in responses.items()}
    attacked = " and ".join(f"`{name}`" for name in responses[PLAYERS])
    text = (
        f"Networks come along: {come_along}. Alone among three heuristics "
        f"they win {listed([(name, 'heuristic') for name in NETWORKS])}; one heuristic among three of "
        f"them wins {listed([('heuristic', name) for name in NETWORKS])}; among three `{HOST}` "
        f"win {among_networks}. Trained responses win {' and '.join(trained[PLAYERS])} % among {attacked}, with three "
        f"players {' and '.join(trained[3])} % (equal: 33 %). A search that knows `pretrained` wins far more: "
        f"{100 * search['win_rate']:.0f} % ({100 * search['low']:.0f} to {100 * search['high']:.0f}) among three of it "
        "([responses](docs/search.md#responses), [model card](agents/w51_agents/pretrained/README.md); commits "
        f"{', '.join(dict.fromkeys(commits))})."
    )
    lines = fill(text.replace(" %", "\u00a0%"), COLUMNS, break_long_words=False, break_on_hyphens=False)
    return lines.replace("\u00a0", " ")


def figure(rates: Rates) -> bytes:
    """An SVG file: each agent alone among each population, and one of the population alone among copies of it."""
    with paper_style():
        drawn = new_figure(*_SIZE)
        panels = drawn.subplots(1, 2, sharey=True, sharex=True)
        for axes, title, is_alone in zip(
            panels, ("alone among three of them (more is better)", "one of them among three of it (less is better)"),
            (True, False), strict=True,
        ):  # fmt: skip
            plain_axes(axes)
            reference_line(axes, SHARE, "equal share")
            for row in range(1, len(POPULATIONS)):
                axes.axhline(row - 0.5, color=GRID, linewidth=0.6)
            for number, agent in enumerate(AGENTS):
                _draw(axes, rates, number, agent, is_alone)
            axes.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
            axes.set(xlabel=title, yticks=range(len(POPULATIONS)), yticklabels=POPULATIONS)
        panels[0].set_xlim(left=0)
        panels[0].set_ylim(len(POPULATIONS) - 0.5, -0.5)
        drawn.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=len(AGENTS))
        return svg_file(drawn, "strength", "Win rates of the agents of the repository in each population")


def _draw(axes: Axes, rates: Rates, number: int, agent: str, is_alone: bool) -> None:
    """The points of one agent, with their intervals."""
    pairs = [(row, (agent, other) if is_alone else (other, agent)) for row, other in enumerate(POPULATIONS)]
    shown = [(row, rates[pair]) for row, pair in pairs if pair in rates and agent != POPULATIONS[row]]
    places = [row + (number - (len(AGENTS) - 1) / 2) * _STEP for row, _ in shown]
    means = [rate["win_rate"] for _, rate in shown]
    errors = [[abs(rate[end] - rate["win_rate"]) for _, rate in shown] for end in ("low", "high")]
    style: dict[str, Any] = {"fmt": _MARKERS[number], "color": colour_of(number, len(AGENTS)), "label": agent}
    axes.errorbar(means, places, xerr=errors, capsize=0, markersize=4, **style)
