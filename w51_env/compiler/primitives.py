"""What `compiler` writes itself, in LLVM IR: the arrays of an entry, some operations, stack memory, late calls.

It imports Numba, as `compiler` does, and only when there is something to compile.
"""

import hashlib
import inspect
from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, sigutils, types
from numba.core.typing.templates import make_intrinsic_template
from numba.extending import intrinsic
from numba.np.numpy_support import as_dtype, from_dtype

from w51_env.compiler import LANES

POINTER, WORD = ir.IntType(8).as_pointer(), ir.IntType(64)

_INDEX = ir.IntType(32)  # of a lane
_WORD_BYTES, _WORD_BITS = 8, 64
_LINE = 64  # bytes of a cache line


def widen(signature: Any) -> tuple:
    """The types of arguments as kernels take them: integers as int64, unless they are uint64."""
    arguments, _ = sigutils.normalize_signature(signature)
    return tuple(
        types.int64 if isinstance(argument, types.Integer) and argument != types.uint64 else argument
        for argument in map(types.unliteral, arguments)
    )


# ---- arrays


def arguments_of(argument_types: tuple, takes_number: bool) -> Any:
    """The function (block, number) -> the arguments whose arrays are in the block, and the number if it is taken."""
    kinds = [_kind_of(*one) for one in argument_types]
    result = types.Tuple([*kinds, types.int64] if takes_number else kinds)

    @intrinsic
    def arguments(typing_context: Any, block: Any, number: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            words = builder.inttoptr(arguments[0], WORD.as_pointer())
            places = count(2)  # after the addresses of the errors

            def next_word() -> Any:
                return builder.load(builder.gep(words, [WORD(next(places))]))

            def value_of(kind: Any) -> Any:
                if isinstance(kind, types.BaseTuple):
                    return context.make_tuple(builder, kind, [value_of(part) for part in kind])
                return _array(context, builder, kind, next_word)

            values = [value_of(kind) for kind in kinds]
            return context.make_tuple(builder, result, [*values, arguments[1]] if takes_number else values)

        return result(types.int64, types.int64), generate

    return arguments


def _kind_of(first: Any, second: Any) -> Any:
    """The type of an array of a dtype and a number of dimensions; of a NamedTuple of a class and of named arrays."""
    if isinstance(second, tuple):
        return types.BaseTuple.from_types([_kind_of(*array) for _, *array in second], first)
    return types.Array(from_dtype(first), second, "C")


def _array(context: Any, builder: Any, kind: Any, next_word: Callable[[], Any]) -> Any:
    """An array of contiguous memory whose address and shape are the next words."""
    array = context.make_array(kind)(context, builder)
    address, shape = next_word(), [next_word() for _ in range(kind.ndim)]
    item = context.get_abi_sizeof(context.get_data_type(kind.dtype))
    strides, items = [WORD(item)], WORD(1)
    for length in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], length))
    for length in shape:
        items = builder.mul(items, length)
    array.data = builder.inttoptr(address, array.data.type)
    array.nitems, array.itemsize = items, WORD(item)
    array.shape, array.strides = (_packed(builder, numbers) for numbers in (shape, strides))
    array.meminfo, array.parent = POINTER(None), POINTER(None)
    return array._getvalue()


def _packed(builder: Any, numbers: list) -> Any:
    packed = ir.ArrayType(WORD, len(numbers))(ir.Undefined)
    for index, number in enumerate(numbers):
        packed = builder.insert_value(packed, number, index)
    return packed


# ---- operations


