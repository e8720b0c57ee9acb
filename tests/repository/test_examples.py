"""The single-file PPOs of examples/: advantages are those of the definition; they run, learn, and play as agents."""

import re
from argparse import Namespace
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from tests.commands import ROOT, printed_by
from w51_agents import AgentError, BatchAgent, make_agent
from w51_env import make_game, make_vec
from w51_lab.arena.matches import play_matches

pytest.importorskip("torch", reason="needs PyTorch")

FILE = ROOT / "examples" / "ppo_masked.py"


@pytest.fixture(scope="module")
def example() -> ModuleType:
    spec = spec_from_file_location("ppo_masked", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_advantages_follow_each_seat_from_decision_to_decision(example: ModuleType):
    draw = np.random.default_rng(1)
    steps, games, players, gamma, lambda_ = 60, 5, 3, 0.9, 0.8
    seats = draw.integers(0, players, (steps, games))
    dones = draw.random((steps, games)) < 0.1
    rewards = np.where(dones[:, :, None], draw.normal(size=(steps, games, players)), 0).astype(np.float32)
    values = draw.normal(size=(steps, games)).astype(np.float32)
    args = Namespace(gamma=gamma, gae_lambda=lambda_)
    advantages, valid = example.advantages_of(seats, rewards, dones, values, args)
    for game, seat in np.ndindex(games, players):
        mine = np.flatnonzero(seats[:, game] == seat).tolist()
        gae, later = 0.0, None  # later: number of the seat's next decision, None if it is not in the rollout
        for step in reversed(mine):
            ends = np.flatnonzero(dones[step:, game])
            end = step + int(ends[0]) if len(ends) else None
            over = end is not None and (later is None or end < later)
            assert valid[step, game] == (over or later is not None)
            if not valid[step, game]:
                later = step
                continue
            reward = rewards[end, game, seat] if over else 0.0
            following = 0.0 if over else values[later, game]
            gae = reward + gamma * following - values[step, game] + (0.0 if over else gamma * lambda_ * gae)
            assert advantages[step, game] == pytest.approx(gae, abs=1e-5)
            later = step


def test_pages_name_its_agent_as_it_is_called(example: ModuleType):
    pages = [path.read_text("utf-8") for path in (FILE, *(ROOT / "docs").rglob("*.md"))]
    names = {name for page in pages for name in re.findall(r"examples\.ppo_masked:(\w+)", page)}
    assert names == {"PPOAgent"}
    assert issubclass(example.PPOAgent, BatchAgent)


@pytest.mark.slow
def test_its_weights_are_kept_at_each_report_and_play_in_the_arena(tmp_path):
    path = tmp_path / "ppo.safetensors"
    options = ["--total-timesteps", "3000", "--num-envs", "16", "--num-steps", "64", "--num-minibatches", "2"]
    printed_by(FILE, *options, "--save", path)
    curve = Path(f"{path}.csv").read_text().splitlines()
    assert [line.partition(",")[0] for line in curve] == ["decisions", "0", "1024", "2048"]
    game = make_game("warehouse51_v1", num_players=3)
    line_up = [
        ("mine", make_agent(f"examples.ppo_masked:PPOAgent,path={path}", game)),
        ("random", make_agent("random", game)),
    ]
    assert len(play_matches(game, line_up, games=6, seed=1).standings()) == 2
    with pytest.raises(AgentError, match="of 681 numbers, but alles_futsch_v1 has 213"):
        make_agent(f"examples.ppo_masked:PPOAgent,path={path}", make_game("alles_futsch_v1"))


@pytest.mark.slow
def test_it_learns_to_beat_random_bots():
    options = ["--total-timesteps", "200000", "--num-envs", "64", "--num-steps", "128", "--learning-rate", "0.002"]
    rates = [float(rate) for rate in re.findall(r"wins ([\d.]+)%", printed_by(FILE, *options))]
    assert len(rates) >= 4
    assert rates[-1] > rates[0] + 8


@pytest.mark.slow
def test_the_recurrent_one_trains_and_its_weights_play_with_a_state_for_each_seat(tmp_path):
    file, path = ROOT / "examples" / "recurrent_ppo_masked.py", tmp_path / "recurrent.safetensors"
    options = ["--total-timesteps", "3000", "--num-envs", "16", "--num-steps", "64", "--hidden-size", "16"]
    printed = printed_by(file, *options, "--save", path)
    assert re.findall(r"^ +([\d,]+) decisions", printed, re.MULTILINE) == ["1,024", "2,048"]
    game = make_game("warehouse51_v1", num_players=3)
    agent = make_agent(f"examples.recurrent_ppo_masked:RecurrentPPOAgent,path={path}", game)
    batch = make_vec(game.id, 20, num_players=3, seed=1, autoreset="disabled")
    batch.reset()
    agent.reset(0)
    seen = np.zeros((20, 3), bool)
    for _ in range(40):
        rows = np.arange(20)
        numbers, is_first = rows * 3 + batch.seat, ~seen[rows, batch.seat]
        infos = [{"memory": int(one), "is_first": bool(first)} for one, first in zip(numbers, is_first, strict=True)]
        actions = agent.act_batch(batch.observation, batch.action_mask, infos)
        np.testing.assert_array_equal(batch.action_mask[rows, actions], 1)
        seen[rows, batch.seat] = True
        batch.step(actions)
    with pytest.raises(AgentError, match="of 681 numbers, but alles_futsch_v1 has 213"):
        make_agent(f"examples.recurrent_ppo_masked:RecurrentPPOAgent,path={path}", make_game("alles_futsch_v1"))


def test_the_policy_that_reads_prompts_knows_a_counterfeit_and_learns(capsys: pytest.CaptureFixture[str]):
    from examples.text_policy import is_known_counterfeit, train

    lot = "Lot: Holy Grail (blue 3, open auction), no bid yet\n"
    assert is_known_counterfeit(f"{lot}Counterfeits that you know of: Excalibur (in a deck), Holy Grail (the lot)")
    assert not is_known_counterfeit(f"{lot}Counterfeits that you know of: Excalibur (in a deck)")
    assert not is_known_counterfeit(lot)
    assert train(1, games=4).any()
    assert "update 1: reward" in capsys.readouterr().out


@pytest.mark.parametrize(("points", "answer"), [(8, "[bid_2]"), (2, "[pass]")])
def test_a_scripted_model_bids_up_to_half_of_what_a_lot_adds(points: int, answer: str):
    prompt = (
        f"You are Player 1.\nPoints that the lot would add now, without its price: Player 0 +9, Player 1 +{points}\n"
        "Your legal actions:\n- pass: pass\n- bid_2 ... bid_9: bid 2 ... bid 9\n"
    )
    assert printed_by(ROOT / "examples" / "scripted_model.py", input=prompt).strip() == answer


def test_the_double_auction_pays_gains_and_not_wins():
    """Exact gains of all pairs of cost and value, and those of games; with margins what one gains the other loses."""
    worths = np.arange(25)
    asks, bids = (2 * worths + 19) // 3, (2 * worths + 4) // 3
    trades, prices = bids >= asks[:, None], (bids + asks[:, None]) / 2
    exact = [(trades * (prices - worths[:, None])).mean(), (trades * (worths - prices)).mean()]
    for reward in ("payoff", "margin"):
        game = make_game("examples.double_auction:make", reward=reward)
        batch = make_vec(game, 20_000, controllers=["linear", "linear"], seed=1, autoreset="disabled")
        batch.reset()
        gains = batch.final_scores / 2
        assert np.abs(gains.mean(axis=0) - exact).max() < 4 * gains.std() / 20_000**0.5
        assert (gains.min() >= -1, (gains > 0).all(axis=1).mean() > 0.2) == (True, True)
        assert np.allclose(batch.rewards, gains / 24) == (reward == "payoff")
        assert (game.decides, np.allclose(batch.rewards.sum(axis=1), 0)) == ("payoff", reward == "margin")
