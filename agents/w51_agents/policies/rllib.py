"""A module that RLlib saved as an agent: PPO with RLlib's own action masks, trained on `w51_env.adapters.rllib`."""

from pathlib import Path
from typing import Any

import numpy as np
import torch

from w51_agents.agent.interface import AgentError
from w51_agents.networks.policy_agent import PolicyAgent
from w51_agents.networks.torch_settings import loading
from w51_agents.system.errors import needs_extra
from w51_agents.system.files import is_folder
from w51_env.engine.game import Game


class RLlibAgent(PolicyAgent):
    """The policy of an RLModule that takes observations with masks.

    Args:
        game: The game it plays.
        module: The RLModule, or the folder that its `save_to_path` wrote, which is unpickled.
        greedy: Take the likeliest action (default); False: draw from the policy.

    Raises:
        AgentError: No such folder, a damaged one, one of another kind, or one for other observations or actions.
    """

    def __init__(self, game: Game, module: Any, *, greedy: bool = True):
        self._module = _unpickled_module(Path(module)) if isinstance(module, str | Path) else module
        size = (game.layout.size,), (len(game.actions),)
        space = self._module.observation_space
        trained = tuple(getattr(space[part], "shape", None) for part in ("observations", "action_mask"))
        if trained != size:
            raise AgentError(
                f"checkpoint {module}: trained on observations and masks of {trained}, but the game has {size}"
            )
        super().__init__(game, greedy)

    def _logits(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        inputs = torch.from_numpy(self.game.layout.to_float(observations))
        batch = {"obs": {"observations": inputs, "action_mask": torch.from_numpy(masks.astype(np.float32))}}
        logits = self._module.forward_inference(batch)["action_dist_inputs"].numpy()
        return np.where(masks, logits, -np.inf)


@loading()
def _unpickled_module(path: Path) -> Any:
    if not is_folder(path):
        raise AgentError(f"checkpoint {path}: there is no such folder of an RLModule")
    with needs_extra(f"checkpoint {path}: a module of RLlib needs Ray", "rllib"):
        from ray.rllib.core.rl_module.rl_module import RLModule
    try:
        module = RLModule.from_checkpoint(str(path.absolute()))
    except Exception as error:  # noqa: BLE001 - an untrusted file can fail in any way
        raise AgentError(f"checkpoint {path}: RLlib cannot load it: {type(error).__name__}: {error}") from None
    spaces = getattr(getattr(module, "observation_space", None), "spaces", {})
    if not {"observations", "action_mask"} <= set(spaces):
        raise AgentError(f"checkpoint {path}: not one module that takes observations and action masks")
    return module
