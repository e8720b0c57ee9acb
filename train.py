"""Train an agent and evaluate it: `python train.py --config configs/quick.yaml decisions=1000000 ppo.epochs=3`.

Ctrl-C ends training after the next update; `python train.py --resume runs/quick` goes on as if nothing had happened.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from agents import AgentError
from agents.messages import print_error
from agents.training.config import TrainingConfig, load_config
from w51_env.core.errors import W51Error

if TYPE_CHECKING:
    from agents.training.run import Run

INTERRUPTED = 130  #  exit status of a program that Ctrl-C ended
CONFIGS = Path(__file__).resolve().parent / "configs"
console = Console()


def main(
    changes: Annotated[
        list[str] | None, typer.Argument(help="key=value, changes to the config, as ppo.epochs=3.")
    ] = None,
    config: Annotated[Path | None, typer.Option(help="A YAML file, see configs/.")] = None,
    resume: Annotated[
        Path | None, typer.Option(help="The folder of a run that was interrupted, to go on with it.")
    ] = None,
    exploit: Annotated[
        str | None,
        typer.Option(help="An agent: train a best response to it, by configs/exploit.yaml if no other is named."),
    ] = None,
) -> None:
    """Train an agent as the config says, evaluate it against the baselines, and say where all is kept."""
    try:
        settings = choose_config(changes or [], config, resume, exploit)
        console.print("Loading PyTorch ...", style="dim")
        complete = run(settings, resume)
    except W51Error as error:
        print_error(error)
        raise typer.Exit(2) from None
    except OSError as error:
        print_error(AgentError(f"a file could not be written: {error}"))
        raise typer.Exit(2) from None
    except KeyboardInterrupt:  # the second Ctrl-C, or one outside training
        raise typer.Exit(INTERRUPTED) from None
    if not complete:
        raise typer.Exit(INTERRUPTED)


def choose_config(
    changes: list[str], config: Path | None, resume: Path | None, exploit: str | None
) -> TrainingConfig | None:
    """The config of a new run; None if one is resumed, which has its own."""
    if resume is not None:
        if changes or config or exploit:
            raise AgentError("--resume goes on with a run as it was begun: no --config, --exploit or changes beside it")
        return None
    if exploit is not None:
        from agents.training.exploit import exploiting

        return exploiting(load_config(config or CONFIGS / "exploit.yaml", changes), exploit)
    if config is None:
        raise AgentError(
            f"--config is missing; there are {', '.join(sorted(path.name for path in CONFIGS.glob('*.yaml')))} in configs/"
        )
    return load_config(config, changes)


def run(settings: TrainingConfig | None, folder: Path | None) -> bool:
    """Begin or resume, train, save, evaluate; False if training was interrupted."""
    try:
        from agents.training.exploit import exploited
        from agents.training.run import Run
        from arena.evaluation import BaselineMatches, evaluate
        from arena.exploit import keep_responses
    except ImportError as error:
        raise AgentError(f"training: a package is missing: pip install 'w51_env[train]' ({error})") from None

    run = (
        Run.begin(settings, BaselineMatches) if settings is not None else Run.resume(folder or Path(), BaselineMatches)
    )
    if run.complete:
        console.print(
            f"{run.folder}: the run is complete already; it is evaluated again.", highlight=False, soft_wrap=True
        )
    train_and_save(run)
    if run.complete:
        try:
            evaluated = evaluate(run, console)
            responses = keep_responses(evaluated, run.folder) if exploited(run.config) else []
        except OSError as error:
            raise not_written(run, error) from None
        for response in responses:
            console.print(response.sentence(), highlight=False, soft_wrap=True, style="bold")
    console.print(f"Checkpoint  {run.checkpoint}", soft_wrap=True, highlight=False)
    console.print(
        f"All of it   {', '.join(sorted(path.name for path in run.folder.iterdir()))} in {run.folder}",
        soft_wrap=True,
        highlight=False,
    )
    return run.complete


def train_and_save(run: "Run") -> None:
    """Train to the end or until Ctrl-C, with a progress display; write the checkpoint and the curves."""
    from agents.training.display import progress_display, stop_on_signal
    from agents.training.plots import draw_curves

    try:
        with stop_on_signal(console) as stopped, progress_display(run, console) as show:
            run.train(show, stopped)
        if run.updates:
            draw_curves(run)
    except OSError as error:
        raise not_written(run, error) from None
    finally:
        run.close()
    if run.updates:
        throughput = run.trainer.decisions / max(run.seconds, 1e-9)
        console.print(
            f"Trained for {run.trainer.decisions:,} decisions in {run.seconds:.0f} s: {throughput:,.0f} decisions/s"
        )
    if not run.complete:
        console.print(
            f"[yellow]Interrupted.[/] The checkpoint is kept; go on with: python train.py --resume {run.folder}",
            soft_wrap=True,
        )


def not_written(run: "Run", error: OSError) -> AgentError:
    """A file of the run could not be written."""
    text = f"run {run.folder}: a file could not be written: {error}. The last checkpoint is whole; go on from it"
    return AgentError(f"{text} with: python train.py --resume {run.folder}")


if __name__ == "__main__":
    typer.run(main)
