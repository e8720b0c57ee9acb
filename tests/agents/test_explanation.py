"""What agents report of a decision."""

import json
from dataclasses import asdict

import numpy as np
import pytest

from tests.env.engine.batches import stepped
from w51_agents import make_agent
from w51_agents.agent.interface import Agent, InvalidActionError
from w51_agents.isolation.isolated import checked_explanation
from w51_agents.named.explanation import Explanation, explain_decision
from w51_env import make_game
from w51_env.engine.batch import Batch

GAME = make_game("warehouse51_v1", num_players=4)


def after(steps: int) -> Batch:
    return stepped(GAME, 1, steps, seed=3, autoreset="disabled")


def of(name: str, batch: Batch) -> tuple[Explanation, int]:
    """What the agent reports, and what it plays."""
    decision = batch.observation[0], batch.action_mask[0], {"determinizer": batch.determinizer(0)}
    agent = make_agent(name, GAME)
    agent.reset(1)
    played = agent.act(*decision)
    agent.reset(1)
    return explain_decision(name, agent, GAME, *decision), played


@pytest.mark.parametrize("name", ["random", "heuristic", "pretrained", "search:playouts=64", "search:seconds=0.01"])
def test_it_decides_as_the_agent_plays(name: str):
    for steps in (0, 7, 20):
        reported, played = of(name, after(steps))
        if "seconds" not in name:
            assert reported.action == played
        assert after(steps).action_mask[0][reported.action]


def test_a_policy_reports_its_probabilities_and_its_value():
    batch = after(5)
    reported, _ = of("exploiter", batch)
    assert reported.choices[0].action == reported.action
    assert sum(choice.probability or 0 for choice in reported.choices) == pytest.approx(1, abs=0.02)
    agent = make_agent("exploiter", GAME)
    assert reported.value == pytest.approx(agent.values(batch.observation, batch.action_mask)[0])  # type: ignore[attr-defined]
    assert abs(reported.value or 0) < 1


def test_the_value_of_a_won_game_is_above_that_of_a_lost_one():
    batch = Batch(GAME, 200, seed=1, autoreset="disabled", controllers=["external"] + ["heuristic"] * 3)
    batch.reset()
    agent = make_agent("exploiter", GAME)
    values = np.zeros(200)
    while (running := np.flatnonzero(batch.seat >= 0)).size:
        values[running] = agent.values(batch.observation[running], batch.action_mask[running])  # type: ignore[attr-defined]
        actions = np.full(200, -1)
        actions[running] = agent.act_batch(batch.observation[running], batch.action_mask[running])
        batch.step(actions)
    won = batch.final_ranks[:, 0] == 1
    assert values[won].mean() > values[~won].mean() + 0.2


def test_a_search_reports_the_playouts_of_each_candidate():
    reported, _ = of("search:playouts=64", after(0))
    assert 32 < sum(choice.playouts for choice in reported.choices) <= 64
    assert all(0 <= (choice.utility or 0) <= 1 for choice in reported.choices)
    utilities = [choice.utility for choice in reported.choices]
    assert utilities == sorted(utilities, reverse=True)


def test_a_bot_reports_its_action_only():
    reported, played = of("heuristic", after(3))
    assert reported == Explanation("heuristic", played)
    assert asdict(reported) == {
        "agent": "heuristic", "action": played, "value": None, "choices": (), "unit": None, "belief": {},
            "is_whole": True, "limit": None,
    }  # fmt: skip


def test_an_agent_that_has_a_belief_reports_with_whom_it_plays():
    class Reader(Agent):
        def act(self, observation: np.ndarray, action_mask: np.ndarray, info: object = None) -> int:
            return int(np.flatnonzero(action_mask)[0])

        def belief(self, observation: np.ndarray, action_mask: np.ndarray) -> dict[int, dict[str, float]]:
            return {1: {"heuristic": 0.75, "network": 0.25}}

    batch = after(0)
    reported = explain_decision("pretrained", Reader(), batch.game, batch.observation[0], batch.action_mask[0])
    assert reported.belief == {1: {"heuristic": 0.75, "network": 0.25}}
    sent = json.loads(json.dumps(asdict(reported)))  # as the process of an agent sends it
    assert checked_explanation(sent, "pretrained", batch.action_mask[:1], batch.game) == reported


def test_an_agent_that_breaks_the_rules_is_an_error():
    class Wrong:
        def act(self, observation: np.ndarray, action_mask: np.ndarray, info: object = None) -> int:
            return int(np.flatnonzero(action_mask == 0)[0])

    batch = after(0)
    with pytest.raises(InvalidActionError, match="wrong"):
        explain_decision("wrong", Wrong(), GAME, batch.observation[0], batch.action_mask[0])  # type: ignore[arg-type]
