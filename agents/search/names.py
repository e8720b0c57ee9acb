"""Search agents by name."""

from agents.search.agent import SearchAgent
from agents.search.settings import parse_settings
from w51_env.core.game import Game


def make_search(spec: str, game: Game) -> SearchAgent:
    """The search agent of a name such as `search:rollouts=2000` or `search:method=ismcts,seconds=1`.

    Args:
        spec: `search`, or `search:key=value,key=value`; the keys are those of `SearchSettings`.
        game: The game it shall play.

    Raises:
        AgentError: An unknown key, a value that is not allowed, or a prior that cannot be loaded.
    """
    return SearchAgent(game, parse_settings(spec))
