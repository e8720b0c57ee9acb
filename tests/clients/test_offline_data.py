"""Datasets of games: what they hold, and that a seat's episodes hold nothing that is hidden from it."""

from pathlib import Path

import numpy as np
import pytest

from tests.clients.record import client
from w51_agents import make_agent
from w51_env import make_game
from w51_env.engine.batch import Batch
from w51_env.engine.errors import FileError, OptionError
from w51_env.engine.game import Game
from w51_lab import datasets

GAMES = 6


@pytest.fixture(scope="module")
def game() -> Game:
    return make_game("warehouse51_v1", preset="mini")


def episodes_of(game: Game) -> list[datasets.Episode]:
    names = ["heuristic", "random"]
    return datasets.record(game, names, [make_agent(name, game) for name in names], GAMES, seed=3)


def test_episodes_are_what_each_seat_observed_and_did(game: Game):
    by_seat = {(episode.game, episode.seat): episode for episode in episodes_of(game)}
    batch = Batch(game, GAMES, seed=0, autoreset="disabled")
    batch.reset(seed=np.random.SeedSequence(3).generate_state(GAMES, np.uint64))
    at = dict.fromkeys(by_seat, 0)
    returns = np.zeros((GAMES, game.num_players), np.float32)
    while (batch.seat >= 0).any():
        actions = np.full(GAMES, -1)
        for row in np.flatnonzero(batch.seat >= 0).tolist():
            key = row, int(batch.seat[row])
            episode, step = by_seat[key], at[key]
            np.testing.assert_array_equal(episode.observations[step], batch.observe(key[1])[row])
            np.testing.assert_array_equal(episode.masks[step], batch.action_mask[row])
            actions[row] = episode.actions[step]
            at[key] += 1
        batch.step(actions)
        returns += batch.rewards
    for (row, seat), episode in by_seat.items():
        assert at[row, seat] == len(episode.actions)
        np.testing.assert_array_equal(episode.observations[-1], batch.observe(seat)[row])
        assert episode.rewards[:-1].sum() == 0
        assert episode.rewards[-1] == returns[row, seat]
        assert episode.agent == ("heuristic", "random")[(row + seat) % 2]


def test_a_parquet_file_has_a_row_for_each_decision_and_no_secret(game: Game, tmp_path: Path):
    parquet = pytest.importorskip("pyarrow.parquet")
    episodes = episodes_of(game)
    datasets.write(episodes, game, tmp_path / "games", ["parquet"])
    table = parquet.read_table(tmp_path / "games" / datasets.PARQUET)
    assert table.num_rows == sum(len(episode.actions) for episode in episodes)
    assert table.column_names == [
        "game", "seat", "agent", "decision", "observation", "action_mask", "action", "reward", "return", "last"
    ]  # fmt: skip
    masks = np.stack(table["action_mask"].to_numpy())
    np.testing.assert_array_equal(masks[np.arange(len(masks)), table["action"].to_numpy()], 1)
    np.testing.assert_array_equal(np.stack(table["observation"].to_numpy())[-1], episodes[-1].observations[-2])
    assert not list(tmp_path.glob("*.unfinished"))


@client("minari", "`w51 dataset`: written, loaded and compared")
def test_minari_loads_the_episodes_of_each_seat(game: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    import minari

    episodes = episodes_of(game)
    datasets.write(episodes, game, tmp_path / "games", ["minari"])
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "games" / datasets.MINARI))
    dataset = minari.load_dataset(datasets.dataset_id(game))
    loaded = list(dataset)
    assert len(loaded) == len(episodes)
    for one, other in zip(loaded, episodes, strict=True):
        np.testing.assert_array_equal(one.observations["observation"], other.observations)
        np.testing.assert_array_equal(one.observations["action_mask"], other.masks)
        np.testing.assert_array_equal(one.actions, other.actions)
        assert one.rewards.sum() == pytest.approx(float(other.rewards.sum()))
        assert one.terminations.tolist() == [False] * (len(other.actions) - 1) + [True]
        np.testing.assert_array_equal(one.infos["seat"], other.seat)
        assert set(one.infos) == {"seat"}
    env = dataset.recover_environment(opponents="heuristic")
    assert env.unwrapped.game.options == game.options
    assert env.observation_space == dataset.observation_space["observation"]
    assert env.action_space == dataset.action_space


@client("minari", "`DataCollector(record_infos=True)` on the Gymnasium environment")
def test_minari_records_infos(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    import gymnasium
    import minari

    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    env = minari.DataCollector(gymnasium.make("w51_env/Warehouse51-v1", num_players=3), record_infos=True)
    for seed in range(2):
        _, info = env.reset(seed=seed)
        over = False
        while not over:
            _, _, over, _, info = env.step(int(info["action_mask"].argmax()))
    dataset = env.create_dataset(dataset_id="w51_env/collected/random-v0", algorithm_name="first legal action")
    for episode in dataset.iterate_episodes():
        np.testing.assert_array_equal(episode.infos["action_mask"][np.arange(len(episode.actions)), episode.actions], 1)
    env.close()


def test_bad_input_is_refused_before_a_game_is_played(game: Game, tmp_path: Path):
    with pytest.raises(FileError, match="exists already"):
        datasets.check(tmp_path, ["parquet"])
    with pytest.raises(OptionError, match="dataset format: 'csv', but allowed are parquet, minari"):
        datasets.check(tmp_path / "new", ["csv"])
