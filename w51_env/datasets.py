"""Offline data: games of agents as episodes of single seats, as Parquet and as a Minari dataset.

An episode holds what one seat observed at its own decisions, its masks, actions and rewards, and nothing that is hidden
from that seat: no seed, no events, no decision of another seat.
"""

import os
import shutil
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from w51_env.agents.agent import Agent, Infos, needs_determinizer, needs_view
from w51_env.arena.play import DecisionBatch, StrictRunner, play
from w51_env.core.batch import Batch
from w51_env.core.errors import FileError, OptionError, needs_extra, report_os_errors
from w51_env.core.game import Game
from w51_env.system.agent_seeds import agent_seed

PARQUET, MINARI = "decisions.parquet", "minari"
FORMATS = ("parquet", "minari")
_UNFINISHED = ".unfinished"


@dataclass(frozen=True)
class Episode:
    """The decisions of one seat in one game.

    Attributes:
        game: Number of the game.
        seat: The seat.
        agent: Name of the agent that played it.
        observations: (T + 1, layout.size) int8; the last one is of the end of the game.
        masks: (T + 1, num_actions) int8; the last one is all zero.
        actions: (T,) int64.
        rewards: (T,) float32, of the seat, since its last decision; the sum is the return.
    """

    game: int
    seat: int
    agent: str
    observations: np.ndarray
    masks: np.ndarray
    actions: np.ndarray
    rewards: np.ndarray


class _External:
    """An agent that plays outside of the batch, so that its decisions can be recorded; a bot would play inside."""

    def __init__(self, agent: Agent):
        self._agent = agent
        self.needs_determinizer, self.needs_view = needs_determinizer(agent), needs_view(agent)

    def reset(self, seed: int) -> None:
        self._agent.reset(seed)

    def act(self, observation: np.ndarray, action_mask: np.ndarray, info: dict[str, Any] | None = None) -> int:
        return self._agent.act(observation, action_mask, info)

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, infos: Infos = None) -> np.ndarray:
        return self._agent.act_batch(observations, action_masks, infos)


class _Recorder(StrictRunner):
    """A runner that appends each decision to the list of its game and seat."""

    def __init__(self, name: str, agent: Agent, game: Game, decisions: dict[tuple[int, int], list]):
        super().__init__(name, _External(agent), game)
        self._decisions = decisions

    def actions(self, decisions: DecisionBatch) -> np.ndarray:
        """(n,) int64, a legal action for each decision."""
        actions = super().actions(decisions)
        for index, (row, seat) in enumerate(zip(decisions.rows.tolist(), decisions.seats.tolist(), strict=True)):
            made = (decisions.observations[index].copy(), decisions.masks[index].copy(), int(actions[index]))
            self._decisions.setdefault((row, seat), []).append(made)
        return actions


def record(game: Game, names: Sequence[str], agents: Sequence[Agent], num_games: int, seed: int) -> list[Episode]:
    """Play games and return the episodes of all seats that had a decision.

    Args:
        game: The game with its rules bound.
        names: Names of the agents.
        agents: The agents; they are seated in turn, and move one seat on with each game.
        num_games: Number of games.
        seed: Seed of the deals and of the agents of this package. The seeds of other agents are computed with a secret
            (`system.agent_seeds`), so that they do not lead to the deals.

    Raises:
        AgentError: An agent chose an illegal action.
    """
    decisions: dict[tuple[int, int], list] = {}
    returns = np.zeros((num_games, game.num_players), np.float32)

    def add_rewards(batch: Batch, actions: np.ndarray) -> None:
        returns[:] += batch.rewards

    for number, agent in enumerate(agents):
        agent.reset(agent_seed(agent, seed + number, "dataset", number, seed))
    runners = [_Recorder(name, agent, game, decisions) for name, agent in zip(names, agents, strict=True)]
    seated = (np.arange(num_games)[:, None] + np.arange(game.num_players)) % len(agents)
    seeds = np.random.SeedSequence(seed).generate_state(num_games, np.uint64)
    batch = play(game, runners, seated, seeds, on_step=add_rewards)
    finals = [batch.observe(seat) for seat in range(game.num_players)]
    nothing = np.zeros(len(game.actions), np.int8)
    episodes = []
    for (row, seat), made in sorted(decisions.items()):
        observations, masks, actions = zip(*made, strict=True)
        rewards = np.zeros(len(actions), np.float32)
        rewards[-1] = returns[row, seat]
        episodes.append(
            Episode(
                row,
                seat,
                names[seated[row, seat]],
                np.stack([*observations, finals[seat][row]]),
                np.stack([*masks, nothing]).astype(np.int8),
                np.array(actions),
                rewards,
            )
        )
    return episodes


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
                actions=episode.actions,  # type: ignore[arg-type]
                rewards=episode.rewards,  # type: ignore[arg-type]
                terminations=ended,  # type: ignore[arg-type]
                truncations=np.zeros(steps, bool),  # type: ignore[arg-type]
                infos={"seat": np.full(steps + 1, episode.seat)},
            )
        )
    folder.mkdir()
    with _datasets_in(folder):
        minari.create_dataset_from_buffers(
            dataset_id(game),
            buffers,
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
