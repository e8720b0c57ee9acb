"""The compiled policy of a network draws what the network's policy says, in every game that it can play."""

import numpy as np
import pytest
import torch

from tests.agents.test_search import decisions
from tests.env.engine.test_determinization import indistinguishable, running
from w51_agents import AgentError, make_agent
from w51_agents.networks.load import existing_checkpoint
from w51_agents.networks.making import compiled_policy, load_network, make_network, save_network
from w51_agents.networks.network import ActorCritic
from w51_agents.networks.policy_agent import ActorCriticAgent
from w51_agents.search.agent_playouts import bits_of
from w51_agents.search.imputation import BidImputation
from w51_agents.search.players import make_playouts
from w51_agents.search.playouts import LeafBatch
from w51_agents.search.search_agent import make_search
from w51_env import make_game
from w51_env.engine import rng
from w51_env.engine.batch import Batch
from w51_env.engine.determinization import Determinizer
from w51_env.engine.game import Game
from w51_env.warehouse51.actions import BID, DECLINE
from w51_env.warehouse51.state import BLIND_AUCTION, NOT_BID
from w51_lab.arena.matches import play_matches

GAME = make_game("warehouse51_v1", num_players=3)
PLAYED = [
    make_game("warehouse51_v1", num_players=4),
    make_game("warehouse51_v1", num_players=5, preset="hu", relics="generated:1001"),
    make_game("warehouse51_v1", num_players=3, preset="mini"),
    make_game("alles_futsch_v1", num_players=3),
]
NAMES = ("heuristic", "pretrained-v2")
SPEC = "search:playouts=24,playout_bot=pretrained-v2"
random_bits = getattr(rng.random_bits, "py_func", rng.random_bits)


def pretrained(game: Game) -> ActorCritic:
    return load_network(game, existing_checkpoint("pretrained-v2", game))


def untrained(game: Game, **settings) -> ActorCritic:
    """A network with weights and statistics of the inputs that are drawn, so that its policy is far from uniform."""
    torch.manual_seed(1)
    network = make_network(game, **settings).requires_grad_(False)
    for parameter in network.parameters():
        parameter += torch.randn_like(parameter) * 0.1
    network.torso.mean.normal_()
    network.torso.mean_square.copy_(network.torso.mean**2 + torch.rand_like(network.torso.mean))
    return network


def check_draws(game: Game, network: ActorCritic) -> None:
    """Each action that is drawn in games of all ages is the one at the drawn quantile of the policy."""
    policy, agent = compiled_policy(game, network), ActorCriticAgent(game, network, greedy=False)
    batch = Batch(game, 400, seed=5, autoreset="disabled")
    batch.games[:] = running(game, 400).games
    batch.refresh()
    bits = np.arange(400, dtype=np.uint64) + np.uint64(2**40)
    drawn, expected = [], []
    for _ in range(6):
        bits += np.uint64(400)
        actions = policy.choose(batch.observation, batch.action_mask, bits)
        np.testing.assert_array_equal(actions[batch.seat < 0], -1)
        rows = np.flatnonzero(batch.action_mask.sum(1) > 1)
        shares = agent.policy(batch.observation[rows], batch.action_mask[rows]).cumsum(1)
        with np.errstate(over="ignore"):
            at = np.array([int(random_bits(one, rng.POLICY)) >> 40 for one in bits[rows]]) / 2.0**24
        drawn += actions[rows].tolist()
        expected += (shares > at[:, None]).argmax(1).tolist()
        batch.step(actions)
    assert (batch.seat < 0).any()
    assert len(drawn) > 200
    # Where the quantile is at an edge, the precision decides.
    assert (np.array(drawn) == expected).mean() > 0.995


@pytest.mark.parametrize("game", PLAYED, ids=lambda game: f"{game.id} {game.num_players}")
def test_a_compiled_policy_draws_what_the_pretrained_network_says(game: Game):
    check_draws(game, pretrained(game))


@pytest.mark.parametrize("sizes", [[24], [16, 40, 8]])
@pytest.mark.parametrize("network", [None, "items"])
def test_networks_of_any_shape_are_compiled(network: str | None, sizes: list[int]):
    check_draws(GAME, untrained(GAME, network=network, hidden_sizes=sizes))


