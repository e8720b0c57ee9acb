"""Self-play: the network, the tables it learns from, its past as opponents, and that it learns."""

import pickle

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the extra 'train'")

from agents import AgentError, make_agent  # noqa: E402
from agents.policies.agent import ActorCriticAgent  # noqa: E402
from agents.policies.network import ActorCritic, Body, Value, load_network, save_network  # noqa: E402
from agents.training.config import TrainingConfig  # noqa: E402
from agents.training.games import LEARNER, POOL, SELF, Tables  # noqa: E402
from agents.training.pool import Pool  # noqa: E402
from agents.training.selfplay import SelfPlayTrainer, draw  # noqa: E402
from tests.warehouse51.relic_files import relic, write_relic_file  # noqa: E402
from w51_env import make_game, make_vec  # noqa: E402

ONE_LOT = "tests.third_game:make"
NOBODY = np.zeros(0)


def network_for(game, hidden=(16,), seed=0):
    torch.manual_seed(seed)
    return ActorCritic(game, hidden)


def shown(game, games=50, steps=20):
    batch = make_vec(game.id, games, seed=1, num_players=game.num_players)
    batch.reset()
    for _ in range(steps):
        batch.step(batch.sample_actions())
    return torch.as_tensor(batch.observation.copy()), torch.as_tensor(batch.action_mask.astype(bool))


# ---- the network


def test_an_illegal_action_has_no_probability():
    game = make_game("warehouse51_v0")
    observations, masks = shown(game)
    logits, values = network_for(game)(observations, masks)
    probabilities = torch.softmax(logits, 1)
    assert (probabilities[~masks] == 0).all()
    assert probabilities[masks].min() > 0
    assert values.shape == (50,)


def test_the_unit_of_values_moves_and_predictions_stay():
    game = make_game("warehouse51_v0")
    observations, masks = shown(game)
    network = network_for(game)
    value = network.value
    before = value.real(network(observations, masks)[1])
    value.measure(torch.tensor([40.0, 10.0, 25.0]), 0.5)
    assert value.mean == pytest.approx(12.5)
    assert torch.allclose(value.real(network(observations, masks)[1]), before, atol=1e-4)
    assert torch.allclose(value.real(value.normal(before)), before, atol=1e-4)


def test_a_single_return_leaves_a_unit_that_can_be_used():
    value = Value(4)
    value.measure(torch.tensor([3.0]), 1.0)
    assert value.mean == 3
    assert value.deviation > 0
    assert all(tensor.isfinite().all() for tensor in value.state_dict().values())


def test_inputs_are_measured_over_all_that_was_shown():
    body = Body(5, [4])
    generator = np.random.default_rng(0)
    parts = [torch.from_numpy(generator.integers(-3, 90, (40, 5)).astype(np.int8)) for _ in range(7)]
    for part in parts:
        part[:, 4] = 7  # never differs
        body.follow(part)
    everything = torch.cat(parts).double()
    assert torch.allclose(body.mean.double(), everything.mean(0), atol=1e-4)
    assert torch.allclose((body.square - body.mean**2).double(), everything.var(0, correction=0), rtol=1e-4, atol=1e-3)


def test_a_measured_body_sees_inputs_in_units_of_their_own():
    body = Body(3, [6])
    shown = torch.tensor([[0, 100, 5], [10, 120, 5], [20, 110, 5]], dtype=torch.int8)
    body.follow(shown)
    spread = shown.double().std(0, correction=0).clamp_min(0.1)
    normal = ((shown.double() - shown.double().mean(0)) / spread).float()
    expected = torch.relu(normal @ body.first.weight.T + body.first.bias)
    assert torch.allclose(body(shown), expected, atol=1e-3)
    assert body(shown).isfinite().all()  # though the third input never differs


