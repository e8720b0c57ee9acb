"""Agents as opponents of a learner in the single-agent environments: asked for many games at once."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from w51_agents.agent.infos import DecisionInfos, copy_of, history_rows, needs_memory
from w51_agents.agent.interface import Agent
from w51_agents.agent.seeds import agent_seed, is_stateless
from w51_agents.named.registry import make_agent
from w51_env.adapters.learner import LearnerGames
from w51_env.adapters.spaces import OBSERVATION_DTYPES, as_dtype
from w51_env.engine.bots import Bot
from w51_env.engine.errors import IllegalActionError, OptionError, W51Error
from w51_env.engine.game import EXTERNAL_INDEX, Game
from w51_env.engine.options import check_choice
from w51_env.engine.slots import MAX_EPISODES


class Opponent(Protocol):
    """An agent as `w51_agents.agent.interface.Agent` describes it; any object with these two methods.

    It gets observations of the learner's dtype, unless it has an attribute `observation_dtype` (`int8`, as agents of
    this package, or `float32`), or `observation_space`, as a model of Stable-Baselines3 has. Agents that are given by a
    name get int8, as in tournaments.
    """

    def reset(self, seed: int) -> None:
        """Start again: the same seed and the same decisions give the same actions."""

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, infos: Any = None) -> np.ndarray:
        """(N,) integers, for (N, layout.size) observations and (N, num_actions) int8 masks."""


class OpponentTable:
    """The opponents of a learner, clockwise from its left, of whom some are agents.

    Args:
        game: The game with its rules bound.
        opponents: One for each other seat: a bot's name, an agent, or the name of an agent. A name makes one agent,
            however often it occurs; that of a third-party agent one for each seat.
        observation_dtype: Of the learner's observations, `int8` or `float32`.

    Attributes:
        controllers: (num_players,) int8, as of `LearnerGames`.
        history: The most rows of histories that an agent needs.
        agents: The agents; the number of the first is -2, of the next -3, and so on.

    Raises:
        OptionError: One is neither a known name nor an agent.
    """

    def __init__(self, game: Game, opponents: Sequence[str | Opponent], observation_dtype: str):
        self.agents: list[Any] = []
        self.history = 0
        self._game, self._dtype = game, observation_dtype
        self._dtypes: list[str] = []  # of what the agents observe
        self._given: list[Any] = []  # of which these are copies, if they remember
        self._names: list[str] = []
        named: dict[str, int] = {}
        codes = [EXTERNAL_INDEX]
        for opponent in opponents:
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
        agent, name = self.agents[number], self._names[number]
        batch = infos.batch
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
        agent = _made(opponent, self._game) if isinstance(opponent, str) else opponent
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


def _made(name: str, game: Game) -> Agent:
    """The agent of this name."""
    try:
        return make_agent(name, game)
    except ImportError as error:
        bots = ", ".join(game.bots)
        raise OptionError(f"opponents: {name!r} is no bot ({bots}), and agents cannot be made: {error}") from None
    except W51Error as error:
        raise OptionError(f"opponents: {error}") from None


def _own(agent: Any) -> Any:
    """An agent that remembers as a copy, since the same object may also play in another environment."""
    if callable(per_game := getattr(agent, "per_game", None)):
        return per_game()
    return copy_of(agent) if needs_memory(agent) else agent


class AgentGames(LearnerGames):
    """Games of a learner whose opponents are agents and bots. Decisions of agents are steps of their own, which
    overwrite the results of the batch; so the results are kept.

    Args:
        game: The game with its rules bound.
        num_games: Number of games.
        opponents: As of `OpponentTable`.
        observation_dtype: As for `gymnasium_env.LearnerEnv`.
        **arguments: Further arguments of `LearnerGames`.
    """

    def __init__(
        self, game: Game, num_games: int, opponents: Sequence[Any], *, observation_dtype: str, **arguments: Any
    ):
        self._opponents = table = OpponentTable(game, opponents, observation_dtype)
        more: dict[str, Any] = {"observation_dtype": observation_dtype, "least_history": table.history}
        super().__init__(game, num_games, table.controllers, **more, **arguments)
        self._infos = DecisionInfos(self.batch)

    def _result_arrays(self) -> tuple[np.ndarray, np.ndarray]:
        if "_kept" not in vars(self):
            self._kept = self.batch.slots.copy(), self.batch.final_observation.copy()
        return self._kept

    def _play_reset(self, seeds: np.ndarray | None, which: np.ndarray | None) -> None:
        if seeds is not None:
            is_partial = self.has_begun and which is not None and not np.all(which)
            self._opponents.reset(int(seeds[0]), is_partial)
        chosen = np.ones(self.batch.num_games, np.bool_) if which is None else which
        self._infos.begin(chosen)
        super()._play_reset(seeds, which)
        self._clear_results()
        self._play_opponents(chosen, chosen)

    def _play(self, actions: np.ndarray, which: np.ndarray | None) -> None:
        waiting = self.over
        super()._play(actions, which)
        self._infos.begin(self.batch.done)
        self._clear_results()
        self._keep_results(self.batch.done)
        self._play_opponents(waiting | self.done, waiting & (self.batch.autoreset == "next_step"))

    def _take_results(self) -> None:
        self._infos.begin()  # what agents remember is not in a snapshot
        self._clear_results()
        self._keep_results(np.ones(self.batch.num_games, np.bool_))

    def _play_opponents(self, new: np.ndarray, restarted: np.ndarray) -> None:
        """Play the decisions of agents up to the learners' next decisions, or to the ends of the games.

        Episodes in which the learner decides nothing are left out, as those against bots are.

        Args:
            new: (N,) bool, the games in which the learner has decided nothing in the current episode, or that are over.
            restarted: (N,) bool, the games that began a new episode in this call; they must not be over after it.
        """
        batch, new = self.batch, new.copy()
        skipped = np.zeros(batch.num_games, np.int64)
        try:
            while True:
                while (asked := self._opponents.actions(self._infos)) is not None:
                    batch.step(*asked)
                    self._infos.begin(batch.done)
                    self._keep_events()
                    self._keep_results(batch.done & ~new)
                    skipped += batch.done & new
                    new |= batch.done
                    if skipped.max() >= MAX_EPISODES:
                        raise OptionError(
                            f"game {skipped.argmax()}: {MAX_EPISODES} episodes in a row ended without a decision of "
                            f"the learner; {batch.game!r}"
                        )
                again = restarted & self.over
                if not again.any():
                    return
                batch.reset(None, again)
        except BaseException:
            self.has_begun = False  # the games stand between two decisions of the learner
            raise

    def _clear_results(self) -> None:
        for name in ("done", "rewards", "illegal"):
            self._results[name] = 0

    def _keep_results(self, ended: np.ndarray) -> None:
        """Keep the results of the games that `ended` (N,) bool marks."""
        self._results[ended] = self.batch.slots[ended]
        self._final_observation[ended] = self.batch.final_observation[ended]
        if self._history:
            self._keep_histories(ended)
