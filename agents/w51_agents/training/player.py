"""Who decides in a part of the games: the network, or snapshots of it; and how the parts play beside each other."""

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import zip_longest
from typing import Any

import numpy as np
import torch
from torch import Tensor

from w51_agents.networks.fast.compiled import bind_decisions
from w51_agents.networks.layers import ILLEGAL
from w51_agents.networks.policy_agent import ActorCriticAgent
from w51_agents.training.categorical import sample
from w51_agents.training.games import SelfPlayGames
from w51_agents.training.learner_settings import LearnerSettings
from w51_agents.training.model import LearnerModel
from w51_agents.training.pool import Pool
from w51_agents.training.rollout import Rollout, ShapedRewards
from w51_agents.training.seats import LEARNER
from w51_agents.training.teachers import BotActions


class Player:
    """Decides where a row of the rollout does, in a part of the games: the network, or snapshots of the pool.

    Attributes:
        games: The part.
        shaped: What is added to its rewards; None without shaping.

    Raises:
        AgentError: Shaping that cannot be used.
        OptionError: A base policy that does not exist.
    """

    def __init__(self, settings: LearnerSettings, games: SelfPlayGames, model: LearnerModel, pool: Pool):
        self.games, self._model, self._pool = games, model, pool
        self._base_policy = BotActions(settings.base_policy, games) if settings.base_policy else None
        self._keeps_observations = not games.inputs.contain_observations or model.device.type != "cpu"
        on_gpu = model.device.type == "cuda"
        self._actions = torch.zeros(games.num_envs, dtype=torch.int64, pin_memory=on_gpu)
        self._chosen = self._actions.numpy()
        self._arrived = torch.cuda.Event() if on_gpu else None
        self._drawn, self._logprobs, self._values = np.zeros((3, games.num_envs), np.float32)
        self._base = np.full(games.num_envs, -1)
        for agent in games.agents:
            if isinstance(agent, ActorCriticAgent):
                agent.to(model.device)
        games.reset(pool.weights())
        self.shaped = ShapedRewards(settings.shaping, games) if settings.shaping else None

    def begin(self, rollout: Rollout) -> None:
        """Decide with the weights that the network has now, from the current states of the games."""
        if self.shaped is not None:
            self.shaped.begin()
        tensors = {name: part for name, part in vars(rollout).items() if isinstance(part, Tensor)}
        # On a processor numpy writes, whose calls take less time.
        self._kept = {name: part if part.is_cuda else part.numpy() for name, part in tensors.items()}
        self._decide = []
        if (networks := self._model.folded) and rollout.targets is None:
            games = self.games
            inputs = games.observation if self._model.network.reads_items else games.network_inputs
            arrays = (
                inputs,
                self._base,
                games.mask.view(np.int8),
                self._drawn,
                self._chosen,
                self._logprobs,
                self._values,
            )
            for group, rows in zip(games.groups, games.rows, strict=True):
                self._decide.append(bind_decisions(networks[group.game], *(array[rows] for array in arrays)))

    def ask(self, rollout: Rollout, step: int, drawn: Tensor) -> None:
        """Write what the seats to move observe, and what they do, into one step of the rollout.

        Args:
            rollout: The rows of these games.
            step: The step.
            drawn: (N,) float32, uniform in [0, 1), with which actions are chosen.
        """
        games, kept = self.games, self._kept
        _write(kept["inputs"], step, games.network_inputs)
        if self._keeps_observations:
            _write(kept["observations"], step, games.observation)
        if games.all_observations.shape[1]:
            _write(kept["all_observations"], step, games.all_observations)
        _write(kept["masks"], step, games.mask)
        if self._base_policy is not None:
            self._base[:] = self._base_policy(games.observation[None], games.mask[None])[0]
            _write(kept["base_actions"], step, self._base)
        policy = games.policy_to_move()
        rollout.seats[step], rollout.is_learner[step] = games.seat, (policy == LEARNER) | games.is_mixture
        if step == 0 or len(games.kinds) > 1:  # all seats of one kind: all steps are alike
            rollout.kinds[step:] = games.kinds_to_move()
        if not self._decide or policy.any():
            self._act(rollout, step, policy, drawn)
            self._actions.copy_(rollout.actions[step], non_blocking=True)
            if self._arrived is not None:
                self._arrived.record()
        else:
            self._drawn[:] = drawn.numpy()
            for decide in self._decide:
                decide(0)
            _write(kept["actions"], step, self._chosen)
            _write(kept["logprobs"], step, self._logprobs)
            _write(kept["normal_values"], step, self._values)

    def answer(self) -> np.ndarray:
        """(N,) int64 actions, which a GPU may still have been computing; valid until `ask`."""
        if self._arrived is not None:
            self._arrived.synchronize()
        return self._chosen

    def _act(self, rollout: Rollout, step: int, policy: np.ndarray, drawn: Tensor) -> None:
        """Write actions, their log-probabilities and normalised values; `policy` is who decides each of the games."""
        logits, values = self._outputs(rollout, step, policy)
        probabilities = torch.softmax(logits, 1)
        if rollout.targets is not None:
            rollout.targets[step] = probabilities
        actions = sample(probabilities, drawn)
        rollout.actions[step], rollout.normal_values[step] = actions, values
        rollout.logprobs[step] = probabilities.gather(1, actions[:, None])[:, 0].log()

    def _outputs(self, rollout: Rollout, step: int, policy: np.ndarray) -> tuple[Tensor, Tensor]:
        """Logits (N, actions) and normalised values (N,) of those who decide."""
        parts = rollout.inputs[step], rollout.masks[step], rollout.base_actions[step], rollout.all_observations[step]
        return self._of_several(parts, policy) if policy.any() else self._model.forward(*parts)

    def _of_several(self, parts: tuple[Tensor, ...], policy: np.ndarray) -> tuple[Tensor, Tensor]:
        """Logits (N, actions) and normalised values (N,) where others decide, too; `parts` as of `forward`."""
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


def _write(kept: Tensor | np.ndarray, step: int, numbers: np.ndarray) -> None:
    """Copy numbers to one step of a rollout; to a GPU while the processor goes on."""
    if isinstance(kept, np.ndarray):
        kept[step] = numbers
    else:
        kept[step].copy_(torch.from_numpy(numbers), non_blocking=True)


def play_all(plays: Sequence[Iterator[None]], threads: ThreadPoolExecutor | None, alternate: bool) -> None:
    """Play all parts to their ends: in threads, by turns or one after the other.

    In threads the last parts begin first: configs name games among networks last, and these take longest. While a GPU
    computes for one part, the games of another one step: in another thread, or in their turn.

    Args:
        plays: Of each part `Learner.play`.
        threads: The threads, each of which plays one part at a time; None: the caller plays.
        alternate: Whether the caller plays by turns.
    """
    if threads is not None:
        results = threads.map(_exhaust, plays[::-1])
    else:
        results = map(_exhaust, [zip_longest(*plays)] if alternate else plays)
    _exhaust(results)


def _exhaust(play: Iterator[Any]) -> None:
    deque(play, maxlen=0)
