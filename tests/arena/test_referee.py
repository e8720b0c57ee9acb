"""Agents that fail: they forfeit decisions by the stated rule, are reported with what caused it, and stop nothing."""

import time

import numpy as np
import pytest

from agents import make_agent
from agents.agent import BatchAgent, SingleAgent
from arena.play import play
from arena.referee import FAILURES_PER_GAME, Referee
from w51_env import make_game
from w51_env.core.batch import Batch

GAME = make_game("warehouse51_v0", num_players=3)


class Faulty(SingleAgent):
    """The first legal action; but what `failure` does at every `every`-th decision."""

    def __init__(self, failure, every: int = 10):
        self.failure, self.every, self.asked = failure, every, 0

    def act(self, observation, action_mask, info=None):
        self.asked += 1
        if self.asked % self.every == 0:
            return self.failure(observation, action_mask)
        return int(np.flatnonzero(action_mask)[0])


def fails(observation, mask):
    raise RuntimeError("no idea")


def cheats(observation, mask):
    return int(np.flatnonzero(np.asarray(mask) == 0)[0])


def hangs(observation, mask):
    while True:
        time.sleep(0.001)


def match(agent, games: int = 12, time_limit: float | None = None) -> tuple[Referee, Referee, Batch]:
    """An agent against two bots that are asked from outside."""
    players = [Referee(name, it, GAME, games, limit, 1) for name, it in (("it", agent), ("bot", Outside()))]
    batch = play(GAME, players, np.tile([0, 1, 1], (games, 1)), np.arange(games, dtype=np.uint64))
    return (*players, batch)


class Outside(BatchAgent):
    """The heuristic, asked like any agent."""

    def __init__(self):
        self._agent = make_agent("heuristic", GAME)

    def reset(self, seed: int) -> None:
        self._agent.reset(seed)

    def act_batch(self, observations, action_masks, infos=None):
        return self._agent.act_batch(observations, action_masks)


@pytest.mark.parametrize(
    ("failure", "kind", "message"),
    [
        (fails, "errors", "RuntimeError: no idea"),
        (cheats, "illegal", "is not legal; legal are"),
        (lambda *shown: 999, "illegal", "ids go from 0 to"),
    ],
)
def test_a_fault_costs_its_decision_and_nothing_else(failure, kind, message):
    player, other, batch = match(Faulty(failure))
    assert (batch.seat < 0).all()
    assert player.conduct.failures[kind] > 0
    assert sum(player.conduct.failures.values()) == player.conduct.failures[kind]
    assert message in player.conduct.first.message
    assert sum(other.conduct.failures.values()) == 0


def test_the_first_fault_is_kept_with_what_the_agent_was_shown():
    player, _, _ = match(Faulty(cheats, every=1))
    first = player.conduct.first
    assert first.observation.shape == (GAME.layout.size,)
    assert first.mask.any()
    assert first.seat == 0
    assert 0 <= first.table < 12


def test_after_some_faults_in_a_game_the_agent_is_not_asked_there_any_more():
    player, _, batch = match(Faulty(fails, every=1), games=5)
    assert player.conduct.failures["errors"] == 5 * FAILURES_PER_GAME
    assert player.conduct.skipped > 0
    assert (batch.seat < 0).all()


def test_one_bad_position_costs_no_other_in_the_same_call():
    """An agent that can only answer all or none is asked alone about each where it fails."""

    class Picky(BatchAgent):
        def reset(self, seed):
            pass

        def act_batch(self, observations, action_masks, infos=None):
            if (observations.sum(axis=1) % 50 == 0).any():
                raise ValueError("I do not like one of these")
            return (np.asarray(action_masks) != 0).argmax(axis=1)

    player, _, _ = match(Picky(), games=60)
    assert 0 < player.conduct.failures["errors"] < player.conduct.decisions / 5


def test_an_agent_that_does_not_come_to_an_end_is_interrupted():
    begun = time.monotonic()
    player, _, batch = match(Faulty(hangs, every=1), games=2, limit=0.02)
    assert (batch.seat < 0).all()
    assert player.conduct.failures["late"] == 2 * FAILURES_PER_GAME
    assert "more than 0.02 s for a decision" in player.conduct.first.message
    assert time.monotonic() - begun < 60


def test_an_agent_in_time_loses_nothing():
    player, _, _ = match(Faulty(cheats, every=10**9), limit=30.0)
    assert sum(player.conduct.failures.values()) == player.conduct.skipped == 0
    assert player.conduct.decisions > 100
    assert player.conduct.seconds > 0


def test_what_is_played_instead_is_drawn_from_the_seed():
    scores = [match(Faulty(fails, every=3))[2].final_scores.copy() for _ in range(2)]
    assert (scores[0] == scores[1]).all()


# ---- agents that mean harm


class Sly(BatchAgent):
    """Changes what it is shown, so that its answer looks legal."""

    def reset(self, seed):
        pass

    def act_batch(self, observations, action_masks, infos=None):
        observations[:] = 7
        action_masks[:] = 1
        return np.full(len(observations), len(GAME.actions) - 1)


class BadError(RuntimeError):
    def __str__(self):
        raise RuntimeError("not even that")


def raises_what_cannot_be_told(observation, mask):
    raise BadError


def leaves(observation, mask):
    raise SystemExit(3)


def test_an_agent_cannot_change_what_it_is_judged_by():
    player, _, _ = match(Sly())
    assert player.conduct.failures["illegal"] > 0
    assert not (player.conduct.first.observation == 7).all()


@pytest.mark.parametrize(("failure", "name"), [(raises_what_cannot_be_told, "BadError"), (leaves, "SystemExit")])
def test_no_exception_ends_the_match(failure, name):
    player, _, batch = match(Faulty(failure))
    assert (batch.seat < 0).all()
    assert name in player.conduct.first.message


def test_an_agent_that_cannot_be_reset_is_not_asked():
    class Stuck(SingleAgent):
        def reset(self, seed):
            raise ValueError("stuck")

        def act(self, observation, action_mask, info=None):
            raise AssertionError("it is not asked")

    player, _, batch = match(Stuck())
    assert (batch.seat < 0).all()
    assert player.conduct.failures["errors"] == 1
    assert player.conduct.decisions == 0 < player.conduct.skipped
    assert player.conduct.first.message == "reset: ValueError: stuck"


@pytest.mark.parametrize("answer", [4.5, "5", None, [1], np.array([1])])
def test_an_answer_that_is_no_integer_is_a_fault(answer):
    player, _, _ = match(Faulty(lambda *shown: answer, every=1), games=2)
    assert player.conduct.failures["illegal"] + player.conduct.failures["errors"] == 2 * FAILURES_PER_GAME
