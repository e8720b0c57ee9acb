"""The interface of an agent (`Agent`), base classes for your own, errors, and the check of actions.

Write a subclass of `BatchAgent` with `reset` and `act_batch`, or of `SingleAgent` with `act`. Its constructor takes the
game, and `module:Class` is its name everywhere. `memory.RecurrentAgent` is the base class of one that remembers in
batches. An agent may have attributes that say what it needs: `needs_determinizer`, `needs_view`, `needs_memory`,
`needs_history`, `files`, `is_slow`, `allows_threads`; and a method `probabilities` (`MixedAgent`).
"""

from collections.abc import Sequence
from pathlib import PurePath
from textwrap import shorten
from typing import Any, Protocol, runtime_checkable

import numpy as np

from w51_env.engine.errors import OptionError, W51Error
from w51_env.engine.game import Game
from w51_env.engine.imports import import_object
from w51_env.engine.options import as_array

Infos = Sequence[dict[str, Any]] | None  # the info of each decision, from the environment


class AgentError(W51Error):
    """An agent that cannot be made or cannot play this game."""


class UnreachableError(AgentError):
    """A server or program of an agent, or a cluster, that cannot be reached: a tournament ends, and can go on later."""


class ForfeitsError(UnreachableError):
    """A language model that has failed to make too many of its decisions: a tournament ends, and can go on later."""


class Agent(Protocol):
    """Chooses actions in one game, in any seat and in any number of games at once.

    Agents of this package take the float32 view of observations, too, which the adapters give by default.
    Its actions depend on the arguments and on the seed of `reset` only. `info` and `infos` come from the environment;
    an agent must work without them.
    """

    def reset(self, seed: int) -> None:
        """Start again: the same seed and the same decisions give the same actions."""

    def act(self, observation: np.ndarray, action_mask: np.ndarray, info: dict[str, Any] | None = None) -> int:
        """An action id for one decision.

        Args:
            observation: (layout.size,) int8, of the seat to move.
            action_mask: (num_actions,) int8 or bool, not 0 where an action is legal.
            info: The info of the environment.
        """

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, infos: Infos = None) -> np.ndarray:
        """(N,) integers, an action id for each decision.

        Args:
            observations: (N, layout.size) int8.
            action_masks: (N, num_actions) int8 or bool.
            infos: The info of each decision, or None.
        """


