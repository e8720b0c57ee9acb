"""Who plays a part of the games through a rollout: the network, snapshots of it, and other agents."""

from collections.abc import Iterator

import numpy as np
import torch
from torch import Tensor

from w51_agents.policies.compiled import bind_decisions
from w51_agents.policies.folding import FoldedPolicy
from w51_agents.policies.network import ILLEGAL
from w51_agents.policies.policy_agent import ActorCriticAgent
from w51_agents.training.categorical import sample
from w51_agents.training.games import LEARNER, BotActions, SelfPlayGames
from w51_agents.training.learner_settings import LearnerSettings
from w51_agents.training.model import LearnerModel
from w51_agents.training.pool import Pool
from w51_agents.training.rollout import Rollout
from w51_agents.training.shaping import ShapedRewards


class Player:
    """Plays a part of the games.

    Args:
        settings: The section of the config.
        games: The part.
        model: The network that plays.
        pool: Snapshots as opponents.

    Attributes:
        games: The part.
        outcomes: (K, 3) each, the learner's return, wins and score in games against opponents that ended in a rollout.
        pool_outcomes: The slots of the pool that finished a game in a rollout, and the learner's wins against them.

    Raises:
        AgentError: Shaping that cannot be used.
        OptionError: A base policy that does not exist.
    """

    def __init__(self, settings: LearnerSettings, games: SelfPlayGames, model: LearnerModel, pool: Pool):
        self.games = games
        self.outcomes: list[np.ndarray] = []
        self.pool_outcomes: list[tuple[np.ndarray, np.ndarray]] = []
        self._model, self._pool = model, pool
        self._base_policy = BotActions(settings.base_policy, games) if settings.base_policy else None
        self._fetched = Fetched(games.num_envs, model.device)
        self._compiled = CompiledDecisions(games)
        for agent in games.agents:
            if isinstance(agent, ActorCriticAgent):
                agent.to(model.device)
        games.reset(pool.weights())
        self._shaped = ShapedRewards(settings.shaping, games) if settings.shaping else None

    @torch.no_grad()
    def play(self, rollout: Rollout, drawn: Tensor) -> Iterator[None]:
        """Fill the rollout; at each step it yields when the network is asked, before the games need its answer.

        Args:
            rollout: The rows of these games.
            drawn: (T, N) float32, uniform in [0, 1), with which actions are chosen.
        """
        games = self.games
        self.outcomes, self.pool_outcomes = [], []
        if self._model.folded is not None and rollout.targets is None:
            self._compiled.bind(self._model.folded)
        if self._shaped is not None:
            self._shaped.begin()
        for step in range(len(drawn)):
            self._observe(rollout, step)
            policy = games.policy_to_move()
            if self._model.folded is None or rollout.targets is not None or policy.any():
                self._act(rollout, step, policy, drawn[step])
            else:
                self._compiled.decide(rollout, step, drawn[step])
            rollout.seats[step] = games.seat
            rollout.is_learner[step] = (policy == LEARNER) | games.is_mixture
            self._fetched.ask(rollout.actions[step])
            yield
            games.step(self._fetched.get(), self._pool.weights())
            rollout.rewards[step] = games.rewards
            rollout.dones[step] = games.done
            if self._shaped is not None:
                rollout.rewards[step] += self._shaped.terms()
            if not games.all_learn and games.done.any():
                self.outcomes.append(games.outcomes())
                self.pool_outcomes.append(games.pool_outcomes())

    def _observe(self, rollout: Rollout, step: int) -> None:
        """Write what the seats to move observe into one step of the rollout."""
        games = self.games
        _write(rollout.inputs[step], games.network_inputs)
        if not games.inputs.contain_observations or self._model.device.type != "cpu":
            _write(rollout.observations[step], games.observation)
        if games.all_observations.shape[1]:
            _write(rollout.all_observations[step], games.all_observations)
        _write(rollout.masks[step], games.mask)
        if self._base_policy is not None:
            base_actions = self._base_policy(games.observation[None], games.mask[None])[0]
            rollout.base_actions[step] = torch.from_numpy(base_actions)

    def _act(self, rollout: Rollout, step: int, policy: np.ndarray, drawn: Tensor) -> None:
        """Write actions (N,), their log-probabilities (N,) and normalised values (N,) of one step of the rollout.

        Args:
            rollout: The rollout, with inputs, masks and base actions of the step.
            step: The step.
            policy: (N,) int64, the policy that decides each game: the network, a snapshot, or another agent.
            drawn: (N,) float32, uniform.
        """
        games, device = self.games, self._model.device
        parts = rollout.inputs[step], rollout.masks[step], rollout.base_actions[step], rollout.all_observations[step]
        logits, values = self._model.forward(*parts) if not policy.any() else self._of_several(parts, policy)
        probabilities = torch.softmax(logits, 1)
        if rollout.targets is not None:
            rollout.targets[step] = probabilities
        actions = sample(probabilities, drawn)
        for number, agent in enumerate(games.agents, 1):
            others = np.flatnonzero(policy == -number)
            if len(others):
                chosen = agent.act_batch(games.observation[others], games.mask[others])
                actions[torch.from_numpy(others).to(device)] = torch.as_tensor(np.asarray(chosen, np.int64)).to(device)
        rollout.actions[step], rollout.normal_values[step] = actions, values
        rollout.logprobs[step] = probabilities.gather(1, actions[:, None])[:, 0].log()

    def _of_several(self, parts: tuple[Tensor, ...], policy: np.ndarray) -> tuple[Tensor, Tensor]:
        """Logits (N, actions) and normalised values (N,) where not the network alone decides.

        Args:
            parts: Inputs, masks, base actions and observations of all seats, (N, ...) each.
            policy: (N,) int64.
        """
        model = self._model
        mine = torch.from_numpy(np.flatnonzero((policy == LEARNER) | self.games.is_mixture)).to(model.device)
        of_network, of_values = model.forward(*(part[mine] for part in parts))
        logits = torch.where(parts[1], 0.0, ILLEGAL)  # of those who decide otherwise
        values = of_values.new_zeros(len(policy))
        logits[mine], values[mine] = of_network, of_values
        for slot in np.unique(policy[policy > LEARNER]):
            rows = torch.from_numpy(np.flatnonzero(policy == slot)).to(model.device)
            logits[rows] = model.logits_of(self._pool.networks[slot - 1], *(part[rows] for part in parts[:3]))
        return logits, values


