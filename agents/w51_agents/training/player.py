"""Who decides in a part of the games: the network, or snapshots of it; and how the parts play beside each other."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import zip_longest
from typing import Any

import numpy as np
import torch
from torch import Tensor

from w51_agents.networks.layers import ILLEGAL
from w51_agents.networks.learning import Moves
from w51_agents.networks.network import ActorCritic
from w51_agents.training.games import GamesPart
from w51_agents.training.learner_settings import LearnerSettings
from w51_agents.training.model import LearnerModel
from w51_agents.training.objective import sample
from w51_agents.training.pool import Pool
from w51_agents.training.rollout import Rollout, ShapedRewards
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

    def __init__(self, settings: LearnerSettings, games: GamesPart, rows: slice, model: LearnerModel, pool: Pool):
        self.games, self._model, self._pool = games, model, pool
        self._states = None if model.learning.states is None else model.learning.states[rows]
        self._base_policy = BotActions(settings.base_policy, games.planned) if settings.base_policy else None
        self._keeps_observations = not games.inputs.contain_observations or model.device.type != "cpu"
        on_gpu = model.device.type == "cuda"
        self._actions = torch.zeros(games.num_envs, dtype=torch.int64, pin_memory=on_gpu)
        self._chosen = self._actions.numpy()
        self._arrived = torch.cuda.Event() if on_gpu else None
        self._drawn, self._logprobs, self._values = np.zeros((3, games.num_envs), np.float32)
        self._base = np.full(games.num_envs, -1)
        games.reset(pool.weights())
        self.shaped = ShapedRewards(settings.shaping, games) if settings.shaping else None

    def begin(self, rollout: Rollout) -> None:
        """Decide with the weights that the network has now, from the current states of the games."""
        if self.shaped is not None:
            self.shaped.begin()
        tensors = {name: part for name, part in vars(rollout).items() if isinstance(part, Tensor)}
        # On a processor numpy writes, whose calls take less time.
        self._kept = {name: part if part.is_cuda else part.numpy() for name, part in tensors.items()}
        self._decide = [*self._deciders()]

    def _deciders(self) -> Iterator[Callable[[int], int]]:
        """Compiled calls that decide in all games; none where PyTorch decides."""
        games, masks = self.games, self.games.mask.view(np.int8)
        moves = Moves(
            games.observation, games.network_inputs, self._base, masks,
            self._drawn, self._chosen, self._logprobs, self._values,
        )  # fmt: skip
        for planned, rows in zip(games.planned, games.rows, strict=True):
            decide = self._model.learning.decider(planned.game, Moves(*(array[rows] for array in moves)))
            if decide is not None:
                yield decide

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
        slots = games.slot_to_move()
        rollout.seats[step], rollout.is_learner[step] = games.seat, slots < 0
        if step == 0 or len(games.players) > 1:  # else all steps are alike
            rollout.players[step:] = games.players_to_move()
        if not self._decide or not rollout.is_learner[step].all():
            self._act(rollout, step, slots, drawn)
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

    def _act(self, rollout: Rollout, step: int, slots: np.ndarray, drawn: Tensor) -> None:
        """Write actions, their log-probabilities and normalised values; `slots` are as of `slot_to_move`."""
        logits, values = self._outputs(rollout, step, slots)
        probabilities = torch.softmax(logits, 1)
        actions = sample(probabilities, drawn)
        rollout.actions[step], rollout.normal_values[step] = actions, values
        rollout.logprobs[step] = probabilities.gather(1, actions[:, None])[:, 0].log()

    def _outputs(self, rollout: Rollout, step: int, slots: np.ndarray) -> tuple[Tensor, Tensor]:
        """Logits (N, actions) and normalised values (N,) of those who decide."""
        model = self._model
        if self._states is not None and step:
            self._states[torch.from_numpy(rollout.dones[step - 1]).to(model.device)] = 0.0
        if rollout.is_learner[step].all():
            logits, values = self._asked(model.network, rollout, step, slice(None))
        else:
            logits = torch.where(rollout.masks[step], 0.0, ILLEGAL)  # of those who decide otherwise
            values = torch.zeros(len(slots), device=model.device)
            mine = self._rows(slots < 0)
            logits[mine], values[mine] = self._asked(model.network, rollout, step, mine)
            for slot in np.unique(slots[slots >= 0]):
                rows = self._rows(slots == slot)
                logits[rows] = self._asked(self._pool.networks[slot], rollout, step, rows)[0]
        criticized = model.criticized(rollout.all_observations[step])
        return logits, values if criticized is None else criticized

    def _asked(self, network: ActorCritic, rollout: Rollout, step: int, rows: Tensor | slice) -> tuple[Tensor, Tensor]:
        """Logits and values of a network in some of the games, whose seats remember."""
        inputs, masks, base_actions = (
            rollout.inputs[step][rows],
            rollout.masks[step][rows],
            rollout.base_actions[step][rows],
        )
        if self._states is None:
            return self._model.step(network, inputs, masks, base_actions, None)[:2]
        seats = torch.from_numpy(rollout.seats[step]).to(self._model.device)
        at = torch.arange(len(seats), device=seats.device)[rows], seats[rows]
        logits, values, after = self._model.step(network, inputs, masks, base_actions, self._states[at])
        assert after is not None
        self._states[at] = after
        return logits, values

    def _rows(self, chosen: np.ndarray) -> Tensor:
        """The numbers of chosen games."""
        return torch.from_numpy(np.flatnonzero(chosen)).to(self._model.device)


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
