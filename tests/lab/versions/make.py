"""Writes the files of this version that later versions must read: python -m tests.lab.versions.make 0.1.0

For each game a replay; for each kind of network a checkpoint of almost no training, with the final scores of games
among copies of it; an entry of w51-bench. Run before a release; files of earlier versions are not written again.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import gymnasium
import numpy as np

import w51_env
from w51_agents.networks.load import CHECKPOINT
from w51_lab.replays.recorder import Recorder

FOLDER = Path(__file__).parent
ENTRY, SCORES = "entry.json", "scores.json"
A_SMALL_ENTRY = FOLDER.parents[2] / "benchmarks" / "leaderboard" / "heuristic.json"
REPLAYS = {
    "warehouse51_v1": {"num_players": 4},
    "alles_futsch_v1": {"num_players": 3},
    "auctions_v0": {"num_players": 3},
}
NETWORKS = {
    "plain": {"hidden_sizes": [8]},
    "items": {"hidden_sizes": [8], "network": "items"},
    "recurrent": {"hidden_sizes": [8], "network": "recurrent"},
    "history": {"hidden_sizes": [8], "network": "history"},
}


def scores_of(checkpoint: Path) -> list[list[int]]:
    """Final scores of three games: copies of a network, beside somebody who takes the first legal action."""
    games = []
    for seed in range(3):
        env = gymnasium.make("w51_env/Warehouse51-v1", num_players=3, opponents=f"{checkpoint}:greedy")
        _, info = env.reset(seed=seed)
        done = False
        while not done:
            _, _, done, _, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
        games.append(info["scores"].tolist())
    return games


def main() -> None:
    folder = FOLDER / sys.argv[1]
    folder.mkdir()
    for game, options in REPLAYS.items():
        batch = w51_env.make_vec(game, num_envs=1, seed=1, **options)
        batch.reset()
        recorder = Recorder(batch)
        while not recorder.replays:
            recorder.step(batch.sample_actions())
        recorder.replays[0].save(folder / f"{game}.json")
    shutil.copy(A_SMALL_ENTRY, folder / ENTRY)
    scores = {}
    for name, network in NETWORKS.items():
        settings = {"games": [{"num_players": 3, "num_envs": 8}], "num_steps": 16, "minibatch_size": 64, **network}
        keys = [f"selfplay.{key}={json.dumps(value)}" for key, value in settings.items()]
        keys += ["decisions=1", "evaluation.games=2", "evaluation.against=[random]", f"runs={folder}"]
        keys += ["options={num_players: 3, reward: margin}"]
        train = [sys.executable, "train.py", "--config", "selfplay_quick", *keys, f"name={name}"]
        subprocess.run(train, check=True)
        (folder / name / CHECKPOINT).rename(folder / f"{name}.safetensors")
        shutil.rmtree(folder / name)
        scores[name] = scores_of(folder / f"{name}.safetensors")
    (folder / SCORES).write_text(json.dumps(scores, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
