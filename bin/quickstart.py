"""Train two small agents at the same time, play each against the bots and print one table: `bash bin/quickstart`.

The first agent is MaskablePPO of Stable-Baselines3, the baseline that most readers know.
The second learns from several seats, by self-play and among heuristics, whose choice is one of its inputs.
Below them the table has the agents that come with the repository.
"""

import ctypes
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Annotated

import typer
from pydantic import TypeAdapter
from rich.console import Console
from rich.text import Text

from w51_agents.agent.interface import AgentError
from w51_agents.console.terminal import INTERRUPTED, StatusLine, print_error
from w51_agents.named.registry import make_agent
from w51_agents.networks.load import CHECKPOINT, PRETRAINED
from w51_agents.training.config import load_config
from w51_agents.training.settings import TrainingConfig
from w51_env import make_game
from w51_env.engine.errors import W51Error
from w51_lab.arena.matches import AgentResult, play_matches
from w51_lab.report.result_table import plain_table
from w51_lab.report.terminal_tables import MatchStandings, match_standings
from w51_lab.trainings.display import bar, stop_on_signal

EVALUATION = "evaluation.json"
ROOT = Path(__file__).resolve().parents[1]
CONFIGS = ROOT / "configs"
AGENTS = {"quick": "MaskablePPO", "bots_quick": "self-play PPO"}  # configs and what they train
PROGRESS = re.compile(r"([\d,]+) / ([\d,]+) decisions  (.*)")  # a line of train.py
SECONDS_BETWEEN_LOOKS = 0.2
PR_SET_PDEATHSIG = 1
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
        folders = dict(zip(configs, train(AGENTS, changes or []), strict=True))
    except W51Error as error:
        print_error(error)
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None
    bots = next(iter(configs.values())).evaluation.against
    read = TypeAdapter(list[MatchStandings]).validate_json
    trained = {name: read((folder / EVALUATION).read_bytes()) for name, folder in folders.items()}
    shown = {name: [*matches[: len(bots)], matches[2 * len(bots) - 1]] for name, matches in trained.items()}
    print_table(bots, {**shown, **of_repository(configs)})
    print_next_steps(list(folders.values()))


@dataclass
class Training:
    """One `train.py` in a process of its own, which writes to files: so it goes on if this process is killed.

    Attributes:
        name: Name of the agent.
        process: Its process.
        output, errors: What it writes, from where it has not been read yet.
        status: Its progress in words.
        folder: Folder of the run, once it has ended.
        error: What ended it early.
    """

    name: str
    process: subprocess.Popen[bytes]
    output: IO[bytes]
    errors: IO[bytes]
    status: str = "starting ..."
    folder: Path | None = None
    error: str | None = None

    @classmethod
    def start(cls, name: str, config: str, changes: list[str], files: Path) -> "Training":
        """Start `train.py` with a config; it stops with its checkpoint if this process is killed."""
        paths = files / f"{config}.out", files / f"{config}.err"
        # A process each, for both trainings have the cores together.
        command = [sys.executable, str(ROOT / "train.py"), "--processes", "1"]
        with paths[0].open("wb") as output, paths[1].open("wb") as errors:
            process = subprocess.Popen(
                [*command, "--config", str(CONFIGS / f"{config}.yaml"), *changes],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=errors,
                start_new_session=True,  # Ctrl-C is handled by this process
                preexec_fn=lambda: ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM),
            )
        return cls(name, process, paths[0].open("rb"), paths[1].open("rb"))

    def read(self) -> list[str]:
        """Read what the process has written; returns its messages beside progress and errors."""
        has_ended = self.process.poll() is not None
        messages = []
        for line in new_lines(self.output):
            if progress := PROGRESS.match(line):
                done, total = (int(number.replace(",", "")) for number in progress.groups()[:2])
                self.status = f"{bar(done, total)}  {progress[3]}"
                messages += [f"{self.name}: {line}"] * (not console.is_terminal)
            elif line.startswith("Trained for"):
                self.status = "playing against the bots ..."
            elif line.startswith("Checkpoint  "):
                self.folder = Path(line.split(maxsplit=1)[1]).parent
        for line in new_lines(self.errors):
            if line.startswith("error: "):
                self.error = line.removeprefix("error: ")
            else:
                messages.append(line)
        if has_ended and self.process.returncode == 0:
            self.status = "trained and evaluated"
        elif has_ended and self.process.returncode not in (INTERRUPTED, -signal.SIGTERM) and self.error is None:
            self.error = f"{self.name}: its process ended with status {self.process.returncode}"
        return messages


def new_lines(file: IO[bytes]) -> list[str]:
    """The lines that were written since the last call."""
    lines = file.readlines()
    if lines and not lines[-1].endswith(b"\n"):
        file.seek(-len(lines.pop()), os.SEEK_CUR)
    return [line.decode(errors="replace").rstrip("\n") for line in lines]


