"""Fuzzing of every file reader: a damaged file is read, or refused with an error of this package, in a short time."""

import json
import os
import random
import signal
import tempfile
import tomllib
import traceback
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from tests.agents.small import small, train
from tests.arena.small import plan_of
from tests.soak.damage import as_json, as_toml, as_yaml, damaged, restructured
from tests.soak.record import ROOT, Budget, ProofError
from w51_env import make_game
from w51_env.agents.policies.checkpoint import FORMAT, pack, unpack
from w51_env.agents.policies.load import CHECKPOINT, load_agent
from w51_env.agents.training.config import load_config
from w51_env.agents.training.run import STATE, Run
from w51_env.agents.training.state import FORMAT as STATE_FORMAT
from w51_env.arena.store import BLOCKS, SPEC, Store
from w51_env.arena.tournament import run
from w51_env.arena.workers import InProcessExecutor
from w51_env.core.batch import Batch
from w51_env.core.errors import W51Error
from w51_env.core.recorder import Recorder
from w51_env.core.replay import Replay
from w51_env.warehouse51.relics import load_relic_set

MOST_SECONDS = 20  #  for one file
_EACH = 40  #  files for each process
Restructure = Callable[[bytes, random.Random], bytes]


@dataclass
class Reader:
    """A function that reads a file that people may have from others.

    Attributes:
        name: For messages.
        path: Where the file is put before it is read.
        read: Reads it.
        corpus: Contents that are accepted.
        restructure: Makes a strange file with correct syntax, and correct digests where it has some.
    """

    name: str
    path: Path
    read: Callable[[], object]
    corpus: list[bytes] = field(default_factory=list)
    restructure: Restructure | None = None


def plain(parse: Callable[[bytes], Any], write: Callable[[Any], bytes]) -> Restructure:
    """Strange values in plain data."""
    return lambda content, chance: write(restructured(parse(content), chance))


def readers(folder: Path) -> list[Reader]:
    """All readers, with files made in `folder`."""
    return [*_of_games(folder), *_of_training(folder / "training"), *_of_tournaments(folder / "tournaments")]


def _of_games(folder: Path) -> list[Reader]:
    batch = Batch(make_game("warehouse51_v0", preset="mini"), 4, seed=1)
    batch.reset()
    recorder = Recorder(batch, 0)
    while not recorder.replays:
        recorder.step(batch.sample_actions())
    recorder.replays[0].save(folder / "game.json")
    replay, relics = folder / "game.json", folder / "relics.toml"
    built_in = ROOT / "w51_env" / "warehouse51" / "relic_sets"
    snapshot = folder / "snapshot"
    return [
        Reader("replay", replay, lambda: Replay.load(replay), [replay.read_bytes()], plain(json.loads, as_json)),
        Reader(
            "relic file",
            relics,
            lambda: load_relic_set(str(relics)),
            [path.read_bytes() for path in sorted(built_in.glob("*.toml"))],
            plain(lambda content: tomllib.loads(content.decode()), as_toml),
        ),
        Reader("snapshot", snapshot, lambda: _restore(batch, snapshot.read_bytes()), [batch.snapshot()]),
        Reader("state", snapshot, lambda: batch.load_bytes(0, snapshot.read_bytes()), [batch.state_bytes(0)]),
    ]


def _restore(batch: Batch, content: bytes) -> None:
    batch.restore(content)
    for _ in range(300):  # what is accepted can be played on
        batch.step(batch.sample_actions())


