"""Speed of these sources beside those of another checkout: `python benchmarks/compare.py ../other-checkout`.

A process each, which play by turns for some hundredths of a second: so a machine whose speed varies slows both alike.
Rates are per second of processor time, since other processes may run beside, unless a line says by wall time. All play
is random and legal, in Warehouse 51 for four players; a step is one decision of one seat.
"""

import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

ROOT = Path(__file__).resolve().parents[1]


class Line(NamedTuple):
    """What is compared.

    Attributes:
        target: How often the other checkout's rate these sources must reach; beside commit db1eea5 that of the work on
            calls, starts and playouts.
        turns: The most turns of a pair of processes.
    """

    target: float
    turns: int = 1000


LINES = {
    "1 game": Line(2.9),
    "1 game, no observations": Line(2.9),
    "64 games": Line(1.4),
    "1024 games": Line(1.43),
    "1024 games, no observations": Line(1.2),
    "PettingZoo env()": Line(1.5),
    "PettingZoo raw_env()": Line(1.5),
    "OpenSpiel, moves": Line(1.92),
    "Gymnasium vector, 8 games": Line(2.0),
    "Stable-Baselines3, 8 games": Line(2.0),
    "resample_hidden, 1 game": Line(9.6),
    "clone, 1 game": Line(3.0),
    "load, 1 game": Line(2.4),
    "heuristic games in a batch": Line(3.0, 20),
    "search, 100 playouts": Line(3.0, 20),
    "self-play, learned decisions": Line(0.95, 8),
    "self-play, two threads, by wall time": Line(1.5, 8),
    "start, compiled before": Line(2.2, 5),
    "start, the first time": Line(2.8, 1),
}
# One process: reads the name of a line, plays for a while, writes the rate.
PLAY = '''
import importlib.util, os, random, resource, subprocess, sys, tempfile, time
import numpy as np
from w51_env import make_vec, warehouse51_v0

GAME = "warehouse51_v0"
SELF_PLAY = """
name: one
game: warehouse51_v0
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

def batch(num_games, observe, calls):
    games = make_vec(GAME, num_games, num_players=4, seed=0, observe=observe)
    games.reset()
    def play():
        for _ in range(calls):
            games.step(games.sample_actions())
        return num_games * calls
    return play

def aec(make):
    env = make(num_players=4)
    def play():
        env.reset(seed=0)
        steps = 0
        for agent in env.agent_iter():
            observation, _, over, _, _ = env.last()
            if over:
                return steps
            env.step(int(observation["action_mask"].argmax()))
            steps += 1
    return play

def open_spiel():
    import pyspiel
    import w51_env.adapters.openspiel
    game, draw = pyspiel.load_game(GAME), random.Random(0).random
    def play():
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

def gymnasium_vector(num_envs):
    import gymnasium
    env = gymnasium.make_vec("w51_env/Warehouse51-v0", num_envs=num_envs, autoreset_mode="SameStep")
    masks = [env.reset(seed=0)[-1]["action_mask"]]
    def play():
        for _ in range(200):
            masks[0] = env.step(masks[0].argmax(axis=1))[-1]["action_mask"]
        return 200 * num_envs
    return play

def sb3(num_envs):
    from w51_env.adapters.sb3_vec_env import LearnerVecEnv
    env = LearnerVecEnv(GAME, num_envs, seed=0)
    env.reset()
    def play():
        for _ in range(200):
            env.step(env.action_masks().argmax(axis=1))
        return 200 * num_envs
    return play

def midgame(num_games):
    games = make_vec(GAME, num_games, num_players=4, seed=0, autoreset="disabled")
    games.reset()
    for _ in range(40):
        games.step(games.sample_actions())
    return games

def state_call(call):
    games = midgame(1)
    state = games.clone()
    def play():
        for _ in range(500):
            call(games, state)
        return 500
    return play

def heuristics():
    controllers = ["heuristic"] * 4
    games = make_vec(GAME, 256, num_players=4, controllers=controllers, observe=False, autoreset="disabled")
    def play():
        games.reset(seed=0)
        return 256
    return play

def search():
    from w51_env.agents.registry import make_agent
    games = midgame(16)
    running = np.flatnonzero(games.seat >= 0).tolist()
    agent = make_agent("search:playouts=100", games.game)
    def play():
        agent.reset(0)
        for index in running:
            one, infos = slice(index, index + 1), [{"determinizer": games.determinizer(index)}]
            agent.act_batch(games.observation[one], games.action_mask[one], infos)
        return len(running)
    return play

def self_play(threads):
    import torch
    from pathlib import Path
    from w51_env import make_game
    from w51_env.agents.training.config import load_config
    from w51_env.agents.training.selfplay import SelfPlayTrainer
    own_threads = importlib.util.find_spec("w51_env.agents.training.threads")  # else PyTorch's serve the learner
    torch.set_num_threads(1 if own_threads else threads)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "one.yaml")
        path.write_text(SELF_PLAY.format(threads=threads))
        config = load_config(path, [])
    trainer = SelfPlayTrainer(config, make_game(config.game, **config.options))
    def play():
        before = trainer.decisions
        trainer.update()
        return trainer.decisions - before
    return play

def start(compiled):
    script = f"from w51_env import make_vec; b = make_vec({GAME!r}, seed=0); b.reset(); b.step(b.sample_actions())"
    cache = tempfile.TemporaryDirectory()
    def play():
        with tempfile.TemporaryDirectory() as empty:
            environment = {**os.environ, "W51_ENV_CACHE": cache.name if compiled else empty}
            subprocess.run([sys.executable, "-c", script], env=environment, check=True)
        return 1
    return play

def spent():
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime

LINES = {
    "1 game": lambda: batch(1, True, 1000),
    "1 game, no observations": lambda: batch(1, False, 1000),
    "64 games": lambda: batch(64, True, 300),
    "1024 games": lambda: batch(1024, True, 40),
    "1024 games, no observations": lambda: batch(1024, False, 60),
    "PettingZoo env()": lambda: aec(warehouse51_v0.env),
    "PettingZoo raw_env()": lambda: aec(warehouse51_v0.raw_env),
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
play = LINES[sys.argv[1]]()
clock = time.perf_counter if "wall time" in sys.argv[1] else spent
play()
print("ready", flush=True)
for _ in sys.stdin:
    begun = clock()
    steps = play()
    print(steps / (clock() - begun), flush=True)
'''


