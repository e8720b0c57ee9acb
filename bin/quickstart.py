"""Train two small agents at the same time, play each against the bots and print one table: `bash bin/quickstart`.

The first agent is MaskablePPO of Stable-Baselines3, the baseline that most readers know.
The second is trained by self-play, with the heuristic's action as an input.
"""

import json
import os
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from w51_env import make_game
from w51_env.agents.agent import AgentError
from w51_env.agents.policies.load import CHECKPOINT
from w51_env.agents.training.config import load_config
from w51_env.agents.training.learner_settings import LearnerConfig
from w51_env.agents.training.settings import TrainingConfig
from w51_env.console.terminal import INTERRUPTED, print_error
from w51_env.core.errors import W51Error
from w51_env.report.tables import plain_table

EVALUATION = "evaluation.json"
CONFIGS = Path(__file__).resolve().parents[1] / "configs"
AGENTS = {"quick": "MaskablePPO", "selfplay_quick": "self-play PPO"}  # configs and what they train
console = Console(highlight=False, soft_wrap=True)


def main(
    changes: Annotated[
        list[str] | None, typer.Argument(help="key=value, changes to both configs, as decisions=1000000.")
    ] = None,
) -> None:
    """Train MaskablePPO and a self-play agent at the same time, play each against the bots, and print one table."""
    try:
        configs = {name: load_config(CONFIGS / f"{config}.yaml", changes or []) for config, name in AGENTS.items()}
        for config in configs.values():
            make_game(config.game, **config.options)
        folders = train(configs)
    except W51Error as error:
        print_error(error)
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None
    matches = {name: json.loads((folder / EVALUATION).read_text("utf-8")) for name, folder in folders.items()}
    print_table(configs, matches)
    print_next_steps(list(folders.values()))


def train(configs: dict[str, TrainingConfig]) -> dict[str, Path]:
    """The folders of the finished runs; ends the program if training is interrupted or fails."""
    cores = len(os.sched_getaffinity(0))
    console.print(f"Training {' and '.join(configs)} at the same time, one core each", style="bold")
    if cores < len(configs):
        console.print("This machine has one core for both, so it takes twice as long.", style="yellow")
    from w51_env.commands.side_by_side import train_side_by_side

    runs = train_side_by_side(configs, console)
    if runs.complete:
        return runs.folders
    for error in runs.errors:
        print_error(AgentError(error))
    for folder in runs.folders.values():
        console.print(f"The checkpoint is saved; continue with: .venv/bin/python train.py --resume {folder}")
    raise typer.Exit(2 if runs.errors else INTERRUPTED)


def print_table(configs: dict[str, TrainingConfig], matches: dict[str, list[dict[str, Any]]]) -> None:
    """A row for each agent: its win rate against three copies of each bot, from its `evaluation.json`."""
    bots = next(iter(configs.values())).evaluation.against
    first = next(iter(matches.values()))[0]
    title = f"Win rate of one agent against three copies of a bot (equal share: {first['equal_share']:.0%})"
    caption = f"{first['games']:,} games each, with the same deals and seats. In brackets: 95 % interval."
    table = plain_table(f"\n{title}", caption)
    table.add_column("agent", no_wrap=True)
    table.add_column("heuristic's action\nis an input", no_wrap=True)
    for bot in bots:
        table.add_column(f"against {bot}", justify="right", no_wrap=True)
    for name, config in configs.items():
        has_base_policy = isinstance(config, LearnerConfig) and config.settings.base_policy is not None
        rates = [win_rate(match["agents"][0], match["equal_share"]) for match in matches[name][: len(bots)]]
        table.add_row(name, "yes" if has_base_policy else "no", *rates)
    console.print(table)


def win_rate(standing: dict[str, Any], equal_share: float) -> Text:
    """The win rate as text, `30.5 % (29.2 to 31.8)`; green if the whole interval is above equal share, red if below."""
    mean, low, high = (standing[key] for key in ("win_rate", "low", "high"))
    rate = Text(f"{100 * mean:.1f} %", style="green" if low > equal_share else "red" if high < equal_share else "")
    return rate.append(f" ({100 * low:.1f} to {100 * high:.1f})", style="dim")


def print_next_steps(folders: list[Path]) -> None:
    """Where the files are, and commands that work as pasted."""
    console.print("\nCheckpoints, with learning curves (learning_curve.png, tensorboard/) beside them:")
    for folder in folders:
        console.print(f"  {folder / CHECKPOINT}")
    console.print("\nNext:")
    for what, command in (
        ("both agents and both bots in the same games", f"evaluate.py {folders[1]} {folders[0]} heuristic random"),
        ("a stronger agent, which comes with the repository", "evaluate.py pretrained heuristic"),
        ("training of a stronger agent, about an hour", "train.py --config standard"),
    ):
        console.print(f"  # {what}\n  .venv/bin/python {command}")


if __name__ == "__main__":
    typer.run(main)
