"""Many runs of one config: of several seeds, settings, or both; side by side on the cores here, or on a cluster."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path

from rich.console import Console

from w51_agents.agent.interface import AgentError
from w51_agents.console.terminal import print_line
from w51_agents.system.files import write_json
from w51_agents.system.processes import usable_cores
from w51_agents.training.log import STRENGTH
from w51_agents.training.run import Run
from w51_agents.training.run_facts import STATE, facts_of, read_state
from w51_agents.training.settings import TrainingConfig
from w51_lab.arena.matches import Results
from w51_lab.trainings.continued_runs import run_of
from w51_lab.trainings.curves import curves_of, draw_runs
from w51_lab.trainings.display import print_files, stop_on_signal, train_and_save
from w51_lab.trainings.evaluation import evaluate
from w51_lab.trainings.seeds import results_of, seeds_table, sweep_table, write_seeds
from w51_lab.trainings.side_by_side import train_side_by_side

_MAX_SEEDS, _MAX_RUNS = 100, 1000
SWEEP = "sweep"


@dataclass(frozen=True)
class ManyRuns:
    """What `--seeds` and `--sweep` ask for.

    Attributes:
        seeds: The seeds; none: that of the config.
        settings: The config of each setting, by what was changed in it; one without changes if nothing is swept.
        allow: Names of code in the configs that may run.
        ray: Address of a cluster; None: this machine.
    """

    seeds: Sequence[int]
    settings: Mapping[str, TrainingConfig]
    allow: list[str]
    ray: str | None

    def folder_of(self, setting: str) -> Path:
        """The folder of the runs of a setting."""
        config = self.settings[setting]
        parent = Path(config.runs) / (f"{config.name}-{SWEEP}" if setting else "")
        return parent / "-".join(part for part in (config.name, _clear(setting), "seeds" if self.seeds else "") if part)

    def runs_of(self, setting: str) -> dict[Path, TrainingConfig]:
        """The config of each run of a setting, by its folder."""
        config, folder = self.settings[setting], self.folder_of(setting)
        if not self.seeds:
            changed = {"name": folder.name, "runs": str(folder.parent)}
            return {folder: config.model_copy(update=changed)}
        names = {seed: f"{config.name}-seed-{seed}" for seed in self.seeds}
        return {
            folder / name: config.model_copy(update={"name": name, "seed": seed, "runs": str(folder)})
            for seed, name in names.items()
        }


def _clear(setting: str) -> str:
    """A part of a name of a folder."""
    return re.sub(r"[^\w.-]+", "-", setting).strip("-")


def parse_seeds(text: str) -> list[int]:
    """The seeds of `8`, the first eight, of `1-5` or `1,2,7`; `4-4` is one of them alone.

    Raises:
        AgentError: Anything else, a seed given twice, none, or too many.
    """
    seeds: list[int] = []
    for part in (f"1-{text}" if text.strip().isdecimal() else text).split(","):
        first, dash, last = part.strip().partition("-")
        if not (first.isdecimal() and (last.isdecimal() or not dash)):
            raise AgentError(f"--seeds {text}: {part!r}, but seeds are needed as in 8, 1-5, 1,2,7 or 4-4")
        end = int(last or first)
        if end - int(first) >= _MAX_SEEDS:
            raise AgentError(f"--seeds {text}: more than {_MAX_SEEDS} seeds")
        seeds += range(int(first), end + 1)
    if not seeds or len(seeds) > _MAX_SEEDS or len(set(seeds)) < len(seeds):
        raise AgentError(f"--seeds {text}: 1 to {_MAX_SEEDS} different seeds are needed")
    return seeds


def parse_sweeps(texts: Sequence[str]) -> list[list[str]]:
    """The changes to the config of each combination of the values of `key=value,value`; [] for no sweep.

    Raises:
        AgentError: A text without several values, or too many combinations.
    """
    changes = []
    for text in texts:
        key, _, values = text.partition("=")
        parts = re.split(r",(?![^\[{]*[\]}])", values)  # a value may be a list
        if not key or len(parts) < 2 or "" in parts or len(set(parts)) < len(parts):
            raise AgentError(f"--sweep {text}: different values are needed, as in selfplay.learning_rate=1e-3,2e-3")
        changes.append([f"{key}={value}" for value in parts])
    combinations = [list(each) for each in product(*changes)] if changes else []
    if len(combinations) > _MAX_RUNS:
        raise AgentError(f"--sweep: {len(combinations)} combinations, but at most {_MAX_RUNS} are trained")
    return combinations


def learn_many(many: ManyRuns, console: Console) -> bool:
    """Train, or go on with, all runs; evaluate all; report. False if training was interrupted."""
    runs = {folder: config for setting in many.settings for folder, config in many.runs_of(setting).items()}
    if not _trained_together(many, runs, console):
        return False
    reports = {}
    for setting in many.settings:
        trained = _here(many, setting, console)
        if len(trained) < len(many.runs_of(setting)):
            return False
        results = [results for _, results in trained]
        config, folder = many.settings[setting], many.folder_of(setting)
        names = [each.name for each in many.runs_of(setting).values()]
        reports[setting] = results_of(names[0], results)
        if len(many.seeds) > 1:
            write_seeds(many.seeds, [run for run, _ in trained], reports[setting], setting or config.name, folder)
            console.print(seeds_table(reports[setting], many.seeds))
            print_files(folder, console)
    if "" not in many.settings:
        folder = next(iter(runs)).parents[1 if many.seeds else 0]
        write_json({name: [asdict(row) for row in rows] for name, rows in reports.items()}, folder / f"{SWEEP}.json")
        logs = {name: [run / STRENGTH for run in many.runs_of(name)] for name in many.settings}
        curves = [curves_of(name, files) for name, files in logs.items()]
        if all(one.by_run for one in curves):
            draw_runs(curves, "decisions", folder / f"{SWEEP}.png")
        console.print(sweep_table(reports, folder / f"{SWEEP}.tex"))
        print_files(folder, console)
    return True


def _here(many: ManyRuns, setting: str, console: Console) -> list[tuple[Run, list[Results]]]:
    """The runs of a setting with their evaluations, trained to their ends; fewer if that was interrupted."""
    trained: list[tuple[Run, list[Results]]] = []
    for folder, config in many.runs_of(setting).items():
        with run_of(config, folder, many.allow) as run:
            if many.seeds:
                print_line(console, f"Seed        {config.seed}, in {run.folder}")
            else:
                print_line(console, f"Setting     {setting}, in {run.folder}")
            if not run.complete:
                train_and_save(run, "the same command", console)
            if not run.complete:
                return trained
            trained.append((run, evaluate(run, console)))
    return trained


def _trained_together(many: ManyRuns, runs: Mapping[Path, TrainingConfig], console: Console) -> bool:
    """Train all runs on the cluster, or on the cores of this machine; False if that was interrupted."""

    def show(folder: Path, decisions: int, where: str = "") -> None:
        print_line(console, f"{folder}  {decisions:,} / {runs[folder].decisions:,} decisions{where}")

    with stop_on_signal(console) as stopped:
        if many.ray is not None:
            from w51_lab.trainings.cluster import Leg, train_on_cluster

            def show_leg(folder: Path, leg: Leg) -> None:
                show(folder, leg.decisions, f", on {leg.machine}")

            return train_on_cluster(runs, many.ray, many.allow, show_leg, stopped)
        begun = {folder: config for folder, config in runs.items() if not _is_complete(folder)}
        if min(len(begun), usable_cores()) < 2:
            return True  # this process trains it
        print_line(console, f"Training {len(begun)} runs, {min(len(begun), usable_cores())} at a time")
        if train_side_by_side(begun, many.allow, show, stopped):
            return True
        print_line(console, "Interrupted. The checkpoints are saved; continue with the same command")
        return False


def _is_complete(folder: Path) -> bool:
    """Whether the training of a run has come to its end."""
    if not (folder / STATE).is_file():
        return False
    facts = facts_of(read_state(folder))
    return bool(facts.progress) and facts.progress[-1].decisions >= facts.config["decisions"]
