"""Games of language models for TextArena: `w51_textarena.register()`, then TextArena's own `make`."""

from w51_textarena.environment import TextArenaEnv, register

__all__ = ["TextArenaEnv", "register"]
