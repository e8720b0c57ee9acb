"""Games of agents as episodes of single seats, kept in parts while they are played: a stopped recording goes on."""

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from w51_agents.agent.interface import Agent
from w51_agents.agent.memory import per_game
from w51_agents.agent.seeds import agent_seed, is_stateless
from w51_agents.named.files import file_data, files_of
from w51_agents.system.archives import open_arrays
from w51_agents.system.errors import report_os_errors
from w51_agents.system.files import check_folder, hold_folder, read_text, release_folder, write_atomic, write_json
from w51_agents.system.json_text import parse_json
from w51_env import __version__
from w51_env.engine.batch import Batch
from w51_env.engine.errors import FileError
from w51_env.engine.game import Game
from w51_env.engine.options import check_count, check_seed
from w51_lab.arena.match_loop import DecisionBatch, StrictRunner, play
from w51_lab.replays.digests import options_digest, tables_digest
from w51_lab.statistics.records import Record

_PARTS, _ABOUT = ".parts", "recording.json"
_MAX_BYTES = 2**24
_MAX_BYTES_A_GAME = 2**21  #  of which the games of this package need a tenth
_ARRAYS = ("observations", "masks", "actions", "rewards")
_GAMES, _GAMES_OF_OTHERS = 1000, 100  # a part; of agents that declare `is_slow` it is one game


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


class _About(Record):
    """What two processes must have alike to make one recording."""

    version: str
    game: str
    options: str
    cards: str
    agents: list[str]
    files: dict[str, list[dict[str, str]]]
    games: int
    seed: int


class _External:
    """An agent that plays outside of the batch, so that its decisions can be recorded; a bot would play inside."""

    def __init__(self, agent: Agent):
        self._agent = agent

    def __getattr__(self, name: str) -> Any:
        return getattr(self._agent, name)


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


def record(
    game: Game, names: Sequence[str], agents: Sequence[Agent], num_games: int, seed: int, first: int = 0
) -> list[Episode]:
    """Play games and return the episodes of all seats that had a decision.

    Args:
        game: The game with its rules bound.
        names: Names of the agents.
        agents: The agents; they are seated in turn, and move one seat on with each game.
        num_games: Number of games.
        seed: Seed of the deals and of the agents of this package. The seeds of other agents are computed with a secret
            (`w51_agents.agent.seeds`), so that they do not lead to the deals.
        first: Number of the first game. The deals of games 5 to 9 are the same, whether 0 to 4 were played before.

    Raises:
        AgentError: An agent chose an illegal action.
    """
    num_games, seed, first = check_count("num_games", num_games), check_seed("seed", seed), check_seed("first", first)
    decisions: dict[tuple[int, int], list] = {}
    returns = np.zeros((num_games, game.num_players), np.float32)

    def add_rewards(batch: Batch, actions: np.ndarray) -> None:
        returns[:] += batch.rewards

    agents = list(map(per_game, agents))
    for number, agent in enumerate(agents):
        agent.reset(agent_seed(agent, seed + first + number, "dataset", number, seed, first))
    runners = [_Recorder(name, agent, game, decisions) for name, agent in zip(names, agents, strict=True)]
    numbers = np.arange(first, first + num_games)
    seated = (numbers[:, None] + np.arange(game.num_players)) % len(agents)
    seeds = np.random.SeedSequence(seed).generate_state(first + num_games, np.uint64)[first:]
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
                int(numbers[row]),
                seat,
                names[seated[row, seat]],
                np.stack([*observations, finals[seat][row]]),
                np.stack([*masks, nothing]).astype(np.int8),
                np.array(actions),
                rewards,
            )
        )
    return episodes


