"""Atomic operations on an int64 array that several threads share; compiled code has its own (`compiler.primitives`).

With the JIT off there are no worker threads, and these plain operations are used.
"""

from typing import Any

from w51_env.compiler.compile import operation


@operation
def atomic_add(array: Any, index: int, amount: int) -> int:
    """array[index] += amount, atomically; returns the value before. `array`: int64 (n,)."""
    before = int(array[index])
    array[index] += amount
    return before


@operation
def atomic_load(array: Any, index: int) -> int:
    """array[index] as last written by any thread. `array`: int64 (n,)."""
    return int(array[index])


@operation
def atomic_store(array: Any, index: int, value: int) -> None:
    """array[index] = value; other threads read it only after everything written before. `array`: int64 (n,)."""
    array[index] = value
