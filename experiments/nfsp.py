"""Neural fictitious self-play (NFSP, Heinrich and Silver, arXiv:1603.01121) on a batch of games, for experiments.

All seats share the networks, as observations are those of the seat to move. A seat draws before each game how it plays:
with probability `anticipatory` by a value network (DQN), which learns from all that is played, else by the average
policy, which learns to do what the value network did.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from w51_agents.agent.interface import BatchAgent, Infos
from w51_env.engine.batch import Batch
from w51_env.engine.game import Game

_ILLEGAL = -1e9
_FIRST = 20  # steps in which nothing is learned


@dataclass(frozen=True)
class Settings:
    """What is chosen by hand.

    Attributes:
        anticipatory: Probability that a seat plays its best response.
        epsilon: Probability that a best response draws an action, at first; it falls to 0.
        rate: Learning rate of Adam, of both networks.
        renew_every: Steps after which the target network is renewed.
        memory: Transitions that are kept; of best responses all are.
    """

    anticipatory: float = 0.1
    epsilon: float = 0.1
    rate: float = 1e-3
    renew_every: int = 200
    num_envs: int = 64
    batch_size: int = 128
    memory: int = 100_000
    width: int = 128


class NFSP(BatchAgent):
    """The average policy, which `train` improves.

    Args:
        game: The game.
        settings: Its settings.
        seed: Of all draws.
    """

    def __init__(self, game: Game, settings: Settings, seed: int):
        torch.manual_seed(seed)
        self.game, self.settings = game, settings
        self._random = np.random.default_rng(seed)
        self.policy, self.value, self.target = (self._network() for _ in range(3))
        self._learners = [torch.optim.Adam(one.parameters(), settings.rate) for one in (self.policy, self.value)]

    def _network(self) -> nn.Module:
        width, size = self.settings.width, self.game.layout.size
        first, last = nn.Linear(size, width), nn.Linear(width, len(self.game.actions))
        return nn.Sequential(first, nn.ReLU(), nn.Linear(width, width), nn.ReLU(), last)

    def reset(self, seed: int) -> None:
        """Start the draws again."""
        self._random = np.random.default_rng(seed)

    def probabilities(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """(N, num_actions) float64, the average policy."""
        return np.asarray(torch.softmax(self._outputs(self.policy, observations, action_masks).double(), 1).numpy())

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, infos: Infos = None) -> np.ndarray:
        """Draws from the average policy."""
        return self._drawn(self.probabilities(observations, action_masks))

    def train(self, decisions: int, seed: int) -> None:
        """Play so many decisions, of all seats together, and learn."""
        settings, num_envs, players = self.settings, self.settings.num_envs, self.game.num_players
        batch, every = Batch(self.game, num_envs, seed=seed), np.arange(num_envs)
        batch.reset()
        replayed, imitated = _Memory(settings.memory, self.game), _Memory(decisions, self.game)
        before = np.zeros((num_envs, players, self.game.layout.size), np.int8)
        acted, responds = np.full((num_envs, players), -1), self._modes(num_envs)
        nothing = np.zeros(num_envs, np.float32)
        steps = decisions // num_envs
        for step in range(steps):
            seat = batch.seat.astype(int)
            seen, mask = batch.observation.copy(), batch.action_mask > 0
            follows = acted[every, seat] >= 0
            earlier = before[every, seat], acted[every, seat], nothing, seen, mask
            replayed.add(*(part[follows] for part in earlier))
            actions, best = self.act_batch(seen, mask), responds[every, seat]
            actions[best] = self._responses(seen[best], mask[best], settings.epsilon * (1 - step / steps))
            imitated.add(seen[best], actions[best], nothing[best], seen[best], mask[best])
            before[every, seat], acted[every, seat] = seen, actions
            batch.step(actions)
            games, seats = np.nonzero(batch.done[:, None] & (acted >= 0))
            ends = np.zeros((len(games), len(self.game.actions)), bool)  # no action follows
            replayed.add(before[games, seats], acted[games, seats], batch.rewards[games, seats], seen[games], ends)
            acted[batch.done], responds[batch.done] = -1, self._modes(int(batch.done.sum()))
            if step >= _FIRST:
                self._learn(replayed, imitated)
            if step % settings.renew_every == 0:
                self.target.load_state_dict(self.value.state_dict())

    def _modes(self, games: int) -> np.ndarray:
        return self._random.random((games, self.game.num_players)) < self.settings.anticipatory

    def _responses(self, observations: np.ndarray, masks: np.ndarray, epsilon: float) -> np.ndarray:
        best = self._outputs(self.value, observations, masks).argmax(1).numpy()
        return np.where(self._random.random(len(best)) < epsilon, self._drawn(masks / masks.sum(1)[:, None]), best)

    def _drawn(self, probabilities: np.ndarray) -> np.ndarray:
        total = probabilities.cumsum(1)
        drawn = self._random.random(len(total))[:, None] * total[:, -1:]
        return np.asarray((total > drawn).argmax(1))

    @torch.no_grad()
    def _outputs(self, network: nn.Module, observations: np.ndarray, masks: np.ndarray) -> Tensor:
        seen = torch.from_numpy(self.game.layout.to_float(observations))
        return network(seen).where(torch.from_numpy(masks > 0), _ILLEGAL)

    def _learn(self, replayed: "_Memory", imitated: "_Memory") -> None:
        """A gradient step of each network."""
        sample = partial(_Memory.sample, size=self.settings.batch_size, random=self._random)
        of_policy, of_value = self._learners
        seen, actions, _, _, masks = sample(imitated)
        _descend(of_policy, functional.cross_entropy(self.policy(seen).where(masks, _ILLEGAL), actions))
        seen, actions, rewards, then, masks = sample(replayed)
        with torch.no_grad():
            following = self.target(then).where(masks, _ILLEGAL).amax(1).where(masks.any(1), 0.0)
        values = self.value(seen).gather(1, actions[:, None])[:, 0]
        _descend(of_value, functional.mse_loss(values, rewards + following))


class _Memory:
    """The last rows that were added: observation, action, reward, the next observation and its legal actions."""

    def __init__(self, size: int, game: Game):
        self._game, self._added = game, 0
        seen = size, game.layout.size
        self._parts: tuple[np.ndarray, ...] = (
            *(np.zeros(seen, np.int8), np.zeros(size, np.int64), np.zeros(size, np.float32)),
            *(np.zeros(seen, np.int8), np.zeros((size, len(game.actions)), bool)),
        )

    def add(self, *rows: np.ndarray) -> None:
        at = (self._added + np.arange(len(rows[0]))) % len(self._parts[0])
        for part, row in zip(self._parts, rows, strict=True):
            part[at] = row
        self._added += len(at)

    def sample(self, size: int, random: np.random.Generator) -> list[Tensor]:
        at = random.integers(min(self._added, len(self._parts[0])), size=size)
        seen, actions, rewards, then, masks = (part[at] for part in self._parts)
        floats = self._game.layout.to_float
        return [*map(torch.from_numpy, (floats(seen), actions, rewards, floats(then), masks))]


def _descend(learner: torch.optim.Optimizer, loss: Tensor) -> None:
    learner.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    learner.step()
