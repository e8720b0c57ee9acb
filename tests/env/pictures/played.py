"""Views of whole random games, for pictures of every phase."""

from functools import cache
from typing import Any

from w51_env import make_vec
from w51_env.views.language import Words
from w51_env.views.view import View

THIRD = "tests.env.third_game:make"
TABLES = [("warehouse51_v1", players) for players in (3, 4, 5)] + [
    ("alles_futsch_v1", players) for players in (2, 3, 4, 5)
]


@cache
def views(game_id: str, num_players: int, language: str = "en", viewer: Any = 1, most: int = 2000) -> tuple[View, ...]:
    """What a viewer may know before each decision of one random game, and at its end; at most so many views."""
    batch = make_vec(game_id, 1, seed=5, num_players=num_players, autoreset="disabled", events=True)
    batch.reset()
    found = [batch.view(0, viewer, words=Words(language))]
    while batch.seat[0] >= 0 and len(found) < most:
        batch.step(batch.sample_actions(len(found) - 1))
        found.append(batch.view(0, viewer, words=Words(language)))
    return tuple(found)


def one_of_each_phase(game_id: str, num_players: int, **arguments: Any) -> dict[str, View]:
    """The last view of each phase in the second half of a game, where the most lies on the table."""
    found = views(game_id, num_players, **arguments)
    return {view.phase: view for view in (*found[::-1][: len(found) // 3][::-1], *found[-1:])}
