"""The policy of a network as one compiled call, for playouts: some four microseconds a decision on one core.

Numbers of an observation that are 0 cost nothing, as do hidden units that are not active, and the outputs for items
where no legal action names one.
"""

import math
from collections.abc import Callable

import numpy as np

from w51_env.agents.agent import AgentError
from w51_env.agents.policies.folding import ITEM, LOT, OUTPUT, RUN, SAME_KIND, folded
from w51_env.agents.policies.item_network import ItemActorCritic
from w51_env.agents.policies.network import ActorCritic
from w51_env.core import rng
from w51_env.core.compile import entry, kernel
from w51_env.core.game import NO_ACTION, Game

_FIRST_AMOUNT, _AMOUNTS, _DISTANCES, _ITEMS, _LOT_AT = range(5)  #  in `FoldedPolicy.sizes`


class CompiledPolicy:
    """Draws actions from a network's policy.

    Args:
        game: The game it plays.
        network: A network of this package that reads observations, with items or without.

    Raises:
        AgentError: A network of a user's class, or one that reads more or less than observations.
    """

    def __init__(self, game: Game, network: ActorCritic):
        inputs = {name: value for name, value in network.inputs.items() if name != "items"}
        if type(network) not in (ActorCritic, ItemActorCritic) or any(inputs.values()):
            raise AgentError(
                "a network of this package that reads observations is needed, without "
                f"{', '.join(inputs)}, but it is {type(network).__name__} with {inputs}"
            )
        self._folded = folded(game, network)
        # The units, the legal actions and their logits at one decision: memory for compiled code.
        units, actions = self._folded.biases.shape, len(game.actions)
        self._memory = np.zeros(units, np.float32), np.zeros(actions, np.int64), np.zeros(actions, np.float32)

    def bind(self, observations: np.ndarray, masks: np.ndarray, *arrays: np.ndarray) -> Callable[[int], int]:
        """A call that draws an action for each decision, with these arrays, which are read at each call.

        Args:
            observations: (N, layout.size) int8, of the seats to move.
            masks: (N, actions) int8.
            *arrays: (N,) uint64, the random stream of each game; (N,) uint64, its number of decisions so far, with
                which the stream determines the draw; (N,) int64, where the actions are written, NO_ACTION (-1) where
                the mask is empty.
        """
        return draw_actions.bind(observations, masks, *arrays, *self._folded, *self._memory)

    def choose(self, observations: np.ndarray, action_masks: np.ndarray, bits: np.ndarray) -> np.ndarray:
        """(N,) int64, an action for each decision; all as of `w51_env.core.bots.Bot.choose`."""
        actions = np.empty(len(bits), np.int64)
        masks = np.ascontiguousarray(action_masks, np.int8)
        self.bind(np.ascontiguousarray(observations), masks, bits, np.zeros(len(bits), np.uint64), actions)(0)
        return actions


@kernel
def list_legal(masks, row, legal):  # type: ignore[no-untyped-def]
    """Write the ids of the legal actions; returns their number."""
    count = 0
    for action in range(masks.shape[1]):
        if masks[row, action] != 0:
            legal[count] = action
            count += 1
    return count


@kernel
def add_first_layer(observations, row, first, item, kinds, lot_at, units):  # type: ignore[no-untyped-def]
    """Add the first layer of an observation to its biases in `units`."""
    lot, lot_kind = -1, -1
    if lot_at >= 0:
        for one in range(kinds.shape[0]):
            if observations[row, lot_at + one] != 0:
                lot, lot_kind = one, kinds[one]
    for place in range(observations.shape[1]):
        number = observations[row, place]
        if number != 0:
            stands = 0
            if lot >= 0 and item[place] >= 0 and kinds[item[place]] == lot_kind:
                stands = LOT if item[place] == lot else SAME_KIND
            factor = np.float32(number)
            for unit in range(first.shape[2]):
                units[0, unit] += factor * first[place, stands, unit]


@kernel
def logit_of(action, least, observations, row, actions, features, facts, fact_weights, basis, sizes, last, units):  # type: ignore[no-untyped-def]
    """The logit of a legal action from the outputs, the units of layer `last`; `least` is the least legal amount."""
    if actions[OUTPUT, action] >= 0:
        return units[last, actions[OUTPUT, action]]
    logit = np.float32(0.0)
    run = actions[RUN, action]
    if run >= 0:
        item = actions[ITEM, action]
        at = sizes[_ITEMS] + run * features.shape[1]
        for feature in range(features.shape[1]):
            logit += units[last, at + feature] * features[item, feature]
        for fact in range(facts.shape[0]):
            number = observations[row, facts[fact, item]]
            if number != 0:
                logit += fact_weights[run, fact] * np.float32(number)
        return logit
    amount, distance = action - sizes[_FIRST_AMOUNT], action - least
    split = sizes[_DISTANCES] - sizes[_AMOUNTS]
    for place in range(split):
        logit += units[last, sizes[_AMOUNTS] + place] * basis[amount, place]
    for place in range(split, basis.shape[1]):
        logit += units[last, sizes[_AMOUNTS] + place] * basis[distance, place]
    return logit


@kernel
def draw(logits, legal, count, bits):  # type: ignore[no-untyped-def]
    """One of the legal actions, each with the probability of its logit; overwrites the logits."""
    highest = logits[0]
    for index in range(1, count):
        highest = max(highest, logits[index])
    total = np.float32(0.0)
    for index in range(count):
        logits[index] = np.float32(math.exp(logits[index] - highest))
        total += logits[index]
    left = np.float32(bits >> np.uint64(40)) * np.float32(2.0**-24) * total
    for index in range(count):
        left -= logits[index]
        if left < 0:
            return legal[index]
    return legal[count - 1]


@entry("policy")
def draw_actions(  # type: ignore[no-untyped-def]
    observations, masks, streams, decisions, chosen, first, dense, biases, widths, item, kinds, actions, features,
    facts, fact_weights, basis, sizes, units, legal, logits,
):  # fmt: skip
    """Draw an action for each decision; NO_ACTION where the mask is empty."""
    last = widths.shape[0] - 1
    for row in range(chosen.shape[0]):
        count = list_legal(masks, row, legal)
        chosen[row] = legal[0] if count > 0 else NO_ACTION
        if count < 2:
            continue
        least, names_item = -1, False  # the least legal amount
        for index in range(count):
            if actions[RUN, legal[index]] >= 0:
                names_item = True
            elif least < 0 and actions[OUTPUT, legal[index]] < 0:
                least = legal[index]
        units[:, :] = biases
        add_first_layer(observations, row, first, item, kinds, sizes[_LOT_AT], units)
        for layer in range(last):
            stop = sizes[_ITEMS] if layer == last - 1 and not names_item else widths[layer + 1]
            for unit in range(widths[layer]):
                value = units[layer, unit]
                if value > 0:
                    for other in range(stop):
                        units[layer + 1, other] += value * dense[layer, unit, other]
        for index in range(count):
            logits[index] = logit_of(
                legal[index], least, observations, row, actions, features, facts, fact_weights, basis, sizes, last,
                units,
            )  # fmt: skip
        chosen[row] = draw(logits, legal, count, rng.random_bits(streams[row], rng.POLICY + decisions[row]))
    return 0
