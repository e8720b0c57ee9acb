"""Agents that remember: a `SingleAgent` as one object for each game and seat, and batches with a state in each row.

A memory is that of one seat in one game. It has a number, `info["memory"]`, and is empty at the seat's first decision,
`info["is_first"]` (docs/how_to/memory.md).
"""

from collections.abc import Callable
from copy import copy
from functools import partial
from typing import Any

import numpy as np

from w51_agents.agent.infos import copy_of
from w51_agents.agent.interface import Agent, AgentError, BatchAgent, Infos, SingleAgent, action_array
from w51_agents.agent.seeds import secret_seed

States = np.ndarray | tuple[np.ndarray, ...]  # each of shape (n, ...)


def per_game(agent: Any, make: Callable[[], Any] | None = None) -> Agent:
    """An agent as it must be asked for many games: a `SingleAgent` as one object for each game and seat.

    An agent that says `needs_memory = False` plays all games as one object, and one with an `act_batch` of its own is
    asked as it is.

    Args:
        agent: The agent.
        make: Makes another one; None: the agent is copied as it is now.

    Raises:
        OptionError: It cannot be copied.
    """
    act_batch = getattr(agent, "act_batch", None)
    is_single = getattr(act_batch, "__func__", None) is SingleAgent.act_batch and agent.needs_memory is not False
    if act_batch is not None and not is_single:
        return agent
    return ObjectPerGame(agent, make or partial(copy_of, copy_of(agent)))


def no_memory(name: str) -> AgentError:
    """The error where an agent with memory is asked without the infos that it needs."""
    return AgentError(
        f"{name}: remembers, but was not told the game of a decision: pass infos with `memory` and `is_first`, and "
        "`history` if it needs that (docs/how_to/memory.md), or ask it in a tournament, match or environment, which do"
    )


class ObjectPerGame:
    """Asks one object for each game and seat, which is made at the seat's first decision.

    Without infos each decision is one of a game of its own. A call that fails is repeated by the arena in calls of one
    decision each: what was decided in it is kept for these, so that no object meets a decision twice.

    Args:
        agent: An object that plays no game; it says what the agent needs.
        make: Makes the others.
    """

    def __init__(self, agent: Any, make: Callable[[], Any]):
        self._agent, self._make = agent, make
        self._seed = 0
        self.needs_memory = getattr(agent, "needs_memory", None) is not False
        self._must_remember = bool(getattr(agent, "needs_memory", None))
        self._objects: dict[int, Any] = {}
        self._games: dict[int, int] = {}  # begun so far, by number of the memory
        self._unused: dict[int, tuple[np.ndarray, Any]] = {}  # observations and actions of a call that failed

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        value = getattr(self._agent, name)
        return self._explain if name == "explain" else value

    def reset(self, seed: int) -> None:
        self._agent.reset(seed)
        self._seed = seed
        for kept in (self._objects, self._games, self._unused):
            kept.clear()

    def act(self, observation: np.ndarray, action_mask: np.ndarray, info: dict[str, Any] | None = None) -> int:
        return self._object(info).act(observation, action_mask, info)

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, infos: Infos = None) -> np.ndarray:
        if len(action_masks) > 1:  # no repetition
            self._unused.clear()
        made: dict[int, tuple[np.ndarray, Any]] = {}
        actions, failed = [], True
        try:
            for index, (observation, mask) in enumerate(zip(observations, action_masks, strict=True)):
                info = None if infos is None else infos[index]
                number = _number(info)
                kept = self._unused.pop(number, None)
                is_again = kept is not None and np.array_equal(kept[0], observation)
                actions.append(kept[1] if kept and is_again else self.act(observation, mask, info))
                made[number] = observation, actions[-1]
            failed = len(actions) > 1 and not all(map(_is_legal, actions, action_masks))
        finally:
            if self.needs_memory and infos is not None and failed:
                self._unused.update(made)
        return np.array(actions)

    def _explain(self, observation: np.ndarray, action_mask: np.ndarray, info: dict[str, Any] | None = None) -> Any:
        return self._object(info).explain(observation, action_mask, info)

    def _object(self, info: dict[str, Any] | None) -> Any:
        """The object of the game and seat of a decision."""
        if not self.needs_memory:
            return self._agent
        number = _number(info)
        if number < 0 and self._must_remember:
            raise no_memory(type(self._agent).__name__)
        if number < 0 or info["is_first"]:  # type: ignore[index]
            self._objects.pop(number, None)
        if number not in self._objects:
            self._games[number] = game = self._games.get(number, -1) + 1
            made = self._make()
            if made is self._agent:
                raise AgentError(
                    f"{type(made).__name__}: the same object was made for two games; make another one each time, or "
                    "let the class say needs_memory = False if it keeps nothing from one decision for another"
                )
            made.reset(secret_seed(str(self._seed), number, game))
            self._objects[number] = made
        return self._objects[number]


