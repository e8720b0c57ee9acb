"""Memory of a tournament with behaviour tables: the same for ten times as many games."""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.soak.record import ROOT, ProofError

_ALLOWED_MIB = 400  #  more for ten times as many games: win rates and intervals need all games at once


def tournament(games: int, minutes: float | None, seed: int) -> dict[str, int]:
    """Play a tenth of the games, then all; the largest memory of a process, in MiB.

    Raises:
        ProofError: A tournament failed or was not over in time, or the memory grew by more than `_ALLOWED_MIB`.
    """
    figures = {"games": games}
    end = time.monotonic() + 60 * minutes if minutes is not None else None
    for name, number in (("mib_of_a_tenth", games // 10), ("mib", games)):
        with tempfile.TemporaryDirectory() as folder:
            arguments = ["heuristic", "random", "--games", str(number), "--seed", str(seed), "--behaviour", "--out"]
            command = [sys.executable, "evaluate.py", *arguments, str(Path(folder) / "cup")]
            # The progress and the errors of evaluate.py are those of the proof.
            with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL) as process:
                try:
                    process.wait(None if end is None else max(0.0, end - time.monotonic()))
                except subprocess.TimeoutExpired:
                    process.terminate()
                    raise ProofError(
                        f"the tournament of {number:,} games was not over in {minutes:g} minutes"
                    ) from None
        if process.returncode:
            raise ProofError(f"the tournament of {number:,} games failed, seed {seed}")
        figures[name] = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    if figures["mib"] > figures["mib_of_a_tenth"] + _ALLOWED_MIB:
        raise ProofError(f"memory of a tournament, seed {seed}: {figures}")
    return figures
