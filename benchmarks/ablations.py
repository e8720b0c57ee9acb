"""What helps self-play: variants of its quick config, several seeds each, as curves: `python benchmarks/ablations.py`.

Each run has the same number of decisions. Its win rate against heuristic bots is measured at several points, on the
same deals. Finished runs are in `benchmarks/results/ablations.json`, so a benchmark that was stopped continues.
"""

import json
import time
from pathlib import Path
from typing import Annotated, Any

import torch
import typer
from rich.console import Console
from rich.table import Table

from benchmarks.measure import RESULTS, ResultsFile, Threads, machine
from w51_agents import make_agent
from w51_agents.system.files import write_atomic
from w51_agents.training.config import load_config
from w51_agents.training.registry import trainer_spec
from w51_agents.training.settings import TrainingConfig
from w51_env import make_game
from w51_lab.arena.matches import play_matches

ROOT = Path(__file__).resolve().parents[1]
CONFIG = ROOT / "configs" / "selfplay_base_policy.yaml"
PICTURE = ROOT / "docs" / "lab" / "ablations.png"

BASE = ["options.reward=win", "selfplay.update_epochs=2"]  # of all variants
NO_BASE_POLICY = ["selfplay.base_policy=null"]
VARIANTS = {
    "reward: win": [],
    "no base policy": NO_BASE_POLICY,
    "no base policy, teacher at first": [*NO_BASE_POLICY, "selfplay.teacher=heuristic", "selfplay.teacher_until=0.3"],
    "reward: rank": ["options.reward=rank"],
    "reward: margin": ["options.reward=margin"],
    "lambda 0.98": ["selfplay.gae_lambda=0.98"],
    "KL to averaged weights": ["selfplay.average_kl=0.05", "selfplay.ent_coef=0.0", "selfplay.final_ent_coef=0.0"],
    "no entropy bonus": ["selfplay.ent_coef=0.0", "selfplay.final_ent_coef=0.0"],
    "centralized critic": ["selfplay.critic=centralized"],
    "one epoch": ["selfplay.update_epochs=1"],
    "heuristic features": ["selfplay.heuristic_features=true"],
    "every seat learns, no bots": ["selfplay.games=[{num_players: 4, num_envs: 768, opponents: self}]"],
}
console = Console()


def main(
    decisions: Annotated[int, typer.Option(help="Decisions of each run.")] = 3_000_000,
    seeds: Annotated[int, typer.Option(help="Runs of each variant.")] = 3,
    points: Annotated[int, typer.Option(help="Points of each curve.")] = 6,
    games: Annotated[int, typer.Option(help="Games of each point.")] = 2000,
    threads: Threads = 1,
    json_file: ResultsFile = RESULTS / "ablations.json",
    picture: Annotated[bool, typer.Option(help="Draw the curves for the documentation.")] = True,
) -> None:
    """Run what is missing, print a table, draw the curves."""
    torch.set_num_threads(threads)
    settings = {"decisions": decisions, "points": points, "games": games}
    ablation: dict[str, Any] = (
        json.loads(json_file.read_text("utf-8")) if json_file.exists() else {"settings": settings, "curves": {}}
    )
    if ablation["settings"] != settings:
        raise typer.BadParameter(f"{json_file} was made with {ablation['settings']}; move it away first")
    ablation["machine"] = machine()
    for seed in range(1, seeds + 1):
        for name, changes in VARIANTS.items():
            if str(seed) not in ablation["curves"].setdefault(name, {}):
                config = load_config(CONFIG, [*BASE, *changes, f"decisions={decisions}", f"seed={seed}"])
                ablation["curves"][name][str(seed)] = curve = run(config, points, games)
                write_atomic(json_file, lambda path: path.write_text(json.dumps(ablation, indent=1) + "\n", "utf-8"))
                console.print(
                    f"{name}, seed {seed}: {curve['win_rate'][-1]:.1%} after {curve['seconds']:.0f} s", highlight=False
                )
    console.print(table(ablation["curves"]))
    if picture:
        draw(ablation["curves"], decisions)