class RecurrentAgent(BatchAgent):
    """Base class of an agent that decides many games in one call and keeps a state for each game and seat.

    Write `initial_state` and `step`. Actions that a call returns need not be played: where an agent has to know what
    was, it says `needs_history = 64`, the number of the last events that it gets. One with a method
    `probabilities_after`, as of `networks.recurrent.agent`, has an exact exploitability.
    """

    needs_memory = True
    needs_history = 0

    def initial_state(self, count: int) -> States:
        """The states before the first decision: an array (count, ...), or a tuple of such arrays."""
        raise NotImplementedError

    def step(
        self, observations: np.ndarray, action_masks: np.ndarray, states: Any, histories: list[np.ndarray] | None
    ) -> tuple[np.ndarray, States]:
        """The actions of n decisions and the states after them; nothing else may be kept.

        Args:
            observations: (n, layout.size) int8.
            action_masks: (n, num_actions) int8 or bool.
            states: The state of each game and seat, new arrays in the form of `initial_state`.
            histories: For each decision (k, 6) int16, at most `needs_history` events; None if it needs none.
        """
        raise NotImplementedError

    def reset(self, seed: int) -> None:
        """Forget all games; an agent with random draws also seeds them."""
        vars(self).pop("_states", None)

    def seed_draws(self, seed: int) -> None:
        """`reset`, but forget no game."""
        states = vars(self).get("_states")
        self.reset(seed)
        if states is not None:
            self._states = states

    def memory(self, size: int) -> list[np.ndarray]:
        """What `restore` takes, by number of the memory: (size,) bool, whether there is a state, and the states."""
        return [part[:size].copy() for part in self._memory(size, _parts(self.initial_state(0)))]

    def restore(self, memory: list[np.ndarray]) -> None:
        """Remember what `memory` returned, and nothing else."""
        self._states = memory

    def per_game(self) -> "RecurrentAgent":
        """The same agent with states of its own, for another environment; all else is shared."""
        other = copy(self)
        vars(other).pop("_states", None)
        return other

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, infos: Infos = None) -> np.ndarray:
        needed = {"memory", "is_first"} | ({"history"} if self.needs_history else set())
        if infos is None or not all(needed <= info.keys() for info in infos):
            raise no_memory(type(self).__name__)
        numbers = np.array([info["memory"] for info in infos], np.int64)
        is_first = np.array([info["is_first"] for info in infos], np.bool_)
        given = self.initial_state(len(numbers))
        states = tuple(map(np.array, _parts(given)))
        memory = self._memory(int(numbers.max(initial=-1)) + 1, states)
        is_known, kept = memory[0], memory[1:]
        is_known[numbers[is_first]] = False
        goes_on = is_known[numbers]
        for part, of_all in zip(states, kept, strict=True):
            part[goes_on] = of_all[numbers[goes_on]]
        histories = [info["history"] for info in infos] if self.needs_history else None
        chosen, after = self.step(
            observations, action_masks, states if isinstance(given, tuple) else states[0], histories
        )
        actions = action_array(type(self).__name__, chosen, len(infos))
        if len(infos) == 1 or all(map(_is_legal, actions.tolist(), action_masks)):  # else the arena asks again
            for part, of_all in zip(_parts(after), kept, strict=True):
                of_all[numbers] = part
            is_known[numbers] = True
        return actions

    def _memory(self, size: int, states: tuple[np.ndarray, ...]) -> list[np.ndarray]:
        """By number of the memory: (size,) bool, whether there is a state, and the arrays of the states."""
        memory: list[np.ndarray] = vars(self).get("_states") or [np.zeros(0, np.bool_), *(part[:0] for part in states)]
        if (more := size - len(memory[0])) > 0:
            more = max(more, len(memory[0]))
            memory = [np.concatenate([part, np.zeros((more, *part.shape[1:]), part.dtype)]) for part in memory]
            self._states = memory
        return memory


def _parts(states: States) -> tuple[np.ndarray, ...]:
    return states if isinstance(states, tuple) else (states,)


def _number(info: dict[str, Any] | None) -> int:
    """The number of a decision's memory; -1 if it has none."""
    return -1 if info is None else info.get("memory", -1)


def _is_legal(action: Any, mask: np.ndarray) -> bool:
    """Whether it is the id of a legal action."""
    return isinstance(action, int | np.integer) and bool(0 <= action < len(mask) and mask[action])
