"""What does one changed rule, or one changed agent, do, if all else is equal? Run: `python -m experiments.pairs PAGE`.

Pairs of games on the same deals, for several pages of docs/experiments, which have the results: `pairs`, whether lots
are auctioned open or blind, whether there are counterfeits, who is paid; `payment`, who is paid, with longer trainings;
`knowing`, what knowing a counterfeit is worth; `bluff`, what bids for known counterfeits bring. `w51 experiment pair`
plays any other pair.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from matplotlib.figure import Figure

from experiments import lab
from experiments.analysis import (
    BESIDE,
    BY_KNOWLEDGE,
    DOUBT,
    LOTS,
    MEASURES,
    OF_CHANGED,
    kind_of,
    option_of,
    over_all,
)  # fmt: skip
from experiments.handicaps import register
from w51_env.engine.errors import OptionError, unknown
from w51_env.warehouse51.relics import load_relic_set
from w51_lab.arena.spec import TournamentSpec
from w51_lab.arena.tournament import run
from w51_lab.arena.workers import make_executor
from w51_lab.behaviour.contract import Table
from w51_lab.pairs.effects import TABLE, Chosen, PlayedPair, effects_of
from w51_lab.pairs.option_pair import AGENT, OptionChange, OptionPair, parse_change
from w51_lab.statistics.estimates import over_seeds

TRAINED = "trained"
FORMS = "relics=open:reconstruction-1,blind:reconstruction-1"
KNOWN: Chosen = {  # lots by who had seen the counterfeit card on the first side
    "known to the buyer": lambda lots: lots["counterfeit_first"] & lots["buyer_knew_first"],
    "known to others": lambda lots: lots["counterfeit_first"] & ~lots["buyer_knew_first"],
    "genuine": lambda lots: ~lots["counterfeit_first"],
}


@dataclass(frozen=True)
class Page:
    """What the pairs of a page are, and how its figure shows them.

    Attributes:
        cells: A pair, the agents of both sides (of AGENT, those beside the one that differs), and further options.
        panel, series: The panel of the figure that shows a cell, and its label there.
        decisions: Of each training.
        chosen: Lots that are looked at alone.
        is_labelled_anew: Whether each panel has a legend of its own.
    """

    cells: tuple[lab.Cell, ...]
    panel: Callable[[lab.Cell], str]
    series: Callable[[lab.Cell], str]
    decisions: int = 300_000
    chosen: Chosen = field(default_factory=dict)
    is_labelled_anew: bool = False


def _second(cell: lab.Cell) -> str:
    return str(cell["pair"].partition(",")[2].partition(":")[0])


def _changed(cell: lab.Cell) -> str:
    """The agent that differs without its handicap; of other pairs the agents."""
    return str(cell["pair"][len(AGENT) + 1 :].partition("-unchanged")[0] if option_of(cell) == AGENT else cell["agent"])


PAYEES = [f"payment_to=left,{payee}" for payee in ("right", "bank", "others")]
PAGES = {
    "pairs": Page(
        (
            *({"pair": FORMS, "agent": agent} for agent in ("heuristic", "pretrained-v2")),
            *({"pair": "counterfeits_per_gap=1,0", "agent": agent} for agent in ("heuristic", "pretrained-v2")),
            *({"pair": pair, "agent": TRAINED} for pair in PAYEES),
        ),
        option_of,
        lambda cell: _second(cell) if cell["agent"] == TRAINED else str(cell["agent"]),
        is_labelled_anew=True,
    ),
    "payment": Page(
        tuple({"pair": pair, "agent": agent} for agent, pair in product((TRAINED, f"random {TRAINED}"), PAYEES)),
        lambda cell: "beside a random player" if " " in cell["agent"] else "copies of the trained agent",
        _second,
        decisions=1_500_000,
    ),
    "knowing": Page(
        tuple(
            {"pair": pair.format(agent), "agent": agent, "num_players": players}
            for pair in ("counterfeits_per_gap=null,0", "agent={0}-unchanged,{0}-blindfolded")
            for players, agent in product((3, 4, 5), lab.AGENTS)
        ),
        lambda cell: (
            f"{'no knowledge' if option_of(cell) == AGENT else 'no counterfeits'}, {cell['num_players']} players"
        ),
        _changed,
        chosen=KNOWN,
    ),
    "bluff": Page(
        tuple(
            {"pair": f"agent={agent}-unchanged,{agent}-honest", "agent": others}
            for agent, others in product(lab.AGENTS, lab.AGENTS)
        ),
        lambda cell: f"among {cell['agent']}",
        _changed,
    ),
}


def main(
    page: Annotated[str, typer.Argument(help=f"One of: {', '.join(PAGES)}.")] = "pairs",
    games: lab.Games = 2000,
    decisions: Annotated[int | None, typer.Option(min=1, help="Of each training.", show_default="by page")] = None,
    seeds: Annotated[int, typer.Option(min=2, help="Trainings for each side of a pair of trained agents.")] = 3,
    seed: lab.Seed = 1,
    data: Annotated[Path | None, typer.Option(help="File of the data.", show_default="by page")] = None,
    figure: Annotated[Path | None, typer.Option(help="Figure, without suffix.", show_default="by page")] = None,
    runs: lab.Runs = lab.RUNS,
) -> None:
    """Train, play both sides, draw."""
    if page not in PAGES:
        raise OptionError(unknown("page", page, list(PAGES)))
    register()
    shown = PAGES[page]
    settings = {"games": games, "decisions": decisions or shown.decisions, "seeds": seeds, "seed": seed}
    file = data or lab.RESULTS / f"{page}.json"
    found = lab.measured(file, settings, shown.cells, partial(measure, settings, runs, shown.chosen))
    draw(shown, found["cells"], figure or lab.PAGES / page)


def measure(
    settings: dict[str, int], runs: Path, chosen: Chosen, pair: str, agent: str, **options: Any
) -> dict[str, Any]:
    """The effects of a pair, and what chance draws otherwise."""
    change, names = parse_change(pair), agent.split()
    trainings = range(1, settings["seeds"] + 1) if TRAINED in names else (-1,)
    played = [play(change, names, options, one, settings, runs) for one in trainings]
    first, of_cards = played[0].pair.plans[0].names[0], chosen if change.option != AGENT else {}
    of_rule = BY_KNOWLEDGE if of_cards else BESIDE if len(names) > 1 else LOTS
    wanted = OF_CHANGED if change.option == AGENT else of_rule
    rows = [
        effect.model_dump(include=PLAIN)
        for effect in effects_of(played, of_cards)
        if effect.measure in wanted and effect.agent in (TABLE, first)
    ]
    return {"unequal": list(played[0].pair.unequal()), "effects": [*rows, *([curse(played[0])] if of_cards else [])]}


_LEAST = 1e-9  # of a spread: copies of an agent win exactly their shares
PLAIN = {"measure", "first", "second", "difference", "spread", "trainings", "over_trainings"}


def play(
    change: OptionChange, names: list[str], options: dict[str, Any], training: int, settings: dict[str, int], runs: Path
) -> PlayedPair:
    """Both sides of a pair, by the agents of these names, of which one is trained for the rules of its side."""
    sides = []
    for value in change.values:
        agents = list(names)
        if TRAINED in names:
            rules = [f"options.{change.option}={value}", f"decisions={settings['decisions']}", f"seed={training}"]
            with lab.trained("selfplay_quick", rules, runs) as trained:
                agents[names.index(TRAINED)] = str(trained.folder)
        sides.append(agents)
    spec = TournamentSpec(
        agents=tuple(sides[0]),
        names=(TABLE,) if len(names) == 1 and change.option != AGENT else tuple(names),
        games=settings["games"],
        seed=settings["seed"],
        options=options,
    )
    pair = OptionPair(spec, change, sides[1])
    first, second = (run(plan, make_executor(plan, 1)) for plan in pair.plans)
    return PlayedPair(pair, first, second, training)


def curse(played: PlayedPair) -> dict[str, Any]:
    """How often a relic that a seat cannot tell from a counterfeit is one: of all such, and of those that it buys."""
    relics = load_relic_set(played.pair.games[0].options["relics"]).relics
    may_be = np.array([relic.counterfeit for relic in relics])
    deals = len(played.first.games.deal_ids)
    sums = np.zeros((2, 2, deals))  # all, bought; counterfeits, relics
    for part in played.first.behaviour:
        stakes: Table = part["stakes"]
        doubtful = may_be[stakes["relic"]] & ~stakes["knew"]
        for which, rows in enumerate((doubtful, doubtful & stakes["bought"])):
            deal = stakes["deal"][rows]
            sums[which] += np.bincount(deal, stakes["counterfeit"][rows], deals), np.bincount(deal, minlength=deals)
    known = (sums[:, 1] > 0).all(axis=0)
    every, bought = sums[:, 0, known] / sums[:, 1, known]
    interval = over_seeds(bought - every)._asdict()
    data = {"first": float(every.mean()), "second": float(bought.mean()), "spread": float(every.std(ddof=1))}
    return {"measure": DOUBT, **data, "difference": interval, "trainings": [], "over_trainings": None}


def draw(page: Page, cells: list[lab.Cell], path: Path) -> None:
    """For each pair the effects in standard deviations of a deal, with their intervals.

    Left out is what does not vary on the first side, and what there is none of on the second side of any pair.
    """
    panels: dict[str, list[lab.Cell]] = {}
    for cell in cells:
        panels.setdefault(page.panel(cell), []).append(cell)
    columns = min(3, len(panels))
    rows = -(-len(panels) // columns)
    figure = Figure(figsize=(2.4 + 3.2 * columns, 4.6 * rows), layout="constrained")
    drawn: list[str] = []
    for number, (axes, title) in enumerate(zip(figure.subplots(rows, columns).flat, panels, strict=True)):
        shown = panels[title]
        alike = [cell for cell in cells if kind_of(cell) == kind_of(shown[0])]
        found = {row["measure"] for cell in alike for row in cell["effects"] if row["second"] != 0}
        measures = [name for name in MEASURES if name in found]
        for series, cell in enumerate(shown):
            by_name = {
                row["measure"]: row for row in cell["effects"] if row["measure"] in measures and row["spread"] > _LEAST
            }
            at = [measures.index(name) + 0.2 * (series - (len(shown) - 1) / 2) for name in by_name]
            points = np.array([_scaled(row) for row in by_name.values()])
            reach = np.abs(points[:, 1:] - points[:, :1]).T
            style: dict[str, Any] = {"color": lab.COLOURS[series], "marker": lab.MARKERS[series], "linestyle": "none"}
            axes.errorbar(points[:, 0], at, xerr=reach, label=page.series(cell), capsize=2, markersize=5, **style)
        lab.plain_axes(axes, title, yticks=range(len(measures)))
        if max(map(abs, axes.get_xlim())) > 2:
            axes.set_xscale("symlog")
        axes.xaxis.set_major_formatter("{x:g}")
        is_named = number % columns == 0 or measures != drawn
        axes.set_yticklabels([MEASURES[name] for name in measures] if is_named else [])
        axes.set_ylim(len(measures) - 0.5, -0.5)
        axes.axvline(0, color="grey", linewidth=1, linestyle="--")
        drawn = measures
        if page.is_labelled_anew:
            axes.legend(fontsize=8)
        elif number == 0:
            figure.legend(*axes.get_legend_handles_labels(), fontsize=9, ncols=3, loc="outside upper center")
    figure.supxlabel("difference, in standard deviations of a deal", fontsize=9)
    lab.save(figure, path)


def _scaled(row: dict[str, Any]) -> list[float]:
    """The difference with its interval, over the spread of the first side."""
    return [end / row["spread"] for end in over_all(row)]


if __name__ == "__main__":
    typer.run(main)
