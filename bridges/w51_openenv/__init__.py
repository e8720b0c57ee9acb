"""Games of language models for OpenEnv: a server and its client."""

from w51_openenv.client import GameClient
from w51_openenv.models import Answer, Ask

__all__ = ["Answer", "Ask", "GameClient"]