def _of_training(folder: Path) -> list[Reader]:
    folder.mkdir()
    config = folder / "config.yaml"
    found = []
    for trainer in ("selfplay", "maskable_ppo"):
        made = train(Run.begin(small(trainer, folder / trainer, decisions=300)))
        state, checkpoint = made.folder / STATE, made.folder / CHECKPOINT
        game = made.game
        found += [
            Reader(
                f"state of {trainer}",
                state,
                lambda path=made.folder: _resume(path),  # type: ignore[misc]
                [state.read_bytes()],
                _repacked(state, STATE_FORMAT, "facts"),
            ),
            Reader(
                f"checkpoint of {trainer}",
                checkpoint,
                lambda path=checkpoint, game=game: _act(load_agent(game, path), game),  # type: ignore[misc]
                [checkpoint.read_bytes()],
                _repacked(checkpoint, FORMAT, "shape"),
            ),
        ]
    configs = [path.read_bytes() for path in sorted((ROOT / "configs").glob("*.yaml"))]
    return [*found, Reader("config", config, lambda: load_config(config), configs, plain(yaml.safe_load, as_yaml))]


def _resume(folder: Path) -> None:
    Run.resume(folder, allowed=["tests.third_game:make"]).close()


def _act(agent: Any, game: Any) -> None:
    batch = Batch(game, 2, seed=0)
    batch.reset()
    agent.act_batch(batch.observation, batch.action_mask)


def _repacked(path: Path, kind: str, key: str) -> Restructure:
    """Strange metadata or arrays of another shape or type, with a correct digest."""
    arrays, metadata = unpack(path, kind, "file", "damaged")

    def change(content: bytes, chance: random.Random) -> bytes:
        others, facts = dict(arrays), dict(metadata)
        if chance.random() < 0.6:
            facts[key] = json.dumps(restructured(json.loads(facts[key]), chance))
        else:
            name = chance.choice(sorted(others))
            array = others[name]
            strange = (
                array.reshape(-1)[:0],
                array.astype(np.float64),
                array.reshape(-1),
                np.zeros((1, 1, 1), np.int8),
                array * 0 - 1,
            )
            others[name] = strange[chance.randrange(len(strange))]
            if chance.random() < 0.3:
                del others[chance.choice(sorted(others))]
        for added in ("digest", "format"):
            facts.pop(added, None)
        return pack(others, facts, kind)

    return change


def _of_tournaments(folder: Path) -> list[Reader]:
    folder.mkdir()
    store = Store.begin(folder, "cup", plan_of("heuristic", "random", games=12, replays=1, behaviour=True))
    run(store.plan, InProcessExecutor(store.plan), store)
    blocks = sorted((store.folder / BLOCKS).glob("*.parquet"))
    tables = blocks[0].with_suffix(".npz")
    spec = store.folder / SPEC
    files = {"block": blocks[0], "behaviour": tables}
    return [
        Reader("tournament", spec, lambda: Store.resume(store.folder), [spec.read_bytes()], plain(json.loads, as_json)),
        *(Reader(name, path, lambda: store.load(), [path.read_bytes()]) for name, path in files.items()),
    ]


# ---- fuzzing


def fuzz_readers(total: int, minutes: float | None, seed: int) -> dict[str, Any]:
    """Read damaged files, in forks with a time limit.

    Raises:
        ProofError: A reader failed with another error than one of this package, died or did not end in time; the file
            is kept.
    """
    folder = Path(tempfile.mkdtemp(prefix="soak_"))
    counts: Counter[str] = Counter()
    chosen = readers(folder)
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
                signal.alarm(MOST_SECONDS)
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
            else f"it died or took more than {MOST_SECONDS} s (status {code})"
        )
        raise ProofError(f"{reader.name}, seed {seed + bad}: {kept}: {why}")
    reader.path.write_bytes(reader.corpus[0])
    return results.count(b"a")


def file_of(reader: Reader, seed: int) -> bytes:
    """The file that a seed stands for."""
    chance = random.Random(seed)
    content = chance.choice(reader.corpus)
    if reader.restructure is not None and chance.random() < 0.6:
        with suppress(RecursionError, ValueError, yaml.YAMLError):  # what cannot be written
            return reader.restructure(content, chance)
    return damaged(content, chance, reader.corpus)


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
