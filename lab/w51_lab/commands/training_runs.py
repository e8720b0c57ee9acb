"""The runs of `w51 train`: one, those of several seeds, or those of the responses to an agent."""

from pathlib import Path

from rich.console import Console

from w51_agents.agent.interface import AgentError
from w51_agents.console.terminal import print_line
from w51_agents.training.config import config_data
from w51_agents.training.registry import trainer_spec
from w51_agents.training.run import Run
from w51_agents.training.run_facts import STATE
from w51_agents.training.settings import TrainingConfig
from w51_lab.arena.response_runs import ResponseRuns
from w51_lab.commands.training_display import print_files, train_and_save
from w51_lab.report.evaluation import evaluate
from w51_lab.report.responses import LearnedResponse, best_responses
from w51_lab.report.seeds import results_of, seeds_table, write_seeds

_MAX_SEEDS = 100


def run(settings: TrainingConfig | None, folder: Path | None, allow: list[str], console: Console) -> bool:
    """Begin or resume a run, train, save, evaluate; False if training was interrupted."""
    if settings is not None:
        run = Run.begin(settings)
        if run.folder.name != settings.name:
            print_line(console, f"There is a run {settings.name} already; this one is in {run.folder}.")
    else:
        run = Run.resume(folder or Path(), allowed=allow)
    if run.complete:
        print_line(console, f"{run.folder}: the run is complete already; it is evaluated again.")
    with run:
        train_and_save(run, run.resumption, console)
        if run.complete:
            evaluate(run, console)
    spec = trainer_spec(run.config.trainer)
    print_line(console, f"Inputs      {', '.join(spec.inputs(run.config))}")
    if start := spec.start(run.config):
        print_line(console, f"Start       {start}")
    print_line(console, f"Checkpoint  {run.checkpoint}")
    print_files(run.folder, console)
    return run.complete


def parse_seeds(text: str) -> list[int]:
    """The seeds of `1-5` or `1,2,7`.

    Raises:
        AgentError: Anything else, a seed given twice, fewer than two, or too many.
    """
    seeds: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not (first.isdecimal() and (last.isdecimal() or not dash)):
            raise AgentError(f"--seeds {text}: {part!r}, but seeds are needed as in 1-5 or 1,2,7")
        end = int(last or first)
        if end - int(first) >= _MAX_SEEDS:
            raise AgentError(f"--seeds {text}: more than {_MAX_SEEDS} seeds")
        seeds += range(int(first), end + 1)
    if not 2 <= len(seeds) <= _MAX_SEEDS or len(set(seeds)) < len(seeds):
        raise AgentError(f"--seeds {text}: 2 to {_MAX_SEEDS} different seeds are needed")
    return seeds


def learn_seeds(settings: TrainingConfig, text: str, allow: list[str], console: Console) -> bool:
    """Train, or go on with, the run of each seed, as `parse_seeds` reads them; evaluate all; report.

    False if training was interrupted.
    """
    seeds = parse_seeds(text)
    folder = Path(settings.runs) / f"{settings.name}-seeds"
    runs, results = [], []
    for seed in seeds:
        name = f"{settings.name}-seed-{seed}"
        config = settings.model_copy(update={"name": name, "seed": seed, "runs": str(folder)})
        with run_of(config, folder / name, allow) as run:
            print_line(console, f"Seed        {seed}, in {run.folder}")
            if not run.complete:
                train_and_save(run, "the same command", console)
            if not run.complete:
                return False
            results.append(evaluate(run, console))
            runs.append(run)
    rows = results_of(runs[0].config.name, results)
    write_seeds(seeds, runs, rows, settings.name, folder)
    console.print(seeds_table(rows, seeds))
    print_files(folder, console)
    return True


def run_of(config: TrainingConfig, folder: Path, allow: list[str]) -> Run:
    """The run in a folder, as far as it has come; a new one if there is none.

    Raises:
        AgentError: The run there has another config.
    """
    if not (folder / STATE).is_file():
        return Run.begin(config)
    run = Run.resume(folder, allowed=allow)
    stored, wanted = config_data(run.config), config_data(config.model_copy(update={"options": run.config.options}))
    if stored != wanted:
        run.close()
        different = ", ".join(sorted(key for key in {*stored, *wanted} if stored.get(key) != wanted.get(key)))
        raise AgentError(f"run {folder}: has another {different}; give the runs another name=..., or remove the folder")
    return run


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
            learned.append(LearnedResponse(kind, run, evaluate(run, console)))
    for best in best_responses(learned, runs.folder):
        print_line(console, best.sentence())
    print_files(runs.folder, console)
    return True
