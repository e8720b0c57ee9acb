"""A bot that is asked about every decision: its choices are imitated at first, or told to the network as advice."""

import numpy as np

from agents.bots import BotAgent
from agents.training.games import Tables


class Teacher:
    """The bot `name` at every kind of table.

    Imitation is as in Schmitt et al., Kickstarting Deep Reinforcement Learning (arXiv:1803.03835); with advice the network learns
    where to do otherwise, as in Silver et al., Residual Policy Learning (arXiv:1812.06298).

    Raises:
        OptionError: The game has no such bot.
    """

    def __init__(self, name: str, tables: Tables):
        self._bots = [BotAgent(game, name) for game, _, _ in tables.kinds]
        self._rows = tables.rows

    def choices(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """(T, N) int64, what the bot would do.

        Args:
            observations: (T, N, size) int8.
            masks: (T, N, actions) bool.
        """
        chosen = np.empty(masks.shape[:2], np.int64)
        for bot, rows in zip(self._bots, self._rows, strict=True):
            seen, legal = observations[:, rows], masks[:, rows].astype(np.int8)
            bot.reset(0)  # its draws, if it makes any, hang on the questions alone, and not on what it was asked before
            answers = bot.act_batch(seen.reshape(-1, seen.shape[2]), legal.reshape(-1, legal.shape[2]))
            chosen[:, rows] = answers.reshape(len(chosen), -1)
        return chosen
