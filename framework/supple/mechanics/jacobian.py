"""One mechanism's part of the Jacobian J, as a list of small dense blocks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.jit import TypedKernel
from supple.core.schedule import Call
from supple.core.state_kernels import clear
from supple.errors import CapacityError
from supple.mechanics import jacobian_kernels as kernels

add_row_velocities = TypedKernel(kernels.add_row_velocities)
add_transposed_impulses = TypedKernel(kernels.add_transposed_impulses)


class Jacobian(NamedTuple):
    """The arrays of one mechanism's part of J for kernels; see `JacobianBlocks`."""

    counts: IntArray
    group: IntArray
    unit: IntArray
    dof: IntArray
    values: FloatArray


class JacobianBlocks:
    """Blocks of J: block k maps the velocities v[dof[k] : dof[k] + width] to the rows of group[k].

    A group may have several blocks (a contact between two bodies of one mechanism has two); they add up.

    count   [1]           number of blocks in use, an array so that kernels can append
    group   [capacity]    group of rows
    unit    [capacity]    coupling unit within the mechanism, e.g. the body: A couples the blocks of one unit
    dof     [capacity]    first column
    values  [capacity, 3, width]  m/s or rad/s per unit of v; in groups of one row, rows 1 and 2 are zero

    `arrays` has the five of them for kernels. They never move.
    """

    def __init__(self, capacity: int, width: int) -> None:
        self.capacity = capacity
        self.width = width
        self.count: IntArray = np.zeros(1, np.int64)
        self.group: IntArray = np.zeros(capacity, np.int64)
        self.unit: IntArray = np.zeros(capacity, np.int64)
        self.dof: IntArray = np.zeros(capacity, np.int64)
        self.values: FloatArray = np.zeros((capacity, 3, width))
        self.arrays = Jacobian(
            counts=self.count, group=self.group, unit=self.unit, dof=self.dof, values=self.values
        )

    def clear(self) -> None:
        """Forget all blocks."""
        self.count[0] = 0

    def bind_clear(self) -> Call:
        """The same as a call for every step."""
        return Call(clear, self.count)

    def reserve(self, extra: int) -> int:
        """Add `extra` blocks with zero values and return the position of the first."""
        first = int(self.count[0])
        if first + extra > self.capacity:
            what = f"capacity of {self.capacity} Jacobian blocks is used up; raise run.capacity"
            raise CapacityError(what)
        self.values[first : first + extra] = 0.0
        self.count[0] = first + extra
        return first

    def add_row_velocities(self, v: FloatArray, out: FloatArray) -> None:
        """out[groups, 3] += J v."""
        add = add_row_velocities if _are_plain(v, out) else kernels.add_row_velocities
        add(self.arrays, v, out)

    def bind_row_velocities(self, v: FloatArray, out: FloatArray) -> Call:
        """`add_row_velocities` of these very arrays, for every step."""
        return Call(kernels.add_row_velocities, self.arrays, v, out)

    def add_transposed_impulses(self, impulse: FloatArray, out: FloatArray) -> None:
        """out[dofs] += J^T impulse."""
        add = add_transposed_impulses if _are_plain(impulse, out) else kernels.add_transposed_impulses
        add(self.arrays, impulse, out)

    def bind_transposed_impulses(self, impulse: FloatArray, out: FloatArray) -> Call:
        """`add_transposed_impulses` of these very arrays, for every step."""
        return Call(kernels.add_transposed_impulses, self.arrays, impulse, out)

    def take_back(self, before: int, impulse: FloatArray, out: FloatArray) -> None:
        """out[dofs] += J^T impulse of the blocks from `before` on, which are forgotten."""
        kernels.add_late_impulses(before, self.arrays, impulse, out)
        self.count[0] = before


def _are_plain(*arrays: FloatArray) -> bool:
    """Whether typed kernels can be called with these; others are looked at."""
    return all(each.dtype == np.float64 and each.flags.c_contiguous for each in arrays)
