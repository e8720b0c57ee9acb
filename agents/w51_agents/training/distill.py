"""The trainer `distill`: one network that plays as a mixture of snapshots does.

Where agents learn against themselves, the average of their policies comes closer to an equilibrium than the last one.
Here snapshots of a run play each other, each seat one of them, drawn for each game, and the network learns the
probabilities of the one that decides, as Heinrich and Silver (arXiv:1603.01121) learn an average policy. So it learns
for each state the average over the snapshots that come there, weighted by how often they do: the one policy that plays
as their mixture.
"""

from torch import Tensor
from torch.nn import functional

from w51_agents.agent.interface import AgentError
from w51_agents.training.learner_settings import MIXTURE, ROWS_AT_ONCE
from w51_agents.training.objective import logprobs_and_entropies
from w51_agents.training.rollout import Losses, Minibatch
from w51_agents.training.selfplay import Learner
from w51_agents.training.teachers import imitation_loss
from w51_agents.training.trainers import Distill, DistillConfig
from w51_env.engine.game import Game


class DistillTrainer(Learner[Distill]):
    """Cross-entropy to the snapshots' probabilities, and the value of their games.

    Raises:
        AgentError: Games with other opponents than a mixture.
    """

    rows_at_once = ROWS_AT_ONCE
    terms = ("imitation", "value_loss", "entropy", "approx_kl")

    def __init__(self, config: DistillConfig, game: Game):
        if others := {name for games in config.settings.games for name in games.opponent_names} - {MIXTURE}:
            raise AgentError(f"distill.games: opponents is {', '.join(sorted(others))}, but {MIXTURE!r} is needed")
        super().__init__(config, game)

    def loss(self, minibatch: Minibatch, progress: float) -> Losses:
        model = self.model
        logits, values, _ = model.outputs(minibatch)
        logprobs, entropies = logprobs_and_entropies(logits, minibatch.column_of(minibatch.actions))
        terms = {
            "imitation": imitation_loss(logits, minibatch.extra["targets"], minibatch.legal),
            "value_loss": functional.mse_loss(values, model.value_head.normalize(minibatch.returns)),
            "entropy": entropies.mean(),
            "approx_kl": (minibatch.logprobs - logprobs).mean(),
        }
        return Losses(0.5 * terms["value_loss"] + terms["imitation"], terms)

    def extra_rows(self, progress: float) -> dict[str, Tensor]:
        """The probabilities of the snapshots that decided."""
        targets = self.experience.rollout.targets
        assert targets is not None
        return {"targets": targets.flatten(0, 1)}