def train(configs: Mapping[str, str], changes: list[str]) -> list[Path]:
    """The folders of the finished runs; ends the program if training is interrupted or fails.

    Ctrl-C, SIGTERM or an error in one stops all after their current update, with their checkpoints; a second Ctrl-C
    stops all at once.

    Args:
        configs: Names of the agents, by names of their configs.
        changes: Changes to all configs.
    """
    console.print(f"Training {' and '.join(configs.values())} at the same time, one core each", style="bold")
    if len(os.sched_getaffinity(0)) < len(configs):
        console.print("This machine has one core for both, so it takes twice as long.", style="yellow")
    with TemporaryDirectory() as files, stop_on_signal(console) as stopped:
        trainings = [Training.start(name, config, changes, Path(files)) for config, name in configs.items()]
        try:
            watch(trainings, stopped)
        finally:
            for training in trainings:
                training.process.terminate()
            for training in trainings:
                training.process.wait()
    if all(training.process.returncode == 0 for training in trainings):
        return [training.folder for training in trainings if training.folder is not None]
    errors = dict.fromkeys(training.error for training in trainings if training.error is not None)
    for error in errors:
        print_error(AgentError(error))
    for training in trainings:
        if training.folder is not None:
            line = f"The checkpoint is saved; continue with: .venv/bin/w51 train --resume {training.folder}"
            console.print(line)
    raise typer.Exit(2 if errors else INTERRUPTED)


def watch(trainings: list[Training], stopped: Callable[[], bool]) -> None:
    """Show the progress of all until all have ended."""
    line, width = StatusLine(console.file), max(len(training.name) for training in trainings)
    shown: set[str] = set()
    is_stopping = False
    while True:
        is_over = all(training.process.poll() is not None for training in trainings)
        messages = [message for training in trainings for message in training.read()]
        if console.is_terminal:
            line.clear()
        for message in dict.fromkeys(messages):  # all processes may write the same
            if message not in shown and not is_stopping:
                console.print(message, markup=False)
                shown.add(message)
        if is_over:
            return
        if console.is_terminal:
            line.show(*(f"{training.name:{width}} {training.status}" for training in trainings))
        if not is_stopping and (stopped() or any(training.error for training in trainings)):
            is_stopping = True
            for training in trainings:
                training.process.terminate()
        time.sleep(SECONDS_BETWEEN_LOOKS)


def of_repository(configs: Mapping[str, TrainingConfig]) -> dict[str, list[MatchStandings]]:
    """The matches of the table for the agent of the repository, if it plays this game, on the same deals."""
    config = next(iter(configs.values()))
    game, evaluation = make_game(config.game, **config.options), config.evaluation
    try:
        agent, *bots = [(one, make_agent(one, game)) for one in (PRETRAINED, *evaluation.against)]
    except W51Error:
        return {}
    pairs = [*((agent, bot) for bot in bots), (bots[-1], agent)]
    with console.status(f"Playing {PRETRAINED} against the bots ..."):
        played = [play_matches(game, pair, evaluation.games, config.seed) for pair in pairs]
    return {PRETRAINED: [match_standings(one) for one in played]}


def print_table(bots: Sequence[str], matches: Mapping[str, list[MatchStandings]]) -> None:
    """A row for each agent: its win rate alone among three copies of each bot, and that of the last bot among it.

    Args:
        bots: The bots.
        matches: Of each agent: alone among copies of each bot, then the last bot alone among copies of it.
    """
    first = next(iter(matches.values()))[0]
    title = f"Win rate of one among three copies of the other (equal share: {first.equal_share:.0%})"
    caption = (
        f"{first.games:,} games each, with the same deals and seats. In brackets: 95% interval.\n"
        "Green: good for the agent, by the whole interval; red: bad."
    )
    columns = (*(f"alone among\n{bot}" for bot in bots), f"one {bots[-1]}\namong it")
    table = plain_table(f"\n{title}", caption)
    table.add_column("agent")
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    for name, its_own in matches.items():
        *alone, reverse = its_own
        rates = [win_rate(match.agents[0], match.equal_share) for match in alone]
        table.add_row(name, *rates, win_rate(reverse.agents[0], reverse.equal_share, is_own=False))
    console.print(table)


def win_rate(standing: AgentResult, equal_share: float, is_own: bool = True) -> Text:
    """The win rate as text, `30.5% (29.2 to 31.8)`, so short that three of them fit into 80 columns.

    It is green where the interval is good for the agent.
    """
    mean, low, high = standing.win_rate, standing.low, standing.high
    above, below = ("green", "red") if is_own else ("red", "green")
    rate = Text(f"{100 * mean:.1f}%", style=above if low > equal_share else below if high < equal_share else "")
    return rate.append(f" ({100 * low:.1f} to {100 * high:.1f})", style="dim")


def print_next_steps(folders: list[Path]) -> None:
    """Where the files are, and commands that work as pasted."""
    console.print("\nCheckpoints, with learning curves (learning_curve.png, tensorboard/) beside them:")
    for folder in folders:
        console.print(f"  {folder / CHECKPOINT}")
    console.print("\nNext:")
    for what, command in (
        ("both agents and both bots in the same games", f"evaluate {folders[1]} {folders[0]} heuristic random"),
        ("the agents of the repository among each other", "evaluate pretrained pretrained-v2 heuristic"),
        ("training of a stronger agent, about an hour", "train --config standard"),
    ):
        console.print(f"  # {what}\n  .venv/bin/w51 {command}")


if __name__ == "__main__":
    typer.run(main)
