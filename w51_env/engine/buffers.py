"""The memory of a batch: the arrays that the compiled loops read and write, allocated once."""

from typing import NamedTuple

import numpy as np

from w51_env.compiler.compile import aligned_zeros, rows
from w51_env.engine.errors import OptionError
from w51_env.engine.events import OFF, log_dtype
from w51_env.engine.game import NO_ACTION, Game
from w51_env.engine.slots import SETTINGS, make_legal, slot_dtype


class Played(NamedTuple):
    """What a step reads and writes of (N,) games; one log and one final observation where none is kept."""

    games: np.ndarray
    raw: np.ndarray  # the same memory as bytes
    slots: np.ndarray
    actions: np.ndarray
    legal: np.ndarray
    log: np.ndarray
    observations: np.ndarray
    masks: np.ndarray
    finals: np.ndarray


class Buffers:
    """The arrays of N games, and the same arrays as the loops take them.

    Args:
        game: The game with its rules bound.
        num_games: Number of games, N.
        keep_final: Allocate `final_observation` for all games.
        events: Which events the logs hold (`engine.events`); not OFF: allocate a log for each game.

    Attributes:
        games, slots, legal, actions, log: (N,) the states, env slots, lists of legal actions, actions and event logs.
        observation, action_mask: (N, size) and (N, actions) int8.
        final_observation: (N, players, size) int8, or one row if it is not kept.
        first_controllers: (N, players) int8, the controllers of the first episode after seeding.
        settings: (1,) structured, what all games have in common.
        step_arguments, refresh_arguments, game_arguments: Arguments of the compiled loops.

    Raises:
        OptionError: The games need more memory than there is.
    """

    def __init__(self, game: Game, num_games: int, keep_final: bool, events: int):
        players = game.num_players
        size = game.layout.size
        num_actions = len(game.actions)
        _check_memory(num_games, game.record.itemsize + num_actions + size + (players * size if keep_final else 0))
        self.settings = np.zeros(1, SETTINGS)
        self.settings["num_players"], self.settings["min_reward"] = game.num_players, game.reward_range[0]
        self.settings["keep_final"], self.settings["chunk"] = keep_final, num_games
        self.games = aligned_zeros((num_games,), game.record)
        self.slots = aligned_zeros((num_games,), slot_dtype(game.max_players))
        self.slots["seat"] = -1
        self.legal = make_legal(num_games, num_actions)
        self.actions = np.full(num_games, NO_ACTION, np.int64)
        self.log = np.zeros(num_games if events != OFF else 1, log_dtype(game.max_events))
        self.log["on"] = events
        self.observation = aligned_zeros((num_games, size), np.int8)
        self.action_mask = aligned_zeros((num_games, num_actions), np.int8)
        self.final_observation = np.zeros((num_games if keep_final else 1, players, size), np.int8)
        self.first_controllers = np.zeros((num_games, players), np.int8)

        rules, games, slots, settings = game.rules, self.games, self.slots, self.settings
        legal = rows(self.legal, "actions")
        observation, mask = rows(self.observation), rows(self.action_mask)
        final, raw = rows(self.final_observation.reshape(-1, size)), rows(games.view(np.int8).reshape(num_games, -1))
        played = Played(games, raw, slots, self.actions, legal, self.log, observation, mask, final)
        self.step_arguments = (rules, played, settings)
        self.refresh_arguments = (rules, games, slots, legal, observation, mask, settings)
        self.game_arguments = (rules, games)

    def all(self) -> tuple[np.ndarray, ...]:
        """All that a copy of the batch needs."""
        outputs = (self.observation, self.action_mask, self.final_observation)
        return (self.games, self.slots, self.legal, self.log, self.first_controllers, *outputs)

    def persistent(self) -> tuple[np.ndarray, ...]:
        """All that cannot be computed from anything else: the content of a snapshot."""
        return (self.games, self.slots, self.first_controllers)


def _check_memory(num_games: int, size: int) -> None:
    """OptionError if the system does not grant the memory of `num_games` games of `size` bytes."""
    try:
        np.empty((num_games, size), np.int8)
    except (MemoryError, OverflowError, ValueError):  # the latter two: more than an address can hold
        raise OptionError(
            f"{num_games} games need {num_games * size / 2**30:.3g} GiB of memory, more than is available; make fewer"
        ) from None
