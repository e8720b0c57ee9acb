"""Errors of a training run in words that name the run or the trainer."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from w51_env.agents.agent import AgentError
from w51_env.agents.training.settings import TrainingConfig
from w51_env.agents.training.trainer_state import StateError


@contextmanager
def naming_the_run(folder: Path) -> Iterator[None]:
    """Put the folder into the message of a StateError."""
    try:
        yield
    except StateError as error:
        raise AgentError(f"run {folder}: its state has values that do not fit: {error}") from None


@contextmanager
def fitting_into_memory(config: TrainingConfig) -> Iterator[None]:
    """AgentError if the network or the games of a config need more memory than there is."""
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and "allocate" not in str(error):  # PyTorch's message
            raise
        raise AgentError(
            f"trainer {config.trainer}: its network and the decisions of an update do not fit into "
            f"memory: {str(error)[:200]}"
        ) from None
