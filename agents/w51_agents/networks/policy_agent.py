"""Policies as agents: what all of them share, and the agent of a network trained by self-play."""

from collections.abc import Callable, Mapping
from copy import copy

import numpy as np
import torch

from w51_agents.agent.bots import BotAgent
from w51_agents.agent.interface import AgentError, BatchAgent, Infos
from w51_agents.networks.network import ActorCritic
from w51_agents.networks.tensor_policy import NetworkPolicy, TensorPolicy
from w51_agents.networks.torch_settings import playing
from w51_env.engine.game import Game

_ROWS = 8192  #  observations in one forward pass, to bound memory
_BELOW_ONE = np.float32(1.0 - 1e-6)
_exp_to_zero = np.errstate(under="ignore")  # as of illegal actions, whatever `numpy.seterr` says

# (n, ...) float32, from (n, size) observations and (n, actions) bool masks
_Compute = Callable[[np.ndarray, np.ndarray], np.ndarray]


def draw(weights: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """(N,) int64, an action for each row of (N, actions) float32 weights, with probabilities proportional to them."""
    cumulative = weights.cumsum(axis=1)
    # Rounding can make a draw equal to the total; an illegal action has the cumulative weight of its predecessor.
    drawn = generator.random((len(weights), 1), np.float32) * (cumulative[:, -1:] * _BELOW_ONE)
    return (cumulative <= drawn).sum(axis=1)


def check_exportable(network: ActorCritic) -> None:
    """AgentError if a network reads what tensors of observations and masks do not give."""
    reads = {
        f"the action of {network.base_policy!r}": network.base_policy,
        "the heuristic features": network.heuristic_features,
    }
    if needed := [what for what, is_read in reads.items() if is_read]:
        raise AgentError(
            f"export: the network reads {' and '.join(needed)}, which only this package computes; a network "
            "without base_policy and heuristic_features can be exported"
        )


class PolicyAgent(BatchAgent):
    """An agent that plays a policy over legal actions.

    Args:
        game: The game that the policy knows.
        greedy: Take the likeliest action; False: draw from the policy.

    Attributes:
        shown: The layout of the observations that it gets. The first columns are those of `game`, which it reads.
        tilt: (actions,) float32, added to the logits; None: nothing.
    """

    tilt: np.ndarray | None = None
    extra_argument: Mapping[str, int] = {}

    def __init__(self, game: Game, greedy: bool):
        self.game, self.shown = game, game.layout
        self.greedy = greedy
        self.reset(0)

    def reset(self, seed: int) -> None:
        self._generator = np.random.default_rng(seed)

    @_exp_to_zero
    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, infos: Infos = None) -> np.ndarray:
        """(N,) int64 action ids; `infos` is not used.

        Args:
            observations: (N, size) int8, or their float32 view.
            action_masks: (N, actions) int8 or bool.
            infos: Not used.

        Raises:
            OptionError: Observations of another dtype, size or scale.
        """
        logits = self._all_logits(observations, action_masks)
        if self.greedy:
            return logits.argmax(axis=1)
        return draw(np.exp(logits - logits.max(axis=1, keepdims=True)), self._generator)

    def probabilities(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """(N, actions) float64, the probability of each action; 1 for the likeliest action if greedy."""
        if self.greedy:
            logits = self._all_logits(observations, action_masks)
            return np.eye(logits.shape[1])[logits.argmax(axis=1)]
        return self.policy(observations, action_masks)

    @_exp_to_zero
    def policy(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """(N, actions) float64, the probabilities of the policy, also if the agent is greedy."""
        logits = self._all_logits(observations, action_masks)
        weights = np.exp(logits.astype(np.float64) - logits.max(axis=1, keepdims=True))
        return weights / weights.sum(axis=1, keepdims=True)

    def forward(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """As `policy`, as of `ExportableAgent`."""
        return self.policy(observations, action_masks)

    def values(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """(N,) float32, the critic's estimate of the reward of the seat to move, in the units it was trained on."""
        return self._in_parts(self._values, observations, action_masks, np.empty(len(observations), np.float32))

    def tensor_policy(self) -> TensorPolicy:
        """The policy as a module of tensors alone; it shares the weights.

        Raises:
            AgentError: It reads what only this package computes, or is a network of another library.
        """
        raise AgentError(f"export: {type(self).__name__} is a network of another library, which exports it itself")

    def known(self, observations: np.ndarray) -> np.ndarray:
        """(N, game.layout.size) int8, the columns that the policy reads; arguments and errors as of `act_batch`."""
        return np.ascontiguousarray(self.shown.to_int8(observations)[:, : self.game.layout.size])

    def _all_logits(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """(N, actions) float32."""
        logits = self._in_parts(self._logits, observations, action_masks, np.empty(action_masks.shape, np.float32))
        return logits if self.tilt is None else logits + self.tilt

    def _in_parts(self, compute: _Compute, observations: np.ndarray, masks: np.ndarray, out: np.ndarray) -> np.ndarray:
        """Fill `out`, one row for each decision; a part at a time bounds the memory."""
        observations = self.known(observations)
        with playing():
            for start in range(0, len(observations), _ROWS):
                part = slice(start, start + _ROWS)
                out[part] = compute(observations[part], np.asarray(masks[part], bool))
        return out

    def _logits(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """(n, actions) float32, about minus infinity where the (n, actions) bool mask is False."""
        raise NotImplementedError

    def _values(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """(n,) float32, for (n, size) observations and (n, actions) bool masks."""
        raise NotImplementedError


class ActorCriticAgent(PolicyAgent):
    """The policy of an `ActorCritic`, as self-play trains it.

    Args:
        game: The game it plays.
        network: The network, which does not change any more.
        greedy: Take the likeliest action (default); False: draw from the policy.
    """

    stateless = True

    def __init__(self, game: Game, network: ActorCritic, *, greedy: bool = True):
        self.network = network
        self._base_policy = BotAgent(game, self.network.base_policy) if self.network.base_policy else None
        self._inputs = self.network.inputs_for(game)
        super().__init__(game, greedy)

    def reset(self, seed: int) -> None:
        """Seed the draws of the policy and of its base policy."""
        super().reset(seed)
        if self._base_policy is not None:
            self._base_policy.reset(seed)

    def tensor_policy(self) -> TensorPolicy:
        check_exportable(self.network)
        return NetworkPolicy(self.network, self._inputs)

    def belief(self, observation: np.ndarray, action_mask: np.ndarray) -> dict[int, dict[str, float]]:
        """Whom a seat seems to play with, at one decision; empty if the network does not tell.

        Args:
            observation: (layout.size,) int8, of the seat to move.
            action_mask: (num_actions,) int8.

        Returns:
            For each other seat, 1 being the next one clockwise, the probability of each style of player by its name.
        """
        network = self.network
        if network.belief is None:
            return {}
        known = self.known(observation[None])
        with playing():
            read = network.torso.read(torch.from_numpy(self._inputs(known)))
            features = network.features(read, self._base_actions(known, action_mask[None], self._fixed_base_policy()))
            shares = torch.softmax(network.belief(features), 2)[0].tolist()
        others = range(1, self.game.num_players)
        return {place: dict(zip(network.belief.styles, shares[place - 1], strict=True)) for place in others}

    def _logits(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        return self._outputs(observations, masks, self._base_policy)[0].numpy()

    def _values(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        values = self._outputs(observations, masks, self._fixed_base_policy())[1]
        return self.network.value.denormalize(values).numpy()

    def _fixed_base_policy(self) -> BotAgent | None:
        """The base policy for what is no action, such as a value: it changes no later action."""
        base_policy = copy(self._base_policy)
        if base_policy is not None:
            base_policy.reset(0)
        return base_policy

    def _outputs(
        self, observations: np.ndarray, masks: np.ndarray, base_policy: BotAgent | None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits and normalised values."""
        base_actions = self._base_actions(observations, masks, base_policy)
        return self.network(torch.from_numpy(self._inputs(observations)), torch.from_numpy(masks), base_actions)

    def _base_actions(
        self, observations: np.ndarray, masks: np.ndarray, base_policy: BotAgent | None
    ) -> torch.Tensor | None:
        """(n,) int64, the actions of the base policy; None: there is none."""
        if base_policy is None:
            return None
        return torch.from_numpy(base_policy.act_batch(observations, masks.view(np.int8)))
