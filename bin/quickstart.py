"""Train two small agents, play each against the bots and print one table: `bash bin/quickstart`.

The first agent is MaskablePPO of Stable-Baselines3, the baseline that most readers know.
The second is trained by self-play, with the heuristic's action as an input.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from train import train_and_save
from w51_env.agents.terminal import INTERRUPTED, print_error
from w51_env.agents.training.config import TrainingConfig, load_config
from w51_env.arena.tables import plain_table
from w51_env.core.errors import W51Error

if TYPE_CHECKING:
    from w51_env.agents.training.run import Run
    from w51_env.arena.matches import Results, Standing

CONFIGS = Path(__file__).resolve().parents[1] / "configs"
AGENTS = {"quick": "MaskablePPO", "selfplay_quick": "self-play PPO"}  # configs and what they train
console = Console(highlight=False, soft_wrap=True)


def main(
    changes: Annotated[
        list[str] | None, typer.Argument(help="key=value, changes to both configs, as decisions=1000000.")
    ] = None,
) -> None:
    """Train MaskablePPO and a self-play agent, play each against the bots, and print one table."""
    try:
        configs = [load_config(CONFIGS / f"{name}.yaml", changes or []) for name in AGENTS]
        runs, matches = [], []
        for step, (config, name) in enumerate(zip(configs, AGENTS.values(), strict=True), 1):
            console.print(f"[bold]{step} of 2: {name}[/], configs/{config.name}.yaml")
            run, results = train_and_play(config)
            runs.append(run)
            matches.append(results)
    except W51Error as error:
        print_error(error)
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None
    print_table(configs, matches)
    print_next_steps(runs)


def train_and_play(config: TrainingConfig) -> tuple["Run", list["Results"]]:
    """The finished run and the results of its matches; ends the program if training is interrupted."""
    from w51_env.agents.training.run import Run
    from w51_env.arena.evaluation import BaselineMatches, evaluate

    run = Run.begin(config, BaselineMatches)
    train_and_save(run)
    if not run.complete:
        raise typer.Exit(INTERRUPTED)
    with console.status("Playing against the bots ..."):
        return run, evaluate(run, Console(quiet=True))


def print_table(configs: list[TrainingConfig], matches: list[list["Results"]]) -> None:
    """A row for each agent: its win rate against three copies of each bot."""
    bots = configs[0].evaluation.against
    first = matches[0][0]
    title = f"Win rate of one agent against three copies of a bot (equal share: {first.equal_share:.0%})"
    caption = f"{first.wins[..., 0].size:,} games each, with the same deals and seats. In brackets: 95 % interval."
    table = plain_table(f"\n{title}", caption)
    table.add_column("agent", no_wrap=True)
    table.add_column("heuristic's action\nis an input", no_wrap=True)
    for bot in bots:
        table.add_column(f"against {bot}", justify="right", no_wrap=True)
    for name, config, results in zip(AGENTS.values(), configs, matches, strict=True):
        has_base_policy = config.trainer == "selfplay" and config.selfplay.base_policy is not None
        rates = [win_rate(result.standings()[0], result.equal_share) for result in results[: len(bots)]]
        table.add_row(name, "yes" if has_base_policy else "no", *rates)
    console.print(table)


def win_rate(standing: "Standing", equal_share: float) -> Text:
    """The win rate as text, `30.5 % (29.2 to 31.8)`; green if the whole interval is above equal share, red if below."""
    colour = "green" if standing.low > equal_share else "red" if standing.high < equal_share else ""
    rate = Text(f"{100 * standing.win_rate:.1f} %", style=colour)
    return rate.append(f" ({100 * standing.low:.1f} to {100 * standing.high:.1f})", style="dim")


def print_next_steps(runs: list["Run"]) -> None:
    """Where the files are, and commands that work as pasted."""
    console.print("\nCheckpoints, with learning curves (learning_curve.png, tensorboard/) beside them:")
    for run in runs:
        console.print(f"  {run.checkpoint}")
    console.print("\nNext:")
    for what, command in (
        (
            "both agents and both bots in the same games",
            f"evaluate.py {runs[1].folder} {runs[0].folder} heuristic random",
        ),
        ("a stronger agent, which comes with the repository", "evaluate.py pretrained heuristic"),
        ("training of a stronger agent, about an hour", "train.py --config standard"),
    ):
        console.print(f"  # {what}\n  .venv/bin/python {command}")


if __name__ == "__main__":
    typer.run(main)
