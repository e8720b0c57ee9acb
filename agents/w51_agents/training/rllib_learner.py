"""RLlib's PPO learner for games of turns, when there are several learners."""

from typing import Any

from ray.rllib.algorithms.ppo.torch.ppo_torch_learner import PPOTorchLearner
from ray.rllib.connectors.connector_v2 import ConnectorV2


class TurnsPPOLearner(PPOTorchLearner):
    """RLlib's learner, with `DropAgentsWithoutSteps` before its connectors: `config.learners(learner_class=...)`.

    RLlib 2.60 cuts episodes to share them among learners. An agent that had no turn in a piece makes one learner fail,
    and the others wait for it for ever.
    """

    def build(self) -> None:
        """Make the module, the optimizer and the connectors."""
        super().build()
        if self._learner_connector is not None:
            self._learner_connector.prepend(DropAgentsWithoutSteps())


class DropAgentsWithoutSteps(ConnectorV2):
    """Removes agents that did not act from the multi-agent episodes that are learned from."""

    def __call__(self, *, batch: Any, episodes: Any, **_: Any) -> Any:
        """The batch as it was; `episodes` are changed."""
        for episode in episodes:
            for agent in [agent for agent, steps in episode.agent_episodes.items() if not len(steps)]:
                del episode.agent_episodes[agent]
        return batch
