"""A rank of small trainings: `python -m tests.agents.networks.as_rank CASES FOLDER`, started by `in_ranks`."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.agents.networks.small import ONE_LOT, learned, small, train
from w51_agents.training import learner_settings
from w51_agents.training.config import parse_config
from w51_agents.training.ranks import RENDEZVOUS, joined_ranks, ranks
from w51_agents.training.run import Run
from w51_agents.training.selfplay import SelfPlayTrainer

ROOT = Path(__file__).resolve().parents[3]
SMALL = (
    (learner_settings, "_MIN_PART", 4),
    (SelfPlayTrainer, "rows_at_once", 16),
)


def in_ranks(cases: dict[str, Any], folder: Path, count: int) -> dict[str, str]:
    """What the first of so many ranks found by `learn`, twice."""
    folder.mkdir(exist_ok=True)
    (folder / "meet").unlink(missing_ok=True)
    shared = {"WORLD_SIZE": str(count), "LOCAL_WORLD_SIZE": str(count), "OMP_NUM_THREADS": "1"}
    shared |= {RENDEZVOUS: f"file://{folder}/meet", "PYTHONPATH": ":".join([str(ROOT), *sys.path])}
    command = [sys.executable, "-m", "tests.agents.networks.as_rank", json.dumps(cases), str(folder)]
    started = [
        subprocess.Popen(command, cwd=ROOT, env={**os.environ, **shared, "RANK": str(rank)}, stdout=subprocess.PIPE)
        for rank in range(count)
    ]
    try:
        answers = [rank.communicate(timeout=1500)[0] for rank in started]
    finally:
        for rank in started:
            rank.kill()
    assert not any(rank.returncode for rank in started)
    digests: dict[str, str] = json.loads(answers[0])
    return digests


def learn(cases: dict[str, Any], folder: Path) -> dict[str, str]:
    """Begin the run of each case with an update, or go on with it for one; digests of all that was learned."""
    digests = {}
    for name, changes in cases.items():
        runs = folder / name
        is_begun = ranks().any(runs.exists())
        if is_begun:
            run = Run.resume(runs / "one", allowed=[ONE_LOT])
        elif "trainer" in changes:
            run = Run.begin(parse_config({"name": "one", "runs": str(runs), **changes}, "of a test"))
        else:
            run = Run.begin(small("selfplay", runs, **changes))
        train(run, updates=1)
        if ranks().writes:
            digests[name] = hashlib.sha256(repr(learned(run.folder)).encode()).hexdigest()
    return digests


def main(cases: dict[str, Any], folder: Path) -> None:
    """Learn two times, and print what was learned."""
    for owner, name, value in SMALL:
        setattr(owner, name, value)
    with joined_ranks() as group:
        digests = [learn(cases, folder) for _ in range(2)]
        if group.writes:
            print(json.dumps(digests[-1]))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]), Path(sys.argv[2]))
