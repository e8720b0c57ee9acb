"""Games as OpenSpiel's, and states of them."""

import random
from functools import cache
from typing import Any

import pytest

from w51_agents.exact.tree import Tree

pytest.importorskip("pyspiel", reason="open-spiel is not installed")
from w51_env.adapters import openspiel

TINY = {"preset": "nano", "start_ingots": 1}  # 14,664 nodes
GAMES: dict[str, tuple[str, dict[str, Any]]] = {
    "nano": ("warehouse51_v1", {"preset": "nano"}),
    "mini": ("warehouse51_v1", {"preset": "mini"}),
    "default": ("warehouse51_v1", {}),
    "hu, 3 players": ("warehouse51_v1", {"preset": "hu", "num_players": 3}),
    "margin, 5 players": ("warehouse51_v1", {"num_players": 5, "reward": "margin"}),
    "alles_futsch": ("alles_futsch_v1", {}),
    "alles_futsch mini": ("alles_futsch_v1", {"preset": "mini", "reward": "rank"}),
    "auctions": ("auctions_v0", {"entry_fee": 3}),
    "auctions, margin": ("auctions_v0", {"preset": "mini", "reward": "margin"}),
}
every_game = pytest.mark.parametrize("name", GAMES)


@cache
def game_of(name: str) -> Any:
    game_id, options = GAMES[name]
    return openspiel.make(game_id, **options)


def random_state(game: Any, seed: int, most: int = 200) -> Any:
    """A state with players to move, after the deal and up to `most` random decisions."""
    draw = random.Random(seed)
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(draw.randrange(len(state.chance_outcomes())))
    for _ in range(draw.randrange(most)):
        following = state.child(draw.choice(state.legal_actions()))
        if following.is_terminal():
            break
        state = following
    return state


def strings_and_nodes(game: Any, tree: Tree) -> list[list[str]]:
    """The information state string of the seat to move at each node of the tree, level by level."""
    deals = [game.new_initial_state().child(number) for number in range(len(tree.levels[0]))]
    found, above = [], deals
    for depth, level in enumerate(tree.levels):
        if depth:
            actions = game.own_ids(level.action.tolist())
            above = [above[parent].child(action) for parent, action in zip(level.parent, actions, strict=True)]
        found.append(
            [
                "" if mover < 0 else state.information_state_string()
                for state, mover in zip(above, level.mover, strict=True)
            ]
        )
        assert [state.current_player() for state in above] == [
            mover if mover >= 0 else -4 for mover in level.mover.tolist()
        ]
    return found
