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
def views(game_id: str, num_players: int, language: str = "en", viewer: Any = 1, **options: Any) -> tuple[View, ...]:
    """What a viewer may know before each decision of one random game, and at its end."""
    batch = make_vec(game_id, 1, seed=5, num_players=num_players, autoreset="disabled", events=True, **options)
    batch.reset()
    found = []
    for drawn in range(2000):
        found.append(batch.view(0, viewer, words=Words(language)))
        if batch.seat[0] < 0:
            return tuple(found)
        batch.step(batch.sample_actions(drawn))
    raise AssertionError("the game goes on and on")


def one_of_each_phase(game_id: str, num_players: int, **arguments: Any) -> dict[str, View]:
    """The last view of each phase in the second half of a game, where the most lies on the table."""
    found = views(game_id, num_players, **arguments)
    return {view.phase: view for view in (*found[::-1][: len(found) // 3][::-1], *found[-1:])}
