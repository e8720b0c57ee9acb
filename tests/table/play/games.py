"""Games for the tests of terminal, playbacks and files."""

from functools import cache

import numpy as np

from w51_env import make_game
from w51_env.engine.batch import Batch
from w51_lab.replays.recorder import Recorder
from w51_lab.replays.replay import Replay
from w51_table.play.playback import Playback
from w51_table.play.table import Setup, Table


def played_at_random(
    game: str = "warehouse51_v1", seed: int = 3, names: tuple[str, ...] = ("Ann", "Ben", "Cem"), **options: object
) -> Table:
    """A finished game of random play, with a seat for each name."""
    table = Table(Setup(game, {"num_players": len(names), **options}, seed, names))
    generator = np.random.default_rng(seed)
    while not table.over:
        table.play(int(generator.choice(np.flatnonzero(table.action_mask))))
    return table


@cache
def recorded(game_id: str = "warehouse51_v1", **options: object) -> Replay:
    """A whole game of bots, with names."""
    game = make_game(game_id, **options)
    players = game.num_players
    batch = Batch(game, 1, controllers=["external"] + ["heuristic"] * (players - 1), seed=5, autoreset="disabled")
    batch.reset()
    recorder = Recorder(batch, players=["Ann", "Bob", "Cleo", "Dan", "Eve"][:players])
    while not recorder.replays:
        legal = np.flatnonzero(batch.action_mask[0])
        recorder.step(legal[:1])
    return recorder.replays[0]


def playback_of_agents(*agents: str, game: str = "warehouse51_v1", seed: int = 3, **options: object) -> Playback:
    """The playback of a game that agents play now."""
    return Playback.of_table(Table(Setup(game, {"num_players": len(agents), **options}, seed, agents)))
