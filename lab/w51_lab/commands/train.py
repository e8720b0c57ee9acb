"""Train an agent and evaluate it against the baselines: `w51 train`, `python train.py`."""

import os
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from w51_agents.agent.interface import AgentError
from w51_agents.commands.options import command_with
from w51_agents.console.settings import parse_change, parse_yaml
from w51_agents.console.terminal import INTERRUPTED, command, print_line
from w51_agents.system.errors import needs_extra, report_os_errors
from w51_agents.system.processes import load_note
from w51_agents.training.config import config_names, listed_configs, load_config
from w51_agents.training.explained import explained
from w51_agents.training.settings import MAX_THREADS, TrainingConfig
from w51_env.engine.errors import W51Error
from w51_lab.trainings.exploit import has_response_runs
from w51_lab.trainings.processes import (
    end_with_parent,
    is_first_process,
    processes_by_itself,
    run_processes,
)

COMMAND = command("train")
EXAMPLES = f"""\b
Examples:
  {COMMAND} --config quick
  {COMMAND} --config selfplay_quick decisions=1000000 seed=2
  {COMMAND} --config quick ppo.update_epochs=3 'opponents=[heuristic]'
  {COMMAND} --resume runs/quick
  {COMMAND} --exploit heuristic options.num_players=3
  {COMMAND} --config quick --seeds 1-5
  {COMMAND} --config standard --processes 4
  {COMMAND} --config quick --seeds 8 --ray auto
  {COMMAND} --exploit pretrained --response warm=5000000
"""
app = typer.Typer(add_completion=False, rich_markup_mode=None)
console = Console()


@dataclass(frozen=True)
class TrainOptions:
    """The options of the command."""

    config: Annotated[str | None, typer.Option(help="A YAML file, or the name of a config, as quick.")] = None
    resume: Annotated[Path | None, typer.Option(help="Continue the interrupted run in this folder.")] = None
    exploit: Annotated[
        str | None,
        typer.Option(help="Train best responses to this agent; the default config is exploit."),
    ] = None
    response: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND[=BUDGET]",
            help="With --exploit: cold, warm, mixture or search, and its budget; repeatable. Default: all possible.",
        ),
    ] = None
    seeds: Annotated[
        str | None,
        typer.Option(metavar="8|1-5|1,2,7|4-4", help="A run for each seed, and a report; the same command goes on."),
    ] = None
    sweep: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=V1,V2", help="A run for each value of a key, and a report; can be repeated."),
    ] = None
    ray: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Train --seeds and --sweep on a Ray cluster: auto or host:port."),
    ] = None
    processes: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=1024,
            help="Processes of this machine that share the training; results do not depend on it. Default: as many as "
            "are faster than threads.",
        ),
    ] = None
    show_config: Annotated[
        bool, typer.Option("--show-config", help="Print the whole config, each key with its meaning, and do nothing.")
    ] = False
    allow: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Code that the config or the folder names and that may run, as a game or a trainer; can be repeated.",
        ),
    ] = None


@app.command(cls=command_with(TrainOptions), epilog=EXAMPLES)
def main(
    context: typer.Context,
    changes: Annotated[
        list[str] | None, typer.Argument(help="Changes to the config, as key=value; nested keys with dots.")
    ] = None,
) -> None:
    """Train an agent, evaluate it against the baselines, and write everything to a folder under runs/.

    Ctrl-C stops after the current update. A resumed run gives the same result as an uninterrupted one.
    """
    options: TrainOptions = context.obj
    settings = choose_config(changes or [], options)
    budgets = parse_budgets(options.response or [], options.exploit)
    if options.show_config:
        if settings is None:
            raise AgentError("--show-config: shows a config; the run of --resume has its own in config.yaml")
        typer.echo(explained(settings), nl=False)
        return
    many = many_runs(settings, changes or [], options)
    if many is None:
        told = options.exploit is not None or resumed_threads(changes or [], options)
        count = options.processes or (1 if told else processes_by_itself(settings or resumed_config(options)))
        if count > 1 and is_first_process():
            raise typer.Exit(run_processes(count))
    elif (options.processes or 1) > 1:
        raise AgentError("--processes: shares one run; --seeds and --sweep have several")
    console.print("Loading PyTorch ...", style="dim")
    if note := load_note():
        print_line(console, note)
    with report_os_errors("a file could not be written"):
        complete = (
            train(settings, budgets, options, resumed_threads(changes or [], options))
            if many is None
            else learn_all(many)
        )
    if not complete:
        raise typer.Exit(INTERRUPTED)


