"""A network's decisions as one compiled call, for playouts and for rollouts of a training.

Numbers of an observation that are 0 cost nothing, as do hidden units that are not active, and outputs that no legal
action needs.
"""

import math
from collections.abc import Callable

import numpy as np

from w51_agents.agent import AgentError
from w51_agents.policies.folding import ITEM, LOT, OUTPUT, RUN, SAME_KIND, FoldedPolicy, folded
from w51_agents.policies.item_network import ItemActorCritic
from w51_agents.policies.network import ActorCritic
from w51_env.compiler.compile import entry, kernel
from w51_env.compiler.vectors import dot, list_nonzero
from w51_env.engine import rng
from w51_env.engine.game import NO_ACTION, Game

_FIRST_AMOUNT, _AMOUNTS, _DISTANCES, _VALUE, _ITEMS, _LOT_AT = range(6)  #  in `FoldedPolicy.sizes`


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
        self._memory = _memory(self._folded)

    def bind(self, observations: np.ndarray, masks: np.ndarray, *arrays: np.ndarray) -> Callable[[int], int]:
        """A call that draws an action for each decision, with these arrays, which are read at each call.

        Args:
            observations: (N, layout.size) int8, of the seats to move.
            masks: (N, actions) int8.
            *arrays: (N,) uint64, the random stream of each game; (N,) uint64, its number of decisions so far, with
                which the stream determines the draw; (N,) int64, where the actions are written, NO_ACTION (-1) where
                the mask is empty.
        """
        return draw_actions.bind(observations, masks, *arrays, *self._memory, *self._folded)

    def choose(self, observations: np.ndarray, action_masks: np.ndarray, bits: np.ndarray) -> np.ndarray:
        """(N,) int64, an action for each decision; all as of `w51_env.engine.bots.Bot.choose`."""
        actions = np.empty(len(bits), np.int64)
        masks = np.ascontiguousarray(action_masks, np.int8)
        self.bind(np.ascontiguousarray(observations), masks, bits, np.zeros(len(bits), np.uint64), actions)(0)
        return actions


def bind_decisions(
    policy: FoldedPolicy, inputs: np.ndarray, masks: np.ndarray, *arrays: np.ndarray
) -> Callable[[int], int]:
    """A call that makes decisions of a training, with these arrays, which are read at each call.

    Args:
        policy: The network, folded.
        inputs: (N, inputs) int8, of the seats to move.
        masks: (N, actions) int8, none of them empty.
        *arrays: (N,) float32, uniform in [0, 1), with which actions are drawn; what is written: (N,) int64, the
            actions; (N,) float32, their log-probabilities; (N,) float32, normalised values.
    """
    return decide.bind(inputs, masks, *arrays, *_memory(policy), *policy)


def _memory(policy: FoldedPolicy) -> tuple[np.ndarray, ...]:
    """What compiled code writes at one decision: units, legal actions, their logits, and numbers that are not 0."""
    actions, listed = policy.actions.shape[1], 3 + max(len(policy.item), policy.biases.shape[1])
    return (
        np.zeros(policy.biases.shape, np.float32), np.zeros(actions, np.int64), np.zeros(actions, np.float32),
        np.zeros(listed, np.int64), np.zeros(listed, np.int64), np.zeros(listed, np.float32),
    )  # fmt: skip


@kernel
def list_inputs(observation, policy, places, stands, factors):  # type: ignore[no-untyped-def]
    """List the numbers that are not 0, their places and how their items stand to the lot; returns their number."""
    kinds, count = policy.kinds, list_nonzero(observation, places, 0)
    lot, lot_kind, lot_at = -1, -1, policy.sizes[_LOT_AT]
    if lot_at >= 0:
        for one in range(kinds.shape[0]):
            if observation[lot_at + one] != 0:
                lot, lot_kind = one, kinds[one]
    for index in range(count):
        place = places[index]
        item = policy.item[place]
        factors[index], stands[index] = np.float32(observation[place]), 0
        if lot >= 0 and item >= 0 and kinds[item] == lot_kind:
            stands[index] = LOT if item == lot else SAME_KIND
    return count


@kernel
def list_units(units, layer, width, places, stands, factors):  # type: ignore[no-untyped-def]
    """Write the units of a layer that are active, as `list_inputs` does for inputs; returns their number."""
    count = 0
    for unit in range(width):
        places[count], stands[count], factors[count] = layer, unit, units[layer, unit]
        count += units[layer, unit] > 0
    return count


@kernel
def add_rows(weights, places, stands, factors, count, units, layer, stop):  # type: ignore[no-untyped-def]
    """Add to the units of a layer what has been listed, in its order; four at once, so that sums stay in registers."""
    for extra in range(count, count + 3):
        places[extra], stands[extra], factors[extra] = 0, 0, np.float32(0.0)
    for index in range(0, count, 4):
        first, second, third, fourth = places[index], places[index + 1], places[index + 2], places[index + 3]
        of_first, of_second, of_third, of_fourth = (
            stands[index], stands[index + 1], stands[index + 2], stands[index + 3],
        )  # fmt: skip
        a, b, c, d = factors[index], factors[index + 1], factors[index + 2], factors[index + 3]
        for unit in range(stop):
            units[layer, unit] = (
                units[layer, unit] + a * weights[first, of_first, unit] + b * weights[second, of_second, unit]
                + c * weights[third, of_third, unit] + d * weights[fourth, of_fourth, unit]
            )  # fmt: skip


