"""The state of a training run as a file of numbers and text: written atomically, checked when it is read."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch
from torch import Tensor

from w51_agents.agent.interface import AgentError
from w51_agents.networks.tensor_file import in_short, pack, unpack
from w51_agents.networks.weights import tensors_of
from w51_agents.system.files import write_atomic
from w51_agents.system.json_text import parse_json
from w51_env import __version__

FORMAT, VERSIONS = "w51_env training state", "versions.json"


class StateError(AgentError):
    """The values are valid bytes, with their digest, but impossible for a training run."""


@dataclass
class TrainerState:
    """All that is needed to continue, as arrays and plain data."""

    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)

    def include(self, name: str, inner: "TrainerState") -> None:
        """Add the state of a part, by its name."""
        self.arrays |= {f"{name}/{key}": array for key, array in inner.arrays.items()}
        self.facts[name] = inner.facts

    def part(self, name: str) -> "TrainerState":
        """The state that was included by this name; StateError if there is none."""
        if not isinstance(self.facts.get(name), dict):
            raise StateError(f"{name}: {in_short(self.facts.get(name))}, but facts are needed")
        start = f"{name}/"
        return TrainerState(
            {key.removeprefix(start): array for key, array in self.arrays.items() if key.startswith(start)},
            self.facts[name],
        )

    def check_like(self, like: "TrainerState") -> None:
        """StateError unless it has the arrays and facts of `like`, with other numbers.

        Arrays have its types and shapes, and are finite; facts have its types and lengths, and are not negative. Bytes
        may have another length: who reads them checks them.
        """
        if self.arrays.keys() != like.arrays.keys():
            names = sorted(self.arrays.keys() ^ like.arrays.keys())
            raise StateError(f"{in_short(names)}: missing, or not of this training")
        for name, array in like.arrays.items():
            saved = self.arrays[name]
            shapes = (saved.shape, array.shape) if array.dtype != np.uint8 else (saved.ndim, array.ndim)
            if saved.dtype != array.dtype or shapes[0] != shapes[1]:
                raise StateError(f"{name}: {saved.dtype} {saved.shape}, but {array.dtype} {array.shape} is needed")
            if saved.dtype.kind == "f" and not np.isfinite(saved).all():
                raise StateError(f"{name} has values that are not finite")
        _check_fact("facts", self.facts, like.facts)


def save_state(state: TrainerState, path: Path) -> None:
    """Write the file atomically."""
    content = state_bytes(state)
    write_atomic(path, lambda temporary: temporary.write_bytes(content))


def state_bytes(state: TrainerState) -> bytes:
    """The content of the file."""
    return pack(state.arrays, {"version": __version__, "facts": json.dumps(state.facts)}, FORMAT)


def state_of_bytes(content: bytes, source: str) -> TrainerState:
    """As `load_state`, of the content; a file has it for a moment."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / source
        path.write_bytes(content)
        return load_state(path)


def load_state(path: Path) -> TrainerState:
    """The state that `save_state` wrote.

    Raises:
        AgentError: The file cannot be read, is damaged, of another kind or of another version of this package.
    """
    arrays, metadata = unpack(path, FORMAT, "state", "there is none, or it is damaged")
    if metadata.get("version") != __version__:
        written = metadata.get("version")
        raise AgentError(
            f"state {path}: written by w51_env {written}, but this is {__version__}; continue the run with {written}"
        )
    try:
        facts = parse_json(metadata.get("facts", ""))
    except ValueError as error:
        raise AgentError(f"state {path}: its facts are no JSON: {error}") from None
    if not isinstance(facts, dict):
        raise AgentError(f"state {path}: its facts are {type(facts).__name__}, but an object is needed")
    return TrainerState(arrays, facts)


def _check_fact(name: str, saved: Any, like: Any) -> None:
    fits = type(saved) is type(like)
    if fits and isinstance(like, list):
        fits = len(saved) == len(like)
    elif fits and isinstance(like, dict):
        fits = saved.keys() == like.keys()
    if not fits:
        raise StateError(f"{name}: {in_short(saved)}, but a value like {in_short(like)} is needed")
    if isinstance(like, int) and saved < 0:
        raise StateError(f"{name}: {in_short(saved)} is negative")
    if isinstance(like, dict | list):
        for key in like if isinstance(like, dict) else range(len(like)):
            _check_fact(f"{name}/{key}", saved[key], like[key])


@contextmanager
def generator_state(name: str) -> Iterator[None]:
    """StateError if the library that has a generator of random numbers refuses the state that it is given inside."""
    try:
        yield
    except (OverflowError, RuntimeError, TypeError, ValueError) as error:
        raise StateError(f"{name}: no state of the generator: {error}") from None


def optimizer_state(optimizer: torch.optim.Optimizer) -> TrainerState:
    """The moments of each parameter."""
    slots = optimizer.state_dict()["state"]
    return TrainerState(
        {f"{index}.{name}": value.cpu().numpy().copy() for index, slot in slots.items() for name, value in slot.items()}
    )


def restore_optimizer(optimizer: torch.optim.Optimizer, state: TrainerState) -> None:
    """Load the moments; the learning rate and other settings stay those of `optimizer`, which is Adam.

    Raises:
        StateError: They are not those of its parameters.
    """
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    used = {key.partition(".")[0] for key in state.arrays}  # a parameter without a gradient has no moments
    needed = TrainerState()
    for number, parameter in enumerate(parameters):
        if str(number) in used:
            moment = np.zeros(parameter.shape, np.float32)
            step = np.zeros((), np.float32)
            needed.arrays |= {f"{number}.step": step, f"{number}.exp_avg": moment, f"{number}.exp_avg_sq": moment}
    state.check_like(needed)
    if any((array < 0).any() for key, array in state.arrays.items() if not key.endswith(".exp_avg")):
        raise StateError("optimizer: a step or a second moment is negative")
    slots: dict[int, dict[str, Tensor]] = {}
    for key, value in tensors_of(state.arrays).items():
        index, name = key.split(".", 1)
        slots.setdefault(int(index), {})[name] = value
    optimizer.load_state_dict({**optimizer.state_dict(), "state": slots})


@contextmanager
def naming_the_run(folder: Path) -> Iterator[None]:
    """Put the folder into the message of a StateError, and what to do."""
    try:
        yield
    except StateError as error:
        raise AgentError(
            f"run {folder}: its state has values that do not fit: {error}. Other code wrote it, or it was changed; "
            f"go on with the commit that {VERSIONS} there names, or begin a run of another name"
        ) from None
