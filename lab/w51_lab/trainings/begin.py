"""The runs of `w51 train`: one, or those of the responses to an agent; `many` has many of one config."""

from pathlib import Path

from rich.console import Console

from w51_agents.console.terminal import print_line
from w51_agents.training.ranks import is_restartable, ranks
from w51_agents.training.registry import trainer_spec
from w51_agents.training.run import Run
from w51_agents.training.settings import TrainingConfig
from w51_lab.trainings.continued_runs import run_of
from w51_lab.trainings.display import print_files, train_and_save
from w51_lab.trainings.evaluation import evaluate
from w51_lab.trainings.response_runs import ResponseRuns
from w51_lab.trainings.responses import LearnedResponse, best_responses


def run(settings: TrainingConfig | None, folder: Path | None, allow: list[str], console: Console) -> bool:
    """Begin or resume a run, train, save, evaluate; False if training was interrupted."""
    if settings is not None and is_restartable():
        run = run_of(settings, Path(settings.runs) / settings.name, allow)
    elif settings is not None:
        run = Run.begin(settings)
        if run.folder.name != settings.name:
            print_line(console, f"There is a run {settings.name} already; this one is in {run.folder}.")
    else:
        run = Run.resume(folder or Path(), allowed=allow)
    if run.complete:
        print_line(console, f"{run.folder}: the run is complete already; it is evaluated again.")
    with run:
        train_and_save(run, run.resumption, console)
        if run.complete and ranks().writes:
            evaluate(run, console)
    spec = trainer_spec(run.config.trainer)
    print_line(console, f"Inputs      {', '.join(spec.inputs(run.config))}")
    if start := spec.start(run.config):
        print_line(console, f"Start       {start}")
    print_line(console, f"Checkpoint  {run.checkpoint}")
    print_files(run.folder, console)
    return run.complete


def learn_responses(
    settings: TrainingConfig | None,
    folder: Path | None,
    agent: str | None,
    budgets: dict[str, int | None],
    allow: list[str],
    console: Console,
) -> bool:
    """Begin or resume the runs of best responses, train each to its end, report; False if training was interrupted."""
    if settings is not None and agent is not None:
        runs = ResponseRuns.begin(settings, agent, budgets, allow)
    else:
        runs = ResponseRuns.open(folder or Path(), allow)
    learned = []
    for kind in runs.kinds:
        with runs.resume(kind) as run:
            print_line(console, f"Response    {kind}, {run.config.decisions:,} decisions, in {run.folder}")
            train_and_save(run, runs.resumption, console)
            if not run.complete:
                return False
            if ranks().writes:
                learned.append(LearnedResponse(kind, run, evaluate(run, console)))
    if not ranks().writes:
        return True
    for best in best_responses(learned, runs.folder, runs.playouts):
        print_line(console, best.sentence())
    print_files(runs.folder, console)
    return True
