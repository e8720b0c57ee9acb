"""Readers of files that people may have from others: games, training, tournaments."""

import io
import json
import random
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from tests.agents.networks.small import small, train
from tests.lab.arena.small import plan_of
from tests.soak.damage import Reader, Restructure, as_json, as_toml, as_yaml, plain, restructured
from tests.soak.record import ROOT
from w51_agents.networks.checkpoint import FORMAT
from w51_agents.networks.load import CHECKPOINT, load_agent
from w51_agents.networks.tensor_file import pack, unpack
from w51_agents.training.config import load_config
from w51_agents.training.run import Run
from w51_agents.training.run_facts import STATE
from w51_agents.training.trainer_state import FORMAT as STATE_FORMAT
from w51_env import make_game
from w51_env.engine.batch import Batch
from w51_env.warehouse51.relics import load_relic_set
from w51_lab.arena.database import RESULTS
from w51_lab.arena.store import SPEC, Store
from w51_lab.arena.tournament import run
from w51_lab.arena.workers import InProcessExecutor
from w51_lab.replays.recorder import Recorder
from w51_lab.replays.replay import Replay


def file_readers(folder: Path) -> list[Reader]:
    """All of them, with files made in `folder`."""
    folder.mkdir()
    return [*_of_games(folder), *_of_training(folder / "training"), *_of_tournaments(folder / "tournaments")]


def random_replay(batch: Batch) -> Replay:
    """The first episode of game 0 by random play, from a reset on."""
    batch.reset()
    recorder = Recorder(batch, 0)
    while not recorder.replays:
        recorder.step(batch.sample_actions())
    return recorder.replays[0]


def _of_games(folder: Path) -> list[Reader]:
    batch = Batch(make_game("warehouse51_v1", preset="mini"), 4, seed=1)
    random_replay(batch).save(folder / "game.json")
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
    model, content = (
        folder / "model.zip",
        _zip({"policy_class": {"__module__": "sb3_contrib.common.maskable.policies"}}),
    )
    return [
        *found,
        Reader("config", config, lambda: load_config(config), configs, plain(yaml.safe_load, as_yaml)),
        Reader("model that is not trusted", model, lambda: load_agent(game, model), [content]),
    ]


def _zip(data: Any) -> bytes:
    """A file as sb3-contrib writes it, without weights."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("data", json.dumps(data))
        archive.writestr("policy.pth", bytes(100))
    return content.getvalue()


def _resume(folder: Path) -> None:
    Run.resume(folder, allowed=["tests.env.third_game:make"]).close()


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
    spec, results = store.folder / SPEC, store.folder / RESULTS
    return [
        Reader("tournament", spec, lambda: Store.resume(store.folder), [spec.read_bytes()], plain(json.loads, as_json)),
        Reader("results", results, lambda: store.load(), [results.read_bytes()]),
    ]
