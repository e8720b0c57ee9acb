"""TextArena's own `make`, wrappers and loop on both games."""

import random
import re

import pytest

from tests.clients.record import client

pytestmark = client("textarena", "make, LLMObservationWrapper, its loop: whole games, errors of players")
textarena = pytest.importorskip("textarena", reason="textarena is not installed; bash bin/test --clients installs it")

import w51_textarena  # noqa: E402

LEGAL = re.compile(r"^- ([a-z_0-9]+)(?: \.\.\. [a-z_0-9]+)?: ", re.MULTILINE)


def play(env, answer):
    """Rewards, infos and all observations of a game."""
    observations, done = [], False
    while not done:
        player, observation = env.get_observation()
        observations.append((player, observation))
        done, _ = env.step(action=answer(player, observation))
    rewards, infos = env.close()
    return rewards, infos, observations


@pytest.mark.parametrize(("name", "players"), [("Warehouse51-v1", 4), ("AllesFutsch-v1", 2)])
def test_a_whole_game_through_its_loop(name, players):
    w51_textarena.register()
    env = textarena.make(name)
    wrapped = textarena.wrappers.LLMObservationWrapper(env=env)
    wrapped.reset(num_players=players, seed=1)
    draws = random.Random(1)

    def answer(player, observation):
        legal = LEGAL.findall(observation.rpartition("Your legal actions:")[2])
        return f"I think I should [{draws.choice(legal)}]"

    rewards, infos, observations = play(wrapped, answer)
    assert sum(rewards.values()) == pytest.approx(0, abs=1e-6)
    assert {player for player, _ in observations} == set(range(players))
    assert "won by the rules" in infos[0]["reason"]
    assert all("the rules" in text for _, text in observations[:1])


def test_a_player_who_never_names_a_legal_action_loses():
    w51_textarena.register()
    env = textarena.make("Warehouse51-v1", error_allowance=1)
    env.reset(num_players=3, seed=1)
    rewards, infos, observations = play(env, lambda player, observation: "I do not know")
    loser = observations[0][0]
    assert rewards[loser] == -1
    assert sum(rewards.values()) == pytest.approx(0)
    assert len(observations) == 2
    assert "no action found" in infos[0]["reason"]
