"""The network that comes with the repository."""

import re
import shlex
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra 'train'")

from w51_env import make_game, make_vec
from w51_env.agents import AgentError, make_agent, register_agent, registered_agents
from w51_env.agents.policies.checkpoint import read_checkpoint, write_checkpoint
from w51_env.agents.policies.load import checkpoint_of
from w51_env.agents.training.config import load_config
from w51_env.arena.matches import play_matches
from w51_env.warehouse51 import relics


@pytest.mark.parametrize("players", [3, 4, 5])
def test_it_is_loaded_by_name_and_beats_the_heuristic(players):
    game = make_game("warehouse51_v0", num_players=players)
    results = play_matches(
        game,
        [("pretrained", make_agent("pretrained", game)), ("heuristic", make_agent("heuristic", game))],
        120 * players,
        seed=3,
    )
    assert results.standings()[0].low > results.equal_share


def test_it_is_small_and_has_a_model_card_and_runs_no_code():
    path = checkpoint_of("pretrained", make_game("warehouse51_v0"))
    assert path.stat().st_size < 5e6
    assert path.read_bytes()[8:9] == b"{"  # a safetensors header: text, then numbers
    card = (path.parent / "README.md").read_text("utf-8")
    assert all(heading in card for heading in ("## How it was trained", "## How strong it is", "## Inputs and limits"))


def test_it_plays_other_presets_and_refuses_another_relic_set():
    assert "pretrained" in registered_agents(make_game("warehouse51_v0"))
    hungarian = make_game("warehouse51_v0", num_players=5, preset="hu")  # an observation shows these options
    agents = [("pretrained", make_agent("pretrained", hungarian)), ("random", make_agent("random", hungarian))]
    assert play_matches(hungarian, agents, 50, seed=0).standings()[0].win_rate > 0.5
    with pytest.raises(AgentError, match="trained with relics='reconstruction-1', but the game has relics='nano'"):
        make_agent("pretrained", make_game("warehouse51_v0", preset="nano"))


def test_it_plays_a_copy_of_its_cards_and_for_others_says_how_to_go_on(tmp_path):
    cards = tmp_path / "my cards.toml"
    built_in = (Path(relics.__file__).parent / "relic_sets" / "reconstruction-1.toml").read_text("utf-8")
    cards.write_text(f"# one comment\n{built_in}", "utf-8")
    assert make_agent("pretrained", make_game("warehouse51_v0", relics=cards))
    cards.write_text(built_in.replace("value = 3", "value = 1"), "utf-8")
    with pytest.raises(AgentError) as caught:
        make_agent("pretrained", make_game("warehouse51_v0", num_players=3, relics=cards))
    message = str(caught.value)
    assert re.search("trained with relics='reconstruction-1', but the game has relics=content of SHA-256", message)
    assert f"from the file {cards}; the agent plays only" in message
    (command,) = re.findall("Train an agent for it: w51 train (.*)", message)
    _, config, *changes = shlex.split(command)
    trained = load_config(config, changes)
    assert make_game(trained.game, **trained.options).num_players == 3
    assert (trained.options["relics"], trained.opponents) == (str(cards), ("heuristic",))


def test_a_game_without_a_pretrained_network_is_an_error_and_the_name_is_reserved():
    assert "pretrained" not in registered_agents(make_game("alles_futsch_v0"))
    with pytest.raises(AgentError, match="there is no pretrained network for alles_futsch_v0, only for warehouse51_v0"):
        make_agent("pretrained", make_game("alles_futsch_v0"))
    with pytest.raises(AgentError, match="this name is taken"):
        register_agent("pretrained", lambda game: make_agent("random", game))


def test_one_decision_gets_the_same_action_as_in_a_batch():
    game = make_game("warehouse51_v0")
    agent = make_agent("pretrained", game)
    batch = make_vec("warehouse51_v0", 20, seed=0)
    batch.reset()
    for _ in range(30):
        batch.step(batch.sample_actions())
    many = agent.act_batch(batch.observation, batch.action_mask).tolist()
    assert many == [agent.act(*pair) for pair in zip(batch.observation, batch.action_mask, strict=True)]
    assert len(set(many)) > 3


def test_its_file_loads_and_is_what_would_be_written_today(tmp_path):
    game = make_game("warehouse51_v0")
    path = checkpoint_of("pretrained", game)
    checkpoint = read_checkpoint(path, game)
    write_checkpoint(checkpoint, game, tmp_path / "same.safetensors")
    assert (tmp_path / "same.safetensors").read_bytes() == path.read_bytes()
    assert checkpoint.shape == {"hidden_sizes": [128, 128], "base_policy": "heuristic", "heuristic_features": True}
