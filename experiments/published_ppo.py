"""How near an equilibrium does this trainer come beside published PPO? Run: `python -m experiments.published_ppo`.

Rudolph and others (arXiv:2502.08938) compared learners of games with hidden information by their exploitability, and
PPO in self-play was among the best. Their PPO is written here once more, with their settings
(github.com/nathanlct/IIG-RL-Benchmark, 591d35d: configs/algorithm/ppo.yaml, and best_hyperparameters for Liar's Dice),
and learns from as many decisions as `selfplay`. docs/experiments/published_ppo.md has the result.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Annotated, Any

import numpy as np
import torch
import typer
from torch import Tensor, nn
from torch.distributions import Categorical

from experiments import lab, leduc, liars_dice_game
from w51_agents.exact.tree import build_tree
from w51_env import make_game
from w51_env.engine.batch import Batch

OURS, PUBLISHED = "selfplay", "published PPO"
GAMES = {"Leduc poker": leduc.GAME, "Liar's Dice": f"{liars_dice_game.__name__}:make"}
# What differs from experiments/leduc.yaml.
CHANGES = {"Leduc poker": [], "Liar's Dice": ["selfplay.final_ent_coef=0.02"]}


@dataclass(frozen=True)
class Settings:
    """Those of the published PPO, by their names there."""

    learning_rate: float = 2.5e-4
    num_envs: int = 8
    num_steps: int = 128
    num_minibatches: int = 4
    update_epochs: int = 4
    clip_coef: float = 0.1
    ent_coef: float = 0.05
    vf_coef: float = 0.5
    gamma: float = 0.99
    gae_lambda: float = 0.95
    max_grad_norm: float = 0.5
    width: int = 512


SETTINGS = {
    "Leduc poker": Settings(),
    "Liar's Dice": Settings(6.25e-5, 8, 256, 1, 8, clip_coef=0.025, ent_coef=0.1, vf_coef=0.0625),
}


class PublishedPPO:
    """PPO of one network for both seats, whose values are those of the first seat.

    Args:
        game: Name of the game in `GAMES`.
        seed: Of games, network and learning.
        decisions: Of the whole training, over which the learning rate falls to 0.
    """

    def __init__(self, game: str, seed: int, decisions: int):
        torch.manual_seed(seed)
        self.settings, self.decisions, self._total = SETTINGS[game], 0, decisions
        self.batch = Batch(make_game(GAMES[game]), self.settings.num_envs, seed=seed)
        self.batch.reset()
        size, actions = self.batch.observation.shape[1], self.batch.action_mask.shape[1]
        self.actor, self.critic = self._network(size, actions, 0.01), self._network(size, 1, 1.0)
        self._weights = [*self.actor.parameters(), *self.critic.parameters()]
        self._optimizer = torch.optim.Adam(self._weights, self.settings.learning_rate, eps=1e-5)

    def _network(self, size: int, outputs: int, gain: float) -> nn.Sequential:
        sizes = [size, *[self.settings.width] * 3, outputs]
        layers: list[nn.Module] = []
        for number, (before, after) in enumerate(pairwise(sizes)):
            layer = nn.Linear(before, after)
            nn.init.orthogonal_(layer.weight, gain if number == 3 else 2**0.5)
            nn.init.zeros_(layer.bias)
            layers += [layer, nn.Tanh()]
        return nn.Sequential(*layers[:-1])

    def policy(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """(N, actions) probabilities."""
        with torch.no_grad():
            return np.asarray(self._drawn(*map(torch.as_tensor, (observations, masks))).probs.double())

    def _drawn(self, observations: Tensor, masks: Tensor) -> Categorical:
        return Categorical(logits=self.actor(observations.float()).masked_fill(~masks.bool(), -1e9))

    def update(self) -> None:
        """Play `num_steps` decisions in each game and learn from them."""
        settings = self.settings
        rate = settings.learning_rate * max(0.0, 1 - self.decisions / self._total)
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        rollout, advantages, values = self._rollout()
        self.decisions += len(advantages)
        size = len(advantages) // settings.num_minibatches
        for _ in range(settings.update_epochs):
            for rows in torch.randperm(len(advantages)).split(size):
                part = {name: column[rows] for name, column in rollout.items()}
                self._step(part, advantages[rows], values[rows])

    @torch.no_grad()
    def _rollout(self) -> tuple[dict[str, Tensor], Tensor, Tensor]:
        """Columns of all decisions, their advantages for who decided, and the values of the first seat."""
        batch, steps = self.batch, list[dict[str, Tensor]]()
        for _ in range(self.settings.num_steps):
            observation, mask = (torch.tensor(each) for each in (batch.observation, batch.action_mask))
            policy = self._drawn(observation, mask)
            action = policy.sample()
            sign = torch.as_tensor(1.0 - 2.0 * batch.seat)
            batch.step(action.numpy())
            reward, done = (torch.tensor(each) for each in (batch.rewards[:, 0] / 2, batch.done))
            value = self.critic(observation.float())[:, 0]
            columns = {"observation": observation, "mask": mask, "action": action, "log": policy.log_prob(action)}
            steps.append({**columns, "sign": sign, "reward": reward, "done": done, "value": value})
        after = self.critic(torch.tensor(batch.observation).float())[:, 0]
        gained, advantages = torch.zeros_like(after), list[Tensor]()
        for step in reversed(steps):
            goes_on = ~step["done"]
            delta = step["reward"] + self.settings.gamma * after * goes_on - step["value"]
            gained = delta + self.settings.gamma * self.settings.gae_lambda * goes_on * gained
            advantages.append(gained)
            after = step["value"]
        columns = {name: torch.cat([step[name] for step in steps]) for name in steps[0]}
        flat = torch.cat(advantages[::-1])
        return columns, (flat * columns["sign"]).float(), flat + columns["value"]

    def _step(self, part: dict[str, Tensor], advantages: Tensor, returns: Tensor) -> None:
        settings = self.settings
        policy = self._drawn(part["observation"], part["mask"])
        ratio = (policy.log_prob(part["action"]) - part["log"]).exp()
        gains = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        clipped = ratio.clamp(1 - settings.clip_coef, 1 + settings.clip_coef)
        values = self.critic(part["observation"].float())[:, 0]
        near = part["value"] + (values - part["value"]).clamp(-settings.clip_coef, settings.clip_coef)
        value_loss = torch.maximum((values - returns) ** 2, (near - returns) ** 2).mean() / 2
        loss = -torch.minimum(gains * ratio, gains * clipped).mean()
        loss = loss - settings.ent_coef * policy.entropy().mean() + settings.vf_coef * value_loss
        self._optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self._weights, settings.max_grad_norm)
        self._optimizer.step()


def main(
    decisions: lab.Decisions = 30_000,
    points: Annotated[int, typer.Option(min=1, help="Measured points of each training.")] = 4,
    seeds: Annotated[int, typer.Option(min=1, help="Trainings of each learner.")] = 3,
    data: lab.DataFile = lab.RESULTS / "published_ppo.json",
) -> None:
    """Train and measure."""
    torch.set_num_threads(1)
    cells = [
        {"game": game, "learner": learner, "seed": seed}
        for seed in range(1, seeds + 1)
        for game in GAMES
        for learner in (OURS, PUBLISHED)
    ]
    lab.measured(data, {"decisions": decisions, "points": points}, cells, partial(measure, decisions, points))


def measure(decisions: int, points: int, game: str, learner: str, seed: int) -> dict[str, Any]:
    """Exploitability after equal parts of a training: half of NashConv, in chips or in wins less losses."""
    begun = time.process_time()
    if learner == OURS:
        found = [row["nash_conv"] for row in leduc.self_play(seed, decisions, points, GAMES[game], CHANGES[game])]
    else:
        found = list(_published(game, seed, decisions, points))
    return {
        "exploitability": [value / 2 for value in found],
        "processor_seconds": round(time.process_time() - begun, 1),
    }


def _published(game: str, seed: int, decisions: int, points: int) -> Iterator[float]:
    tree = build_tree(make_game(GAMES[game]), payoff=lambda batch: batch.rewards / 2)
    learner = PublishedPPO(game, seed, decisions)
    for number in range(1, points + 1):
        while learner.decisions < decisions * number // points:
            learner.update()
        yield leduc.nash_conv(tree, tree.profile(learner.policy))


if __name__ == "__main__":
    typer.run(main)
