"""The interface of a trainer to a run: updates one by one, and a state from which training continues unchanged.

`NetworkTrainer` has what the trainers of an `ActorCritic` keep from update to update; `selfplay` has the updates.
"""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Generic, NamedTuple, Protocol, TypeVar

import numpy as np
import torch
from pydantic import Field
from torch import nn

from w51_agents.agent.interface import Agent, AgentError
from w51_agents.networks.making import agent_of_network, save_network
from w51_agents.networks.network import ActorCritic
from w51_agents.networks.weights import set_weights, weights_of
from w51_agents.training.games import GamesPart, make_parts
from w51_agents.training.learner_settings import LearnerConfig, LearnerSettings
from w51_agents.training.model import LearnerModel
from w51_agents.training.plan import PlannedGames, num_envs_of, planned_games
from w51_agents.training.pool import Pool
from w51_agents.training.ranks import ranks
from w51_agents.training.rollout import Rollout
from w51_agents.training.share import Share, part_rows
from w51_agents.training.threads import make_threads
from w51_agents.training.trainer_state import (
    TrainerState,
    generator_state,
    optimizer_state,
    restore_optimizer,
    state_bytes,
    state_of_bytes,
)
from w51_env.engine.game import Game

AnySettings = TypeVar("AnySettings", bound=LearnerSettings)

Count = Annotated[int, Field(ge=0, lt=2**63)]  # checked where rows are read from a file


@dataclass(frozen=True)
class Update:
    """Statistics of one update; a row of `progress.csv`.

    Attributes:
        decisions: Decisions learned from so far.
        games: Games against opponents that ended since the last update; the next three are means over these.
        mean_return, win_rate, mean_score: Results of the learner; nan if no game ended.
        losses: Means of what the trainer logs, by its `logged`; a column each, as of CleanRL and Stable-Baselines3.
            Empty if nothing was learned from.
        seconds: Wall time of training so far.
        decisions_per_second: Of this update.
    """

    decisions: Count
    games: Count
    mean_return: float
    win_rate: float
    mean_score: float
    losses: dict[str, float]
    seconds: float = 0.0
    decisions_per_second: float = 0.0

    def row(self) -> dict[str, float]:
        """The same as one row; nan where a number is not known."""
        row = asdict(self)
        return row | row.pop("losses")


class Trainer(Protocol):
    """A learning algorithm, as a run uses it, which calls `update` and `restore` with `torch_settings.own_settings`.

    Attributes:
        logged: The names in `Update.losses`.
    """

    logged: Sequence[str]

    @property
    def decisions(self) -> int:
        """Decisions learned from so far."""

    def update(self) -> Update:
        """Collect experience and learn from it."""

    def agent(self, game: Game) -> Agent:
        """The policy as it is now, for a game with the same observations and actions."""

    def write_checkpoint(self, path: Path) -> None:
        """Write the policy as safetensors, and nothing else of the training, as `load_agent` reads it."""

    def state(self) -> TrainerState:
        """All that `restore` needs to continue, between two updates."""

    def restore(self, state: TrainerState) -> None:
        """Continue from the state of a trainer with the same config.

        Raises:
            StateError: The state has values that no trainer writes; another error is a fault of the code.
        """

    def close(self) -> None:
        """End threads."""


class Experience(NamedTuple):
    """What is learned from.

    Attributes:
        planned: All games.
        parts: Those of this rank in parts, each of which plays for itself.
        share: Which they are, and their rows in the rollout.
        pool: The snapshots that are opponents in them.
        rollout: The last rollout.
    """

    planned: list[PlannedGames]
    parts: list[GamesPart]
    share: Share
    pool: Pool
    rollout: Rollout


