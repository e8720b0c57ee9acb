"""Games by id, imported at first use, so that the engine imports no game.

`w51_env/__init__.py` registers the games of this package with one line each; a game of yours needs the same line.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from w51_env.engine.errors import OptionError, unknown
from w51_env.engine.imports import import_object
from w51_env.engine.options import REWARDS
from w51_env.engine.plain_data import in_short

if TYPE_CHECKING:  # importing the package must not load the compiler
    from w51_env.engine.game import Game

# What is registered stays so when this module is reloaded.
_FACTORIES: dict[str, str] = globals().get("_FACTORIES", {})
_SHOWN = 100  # characters of a text in a message
_CURRENT: dict[str, str] = globals().get("_CURRENT", {})  # by the id of an earlier version


def register_game(game_id: str, factory: str, earlier: Sequence[str] = ()) -> None:
    """Register a game.

    Args:
        game_id: Name and version as `Game.id` gives them, like `warehouse51_v1`.
        factory: `"module:function"`; the function takes the game's options and returns a `Game`. Imported at first use.
        earlier: Ids of earlier versions with the same observations and actions. Their checkpoints play this version,
            and their replays are read if they lead to the same state.

    Raises:
        OptionError: `factory` is not of this form, or the id is taken by another factory.
    """
    module, separator, function = factory.partition(":")
    if not (module and separator and function.isidentifier()):
        raise OptionError(f"game {game_id!r}: factory {factory!r}, but 'module:function' is needed")
    if _FACTORIES.get(game_id, factory) != factory:
        raise OptionError(f"game {game_id!r}: is registered already, as {_FACTORIES[game_id]!r}")
    _FACTORIES[game_id] = factory
    _CURRENT.update(dict.fromkeys(earlier, game_id))


def current_id(game_id: str) -> str:
    """The id of the registered game that reads the files of an earlier version; any other id is returned as it is."""
    return _CURRENT.get(game_id, game_id)


def unknown_game(game_id: str) -> str:
    """The message for an id that is not registered: another version of a game, or none."""
    name = game_id.rpartition("_v")[0]
    other = ", ".join(known for known in _FACTORIES if known.rpartition("_v")[0] == name)
    if other:
        return f"game: {game_id!r}, but this version of the package plays {other}"
    return unknown("game:", game_id, _FACTORIES)


def registered_games() -> tuple[str, ...]:
    """The ids of all registered games, in the order of registration."""
    return tuple(_FACTORIES)


def make_game(game_id: str, /, **options: Any) -> "Game":
    """The game of this id with its rules bound.

    Args:
        game_id: A registered id; or a factory, `"module:function"`, of a game that is not registered.
        **options: Options of the game.

    Raises:
        OptionError: No such game, an unknown option, or a value that is not allowed.
    """
    factory = _FACTORIES.get(_checked_id(game_id), game_id)
    if ":" not in factory:
        raise OptionError(unknown_game(game_id))
    try:
        make = import_object(factory)
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        raise OptionError(f"game: {game_id!r} cannot be made: {error}") from None
    if not callable(make):
        raise OptionError(f"game: {game_id!r} cannot be made: {type(make).__name__}, but a function is needed")
    return make(**options)


def game_from_outside(game_id: Any, options: Any = None) -> "Game":
    """The game that others name, in a request, a message or a file of theirs: no code is imported, no file is opened.

    Args:
        game_id: A registered id; no factory.
        options: Options of the game, whose texts `check_from_outside` allows.

    Raises:
        OptionError: As of `make_game`, or another id or text.
    """
    given = {} if options is None else options
    check_from_outside(game_id, given)
    return make_game(game_id, **given)


def check_from_outside(game_id: Any, options: Any) -> None:
    """OptionError if others name a game that is not registered, or the path of a file in an option.

    A text in the options is one that the game lists (`Game.choices`, `Game.presets`) or describes (`Game.forms`), its
    default, or the content of a file, which has several lines.
    """
    if _checked_id(game_id) not in _FACTORIES:
        raise OptionError(unknown_game(game_id))
    if not isinstance(options, Mapping):
        raise OptionError(f"options: {in_short(options)}, but an object is needed")
    usual = make_game(game_id)
    listed = {"reward": REWARDS, **usual.choices, "preset": usual.presets}
    for name, value in options.items():
        allowed = [*listed.get(name, ()), usual.options.get(name)]
        for text in _texts(value):
            form = usual.forms.get(name, "")
            if text in allowed or "\n" in text or (form and re.fullmatch(form, text)):
                continue
            shown = ", ".join(str(one) for one in dict.fromkeys(allowed) if one)
            raise OptionError(f"{name}: {text[:_SHOWN]!r}, but allowed here are {shown or form or 'no texts'}")


def _checked_id(game_id: Any) -> str:
    """The id. OptionError unless it is a text."""
    if not isinstance(game_id, str):
        raise OptionError(
            f"game: {game_id!r}, but the id of a game is needed, a text such as {next(iter(_FACTORIES), '')!r}"
        )
    return game_id


def _texts(value: Any) -> Iterator[str]:
    """All texts in plain data, however deep it is nested."""
    left = [value]
    while left:
        one = left.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, Mapping):
            left += [*one, *one.values()]
        elif isinstance(one, Sequence):
            left += one
