"""The form of a network in its name: it draws its actions, or takes the likeliest one."""

import numpy as np
import pytest

from tests.agents.every import decisions
from w51_agents import AgentError, make_agent
from w51_agents.named import registry
from w51_agents.named.files import files_of
from w51_agents.named.registry import is_class, runs_third_party_code
from w51_agents.networks.load import shipped_path
from w51_env import make_game
from w51_lab.arena.plan import Plan
from w51_lab.arena.spec import TournamentSpec
from w51_lab.arena.tournament import run
from w51_lab.arena.workers import InProcessExecutor

GAME = make_game("warehouse51_v1", num_players=3)


@pytest.mark.parametrize("name", ["exploiter", str(shipped_path(GAME)), str(shipped_path(GAME).with_suffix(""))])
def test_a_sampled_network_draws_from_the_policy_of_which_the_greedy_one_takes_the_likeliest_action(name):
    given = decisions(GAME, num_games=32, steps=10)
    plain, greedy, sampled = (make_agent(name + form, GAME) for form in ("", ":greedy", ":sampled"))
    likeliest = plain.probabilities(*given)
    np.testing.assert_array_equal(greedy.probabilities(*given), likeliest)
    policy = sampled.probabilities(*given)
    np.testing.assert_array_equal(policy, plain.policy(*given))
    assert 0.0 < (likeliest - policy).max() < 1.0
    sampled.reset(5)
    drawn = [sampled.act_batch(*given) for _ in range(8)]
    assert len({actions.tobytes() for actions in drawn}) > 1
    sampled.reset(5)
    np.testing.assert_array_equal(sampled.act_batch(*given), drawn[0])


def test_both_forms_have_the_file_of_the_network():
    digests = files_of("pretrained-v2", GAME)
    assert len(digests) == 1
    assert files_of("pretrained-v2:sampled", GAME) == files_of("pretrained-v2:greedy", GAME) == digests


def test_a_tournament_names_the_forms_and_repeats_itself():
    spec = TournamentSpec(
        agents=("pretrained-v2:sampled", "pretrained-v2:greedy"), options={"preset": "mini"}, games=240, seed=4
    )
    plans = [Plan(spec), Plan(spec)]
    first, second = (run(plan, InProcessExecutor(plan)).games.scores for plan in plans)
    assert plans[0].names == ("pretrained-v2:sampled", "pretrained-v2:greedy")
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("heuristic:sampled", "':sampled' is for networks, and BotAgent is none"),
        ("module:Class:greedy", "':greedy' is for networks; a class of your own has one form"),
        ("pretrained-v2:Sampled", "agent 'pretrained-v2:Sampled' cannot be made"),
    ],
)
def test_another_agent_or_form_is_an_error(name, message):
    with pytest.raises(AgentError, match=message):
        make_agent(name, GAME)


def test_a_registered_network_has_forms_and_a_class_may_have_the_name_of_one(monkeypatch):
    monkeypatch.setitem(registry._FACTORIES, "mine", lambda game: make_agent("pretrained-v2", game))
    assert make_agent("mine:sampled", GAME).greedy is False
    assert is_class("module:greedy")
    assert not is_class("mine:sampled")
    assert [runs_third_party_code(f"sb3:model.zip{form}") for form in ("", ":sampled")] == [True, True]