@kernel
def write_outputs(weights, units, start, stop):  # type: ignore[no-untyped-def]
    """Add to outputs from start to stop, which are the units of the last layer, what those of the layer before say."""
    last = units.shape[0] - 1
    for output in range(start, stop):
        units[last, output] += dot(weights, output, units, last - 1)


@kernel
def logit_of(action, least, observation, policy, outputs):  # type: ignore[no-untyped-def]
    """The logit of a legal action; `least` is the least legal amount, `outputs` the units of the last layer."""
    actions, features, facts, basis = policy.actions, policy.features, policy.facts, policy.basis
    if actions[OUTPUT, action] >= 0:
        return outputs[actions[OUTPUT, action]]
    logit = np.float32(0.0)
    run = actions[RUN, action]
    if run >= 0:
        item = actions[ITEM, action]
        at = policy.sizes[_ITEMS] + run * features.shape[1]
        for feature in range(features.shape[1]):
            logit += outputs[at + feature] * features[item, feature]
        for fact in range(facts.shape[0]):
            number = observation[facts[fact, item]]
            if number != 0:
                logit += policy.fact_weights[run, fact] * np.float32(number)
        return logit
    amount, distance = action - policy.sizes[_FIRST_AMOUNT], action - least
    at, split = policy.sizes[_AMOUNTS], policy.sizes[_DISTANCES] - policy.sizes[_AMOUNTS]
    for place in range(split):
        logit += outputs[at + place] * basis[amount, place]
    for place in range(split, basis.shape[1]):
        logit += outputs[at + place] * basis[distance, place]
    return logit


@kernel
def evaluate(observation, count, policy, units, legal, logits, places, stands, factors):  # type: ignore[no-untyped-def]
    """Write the logits of the legal actions that are listed, and all that they and the value are computed from."""
    actions, widths = policy.actions, policy.widths
    least, names_item = -1, False  # the least legal amount
    for index in range(count):
        if actions[RUN, legal[index]] >= 0:
            names_item = True
        elif least < 0 and actions[OUTPUT, legal[index]] < 0:
            least = legal[index]
    last = widths.shape[0] - 1
    for layer in range(last + 1):
        for unit in range(units.shape[1]):
            units[layer, unit] = policy.biases[layer, unit]
    listed = list_inputs(observation, policy, places, stands, factors)
    add_rows(policy.first, places, stands, factors, listed, units, 0, widths[0])
    for layer in range(last - 1):
        listed = list_units(units, layer, widths[layer], places, stands, factors)
        add_rows(policy.dense, places, stands, factors, listed, units, layer + 1, widths[layer + 1])
    for unit in range(units.shape[1]):
        units[last - 1, unit] = max(units[last - 1, unit], np.float32(0.0))
    if least >= 0:
        write_outputs(policy.last, units, policy.sizes[_AMOUNTS], policy.sizes[_VALUE])
    if names_item:
        write_outputs(policy.last, units, policy.sizes[_ITEMS], widths[last])
    for index in range(count):
        output = actions[OUTPUT, legal[index]]
        if output >= 0:
            write_outputs(policy.last, units, output, output + 1)
        logits[index] = logit_of(legal[index], least, observation, policy, units[last])


@kernel
def draw(logits, count, quantile):  # type: ignore[no-untyped-def]
    """The index of a logit, drawn with its probability, which is written in place of the logit times a sum.

    Args:
        logits: They are overwritten: each becomes its probability times the sum of all.
        count: Their number.
        quantile: Uniform in [0, 1).
    """
    highest = logits[0]
    for index in range(1, count):
        highest = max(highest, logits[index])
    total = np.float32(0.0)
    for index in range(count):
        logits[index] = np.float32(math.exp(logits[index] - highest))
        total += logits[index]
    left = quantile * total
    for index in range(count):
        left -= logits[index]
        if left < 0:
            return index, total
    return count - 1, total


@entry("policy")
def draw_actions(  # type: ignore[no-untyped-def]
    observations, masks, streams, decisions, chosen, units, legal, logits, places, stands, factors, *weights
):  # fmt: skip
    """Draw an action for each decision; NO_ACTION where the mask is empty."""
    policy = FoldedPolicy(*weights)
    for row in range(chosen.shape[0]):
        count = list_nonzero(masks[row], legal, 0)
        chosen[row] = legal[0] if count > 0 else NO_ACTION
        if count < 2:
            continue
        evaluate(observations[row], count, policy, units, legal, logits, places, stands, factors)
        bits = rng.random_bits(streams[row], rng.POLICY + decisions[row])
        index, _ = draw(logits, count, np.float32(bits >> np.uint64(40)) * np.float32(2.0**-24))
        chosen[row] = legal[index]
    return 0


@entry("policy")
def decide(  # type: ignore[no-untyped-def]
    inputs, masks, drawn, chosen, logprobs, values, units, legal, logits, places, stands, factors, *weights
):  # fmt: skip
    """Draw an action for each decision, with its log-probability and the value; no mask is empty."""
    policy = FoldedPolicy(*weights)
    last, value = policy.widths.shape[0] - 1, policy.sizes[_VALUE]
    for row in range(chosen.shape[0]):
        count = list_nonzero(masks[row], legal, 0)
        evaluate(inputs[row], count, policy, units, legal, logits, places, stands, factors)
        index, total = draw(logits, count, drawn[row])
        chosen[row], logprobs[row] = legal[index], math.log(logits[index] / total)
        write_outputs(policy.last, units, value, value + 1)
        values[row] = units[last, value]
    return 0
