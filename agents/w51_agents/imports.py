"""Code by name, `module:object`, which of it the user has allowed, and agents that are such code."""

import inspect
import logging
import re
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from w51_agents.agent.interface import Agent, AgentError, SingleAgent
from w51_agents.agent.memory import per_game
from w51_env.engine.errors import W51Error
from w51_env.engine.game import Game
from w51_env.engine.imports import import_object

_ALLOWED: set[str] = globals().get("_ALLOWED", set())  # also when reloaded
Policy = Callable[..., Any]  # (observation, action mask, ...) -> action id
_WITH_ARGUMENTS = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*,")
_LONG = 0.2  # seconds to make an object
_LOG = logging.getLogger("w51_env")
_WORDS = {"true": True, "false": False}


def allow_code(names: Iterable[str]) -> None:
    """Let checkpoints of this process name these classes; each is imported when a checkpoint names it."""
    _ALLOWED.update(names)


def is_allowed(name: str) -> bool:
    """Whether the user has allowed this class in this process."""
    return name in _ALLOWED


@contextmanager
def errors_of_others(what: str) -> Iterator[None]:
    """AgentError, which begins with what failed, for an error inside; third-party code can fail in any way."""
    try:
        yield
    except W51Error:
        raise
    except Exception as error:
        raise AgentError(f"{what}: {type(error).__name__}: {error}") from error


class FunctionAgent(SingleAgent):
    """An agent that is a function of the observation and the mask of legal actions, and of nothing else.

    Args:
        function: (observation (layout.size,) int8, action mask (num_actions,) int8, **arguments) -> action id.
        arguments: Its other arguments.
    """

    needs_memory = False

    def __init__(self, function: Policy, arguments: dict[str, Any]):
        self._function, self._arguments = function, arguments

    def act(self, observation: np.ndarray, action_mask: np.ndarray, info: dict[str, Any] | None = None) -> int:
        return self._function(observation, action_mask, **self._arguments)


def has_arguments(name: str) -> bool:
    """Whether it is the name of a class or function with arguments, `module:Class,key=value`."""
    return _WITH_ARGUMENTS.match(name) is not None


def split_arguments(name: str) -> tuple[str, dict[str, Any]]:
    """`module:Class` and the arguments after it: true, false, integers, numbers, and else text.

    Raises:
        AgentError: A part is not `key=value`, or a key is given twice.
    """
    base, *parts = name.split(",")
    arguments: dict[str, Any] = {}
    for part in parts:
        key, equals, text = (piece.strip() for piece in part.partition("="))
        if not (key.isidentifier() and equals and text):
            raise AgentError(f"agent {name!r}: {part!r}, but key=value is needed, as in module:Class,path=weights.pt")
        if key in arguments:
            raise AgentError(f"agent {name!r}: {key} is given twice")
        arguments[key] = _value(text)
    return base, arguments


def _value(text: str) -> bool | int | float | str:
    if text in _WORDS:
        return _WORDS[text]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def import_agent(name: str, game: Game) -> Agent:
    """The agent that a class returns for this game, or a function of observation and mask as an agent.

    Raises:
        AgentError: There is no such object, its arguments do not fit, or it has not the methods of an `Agent`.
    """
    base, arguments = split_arguments(name)
    try:
        imported = import_object(base)
        make = (
            partial(FunctionAgent, imported, arguments) if is_policy(imported) else partial(imported, game, **arguments)
        )
        begun = time.perf_counter()
        agent = make()
        seconds = time.perf_counter() - begun
    except Exception as error:  # third-party code can fail in any way
        raise AgentError(f"agent {name!r} cannot be made: {type(error).__name__}: {error}") from error
    missing = [method for method in ("reset", "act") if not callable(getattr(agent, method, None))]
    if missing:
        raise AgentError(
            f"agent {name!r}: {type(agent).__name__} has no {', '.join(missing)}; see w51_agents.agent.interface.Agent"
        )
    apart = per_game(agent, make)
    if apart is not agent and getattr(agent, "needs_memory", None) is None and seconds > _LONG:
        _LOG.warning(
            "agent %r: an object is made for each game and seat, and one takes %.1f s; let the class say "
            "needs_memory = False if it keeps nothing from one decision for another, else True",
            name,
            seconds,
        )
    return apart


def is_policy(imported: Any) -> bool:
    """Whether an object is a function of two arguments that must be given: the observation and the mask."""
    if not inspect.isfunction(imported):
        return False
    needed = [
        parameter
        for parameter in inspect.signature(imported).parameters.values()
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
        and parameter.default is parameter.empty
    ]
    return len(needed) == 2
