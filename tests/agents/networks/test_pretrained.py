"""The networks that come with the repository."""

import hashlib
import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from safetensors import safe_open

from w51_agents import AgentError, make_agent, register_agent, registered_agents
from w51_agents.networks.checkpoint import read_checkpoint, write_checkpoint
from w51_agents.networks.load import SHIPPED, checkpoint_of
from w51_agents.training.config import load_config
from w51_env import make_game, make_vec
from w51_env.warehouse51 import relics
from w51_lab.arena.matches import play_matches
from w51_lab.benchmark.protocol import PANEL_FILES

LONE = [
    ("exploiter", "heuristic", 3),
    ("pretrained-v1", "heuristic", 4),
    ("pretrained", "heuristic", 3),
    ("pretrained-v2", "random", 5),
]
LONE_TOO = [(alone, others, players) for alone, others, _ in LONE for players in (3, 4, 5)]


@pytest.mark.parametrize(
    ("alone", "others", "players"),
    [pytest.param(*one, marks=[] if one in LONE else [pytest.mark.slow]) for one in LONE_TOO],
)
def test_each_is_loaded_by_name_and_wins_alone_among_bots(alone, others, players):
    game = make_game("warehouse51_v1", num_players=players)
    pair = [(name, make_agent(name, game)) for name in (alone, others)]
    results = play_matches(game, pair, 40 * players, seed=3)
    assert results.standings()[0].low > results.equal_share


@pytest.mark.parametrize(
    ("game", "players", "options", "games"),
    [
        ("warehouse51_v1", 3, {}, 120),
        *(pytest.param("warehouse51_v1", players, {}, 80 * players, marks=pytest.mark.slow) for players in (4, 5)),
        ("warehouse51_v1", 4, {"relics": "generated:10003"}, 320),
    ],
)
def test_a_lone_heuristic_loses_among_copies_of_pretrained(game, players, options, games):
    game = make_game(game, num_players=players, **options)
    pair = [(name, make_agent(name, game)) for name in ("heuristic", "pretrained")]
    results = play_matches(game, pair, games, seed=3)
    assert next(row for row in results.standings() if row.name == "heuristic").high < results.equal_share


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_one_that_buys_every_card_among_collectors_wins_little_among_heuristics_of_alles_futsch(players):
    game, shares = make_game("alles_futsch_v1", num_players=players), {}
    for others in ("collector", "heuristic"):
        pair = [(name, make_agent(name, game)) for name in ("pretrained", others)]
        shares[others] = play_matches(game, pair, 300, seed=5).standings()[0].win_rate * players
    assert shares["collector"] > 1.5 > shares["heuristic"]


def test_the_second_network_draws_its_actions_and_the_others_take_the_likeliest():
    game = make_game("warehouse51_v1")
    assert {name: make_agent(name, game).greedy for name in SHIPPED} == {
        "pretrained": True,
        "pretrained-v2": False,
        "exploiter": True,
        "pretrained-v1": True,
    }
    assert make_agent("pretrained-v2:greedy", game).greedy
    assert make_agent("pretrained-v2", make_game("alles_futsch_v1")).greedy


@pytest.mark.parametrize("name", SHIPPED)
def test_it_is_small_and_has_a_model_card_and_runs_no_code(name):
    path = checkpoint_of(name, make_game("warehouse51_v1"))
    assert path.stat().st_size < 5e6
    assert path.read_bytes()[8:9] == b"{"  # a safetensors header: text, then numbers
    card = (checkpoint_of("pretrained", make_game("warehouse51_v1")).parent / "README.md").read_text("utf-8")
    assert f"`{name}`" in card
    assert all(heading in card for heading in ("## How it was trained", "## How strong it is", "## Inputs and limits"))


def test_they_play_other_presets_and_networks_for_any_cards_play_another_relic_set():
    assert {*SHIPPED} <= {*registered_agents(make_game("warehouse51_v1"))}
    hungarian = make_game("warehouse51_v1", num_players=5, preset="hu")  # an observation shows these options
    random = ("random", make_agent("random", hungarian))
    for name in SHIPPED:
        found = play_matches(hungarian, [(name, make_agent(name, hungarian)), random], 20, seed=0).standings()
        assert (found[0].name, found[0].win_rate > 0.5) == (name, True)
    nano = make_game("warehouse51_v1", preset="nano")
    assert make_agent("pretrained", nano)
    assert make_agent("pretrained-v2", nano)
    for name in ("exploiter", "pretrained-v1"):
        with pytest.raises(AgentError, match="trained with relics='reconstruction-1', but the game has relics='nano'"):
            make_agent(name, nano)


