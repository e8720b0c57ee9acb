"""One process of `compare.py`, which plays the sources of a checkout, this one's or an older one's.

It reads the name of a line, plays for a while, and writes the rate for each line on its standard input.
"""

import importlib
import importlib.util
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from w51_env import make_game, make_vec, registered_games

Play = Callable[[], int]  # plays, and returns the number of steps

GAME = registered_games()[0]  # of an older checkout: its version of the game
ENTRY_MODULE = importlib.import_module(f"w51_env.{GAME}")  # of PettingZoo
# The former in older checkouts.
AGENTS = "w51_env.agents" if importlib.util.find_spec("w51_env.agents") else "w51_agents"
SELF_PLAY = """
name: one
game: {game}
options: {{num_players: 4, reward: margin}}
decisions: 1_000_000_000
trainer: selfplay
threads: {threads}
selfplay:
  games: [{{num_players: 4, num_envs: 256, opponents: self}}]
  hidden_sizes: [128, 128]
  num_steps: 64
  minibatch_size: 2048
  update_epochs: 1
  pool: 0
"""


def batch(num_games: int, observe: bool, calls: int) -> Play:
    """Random play of a batch."""
    games = make_vec(GAME, num_games, num_players=4, seed=0, observe=observe)
    games.reset()

    def play() -> int:
        for _ in range(calls):
            games.step(games.sample_actions())
        return num_games * calls

    return play


def aec(make: Callable[..., Any]) -> Play:
    """A game of PettingZoo, always the first legal action."""
    env = make(num_players=4)

    def play() -> int:
        env.reset(seed=0)
        steps = 0
        for _ in env.agent_iter():
            observation, _, over, _, _ = env.last()
            if over:
                break
            env.step(int(observation["action_mask"].argmax()))
            steps += 1
        return steps

    return play


def open_spiel() -> Play:
    """A random game of OpenSpiel."""
    import pyspiel

    import w51_env.adapters.openspiel  # noqa: F401 - registers the game

    game, draw = pyspiel.load_game(GAME), random.Random(0).random

    def play() -> int:
        steps, state = 0, game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(int(draw() * 256))
            else:
                legal = state.legal_actions()
                state.apply_action(legal[int(draw() * len(legal))])
                steps += 1
        return steps

    return play


def gymnasium_vector(num_envs: int) -> Play:
    """Gymnasium's vector environment, always the first legal action."""
    import gymnasium

    env = gymnasium.make_vec(
        GAME.replace("warehouse51_", "w51_env/Warehouse51-"), num_envs=num_envs, autoreset_mode="SameStep"
    )
    masks = [env.reset(seed=0)[-1]["action_mask"]]

    def play() -> int:
        for _ in range(200):
            masks[0] = env.step(masks[0].argmax(axis=1))[-1]["action_mask"]
        return 200 * num_envs

    return play


def sb3(num_envs: int) -> Play:
    """The vector environment of Stable-Baselines3, always the first legal action."""
    from w51_env.adapters.sb3_vec_env import LearnerVecEnv

    env = LearnerVecEnv(GAME, num_envs, seed=0)
    env.reset()

    def play() -> int:
        for _ in range(200):
            env.step(env.action_masks().argmax(axis=1))
        return 200 * num_envs

    return play


def midgame(num_games: int) -> Any:
    """A batch of games after 40 decisions."""
    games = make_vec(GAME, num_games, num_players=4, seed=0, autoreset="disabled")
    games.reset()
    for _ in range(40):
        games.step(games.sample_actions())
    return games


def state_call(call: Callable[[Any, Any], object]) -> Play:
    """A call with a batch of one game and its state."""
    games = midgame(1)
    state = games.clone()

    def play() -> int:
        for _ in range(500):
            call(games, state)
        return 500

    return play


def heuristics() -> Play:
    """Games of the heuristic in a batch."""
    games = make_vec(GAME, 256, num_players=4, controllers=["heuristic"] * 4, observe=False, autoreset="disabled")

    def play() -> int:
        games.reset(seed=0)
        return 256

    return play


def agents(module: str) -> Any:
    """A module of the package of agents."""
    return importlib.import_module(f"{AGENTS}.{module}")


def search() -> Play:
    """Decisions of a search."""
    make_agent = importlib.import_module(AGENTS).make_agent
    games = midgame(16)
    running = np.flatnonzero(games.seat >= 0).tolist()
    agent = make_agent("search:playouts=100", games.game)

    def play() -> int:
        agent.reset(0)
        for index in running:
            one, infos = slice(index, index + 1), [{"determinizer": games.determinizer(index)}]
            agent.act_batch(games.observation[one], games.action_mask[one], infos)
        return len(running)

    return play


def self_play(threads: int) -> Play:
    """Updates of self-play."""
    import torch

    load_config, trainer_class = agents("training.config").load_config, agents("training.selfplay").SelfPlayTrainer
    own_threads = importlib.util.find_spec(f"{AGENTS}.training.threads")  # else PyTorch's serve the learner
    torch.set_num_threads(1 if own_threads else threads)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "one.yaml")
        path.write_text(SELF_PLAY.format(game=GAME, threads=threads), "utf-8")
        config: Any = load_config(path, [])
    trainer = trainer_class(config, make_game(config.game, **config.options))

    def play() -> int:
        before = trainer.decisions
        trainer.update()
        return trainer.decisions - before

    return play


def start(compiled: bool) -> Play:
    """A process that makes one step, with compiled code in its cache or without."""
    script = f"from w51_env import make_vec; b = make_vec({GAME!r}, seed=0); b.reset(); b.step(b.sample_actions())"
    cache = tempfile.TemporaryDirectory()

    def play() -> int:
        with tempfile.TemporaryDirectory() as empty:
            environment = {**os.environ, "W51_ENV_CACHE": cache.name if compiled else empty}
            subprocess.run([sys.executable, "-c", script], env=environment, check=True)
        return 1

    return play


def spent() -> float:
    """Processor time of this process and of those that it started."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


LINES: dict[str, Callable[[], Play]] = {
    "1 game": lambda: batch(1, True, 1000),
    "1 game, no observations": lambda: batch(1, False, 1000),
    "64 games": lambda: batch(64, True, 300),
    "1024 games": lambda: batch(1024, True, 40),
    "1024 games, no observations": lambda: batch(1024, False, 60),
    "PettingZoo env()": lambda: aec(ENTRY_MODULE.env),
    "PettingZoo raw_env()": lambda: aec(ENTRY_MODULE.raw_env),
    "OpenSpiel, moves": open_spiel,
    "Gymnasium vector, 8 games": lambda: gymnasium_vector(8),
    "Stable-Baselines3, 8 games": lambda: sb3(8),
    "resample_hidden, 1 game": lambda: state_call(lambda games, state: games.resample_hidden(0, 0)),
    "clone, 1 game": lambda: state_call(lambda games, state: games.clone()),
    "load, 1 game": lambda: state_call(lambda games, state: games.load(state)),
    "heuristic games in a batch": heuristics,
    "search, 100 playouts": search,
    "self-play, learned decisions": lambda: self_play(1),
    "self-play, two threads, by wall time": lambda: self_play(2),
    "start, compiled before": lambda: start(True),
    "start, the first time": lambda: start(False),
}


def main(line: str) -> None:
    """Play a line once, then whenever it is asked to."""
    play = LINES[line]()
    clock = time.perf_counter if "wall time" in line else spent
    play()
    print("ready", flush=True)
    for _ in sys.stdin:
        begun = clock()
        steps = play()
        print(steps / (clock() - begun), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
