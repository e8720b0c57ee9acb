"""Priors: which actions of a decision are searched, and which one is kept unless another is better."""

import re
from collections import defaultdict
from typing import Any

import numpy as np

from w51_agents.agent.bots import BotAgent
from w51_agents.agent.infos import reads_past
from w51_agents.agent.interface import AgentError
from w51_agents.networks.load import checkpoint_of, load_agent
from w51_agents.system.files import exists
from w51_env.engine.errors import nearest
from w51_env.engine.game import RANDOM, Game

PASS = "pass"  #             name of an action
MOST_CANDIDATES = 12  #      actions of a policy that are searched
_MIN_SIZE = 6  #             fewer legal actions of a kind are all searched
_MIN_PROBABILITY = 0.01  #   of such an action, relative to that of the likeliest

# Positions above the lowest bid that are searched, and distances from the prior's bid. Close to a bid small differences
# matter, because one may be just enough to win; far above it they hardly do.
_STEPS = (0, 1, 2, 4, 7, 11, 16, 24, 36, 54, 80)
_STEPS_AROUND = _STEPS[1:4]


class BidAbstraction:
    """Subsamples actions that differ only in an amount, as `bid_7`; their names in the action table show it."""

    def __init__(self, game: Game):
        self._kind = [-1] * len(game.actions)  # by action; -1: no amount in its name
        self._amount = [0] * len(game.actions)
        kinds: dict[str, int] = {}
        for action in range(len(game.actions)):
            if match := re.fullmatch(r"(\w+)_(\d+)", game.actions[action].name):
                self._kind[action] = kinds.setdefault(match[1], len(kinds))
                self._amount[action] = int(match[2])

    def subsample(self, legal: np.ndarray, default: int) -> np.ndarray:
        """The actions to search, `default` first.

        Of a kind with many amounts: the lowest ones, then with growing steps, and those around the default.

        Args:
            legal: (K,) ids of the legal actions.
            default: One of them.
        """
        chosen = [default]
        by_kind = defaultdict(list)
        for action in legal.tolist():
            if self._kind[action] < 0:
                chosen.append(action)
            else:
                by_kind[self._kind[action]].append(action)
        for actions in by_kind.values():
            if len(actions) < _MIN_SIZE:
                chosen += actions
                continue
            actions.sort(key=self._amount.__getitem__)
            positions = set(_STEPS)
            if default in actions:
                position = actions.index(default)
                positions |= {position + sign * step for step in _STEPS_AROUND for sign in (-1, 1)}
            chosen += [actions[position] for position in sorted(positions) if 0 <= position < len(actions)]
        return np.array(list(dict.fromkeys(chosen)))


class Prior:
    """Proposes the candidates of a search. Of an agent that only chooses an action, bids around its choice."""

    def __init__(self, game: Game, agent: Any):
        self._agent = agent
        self._bids = BidAbstraction(game)

    def reset(self, seed: int) -> None:
        """Forget everything and seed the draws: the same seed and the same decisions give the same candidates."""
        self._agent.reset(seed)

    def candidates(self, observations: np.ndarray, action_masks: np.ndarray) -> list[np.ndarray]:
        """For each decision the action ids to search, the prior's choice first; arguments as for `act_batch`."""
        choices = self._agent.act_batch(observations, action_masks).tolist()
        return [
            self._bids.subsample(np.flatnonzero(mask), choice)
            for mask, choice in zip(action_masks, choices, strict=True)
        ]


class Likeliest(Prior):
    """The likeliest actions of an agent in order, and to pass; of an agent that only chooses, bids around its choice.

    A policy that is sure to bid may be wrong: on the last lot a pass that it never thinks of can be what wins.

    Args:
        game, agent: As of `Prior`.
        least_pass: The least probability of a pass that is a candidate, relative to that of the likeliest action; 0:
            each is one.
    """

    def __init__(self, game: Game, agent: Any, least_pass: float = 0.0):
        super().__init__(game, agent)
        self._is_pass = passes_of(game)
        self._least = np.where(self._is_pass, least_pass, _MIN_PROBABILITY)
        self._passes = least_pass == 0

    def candidates(self, observations: np.ndarray, action_masks: np.ndarray) -> list[np.ndarray]:
        policy = getattr(self._agent, "policy", None)
        if policy is None:
            return super().candidates(observations, action_masks)
        rows = np.asarray(policy(observations, action_masks))
        return [self._of_row(row, mask) for row, mask in zip(rows, action_masks, strict=True)]

    def _of_row(self, row: np.ndarray, mask: np.ndarray) -> np.ndarray:
        order = np.argsort(-row, kind="stable")[: MOST_CANDIDATES - self._passes]  # one place may be for a pass
        likely = order[(row[order] > 0) & (row[order] >= row[order[0]] * self._least[order])]
        passes = np.flatnonzero(self._is_pass & (mask != 0) & self._passes)
        return np.append(likely, np.setdiff1d(passes, likely))


def passes_of(game: Game) -> np.ndarray:
    """(num_actions,) bool: which actions of a game are a pass."""
    return np.array([action.name == PASS for action in game.actions])


def make_prior(game: Game, name: str | None, player: str, *, trust: bool = False) -> Prior:
    """The prior of this name.

    Args:
        game: The game with its rules bound.
        name: A bot or a checkpoint; None: the player of the playouts, or the game's best bot if that is `random` or
            remembers.
        player: Name of the player of the playouts.
        trust: A checkpoint may name third-party code.

    Raises:
        AgentError: Neither a bot nor a checkpoint that can play this game, or one that remembers.
    """
    asked, name = name, name or (game.bots[-1] if player == RANDOM else player)
    if name in game.bots:
        return Prior(game, BotAgent(game, name))
    if not exists(checkpoint_of(name, game)):
        known = ", ".join(game.bots)
        raise AgentError(
            f"prior: {name!r}, but a bot of {game.id} ({known}) or a checkpoint is needed{nearest(name, game.bots)}"
        )
    agent: Any = load_agent(game, name, trust=trust)
    if reads_past(agent):
        if asked is None:
            return Prior(game, BotAgent(game, game.bots[-1]))
        raise AgentError(f"prior: {name!r} remembers, but a prior knows the observation alone")
    return Likeliest(game, agent)
