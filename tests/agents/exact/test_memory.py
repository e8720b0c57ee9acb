"""Exact values of networks that remember, and of play without memory."""

from itertools import pairwise

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra 'train'")

from tests.agents.networks.selfplay import spread
from w51_agents import AgentError
from w51_agents.exact.cfr import CFRPlus, forgetful
from w51_agents.exact.exploitability import exploitability_of, profile_of
from w51_agents.exact.tree import Tree
from w51_agents.networks.making import agent_of_network

pytestmark = pytest.mark.usefixtures("one_thread")


def network_agent(tree: Tree, network: str, greedy: bool):
    return agent_of_network(tree.game, spread(tree.game, (8,), network=network), greedy=greedy)


@pytest.mark.parametrize("greedy", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_the_profile_of_a_recurrent_network_is_what_it_plays_in_each_game(nano: Tree, greedy: bool):
    agent = network_agent(nano, "recurrent", greedy)
    profile = profile_of(nano, "gru", agent)
    observations = list(nano.observations)
    generator, remembered = np.random.default_rng(5), 0
    for _ in range(40):
        node = int(generator.choice(len(nano.levels[-1])))
        path = [node]
        for level in nano.levels[:0:-1]:
            path.append(int(level.parent[path[-1]]))
        path, states = path[::-1], {}
        for depth, (node, child) in enumerate(pairwise(path)):
            level, below = nano.levels[depth], nano.levels[depth + 1]
            seat = int(level.mover[node])
            mask = np.zeros((1, len(nano.game.actions)), bool)
            mask[0, below.action[below.parent == node]] = True
            observation = np.frombuffer(bytearray(observations[level.observation[seat, node]]), np.int8)[None]
            remembered += seat in states
            before = states.get(seat, agent.initial_state(1))
            probabilities, states[seat] = agent.forward(observation, mask, before)
            played = np.eye(mask.shape[1])[probabilities.argmax(1)] if greedy else probabilities
            assert profile[depth][child] == pytest.approx(played[0, below.action[child]], abs=1e-5)
    assert remembered > 40
    result = exploitability_of(nano, profile)
    np.testing.assert_array_less(0.01, result.gains)


def test_other_agents_that_remember_have_no_exact_value(nano: Tree):
    with pytest.raises(AgentError, match="agent 'reads': remembers; of such agents only recurrent networks"):
        profile_of(nano, "reads", network_agent(nano, "history", greedy=True))


@pytest.mark.slow
def test_who_forgets_earlier_lots_cannot_play_as_well_as_who_remembers(nano: Tree):
    forgetting = forgetful(nano, ("buyer", "price", "highest_bid"))
    assert forgetting.nodes() == nano.nodes()
    gaps = []
    for tree in (nano, forgetting):
        assert tree.information_states(0) <= nano.information_states(0)
        solver = CFRPlus(tree)
        solver.run(30)
        gaps.append(exploitability_of(nano, solver.average()).nash_conv)
    assert gaps[0] < gaps[1]
