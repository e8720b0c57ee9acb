"""Compiled code that makes a network's decisions, for playouts and for rollouts of a training (`compiled`).

Numbers of an observation that are 0 cost nothing, as do hidden units that are not active, and outputs that no legal
action needs.
"""

import math
from typing import NamedTuple

import numpy as np

from w51_agents.networks.fast.first_layer import write_first, write_first_anew
from w51_agents.networks.fast.folded import ITEM, OUTPUT, RUN
from w51_agents.networks.fast.sparse import add_rows, fill_up
from w51_env.compiler.compile import entry, kernel
from w51_env.compiler.vectors import dot, list_nonzero
from w51_env.engine import rng
from w51_env.engine.game import NO_ACTION


@kernel
def list_units(units, layer, width, start, places, factors):
    """List the units of a layer that are active; row `start` of the next layers' weights is that of its first unit."""
    count = 0
    for unit in range(width):
        places[count], factors[count] = start + unit, units[layer, unit]
        count += units[layer, unit] > 0
    return count


@kernel
def write_outputs(weights, units, start, stop):
    """Add to outputs from start to stop, which are the units of the last layer, what those of the layer before say."""
    last = units.shape[0] - 1
    for output in range(start, stop):
        units[last, output] += dot(weights, output, units, last - 1)


@kernel
def logit_of(action, least, observation, policy, outputs):
    """The logit of a legal action; `least` is the least legal amount, `outputs` the units of the last layer."""
    actions, features, facts, basis = policy.actions, policy.features, policy.facts, policy.basis
    if actions[OUTPUT, action] >= 0:
        return outputs[actions[OUTPUT, action]]
    logit = np.float32(0.0)
    run = actions[RUN, action]
    if run >= 0:
        item = actions[ITEM, action]
        at = policy.places[0].items + run * features.shape[1]
        for feature in range(features.shape[1]):
            logit += outputs[at + feature] * features[item, feature]
        for fact in range(facts.shape[0]):
            number = observation[facts[fact, item]]
            if number != 0:
                logit += policy.fact_weights[run, fact] * np.float32(number)
        return logit
    amount = action - policy.places[0].first_amount
    distance = action - least
    at = policy.places[0].amounts
    split = policy.places[0].distances - at
    for place in range(split):
        logit += outputs[at + place] * basis[amount, place]
    for place in range(split, basis.shape[1]):
        logit += outputs[at + place] * basis[distance, place]
    return logit


@kernel
def write_above(base, policy, memory):
    """Write the units of the other layers, whose last one has its biases alone; `base` as of `write_logits`."""
    units, places, factors, widths = memory.units, memory.places, memory.factors, policy.widths
    last, start = widths.shape[0] - 1, 0
    for layer in range(1, last + 1):
        for unit in range(units.shape[1]):
            units[layer, unit] = policy.biases[layer, unit]
    for unit in range(policy.base.shape[1]):
        units[0, unit] += policy.base[1 + base, unit]
    for layer in range(last - 1):
        listed = list_units(units, layer, widths[layer], start, places, factors)
        fill_up(places, factors, listed)
        add_rows(policy.dense, places, factors, (0, listed), units, layer + 1, widths[layer + 1])
        start += widths[layer]
    for unit in range(units.shape[1]):
        units[last - 1, unit] = max(units[last - 1, unit], np.float32(0.0))


@kernel
def write_needed(count, policy, memory):
    """Write the outputs that the legal actions need which are listed; returns the least legal amount, or -1."""
    legal, actions = memory.legal, policy.actions
    at = policy.places[0]
    least = -1
    last_run = -1
    features = policy.features.shape[1]
    for index in range(count):
        output, run = actions[OUTPUT, legal[index]], actions[RUN, legal[index]]
        if output >= 0:
            write_outputs(policy.last, memory.units, output, output + 1)
        elif run < 0:
            least = legal[index] if least < 0 else least
        elif run != last_run:  # the actions of a run follow each other
            last_run, start = run, at.items + run * features
            write_outputs(policy.last, memory.units, start, start + features)
    if least >= 0:
        write_outputs(policy.last, memory.units, at.amounts, at.value)
    return least


