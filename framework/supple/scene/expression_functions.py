"""The functions of `holds` expressions.

Values are one-dimensional arrays over the cells, float64 or bool; a scalar has length 1. Arguments reach a
function finite, with lengths that are equal or 1, numbers as float64 and truth values as bool.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supple.errors import SuppleError
from supple.scene.expression_tree import Kind

Values = NDArray[np.float64] | NDArray[np.bool_]
Numbers = NDArray[np.float64]

RESAMPLES = 10_000
CONFIDENCE = 0.95
# The interval belongs to the data alone: the same figures give the same interval in every run.
_BOOTSTRAP_SEED = 20_130_717
_DRAWS_AT_ONCE = 1_000_000


class Undecidable(SuppleError):  # noqa: N818 - an outcome of evaluating, told to the reader as null
    """The expression can be neither affirmed nor denied: something in it was not measured."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


@dataclass(frozen=True)
class Function:
    """What the arguments have to be, what it gives, and whether it turns cells into one figure."""

    name: str
    parameters: tuple[Kind, ...]
    result: Kind
    aggregates: bool
    apply: Callable[..., Values]


def _as_scalar(value: float | np.floating | np.integer) -> Numbers:
    return np.array([float(value)])


def _find_spread(a: Numbers) -> Numbers:
    """The standard deviation with n - 1; 0 for a single cell."""
    return _as_scalar(np.std(a, ddof=1) if len(a) > 1 else 0.0)


def _resample_mean_differences(a: Numbers, b: Numbers) -> Numbers:
    """Means of the paired differences over cells drawn with replacement; shape [RESAMPLES]."""
    difference = a - b
    cells = len(difference)
    if cells < 2:
        raise Undecidable(
            "an interval needs at least two cells, and there is one; add seeds or values to [sweep]"
        )
    generator = np.random.Generator(np.random.Philox(_BOOTSTRAP_SEED))
    means = np.empty(RESAMPLES)
    rows = max(1, _DRAWS_AT_ONCE // cells)
    for start in range(0, RESAMPLES, rows):
        stop = min(start + rows, RESAMPLES)
        drawn = generator.integers(0, cells, size=(stop - start, cells))
        means[start:stop] = difference[drawn].mean(axis=1)
    return means


def _find_difference_low(a: Numbers, b: Numbers) -> Numbers:
    return _as_scalar(np.quantile(_resample_mean_differences(a, b), (1 - CONFIDENCE) / 2))


def _find_difference_high(a: Numbers, b: Numbers) -> Numbers:
    return _as_scalar(np.quantile(_resample_mean_differences(a, b), (1 + CONFIDENCE) / 2))


def _are_within(a: Numbers, b: Numbers, tolerance: Numbers) -> NDArray[np.bool_]:
    within: NDArray[np.bool_] = np.abs(a - b) <= tolerance * np.maximum(np.abs(a), np.abs(b))
    return within


_N, _T = Kind.NUMBER, Kind.TRUTH

FUNCTIONS: dict[str, Function] = {
    function.name: function
    for function in (
        Function("mean", (_N,), _N, True, lambda a: _as_scalar(np.mean(a))),
        Function("min", (_N,), _N, True, lambda a: _as_scalar(np.min(a))),
        Function("max", (_N,), _N, True, lambda a: _as_scalar(np.max(a))),
        Function("spread", (_N,), _N, True, _find_spread),
        Function("fraction", (_T,), _N, True, lambda a: _as_scalar(np.mean(a))),
        Function("count", (_T,), _N, True, lambda a: _as_scalar(np.count_nonzero(a))),
        Function("all", (_T,), _T, True, lambda a: np.array([np.all(a)])),
        Function("any", (_T,), _T, True, lambda a: np.array([np.any(a)])),
        Function("difference", (_N, _N), _N, True, lambda a, b: _as_scalar(np.mean(a - b))),
        Function("difference_low", (_N, _N), _N, True, _find_difference_low),
        Function("difference_high", (_N, _N), _N, True, _find_difference_high),
        Function("abs", (_N,), _N, False, lambda a: np.abs(a)),
        Function("sqrt", (_N,), _N, False, lambda a: np.sqrt(a)),
        Function("within", (_N, _N, _N), _T, False, _are_within),
    )
}