def train(
    settings: TrainingConfig | None, budgets: dict[str, int | None], options: TrainOptions, threads: int | None
) -> bool:
    """Do what the options ask for; False if training was interrupted."""
    with needs_extra("training: a package is missing", "train"):
        from w51_agents.training.ranks import joined_ranks
        from w51_agents.training.threads import use_threads
        from w51_lab.trainings.begin import learn_responses, run
    allow = options.allow or []
    if threads is not None:
        use_threads(threads)
    end_with_parent()
    with joined_ranks() as group, ExitStack() as stack:
        shown = console if group.writes else Console(file=stack.enter_context(Path(os.devnull).open("w")))
        if options.exploit is not None or (options.resume is not None and has_response_runs(options.resume)):
            complete = learn_responses(settings, options.resume, options.exploit, budgets, allow, shown)
        else:
            complete = run(settings, options.resume, allow, shown)
        group.any(False)  # the first one may still have evaluated
    return complete


def many_runs(settings: TrainingConfig | None, changes: list[str], options: TrainOptions) -> Any:
    """The `ManyRuns` that the options ask for; None for one run. Nothing is written before all are checked."""
    if not options.seeds and not options.sweep:
        if options.ray is not None:
            raise AgentError("--ray: only with --seeds or --sweep; one run is shared by --processes, or torchrun")
        return None
    name = "--seeds" if options.seeds else "--sweep"
    if settings is None or options.exploit is not None or options.config is None:
        raise AgentError(f"{name}: only with a config; not with --resume and --exploit")
    with needs_extra("training: a package is missing", "train"):
        from w51_lab.trainings.many import ManyRuns, parse_seeds, parse_sweeps
    allow = options.allow or []
    combinations = parse_sweeps(options.sweep or [])
    swept = {", ".join(each): load_config(options.config, [*changes, *each], allow) for each in combinations}
    return ManyRuns(parse_seeds(options.seeds) if options.seeds else [], swept or {"": settings}, allow, options.ray)


def learn_all(many: Any) -> bool:
    """Train many runs; False if that was interrupted."""
    from w51_lab.trainings.many import learn_many

    return learn_many(many, console)


def choose_config(changes: list[str], options: TrainOptions) -> TrainingConfig | None:
    """The config of a new run; None if one is resumed, which has its own."""
    config, exploit = options.config, options.exploit
    if options.resume is not None:
        if config or exploit or (changes and resumed_threads(changes, options) is None):
            raise AgentError(
                "--resume continues a run with its own config; --config, --exploit and changes other than threads=N "
                "are not allowed with it"
            )
        return None
    if config is None and exploit is None:
        meant = "".join(f" (did you mean --config {name}?)" for name in changes[:1] if name in config_names())
        raise AgentError(f"--config is missing{meant}\n{listed_configs()}")
    return load_config(config or "exploit", changes, options.allow or [])


def resumed_config(options: TrainOptions) -> TrainingConfig | None:
    """The config of the run that is resumed; None where it is none of one run, which the run itself says."""
    try:
        return load_config(options.resume / "config.yaml", (), options.allow or []) if options.resume else None
    except W51Error:
        return None


def resumed_threads(changes: list[str], options: TrainOptions) -> int | None:
    """The threads that a resumed run has from now on, on which no result depends; None: as before.

    Raises:
        AgentError: A number of threads that is none.
    """
    if options.resume is None or len(changes) != 1 or not changes[0].startswith("threads="):
        return None
    _, value = parse_change(changes[0], "--resume", AgentError)
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= MAX_THREADS:
        raise AgentError(f"{changes[0]}: an integer of 1 to {MAX_THREADS:,} is needed")
    return value


def parse_budgets(responses: list[str], exploit: str | None) -> dict[str, int | None]:
    """The decisions of each response; None for the default.

    Raises:
        AgentError: Without --exploit, or a number of decisions that is none.
    """
    if responses and exploit is None:
        raise AgentError("--response: only with --exploit")
    budgets: dict[str, int | None] = {}
    for text in responses:
        kind, equals, number = text.partition("=")
        value = parse_yaml(number, f"--response {text}:", AgentError) if equals else 1
        if isinstance(value, bool) or not isinstance(value, int | float) or value < 1 or value % 1:
            raise AgentError(f"--response {text}: {number!r} decisions, but an integer of at least 1 is needed")
        budgets[kind] = int(value) if equals else None
    return budgets
