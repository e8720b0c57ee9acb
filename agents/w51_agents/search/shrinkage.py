"""What a measured difference of chances says, in the light of how large such differences are (empirical Bayes)."""

import math
from typing import NamedTuple

# Share and standard deviation of the kinds of differences between what somebody played and what `pretrained` would,
# where the game was open; estimated (`benchmarks.coach.kinds`): most hardly matter.
_KINDS = (0.55, 0.005), (0.36, 0.035), (0.09, 0.32)


class Belief(NamedTuple):
    """What is believed of a difference.

    Attributes:
        mean: Its mean; of the largest of many differences, too, it is not too large.
        error: Its standard deviation.
        above: The probability that it is at least as large as asked about.
    """

    mean: float
    error: float
    above: float


def believed(measured: float, error: float, least: float = 0.0) -> Belief:
    """What is believed of a difference that was measured with a standard error; `least` is asked about."""
    weights, means, variances = [], [], []
    for share, deviation in _KINDS:
        spread = deviation**2 + error**2
        weights.append(share * math.exp(-(measured**2) / (2 * spread)) / spread**0.5)
        means.append(measured * deviation**2 / spread)
        variances.append(deviation**2 * error**2 / spread)
    weights = [weight / sum(weights) for weight in weights] if sum(weights) else [0.0, 0.0, 1.0]
    mean = sum(weight * one for weight, one in zip(weights, means, strict=True))
    kinds = list(zip(weights, means, variances, strict=True))
    variance = sum(weight * (spread + (one - mean) ** 2) for weight, one, spread in kinds)
    above = sum(weight * math.erfc((least - one) / max(1e-9, 2 * spread) ** 0.5) / 2 for weight, one, spread in kinds)
    return Belief(mean, variance**0.5, above)
