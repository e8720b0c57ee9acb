"""The command `w51`: it finds the commands of the houses, `w51 train` and others.

A command is imported when it is used. This module imports no package of others, so that it can name
an extra that is missing.
"""

import os
import sys
from importlib import import_module

from w51_agents.console.loading import loading

HOUSES = ("w51_agents", "w51_lab", "w51_table")  # each names its own commands in HOUSE.commands.COMMANDS
_USAGE_ERROR = 2  # exit status


def main(arguments: list[str] | None = None) -> None:
    """Run `w51 COMMAND ...`; ends the process with the exit status of the command."""
    name, *others = (sys.argv[1:] if arguments is None else arguments) or ["--help"]
    known = commands()
    if name not in known:
        _print_usage(name, known)
    try:
        with loading():
            app = import_module(known[name][0]).app
    except ModuleNotFoundError as error:
        sys.exit(f"error: w51 {name}: needs more packages: pip install 'w51_env[train,arena,play]' ({error})")
    app(others, prog_name=f"w51 {name}")


def commands() -> dict[str, tuple[str, str]]:
    """Module and purpose of each command, by its name."""
    named: dict[str, tuple[str, str]] = {}
    for house in HOUSES:
        named |= import_module(f"{house}.commands").COMMANDS
    return named


def _print_usage(name: str, known: dict[str, tuple[str, str]]) -> None:
    """Print the commands and end the process: with an error, unless `name` asks for help or the version."""
    from w51_env import __version__
    from w51_env.engine.errors import nearest

    lines = [f"  w51 {command:10} {text}" for command, (_, text) in known.items()]
    usage = "\n".join(["Usage: w51 COMMAND ...", "", *lines, "", "w51 COMMAND --help has examples."])
    if name == "--version":
        print(f"w51_env {__version__}")
    elif name in ("--help", "-h", "help"):
        try:
            print(usage, flush=True)
        except BrokenPipeError:  # a reader that has seen enough, as `head`
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    else:
        print(f"error: w51 {name}: no such command{nearest(name, known)}\n\n{usage}", file=sys.stderr)
        sys.exit(_USAGE_ERROR)
    sys.exit(0)