@pytest.mark.parametrize("network", [None, "items"])
@pytest.mark.parametrize(
    "settings",
    [
        {"base_policy": "heuristic"},
        {"heuristic_features": True},
        {"hidden_slices": ["options", "owned", "lot"], "base_policy": "heuristic", "heuristic_features": True},
    ],
)
def test_what_a_network_reads_beside_or_instead_of_observations_is_compiled(network: str | None, settings: dict):
    made = untrained(GAME, network=network, hidden_sizes=[24], **settings)
    check_draws(GAME, made)
    assert compiled_policy(GAME, made).reads_observations == (settings.keys() == {"hidden_slices"})


@pytest.mark.parametrize("name", ["pretrained", "pretrained-v2"])
@pytest.mark.parametrize("game", PLAYED, ids=lambda game: f"{game.id} {game.num_players}")
def test_what_is_kept_of_a_seats_last_decision_changes_no_action(game: Game, name: str):
    policy = make_playouts(game, name)[0]
    batch = Batch(game, 64, seed=5, autoreset="disabled")
    batch.reset()
    equal = []
    while (rows := np.flatnonzero(batch.seat >= 0)).size and len(equal) < 6000:
        seen = batch.observation[rows], batch.action_mask[rows], bits_of(batch, rows)
        alone, kept = policy.choose(*seen), policy.choose(*seen, rows * game.num_players + batch.seat[rows])
        equal += (alone == kept).tolist()
        actions = np.full(64, -1)
        actions[rows] = kept
        batch.step(actions)
    assert np.mean(equal) > 0.999  # sums in another order: where a number is at an edge, the precision decides


def test_a_network_with_table_statistics_around_it_reads_the_other_columns():
    game = make_game("warehouse51_v1", num_players=3, table_statistics=True)
    batch = Batch(game, 8, seed=4)
    batch.reset()
    for number in range(60):
        batch.step(batch.sample_actions(number))
    assert batch.observation[:, GAME.layout.size :].any()
    for name in ("pretrained-v2", "exploiter"):
        network = load_network(GAME, existing_checkpoint(name, GAME))
        arrays = batch.action_mask, np.arange(8, dtype=np.uint64)
        policy = compiled_policy(GAME, network, num_columns=game.layout.size)
        chosen = policy.choose(batch.observation, *arrays)
        for few in (slice(3), slice(1, 8), slice(0)):  # the arrays of calls before are used again
            np.testing.assert_array_equal(
                policy.choose(batch.observation[few], *(array[few] for array in arrays)), chosen[few]
            )
        known = np.ascontiguousarray(batch.observation[:, : GAME.layout.size])
        np.testing.assert_array_equal(chosen, compiled_policy(GAME, network).choose(known, *arrays))
        agents = [make_agent(f"{name}:greedy", one) for one in (game, GAME)]
        acts = [
            agent.act_batch(seen, arrays[0]) for agent, seen in zip(agents, (batch.observation, known), strict=True)
        ]
        np.testing.assert_array_equal(acts[0], acts[1])


@pytest.mark.parametrize("network", [None, "items", "history", "recurrent"])
def test_every_network_makes_playouts(network: str | None, tmp_path):
    more = {} if network in ("history", "recurrent") else {"base_policy": "heuristic"}
    made = untrained(GAME, network=network, hidden_sizes=[8], heuristic_features=True, **more)
    save_network(made, GAME, tmp_path / "net.safetensors")
    observations, masks, infos = decisions(running(GAME, 6))
    search = make_search(f"search:playouts=8,playout_bot={tmp_path / 'net'}", GAME)
    chosen = search.act_batch(observations, masks, infos)
    np.testing.assert_array_equal(masks[np.arange(len(masks)), chosen], 1)
    if network in ("history", "recurrent"):
        with pytest.raises(AgentError, match="remembers, but a prior knows the observation alone"):
            make_search(f"search:playouts=8,prior={tmp_path / 'net'}", GAME)
        with pytest.raises(AgentError, match="remembers, and plays by its own name only"):
            make_agent(f"style:{tmp_path / 'net'},bids=1", GAME)


@pytest.mark.parametrize("name", ["pretrained-v2", "exploiter"])  # observations alone, and base policy and features
def test_a_playout_depends_on_its_state_and_action_alone(name: str):
    batch = running(GAME, 40)
    states, actions = batch.clone(), batch.sample_actions()
    playouts = make_playouts(GAME, name)[1]
    together = playouts.play(LeafBatch(states, actions))
    assert ((together.ranks >= 1) & (together.ranks <= 3)).all()
    for index in (0, 7, 39):
        alone = playouts.play(LeafBatch(states[index : index + 1], actions[index : index + 1]))
        np.testing.assert_array_equal(*np.broadcast_arrays(alone.scores, together.scores[index]))
    others = states.copy()
    others["stream"] += np.uint64(1)
    assert (playouts.play(LeafBatch(others, actions)).scores != together.scores).any()