@runtime_checkable
class MixedAgent(Agent, Protocol):
    """An agent that draws each action independently, from probabilities that it can return."""

    def probabilities(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """(N, num_actions) floats, the probability of each action at each decision; arguments as in `act_batch`."""


def probabilities_of(agent: Agent, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
    """(N, num_actions) floats, as `MixedAgent.probabilities`: 1 for the action of an agent that does not tell them."""
    if isinstance(agent, MixedAgent):
        return agent.probabilities(observations, action_masks)
    return np.eye(action_masks.shape[1], dtype=np.float32)[agent.act_batch(observations, action_masks)]


def allows_threads(agent: Any) -> bool:
    """Whether a thread may ask it while others ask other agents: it has an attribute `allows_threads` that is true."""
    return bool(getattr(agent, "allows_threads", False))


def needs_determinizer(agent: Any) -> bool:
    """Whether an agent needs `info["determinizer"]`: it has an attribute `needs_determinizer` that is true."""
    return bool(getattr(agent, "needs_determinizer", False))


def needs_view(agent: Any) -> bool:
    """Whether an agent needs `info["view"]`, what its seat may know (`views.view.View`), and `info["earlier"]`, the
    events before its news, as these are: it has an attribute `needs_view` that is true.
    """
    return bool(getattr(agent, "needs_view", False))


def declared_files(agent: Any) -> list[str]:
    """The paths of the files and folders that an agent reads beside its module: its attribute `files`, if it has one.

    Results keep their digests, so that changed weights are noticed.

    Raises:
        AgentError: The attribute is no sequence of paths.
    """
    files = getattr(agent, "files", ())
    if isinstance(files, str | bytes) or not isinstance(files, Sequence):
        raise AgentError(f"{type(agent).__name__}.files: {shorten(repr(files), 60)}, but a list of paths is needed")
    for path in files:
        if not isinstance(path, str | PurePath):
            raise AgentError(f"{type(agent).__name__}.files: {shorten(repr(path), 60)}, but a path is needed")
    return [str(path) for path in files]


class BatchAgent:
    """Base class of an agent with `act_batch`; `act` is a batch of one."""

    observation_dtype = "int8"  # also as an opponent of a learner with another one

    def act(self, observation: np.ndarray, action_mask: np.ndarray, info: dict[str, Any] | None = None) -> int:
        return int(self.act_batch(observation[None], action_mask[None], None if info is None else [info])[0])

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, infos: Infos = None) -> np.ndarray:
        raise NotImplementedError


class SingleAgent:
    """Base class of an agent with `act`, of which an object plays one seat of one game: whoever asks agents makes an
    object for each, so an object may keep what it has seen.

    Attributes:
        needs_memory: False: it keeps nothing from one decision for another, and one object plays all games. True: it
            must remember, and refuses to be asked by a loop that does not say which decisions are of one game.
    """

    observation_dtype = "int8"  # also as an opponent of a learner with another one
    needs_memory: bool | None = None

    def reset(self, seed: int) -> None:
        """Does nothing, for agents that do not draw. It is called once, before the first decision."""

    def act(self, observation: np.ndarray, action_mask: np.ndarray, info: dict[str, Any] | None = None) -> int:
        raise NotImplementedError

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, infos: Infos = None) -> np.ndarray:
        if self.needs_memory is not False:
            name = type(self).__name__
            raise AgentError(
                f"{name}.act_batch: an object of {name} plays one game; ask `per_game()` of it for many, or let the "
                "class say needs_memory = False if it keeps nothing from one decision for another"
            )
        all_infos = [None] * len(observations) if infos is None else infos
        return np.array([self.act(*decision) for decision in zip(observations, action_masks, all_infos, strict=True)])

    def per_game(self) -> Agent:
        """This agent for many games: a copy of the object for each game and seat; OptionError if it has no copy."""
        return import_object("w51_agents.agent.memory:per_game")(self)


class InvalidActionError(AgentError):
    """The result of an agent's `act_batch` is not one legal action for each decision."""


def action_array(name: str, actions: Any, count: int) -> np.ndarray:
    """The result of `act_batch` as an array.

    Returns:
        (N,) integers.

    Raises:
        InvalidActionError: It is not one integer for each decision.
    """
    try:
        array = as_array("actions", actions)
    except OptionError:  # lists of unequal length, a masked array
        array = np.asarray(None)
    if array.shape != (count,) or array.dtype.kind not in "iu":
        is_array = array is actions
        text = f"{array.dtype} of shape {array.shape}" if is_array else shorten(repr(actions), 60)
        raise InvalidActionError(f"agent {name!r}: act_batch gave {text}, but integers of shape ({count},) are needed")
    return array


def check_actions(name: str, actions: Any, masks: np.ndarray, game: Game) -> np.ndarray:
    """The result of `act_batch` as an array of legal actions.

    Args:
        name: Name of the agent, for the message.
        actions: What `act_batch` returned.
        masks: (N, num_actions) int8 or bool, the masks it was called with.
        game: The game it plays.

    Returns:
        (N,) integers.

    Raises:
        InvalidActionError: It is not one legal action for each mask.
    """
    chosen = action_array(name, actions, len(masks))
    known = (chosen >= 0) & (chosen < masks.shape[1])
    illegal = np.flatnonzero(~known | (masks[np.arange(len(masks)), np.where(known, chosen, 0)] == 0))
    if len(illegal):
        error = game.actions.illegal(int(chosen[illegal[0]]), np.flatnonzero(masks[illegal[0]]))
        raise InvalidActionError(f"agent {name!r}: {error}")
    return chosen
