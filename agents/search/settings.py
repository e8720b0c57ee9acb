"""What can be set of a search agent, and its name: `search:rollouts=2000`."""

import math
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

from agents.agent import AgentError
from w51_env.core.errors import nearest

SEARCH = "search"
METHODS = ("flat", "ismcts")
SECRETS = ("bot", "uniform")
_DEFAULT_ROLLOUTS = 1000


@dataclass(frozen=True)
class SearchSettings:
    """All settings. With the same of them and the same seed an agent answers the same, unless it is bound by seconds.

    Attributes:
        method: `flat` or `ismcts`.
        rollouts: Playouts a decision; None only if `seconds` is given.
        seconds: Of wall time a decision, instead.
        rollout: The bot that plays all seats in the playouts; None: the game's best, its last.
        prior: Whose choice is left only for a better one: a bot, or a checkpoint as `make_agent` takes it. None: that of `rollout`,
            or the game's best bot if that is `random`.
        margin: Weight of the lead beside that of the victory, 0 to 1.
        doubt: Standard errors by which an action must lead the prior's choice to be preferred to it.
        exploration: Of `ismcts`: the weight of what was tried seldom.
        secrets: What others are taken to have chosen in secret: what the bot would (`bot`), or anything (`uniform`).

    Raises:
        AgentError: A value that is not allowed.
    """

    method: str = METHODS[0]
    rollouts: int | None = None
    seconds: float | None = None
    rollout: str | None = None
    prior: str | None = None
    margin: float = 0.3
    doubt: float = 1.0
    exploration: float = 0.2
    secrets: str = SECRETS[0]

    def __post_init__(self) -> None:
        _check_choice("method", self.method, METHODS)
        _check_choice("secrets", self.secrets, SECRETS)
        if self.rollouts is not None and self.seconds is not None:
            raise AgentError(
                f"rollouts: {self.rollouts} and seconds: {self.seconds}, but one of the two bounds a search"
            )
        if self.rollouts is None and self.seconds is None:
            object.__setattr__(self, "rollouts", _DEFAULT_ROLLOUTS)
        _check(self.rollouts is None or self.rollouts >= 1, "rollouts", self.rollouts, "an integer of at least 1")
        _check(self.seconds is None or 0 < self.seconds < math.inf, "seconds", self.seconds, "a number above 0")
        _check(0 <= self.margin <= 1, "margin", self.margin, "a number from 0 to 1")
        _check(0 <= self.doubt < math.inf, "doubt", self.doubt, "a number of at least 0")
        _check(0 <= self.exploration < math.inf, "exploration", self.exploration, "a number of at least 0")


_NUMBERS: dict[str, Callable[[str], Any]] = {
    "rollouts": int,
    "seconds": float,
    "margin": float,
    "doubt": float,
    "exploration": float,
}


def is_search(name: str) -> bool:
    """Whether this is the name of a search agent: `search`, or `search:` and settings."""
    return name.partition(":")[0] == SEARCH


def parse_settings(spec: str) -> SearchSettings:
    """The settings of a name: `search`, or `search:key=value,key=value`.

    Raises:
        AgentError: Another name, an unknown key, one that is given twice, or a value that is not allowed.
    """
    told = spec.partition(":")[2]
    if not is_search(spec):
        raise AgentError(f"agent {spec!r}: the name of a search agent begins with {SEARCH!r}")
    known = [field.name for field in fields(SearchSettings)]
    given: dict[str, Any] = {}
    for part in told.split(",") if told else ():
        key, equals, text = (piece.strip() for piece in part.partition("="))
        if key not in known:
            raise AgentError(
                f"agent {spec!r}: key {key!r} is unknown; known are {', '.join(known)}{nearest(key, known)}"
            )
        if key in given:
            raise AgentError(f"agent {spec!r}: {key} is given twice")
        if not equals or not text:
            raise AgentError(f"agent {spec!r}: {key} has no value; write {key}=value")
        try:
            given[key] = _NUMBERS.get(key, str)(text)
        except ValueError:
            kind = "an integer" if _NUMBERS[key] is int else "a number"
            raise AgentError(f"agent {spec!r}: {key}: {text!r}, but {kind} is needed") from None
    try:
        return SearchSettings(**given)
    except AgentError as error:
        raise AgentError(f"agent {spec!r}: {error}") from None


def _check_choice(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise AgentError(f"{name}: {value!r}, but allowed are {', '.join(allowed)}{nearest(value, allowed)}")


def _check(holds: bool, name: str, value: object, needed: str) -> None:
    if not holds:
        raise AgentError(f"{name}: {value!r}, but {needed} is needed")