def _atomic_add(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.atomic_rmw("add", _element(context, builder, signature, arguments), arguments[2], "seq_cst")


def _atomic_load(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.load_atomic(_element(context, builder, signature, arguments), "seq_cst", 8)


def _atomic_store(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    builder.store_atomic(arguments[2], _element(context, builder, signature, arguments), "seq_cst", 8)
    return context.get_dummy_value()


def _nonzero_bits(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    number = context.get_data_type(signature.args[0].dtype)
    vector = ir.VectorType(number, _WORD_BITS)
    address = _element(context, builder, signature, arguments)
    numbers = builder.load(builder.bitcast(address, vector.as_pointer()), align=number.width // 8)
    return builder.bitcast(builder.icmp_signed("!=", numbers, ir.Constant(vector, [0] * _WORD_BITS)), WORD)


def _lowest_bit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.cttz(arguments[0], ir.IntType(1)(True))


def _dot_of_lanes(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    vector, rows = ir.VectorType(ir.FloatType(), LANES), []
    for kind, matrix, row in zip(signature.args[::2], arguments[::2], arguments[1::2], strict=True):
        array = context.make_array(kind)(context, builder, matrix)
        length = builder.extract_value(array.shape, 1)
        rows.append((builder.gep(array.data, [builder.mul(row, length)]), length))
    sums = cgutils.alloca_once_value(builder, ir.Constant(vector, [0.0] * LANES))
    stop = builder.and_(rows[0][1], WORD(-LANES))
    with cgutils.for_range_slice(builder, WORD(0), stop, WORD(LANES), WORD) as (column, _):
        first, second = (
            builder.load(builder.bitcast(builder.gep(row, [column]), vector.as_pointer()), align=4) for row, _ in rows
        )
        builder.store(builder.fadd(builder.load(sums), builder.fmul(first, second)), sums)
    total, lanes = builder.load(sums), LANES
    while lanes > 1:
        lanes //= 2
        halves = [[_INDEX(place) for place in range(start, start + lanes)] for start in (0, lanes)]
        first, second = (
            builder.shuffle_vector(total, total, ir.Constant(ir.VectorType(_INDEX, lanes), half)) for half in halves
        )
        total = builder.fadd(first, second)
    return builder.extract_element(total, _INDEX(0))


def _element(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    return builder.gep(array.data, [arguments[1]])


# Of each the type of the result, and how it is written.
OPERATIONS = {
    "atomic_add": (types.int64, _atomic_add),
    "atomic_load": (types.int64, _atomic_load),
    "atomic_store": (types.void, _atomic_store),
    "nonzero_bits": (types.uint64, _nonzero_bits),
    "lowest_bit": (types.int64, _lowest_bit),
    "dot_of_lanes": (types.float32, _dot_of_lanes),
}


def type_of_operation(function: Callable[..., Any]) -> Any:
    """The Numba type of an operation of the name and the parameters of a function."""
    result, generate = OPERATIONS[function.__name__]

    def typing(typing_context: Any, *arguments: Any) -> Any:
        return result(*widen(arguments)), generate

    return _function_type(typing, _parameters(function))


def type_of_scratch(function: Callable[..., Any], count: int, dtype: type | np.dtype) -> Any:
    """The Numba type of a function that gives an array on the stack; records are zero."""
    kind = types.Array(from_dtype(np.dtype(dtype)), 1, "C")

    def typing(typing_context: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            memory = cgutils.alloca_once(builder, context.get_data_type(kind.dtype), WORD(count))
            if isinstance(kind.dtype, types.Record):
                memory.align = _LINE
                cgutils.memset(builder, memory, WORD(count * kind.dtype.size), 0)
            words = iter([builder.ptrtoint(memory, WORD), WORD(count)])
            return _array(context, builder, kind, lambda: next(words))

        return kind(), generate

    return _function_type(typing, [])


def type_of_words(function: Callable[..., Any]) -> Any:
    """The Numba type of a function that gives the memory of a record as an array."""
    kind = types.Array(types.int64, 1, "C")

    def typing(typing_context: Any, record: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            words = iter([builder.ptrtoint(arguments[0], WORD), WORD(record.size // _WORD_BYTES)])
            return _array(context, builder, kind, lambda: next(words))

        return kind(record), generate

    return _function_type(typing, _parameters(function))


# Of each late kernel that was called in what is compiled: its title and the dtypes of its arguments, by the variable.
late_kernels: dict[str, tuple[str, list[str]]] = {}


def type_of_late(function: Callable[..., Any], title: str) -> Any:
    """The Numba type of a `Late` kernel. Object files have its address in a variable; unlike a constant, a weak one is
    read at each call.
    """

    def typing(typing_context: Any, *argument_types: Any) -> Any:
        kinds = widen(argument_types)
        dtypes = [str(as_dtype(kind)) for kind in kinds]
        name = f"w51_late_{hashlib.blake2b(repr((title, dtypes)).encode(), digest_size=8).hexdigest()}"
        late_kernels[name] = title, dtypes

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            variable = builder.module.globals.get(name) or ir.GlobalVariable(builder.module, WORD, name)
            variable.linkage, variable.initializer = "weak", WORD(0)
            kernel = context.call_conv.get_function_type(types.int64, kinds)
            pointer = builder.inttoptr(builder.load(variable), kernel.as_pointer())
            status, result = context.call_conv.call_function(builder, pointer, types.int64, kinds, arguments)
            with cgutils.if_unlikely(builder, status.is_error):
                context.call_conv.return_status_propagate(builder, status)
            return result

        return types.int64(*kinds), generate

    return _function_type(typing, _parameters(function))


def _parameters(function: Callable[..., Any]) -> list[str]:
    return list(inspect.signature(function).parameters)


def _function_type(typing: Any, parameters: list[str]) -> Any:
    """The Numba type of a function that the compiler writes; `typing` takes any number of arguments."""
    named = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in parameters]
    context = inspect.Parameter("typing_context", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    typing.__signature__ = inspect.Signature([context, *named])
    return types.Function(make_intrinsic_template(typing, typing, typing.__qualname__))
