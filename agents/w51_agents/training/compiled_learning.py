"""Compiled code of `compiled_gradients`: a layer over inputs of which most are 0, and the loss of legal actions alone.

No other thread waits meanwhile, as it does between PyTorch's calls. A list of inputs or actions is two arrays: places,
and factors; `add_rows` reads it.
"""

import math

import numpy as np

from w51_env.compiler.compile import entry, kernel
from w51_env.compiler.vectors import dot, list_nonzero

# What the loss of a row depends on beside the row: settings, the weight of each row in the mean, the advantages' mean
# and deviation over the minibatch, and the units of values.
_SETTINGS = ("clip_range", "ent_coef", "weight", "advantage_mean", "advantage_std", "value_mean", "value_std")
loss_dtype = np.dtype([(name, np.float32) for name in _SETTINGS])

ENTROPY, VALUE_LOSS, APPROX_KL, NUM_SUMS = range(4)  # in the sums of `losses`
UNROLLED = 4  # rows of a matrix that are added at once, so that sums stay in registers


@kernel
def add_rows(matrix, places, factors, start, stop, sums, row):
    """Add to a row of `sums` the rows of a matrix that a list names from start to stop, times their factors."""
    for index in range(start, stop, UNROLLED):
        first, second, third, fourth = places[index], places[index + 1], places[index + 2], places[index + 3]
        a, b, c, d = factors[index], factors[index + 1], factors[index + 2], factors[index + 3]
        for unit in range(sums.shape[1]):
            sums[row, unit] = (
                sums[row, unit] + a * matrix[first, unit] + b * matrix[second, unit]
                + c * matrix[third, unit] + d * matrix[fourth, unit]
            )  # fmt: skip


@kernel
def fill_up(places, factors, stop):
    """End a list with rows that count nothing, up to a multiple of UNROLLED; returns where the next list begins."""
    for extra in range(stop, stop + UNROLLED - 1):
        places[extra], factors[extra] = 0, np.float32(0.0)
    return (stop + UNROLLED - 1) // UNROLLED * UNROLLED


@entry("policy")
def fold(weights, biases, mean, std, folded, folded_biases):
    """Write the first layer for raw inputs, by input, from the one for inputs with mean 0 and deviation 1."""
    for unit in range(biases.shape[0]):
        folded_biases[unit] = biases[unit]
    for place in range(folded.shape[0]):
        for unit in range(folded.shape[1]):
            folded[place, unit] = weights[unit, place] / std[place]
            folded_biases[unit] -= folded[place, unit] * mean[place]


@entry("policy")
def unfold(by_folded, by_biases, mean, std, by_weights):
    """Write the gradient of the first layer's weights from those of the folded ones and of the biases."""
    for place in range(by_folded.shape[0]):
        for unit in range(by_folded.shape[1]):
            by_weights[unit, place] = (by_folded[place, unit] - by_biases[unit] * mean[place]) / std[place]


@entry("policy")
def first_layer(inputs, rows, weights, biases, starts, stops, places, factors, units, count):
    """Write the units of the first layer, after ReLU, of `count` rows, and list the inputs of each that are not 0."""
    start = 0
    for index in range(count):
        row = rows[index]
        stop = list_nonzero(inputs[row], places, start)
        for listed in range(start, stop):
            factors[listed] = np.float32(inputs[row, places[listed]])
        starts[index], stops[index] = start, stop
        following = fill_up(places, factors, stop)
        for unit in range(units.shape[1]):
            units[index, unit] = biases[unit]
        add_rows(weights, places, factors, start, stop, units, index)
        for unit in range(units.shape[1]):
            units[index, unit] = max(units[index, unit], np.float32(0.0))
        start = following


@entry("policy")
def first_gradient(by_units, starts, stops, places, factors, by_weights, count):
    """Write the gradient of the weights of the first layer, of rows whose inputs `first_layer` has listed."""
    by_weights[:, :] = np.float32(0.0)
    for index in range(count):
        for listed in range(starts[index], stops[index]):
            place, factor = places[listed], factors[listed]
            for unit in range(by_weights.shape[1]):
                by_weights[place, unit] += factor * by_units[index, unit]


