"""A teacher that says one thing: a pass is worth trying. `experiments/table_reader/reader_passes.yaml` imitates it.

Self-play whose policy gives a pass no probability never finds out when it is right. Beside the policy gradient the
cross-entropy to this agent pulls each legal pass up, until what is learned of passes pushes it down as much.
"""

from typing import Annotated, Any

import numpy as np
import typer

from w51_agents import make_agent
from w51_agents.agent.interface import BatchAgent
from w51_agents.search.priors import passes_of
from w51_env import make_game
from w51_env.engine.batch import Batch
from w51_env.engine.game import Game

PART = 0.004  # divided by how bad a pass is, in standard deviations of advantages: how often it is tried


class Passing(BatchAgent):
    """Gives each legal pass the probability `PART`, and no other action any: this alone is imitated."""

    def __init__(self, game: Game):
        self._is_pass = passes_of(game)

    def reset(self, seed: int) -> None:
        """Nothing is drawn."""

    def probabilities(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """(B, actions) float32 from (B, size) int8 observations and (B, actions) int8 masks."""
        return (PART * self._is_pass * (np.asarray(action_masks) != 0)).astype(np.float32)

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, infos: Any = None) -> np.ndarray:
        """(B,) int64: to pass, else the first legal action."""
        masks = np.asarray(action_masks) != 0
        return np.argmax(masks * (1 + self._is_pass), 1)


def main(
    agents: Annotated[list[str], typer.Argument(help="Names of networks, or checkpoints.")],
    decisions: Annotated[int, typer.Option(help="Decisions in each of 256 games among copies.")] = 260,
    seed: int = 77,
) -> None:
    """How often a policy gives a pass less than a thousandth of the probability of its likeliest action."""
    game = make_game("warehouse51_v1", num_players=4)
    for name in agents:
        sure, asked = sure_to_bid(game, name, decisions, seed)
        print(f"{name}: {sure:,} of {asked:,} decisions, {sure / asked:.1%}")


def sure_to_bid(game: Game, name: str, decisions: int, seed: int) -> tuple[int, int]:
    """In how many decisions with a pass the policy is so sure not to need it, and how many there are."""
    agent: Any = make_agent(name, game)
    batch = Batch(game, 256, seed=seed)
    passes = np.flatnonzero(passes_of(game))
    batch.reset()
    sure = asked = 0
    for _ in range(decisions):
        observations, masks = batch.observation.copy(), batch.action_mask.copy()
        policy = np.asarray(agent.policy(observations, masks))
        is_asked = (masks[:, passes] != 0).any(1) & (masks.sum(1) > 1)
        asked += int(is_asked.sum())
        sure += int((is_asked & (policy[:, passes].sum(1) < policy.max(1) / 1000)).sum())
        batch.step(agent.act_batch(observations, masks))
    return sure, asked


if __name__ == "__main__":
    typer.run(main)