def record_in_parts(
    game: Game,
    names: Sequence[str],
    agents: Sequence[Agent],
    num_games: int,
    seed: int,
    folder: Path,
    on_part: Callable[[int, bool], None] = lambda games, was_kept: None,
) -> list[Episode]:
    """As `record`, with the agents reset before each part of the games.

    What was played is kept beside `folder`, the dataset to be, until `remove_parts`, and is not played again. `on_part`
    is called with the number of games of each part, and whether it was kept before.

    Raises:
        AgentError: An agent chose an illegal action.
        FileError: The parts are those of another recording, or are damaged, or cannot be written.
    """
    num_games, seed = check_count("num_games", num_games), check_seed("seed", seed)
    parts = parts_of(folder)
    size = _GAMES if all(map(is_stateless, agents)) else _GAMES_OF_OTHERS
    if any(getattr(agent, "is_slow", None) for agent in agents):
        size = 1
    with report_os_errors(f"recording {parts}: cannot be written"):
        parts.mkdir(parents=True, exist_ok=True)
        hold_folder(parts, "recording")
        try:
            _begin(parts, _about(game, names, num_games, seed))
            episodes: list[Episode] = []
            for first in range(0, num_games, size):
                path = parts / f"{first}.npz"
                games, was_kept = min(size, num_games - first), path.exists()
                if not was_kept:
                    write_atomic(path, partial(_write, record(game, names, agents, games, seed, first)))
                episodes += _read(path, games)
                on_part(games, was_kept)
        finally:
            release_folder(parts)
    return episodes


def parts_of(folder: Path) -> Path:
    """The folder of the parts of a dataset."""
    return folder.with_name(folder.name + _PARTS)


def remove_parts(folder: Path) -> None:
    """Remove the parts of a dataset that is written."""
    shutil.rmtree(parts_of(folder), ignore_errors=True)


def _about(game: Game, names: Sequence[str], num_games: int, seed: int) -> _About:
    return _About(
        version=__version__,
        game=game.id,
        options=options_digest(game.options),
        cards=tables_digest(game),
        agents=list(names),
        files=file_data({name: files_of(name, game) for name in names}),
        games=num_games,
        seed=seed,
    )


def _begin(folder: Path, about: _About) -> None:
    """Write what the parts are of, or check that it is the same."""
    path = folder / _ABOUT
    if not path.exists():
        write_json(about, path)
        return
    check_folder(folder, "recording", _ABOUT)
    try:
        before = parse_json(read_text(path, _MAX_BYTES))
        differing = [name for name, value in about if before[name] != value]
    except (ValueError, KeyError, TypeError):
        raise FileError(f"recording {path}: damaged; delete {folder} to begin anew") from None
    if differing:
        raise FileError(
            f"recording {folder}: was begun with other {', '.join(differing)}; "
            "give those, or name another dataset, or delete the folder to begin anew"
        )


def _write(episodes: Sequence[Episode], path: Path) -> None:
    """Write a part as arrays: of all episodes one after another, and how long each is."""
    joined: dict[str, Any] = {  # Any: else mypy takes them for `allow_pickle`
        **{name: np.concatenate([getattr(one, name) for one in episodes]) for name in _ARRAYS},
        **{name: [getattr(one, name) for one in episodes] for name in ("game", "seat", "agent")},
    }
    with path.open("wb") as file:
        np.savez_compressed(file, **joined, decisions=[len(one.actions) for one in episodes])


def _read(path: Path, games: int) -> list[Episode]:
    """The episodes of a part of so many games; FileError if it is damaged."""
    try:
        with path.open("rb") as file, open_arrays(file, _MAX_BYTES_A_GAME * games + _MAX_BYTES) as part:
            ends = part["decisions"].cumsum()
            split = {name: np.split(part[name], _ends(ends, name)[:-1]) for name in _ARRAYS}
            rows = zip(part["game"].tolist(), part["seat"].tolist(), part["agent"].tolist(), strict=True)
            return [Episode(*row, *(split[name][at] for name in _ARRAYS)) for at, row in enumerate(rows)]
    except (ValueError, KeyError) as error:
        raise FileError(f"recording {path}: damaged ({error}); delete it to play its games again") from None


def _ends(ends: np.ndarray, name: str) -> np.ndarray:
    """Where each episode ends: observations and masks have one row more than it has decisions."""
    return ends + np.arange(1, len(ends) + 1) * (name in ("observations", "masks"))
