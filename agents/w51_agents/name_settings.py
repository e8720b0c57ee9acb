"""Settings in the name of an agent: `search:playouts=50,prior=random`."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_args, get_type_hints

from w51_agents.agent.interface import AgentError
from w51_env.engine.errors import unknown

Kind = Callable[[str], Any]


def kinds_of(settings: type) -> dict[str, Kind]:
    """`int`, `float` or `str` for each field of a dataclass of settings; a field may be None, too."""
    kinds: tuple[Kind, ...] = (int, float, str)
    hints = get_type_hints(settings).items()
    return {name: next(kind for kind in kinds if kind in (hint, *get_args(hint))) for name, hint in hints}


def parse_pairs(spec: str, parts: Sequence[str], kinds: Mapping[str, Kind]) -> dict[str, Any]:
    """The values in parts `key=value` of a name.

    Args:
        spec: The whole name, for messages.
        parts: The parts.
        kinds: `int`, `float` or `str` for each key.

    Raises:
        AgentError: An unknown key, a key that is given twice, or a value that is not of its kind.
    """
    settings: dict[str, Any] = {}
    for part in parts:
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if key not in kinds:
            raise AgentError(unknown(f"agent {spec!r}: key", key, kinds))
        if key in settings:
            raise AgentError(f"agent {spec!r}: {key} is given twice")
        if not equals or not value:
            raise AgentError(f"agent {spec!r}: {key} has no value; write {key}=value")
        try:
            settings[key] = kinds[key](value)
        except ValueError:
            kind = "an integer" if kinds[key] is int else "a number"
            raise AgentError(f"agent {spec!r}: {key}: {value!r}, but {kind} is needed") from None
    return settings


def check(holds: bool, name: str, value: object, needed: str) -> None:
    """AgentError that names the setting, its value and what is needed, unless the condition holds."""
    if not holds:
        raise AgentError(f"{name}: {value!r}, but {needed} is needed")
