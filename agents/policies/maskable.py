"""A network trained by sb3-contrib's MaskablePPO: from a checkpoint of ours, or from a zip that it saved."""

import json
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from agents.agent import AgentError, BatchAgent
from agents.policies.checkpoint import Checkpoint, write_checkpoint
from w51_env.core.game import Game

NEEDS_SB3 = "needs Stable-Baselines3 and sb3-contrib, which come with: pip install 'w51_env[sb3]'"
KIND = "maskable_ppo"
_ROWS = 8192  #  observations a network is shown at a time, to bound memory


class MaskablePPOAgent(BatchAgent):
    """The policy of a checkpoint.

    Args:
        game: The game it shall play.
        policy: The policy of a MaskablePPO, or the path of a zip that `MaskablePPO.save` wrote, which is unpickled.
        greedy: Take the likeliest action (default); else draw from the policy.

    Raises:
        AgentError: No such file, a damaged one, one of another kind, or one for other observations or actions.
    """

    def __init__(self, game: Game, policy: Any, *, greedy: bool = True):
        self.game = game
        self.greedy = greedy
        self._policy = _unpickled_policy(Path(policy)) if isinstance(policy, str | Path) else policy
        self._as_float = _check_spaces(self._policy, game, policy)
        self.reset(0)

    def reset(self, seed: int) -> None:
        """See `Agent.reset`."""
        self._generator = np.random.default_rng(seed)

    def act_batch(
        self, observations: np.ndarray, action_masks: np.ndarray, infos: Sequence[dict[str, Any]] | None = None
    ) -> np.ndarray:
        """See `Agent.act_batch`."""
        actions = np.empty(len(observations), np.int64)
        for start in range(0, len(observations), _ROWS):
            part = slice(start, start + _ROWS)
            actions[part] = self._choose(observations[part], np.asarray(action_masks[part], bool))
        return actions

    def _choose(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        import torch

        seen = self.game.layout.to_float(observations) if self._as_float else observations
        with torch.no_grad():
            distribution = self._policy.get_distribution(torch.as_tensor(seen), action_masks=masks)
        scores = distribution.distribution.logits.numpy()
        if not self.greedy:
            scores = scores + self._generator.gumbel(size=scores.shape)
        return np.where(masks, scores, -np.inf).argmax(axis=1)


def save_policy(policy: Any, network: Sequence[int], game: Game, path: Path) -> None:
    """Write a policy with hidden layers of these widths as a checkpoint."""
    from agents.policies.weights import weights_of

    write_checkpoint(Checkpoint(KIND, weights_of(policy), {"network": list(network)}), game, path)


def policy_of(checkpoint: Checkpoint, game: Game, path: Path) -> Any:
    """The policy of a checkpoint, on the CPU.

    Raises:
        AgentError: sb3-contrib is not installed, or the weights do not fit.
    """
    try:
        import torch
        from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

        from agents.policies.weights import load_weights
    except ImportError as error:
        raise AgentError(f"checkpoint {path}: a learned agent {NEEDS_SB3} ({error})") from None
    from w51_env.adapters.spaces import action_space, observation_space

    widths = checkpoint.shape["network"]
    policy = MaskableActorCriticPolicy(
        observation_space(game, "float32"),
        action_space(game),
        lambda _: 0.0,
        {"pi": widths, "vf": widths},
        torch.nn.ReLU,
    )
    load_weights(policy, checkpoint, path)
    policy.set_training_mode(False)
    return policy


def _unpickled_policy(path: Path) -> Any:
    """The policy in the zip, on the CPU."""
    if not path.is_file():
        raise AgentError(f"checkpoint {path}: there is no such file")
    _check_kind(path)
    try:
        from sb3_contrib import MaskablePPO
    except ImportError as error:
        raise AgentError(f"checkpoint {path}: a learned agent {NEEDS_SB3} ({error})") from None
    try:
        policy = MaskablePPO.load(path, device="cpu").policy
    except Exception as error:  # noqa: BLE001 - a foreign file can fail in any way
        raise AgentError(f"checkpoint {path}: MaskablePPO cannot load it: {type(error).__name__}: {error}") from None
    policy.set_training_mode(False)
    return policy


def _check_kind(path: Path) -> None:
    """AgentError unless it is a whole zip of a MaskablePPO model; looks at plain data only, before anything is unpickled."""
    try:
        with zipfile.ZipFile(path) as archive:
            damaged = archive.testzip()
            data = json.loads(archive.read("data")) if "data" in archive.namelist() else {}
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