def test_a_network_is_kept_and_read_again(tmp_path):
    game = make_game("warehouse51_v0")
    network = network_for(game)
    save_network(network, game, tmp_path / "one.safetensors")
    observations, masks = shown(game)
    for expected, found in zip(
        network(observations, masks), load_network(game, tmp_path / "one.safetensors")(observations, masks), strict=True
    ):
        assert torch.equal(expected, found)
    agent = make_agent(str(tmp_path / "one.safetensors"), game)
    actions = agent.act_batch(observations.numpy(), masks.numpy())
    assert masks.numpy()[np.arange(50), actions].all()
    drawing = ActorCriticAgent(game, tmp_path / "one.safetensors", greedy=False)
    drawing.reset(1)
    first = drawing.act_batch(observations.numpy(), masks.numpy())
    drawing.reset(1)
    assert (drawing.act_batch(observations.numpy(), masks.numpy()) == first).all()
    assert (first != actions).any()


def test_what_is_no_network_for_this_game_is_refused_in_words(tmp_path):
    game, path = make_game("warehouse51_v0"), tmp_path / "one.safetensors"
    with pytest.raises(AgentError, match=r"one.safetensors: not a checkpoint, or a damaged one"):
        make_agent(str(path), game)
    save_network(network_for(game), game, path)
    with pytest.raises(
        AgentError, match="a network for warehouse51_v0, whose observations or actions are not those of alles_futsch_v0"
    ):
        make_agent(str(path), make_game("alles_futsch_v0"))
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(AgentError, match="not a checkpoint, or a damaged one"):
        make_agent(str(path), game)
    path.write_bytes(whole.replace(b"w51_env checkpoint 1", b"w51_env checkpoint 9"))
    with pytest.raises(AgentError, match="format 'w51_env checkpoint 9', but 'w51_env checkpoint 1' is needed"):
        make_agent(str(path), game)


def test_a_network_for_other_cards_is_refused(tmp_path):
    cards = [relic(f"thing_{number}", ("blue", "green", "golden", "red")[number % 4]) for number in range(24)]
    theirs = make_game("warehouse51_v0", relics=write_relic_file(tmp_path, *cards), counterfeits_per_gap=0)
    save_network(network_for(theirs), theirs, tmp_path / "one.safetensors")
    assert make_agent(str(tmp_path / "one.safetensors"), theirs)
    with pytest.raises(AgentError, match="observations or actions are not those of warehouse51_v0 with these options"):
        make_agent(str(tmp_path / "one.safetensors"), make_game("warehouse51_v0"))


def test_a_network_plays_with_options_that_it_sees(tmp_path):
    save_network(network_for(make_game("warehouse51_v0")), make_game("warehouse51_v0"), tmp_path / "one.safetensors")
    for options in ({"num_players": 3}, {"num_players": 5}, {"reward": "win"}):
        assert make_agent(str(tmp_path / "one.safetensors"), make_game("warehouse51_v0", **options))


def test_a_pickle_by_the_name_of_a_network_is_refused_and_not_run(tmp_path):
    class Trap:
        def __reduce__(self):
            return (tmp_path / "sprung").touch, ()

    for name, write in (
        ("plain", lambda path: path.write_bytes(pickle.dumps(Trap()))),
        ("torch", lambda path: torch.save(Trap(), path)),
    ):
        path = tmp_path / f"{name}.safetensors"
        write(path)
        with pytest.raises(AgentError, match="not a checkpoint, or a damaged one"):
            make_agent(str(path), make_game(ONE_LOT))
    assert not (tmp_path / "sprung").exists()


def test_weights_that_do_not_fit_are_refused(tmp_path):
    game, path = make_game(ONE_LOT), tmp_path / "one.safetensors"
    save_network(network_for(game, (16,)), game, path)
    path.write_bytes(path.read_bytes().replace(rb"hidden\": [16]", rb"hidden\": [17]"))
    with pytest.raises(AgentError, match="the weights do not fit the network"):
        make_agent(str(path), game)


