"""The state of a training run as one file of plain numbers and text: written whole or not at all, and checked when it is read."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from agents.agent import AgentError
from agents.files import write_whole
from agents.policies.arrays import digest_of, pack, unpack
from w51_env import __version__

FORMAT = "w51_env training state 1"


@dataclass
class State:
    """What something goes on from.

    Attributes:
        arrays: By name.
        facts: Plain data, as JSON has it.
    """

    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)

    def include(self, name: str, inner: "State") -> None:
        """Take in the state of a part."""
        self.arrays |= {f"{name}/{key}": array for key, array in inner.arrays.items()}
        self.facts[name] = inner.facts

    def part(self, name: str) -> "State":
        """What was included by this name."""
        start = f"{name}/"
        return State(
            {key.removeprefix(start): array for key, array in self.arrays.items() if key.startswith(start)},
            self.facts[name],
        )


def save_state(state: State, path: Path) -> None:
    """Write the file, whole or not at all."""
    facts = json.dumps(state.facts)
    metadata = {"format": FORMAT, "version": __version__, "facts": facts, "digest": digest_of(state.arrays, facts)}
    content = pack(state.arrays, metadata)
    write_whole(path, lambda temporary: temporary.write_bytes(content))


def load_state(path: Path) -> State:
    """The state that `save_state` wrote.

    Raises:
        AgentError: The file cannot be read, is damaged, of another kind or of another version of this package.
    """
    arrays, metadata = unpack(path, FORMAT, "state", "there is none, or it is damaged")
    if metadata.get("version") != __version__:
        raise AgentError(
            f"state {path}: written by w51_env {metadata.get('version')}, and this is {__version__}; go on with the one that began"
        )
    if metadata.get("digest") != digest_of(arrays, metadata.get("facts", "")):
        raise AgentError(f"state {path}: damaged: what is in it does not fit its digest")
    return State(arrays, json.loads(metadata["facts"]))
