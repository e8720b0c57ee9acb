"""What does one changed rule do, if all else is equal? Run: `python -m experiments.pairs`.

Pairs of games on the same deals, in which one option differs: who is paid, whether lots are auctioned open or blind,
whether there are counterfeits. docs/experiments/pairs.md has the result. `w51 experiment pair` plays any other pair.
"""

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from matplotlib.figure import Figure

from experiments import lab
from experiments.analysis import MEASURES
from w51_lab.arena.spec import TournamentSpec
from w51_lab.arena.tournament import run
from w51_lab.arena.workers import make_executor
from w51_lab.pairs.effects import TABLE, PlayedPair, effects_of
from w51_lab.pairs.option_pair import OptionChange, OptionPair, parse_change

TRAINED = "trained"
FORMS = "relics=open:reconstruction-1,blind:reconstruction-1"
PAIRS = (
    *((FORMS, agent) for agent in ("heuristic", "pretrained")),
    *(("counterfeits_per_gap=1,0", agent) for agent in ("heuristic", "pretrained")),
    *((f"payment_to=left,{payee}", TRAINED) for payee in ("right", "bank", "others")),
)


def main(
    games: lab.Games = 2000,
    decisions: lab.Decisions = 300_000,
    seeds: Annotated[int, typer.Option(min=2, help="Trainings for each side of a pair of trained agents.")] = 3,
    seed: lab.Seed = 1,
    data: lab.DataFile = lab.RESULTS / "pairs.json",
    figure: lab.FigurePath = lab.PAGES / "pairs",
    runs: lab.Runs = lab.RUNS,
) -> None:
    """Train, play both sides, draw."""
    settings = {"games": games, "decisions": decisions, "seeds": seeds, "seed": seed}
    cells = ({"pair": pair, "agent": agent} for pair, agent in PAIRS)
    draw(lab.measured(data, settings, cells, partial(measure, settings, runs)), figure)


def measure(settings: dict[str, int], runs: Path, pair: str, agent: str) -> dict[str, Any]:
    """The effects of a pair on copies of an agent, and what chance draws otherwise."""
    change = parse_change(pair)
    trainings = range(1, settings["seeds"] + 1) if agent == TRAINED else (-1,)
    played = [play(change, agents_of(change, agent, one, settings, runs), settings, one) for one in trainings]
    effects = [effect for effect in effects_of(played) if effect.measure in MEASURES]
    plain = ("measure", "first", "second", "difference", "spread", "trainings", "over_trainings")
    rows = [{name: effect.data[name] for name in plain} for effect in effects]
    return {"unequal": list(played[0].pair.unequal()), "effects": rows}


def agents_of(change: OptionChange, agent: str, training: int, settings: dict[str, int], runs: Path) -> list[str]:
    """The agent of each side, trained for its rules if it is to be."""
    if agent != TRAINED:
        return [agent, agent]
    names = []
    for value in change.values:
        changes = [f"options.{change.option}={value}", f"decisions={settings['decisions']}", f"seed={training}"]
        with lab.trained("selfplay_quick", changes, runs) as trained:
            names.append(str(trained.folder))
    return names


def play(change: OptionChange, agents: list[str], settings: dict[str, int], training: int) -> PlayedPair:
    """Both sides of a pair, by copies of an agent each."""
    spec = TournamentSpec(agents=(agents[0],), names=(TABLE,), games=settings["games"], seed=settings["seed"])
    pair = OptionPair(spec, change, agents[1:])
    first, second = (run(plan, make_executor(plan, 1)) for plan in pair.plans)
    return PlayedPair(pair, first, second, training)


def draw(data: dict[str, Any], path: Path) -> None:
    """For each pair the effects in standard deviations of a deal, with their intervals."""
    figure = Figure(figsize=(11, 4.6), layout="constrained")
    changes = list(dict.fromkeys(cell["pair"].partition("=")[0] for cell in data["cells"]))
    for axes, option in zip(figure.subplots(1, len(changes), sharey=True), changes, strict=True):
        cells = [cell for cell in data["cells"] if cell["pair"].startswith(f"{option}=")]
        for number, cell in enumerate(cells):
            rows = {row["measure"]: row for row in cell["effects"] if row["spread"] > 0}
            shown = [name for name in MEASURES if name in rows]
            at = np.array([list(MEASURES).index(name) for name in shown]) + 0.2 * (number - (len(cells) - 1) / 2)
            points = np.array([_scaled(rows[name]) for name in shown])
            reach = np.abs(points[:, 1:] - points[:, :1]).T
            label = cell["agent"] if cell["agent"] != TRAINED else cell["pair"].partition(",")[2]
            style: dict[str, Any] = {"color": lab.COLOURS[number], "marker": lab.MARKERS[number], "linestyle": "none"}
            axes.errorbar(points[:, 0], at, xerr=reach, label=label, capsize=2, markersize=5, **style)
        first, _, second = cells[0]["pair"].partition("=")[2].replace(":reconstruction-1", "").partition(",")
        title = f"{option}: {second if len(cells) < 3 else 'each'} against {first}"
        lab.plain_axes(axes, title, yticks=range(len(MEASURES)), xscale="symlog")
        axes.xaxis.set_major_formatter("{x:.0f}")
        axes.set_yticklabels(MEASURES.values())
        axes.axvline(0, color="grey", linewidth=1, linestyle="--")
        axes.legend(fontsize=8)
    figure.axes[0].invert_yaxis()
    figure.supxlabel("difference, in standard deviations of a deal", fontsize=9)
    lab.save(figure, path)


def _scaled(row: dict[str, Any]) -> list[float]:
    """The difference with its interval, over the spread of the first side."""
    interval = row["over_trainings"] or row["difference"]
    return [np.nan if interval[end] is None else interval[end] / row["spread"] for end in ("mean", "low", "high")]


if __name__ == "__main__":
    typer.run(main)
