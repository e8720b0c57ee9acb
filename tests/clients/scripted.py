"""Scripted models: they take the first legal action of a prompt, or say what is no action."""

import re

LEGAL = re.compile(r"^- ([a-z_0-9]+)(?: \.\.\. [a-z_0-9]+)?: ", re.MULTILINE)
NONSENSE = "I do not know"


def first_legal(prompt: str) -> str:
    """An answer that names the first legal action of a prompt."""
    return f"It is my turn.\n[{LEGAL.findall(prompt.rpartition('Your legal actions:')[2])[0]}]"
