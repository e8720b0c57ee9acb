"""The agent of a network that reads what happened: it is given the last events of each decision."""

from collections.abc import Sequence

import numpy as np
import torch

from w51_agents.agent.interface import BatchAgent, Infos
from w51_agents.agent.memory import no_memory
from w51_agents.networks.history.network import HistoryActorCritic
from w51_agents.networks.policy_agent import check_exportable, draw
from w51_agents.networks.tensor_policy import NetworkPolicy, TensorPolicy
from w51_agents.networks.torch_settings import playing
from w51_env.engine.events import COLUMNS
from w51_env.engine.game import Game


class HistoryPolicyAgent(BatchAgent):
    """The policy of a `HistoryActorCritic`; it keeps nothing, and needs `info["history"]`.

    Args:
        game: The game it plays.
        network: The network, which does not change any more.
        greedy: Take the likeliest action (default); False: draw from the policy.
    """

    needs_memory = False

    def __init__(self, game: Game, network: HistoryActorCritic, *, greedy: bool = True):
        self.game, self.network, self.greedy = game, network, greedy
        self.shown = game.layout
        self._inputs = network.inputs_for(game)
        self.needs_history = self._inputs.history
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Seed the draws."""
        self._generator = np.random.default_rng(seed)

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, infos: Infos = None) -> np.ndarray:
        """(N,) int64 action ids.

        Args:
            observations: (N, size) int8, or their float32 view.
            action_masks: (N, actions) int8 or bool.
            infos: The info of each decision, with its `history`.

        Raises:
            AgentError: There are no infos with histories.
        """
        if infos is None or not all("history" in info for info in infos):
            raise no_memory(type(self).__name__)
        histories = self.histories_of([info["history"] for info in infos])
        probabilities = self.forward(observations, action_masks, histories)
        return probabilities.argmax(axis=1) if self.greedy else draw(probabilities, self._generator)

    def histories_of(self, rows: Sequence[np.ndarray]) -> np.ndarray:
        """(N, K, 6) int16, from (k, 6) rows of each decision, of which the last K are read."""
        histories = np.zeros((len(rows), self.needs_history, COLUMNS), np.int16)
        for history, some in zip(histories, rows, strict=True):
            last = some[-self.needs_history :]
            history[: len(last)] = last
        return histories

    def forward(self, observations: np.ndarray, action_masks: np.ndarray, histories: np.ndarray) -> np.ndarray:
        """(N, actions) float32 probabilities, also if the agent is greedy.

        Args:
            observations: (N, size) int8.
            action_masks: (N, actions) int8 or bool.
            histories: (N, K, 6) int16, the oldest event first, then zeros.
        """
        read = np.ascontiguousarray(self.shown.to_int8(observations)[:, : self.game.layout.size])
        inputs = self._inputs(read, histories)
        with playing():
            logits, _ = self.network(torch.from_numpy(inputs), torch.as_tensor(np.asarray(action_masks, bool)))
            return torch.softmax(logits, 1).numpy()

    def tensor_policy(self) -> TensorPolicy:
        """As of `PolicyAgent`, with a history as third argument."""
        check_exportable(self.network)
        return NetworkPolicy(self.network, self._inputs)
