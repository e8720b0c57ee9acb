"""The numbers of `numpy.random.default_rng(seed)` as a kernel: making numpy's objects takes longer than ten steps.

SeedSequence and PCG64 as numpy documents them and keeps them: the same seed gives the same bits on every platform and
with every version. All products fit in 64 bits, so plain Python gives the same numbers with the JIT off.
"""

import numpy as np

from w51_env.compiler.compile import kernel, scratch

_LOW, _HALF = np.uint64(0xFFFFFFFF), np.uint64(32)

# SeedSequence: 32-bit words. Initial values, multipliers, and the shift of its mixing functions.
_POOL, _STATE = 4, 8
_INIT_A, _MULT_A = np.uint64(0x43B0D7E5), np.uint64(0x931E8875)
_INIT_B, _MULT_B = np.uint64(0x8B51F9DD), np.uint64(0x58F38DED)
_MIX_LEFT, _MIX_RIGHT = np.uint64(0xCA01F9DD), np.uint64(0x4973F715)
_SHIFT, _ONE = np.uint64(16), np.uint64(1)

# PCG64: the multiplier of its 128-bit state; as four words of 32 bits, the lowest first.
_MULTIPLIER = np.array([0x9FCCF645, 0x4385DF64, 0x1FC65DA4, 0x2360ED05], np.uint64)
_WORDS = 4

_pool = scratch(_POOL, np.uint64)
_state = scratch(2 * _STATE, np.uint64)
_product = scratch(_WORDS, np.uint64)


@kernel
def write_streams(seed, streams):
    """Write `default_rng(seed).integers(0, 2**64, n, uint64)` to `streams`, uint64 (n,)."""
    words = _state()  # the increment in words[:4], the state in words[4:8]
    spread_seed(seed, words)
    for word in range(_WORDS):
        words[_STATE + word] = words[_WORDS + word]  # the initial state
        words[_WORDS + word] = 0
    step(words)
    carry = np.uint64(0)
    for word in range(_WORDS):
        carry += words[_WORDS + word] + words[_STATE + word]
        words[_WORDS + word] = carry & _LOW
        carry >>= _HALF
    step(words)
    for index in range(streams.shape[0]):
        step(words)
        streams[index] = output(words)


@kernel
def spread_seed(seed, words):
    """SeedSequence(seed).generate_state(4, uint64), as PCG64 takes it: the increment and the initial state."""
    pool = _pool()
    constant = _INIT_A
    for index in range(_POOL):
        value = seed & _LOW if index == 0 else (seed >> _HALF if index == 1 else np.uint64(0))
        pool[index] = hashed(value, constant, _MULT_A)
        constant = (constant * _MULT_A) & _LOW
    for source in range(_POOL):
        for target in range(_POOL):
            if source != target:
                value = hashed(pool[source], constant, _MULT_A)
                constant = (constant * _MULT_A) & _LOW
                left, right = (_MIX_LEFT * pool[target]) & _LOW, (_MIX_RIGHT * value) & _LOW
                mixed = (left + (_LOW + _ONE) - right) & _LOW
                pool[target] = mixed ^ (mixed >> _SHIFT)
    constant = _INIT_B
    for index in range(_STATE):
        # Words 0 and 1 are the high half of the initial state, 4 and 5 that of the increment.
        position = (_WORDS if index < _WORDS else 0) + (index % _WORDS + 2) % _WORDS
        words[position] = hashed(pool[index % _POOL], constant, _MULT_B)
        constant = (constant * _MULT_B) & _LOW
    carry = _ONE
    for word in range(_WORDS):  # the increment is odd: twice the number, plus 1
        carry += words[word] << _ONE
        words[word] = carry & _LOW
        carry >>= _HALF


@kernel
def hashed(value, constant, multiplier):
    """SeedSequence's hash of a 32-bit word."""
    value = ((value ^ constant) * ((constant * multiplier) & _LOW)) & _LOW
    return value ^ (value >> _SHIFT)


@kernel
def step(words):
    """The next state: the state times the multiplier, plus the increment, modulo 2**128."""
    product = _product()
    carry = np.uint64(0)
    for word in range(_WORDS):
        low, high = carry & _LOW, carry >> _HALF
        for other in range(word + 1):
            part = words[_WORDS + other] * _MULTIPLIER[word - other]
            low += part & _LOW
            high += part >> _HALF
        low += words[word]
        product[word] = low & _LOW
        carry = high + (low >> _HALF)
    for word in range(_WORDS):
        words[_WORDS + word] = product[word]


@kernel
def output(words):
    """The 64 bits of a state: its halves' exclusive or, rotated by its six highest bits."""
    low = words[_WORDS] | (words[_WORDS + 1] << _HALF)
    high = words[_WORDS + 2] | (words[_WORDS + 3] << _HALF)
    turn = high >> np.uint64(58)
    bits = low ^ high
    return (bits >> turn) | (bits << ((np.uint64(64) - turn) & np.uint64(63)))
