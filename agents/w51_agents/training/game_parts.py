"""The games of a config in parts, which play a rollout each for itself."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import accumulate, pairwise, product
from typing import Any

import numpy as np
import torch

from w51_agents.agent.interface import AgentError
from w51_agents.networks.inputs import NetworkInputs
from w51_agents.networks.items.learning import ItemLearner, ItemObservations
from w51_agents.networks.items.network import ItemActorCritic
from w51_agents.networks.making import network_class
from w51_agents.training.games import SelfPlayGames, seed_agents
from w51_agents.training.learner_settings import MIXTURE, GameKind, LearnerConfig, LearnerSettings
from w51_agents.training.opponents import is_compiled
from w51_agents.training.seats import EnvGroup, kinds_of
from w51_agents.training.trainer_state import TrainerState
from w51_env.compiler.compile import JIT_DISABLED
from w51_env.engine.game import Game

_MIN_PART = 128  #  games; a part with fewer costs more time than a second thread saves
_MAX_PARTS = 8


def learns_items(settings: LearnerSettings) -> bool:
    """Whether compiled code computes a network for any items, where it learns."""
    reads_more = settings.base_policy or settings.heuristic_features or settings.hidden_slices or settings.told_kinds
    on_processor = settings.device == "cpu" and settings.precision == "float32" and not JIT_DISABLED
    is_mixture = any(kind.opponents == MIXTURE for kind in settings.games)
    is_plain = settings.critic == "local" and not reads_more and not is_mixture
    return settings.network == ItemActorCritic.network and on_processor and is_plain


class GameParts:
    """The games of a config, in parts that play a rollout each for itself, so that threads can share them out.

    Their number does not depend on threads: results do not either. With a GPU there are at least two parts: while it
    computes for one, others step.

    Args:
        config: The config.
        game: The game.
        device: Device of the network.

    Attributes:
        groups, rows: The games, and their rows in arrays of all.
        teachers: For each of the groups the agent that its config names as a teacher, or None.
        items: Compiled code for a network for any items; None: it is another one, or PyTorch computes it.
        parts: The parts.
        part_rows: The rows of each part.
        kinds: Who plays seats: `self`, `pool` and names of agents, in the order of `Rollout.kinds`.
        num_envs, num_seats: Number of all games, and of seats of the largest.
        num_all_observations: Number of inputs of a centralized critic; 0 without one.
        need_one_thread: Whether there are opponents that are no compiled code of this package.

    Raises:
        AgentError, OptionError: A game or an opponent that does not exist; shaping with a discount.
    """

    def __init__(self, config: LearnerConfig, game: Game, device: torch.device):
        settings: LearnerSettings = config.settings
        if settings.shaping is not None and settings.gamma != 1.0:
            raise AgentError(f"{config.section}.shaping: needs gamma=1.0, but it is {settings.gamma}")
        pairs = [(group, kind.teacher) for kind in settings.games for group in _groups(kind, game)]
        self.groups, self.teachers = [group for group, _ in pairs], [teacher for _, teacher in pairs]
        self.rows = [slice(*cut) for cut in pairwise(accumulate((group.num_envs for group in self.groups), initial=0))]
        self.num_envs = self.rows[-1].stop
        self.num_seats = max(group.game.num_players for group in self.groups)
        self.kinds = kinds_of(self.groups)
        on_gpu = device.type == "cuda"
        parts = max(2 if on_gpu else 1, min(_MAX_PARTS, self.num_envs // _MIN_PART))
        cuts = [self.num_envs * number // parts for number in range(parts + 1)]
        self.part_rows = [slice(*cut) for cut in pairwise(cuts) if cut[0] < cut[1]]
        shape = (
            self._make_inputs(settings),
            settings.critic == "centralized",
            self.groups,
            _pinned_zeros if on_gpu else np.zeros,
        )
        seeds = np.random.SeedSequence(config.seed).generate_state(len(self.part_rows), np.uint64)
        self.parts = [
            SelfPlayGames(list(self._groups_in(part)), int(seed), *shape)
            for part, seed in zip(self.part_rows, seeds, strict=True)
        ]
        self.num_all_observations = self.parts[0].all_observations.shape[1]
        self.need_one_thread = not all(is_compiled(agent) for part in self.parts for agent in part.agents)
        seed_agents(self.parts, config.seed, 0)  # some move before the first decision

    def _make_inputs(self, settings: LearnerSettings) -> Callable[[Game], NetworkInputs]:
        """What turns observations into inputs of the network; sets `items`."""
        reads_items = network_class(settings.network).reads_items
        self.items = ItemLearner([group.game for group in self.groups]) if learns_items(settings) else None
        if self.items is not None:
            return partial(ItemObservations, tables=self.items.tables)
        features, hidden = settings.heuristic_features, settings.hidden_slices
        history = network_class(settings.network).history_rows(settings.network_settings)
        return partial(
            NetworkInputs, heuristic_features=features, hidden_slices=hidden, items=reads_items, history=history
        )

    def _groups_in(self, part: slice) -> Iterator[EnvGroup]:
        """The groups, or what of them is in the rows of a part."""
        for group, rows in zip(self.groups, self.rows, strict=True):
            if (size := min(rows.stop, part.stop) - max(rows.start, part.start)) > 0:
                yield group._replace(num_envs=size)

    def state(self) -> TrainerState:
        """The state that `restore` of equal games loads."""
        state = TrainerState()
        for number, part in enumerate(self.parts):
            state.include(str(number), part.state())
        return state

    def restore(self, state: TrainerState, pool_slots: int) -> None:
        """Load a state of equal games; arguments and errors as of `SelfPlayGames.restore`."""
        for number, part in enumerate(self.parts):
            part.restore(state.part(str(number)), pool_slots)

    def close(self) -> None:
        """End the games."""
        for part in self.parts:
            part.close()


def _groups(kind: GameKind, game: Game) -> Iterator[EnvGroup]:
    """The games of a kind, shared out among the values of the options that vary."""
    values = list(product(*kind.vary.values()))
    for number, chosen in enumerate(values):
        num_envs = (kind.num_envs * (number + 1)) // len(values) - (kind.num_envs * number) // len(values)
        options = {**game.options, "num_players": kind.num_players, **dict(zip(kind.vary, chosen, strict=True))}
        if num_envs:
            yield EnvGroup(game.make(**options), num_envs, kind.opponents)


def _pinned_zeros(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """Zeros in memory that a GPU can read while the processor goes on."""
    like = torch.from_numpy(np.zeros(0, dtype))
    return torch.zeros(shape, dtype=like.dtype, pin_memory=True).numpy()