def run(config: TrainingConfig, points: int, games: int) -> dict[str, Any]:
    """Train, and measure the win rate against heuristic players at so many points; seconds are those of training."""
    game = make_game(config.game, **config.options)
    opponent = ("heuristic", make_agent("heuristic", game))
    trainer = trainer_spec(config.trainer).make(config, game)
    seconds = 0.0
    decisions = list[int]()
    shares = list[float]()
    try:
        while trainer.decisions < config.decisions:
            began = time.monotonic()
            trainer.update()
            seconds += time.monotonic() - began
            if trainer.decisions >= config.decisions * (len(shares) + 1) / points:
                decisions.append(trainer.decisions)
                shares.append(
                    play_matches(game, [("learner", trainer.agent(game)), opponent], games, 0).standings()[0].win_rate
                )
    finally:
        trainer.close()
    return {"decisions": decisions, "win_rate": shares, "seconds": seconds}


def table(curves: dict[str, dict[str, Any]]) -> Table:
    """The last point of each curve."""
    variants = Table("variant", "win rate", "of each seed", "decisions/s")
    for name, by_seed in curves.items():
        last = [curve["win_rate"][-1] for curve in by_seed.values()]
        throughput = sum(curve["decisions"][-1] for curve in by_seed.values()) / sum(
            curve["seconds"] for curve in by_seed.values()
        )
        variants.add_row(
            name, f"{sum(last) / len(last):.1%}", ", ".join(f"{share:.1%}" for share in last), f"{throughput:,.0f}"
        )
    return variants


def draw(curves: dict[str, dict[str, Any]], decisions: int) -> None:
    """A small plot for each variant: its seeds, and the mean of the first variant for comparison."""
    from matplotlib.figure import Figure  # after w51_env, which removes a MPLBACKEND that is not installed
    from matplotlib.ticker import EngFormatter, PercentFormatter

    columns = 4
    rows = -(-len(curves) // columns)
    figure = Figure(figsize=(2.7 * columns, 2.5 * rows), layout="constrained")
    means = [mean_of(by_seed) for by_seed in curves.values()]
    for axes, (name, by_seed), (at, mean) in zip(
        figure.subplots(rows, columns, sharex=True, sharey=True).flat, curves.items(), means, strict=False
    ):
        axes.plot(*means[0], color="#9aa5b1", linewidth=3)
        for curve in by_seed.values():
            axes.plot(curve["decisions"], curve["win_rate"], color="#c8641b", linewidth=1, alpha=0.6)
        axes.plot(at, mean, color="#c8641b", linewidth=2)
        axes.axhline(0.25, color="#666666", linewidth=1, linestyle="--")
        axes.set_title(name, fontsize=10, loc="left")
        axes.set_xlim(0, decisions)
        axes.set_ylim(0, 0.4)
        axes.xaxis.set_major_formatter(EngFormatter(sep=""))
        axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
        axes.grid(axis="y", color="#e3e6ea", linewidth=0.8)
        axes.spines[["top", "right"]].set_visible(False)
    figure.suptitle(
        "Win rate against three heuristic players over decisions; grey: the first variant; dashed: equal share",
        fontsize=11,
        x=0.01,
        ha="left",
    )
    write_atomic(PICTURE, lambda path: figure.savefig(path, dpi=110))


def mean_of(by_seed: dict[str, Any]) -> tuple[list[float], list[float]]:
    """Decisions and win rate, means over the seeds at each point."""
    curves = list(by_seed.values())
    return (
        [sum(values) / len(values) for values in zip(*(curve["decisions"] for curve in curves), strict=True)],
        [sum(values) / len(values) for values in zip(*(curve["win_rate"] for curve in curves), strict=True)],
    )


if __name__ == "__main__":
    typer.run(main)
