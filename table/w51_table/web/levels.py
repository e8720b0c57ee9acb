"""The levels of the quick game: whom one meets there, the weakest first."""

from w51_env.engine.game import Game
from w51_table.play.agent_pool import plays_here
from w51_table.web.answer_types import LevelOffer

# (name, agent, rating). One player of rating R beats three others of rating S with the odds 10 ** ((R - S) / 400) to 3;
# `heuristic` has 1000. docs/web.md says which were measured, and how.
LEVELS = {
    "warehouse51_v1": (
        ("beginner", "style:heuristic,bids=8", 480),
        ("casual", "style:heuristic,bids=4", 730),
        ("solid", "heuristic", 1000),
        ("strong", "pretrained", 1217),
        ("expert", "champion:playouts=50", 1320),
        ("champion", "champion", 1394),
    ),
    "alles_futsch_v1": (
        ("beginner", "mimic:random>heuristic,lots=6", 402),
        ("casual", "mimic:random>heuristic,lots=3", 761),
        ("solid", "heuristic", 1000),
        ("strong", "pretrained", 1014),
        ("expert", "champion:playouts=50", 1095),
        ("champion", "champion", 1133),
    ),
}


def levels_of(game: Game) -> list[LevelOffer]:
    """The levels whose agents play this game with its options; none in games without levels."""
    return [
        {"name": name, "agent": agent, "rating": rating}
        for name, agent, rating in LEVELS.get(game.id, ())
        if plays_here(agent, game)
    ]