class NetworkTrainer(Generic[AnySettings]):
    """What the trainer of a network keeps from update to update; see `Trainer` for its public methods.

    Attributes:
        rows_at_once: Rows of a minibatch of which one thread computes the loss, on a processor; None: all. A loss that
            is a mean over rows, and draws nothing, may be computed in parts.
        settings: The section of the config.
        model, experience, optimizer: The network and its critic; games, pool and rollout; Adam.
        generator: Draws actions and the order of minibatches.
        decisions, updates: Decisions learned from, and updates, so far.

    Raises:
        AgentError, OptionError: A game, an opponent, a bot, a class or a device that does not exist.
    """

    rows_at_once: ClassVar[int | None] = None

    def __init__(self, config: LearnerConfig, game: Game):
        torch.manual_seed(config.seed)
        self.config, self.game = config, game
        self.settings: AnySettings = config.settings
        planned, device = planned_games(self.settings, game), device_of(config)
        all_ranks = ranks()
        self.model = LearnerModel(config, game, planned, device)
        cut = part_rows(num_envs_of(planned), device, self.settings.parts)
        share = Share(all_ranks, cut, self.model.num_groups(self.rows_at_once, len(cut), all_ranks.count), device)
        self.model.learning.keep(share.games)
        parts = make_parts(config, planned, share, self.model.learning.inputs_for)
        pool = Pool(self.settings.pool, self.settings.pool_every)
        rollout = Rollout.empty(self.settings.num_steps, parts, device)
        self.experience = Experience(planned, parts, share, pool, rollout)
        self.generator = torch.Generator(self.model.device).manual_seed(config.seed)
        self.optimizer = self.make_optimizer()
        self.threads = make_threads(config.threads, all_ranks.here)
        self.decisions = self.updates = 0

    def make_optimizer(self) -> torch.optim.Adam:
        """The optimizer of all that is learned, before its first step."""
        return torch.optim.Adam(self.model.parameters(), self.settings.learning_rate, eps=1e-5, fused=True)

    def modules(self) -> dict[str, nn.Module]:
        """All networks but those of the pool, by name; they are saved in the state."""
        return self.model.modules()

    @property
    def policy(self) -> ActorCritic:
        """The network that is evaluated and kept in checkpoints."""
        return self.model.network

    def frozen_copy(self) -> ActorCritic:
        """A copy of the network as it is now, which does not learn."""
        return deepcopy(self.model.network).requires_grad_(False)

    def agent(self, game: Game) -> Agent:
        return agent_of_network(game, deepcopy(self.policy).requires_grad_(False).cpu())

    def write_checkpoint(self, path: Path) -> None:
        save_network(self.policy, self.game, path)

    def state(self) -> TrainerState:
        state = TrainerState(
            {"generator": self.generator.get_state().numpy().copy()},
            {"decisions": self.decisions, "updates": self.updates},
        )
        for name, module in self.modules().items():
            state.include(name, TrainerState(weights_of(module)))
        state.include("optimizer", optimizer_state(self.optimizer))
        state.include("pool", self.experience.pool.state())
        games = TrainerState()
        for number, part in self._all_parts().items():
            games.include(number, part)
        state.include("games", games)
        return state

    def _all_parts(self) -> dict[str, TrainerState]:
        """The states of the games of all ranks, by the number of the part."""
        own, (_, parts, share, _, _) = {}, self.experience
        for number, part, rows in zip(share.numbers, parts, share.rows, strict=True):
            own[str(number)] = part.state()
            if (states := self.model.learning.states) is not None:
                own[str(number)].arrays["memory"] = states[rows].cpu().numpy().copy()
        if share.ranks.count == 1:
            return own
        packed = [np.frombuffer(state_bytes(state), np.uint8) for state in own.values()]
        sizes, joined = share.gather(np.array([len(one) for one in packed]), np.concatenate(packed))
        parted = np.split(joined, np.cumsum(sizes)[:-1])
        return {str(number): state_of_bytes(one.tobytes(), "games") for number, one in enumerate(parted)}

    def restore(self, state: TrainerState) -> None:
        # The pool and the optimizer grow with the training; all else is as in a new trainer.
        pool = self.experience.pool
        pool.restore(state.part("pool"), self.model.network)
        restore_optimizer(self.optimizer, state.part("optimizer"))
        state.check_like(self.state())
        self.decisions, self.updates = state.facts["decisions"], state.facts["updates"]
        with generator_state("generator"):
            self.generator.set_state(torch.from_numpy(state.arrays["generator"]))
        for name, module in self.modules().items():
            set_weights(module, state.part(name).arrays)
        share, states = self.experience.share, self.model.learning.states
        for number, part, rows in zip(share.numbers, self.experience.parts, share.rows, strict=True):
            saved = state.part("games").part(str(number))
            part.restore(saved, len(pool.networks))
            if states is not None:
                states[rows] = torch.from_numpy(saved.arrays["memory"]).to(states.device)

    def close(self) -> None:
        if self.threads is not None:
            self.threads.shutdown()
        for part in self.experience.parts:
            part.close()


def device_of(config: LearnerConfig) -> torch.device:
    """The device of a config; AgentError if there is no such GPU."""
    device = torch.device(config.settings.device)
    if device.type == "cuda" and (device.index or 0) >= (count := torch.cuda.device_count()):
        known = f"finds {count or 'no'} GPU{'s' * (count > 1)} here"
        raise AgentError(f"{config.section}.device: {config.settings.device!r}, but PyTorch {known}; cpu is possible")
    return device
