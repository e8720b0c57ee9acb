"""Named slices of a flat observation."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from w51_env.compiler.compile import entry
from w51_env.engine.errors import OptionError


@dataclass(frozen=True)
class Slice:
    """One named part of an observation.

    Attributes:
        name: Its name in `layout[name]` and `layout.read`.
        start, stop: Its position in the flat vector.
        shape: The shape that `layout.read` gives it; the product is `stop - start`.
        low, high: The range of its integers, both inclusive.
        meaning: One sentence for the documentation.
    """

    name: str
    start: int
    stop: int
    shape: tuple[int, ...]
    low: int
    high: int
    meaning: str

    @property
    def slice(self) -> slice:
        return slice(self.start, self.stop)


@entry("layout")
def scale(numbers, factors, out):  # type: ignore[no-untyped-def]
    """Write (N, size) int8 numbers times (size,) factors as float32."""
    for row in range(numbers.shape[0]):
        for column in range(numbers.shape[1]):
            out[row, column] = np.float32(numbers[row, column]) * factors[column]


class Layout(Mapping[str, Slice]):
    """An ordered set of named slices that together cover the vector.

    Example:
        >>> layout = Layout([("ingots", (5,), 0, 70, "Ingots held."), ("lot", (26,), 0, 1, "The lot.")])
        >>> layout.size, layout["lot"].slice
        (31, slice(5, 31, None))
    """

    def __init__(self, parts: list[tuple[str, tuple[int, ...], int, int, str]]):
        self._slices: dict[str, Slice] = {}
        start = 0
        for name, shape, low, high, meaning in parts:
            if not -128 <= low <= high <= 127:
                raise ValueError(f"slice {name!r}: range {low}..{high} does not fit int8")
            stop = start + int(np.prod(shape))
            self._slices[name] = Slice(name, start, stop, shape, low, high, meaning)
            start = stop
        self.size = start
        self.low = np.empty(start, np.int8)
        self.high = np.empty(start, np.int8)
        for part in self.values():
            self.low[part.slice] = part.low
            self.high[part.slice] = part.high
        self._scale = (
            1.0 / np.maximum(np.abs(self.low.astype(np.float32)), np.abs(self.high.astype(np.float32)))
        ).astype(np.float32)

    def __getitem__(self, name: str) -> Slice:
        return self._slices[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._slices)

    def __len__(self) -> int:
        return len(self._slices)

    def read(self, observation: np.ndarray, name: str) -> np.ndarray:
        """A view of one slice in its shape; leading axes of `observation` (..., size) are kept."""
        part = self[name]
        return observation[..., part.slice].reshape(observation.shape[:-1] + part.shape)

    def to_float(self, observation: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """The float32 view for networks: each number divided by the largest magnitude of its range, so in [-1, 1]."""
        return np.multiply(observation, self._scale, out=out, dtype=np.float32)

    def bind_to_float(self, observation: np.ndarray, out: np.ndarray) -> Callable[[int], int]:
        """A call that does the same for the numbers that are in `observation` then; contiguous (N, size) both."""
        return scale.bind(observation, self._scale, out)

    def to_int8(self, observation: np.ndarray) -> np.ndarray:
        """The int8 observation: itself, or the one of which this is the float32 view (exact).

        Raises:
            OptionError: An array of another dtype or size, or floats that are not in [-1, 1].
        """
        observation = np.asarray(observation)
        if observation.dtype == np.int8 and observation.shape[-1:] == (self.size,):
            return observation
        if observation.dtype != np.float32 or observation.shape[-1:] != (self.size,):
            raise OptionError(
                f"observations: {observation.dtype} of shape {observation.shape}, but int8, or its float32 view, of "
                f"shape (..., {self.size}) is needed"
            )
        if np.abs(observation).max(initial=0) > 1:
            raise OptionError(
                f"observations: floats from {observation.min()} to {observation.max()}, but the float32 view is in "
                "[-1, 1]; int8 observations need no conversion"
            )
        return np.rint(observation / self._scale).astype(np.int8)

    def starts(self) -> Any:
        """The position of each slice, for kernels: `AT = layout.starts()`, then `AT.ingots`."""
        return _constants({name: part.start for name, part in self.items()})


def ids_of(names: Iterable[str]) -> Any:
    """The position of each name, for kernels: of `sold` as `EVENT.SOLD`, where EVENT is the result."""
    return _constants({name.upper(): number for number, name in enumerate(names)})


def _constants(numbers: Mapping[str, int]) -> Any:
    """A module, since Numba takes the attributes of modules as constants, but would load those of a tuple each time."""
    module = ModuleType("constants")
    vars(module).update(numbers)
    return module