@entry("policy")
def through_relu(units, by_units, by_biases, count):
    """Set the gradient of units that are not active to 0, and write that of the biases."""
    by_biases[:] = np.float32(0.0)
    for index in range(count):
        for unit in range(by_units.shape[1]):
            if units[index, unit] <= 0:
                by_units[index, unit] = np.float32(0.0)
            by_biases[unit] += by_units[index, unit]


@kernel
def policy_loss(logits, legal, count, action, old_logprob, advantage, setting, sums, probabilities):
    """Replace logits by the gradient of the loss; adds to `sums`.

    Args:
        logits: Of legal actions.
        legal: These actions.
        count: Their number.
        action: The one that was played.
        old_logprob: Its log-probability then.
        advantage: Its advantage, standardised.
        setting: Of `loss_dtype`.
        sums: (NUM_SUMS,).
        probabilities: Memory for one number of each action.
    """
    highest, total = logits[0], np.float32(0.0)
    for index in range(1, count):
        highest = max(highest, logits[index])
    for index in range(count):
        logits[index] -= highest
        probabilities[index] = math.exp(logits[index])
        total += probabilities[index]
    log_total, entropy, logprob = np.float32(math.log(total)), np.float32(0.0), np.float32(0.0)
    for index in range(count):
        logits[index] -= log_total
        probabilities[index] /= total
        entropy -= probabilities[index] * logits[index]
        if legal[index] == action:
            logprob = logits[index]
    log_ratio = logprob - old_logprob
    ratio, one = np.float32(math.exp(log_ratio)), np.float32(1.0)
    clipped = ratio > one + setting.clip_range if advantage > 0 else ratio < one - setting.clip_range
    by_logprob = np.float32(0.0) if clipped else -ratio * advantage * setting.weight
    by_entropy = -setting.ent_coef * setting.weight
    common = by_logprob + by_entropy * entropy
    for index in range(count):
        # d logp[a] / d logit[k] = [k = a] - p[k];  d H / d logit[k] = -p[k] (logp[k] + H).
        logits[index] = -probabilities[index] * (common + by_entropy * logits[index])
        if legal[index] == action:
            logits[index] += by_logprob
    sums[ENTROPY] += entropy
    sums[APPROX_KL] -= log_ratio


@entry("policy")
def losses(
    rows, masks, actions, logprobs, advantages, returns, settings, features,
    policy_weights, policy_biases, value_weights, value_bias, legal, listed, probabilities,
    sums, by_features, by_policy, by_policy_biases, by_value, by_value_bias, count,
):  # fmt: skip
    """Write sums of the losses of `count` rows, and the gradients of their features and of the layers above them."""
    setting = settings[0]
    for gradient in (by_policy, by_value):
        gradient[:, :] = np.float32(0.0)
    for gradient in (by_policy_biases, by_value_bias):
        gradient[:] = np.float32(0.0)
    sums[:] = 0.0
    for index in range(count):
        row = rows[index]
        number = list_nonzero(masks[row], legal, 0)
        for one in range(number):
            listed[one] = policy_biases[legal[one]] + dot(policy_weights, legal[one], features, index)
        advantage = (advantages[row] - setting.advantage_mean) / setting.advantage_std
        policy_loss(listed, legal, number, actions[row], logprobs[row], advantage, setting, sums, probabilities)
        value = value_bias[0] + dot(value_weights, 0, features, index)
        error = value - (returns[row] - setting.value_mean) / setting.value_std
        sums[VALUE_LOSS] += error * error
        by_value_of_row = error * setting.weight
        by_value_bias[0] += by_value_of_row
        for unit in range(features.shape[1]):
            by_features[index, unit] = by_value_of_row * value_weights[0, unit]
            by_value[0, unit] += by_value_of_row * features[index, unit]
        for one in range(number):
            action, by_logit = legal[one], listed[one]
            by_policy_biases[action] += by_logit
            for unit in range(features.shape[1]):
                by_policy[action, unit] += by_logit * features[index, unit]
        fill_up(legal, listed, number)
        add_rows(policy_weights, legal, listed, 0, number, by_features, index)
