"""Agents with memory that notice a decision of another game or seat: their history must go on from the last one."""

import numpy as np

from w51_agents import RecurrentAgent, SingleAgent

ALL_OF_IT = 4000  # rows of history: more than a game has
HERE = "tests.agents.remembering"


class Remembers(SingleAgent):
    """Keeps what it was shown last; plays the first legal action."""

    needs_history = ALL_OF_IT

    def __init__(self, game, slow=False):
        self.is_slow = slow
        self.before = None
        self.decisions = 0

    def act(self, observation, action_mask, info=None):
        now = info["history"]
        assert info["is_first"] == (self.before is None), "a decision of another game"
        if self.before is not None:
            assert len(now) > len(self.before), "nothing has happened"
            np.testing.assert_array_equal(
                now[: len(self.before)], self.before, err_msg="a decision of another game or seat"
            )
        self.before = now
        self.decisions += 1
        return int(np.flatnonzero(action_mask)[0])


class Counts(RecurrentAgent):
    """As `Remembers`, in batches; its state is the number of decisions, and the length and a sum of the history."""

    needs_history = ALL_OF_IT

    def __init__(self, game=None):
        self.decisions = self.games = 0

    def initial_state(self, count):
        return np.zeros(count, np.int64), np.zeros((count, 2), np.int64)

    def step(self, observations, action_masks, states, histories):
        counts, seen = states
        for before, past, count in zip(seen, histories, counts, strict=True):
            assert len(past) > before[0] or count == 0, "nothing has happened"
            assert code_of(past[: before[0]]) == before[1], "a decision of another game or seat"
        self.decisions += len(counts)
        self.games += int((counts == 0).sum())
        after = counts + 1, np.array([[len(past), code_of(past)] for past in histories])
        return action_masks.argmax(axis=1), after


def code_of(rows):
    """A number of these rows, which nearly always differs for others."""
    weights = np.arange(1, rows.size + 1).reshape(rows.shape) % 8191
    return int((rows * weights).sum())
