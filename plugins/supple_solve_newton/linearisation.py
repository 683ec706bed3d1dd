"""What the kernels of a Newton step hand to each other."""

from __future__ import annotations

from typing import NamedTuple

from supple.core.arrays import FloatArray, IntArray


class Linearisation(NamedTuple):
    """Modes of all groups, and their part of the linear system; see `newton_kernels`."""

    mode: IntArray
    first: IntArray
    left: FloatArray
    right: FloatArray
    shift: FloatArray
    extra: FloatArray
    right_side: FloatArray
