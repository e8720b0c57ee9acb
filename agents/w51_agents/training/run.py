"""A training run and its folder: begin, train, resume after an interruption."""

import time
from collections.abc import Callable, Collection
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from shutil import rmtree
from typing import Any, Protocol, Self

import numpy as np
import torch

from w51_agents.agent.interface import AgentError
from w51_agents.console.terminal import resume_command
from w51_agents.named.versions import versions
from w51_agents.networks.checkpoint import check_sizes
from w51_agents.networks.load import CHECKPOINT, SNAPSHOTS
from w51_agents.networks.making import imported_networks
from w51_agents.networks.torch_settings import own_settings
from w51_agents.system.files import (
    check_folder,
    hold_folder,
    new_folder,
    release_folder,
    remove_unfinished,
    write_atomic,
    write_json,
    write_text,
)
from w51_agents.training.config import check_config_code, config_code, config_data, config_text, parse_config
from w51_agents.training.log import Log, NoLog
from w51_agents.training.ranks import is_restartable, ranks
from w51_agents.training.ranks_state import check_alike, state_of_first
from w51_agents.training.read_files import check_read_files, read_files, rules_digest, without_start
from w51_agents.training.registry import trainer_spec
from w51_agents.training.run_facts import CONFIG, STATE, MatchRow, RunFacts, facts_of, read_state
from w51_agents.training.settings import TrainingConfig
from w51_agents.training.trainer import Trainer, Update
from w51_agents.training.trainer_state import VERSIONS, TrainerState, naming_the_run, save_state
from w51_env import make_game
from w51_env.engine.errors import FileError
from w51_env.engine.game import Game
from w51_env.engine.imports import import_object
from w51_env.engine.registry import check_from_outside, registered_games


class Evaluator(Protocol):
    """Matches of the learner on fixed deals during training, as `w51_lab.trainings.baselines.BaselineMatches`."""

    def __call__(self, run: "Run") -> list[MatchRow]:
        """Play the learner as it is now; a row for each match."""


MakeEvaluator = Callable[[TrainingConfig, Game], Evaluator] | None


def baselines(config: TrainingConfig, game: Game) -> Evaluator:
    """The matches that `evaluation` of the config asks for. A name is imported: the arena imports this module."""
    evaluator: Evaluator = import_object("w51_lab.trainings.baselines:BaselineMatches")(config, game)
    return evaluator


