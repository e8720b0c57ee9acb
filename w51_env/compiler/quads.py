"""Quads: four float64 that one instruction of the processor computes at once, for kernels.

The compiler finds such work in some loops by itself, and not where each step of a loop needs the one before. A quad has
the operators + - * / and `abs`; a number in the place of a quad counts as four equal ones. Each of its numbers is the
same, bit for bit, as if it were computed alone.
"""

from typing import Any

import numpy as np

from w51_env.compiler.compile import kernel, operation

SIZE = 4


@operation
def quad_of(one: float, two: float, three: float, four: float) -> Any:
    """A quad of these numbers."""
    return np.array([one, two, three, four], np.float64)


@operation
def item_of(quad: Any, index: int) -> Any:
    """One of the numbers of a quad."""
    return quad[index]


@operation
def where_equal(left: Any, right: Any, then: Any, otherwise: Any) -> Any:
    """A quad with the numbers of `then` where those of `left` and `right` are equal, of `otherwise` elsewhere."""
    return np.where(np.equal(left, right), then, otherwise)


@operation
def where_above(left: Any, right: Any, then: Any, otherwise: Any) -> Any:
    """The same where those of `left` are above those of `right`."""
    return np.where(np.greater(left, right), then, otherwise)


@kernel
def every(number: float) -> Any:
    """A quad of four equal numbers."""
    return quad_of(number, number, number, number)
