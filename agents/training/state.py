"""The state of a training run as a file of numbers and text: written atomically, checked when it is read."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from w51_env import __version__
from w51_env.agents.agent import AgentError
from w51_env.agents.policies.checkpoint import in_short, pack, unpack
from w51_env.agents.policies.network import tensors_of
from w51_env.system.files import write_atomic

FORMAT = "w51_env training state"


@dataclass
class TrainerState:
    """All that is needed to continue, as arrays and plain data.

    Attributes:
        arrays: Arrays, by name.
        facts: Plain data, as in JSON.
    """

    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)

    def include(self, name: str, inner: "TrainerState") -> None:
        """Add the state of a part, by its name."""
        self.arrays |= {f"{name}/{key}": array for key, array in inner.arrays.items()}
        self.facts[name] = inner.facts

    def part(self, name: str) -> "TrainerState":
        """The state that was included by this name."""
        start = f"{name}/"
        return TrainerState(
            {key.removeprefix(start): array for key, array in self.arrays.items() if key.startswith(start)},
            self.facts[name],
        )


def save_state(state: TrainerState, path: Path) -> None:
    """Write the file atomically."""
    content = pack(state.arrays, {"version": __version__, "facts": json.dumps(state.facts)}, FORMAT)
    write_atomic(path, lambda temporary: temporary.write_bytes(content))


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
    return TrainerState(arrays, json.loads(metadata["facts"]))


def check_like(state: TrainerState, like: TrainerState) -> None:
    """Check what a stranger may have written before it is used.

    Raises:
        KeyError: An array or a fact of `like` is missing.
        ValueError: An array has another type or shape than in `like`, or numbers that are not finite; a fact has
            another type or length, or is negative.
    """
    for name, array in like.arrays.items():
        saved = state.arrays[name]
        if (saved.dtype, saved.shape) != (array.dtype, array.shape):
            raise ValueError(f"{name}: {saved.dtype} {saved.shape}, but {array.dtype} {array.shape} is needed")
        if saved.dtype.kind == "f" and not np.isfinite(saved).all():
            raise ValueError(f"{name} has values that are not finite")
    for name, fact in like.facts.items():
        _check_fact(name, state.facts[name], fact)


def _check_fact(name: str, saved: Any, like: Any) -> None:
    if type(saved) is not type(like) or (isinstance(like, list) and len(saved) != len(like)):
        raise ValueError(f"{name}: {in_short(saved)}, but a value like {in_short(like)} is needed")
    if isinstance(like, int) and saved < 0:
        raise ValueError(f"{name}: {in_short(saved)} is negative")
    if isinstance(like, dict | list):
        for key in like if isinstance(like, dict) else range(len(like)):
            _check_fact(f"{name}/{key}", saved[key], like[key])


def optimizer_state(optimizer: torch.optim.Optimizer) -> TrainerState:
    """The moments of each parameter."""
    slots = optimizer.state_dict()["state"]
    return TrainerState(
        {f"{index}.{name}": value.cpu().numpy().copy() for index, slot in slots.items() for name, value in slot.items()}
    )


def restore_optimizer(optimizer: torch.optim.Optimizer, state: TrainerState) -> None:
    """Load the moments; the learning rate and other settings stay those of `optimizer`, which is Adam.

    Raises:
        LookupError, ValueError: They are not those of its parameters, as in `check_like`.
    """
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    needed = TrainerState()
    for number in {int(key.partition(".")[0]) for key in state.arrays}:
        moment = np.zeros(parameters[number].shape, np.float32)
        step = np.zeros((), np.float32)
        needed.arrays |= {f"{number}.step": step, f"{number}.exp_avg": moment, f"{number}.exp_avg_sq": moment}
    check_like(state, needed)
    if any((array < 0).any() for key, array in state.arrays.items() if not key.endswith(".exp_avg")):
        raise ValueError("optimizer: a step or a second moment is negative")
    slots: dict[int, dict[str, Tensor]] = {}
    for key, value in tensors_of(state.arrays).items():
        index, name = key.split(".", 1)
        slots.setdefault(int(index), {})[name] = value
    optimizer.load_state_dict({**optimizer.state_dict(), "state": slots})
