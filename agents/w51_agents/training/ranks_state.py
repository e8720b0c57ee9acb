"""What the ranks of a training have in common: config, versions and processors, and the state of a run."""

from typing import Any

import numpy as np
import torch

from w51_agents.named.versions import versions
from w51_agents.training.config import config_data
from w51_agents.training.ranks import Ranks
from w51_agents.training.settings import TrainingConfig
from w51_agents.training.trainer_state import TrainerState, state_bytes, state_of_bytes


def check_alike(group: Ranks, config: TrainingConfig) -> None:
    """AgentError unless all ranks have this config, and will compute the same."""
    if group.count == 1:
        return
    facts: dict[str, Any] = config_data(config)
    facts |= {f"version of {name}": version for name, version in versions().items() if name != "platform"}
    facts["processor"] = torch.backends.cpu.get_cpu_capability()  # sums differ by the length of its vectors
    settings = getattr(config, "settings", None)
    if str(getattr(settings, "device", "cpu")).startswith("cuda"):
        facts["card"] = torch.cuda.get_device_name() if torch.cuda.is_available() else None
    group.check_alike(facts)


def state_of_first(group: Ranks, state: TrainerState) -> TrainerState:
    """The state that the first rank has; machines need no folder in common."""
    if group.count == 1:
        return state
    content = state_bytes(state) if group.writes else b""
    (first,) = group.gather(np.frombuffer(content, np.uint8))
    return state if group.writes else state_of_bytes(first.tobytes(), "state")
