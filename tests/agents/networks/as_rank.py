"""A rank of small trainings: `python -m tests.agents.networks.as_rank CASES`, started by `digests_of`."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.agents.networks.small import learned, small, train
from w51_agents.training import share
from w51_agents.training.ranks import RENDEZVOUS, joined_ranks
from w51_agents.training.run import Run
from w51_agents.training.selfplay import SelfPlayTrainer

ROOT = Path(__file__).resolve().parents[3]


def digests_of(cases: dict[str, Any], folder: Path, count: int) -> dict[str, str]:
    """For each case the digest of all that so many ranks have learned after three updates, one of them resumed."""
    folder.mkdir()
    shared = {"WORLD_SIZE": str(count), "LOCAL_WORLD_SIZE": str(count), "OMP_NUM_THREADS": "1"}
    shared |= {RENDEZVOUS: f"file://{folder}/meet", "PYTHONPATH": ":".join([str(ROOT), *sys.path])}
    command = [sys.executable, "-m", "tests.agents.networks.as_rank", json.dumps(cases), str(folder)]
    ranks = [
        subprocess.Popen(command, cwd=ROOT, env={**os.environ, **shared, "RANK": str(rank)}, stdout=subprocess.PIPE)
        for rank in range(count)
    ]
    answers = [rank.communicate(timeout=120)[0] for rank in ranks]
    assert not any(rank.returncode for rank in ranks)
    digests: dict[str, str] = json.loads(answers[0])
    return digests


def main(cases: dict[str, Any], folder: Path) -> None:
    """Train in each case, and print what was learned."""
    share._MIN_PART = 4
    SelfPlayTrainer.rows_at_once = 16
    with joined_ranks() as ranks:
        digests = {}
        for name, changes in cases.items():
            runs = folder / name
            run = train(Run.begin(small("selfplay", runs, **changes)), updates=2)
            train(Run.resume(run.folder, allowed=[run.config.game]), updates=1)
            if ranks.writes:
                digests[name] = hashlib.sha256(repr(learned(run.folder)).encode()).hexdigest()
        if ranks.writes:
            print(json.dumps(digests))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]), Path(sys.argv[2]))