def test_one_for_certain_cards_plays_a_copy_of_them_and_for_others_says_how_to_go_on(tmp_path):
    cards = tmp_path / "my cards.toml"
    built_in = (Path(relics.__file__).parent / "relic_sets" / "reconstruction-1.toml").read_text("utf-8")
    cards.write_text(f"# one comment\n{built_in}", "utf-8")
    assert make_agent("exploiter", make_game("warehouse51_v1", relics=cards))
    cards.write_text(built_in.replace("value = 3", "value = 1"), "utf-8")
    assert make_agent("pretrained", make_game("warehouse51_v1", relics=cards))
    with pytest.raises(AgentError) as caught:
        make_agent("exploiter", make_game("warehouse51_v1", num_players=3, relics=cards))
    message = str(caught.value)
    assert re.search("trained with relics='reconstruction-1', but the game has relics=content of SHA-256", message)
    assert f"from the file {cards}; the agent plays only" in message
    (command,) = re.findall("Train an agent for it: w51 train (.*)", message)
    _, config, *changes = shlex.split(command)
    trained = load_config(config, changes)
    assert make_game(trained.game, **trained.options).num_players == 3
    assert (trained.options["relics"], trained.opponents) == (str(cards), ("heuristic",))


def test_pretrained_tells_networks_from_heuristics_and_says_how_sure_it_is():
    game = make_game("warehouse51_v1", num_players=4)
    agent, found = make_agent("pretrained", game), {}
    for other in ("heuristic", "pretrained-v2"):
        batch, opponent, shares = make_vec("warehouse51_v1", 12, num_players=4, seed=3), make_agent(other, game), []
        batch.reset()
        for step in range(100):
            seen, masks = batch.observation, batch.action_mask
            mine = np.flatnonzero(batch.seat == 0)
            actions = opponent.act_batch(seen, masks)
            actions[mine] = agent.act_batch(seen[mine], masks[mine])
            if step >= 80:
                believed = [agent.belief(seen[row], masks[row]) for row in mine]
                assert all(sorted(one) == [1, 2, 3] and sum(one[2].values()) == pytest.approx(1) for one in believed)
                shares += [one[place]["heuristic"] for one in believed for place in one]
            batch.step(actions)
        found[other] = np.mean(shares)
    assert found["heuristic"] > 0.7 > 0.3 > found["pretrained-v2"]
    assert make_agent("pretrained-v2", game).belief(seen[0], masks[0]) == {}


def test_a_game_without_a_pretrained_network_is_an_error_and_the_name_is_reserved():
    assert "exploiter" not in registered_agents(make_game("alles_futsch_v1"))
    with pytest.raises(AgentError, match="there is no pretrained network for alles_futsch_v1, only for warehouse51_v1"):
        make_agent("exploiter", make_game("alles_futsch_v1"))
    with pytest.raises(AgentError, match="this name is taken"):
        register_agent("pretrained", lambda game: make_agent("random", game))


@pytest.mark.parametrize("name", SHIPPED)
def test_its_file_loads_and_is_what_would_be_written_today(name, tmp_path):
    game = make_game("warehouse51_v1")
    path = checkpoint_of(name, game)
    checkpoint = read_checkpoint(path, game)
    write_checkpoint(checkpoint, game, tmp_path / "same.safetensors")
    with safe_open(path, "np") as old, safe_open(tmp_path / "same.safetensors", "np") as new:
        differ = {key for key, value in new.metadata().items() if old.metadata().get(key) != value}
        assert differ <= {"game", "tables", "unobserved", "digest"}  # older than the version and some options
        assert all((old.get_tensor(name) == new.get_tensor(name)).all() for name in new.keys())  # noqa: SIM118
    assert checkpoint.shape["base_policy"] == (None if name == "pretrained-v2" else "heuristic")
    assert checkpoint.plays_any_items == (name in ("pretrained", "pretrained-v2"))
    assert all(np.isfinite(array).all() for array in checkpoint.weights.values())


@pytest.mark.parametrize("name", ["pretrained", "pretrained-v1", "pretrained-v2"])
def test_a_network_of_the_panel_is_the_file_that_results_name(name):
    path = checkpoint_of(name, make_game("warehouse51_v1"))
    assert hashlib.sha256(path.read_bytes()).hexdigest() == PANEL_FILES["warehouse51_v1"][name]
