"""Quads (`compiler.quads`) as Numba compiles them: vectors of LLVM. It imports Numba, as `primitives` does."""

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.extending import lower_builtin, lower_cast, models, register_model

_DOUBLES, _WORDS = ir.VectorType(ir.DoubleType(), 4), ir.VectorType(ir.IntType(64), 4)
_INDEX = ir.IntType(32)
_WITHOUT_SIGN = 2**63 - 1


class Quad(types.Type):
    """The type of a quad. Numbers are converted to it."""

    def __init__(self) -> None:
        super().__init__("quad")

    def can_convert_from(self, typing_context: Any, other: Any) -> Conversion | None:
        return Conversion.safe if isinstance(other, types.Number) else None


QUAD = Quad()


@register_model(Quad)
class _Model(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any):
        super().__init__(manager, kind, _DOUBLES)


@lower_cast(types.Number, Quad)
def _from_number(context: Any, builder: Any, kind: Any, to: Any, number: Any) -> Any:
    return _pack(builder, [context.cast(builder, number, kind, types.float64)] * _DOUBLES.count)


def _pack(builder: Any, numbers: list) -> Any:
    quad = _DOUBLES(ir.Undefined)
    for index, number in enumerate(numbers):
        quad = builder.insert_element(quad, number, _INDEX(index))
    return quad


# ---- operations


def _quad_of(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return _pack(builder, _converted(context, builder, signature, arguments, types.float64))


def _item_of(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.extract_element(*arguments)


def _where(comparison: str) -> Callable[..., Any]:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        left, right, then, otherwise = _converted(context, builder, signature, arguments, QUAD)
        return builder.select(builder.fcmp_ordered(comparison, left, right), then, otherwise)

    return generate


def _converted(context: Any, builder: Any, signature: Any, arguments: Any, to: Any) -> list:
    kinds = zip(arguments, signature.args, strict=True)
    return [context.cast(builder, argument, kind, to) for argument, kind in kinds]


# As those of `primitives`.
OPERATIONS = {
    "quad_of": (QUAD, _quad_of),
    "item_of": (types.float64, _item_of),
    "where_equal": (QUAD, _where("==")),
    "where_above": (QUAD, _where(">")),
}


# ---- operators


def _add_operator(function: Callable[..., Any], name: str) -> None:
    @infer_global(function)
    class Template(AbstractTemplate):
        def generic(self, arguments: tuple, keywords: dict) -> Any:
            known = all(isinstance(kind, (Quad, types.Number)) for kind in arguments)
            return QUAD(QUAD, QUAD) if QUAD in arguments and known else None

    @lower_builtin(function, QUAD, QUAD)
    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return getattr(builder, name)(*arguments)


for _function, _name in (
    (operator.add, "fadd"), (operator.sub, "fsub"), (operator.mul, "fmul"), (operator.truediv, "fdiv")
):  # fmt: skip
    _add_operator(_function, _name)


@infer_global(abs)
class _Abs(AbstractTemplate):
    def generic(self, arguments: tuple, keywords: dict) -> Any:
        return QUAD(QUAD) if arguments == (QUAD,) else None


@lower_builtin(abs, QUAD)
def _lower_abs(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    bits = builder.bitcast(arguments[0], _WORDS)
    return builder.bitcast(builder.and_(bits, _WORDS([_WITHOUT_SIGN] * _WORDS.count)), _DOUBLES)
