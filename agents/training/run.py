"""A run in its folder: begun, gone on with after an interruption, and brought to its end."""

import hashlib
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from shutil import rmtree

import torch

from agents.agent import Agent, AgentError
from agents.files import new_folder, remove_unfinished, write_whole
from agents.policies.load import CHECKPOINT
from agents.registry import make_agent
from agents.training.config import TrainingConfig, config_text, parse_config
from agents.training.log import Log
from agents.training.state import State, load_state, save_state
from agents.training.trainer import Trainer, Update, load_trainer
from agents.versions import write_versions
from arena.matches import play_matches
from w51_env import make_game
from w51_env.core.game import Game

STATE, CONFIG, VERSIONS = "state.safetensors", "config.yaml", "versions.json"


@dataclass(frozen=True)
class MatchRow:
    """How the learner did in a match on fixed deals while training went on; a row of `strength.csv`.

    Attributes:
        decisions, seconds: How training stood.
        players: Seats of each game.
        against: Who had all other seats.
        games: That were played.
        mean_score, win_share: Of the learner.
        low, high: The 95 % interval of the win share.
    """

    decisions: int
    seconds: float
    players: int
    against: str
    games: int
    mean_score: float
    win_share: float
    low: float
    high: float


@dataclass
class Run:
    """Training, and all that is written down of it.

    Attributes:
        folder: Where all of it is.
        tables: For each number of players that the learner is evaluated with, the game and its opponents there, by name.
        updates, matches: All so far.
        seconds: Of training so far.
    """

    config: TrainingConfig
    game: Game
    folder: Path
    trainer: Trainer
    tables: list[tuple[Game, list[tuple[str, Agent]]]]
    updates: list[Update] = field(default_factory=list)
    matches: list[MatchRow] = field(default_factory=list)
    seconds: float = 0.0

    @classmethod
    def begin(cls, config: TrainingConfig) -> "Run":
        """A new run in a new folder. All that can be wrong with the config is told before anything is written."""
        game, tables = cls._prepare(config)
        trainer = load_trainer(config.trainer)(config, game)
        with ExitStack() as undo:
            undo.callback(trainer.close)
            folder = new_folder(Path(config.runs), config.name)
            undo.callback(rmtree, folder)
            write_whole(folder / CONFIG, lambda path: path.write_text(config_text(config), "utf-8"))
            write_versions(folder / VERSIONS)
            run = cls(config, game, folder, trainer, tables)
            run.save()
            undo.pop_all()
        return run

    @classmethod
    def resume(cls, folder: Path) -> "Run":
        """The run in this folder, as its last checkpoint left it.

        Raises:
            AgentError: There is no run, or its state is damaged, of another version, or of another relic set or other rules.
        """
        if not folder.is_dir():
            raise AgentError(f"run {folder}: there is no such folder")
        state = load_state(folder / STATE)
        config = parse_config(state.facts["config"], f"in {folder / STATE}")
        game, tables = cls._prepare(config)
        if state.facts["rules"] != rules_digest(game):
            raise AgentError(
                f"run {folder}: its game had other rules or relics than {game.id} with the options of its config has now"
            )
        trainer = load_trainer(config.trainer)(config, game)
        trainer.restore(state.part("trainer"))
        remove_unfinished(folder)
        updates = [Update(**row) for row in state.facts["progress"]]
        matches = [MatchRow(**row) for row in state.facts["strength"]]
        return cls(config, game, folder, trainer, tables, updates, matches, state.facts["seconds"])

    @staticmethod
    def _prepare(config: TrainingConfig) -> tuple[Game, list[tuple[Game, list[tuple[str, Agent]]]]]:
        if config.torch_threads is not None:
            torch.set_num_threads(config.torch_threads)
        game = make_game(config.game, **config.options)
        tables = []
        for players in config.evaluation.players or (game.num_players,):
            table = game.make(**{**game.options, "num_players": players})
            tables.append((table, [(name, make_agent(name, table)) for name in config.evaluation.against]))
        return game, tables

    @property
    def complete(self) -> bool:
        """All decisions are made."""
        return self.trainer.decisions >= self.config.decisions

    @property
    def checkpoint(self) -> Path:
        """The policy."""
        return self.folder / CHECKPOINT

    def train(self, on_update: Callable[[Update, list[MatchRow]], None], should_stop: Callable[[], bool]) -> None:
        """Go on to the end, or until `should_stop`, which is asked after each update. Either way all is written down.

        Args:
            on_update: Told of each update, with the matches of the last evaluation.
            should_stop: Whether to end early.
        """
        columns = ([column.name for column in fields(Update)], [column.name for column in fields(MatchRow)])
        log = Log(self.folder, columns, [asdict(row) for row in self.updates], [asdict(row) for row in self.matches])
        saved = time.monotonic()
        try:
            while not self.complete and not should_stop():
                began = time.monotonic()
                update = self.trainer.update()
                self.seconds += time.monotonic() - began
                self.updates.append(replace(update, seconds=self.seconds))
                log.add_update(asdict(self.updates[-1]))
                if self._evaluation_is_due():
                    self.matches += self.evaluate()
                    for row in self.matches[-self._matches_at_a_time :]:
                        log.add_match(asdict(row))
                on_update(self.updates[-1], self.matches[-self._matches_at_a_time :])
                if time.monotonic() - saved > 60 * self.config.checkpoint_minutes:
                    log.flush()
                    self.save()
                    saved = time.monotonic()
            log.flush()
            self.save()
        finally:
            log.close()

    def evaluate(self) -> list[MatchRow]:
        """The learner on the fixed deals, against each opponent alone, with each number of players."""
        settings = self.config.evaluation
        rows = []
        for game, opponents in self.tables:
            learner = self.trainer.agent(game)
            for name, opponent in opponents:
                results = play_matches(
                    game,
                    [(self.config.name, learner), (name, opponent)],
                    settings.games_while_training,
                    self.config.seed,
                )
                own = results.standings()[0]
                measured = (results.shares[..., 0].size, own.mean_score, own.win_share, own.low, own.high)
                rows.append(MatchRow(self.trainer.decisions, self.seconds, game.num_players, name, *measured))
        return rows

    @property
    def _matches_at_a_time(self) -> int:
        return sum(len(opponents) for _, opponents in self.tables)

    def _evaluation_is_due(self) -> bool:
        last = self.matches[-1].seconds if self.matches else 0.0
        return self.seconds - last > 60 * self.config.evaluation.minutes

    def save(self) -> None:
        """Write state and checkpoint, each whole or not at all."""
        facts = {
            "config": self.config.model_dump(mode="json"),
            "rules": rules_digest(self.game),
            "seconds": self.seconds,
            "progress": [asdict(row) for row in self.updates],
            "strength": [asdict(row) for row in self.matches],
        }
        state = State({}, facts)
        state.include("trainer", self.trainer.state())
        save_state(state, self.folder / STATE)
        write_whole(self.checkpoint, self.trainer.write_checkpoint)

    def close(self) -> None:
        """End threads."""
        self.trainer.close()


def rules_digest(game: Game) -> str:
    """SHA-256 of all numbers that a game's kernels read of its rules."""
    return hashlib.sha256(game.id.encode() + game.rules.tobytes()).hexdigest()
