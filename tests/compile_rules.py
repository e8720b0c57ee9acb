"""Compile what most tests use, each part in a process of its own: `python -m tests.compile_rules`.

Processes of pytest that begin with an empty cache meet the same rules, and each would compile them.
"""

import os
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from w51_env import make_vec, registered_games
from w51_env.engine.bots import Bot, HeuristicFeatures
from w51_env.engine.standing import Standing


def play(game_id: str) -> None:
    """Call each entry of a game."""
    batch = make_vec(game_id, 20, seed=1, events=True, history=8)
    batch.reset()
    for _ in range(300):  # the ends of games are compiled apart
        batch.step(batch.sample_actions())
    batch.load(batch.clone())
    batch.resample_hidden(0, 1)
    for bot in batch.game.bots:
        Bot(batch.game, bot)
        controllers = [bot] * batch.game.num_players
        make_vec(game_id, 20, seed=1, controllers=controllers, autoreset="disabled").reset()
    for make in (Standing, HeuristicFeatures):
        try:
            made = make(batch.game)
        except ValueError:  # not every game has it
            continue
        made.scores(batch.games) if make is Standing else made.compute(batch.observation)
    batch.history()


def learn() -> None:
    """Train a network for a moment."""
    from tests.agents.networks.small import small, train
    from w51_agents.training.run import Run

    with tempfile.TemporaryDirectory() as folder:
        train(Run.begin(small("selfplay", Path(folder), decisions=300)))


if __name__ == "__main__":
    games = (*registered_games(), "tests.env.third_game:make")
    parts: list[Callable[[], None]] = [*(partial(play, game_id) for game_id in games), learn]
    children = []
    for part in parts:
        if not (child := os.fork()):
            part()
            os._exit(0)
        children.append(child)
    sys.exit(max(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children))
