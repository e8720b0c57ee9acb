"""Fuzzing of every file reader: a damaged file is read, or refused with an error of this package, in a short time."""

import tempfile
from collections import Counter
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import Any

from tests.soak.damage import Reader, file_of
from tests.soak.files import file_readers
from tests.soak.forks import reported
from tests.soak.messages import message_readers
from tests.soak.record import Budget, ProofError
from w51_env.engine.errors import W51Error

MAX_SECONDS = 20  #  for one file
_EACH = 40  #  files for each process


def fuzz_readers(total: int, minutes: float | None, seed: int) -> dict[str, Any]:
    """Read damaged files, in forks with a time limit.

    Raises:
        ProofError: A reader failed with another error than one of this package, died or did not end in time; the file
            is kept.
    """
    folder = Path(tempfile.mkdtemp(prefix="soak_"))
    counts: Counter[str] = Counter()
    chosen = [*file_readers(folder / "files"), *message_readers(folder / "messages")]
    budget = Budget("readers", minutes, total, "files")
    number = min(_EACH, max(1, total // len(chosen)))
    for reader in cycle(chosen):
        if budget.over:
            break
        accepted = _in_fork(reader, number, seed, folder)
        counts[f"{reader.name}: accepted"] += accepted
        counts[f"{reader.name}: refused"] += number - accepted
        seed += number
        budget.advance(number)
    return {"files": budget.done, "readers": len(chosen), "counts": dict(sorted(counts.items()))}


def _in_fork(reader: Reader, number: int, seed: int, folder: Path) -> int:
    """Read so many files; how many were accepted."""

    def work(report: Callable[[str], object]) -> None:
        for index in range(number):
            reader.path.write_bytes(file_of(reader, seed + index))
            try:
                reader.read()
                report("a")
            except W51Error:  # any other error is none of this package
                report("r")

    results, error = reported(work, number, MAX_SECONDS)
    if error:
        kept = folder / f"refused_wrongly_{reader.path.name}"
        kept.write_bytes(file_of(reader, seed + len(results)))
        raise ProofError(f"{reader.name}, seed {seed + len(results)}: {kept}: {error}")
    reader.path.write_bytes(reader.corpus[0])
    return results.count("a")
