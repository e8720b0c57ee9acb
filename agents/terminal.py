"""How the scripts speak: errors to the standard error stream, in plain words."""

from rich.console import Console
from rich.text import Text


def print_error(error: Exception) -> None:
    """The message as it is: what looks like markup in it, as `w51_env[sb3]`, is none."""
    Console(stderr=True).print(Text.assemble(("error: ", "red"), str(error)), soft_wrap=True)
