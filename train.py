"""Train an agent and evaluate it: `python train.py --config configs/quick.yaml decisions=1000000 ppo.epochs=3`.

Ctrl-C ends training at the next step and keeps the checkpoint.
"""

import json
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path
from types import FrameType, ModuleType
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from agents import AgentError, make_agent, play_matches
from agents.config import TrainingConfig, load_config
from agents.files import new_folder, write_whole
from agents.registry import load_agent
from agents.tables import standings_data, standings_table
from agents.terminal import print_error
from agents.training import save
from w51_env import make_game
from w51_env.core.errors import W51Error
from w51_env.core.game import Game

INTERRUPTED = 130  #  exit status of a program that Ctrl-C ended
SECONDS_BETWEEN_LINES = 10.0  #  of progress, where the output is no terminal
console = Console()


def main(
    config: Annotated[Path, typer.Option(help="A YAML file, see configs/.")],
    changes: Annotated[list[str] | None, typer.Argument(help="key=value, changes to the config, as ppo.epochs=3.")] = None,
) -> None:
    """Train an agent as the config says, evaluate it against the baselines, and say where all is kept."""
    try:
        settings = load_config(config, changes or [])
        game = make_game(settings.game, **settings.options)
        baselines = [(name, make_agent(name, game)) for name in settings.evaluation.against]
        console.print("Loading PyTorch ...", style="dim")
        trainer = load_trainer(settings.trainer)
        trainer.check(settings, game)
        folder = new_folder(Path(settings.runs), settings.name)
        try:
            complete = run(trainer, settings, game, baselines, folder)
        finally:
            if not any(folder.iterdir()):
                folder.rmdir()
    except W51Error as error:
        print_error(error)
        raise typer.Exit(2) from None
    if not complete:
        raise typer.Exit(INTERRUPTED)


def load_trainer(name: str) -> ModuleType:
    """The module that trains: it has `check` and `train`."""
    try:
        if name == "selfplay":
            from agents.selfplay import learning

            return learning
        from agents import maskable

        return maskable
    except ImportError as error:
        raise AgentError(f"trainer {name}: a package is missing: pip install 'w51_env[train]' ({error})") from None


def run(trainer: ModuleType, settings: TrainingConfig, game: Game, baselines: list[tuple[str, Any]], folder: Path) -> bool:
    """Train, save, evaluate; False if training was interrupted."""
    from agents import plots

    with stop_on_signal() as stopped, progress_display(settings) as show:
        result = trainer.train(settings, game, show, lambda: bool(stopped))
    checkpoint = save(result, settings, folder)
    plots.draw_learning_curve(result.updates, 1.0 / game.num_players, title_of(settings, game), folder / "learning_curve.png")
    last = result.updates[-1]
    console.print(
        f"Trained for {last.decisions:,} decisions in {last.seconds:.0f} s: {last.decisions / max(last.seconds, 1e-9):,.0f} decisions/s"
    )
    if result.complete:
        evaluate(settings, game, baselines, checkpoint)
    else:
        console.print("[yellow]Interrupted.[/] Training was not finished, so it is not evaluated; the checkpoint is kept.")
    console.print(f"Checkpoint  {checkpoint}", soft_wrap=True, highlight=False)
    console.print(f"All of it   {', '.join(sorted(path.name for path in folder.iterdir()))} in {folder}", soft_wrap=True, highlight=False)
    return result.complete


def evaluate(settings: TrainingConfig, game: Game, baselines: list[tuple[str, Any]], checkpoint: Path) -> None:
    """Play the checkpoint, as it was written, against each baseline, and these against each other; print, draw and keep the tables."""
    from agents import plots

    folder = checkpoint.parent
    learner = (settings.name, load_agent(game, checkpoint))
    pairs = [(learner, baseline) for baseline in baselines]
    pairs += [(stronger, weaker) for weaker, stronger in combinations(baselines, 2)]
    matches = []
    for pair in pairs:
        title = f"{pair[0][0]} against {pair[1][0]}"
        with console.status(f"Playing {settings.evaluation.games:,} games, {title} ..."):
            matches.append(play_matches(game, pair, settings.evaluation.games, settings.seed))
        console.print(standings_table(matches[-1], title))
    data = [standings_data(results) for results in matches]
    write_whole(folder / "evaluation.json", lambda path: path.write_text(json.dumps(data, indent=2) + "\n", "utf-8"))
    plots.draw_evaluation(matches, title_of(settings, game), folder / "evaluation.png")


def title_of(settings: TrainingConfig, game: Game) -> str:
    """What was trained, for the heads of pictures."""
    return f"{settings.name}: {game.id}, {game.num_players} players, seed {settings.seed}"


@contextmanager
def stop_on_signal() -> Iterator[list[int]]:
    """A list that is no longer empty once Ctrl-C (or a polite kill) came; a second one interrupts at once."""
    stopped: list[int] = []
    former = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def stop(number: int, frame: FrameType | None) -> None:
        stopped.append(number)
        for other, handler in former.items():
            signal.signal(other, handler)
        console.print("Stopping after this step; again to stop at once.", style="yellow")

    for number in former:
        signal.signal(number, stop)
    try:
        yield stopped
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)


@contextmanager
def progress_display(settings: TrainingConfig) -> Iterator[Any]:
    """A line that shows how training stands; on a terminal it is redrawn, else printed now and then."""
    columns = (
        TextColumn("training"),
        BarColumn(bar_width=24),
        TextColumn("{task.completed:,.0f} / {task.total:,.0f} decisions"),
        TextColumn("{task.fields[rate]:,.0f}/s"),
        TextColumn("return {task.fields[mean_return]:+.3f}"),
        TextColumn("win share {task.fields[win_share]:.1%}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    printed = [time.monotonic()]
    with Progress(*columns, console=console, disable=not console.is_terminal, refresh_per_second=4) as progress:
        unknown = float("nan")
        task = progress.add_task("training", total=settings.decisions, rate=0.0, mean_return=unknown, win_share=unknown)

        def show(update: Any) -> None:
            rate = update.decisions / max(update.seconds, 1e-9)
            progress.update(
                task,
                completed=min(update.decisions, settings.decisions),
                rate=rate,
                mean_return=update.mean_return,
                win_share=update.win_share,
            )
            if not console.is_terminal and time.monotonic() - printed[0] >= SECONDS_BETWEEN_LINES:
                printed[0] = time.monotonic()
                left = max(0, settings.decisions - update.decisions) / rate
                console.print(
                    f"{update.decisions:,} / {settings.decisions:,} decisions, {rate:,.0f}/s, return {update.mean_return:+.3f}, "
                    f"win share {update.win_share:.1%}, {left:.0f} s left"
                )

        yield show


if __name__ == "__main__":
    typer.run(main)
