"""Scripted models: they take the first legal action of a prompt, or say what is no action."""

from tests.agents import chat_servers

NONSENSE = "I do not know"


def first_legal(prompt: str) -> str:
    """An answer that names the first legal action of a prompt."""
    return f"It is my turn.\n[{chat_servers.first_legal(prompt)}]"