class CompiledDecisions:
    """Decisions of a network by compiled code: other threads go on meanwhile, as they do not between PyTorch's calls.

    Args:
        games: The games.
    """

    def __init__(self, games: SelfPlayGames):
        self._games, count = games, games.num_envs
        self._actions = np.zeros(count, np.int64)
        self._drawn, self._logprobs, self._values = np.zeros((3, count), np.float32)

    def bind(self, network: FoldedPolicy) -> None:
        """Decide with this network from now on."""
        arrays = (self._drawn, self._actions, self._logprobs, self._values)
        inputs, masks = self._games.network_inputs, self._games.mask.view(np.int8)
        self._decide = bind_decisions(network, inputs, masks, *arrays)

    def decide(self, rollout: Rollout, step: int, drawn: Tensor) -> None:
        """As `Player._act`, where the network makes all decisions."""
        self._drawn[:] = drawn.numpy()
        self._decide(0)
        _write(rollout.actions[step], self._actions)
        _write(rollout.logprobs[step], self._logprobs)
        _write(rollout.normal_values[step], self._values)


class Fetched:
    """Numbers of a device that the processor asks for and needs only later."""

    def __init__(self, count: int, device: torch.device):
        self._on_gpu = device.type == "cuda"
        self._numbers = torch.zeros(count, dtype=torch.int64, pin_memory=self._on_gpu)
        self._arrived = torch.cuda.Event() if self._on_gpu else None

    def ask(self, numbers: Tensor) -> None:
        """Copy (N,) int64 as soon as the device has computed them."""
        self._numbers.copy_(numbers, non_blocking=True)
        if self._arrived is not None:
            self._arrived.record()

    def get(self) -> np.ndarray:
        """Wait for them; valid until the next `ask`."""
        if self._arrived is not None:
            self._arrived.synchronize()
        return self._numbers.numpy()


def _write(target: Tensor, numbers: np.ndarray) -> None:
    """Copy to a tensor; on a processor by numpy, whose calls take less time."""
    if target.device.type == "cpu":
        target.numpy()[:] = numbers
    else:
        target.copy_(torch.from_numpy(numbers), non_blocking=True)
