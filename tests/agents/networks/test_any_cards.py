"""Networks that read the features of cards: they play with any cards, and their checkpoints say so."""

import numpy as np
import pytest
import torch

from tests.agents.networks.selfplay import spread
from tests.agents.networks.small import ALONE, small
from tests.env.warehouse51.relic_files import relic, write_relic_file
from w51_agents.networks.making import load_network, save_network
from w51_agents.networks.policy_agent import ActorCriticAgent
from w51_agents.training.run import Run
from w51_agents.training.selfplay import SelfPlayTrainer
from w51_env import make_game
from w51_env.engine.batch import Batch
from w51_env.engine.errors import OptionError
from w51_env.warehouse51.generated_relics import TEST

ITEMS = {"network": "items", "hidden_sizes": (16, 8)}


def played(game, network, games: int = 30) -> np.ndarray:
    """Scores of games that the network plays, greedily."""
    agent, batch = ActorCriticAgent(game, network), Batch(game, games, seed=2, autoreset="disabled")
    agent.reset(1)
    batch.reset()
    while (batch.seat >= 0).any():
        rows = np.flatnonzero(batch.seat >= 0)
        actions = np.full(games, -1)
        actions[rows] = agent.act_batch(batch.observation[rows], batch.action_mask[rows])
        batch.step(actions)
    return batch.final_scores.copy()


def reordered(tmp_path):
    """A set of 12 relics, and the same set with the relics of each category the other way round."""
    relics = [
        relic(f"thing_{number}", category, value, effect, weapon=number % 3 == 0)
        for number, (category, value, effect) in enumerate(
            (category, value, effect)
            for category in ("blue", "green", "golden", "red")
            for value, effect in ((2, None), (3, None), (1, "certificate"))
        )
    ]
    sets = []
    for name, entries in (("one", relics), ("other", relics[::-1])):
        (tmp_path / name).mkdir()
        sets.append(write_relic_file(tmp_path / name, *entries))
    return sets


def test_a_relic_is_played_by_what_it_is_not_by_its_place_in_the_set(tmp_path):
    games = [make_game("warehouse51_v1", relics=path, counterfeits_per_gap=0) for path in reordered(tmp_path)]
    one, other = games
    network = spread(one, **ITEMS)
    torch.manual_seed(1)
    table = one.items.features, other.items.features
    place = [next(k for k in range(12) if (table[1][k] == row).all()) for row in table[0][:12]]
    assert place != list(range(12))
    facts = torch.randint(0, 2, (7, network.torso.num_facts, 26)).float()
    facts[:, :, 12:] = 0
    parts = network.torso.read(torch.zeros(7, network.num_inputs, dtype=torch.int16))
    moved = facts.clone()
    moved[:, :, place] = facts[:, :, :12]
    read = [parts._replace(facts=f, features=torch.tensor(t).float().expand(7, -1, -1)) for f, t in
            ((facts, table[0]), (moved, table[1]))]  # fmt: skip
    features = [network.torso(part) for part in read]
    torch.testing.assert_close(*features)
    masks = torch.ones(7, len(one.actions), dtype=torch.bool)
    logits = [network.logits(feature, part, masks) for feature, part in zip(features, read, strict=True)]
    for start in one.items.actions:
        torch.testing.assert_close(logits[0][:, start : start + 12], logits[1][:, [start + k for k in place]])


@pytest.mark.parametrize(("num_players", "cards"), [(3, TEST[0]), (4, TEST[1]), (5, TEST[0])])
def test_a_checkpoint_plays_other_cards_and_knows_them(num_players: int, cards: int, tmp_path):
    trained = make_game("warehouse51_v1", num_players=num_players)
    save_network(spread(trained, **ITEMS), trained, tmp_path / "any.safetensors")
    game = make_game("warehouse51_v1", num_players=num_players, relics=f"generated:{cards}")
    network = load_network(game, tmp_path / "any.safetensors")
    assert played(game, network).std() > 0
    network_of_the_trained_cards = load_network(trained, tmp_path / "any.safetensors")
    torch.testing.assert_close(network.state_dict(), network_of_the_trained_cards.state_dict())


# ---- training


def config(tmp_path, **changes):
    """Training on two relic sets and two numbers of players, with all that belongs to networks for any cards."""
    tables = [
        {"num_players": 3, "num_envs": 4, "vary": {"relics": ["generated:1", "generated:2"], "pawn_limit": [1, 3]}},
        {"num_players": 5, "num_envs": 3},
    ]
    items = {"hidden_sizes": [8], "num_steps": 8, "minibatch_size": 28, "network": "items", "shaping": "standing"}
    selfplay = {**ALONE, "games": tables, **items}
    evaluation = {"games": 6, "against": ["random"], "num_players": [3]}
    options = {"reward": "margin", **changes.pop("options", {})}
    changes = {"decisions": 56 * 4, **changes}
    return small(
        "selfplay",
        tmp_path,
        game="warehouse51_v1",
        options=options,
        selfplay=selfplay,
        evaluation=evaluation,
        **changes,
    )


def test_games_are_shared_out_among_the_values_that_vary(tmp_path):
    settings = config(tmp_path)
    games = SelfPlayTrainer(settings, make_game("warehouse51_v1", **settings.options)).experience.games
    options = [(group.game.options["relics"], group.game.options["pawn_limit"]) for group in games.groups]
    assert len(set(options)) == 5
    assert [group.num_envs for group in games.groups] == [1, 1, 1, 1, 3]


def test_shaping_by_the_standing_needs_its_reward(tmp_path):
    with pytest.raises(OptionError, match="shaping: 'standing' needs reward=margin, but it is win"):
        Run.begin(config(tmp_path, options={"reward": "win"}))
