"""Randomness as a pure function of (stream, counter), the same on every platform.

Philox-2x32 with 10 rounds (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011). A game carries its
64-bit `stream`, which does not change while it is played: a clone, a batch of any size and a replay get the same
numbers. All products fit in 64 bits, so plain Python gives the same numbers with the JIT off.
"""

import numpy as np

from w51_env.compiler.compile import kernel

_MULTIPLIER = np.uint64(0xD256D193)
_WEYL = np.uint64(0x9E3779B9)
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)

# The counters of one stream, by use.
SET_UP = np.uint64(0)  #            draws of the set-up: 0, 1, 2, ...
RESAMPLE = np.uint64(1 << 24)  #    draws of resample_hidden
POLICY = np.uint64(1 << 28)  #      one draw per decision, for bots and random play
EPISODE = np.uint64(1 << 30)  #     seeds of later episodes and of the games of a batch


@kernel
def random_bits(stream, counter):
    """64 random bits: `stream` uint64 (low half the key), `counter` uint64 below 2**32."""
    key = stream & _LOW
    left = counter & _LOW
    right = stream >> _HALF
    for _ in range(10):
        product = left * _MULTIPLIER
        left = (product >> _HALF) ^ key ^ right
        right = product & _LOW
        key = (key + _WEYL) & _LOW
    return (left << _HALF) | right


@kernel
def random_below(stream, counter, bound):
    """A uniform integer in [0, bound), bound below 2**16 (bias below 2**-16 of 1 / bound)."""
    return scale(random_bits(stream, counter), bound)


@kernel
def scale(bits, bound):
    """64 random `bits` as an integer in [0, bound), bound below 2**16."""
    return np.int64(((bits >> _HALF) * np.uint64(bound)) >> _HALF)


@kernel
def derive_seed(seed, index):
    """The `index`-th seed derived from `seed`: for the games of a batch, and for a game's later episodes."""
    return random_bits(random_bits(seed, EPISODE), np.uint64(index))


@kernel
def shuffle(values, count, stream, counter):
    """Shuffle values[:count] in place (Fisher-Yates) and return the next unused counter."""
    for last in range(count - 1, 0, -1):
        other = random_below(stream, counter, last + 1)
        counter = counter + np.uint64(1)
        held = values[last]
        values[last] = values[other]
        values[other] = held
    return counter
