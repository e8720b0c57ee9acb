"""Fuzzing of every file reader: a damaged file is read, or refused with an error of this package, in a short time."""

import os
import signal
import tempfile
import traceback
from collections import Counter
from itertools import cycle
from pathlib import Path
from typing import Any

from tests.soak.damage import Reader, file_of
from tests.soak.files import file_readers
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
    with Budget("readers", minutes, total, "files") as budget:
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
    report, ours = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(report)
            for index in range(number):
                signal.alarm(MAX_SECONDS)
                os.write(ours, _try(reader, seed + index))
        finally:
            os._exit(0)  # also after an error: the fork must not return into the parent's code
    os.close(ours)
    with os.fdopen(report, "rb") as pipe:
        results = pipe.read()
    _, code = os.waitpid(child, 0)
    if code or len(results) != number or b"!" in results:
        bad = results.find(b"!") if b"!" in results else len(results)
        kept = folder / f"refused_wrongly_{reader.path.name}"
        kept.write_bytes(file_of(reader, seed + bad))
        reader.path.write_bytes(kept.read_bytes())
        why = (
            "\n" + _traceback(reader)
            if b"!" in results
            else f"it died or took more than {MAX_SECONDS} s (status {code})"
        )
        raise ProofError(f"{reader.name}, seed {seed + bad}: {kept}: {why}")
    reader.path.write_bytes(reader.corpus[0])
    return results.count(b"a")


def _try(reader: Reader, seed: int) -> bytes:
    """`a`: accepted, `r`: refused with an error of this package, `!`: another error."""
    reader.path.write_bytes(file_of(reader, seed))
    try:
        reader.read()
    except W51Error:
        return b"r"
    except Exception:  # noqa: BLE001 - that is what is looked for
        return b"!"
    return b"a"


def _traceback(reader: Reader) -> str:
    text = "it was accepted the second time"
    try:
        reader.read()
    except Exception:  # noqa: BLE001 - shown to people
        text = traceback.format_exc()
    return text
