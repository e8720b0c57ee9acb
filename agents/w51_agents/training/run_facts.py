"""What the folder of a training run says of it: its config, its progress, its matches."""

from dataclasses import dataclass
from math import nan
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from w51_agents.agent.interface import AgentError
from w51_agents.console.settings import parse_yaml, to_yaml
from w51_agents.system.errors import reason_of
from w51_agents.system.files import read_text
from w51_agents.system.json_text import differences
from w51_agents.training.trainer import Count, Update
from w51_agents.training.trainer_state import StateError, TrainerState, load_state

STATE, CONFIG = "state.safetensors", "config.yaml"
RESULTS = {"win": "win_rate", "rank": "mean_rank", "payoff": "mean_score"}  # columns, by `Game.decides`
_MAX_BYTES = 100_000_000  #  of a config, with the cards in it


@dataclass(frozen=True)
class MatchRow:
    """A match of the learner on fixed deals during training; a row of `strength.csv`.

    Attributes:
        decisions, seconds: Decisions and wall time of training before it.
        players: Seats of each game.
        against: The baseline in all other seats.
        games: Number of games.
        mean_score, win_rate: Results of the learner.
        low, high: The 95 % interval of what decides.
        mean_rank: Of the learner, from 1.
        decides: What agents are compared by, as `decided_by` has it.
    """

    decisions: Count
    seconds: float
    players: Count
    against: str
    games: Count
    mean_score: float
    win_rate: float
    low: float
    high: float
    mean_rank: float = nan  # runs of earlier versions have neither
    decides: str = "win"

    @property
    def result(self) -> float:
        """What decides, of the learner."""
        return float(getattr(self, RESULTS[self.decides]))


@dataclass
class RunFacts:
    """What the state of a run holds beside that of its trainer; attributes as those of `Run`."""

    config: dict[str, Any]
    rules: str
    read_files: dict[str, Any]
    seconds: float
    progress: list[Update]
    strength: list[MatchRow]


def read_state(folder: Path) -> TrainerState:
    """The state in the folder of a run.

    Raises:
        StateError: It has no facts.
        AgentError: The file cannot be read, or the config beside it was edited.
    """
    state = load_state(folder / STATE)
    facts = facts_of(state)
    if (folder / CONFIG).exists():
        _check_config(folder / CONFIG, facts.config)
    return state


def facts_of(state: TrainerState) -> RunFacts:
    """The facts in the state of a run; StateError if they are none."""
    try:
        return TypeAdapter(RunFacts).validate_python(state.facts)
    except ValidationError as error:
        first = error.errors()[0]
        raise StateError(f"{'/'.join(map(str, first['loc']))}: {first['msg']}") from None


def _check_config(path: Path, config: dict[str, Any]) -> None:
    """AgentError if the config in a file is another one: what is read in it would not be what was trained."""
    source = f"config {path}:"
    try:
        if (text := read_text(path, _MAX_BYTES)) == to_yaml(config):  # to read it takes long
            return
        edited = differences(config, parse_yaml(text, source, AgentError))
    except AgentError:
        raise
    except (OSError, ValueError, RecursionError) as error:
        raise AgentError(f"{source} cannot be read: {reason_of(error)}") from None
    if edited:
        remedy = "restore it, or begin another run with it"
        raise AgentError(f"{source} edited since the run began: {edited}; {remedy}")
