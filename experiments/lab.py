"""What the experiments share: data that grow cell by cell and outlast a stop, trainings, recorded games, figures."""

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from matplotlib.figure import Figure
from rich.console import Console

from benchmarks.measure import ROOT, machine
from w51_agents.agent.interface import Agent
from w51_agents.system.files import write_json
from w51_agents.training.config import load_config
from w51_agents.training.run import Run
from w51_agents.training.run_facts import STATE
from w51_agents.training.settings import TrainingConfig
from w51_env.engine.batch import Batch
from w51_env.engine.game import Game
from w51_env.engine.victory import wins_of
from w51_lab.arena.match_loop import StrictRunner, play
from w51_lab.behaviour import BehaviourRecorder
from w51_lab.behaviour.contract import Tables
from w51_lab.trainings.curves import remove_frame, save_figure

RESULTS = ROOT / "experiments" / "results"
PAGES = ROOT / "docs" / "experiments"
CONFIGS = ROOT / "configs"
RUNS = ROOT / "runs" / "experiments"  #  trainings, so that the same command goes on with them after a stop
AGENTS = ("heuristic", "pretrained-v1", "pretrained-v2")  #  that come with the package
# Told apart by readers with any colour vision (Okabe and Ito, 2008); MARKERS tell them apart without colour.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
SEEN_COUNTERFEITS = ("counterfeit_left", "counterfeit_right", "counterfeit_elsewhere")  #  slices of the observation
console = Console(highlight=False)

Cell = dict[str, Any]

# Options that several experiments have.
Decisions = Annotated[int, typer.Option(min=1, help="Of each training.")]
Games = Annotated[int, typer.Option(min=4, help="Games of each measurement.")]
Seed = Annotated[int, typer.Option(help="Seed of the deals.")]
DataFile = Annotated[Path, typer.Option(help="File of the data.")]
FigurePath = Annotated[Path, typer.Option(help="Figure, without suffix: PNG and PDF.")]
Runs = Annotated[Path, typer.Option(help="Folder of the trainings.")]


def measured(
    data: Path, settings: Cell, cells: Iterable[Cell], measure: Callable[..., dict[str, Any]]
) -> dict[str, Any]:
    """Measure each cell that the file does not have, and write the file after each.

    Args:
        data: The JSON file. Cells that it has are kept if they were measured with the same settings.
        settings: Sizes and seeds that hold for all cells.
        cells: Arguments of `measure`, plain data; they identify a cell.
        measure: (**cell) -> results, plain data.

    Returns:
        What the file has: `machine`, `settings` and `cells`, each with its arguments, results, wall time `seconds`,
        and its `commit` if the sources are no longer those of `machine`.
    """
    here = machine()
    results: dict[str, Any] = json.loads(data.read_text("utf-8")) if data.exists() else {"settings": None}
    if results["settings"] != json.loads(json.dumps(settings)):
        results = {"machine": here, "settings": settings, "cells": []}
    other = {} if results["machine"]["commit"] == here["commit"] else {"commit": here["commit"]}
    for cell in cells:
        if not any(cell.items() <= row.items() for row in results["cells"]):
            begun = time.monotonic()
            results["cells"].append({**cell, **measure(**cell), "seconds": round(time.monotonic() - begun, 1), **other})
            data.parent.mkdir(parents=True, exist_ok=True)
            write_json(results, data)
            console.print(
                f"{', '.join(f'{key} {value}' for key, value in cell.items())}: {results['cells'][-1]['seconds']} s"
            )
    return results


def trained(config: str, changes: Sequence[str], runs: Path, allowed: Sequence[str] = ()) -> Run:
    """A finished training, in a folder named by its settings; one that was stopped goes on. Close it.

    Args:
        config: Name of a config of this project.
        changes: Changes of it, as `key=value`.
        runs: Folder of the runs.
        allowed: Code that the changes name, `module:object`.
    """
    name = hashlib.sha256(json.dumps([config, *changes]).encode()).hexdigest()[:12]
    if (runs / name / STATE).exists():
        run = Run.resume(runs / name, None, allowed)
    else:
        runs.mkdir(parents=True, exist_ok=True)
        run = Run.begin(load_config(CONFIGS / f"{config}.yaml", [*changes, f"runs={runs}", f"name={name!r}"]), None)
    run.train(lambda update, matches: None, lambda: False)
    return run


def checkpoints(config: TrainingConfig, stops: Sequence[int]) -> Iterator[tuple[int, Path]]:
    """Train; yields the decisions so far and the checkpoint as soon as each of these numbers is reached."""
    run = Run.begin(config, None)
    try:
        for stop in stops:
            run.train(lambda update, matches: None, partial(_has_reached, run, stop))
            yield run.trainer.decisions, run.checkpoint
    finally:
        run.close()


def _has_reached(run: Run, decisions: int) -> bool:
    return run.trainer.decisions >= decisions


def recorded(game: Game, agents: Sequence[Agent], seated: np.ndarray, seed: int) -> tuple[Batch, Tables]:
    """Play games to their ends, each with a deal of its own; the batch with the results, and the behaviour tables.

    Args:
        game: The game.
        agents: The agents.
        seated: (N, num_players) integers, the agent in each seat.
        seed: Seed of the deals and of the agents.
    """
    recorder = BehaviourRecorder(game)
    runners = [StrictRunner(f"agent {number}", agent, game) for number, agent in enumerate(agents)]
    for agent in agents:
        agent.reset(seed)
    seeds = np.random.SeedSequence(seed).generate_state(len(seated), np.uint64)
    batch = play(game, runners, seated, seeds, on_step=lambda batch, actions: recorder.read(batch), events=True)
    return batch, recorder.tables(batch, np.arange(len(seated)), 0, seated)


def wins_alone(game: Game, agent: Agent, others: Agent, deals: int, seed: int) -> np.ndarray:
    """(deals,) wins of an agent alone among copies of another, in the mean over its seats. Equal seeds, equal deals."""
    players = game.num_players
    seated = np.tile(1 - np.eye(players, dtype=int), (deals, 1))
    seeds = np.repeat(np.random.SeedSequence(seed).generate_state(deals, np.uint64), players)
    runners = [StrictRunner(name, one, game) for name, one in (("agent", agent), ("others", others))]
    for runner in runners:
        runner.agent.reset(seed)
    wins = wins_of(play(game, runners, seated, seeds).final_ranks)
    return np.asarray(wins[seated == 0].reshape(deals, players).mean(axis=1))


def plain_axes(axes: Any, title: str, **settings: Any) -> None:
    """Axes in the style of all experiments: a title on the left, faint lines, no frame."""
    axes.set_title(title, fontsize=10, loc="left")
    axes.set(**settings)
    axes.grid(axis="y", color="#e3e6ea", linewidth=0.8)
    remove_frame(axes)


def error_bars(axes: Any, at: np.ndarray, points: np.ndarray, number: int, label: str) -> None:
    """Means with intervals, (N, 3), in the style of this number."""
    reach = np.abs(points[:, 1:] - points[:, :1]).T
    style: dict[str, Any] = {"color": COLOURS[number], "marker": MARKERS[number], "linestyle": "none", "capsize": 2}
    axes.errorbar(at, points[:, 0], reach, label=label, **style)


def save(figure: Figure, path: Path) -> None:
    """Write a figure as PNG; `path` has no suffix."""
    path.parent.mkdir(parents=True, exist_ok=True)
    save_figure(figure, path.with_suffix(".png"))
