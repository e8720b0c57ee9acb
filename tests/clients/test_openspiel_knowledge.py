"""What a seat knows in OpenSpiel: information states, tensors and resampled states."""

import pickle
from pathlib import Path

import numpy as np
import pytest

from tests.clients.openspiel_games import GAMES, TINY, every_game, game_of, random_state, strings_and_nodes
from w51_agents.exact.tree import build_tree
from w51_env import make_game
from w51_env.engine.batch import Batch
from w51_env.warehouse51 import relics

pytest.importorskip("pyspiel", reason="open-spiel is not installed")
from w51_env.adapters import openspiel


def test_information_states_are_those_of_the_exact_tree():
    tree = build_tree(make_game("warehouse51_v1", **TINY))
    strings = strings_and_nodes(openspiel.make("warehouse51_v1", **TINY), tree)
    for seat in range(3):
        assert len({string for level in strings for string in level if string.startswith(f"p{seat}")}) == (
            tree.information_states(seat)
        )
    for level, texts in zip(tree.levels, strings, strict=True):
        mine = level.mover >= 0
        numbers = level.information[level.mover[mine], np.flatnonzero(mine)]
        pairs = set(zip(level.mover[mine].tolist(), numbers.tolist(), np.array(texts)[mine].tolist(), strict=True))
        assert len(pairs) == len({pair[:2] for pair in pairs}) == len({pair[2] for pair in pairs})


def test_the_tensor_has_the_last_rows_of_the_history():
    few, all_rows = (openspiel.make("warehouse51_v1", num_players=3, history=rows) for rows in (5, openspiel.ALL))
    states = [random_state(game, 4) for game in (few, all_rows)]
    head = few.game.num_players + few.game.layout.size
    last, every = (np.array(state.information_state_tensor(1))[head:].reshape(-1, 6) for state in states)
    rows = every[every.any(axis=1)]
    assert len(rows) > 20
    np.testing.assert_array_equal(last, rows[-5:])
    assert len(every) == all_rows.game.max_events


@pytest.mark.parametrize("name", ["nano", "mini", "default"])
def test_tensors_tell_the_same_information_states_apart_as_strings(name: str):
    game_id, options = GAMES[name]
    game = openspiel.make(game_id, **{**options, "history": openspiel.ALL})
    states = [random_state(game, seed, most=8) for seed in range(150)]
    strings = [state.information_state_string() for state in states]
    tensors = [np.array(state.information_state_tensor()).tobytes() for state in states]
    assert len(set(strings)) == len(set(tensors)) == len(set(zip(strings, tensors, strict=True))) < 151


@every_game
def test_a_resampled_state_looks_the_same_to_its_seat_and_not_to_the_others(name: str):  # S3, S4, T5, A1
    import pyspiel

    game = game_of(name)
    draw = np.random.default_rng(5)
    differ = 0
    for seed in range(10):
        state = random_state(game, seed)
        for seat in range(game.num_players()):
            other = state.resample_from_infostate(seat, draw.random)
            for view in ("information_state_string", "information_state_tensor", "observation_tensor"):
                if view != "information_state_tensor" or seed < 4:
                    assert getattr(state, view)(seat) == getattr(other, view)(seat)
            assert state.observation_string(seat) == other.observation_string(seat)
            assert state.current_player() == other.current_player()
            assert state.legal_actions(seat) == other.legal_actions(seat)
            differ += str(state) != str(other)
    assert differ > 5 or name == "alles_futsch mini"  # where all cards are face up
    assert isinstance(pyspiel.UniformProbabilitySampler(0.0, 1.0)(), float)


def test_a_sealed_bid_shows_to_its_seat_alone_until_all_are_in():  # T5
    game = openspiel.make("warehouse51_v1", preset="nano", chance="seed")
    for seed in range(200):
        state = random_state(game, seed, most=9)
        bidder = state.current_player()
        bids = [action for action in state.legal_actions() if game.actions[action].name.startswith("bid_")]
        if "blind" in str(state).lower() and len(bids) > 1:
            low, high = state.child(bids[0]), state.child(bids[-1])
            if game.simulator.record(low._at.position)["secret_bid"].max() < 0:
                continue
            for seat in range(3):
                same = low.information_state_string(seat) == high.information_state_string(seat)
                assert same == (seat != bidder)
            return
    pytest.fail("no sealed bid in 200 games")


def test_a_game_made_again_has_its_cards_whatever_becomes_of_the_file(tmp_path):
    cards = tmp_path / "cards.toml"
    mini = (Path(relics.__file__).parent / "relic_sets" / "mini.toml").read_text("utf-8")
    cards.write_text(mini.replace("value = 1", "value = 3"), "utf-8")
    game = openspiel.make("warehouse51_v1", preset="mini", relics=str(cards), chance="seed")
    cards.write_text(mini, "utf-8")
    for again in (pickle.loads(pickle.dumps(game)), openspiel.pyspiel.load_game(str(game))):
        assert again.game.options == game.game.options


def test_a_loaded_state_has_the_same_information_states():
    import pyspiel

    game = openspiel.make("warehouse51_v1", num_players=3, pawn_limit=4, first_player="random")
    state = random_state(game, 3)
    other_game, other = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, state))
    assert str(other_game) == str(game)
    assert other_game.game.options == game.game.options
    for seat in range(3):
        assert other.information_state_string(seat) == state.information_state_string(seat)


def test_a_seed_is_the_game_of_the_batch():
    game = openspiel.make("warehouse51_v1", num_players=3)
    batch = Batch(game.game, 1, seed=0, autoreset="disabled")
    batch.reset(seed=0x01020304)
    state = game.new_initial_state()
    for byte in (1, 2, 3, 4):
        state.apply_action(byte)
    while not state.is_terminal():
        assert state.current_player() == batch.seat[0]
        assert state.legal_actions_mask() == batch.action_mask[0].tolist()
        action = int(batch.sample_actions()[0])
        state.apply_action(action)
        batch.step(np.array([action]))
    assert state.returns() == pytest.approx(batch.rewards[0].tolist())
