"""Memory of a tournament with behaviour tables: the same for ten times as many games."""

import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.soak.record import ROOT, ProofError

_ALLOWED_MIB = 400  #  more for ten times as many games: win rates and intervals need all games at once


def tournament(games: int, seed: int) -> dict[str, int]:
    """Play a tenth of the games, then all; the largest memory of a process, in MiB.

    Raises:
        ProofError: A tournament failed, or the memory grew by more than `_ALLOWED_MIB`.
    """
    figures = {"games": games}
    for name, number in (("mib_of_a_tenth", games // 10), ("mib", games)):
        with tempfile.TemporaryDirectory() as folder:
            command = [
                sys.executable,
                "evaluate.py",
                "heuristic",
                "random",
                "--games",
                str(number),
                "--seed",
                str(seed),
            ]
            command += ["--behaviour", "--out", str(Path(folder) / "cup")]
            ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if ended.returncode:
            raise ProofError(f"the tournament of {number:,} games failed:\n{ended.stderr[-2000:]}")
        figures[name] = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    if figures["mib"] > figures["mib_of_a_tenth"] + _ALLOWED_MIB:
        raise ProofError(f"memory of a tournament: {figures}")
    return figures
