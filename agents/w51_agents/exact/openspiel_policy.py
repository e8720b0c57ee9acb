"""Policies of OpenSpiel's algorithms as policies over legal actions, which NashConv can be computed of."""

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pyspiel
from open_spiel.python import policy as policies

from w51_env.engine.errors import OptionError

_TOLERANCE = 1e-3


def legal_policy(
    game: pyspiel.Game, action_probabilities: Callable[[pyspiel.State], Mapping[int, float]]
) -> policies.TabularPolicy:
    """The policy of an algorithm as a table, with the probabilities of legal actions divided by their sum.

    Some algorithms have no mask: their networks give a part of the probability to actions that are not legal, and
    OpenSpiel takes the rest for a policy. What it computes of it, as NashConv, is then too small: near 0 if hardly
    anything is left. A warning says how much was missing.

    Args:
        game: The game; all its states are visited.
        action_probabilities: (state) -> probability of each legal action, as `open_spiel.python.policy.Policy` has it.

    Returns:
        A table for `open_spiel.python.algorithms`; for C++ see `python_policy_to_pyspiel_policy` of
        `open_spiel.python.policy`.

    Raises:
        OptionError: A probability that is negative or no number, a state whose legal actions all have none, or a game
            whose deals are not listed.
    """
    _check_listed(game)
    table = policies.tabular_policy_from_callable(game, action_probabilities)
    legal = np.where(table.legal_actions_mask, table.action_probability_array, 0.0)
    sums = legal.sum(axis=1)
    bad = ~np.isfinite(sums) | (legal < 0).any(axis=1) | (sums <= 0)
    if bad.any():
        key = next(key for key, row in table.state_lookup.items() if bad[row])
        raise OptionError(f"policy: the legal actions of {key!r} have no probabilities that add up to a number above 0")
    if (np.abs(sums - 1) > _TOLERANCE).any():
        warnings.warn(
            f"policy: the probabilities of legal actions add up to {sums.min():.2g} to {sums.max():.2g}, and not to 1, "
            "as those of an algorithm without a mask; they are divided by their sum. A NashConv of the policy as it "
            "was means nothing",
            stacklevel=2,
        )
    table.action_probability_array[:] = legal / sums[:, None]
    return table


def nash_conv(game: pyspiel.Game, table: Any) -> float:
    """NashConv of a policy of `legal_policy`, computed in C++. OptionError if the deals of the game are not listed."""
    _check_listed(game)
    return float(pyspiel.nash_conv(game, policies.python_policy_to_pyspiel_policy(table)))


def _check_listed(game: Any) -> None:
    """OptionError for a game of `w51_env.adapters.openspiel` whose chance draws seeds: its tree has no end."""
    if getattr(game, "roots", None) == ():
        raise OptionError(
            f"{game}: chance draws one of 256 ** 4 seeds, but whoever visits all states needs listed deals; take a "
            "smaller game, as preset=mini, and make it with chance='explicit', which says whether they can be listed"
        )