class Engine:
    """A process with the sources of one folder that plays when it is asked."""

    def __init__(self, folder: Path, line: str):
        self.folder = folder
        env = {**os.environ, "PYTHONPATH": str(folder), "OMP_NUM_THREADS": "1"}
        self.process = subprocess.Popen(
            [sys.executable, "-c", PLAY, line],
            cwd=folder, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        self._read()

    def rate(self) -> float:
        """The rate of one turn."""
        assert self.process.stdin is not None
        self.process.stdin.write("play\n")
        self.process.stdin.flush()
        return float(self._read())

    def _read(self) -> str:
        assert self.process.stdout is not None
        if line := self.process.stdout.readline():
            return line
        raise RuntimeError(f"the player of {self.folder} ended with status {self.process.wait()}")


def main(
    other: Annotated[Path, typer.Argument(exists=True, file_okay=False, help="A checkout of another commit.")],
    rounds: Annotated[int, typer.Option(min=1, help="Pairs of processes for each line.")] = 5,
    turns: Annotated[int, typer.Option(min=1, help="Turns of each pair.")] = 60,
    only: Annotated[str, typer.Option(help="Compare only lines whose name contains this.")] = "",
) -> None:
    """Print the rates of both and their ratio; status 1 if a line is below its target."""
    table = Table("what", "other, per second", "these, per second", "ratio", "of the rounds", "target")
    missed = False
    lines = {name: line for name, line in LINES.items() if only in name}
    for line, (target, most) in track(lines.items(), console=Console(stderr=True)):
        some = min(turns, most)
        measured = [compare(line, other.resolve(), some, swapped=bool(index % 2)) for index in range(rounds)]
        theirs, ours, ratio = (statistics.median(column) for column in zip(*measured, strict=True))
        ratios = sorted(each[2] for each in measured)
        missed |= ratio < target
        row = (f"{theirs:,.4g}", f"{ours:,.4g}", f"{ratio:.2f}", f"{ratios[0]:.2f} to {ratios[-1]:.2f}", f"{target}")
        table.add_row(line, *row)
    Console().print(table)
    sys.exit(missed)


def compare(line: str, other: Path, turns: int, swapped: bool) -> tuple[float, float, float]:
    """Medians of both rates and of the ratios of the turns, the other checkout's first."""
    folders = [ROOT, other] if swapped else [other, ROOT]
    with players(folders, line) as pair:
        rates: dict[Path, list[float]] = {folder: [] for folder in folders}
        for turn in range(turns):
            for folder, player in list(zip(folders, pair, strict=True))[:: 1 if turn % 2 else -1]:
                rates[folder].append(player.rate())
    ratios = [ours / theirs for ours, theirs in zip(rates[ROOT], rates[other], strict=True)]
    return statistics.median(rates[other]), statistics.median(rates[ROOT]), statistics.median(ratios)


@contextmanager
def players(folders: list[Path], line: str) -> Iterator[list[Engine]]:
    """A player for each folder; they are ended afterwards."""
    pair = [Engine(folder, line) for folder in folders]
    try:
        yield pair
    finally:
        for player in pair:
            player.process.kill()
            player.process.wait()


if __name__ == "__main__":
    typer.run(main)
