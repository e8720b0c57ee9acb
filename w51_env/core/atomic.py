"""Atomic operations on an int64 array that several threads share.

With the JIT off there are no worker threads, and plain operations are used.
"""

from typing import Any

from numba.core import types
from numba.extending import intrinsic

from w51_env.core.compile import JIT_DISABLED


@intrinsic
def atomic_add(typing_context: Any, array: Any, index: Any, amount: Any) -> Any:
    """array[index] += amount, atomically; returns the value before. `array`: int64 (n,)."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer, amount = _element(context, builder, signature, arguments), arguments[2]
        return builder.atomic_rmw("add", pointer, amount, "seq_cst")

    return types.int64(array, types.int64, types.int64), generate


@intrinsic
def atomic_load(typing_context: Any, array: Any, index: Any) -> Any:
    """array[index] as last written by any thread. `array`: int64 (n,)."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load_atomic(_element(context, builder, signature, arguments), "seq_cst", 8)

    return types.int64(array, types.int64), generate


@intrinsic
def atomic_store(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
    """array[index] = value; other threads read it only after everything written before. `array`: int64 (n,)."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.store_atomic(arguments[2], _element(context, builder, signature, arguments), "seq_cst", 8)
        return context.get_dummy_value()

    return types.void(array, types.int64, types.int64), generate


def _element(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    return builder.gep(array.data, [arguments[1]])


if JIT_DISABLED:

    def atomic_add(array: Any, index: int, amount: int) -> int:
        before = int(array[index])
        array[index] += amount
        return before

    def atomic_load(array: Any, index: int) -> int:
        return int(array[index])

    def atomic_store(array: Any, index: int, value: int) -> None:
        array[index] = value