def test_a_search_with_a_network_plays_whole_games_and_knows_nothing_hidden():
    mini = make_game("warehouse51_v1", num_players=3, preset="mini")
    other = ActorCriticAgent(mini, pretrained(mini), greedy=False)
    few = "search:playouts=8,playout_bot=pretrained-v2"
    agents = [("search", make_search(few, mini)), ("other", other)]
    assert play_matches(mini, agents, 3, seed=1).wins.sum() == 3
    batch = running(GAME, 12)
    search = make_search(f"{SPEC},z_threshold=0", GAME)
    chosen = search.act_batch(*decisions(batch))
    search.reset(0)
    np.testing.assert_array_equal(search.act_batch(*decisions(batch, indistinguishable(batch, seed=4))), chosen)
    search.reset(0)
    assert [search.act(*one) for one in zip(*decisions(batch), strict=True)] == chosen.tolist()


def test_sealed_bids_are_drawn_from_the_network():  # T5
    game, count = make_game("warehouse51_v1", num_players=4), 4000
    batch = running(game, 200)
    bids = batch.games["secret_bid"][:, :4] != NOT_BID
    rows = np.flatnonzero((batch.games["phase"] == BLIND_AUCTION) & bids.any(1))[:3]
    assert len(rows) == 3
    for row in rows:
        seat, other = int(batch.seat[row]), int(bids[row].argmax())
        drawn = Determinizer(game, batch.games[row], seat).draw(count, seed=1)
        asked = Batch(game, 1)
        asked.games[:] = drawn[:1]
        asked.games["seat"], asked.games["secret_bid"][:, other] = other, NOT_BID
        asked.refresh()
        asked.action_mask[:, DECLINE:] = 0
        # What this seat knows is the same in all determinizations but for the cards it has not seen.
        drawn[:] = np.repeat(drawn[:1], count)
        drawn["stream"] = np.arange(count)
        BidImputation(game, make_playouts(game, "pretrained-v2")[0]).impute(drawn, seat)
        agent = ActorCriticAgent(game, pretrained(game), greedy=False)
        shares = agent.policy(asked.observation, asked.action_mask)[0, BID:DECLINE]
        counts = np.bincount(drawn["secret_bid"][:, other], minlength=len(shares))
        assert counts[shares == 0].sum() == 0
        np.testing.assert_array_less(np.abs(counts - count * shares), 4.5 * np.sqrt(count * shares) + 1)


def test_a_mixture_plays_each_determinization_with_one_of_its_players():
    player, playouts = make_playouts(GAME, "heuristic+pretrained-v2")
    batch = Batch(GAME, 160, seed=9, autoreset="disabled")
    batch.reset()
    first = batch.action_mask.argmax(1)
    leaves = LeafBatch(np.repeat(batch.games, 2), np.repeat(first, 2))
    outcomes = playouts.play(leaves)
    alone = [make_playouts(GAME, name)[1].play(leaves) for name in NAMES]
    same = np.stack([(outcomes.scores == one.scores).all(1) for one in alone])
    np.testing.assert_array_equal(same.any(0), True)
    shares = (same & ~same[::-1]).mean(1)
    assert shares == pytest.approx(0.5, abs=0.1)
    np.testing.assert_array_equal(same[:, ::2], same[:, 1::2])  # both actions of a determinization meet the same player
    bits = np.ascontiguousarray(batch.games["stream"])
    chosen = player.choose(batch.observation, batch.action_mask, bits)
    bids = [make_playouts(GAME, name)[0].choose(batch.observation, batch.action_mask, bits) for name in NAMES]
    of_member = np.where(same[0, ::2], *bids)
    assert (chosen == of_member)[same[0, ::2] != same[1, ::2]].all()


def test_a_search_with_a_mixture_takes_its_candidates_from_the_first_and_refuses_unknown_players():
    search = make_search("search:playouts=24,playout_bot=heuristic+pretrained-v2", GAME)
    batch = Batch(GAME, 4, seed=9)
    batch.reset()
    chosen = search.act_batch(*decisions(batch))
    np.testing.assert_array_equal(np.take_along_axis(batch.action_mask, chosen[:, None], 1), 1)
    with pytest.raises(AgentError, match="playout_bot: 'heurist', but the bots of warehouse51_v1"):
        make_search("search:playout_bot=pretrained-v2+heurist", GAME)
