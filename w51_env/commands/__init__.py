"""The commands of this package, `w51 train` and others, which are also the scripts of the repository.

A command is imported when it is used. This module imports no package of others, so that it can name
an extra that is missing.
"""

import sys
from importlib import import_module

from w51_env.console.loading import loading

COMMANDS = {
    "train": ("w51_env.commands.train", "Train an agent and evaluate it against the baselines."),
    "curves": ("w51_env.commands.curves", "Draw the learning curves of several runs in one figure."),
    "evaluate": ("w51_env.commands.evaluate", "Play agents against each other and print win rates."),
    "benchmark": ("w51_env.commands.benchmark", "Play an agent in the tracks of w51-bench and write its entry."),
    "dataset": ("w51_env.commands.dataset", "Write games of agents as offline data."),
    "export": ("w51_env.commands.export", "Write the policy of a network as a file of torch.export or ONNX."),
    "play": ("w51_env.commands.play", "Play, watch and export games, in the browser or in the terminal."),
}
_USAGE_ERROR = 2  # exit status


def main(arguments: list[str] | None = None) -> None:
    """Run `w51 COMMAND ...`; ends the process with the exit status of the command."""
    name, *others = (sys.argv[1:] if arguments is None else arguments) or ["--help"]
    if name not in COMMANDS:
        _print_usage(name)
    try:
        with loading():
            app = import_module(COMMANDS[name][0]).app
    except ModuleNotFoundError as error:
        sys.exit(f"error: w51 {name}: pip install '.[train,arena,play]' ({error})")
    app(others, prog_name=f"w51 {name}")


def _print_usage(name: str) -> None:
    """Print the commands and end the process: with an error, unless `name` asks for help or the version."""
    from w51_env import __version__
    from w51_env.core.errors import nearest

    lines = [f"  w51 {command:10} {text}" for command, (_, text) in COMMANDS.items()]
    usage = "\n".join(["Usage: w51 COMMAND ...", "", *lines, "", "w51 COMMAND --help has examples."])
    if name == "--version":
        print(f"w51_env {__version__}")
    elif name in ("--help", "-h", "help"):
        print(usage)
    else:
        print(f"error: w51 {name}: no such command{nearest(name, COMMANDS)}\n\n{usage}", file=sys.stderr)
        sys.exit(_USAGE_ERROR)
    sys.exit(0)
