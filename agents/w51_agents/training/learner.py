"""What a trainer with a loss of its own is made of, by the name that it imports; `selfplay` has the code."""

from w51_agents.training.learner_settings import ROWS_AT_ONCE
from w51_agents.training.rollout import Losses
from w51_agents.training.selfplay import Learner

__all__ = ["ROWS_AT_ONCE", "Learner", "Losses"]