def test_actions_are_drawn_from_the_policy():
    logits = torch.tensor([[0.0, -1e9, 1.0, 2.0, -1e9]]).repeat(20_000, 1)
    drawn = torch.bincount(draw(torch.softmax(logits, 1), torch.Generator().manual_seed(0)), minlength=5) / 20_000
    assert drawn[[1, 4]].tolist() == [0, 0]
    assert torch.allclose(drawn, torch.softmax(logits[0], 0), atol=0.015)


# ---- the tables


def test_tables_show_several_kinds_of_games_as_one():
    kinds = [
        (make_game("warehouse51_v0", num_players=players), 3, opponents)
        for players, opponents in ((3, SELF), (5, "heuristic"), (4, POOL))
    ]
    tables = Tables(kinds, seed=0)
    tables.reset(NOBODY)
    generator = np.random.default_rng(0)
    ended = np.zeros(9, int)
    for _ in range(1500):
        assert tables.mask.any(axis=1).all()
        tables.step((tables.mask * generator.random(tables.mask.shape)).argmax(axis=1), NOBODY)
        ended += tables.done
        assert (tables.rewards[~tables.done] == 0).all()
        assert np.allclose(tables.rewards.sum(axis=1), 0, atol=1e-6)
        assert (tables.rewards[:3, 3:] == 0).all()
    assert ended.min() > 3
    assert ((tables.ranks > 0).sum(axis=1) == np.repeat([3, 5, 4], 3)).all()
    tables.close()


def test_the_past_has_all_seats_but_one():
    tables = Tables([(make_game(ONE_LOT, num_players=4), 400, POOL)], seed=0)
    tables.reset(np.array([1.0, 3.0]))
    players = tables.player
    assert ((players == LEARNER).sum(axis=1) == 1).all()
    assert 60 < (players.max(axis=1) == 1).sum() < 140  # a quarter of 400
    assert {tuple(row.tolist()) for row in (players == LEARNER)} == {
        tuple(row) for row in np.eye(4, dtype=bool).tolist()
    }
    before = players.copy()
    for _ in range(4):
        tables.step(np.zeros(400, np.int64), np.array([1.0, 3.0]))
    assert tables.done.all()
    assert (tables.opponent == before.max(axis=1)).all()
    assert (before[np.arange(400), tables.learner] == LEARNER).all()


def test_a_harder_past_plays_more_often_and_the_easiest_gives_way():
    network, pool = network_for(make_game(ONE_LOT)), Pool(2, 1)
    pool.remember(network, 0)
    pool.remember(network, 1)
    pool.tell(np.zeros(50, int), np.zeros(50))
    assert pool.chances()[0] < pool.chances()[1]
    easiest = pool.networks[0]
    pool.remember(network, 2)
    assert easiest not in pool.networks
    assert pool.lost.tolist() == [1.0, 1.0]


# ---- learning


def test_it_learns_to_bid_in_a_small_auction():
    """One lot, two players, each with a worth of its own: who learns beats random, and bids more when it is worth more."""
    game = make_game(ONE_LOT, num_players=2)
    tables = [
        {"players": 2, "games": 64},
        {"players": 2, "games": 64, "opponents": "shader"},
        {"players": 2, "games": 64, "opponents": POOL},
    ]
    settings = {
        "tables": tables,
        "steps_per_update": 16,
        "minibatch": 512,
        "network": [32],
        "learning_rate": 5e-3,
        "pool_every": 5,
    }
    config = TrainingConfig(name="small", game=ONE_LOT, decisions=60_000, trainer="selfplay", selfplay=settings)
    trainer = SelfPlayTrainer(config, game)
    told = []
    while trainer.decisions < config.decisions:
        told.append(trainer.update())
    assert told[-1].mean_return > told[0].mean_return + 1
    assert told[-1].entropy < told[0].entropy
    assert told[-1].decisions == trainer.decisions
    trainer.close()
