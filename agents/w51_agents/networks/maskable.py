"""A policy of sb3-contrib's MaskablePPO as an agent, from a checkpoint or a zip of `MaskablePPO.save`."""

import json
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from w51_agents.agent.interface import AgentError
from w51_agents.networks.checkpoint import Checkpoint, write_checkpoint
from w51_agents.networks.policy_agent import PolicyAgent
from w51_agents.networks.tensor_policy import TensorPolicy
from w51_agents.networks.torch_settings import loading
from w51_agents.networks.weights import load_weights, weights_of
from w51_agents.system.archives import check_unpacked
from w51_agents.system.errors import needs_extra
from w51_agents.system.files import is_file
from w51_env.engine.game import Game

_NEEDS_SB3 = "a policy of MaskablePPO needs Stable-Baselines3 and sb3-contrib, which come with"
TRAINER = "maskable_ppo"  # in checkpoints
_MAX_BYTES, _MAX_DATA = 4 * 2**30, 2**26  #  unpacked, of all and of what is read before anything else


class MaskablePPOAgent(PolicyAgent):
    """The policy of a MaskablePPO.

    Args:
        game: The game it plays.
        policy: The policy of a MaskablePPO, or the path of a zip that `MaskablePPO.save` wrote, which is unpickled.
        greedy: Take the likeliest action (default); False: draw from the policy.

    Raises:
        AgentError: No such file, a damaged one, one of another kind, or one for other observations or actions.
    """

    def __init__(self, game: Game, policy: Any, *, greedy: bool = True):
        self._policy = _unpickled_policy(Path(policy)) if isinstance(policy, str | Path) else policy
        self._float_inputs = _check_spaces(self._policy, game, policy)
        super().__init__(game, greedy)

    def tensor_policy(self) -> TensorPolicy:
        return _MaskablePolicy(self._policy, self.game, self._float_inputs)

    def _logits(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        try:
            distribution = self._policy.get_distribution(self._tensor(observations), action_masks=masks)
        except ValueError:  # PyTorch's check of the logits
            raise AgentError("policy of MaskablePPO: its logits are not finite, as its weights are too large") from None
        return np.where(masks, distribution.distribution.logits.numpy(), -np.inf)

    def _values(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        return self._policy.predict_values(self._tensor(observations)).numpy()[:, 0]

    def _tensor(self, observations: np.ndarray) -> torch.Tensor:
        return torch.as_tensor(self.game.layout.to_float(observations) if self._float_inputs else observations)


class _MaskablePolicy(TensorPolicy):
    """The policy of a MaskablePPO, of int8 observations."""

    scale: torch.Tensor

    def __init__(self, policy: Any, game: Game, float_inputs: bool):
        super().__init__()
        self.policy = policy
        ones = np.ones(game.layout.size, np.int8)
        self.register_buffer("scale", torch.from_numpy(game.layout.to_float(ones) if float_inputs else ones).float())

    def logits(self, observation: torch.Tensor, legal: torch.Tensor) -> torch.Tensor:
        features = self.policy.pi_features_extractor(observation.float() * self.scale)
        return self.policy.action_net(self.policy.mlp_extractor.forward_actor(features))


def save_policy(policy: Any, hidden_sizes: Sequence[int], game: Game, path: Path) -> None:
    """Write a policy with hidden layers of these widths as a checkpoint."""
    write_checkpoint(Checkpoint(TRAINER, weights_of(policy), {"hidden_sizes": list(hidden_sizes)}), game, path)


@loading()
def policy_of(checkpoint: Checkpoint, game: Game, path: Path) -> Any:
    """The policy of a checkpoint, on the CPU.

    Raises:
        AgentError: The weights do not fit.
        MissingPackageError: sb3-contrib is not installed.
    """
    with needs_extra(f"checkpoint {path}: {_NEEDS_SB3}", "sb3"):
        from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
    from w51_env.adapters.spaces import action_space, observation_space

    spaces = observation_space(game, "float32"), action_space(game)
    sizes = checkpoint.shape["hidden_sizes"]
    policy = MaskableActorCriticPolicy(*spaces, lambda _: 0.0, {"pi": sizes, "vf": sizes}, torch.nn.ReLU)
    load_weights(policy, checkpoint, path)
    policy.set_training_mode(False)
    return policy


@loading()
def _unpickled_policy(path: Path) -> Any:
    """The policy in the zip, on the CPU."""
    if not is_file(path):
        raise AgentError(f"checkpoint {path}: there is no such file")
    _check_kind(path)
    with needs_extra(f"checkpoint {path}: {_NEEDS_SB3}", "sb3"):
        from sb3_contrib import MaskablePPO
    try:
        policy = MaskablePPO.load(path, device="cpu").policy
    except Exception as error:  # noqa: BLE001 - an untrusted file can fail in any way
        raise AgentError(f"checkpoint {path}: MaskablePPO cannot load it: {type(error).__name__}: {error}") from None
    policy.set_training_mode(False)
    return policy


def _check_kind(path: Path) -> None:
    """AgentError unless it is a whole zip of a MaskablePPO model; reads plain data and unpickles nothing."""
    try:
        with path.open("rb") as file:
            check_unpacked(file, _MAX_BYTES)
        with zipfile.ZipFile(path) as archive:
            damaged = archive.testzip()
            data = json.loads(archive.open("data").read(_MAX_DATA)) if "data" in archive.namelist() else {}
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        raise AgentError(f"checkpoint {path}: not a checkpoint, or a damaged one: {error}") from None
    if damaged is not None:
        raise AgentError(f"checkpoint {path}: damaged: {damaged} in it does not fit its checksum")
    policy = data.get("policy_class") if isinstance(data, dict) else None
    if not isinstance(policy, dict) or "maskable" not in str(policy.get("__module__")):
        raise AgentError(f"checkpoint {path}: not a model of sb3-contrib's MaskablePPO")


def _check_spaces(policy: Any, game: Game, path: Any) -> bool:
    """AgentError unless the policy was trained on this game's observations and actions; True if on floats."""
    from w51_env.adapters.spaces import OBSERVATION_DTYPES, action_space, observation_space

    for dtype in OBSERVATION_DTYPES:
        if policy.observation_space == observation_space(game, dtype) and policy.action_space == action_space(game):
            return dtype == "float32"
    raise AgentError(
        f"checkpoint {path}: trained on observations {policy.observation_space.shape} and {policy.action_space}, "
        f"but {game.id} of this version has ({game.layout.size},), with ranges of its own, and {action_space(game)}"
    )