@kernel
def write_logits(observation, base, count, policy, memory):
    """Write the logits of the legal actions that are listed, and all that they and the value are computed from.

    The first layer is written. `base` is the action of the base policy, or -1.
    """
    write_above(base, policy, memory)
    least, outputs = write_needed(count, policy, memory), memory.units[policy.widths.shape[0] - 1]
    for index in range(count):
        action = memory.legal[index]
        logit = logit_of(action, least, observation, policy, outputs) + policy.tilt[action]
        memory.logits[index] = logit + policy.base_logits[1 + base] if action == base else logit


@kernel
def draw(logits, count, quantile):
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


class Asked(NamedTuple):
    """Decisions that are asked for.

    Attributes:
        inputs: (N, inputs) int8, of the seats to move.
        base: (N,) int64, the actions of the base policy; -1 without one.
        masks: (N, actions) int8.
        rows: (1 + N,) int64, the number of decisions to make, and which.
        slots: (N,) int64, the slot of `Kept` of each; -1: none.
    """

    inputs: np.ndarray
    base: np.ndarray
    masks: np.ndarray
    rows: np.ndarray
    slots: np.ndarray


@entry("policy")
def draw_actions(asked, streams, decisions, chosen, kept, memory, policy):
    """Draw an action for some decisions, or take the likeliest; NO_ACTION where the mask is empty.

    Args:
        asked: An `Asked`.
        streams: (N,) uint64, random streams.
        decisions: (N,) uint64, the numbers of decisions, with which the streams determine the draws.
        chosen: (N,) int64, where the actions are written.
        kept: A `Kept`.
        memory: A `Memory`.
        policy: A `FoldedPolicy`.
    """
    inputs, slots, legal, logits = asked.inputs, asked.slots, memory.legal, memory.logits
    for number in range(1, 1 + asked.rows[0]):
        row = asked.rows[number]
        count = list_nonzero(asked.masks[row], legal, 0)
        chosen[row] = legal[0] if count > 0 else NO_ACTION
        if count < 2:
            continue
        if slots[row] >= 0:
            write_first_anew(inputs[row], slots[row], kept, policy, memory)
        else:
            write_first(inputs[row], policy, memory)
        write_logits(inputs[row], asked.base[row], count, policy, memory)
        if policy.places[0].is_greedy:
            chosen[row] = legal[np.argmax(logits[:count])]
            continue
        bits = rng.random_bits(streams[row], rng.POLICY + decisions[row])
        index, _ = draw(logits, count, np.float32(bits >> np.uint64(40)) * np.float32(2.0**-24))
        chosen[row] = legal[index]
    return 0


@entry("policy")
def decide(inputs, moves, memory, policy):
    """As `draw_actions` for all decisions, with numbers that are drawn already, and log-probabilities and values.

    Args:
        inputs: (N, inputs) int8, of the seats to move: observations, and features after them.
        moves: A `Moves` of the games, whose masks are not empty.
        memory: A `Memory`.
        policy: A `FoldedPolicy`.
    """
    legal, logits, units = memory.legal, memory.logits, memory.units
    last, value = policy.widths.shape[0] - 1, policy.places[0].value
    for row in range(inputs.shape[0]):
        count = list_nonzero(moves.masks[row], legal, 0)
        write_first(inputs[row], policy, memory)
        write_logits(inputs[row], moves.base_actions[row], count, policy, memory)
        index, total = draw(logits, count, moves.drawn[row])
        moves.actions[row], moves.logprobs[row] = legal[index], math.log(logits[index] / total)
        write_outputs(policy.last, units, value, value + 1)
        moves.values[row] = units[last, value]
    return 0
