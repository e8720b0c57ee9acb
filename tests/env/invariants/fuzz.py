"""Random play in search of a broken invariant: `python -m tests.env.invariants.fuzz --steps 10000000`.

Plays every preset of every game with every number of players and checks, of each step and in many games at once, what
the rules say can never be otherwise. Stops at the first game that breaks it and names the game's seed, so that it
can be played again alone.
"""

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from itertools import count

import numpy as np

from tests.env.invariants.alles_futsch import AllesFutschInvariants
from tests.env.invariants.any_game import Invariants
from tests.env.invariants.auctions import AuctionInvariants
from tests.env.invariants.warehouse51 import Warehouse51Invariants
from w51_env.engine.batch import Batch
from w51_env.engine.game import NO_ACTION, Game

INVARIANTS: dict[str, type[Invariants]] = {
    "warehouse51": Warehouse51Invariants,
    "alles_futsch": AllesFutschInvariants,
    "auctions": AuctionInvariants,
}


def random_actions(batch: Batch, step: int) -> np.ndarray:
    """(N,) legal actions: a third of the games uniform, a third with low bids and passes, a third with pawning."""
    actions = batch.sample_actions(2 * step)
    again = batch.sample_actions(2 * step + 1)
    return np.choose(np.arange(batch.num_games) % 3, [actions, np.minimum(actions, again), np.maximum(actions, again)])


@dataclass
class Played:
    """Counts of random play: decisions of external seats, finished games, states whose invariants were checked."""

    steps: int = 0
    games: int = 0
    states: int = 0


def fuzz(
    game: Game,
    steps: int,
    num_games: int,
    seed: int = 0,
    kind: Callable[[Batch], Invariants] = Warehouse51Invariants,
    every: int = 1,
) -> Played:
    """Play at least so many steps.

    Args:
        every: All invariants are checked in all games after each step of this number, and in each finished game at its
            end.
    """
    batch = Batch(game, num_games, seed=seed, autoreset="next_step", keep_final=False)
    batch.reset()
    invariants = kind(batch)
    invariants.check()
    played = Played(states=num_games)
    for step in count(1):
        actions = random_actions(batch, step)
        batch.step(actions)
        played.steps += int((actions != NO_ACTION).sum())
        ended = np.flatnonzero(batch.done)
        played.games += len(ended)
        enough = played.steps >= steps
        if step % every == 0 or enough:
            invariants.keep()
            played.states += num_games
        elif len(ended):
            invariants.keep(ended)
            played.states += len(ended)
        if enough:
            break
    invariants.check_kept()
    return played


def all_games(name: str = "warehouse51") -> Iterator[tuple[str, Game]]:
    """Every preset of a game with every number of players that it allows; of presets with equal options the first."""
    rules = import_module(f"w51_env.{name}.rules")
    make = import_module(f"w51_env.{name}").make
    made: list[dict] = []
    for preset, fixed in rules.PRESETS.items():
        if fixed in made:
            continue
        made.append(fixed)
        for num_players in (fixed["num_players"],) if "num_players" in fixed else rules.NUM_PLAYERS:
            yield f"{preset}, {num_players} players", make(num_players, preset)


def main() -> None:
    """Read the command line, fuzz, and print what was done."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[2])
    parser.add_argument("--steps", type=int, default=1_000_000, help="decisions in all (default: %(default)s)")
    parser.add_argument("--games", type=int, default=2048, help="games side by side (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    variants = [(name, game, kind) for owner, kind in INVARIANTS.items() for name, game in all_games(owner)]
    steps = -(-arguments.steps // len(variants))
    total = Played()
    for name, game, kind in variants:
        played = fuzz(game, steps, min(arguments.games, steps), arguments.seed, kind)
        total.steps, total.games = total.steps + played.steps, total.games + played.games
        print(f"{game.name:12} {name:20} {played.steps:>10,} steps {played.games:>9,} games", flush=True)
    print(f"{total.steps:,} steps, {total.games:,} games finished, no invariant broken")


if __name__ == "__main__":
    main()
