"""The options of a game for two whose only choice is the reward, and the record of them that its kernels read."""

from dataclasses import dataclass

import numpy as np

from w51_env.engine.options import REWARDS, check_choice, check_range

RULES = np.dtype([("num_players", "i8"), ("reward", "i8"), ("ask_forced", "i8")])


@dataclass(frozen=True)
class TwoPlayerOptions:
    """The game's options."""

    num_players: int = 2
    reward: str = "margin"

    def __post_init__(self) -> None:
        check_range("num_players", self.num_players, 2, 2)
        check_choice("reward", self.reward, REWARDS)

    def pack(self) -> np.ndarray:
        """(1,) RULES."""
        return np.array([(2, REWARDS.index(self.reward), 0)], RULES)
