"""Opponents of a learner: bots, which play inside the batch, and agents, which are asked for many games at once."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from w51_env.adapters.agent_seeds import agent_seed, is_stateless
from w51_env.adapters.decision_infos import DecisionInfos, copy_of, history_rows, needs_memory
from w51_env.adapters.spaces import OBSERVATION_DTYPES, as_dtype
from w51_env.engine.bots import Bot
from w51_env.engine.errors import IllegalActionError, OptionError
from w51_env.engine.game import EXTERNAL_INDEX, Game
from w51_env.engine.options import check_choice, is_list
from w51_env.engine.registry import make_opponent


class Opponent(Protocol):
    """An agent as `w51_agents.agent.Agent` describes it; any object with these two methods.

    It gets observations of the learner's dtype, unless it has an attribute `observation_dtype` (`int8`, as agents of
    this package, or `float32`), or `observation_space`, as a model of Stable-Baselines3 has. Agents that are given by a
    name get int8, as in tournaments.
    """

    def reset(self, seed: int) -> None:
        """Start again: the same seed and the same decisions give the same actions."""

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, infos: Any = None) -> np.ndarray:
        """(N,) integers, for (N, layout.size) observations and (N, num_actions) int8 masks."""


Opponents = str | Opponent | Sequence[str | Opponent]


class OpponentTable:
    """The opponents of a learner, clockwise from its left.

    Args:
        game: The game with its rules bound.
        opponents: One for all other seats, or one for each: a bot's name, an agent, or the name of an agent. A name
            makes one agent, however often it occurs; that of a third-party agent one for each seat.
        observation_dtype: Of the learner's observations, `int8` or `float32`.

    Attributes:
        controllers: (num_players,) int8, of the learner and its opponents as `Batch.controllers` has them: -1 for the
            learner, a bot's index, or a number below -1 for an agent.
        history: The most rows of histories that an agent needs.
        agents: The agents; the number of the first is -2, of the next -3, and so on.

    Raises:
        OptionError: A wrong number of opponents, or one that is neither a known name nor an agent.
    """

    def __init__(self, game: Game, opponents: Opponents, observation_dtype: str):
        others = game.num_players - 1
        listed: list[Any] = list(opponents) if is_list(opponents) else [opponents] * others
        if len(listed) != others:
            raise OptionError(
                f"opponents: {len(listed)} given, but one for all or one for each of {others} other seats is needed"
            )
        self._game, self._dtype = game, observation_dtype
        self._dtypes: list[str] = []  # of what the agents observe
        self.agents: list[Any] = []
        self._given: list[Any] = []  # of which these are copies, if they remember
        self.history = 0
        self._names: list[str] = []
        named: dict[str, int] = {}
        codes = [EXTERNAL_INDEX]
        for opponent in listed:
            code = named[opponent] if isinstance(opponent, str) and opponent in named else self._code_of(opponent)
            codes.append(code)
            if isinstance(opponent, str) and (code >= 0 or is_stateless(self.agents[EXTERNAL_INDEX - 1 - code])):
                named[opponent] = code
        self.controllers = np.array(codes, np.int8)

    def reset(self, seed: int, is_partial: bool = False) -> None:
        """Reset all agents: those of this package by the seed of the games, others by one that does not lead to it.

        Args:
            seed: Seed of the first game.
            is_partial: Whether some games go on: agents that remember are then not reset.
        """
        for number, agent in enumerate(self.agents):
            if not (is_partial and needs_memory(agent)):
                agent.reset(agent_seed(agent, seed, "opponent", number, seed))

    def actions(self, infos: DecisionInfos) -> tuple[np.ndarray, np.ndarray] | None:
        """The actions of all agents that are to move.

        Args:
            infos: What the agents get beside their observations, in the games of a batch.

        Returns:
            (N,) int64 actions and (N,) bool, the games in which an agent is to move; None if there is no such game.

        Raises:
            IllegalActionError: An agent gave anything but one legal action for each decision.
        """
        batch = infos.batch
        running = np.flatnonzero(batch.seat >= 0)
        codes = batch.controllers[running, batch.seat[running]]
        if not (codes < EXTERNAL_INDEX).any():
            return None
        actions, asked = np.zeros(batch.num_games, np.int64), np.zeros(batch.num_games, np.bool_)
        for number in range(len(self.agents)):
            games = running[codes == EXTERNAL_INDEX - 1 - number]
            if len(games):
                actions[games], asked[games] = self._ask(number, infos, games), True
        return actions, asked

    def _ask(self, number: int, infos: DecisionInfos, games: np.ndarray) -> np.ndarray:
        agent, name, batch = self.agents[number], self._names[number], infos.batch
        masks = batch.action_mask[games]
        observations = as_dtype(self._game, batch.observation[games], self._dtypes[number])
        actions = np.asarray(agent.act_batch(observations, masks, infos.of(agent, games)))
        if actions.shape != (len(games),) or actions.dtype.kind not in "iu":
            raise IllegalActionError(
                f"opponent {name}: act_batch gave {actions.dtype} of shape {actions.shape}, but integers of shape "
                f"({len(games)},) are needed"
            )
        known = (actions >= 0) & (actions < masks.shape[1])
        legal = known & (masks[np.arange(len(games)), np.where(known, actions, 0)] != 0)
        if not legal.all():
            raise IllegalActionError(f"opponent {name}: action {actions[~legal][0]} is not legal")
        return actions

    def _code_of(self, opponent: Any) -> int:
        """The number of an opponent in `controllers`; an agent is added to the agents."""
        if isinstance(opponent, str) and opponent in self._game.bots:
            return self._game.bots.index(opponent)
        agent = make_opponent(opponent, self._game) if isinstance(opponent, str) else opponent
        if isinstance(bot := getattr(agent, "bot", None), Bot):
            return bot.index
        missing = [method for method in ("reset", "act_batch") if not callable(getattr(agent, method, None))]
        if missing:
            raise OptionError(
                f"opponents: {opponent!r} has no {', '.join(missing)}, but a bot ({', '.join(self._game.bots)}), "
                "the name of an agent, or an object with the methods of an agent is needed"
            )
        for number, other in enumerate(self._given):
            if other is agent:
                return EXTERNAL_INDEX - 1 - number
        self._given.append(agent)
        self.agents.append(agent := _own(agent))
        self.history = max(self.history, history_rows(agent))
        self._dtypes.append(self._dtype_for(agent, is_named=isinstance(opponent, str)))
        self._names.append(repr(opponent) if isinstance(opponent, str) else type(agent).__name__)
        return EXTERNAL_INDEX - len(self.agents)

    def _dtype_for(self, agent: Any, is_named: bool) -> str:
        """The dtype of the observations that an agent gets, as `Opponent` says."""
        space = getattr(agent, "observation_space", None)
        usual = "int8" if is_named else self._dtype if space is None else str(space.dtype)
        dtype = getattr(agent, "observation_dtype", usual)
        return str(check_choice(f"opponents: {type(agent).__name__}.observation_dtype", dtype, OBSERVATION_DTYPES))


def _own(agent: Any) -> Any:
    """An agent that remembers as a copy, since the same object may also play in another environment."""
    if callable(per_game := getattr(agent, "per_game", None)):
        return per_game()
    return copy_of(agent) if needs_memory(agent) else agent
