"""Experience: rollouts of many games, which several threads play. It knows no loss."""

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count, product, zip_longest
from typing import Any

import numpy as np
import torch

from w51_agents.agent import AgentError
from w51_agents.policies.network import network_class
from w51_agents.training.game_parts import GameParts
from w51_agents.training.games import EnvGroup
from w51_agents.training.learner_settings import GameKind, LearnerConfig, LearnerSettings
from w51_agents.training.model import LearnerModel
from w51_agents.training.player import Player
from w51_agents.training.pool import Pool
from w51_agents.training.rollout import Rollout
from w51_agents.training.trainer import outcome_means
from w51_env.adapters.agent_seeds import agent_seed
from w51_env.engine.game import Game


class Experience:
    """Collects rollouts. The parts of the games play in the order of `play_all`, which changes no result.

    Args:
        config: The config.
        games: The games.
        model: The network that plays.
        pool: Snapshots as opponents.
        generator: Draws the actions.
        threads: Threads that play; None: the caller.

    Attributes:
        games, pool: The games; the snapshots.
        rollout: The last rollout.

    Raises:
        AgentError: Shaping that cannot be used.
        OptionError: A base policy that does not exist.
    """

    def __init__(
        self,
        config: LearnerConfig,
        games: GameParts,
        model: LearnerModel,
        pool: Pool,
        generator: torch.Generator,
        threads: ThreadPoolExecutor | None = None,
    ):
        settings: LearnerSettings = config.settings
        self.games, self.pool = games, pool
        self.rollout = Rollout.empty(settings.num_steps, games, model.device)
        self._seed, self._model, self._generator = config.seed, model, generator
        self._players = [Player(settings, part, model, pool) for part in games.parts]
        # Agents of others may not be made for several threads.
        self._threads = None if any(part.agents for part in games.parts) else threads

    def collect(self, update: int) -> dict[str, Any]:
        """Fill the rollout with decisions; returns the fields of `Update` on games that ended.

        Args:
            update: Number of the update; it seeds agents that draw.
        """
        rollout, pool, model = self.rollout, self.pool, self._model
        self._seed_agents(update)
        size = rollout.actions.shape
        drawn = torch.rand(size, generator=self._generator, device=self._generator.device)
        with model.playing(pool.networks):
            plays = [
                player.play(rollout.of_games(rows), drawn[:, rows])
                for player, rows in zip(self._players, self.games.part_rows, strict=True)
            ]
            play_all(plays, self._threads, alternate=model.device.type == "cuda")
        for player in self._players:
            for slots, wins in player.pool_outcomes:
                pool.record(slots, 1.0 - wins)
        rollout.values[:] = model.value_head.denormalize(rollout.normal_values).detach().cpu().numpy()
        return outcome_means(
            np.concatenate([np.zeros((0, 3)), *(rows for player in self._players for rows in player.outcomes)])
        )

    def _seed_agents(self, update: int) -> None:
        number = count()
        for part in self.games.parts:
            for agent in part.agents:
                index = next(number)
                seed = np.random.SeedSequence((self._seed, update, index)).generate_state(1, np.uint64)[0]
                agent.reset(agent_seed(agent, int(seed), "training", self._seed, update, index))


def play_all(plays: Sequence[Iterator[None]], threads: ThreadPoolExecutor | None, alternate: bool) -> None:
    """Play all parts to their ends: in threads, by turns or one after the other.

    While a GPU computes for one part, the games of another one step: in another thread, or in their turn.

    Args:
        plays: Of each part `Player.play`.
        threads: The threads, each of which plays one part at a time; None: the caller plays.
        alternate: Whether the caller plays by turns.
    """
    if threads is not None:
        results = threads.map(_exhaust, plays)
    else:
        results = map(_exhaust, [zip_longest(*plays)] if alternate else plays)
    deque(results, maxlen=0)


def _exhaust(play: Iterator[Any]) -> None:
    deque(play, maxlen=0)


def make_games(config: LearnerConfig, game: Game, device: torch.device) -> GameParts:
    """The games of a config.

    Raises:
        AgentError, OptionError: A game or an opponent that does not exist; shaping with a discount.
    """
    settings: LearnerSettings = config.settings
    if settings.shaping is not None and settings.gamma != 1.0:
        raise AgentError(f"{config.section}.shaping: needs gamma=1.0, but it is {settings.gamma}")
    inputs = {
        "heuristic_features": settings.heuristic_features,
        "hidden_slices": settings.hidden_slices,
        "items": network_class(settings.network).reads_items,
    }
    groups = [group for kind in settings.games for group in _groups(kind, game)]
    return GameParts(groups, config.seed, device, inputs, see_all=settings.critic == "centralized")


def _groups(kind: GameKind, game: Game) -> Iterator[EnvGroup]:
    """The games of a kind, shared out among the values of the options that vary."""
    values = list(product(*kind.vary.values()))
    for number, chosen in enumerate(values):
        num_envs = (kind.num_envs * (number + 1)) // len(values) - (kind.num_envs * number) // len(values)
        options = {**game.options, "num_players": kind.num_players, **dict(zip(kind.vary, chosen, strict=True))}
        if num_envs:
            yield EnvGroup(game.make(**options), num_envs, kind.opponents)
