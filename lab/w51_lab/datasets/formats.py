"""Episodes as files: Parquet and Minari."""

import os
import shutil
from collections.abc import Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from w51_agents.system.errors import needs_extra, report_os_errors
from w51_env.engine.errors import FileError, OptionError
from w51_env.engine.game import Game
from w51_lab.datasets.episodes import Episode

PARQUET, MINARI = "decisions.parquet", "minari"
FORMATS = ("parquet", "minari")
_UNFINISHED = ".unfinished"


def write(episodes: Sequence[Episode], game: Game, folder: Path, formats: Sequence[str] = FORMATS) -> None:
    """Write episodes to a new folder, whole or not at all.

    Args:
        episodes: The episodes.
        game: The game that was played.
        folder: Must not exist.
        formats: `parquet`: the file `decisions.parquet`, one row for each decision; `minari`: a Minari dataset below
            `minari`.

    Raises:
        FileError: The folder exists or cannot be written.
        MissingPackageError: A package is missing.
        OptionError: An unknown format.
    """
    check(folder, formats)
    unfinished = folder.with_name(folder.name + _UNFINISHED)
    with report_os_errors(f"dataset {folder}: cannot be written"):
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        try:
            if "parquet" in formats:
                _write_parquet(episodes, game, unfinished / PARQUET)
            if "minari" in formats:
                _write_minari(episodes, game, unfinished / MINARI)
            unfinished.rename(folder)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)


def check(folder: Path, formats: Sequence[str]) -> None:
    """An error for what would make `write` fail: before any game is played; see there."""
    if folder.exists():
        raise FileError(f"dataset {folder}: exists already")
    for name in formats:
        if name not in FORMATS:
            raise OptionError(f"dataset format: {name!r}, but allowed are {', '.join(FORMATS)}")
    if "parquet" in formats:
        with needs_extra("dataset: Parquet needs pyarrow, which comes with", "arena"):
            import pyarrow  # noqa: F401
    if "minari" in formats:
        with needs_extra("dataset: Minari and its packages come with", "offline"):
            import h5py  # noqa: F401
            import minari  # noqa: F401


def dataset_id(game: Game) -> str:
    """The id under which Minari loads the dataset."""
    return f"w51_env/{game.name}/games-v{game.version}"


def _write_parquet(episodes: Sequence[Episode], game: Game, path: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    def column(name: str) -> np.ndarray:
        return np.concatenate([getattr(episode, name)[: len(episode.actions)] for episode in episodes])

    def repeated(values: Sequence[Any]) -> list[Any]:
        return [value for value, episode in zip(values, episodes, strict=True) for _ in episode.actions]

    def vectors(name: str) -> pyarrow.Array:
        values = column(name)
        return pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(values.reshape(-1)), values.shape[1])

    table = pyarrow.table(
        {
            "game": pyarrow.array(repeated([episode.game for episode in episodes]), pyarrow.int32()),
            "seat": pyarrow.array(repeated([episode.seat for episode in episodes]), pyarrow.int8()),
            "agent": pyarrow.array(repeated([episode.agent for episode in episodes])).dictionary_encode(),
            "decision": pyarrow.array(np.concatenate([np.arange(len(episode.actions)) for episode in episodes])),
            "observation": vectors("observations"),
            "action_mask": vectors("masks"),
            "action": pyarrow.array(column("actions").astype(np.int16)),
            "reward": pyarrow.array(column("rewards")),
            "return": pyarrow.array(
                repeated([float(episode.rewards.sum()) for episode in episodes]), pyarrow.float32()
            ),
            "last": pyarrow.array(
                np.concatenate([np.arange(len(episode.actions)) == len(episode.actions) - 1 for episode in episodes])
            ),
        }
    ).replace_schema_metadata({"game": game.id, "options": repr(dict(game.options))})
    parquet.write_table(table, path, compression="zstd")


def _write_minari(episodes: Sequence[Episode], game: Game, folder: Path) -> None:
    import gymnasium
    import minari
    from minari.data_collector import EpisodeBuffer

    from w51_env.adapters.registration import gymnasium_spec
    from w51_env.adapters.spaces import action_space, observation_space

    mask = gymnasium.spaces.Box(0, 1, (len(game.actions),), np.int8)
    space = gymnasium.spaces.Dict({"observation": observation_space(game, "int8"), "action_mask": mask})
    buffers = []
    for number, episode in enumerate(episodes):
        steps = len(episode.actions)
        ended = np.arange(steps) == steps - 1
        buffers.append(
            EpisodeBuffer(
                id=number,
                observations={"observation": episode.observations, "action_mask": episode.masks},
                actions=episode.actions,
                rewards=episode.rewards,
                terminations=ended,
                truncations=np.zeros(steps, bool),
                infos={"seat": np.full(steps + 1, episode.seat)},
            )
        )
    spec = gymnasium_spec(game.id, observation_dtype="int8", **game.options)
    folder.mkdir()
    with _datasets_in(folder):
        minari.create_dataset_from_buffers(
            dataset_id(game),
            buffers,
            env=spec,
            eval_env=spec,  # without it Minari warns that it takes the other
            action_space=action_space(game),
            observation_space=space,
            algorithm_name=", ".join(sorted({episode.agent for episode in episodes})),
            description=f"Games of {game.id}, one episode for each seat. Options: {dict(game.options)!r}",
            author="w51_env",
            author_email="none",
            code_permalink="none",
        )


@contextmanager
def _datasets_in(folder: Path):  # type: ignore[no-untyped-def]
    """Minari's folder of datasets, which it takes from the environment."""
    before = os.environ.get("MINARI_DATASETS_PATH")
    os.environ["MINARI_DATASETS_PATH"] = str(folder.absolute())
    try:
        yield
    finally:
        del os.environ["MINARI_DATASETS_PATH"]
        if before is not None:
            os.environ["MINARI_DATASETS_PATH"] = before
