"""How soon does a champion know whom it meets? Run: `python -m experiments.whom`.

A champion that hardly searches plays among copies of each agent that it may take others for. Printed is, by the number
of decisions that it has made, how often that agent is the likeliest for a seat, and its mean share.
"""

from collections import defaultdict
from typing import Annotated, Any

import numpy as np
import typer

from w51_agents.named.registry import make_agent
from w51_agents.networks.load import SEATED
from w51_env import make_game
from w51_lab.arena.matches import play_matches

DECISIONS = (1, 2, 4, 8, 16, 24, 32)  #  made before; from each to the next


class Watch:
    """Looks at what a witness believes: of all other seats, by the number of decisions before."""

    def __init__(self, witness: Any):
        self._witness, self._made = witness, dict[int, int]()
        self.keep = witness.keep
        self.found = defaultdict[int, list[np.ndarray]](list)

    def shares(self, info: dict[str, Any]) -> np.ndarray:
        """As of a `Witness`."""
        believed: np.ndarray = self._witness.shares(info)
        game = info["memory"]
        self._made[game] = 0 if info["is_first"] else self._made[game] + 1
        at = int(np.searchsorted(DECISIONS, self._made[game], side="right"))
        self.found[at].append(np.delete(believed, info["determinizer"].seat, axis=0))
        return believed


def main(
    players: Annotated[int, typer.Option(help="Players of the games.")] = 4,
    games: Annotated[int, typer.Option(min=3, help="Games among copies of each agent.")] = 24,
) -> None:
    """Play, print."""
    game = make_game("warehouse51_v1", num_players=players)
    for number, name in enumerate((game.bots[-1], *SEATED)):
        champion: Any = make_agent("champion:playouts=2", game)
        champion._witness = watch = Watch(champion._witness)
        play_matches(game, [("champion", champion), (name, make_agent(name, game))], games, seed=5)
        for at, first in enumerate(DECISIONS, 1):
            rows = np.concatenate(watch.found[at]) if watch.found[at] else np.zeros((0, 4))
            right, share = (rows.argmax(1) == number).mean(), rows[:, number].mean()
            print(f"{name}, from decision {first}: right {right:.0%}, share {share:.2f}")


if __name__ == "__main__":
    typer.run(main)