@dataclass
class Run:
    """Training and its output files. A context, which ends with `close`; an OSError inside becomes a FileError.

    Attributes:
        config: All settings, with the content of files in place of the paths of options.
        game: The game with the options of the config.
        folder: Folder of the output files.
        trainer: The trainer of the config.
        evaluator: Evaluates the learner every `evaluation.minutes` or `evaluation.decisions`; None: no evaluation.
        read_files: Digests of the files that options and agents of the config named when the run began, as plain data.
        updates, matches: All so far.
        seconds: Wall time of training so far.
    """

    config: TrainingConfig
    game: Game
    folder: Path
    trainer: Trainer
    evaluator: Evaluator | None = None
    read_files: dict[str, Any] = field(default_factory=dict)
    updates: list[Update] = field(default_factory=list)
    matches: list[MatchRow] = field(default_factory=list)
    seconds: float = 0.0

    @classmethod
    def begin(cls, config: TrainingConfig, make_evaluator: MakeEvaluator = baselines) -> "Run":
        """A new run in a new folder. Every error in the config is raised before anything is written.

        Args:
            config: All settings.
            make_evaluator: Called with the config and the game; None: no evaluation while training.
        """
        group = ranks()
        with ExitStack() as undo:
            with group.agreed():
                game, evaluator = _prepare(config, make_evaluator)
                config = config.model_copy(update={"options": game.kept_options(config.options)})
                files = read_files(config, game)
                trainer = _make_trainer(config, game)
                undo.callback(trainer.close)
            check_alike(group, config)
            folder = Path()
            with group.agreed():
                if group.writes:
                    folder = new_folder(Path(config.runs), config.name, "run", (CONFIG, VERSIONS))
                    undo.callback(rmtree, folder)
                    undo.callback(release_folder, folder)
                    write_text(config_text(config), folder / CONFIG)
                    write_json(versions(), folder / VERSIONS)
            run = cls(config, game, Path(group.texts(str(folder))[0]), trainer, evaluator, files)
            run.save()
            undo.pop_all()
        group.name_resumption(run.resumption)
        return run

    @classmethod
    def resume(cls, folder: Path, make_evaluator: MakeEvaluator = baselines, allowed: Collection[str] = ()) -> "Run":
        """Load the run in this folder, in the state of its last checkpoint.

        Args:
            folder: Folder of the run.
            make_evaluator: As for `begin`.
            allowed: Names of games, trainers, agents and classes in the run's config whose code may be imported.

        Raises:
            FileError: There is no run, there are links or devices in its folder, another process uses it, or the file
                of an option has changed.
            AgentError: Its state is damaged, of another version or of other rules, the file of an agent has changed,
                or its config names third-party code that is not allowed.
        """
        group = ranks()
        with ExitStack() as undo, naming_the_run(folder):
            state = TrainerState()
            with group.agreed():
                if group.writes:
                    check_folder(folder, "run", STATE)
                    hold_folder(folder, "run")
                    undo.callback(release_folder, folder)
                    state = read_state(folder)
            state = state_of_first(group, state)
            with group.agreed():
                facts = facts_of(state)
                config = parse_config(facts.config, f"in {folder / STATE}", allowed)
                check_config_code(config, allowed, f"run {folder}")
                game, evaluator, trainer = _as_it_was(state, facts, config, folder, make_evaluator)
            check_alike(group, config)
            with own_settings():
                trainer.restore(state.part("trainer"))
            if group.writes:
                remove_unfinished(folder)
            progress = facts.progress, facts.strength, facts.seconds
            run = cls(config, game, folder, trainer, evaluator, facts.read_files, *progress)
            undo.pop_all()
        group.name_resumption(run.resumption)
        return run

    @property
    def complete(self) -> bool:
        """Whether all decisions of the config are made."""
        return self.trainer.decisions >= self.config.decisions

    @property
    def resumption(self) -> str:
        """The command line that continues the run."""
        code = dict.fromkeys([*config_code(self.config), *imported_networks()])
        again = resume_command("train", self.folder, list(code))
        count = ranks().count
        return f"{again} --processes {count}" if count > 1 and not is_restartable() else again

    @property
    def checkpoint(self) -> Path:
        """The checkpoint of the policy."""
        return self.folder / CHECKPOINT

    def train(self, on_update: Callable[[Update, list[MatchRow]], None], should_stop: Callable[[], bool]) -> None:
        """Train to the end, or until `should_stop`; then save.

        Args:
            on_update: Called after each update with it and the matches of the last evaluation.
            should_stop: Called after each update; True ends the training early.
        """
        names = [column.name for column in fields(Update) if column.name != "losses"]
        columns = [*names, *self.trainer.logged], [column.name for column in fields(MatchRow)]
        so_far = [row.row() for row in self.updates], [asdict(row) for row in self.matches]
        log = Log(self.folder, columns, *so_far) if ranks().writes else NoLog()
        saved = time.monotonic()
        try:
            while not self.complete and not ranks().any(should_stop()):
                self._update(log)
                on_update(self.updates[-1], self.latest_matches)
                if ranks().any(time.monotonic() - saved > 60 * self.config.checkpoint_minutes):
                    log.flush()
                    self.save()
                    saved = time.monotonic()
            log.flush()
            self.save()
        finally:
            log.close()

    def _update(self, log: Log) -> None:
        """An update, and the snapshot and the evaluation that are due after it."""
        began, before = time.monotonic(), self._snapshots_due()
        with own_settings():
            update = self.trainer.update()
        (spent,) = ranks().gather(np.array([time.monotonic() - began]), lengths=[1] * ranks().count)
        self.seconds += (seconds := float(spent[0]))
        if (number := self._snapshots_due()) > before and ranks().writes:
            (self.folder / SNAPSHOTS).mkdir(exist_ok=True)
            snapshot = self.folder / SNAPSHOTS / f"{number:03}.safetensors"
            write_atomic(snapshot, self.trainer.write_checkpoint)
        learned = update.decisions - (self.updates[-1].decisions if self.updates else 0)
        self.updates.append(replace(update, seconds=self.seconds, decisions_per_second=learned / seconds))
        log.add_update(self.updates[-1].row())
        if self.evaluator is not None and self._evaluation_is_due():
            rows = self.evaluator(self)
            self.matches += rows
            for row in rows:
                log.add_match(asdict(row))

    @property
    def latest_matches(self) -> list[MatchRow]:
        """The rows of the last evaluation."""
        return [row for row in self.matches if row.decisions == self.matches[-1].decisions]

    def _evaluation_is_due(self) -> bool:
        settings = self.config.evaluation
        if settings.decisions is not None:
            last_decisions = self.matches[-1].decisions if self.matches else 0
            return self.trainer.decisions // settings.decisions > last_decisions // settings.decisions
        last = self.matches[-1].seconds if self.matches else 0.0
        return self.seconds - last > 60 * settings.minutes

    def _snapshots_due(self) -> int:
        """Number of snapshots that are due by now."""
        second_half = 2 * min(1.0, self.trainer.decisions / self.config.decisions) - 1
        return int(self.config.snapshots * max(0.0, second_half))

    def save(self) -> None:
        """Write state and checkpoint, each atomically."""
        config, rules = config_data(self.config), rules_digest(self.game)
        facts = RunFacts(config, rules, self.read_files, self.seconds, self.updates, self.matches)
        state = TrainerState({}, asdict(facts))
        state.include("trainer", self.trainer.state())
        if ranks().writes:
            save_state(state, self.folder / STATE)
            write_atomic(self.checkpoint, self.trainer.write_checkpoint)

    def close(self) -> None:
        """End threads, and the lock of the folder."""
        self.trainer.close()
        if ranks().writes:
            release_folder(self.folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        self.close()
        if isinstance(error, OSError):
            raise FileError(
                f"run {self.folder}: a file could not be written: {error}. The last checkpoint is intact; "
                f"continue from it with: {self.resumption}"
            ) from None


def _as_it_was(
    state: TrainerState, facts: RunFacts, config: TrainingConfig, folder: Path, make_evaluator: MakeEvaluator
) -> tuple[Game, Evaluator | None, Trainer]:
    """The game, the evaluator and a new trainer of a run that is resumed; arguments and errors as of `Run.resume`."""
    if config.game in registered_games():
        check_from_outside(config.game, config.options)  # the run holds what is in a file, not its path
    game, evaluator = _prepare(config, make_evaluator)
    if facts.rules != rules_digest(game):
        now = f"{game.id} with the options of its config now"
        raise AgentError(f"run {folder}: its game had other rules or relics than {now}")
    check_read_files(facts.read_files, config, game, folder)
    if (sizes := trainer_spec(config.trainer).hidden_sizes(config)) is not None:
        check_sizes(state.arrays, sizes, game, f"run {folder}")
    return game, evaluator, _make_trainer(without_start(config), game)


def _make_trainer(config: TrainingConfig, game: Game) -> Trainer:
    """The trainer of a config; AgentError if it cannot share its work among the processes that there are."""
    spec = trainer_spec(config.trainer)
    if ranks().count > 1 and not spec.shares:
        raise AgentError(f"processes: {ranks().count}, but trainer {config.trainer} learns in one process")
    trainer: Trainer = spec.make(config, game)
    return trainer


def _prepare(config: TrainingConfig, make_evaluator: MakeEvaluator) -> tuple[Game, Evaluator | None]:
    if config.torch_threads is not None:
        torch.set_num_threads(config.torch_threads)
    game = make_game(config.game, **config.options)
    return game, make_evaluator(config, game) if make_evaluator is not None else None
