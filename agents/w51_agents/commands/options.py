"""Options of commands as the fields of a dataclass, and errors of commands as messages."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from w51_agents.console.settings import game_options
from w51_agents.console.terminal import INTERRUPTED, print_error
from w51_agents.system.stopping import stopped_as_by_ctrl_c
from w51_env.engine.errors import W51Error
from w51_env.engine.game import PUBLIC, Game
from w51_env.engine.registry import make_game
from w51_env.views.language import LANGUAGES


def command_with(options: type, kind: type = TyperCommand) -> Any:
    """A class of commands that also have the fields of a dataclass as options, and report errors.

    The function of such a command gets them as `context.obj`, an object of the dataclass.
    """
    declared = typer.Typer(add_completion=False)
    declared.command()(options)
    command: Any = typer.main.get_command(declared)

    class DeclaredCommand(kind):
        def __init__(self, *arguments: Any, params: list[Any], **settings: Any):
            super().__init__(*arguments, params=[*params, *command.params], **settings)

        @errors_reported()
        def invoke(self, context: Any) -> Any:
            context.obj = command.callback(**{param.name: context.params.pop(param.name) for param in command.params})
            return super().invoke(context)

    return DeclaredCommand


@contextmanager
def errors_reported() -> Iterator[None]:
    """Print an error of the input and end with status 2, after Ctrl-C or another signal to stop with 130."""
    try:
        with stopped_as_by_ctrl_c():
            yield
    except W51Error as error:
        print_error(error)
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None


@dataclass(frozen=True)
class GameOptions:
    """Options of the commands that make a game."""

    game: Annotated[str, typer.Option(help="Id of a registered game, or module:function.")] = "warehouse51_v1"
    players: Annotated[int | None, typer.Option(help="Number of players. Default: from the preset.")] = None
    preset: Annotated[str | None, typer.Option(help="Preset of the game's options. Default: the game's own.")] = None
    option: Annotated[
        list[str] | None, typer.Option(metavar="KEY=VALUE", help="An option of the game; can be repeated.")
    ] = None
    trust: Annotated[bool, typer.Option("--trust", help="Load pickled models, which can run any code.")] = False

    @property
    def options(self) -> dict[str, Any]:
        """The options of the game."""
        return game_options(self.players, self.preset, self.option or [])

    def make(self) -> Game:
        """The game with its rules bound."""
        return make_game(self.game, **self.options)


@dataclass(frozen=True)
class SeatedOptions(GameOptions):
    """Options of the commands that begin a game and show it."""

    language: Annotated[
        str | None, typer.Option(metavar="|".join(LANGUAGES), help="Language. Default: that of the locale.")
    ] = None
    seed: Annotated[int | None, typer.Option(help="Seed of the game. Default: a random one.")] = None

    @property
    def given(self) -> dict[str, Any]:
        """What would change a game that there is already; None where an option was not given."""
        options = {"--players": self.players, "--preset": self.preset, "--option": self.option or None}
        return {**options, "--seed": self.seed}


@dataclass(frozen=True)
class WatchOptions(SeatedOptions):
    """Options of the commands that show a replay, or a game that agents play now."""

    viewer: Annotated[str, typer.Option(help="Whose knowledge is shown: public, a seat (0, 1, ...), all.")] = PUBLIC
    agent: Annotated[
        str | None,
        typer.Option(
            help="The agent whose probabilities and values are shown; none: no agent. Default: pretrained, or "
            "heuristic where there is none.",
        ),
    ] = None
