"""A symmetric block-sparse matrix: the Delassus operator W = sum J A^-1 J^T of all groups of rows.

Block CSR with 3 x 3 blocks. A group of one row uses only entry [0, 0] of its blocks: the others are zero, so
that kernels need not tell the two sizes apart.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.jit import TypedKernel
from supple.core.schedule import Call, MovedError
from supple.mechanics import block_matrix_kernels as kernels

set_pattern = TypedKernel(kernels.set_pattern)
clear_immovable_groups = TypedKernel(kernels.clear_immovable_groups)

#: Blocks a group that there is room for from the start.
ROOMY = 16

#: A diagonal block of bones this much smaller than the largest is the round-off of a difference.
IMMOVABLE = 1e-13


def _grown(array: IntArray, needed: int) -> IntArray:
    """The array itself, or a new one of twice the length where it is too short. Contents are lost."""
    return array if len(array) >= needed else np.zeros(max(needed, 2 * len(array)), np.int64)


class Blocks(NamedTuple):
    """The arrays of W for kernels; see `BlockMatrix`."""

    indptr: IntArray
    indices: IntArray
    diagonal: IntArray
    values: FloatArray


_BUFFERS = frozenset(Blocks._fields)


class Incidences(NamedTuple):
    """Who touches whom: group[k] touches unit[k], of which the first counts[0] are in use."""

    counts: IntArray
    group: IntArray
    unit: IntArray


class PatternScratch(NamedTuple):
    """Work arrays of `block_matrix_kernels.set_pattern`: who touches whom, sorted both ways, and marks.

    known [3] says how many groups, incidences and blocks the stored pattern has, zero blocks where there is none that
    could serve again; known_group and known_unit are its incidences.
    """

    unit_start: IntArray
    groups_of_unit: IntArray
    group_start: IntArray
    units_of_group: IntArray
    mark: IntArray
    next: IntArray
    known: IntArray
    known_group: IntArray
    known_unit: IntArray


class BlockMatrix:
    """W in block CSR. The arrays are buffers that are longer than what is used.

    A buffer that is too short is replaced by one of at least twice the length, so in the long run none moves. `blocks`
    has the four of them for kernels: the same tuple until one is replaced, and always of the same types. So ask for it
    after every `set_pattern`, and bind kernels to it only as long as it is the same.

    sizes        [2]     number of block rows n, and of stored blocks nb; also as `group_count` and `block_count`
    indptr       [n + 1] first block of each row
    indices      [nb]    block column, rising within each row
    values       [nb, 3, 3] (m/s)/(N s) = 1/kg for linear rows
    diagonal     [n]     position of the diagonal block of each row
    """

    def __init__(self, groups: int = 16, blocks: int = 64) -> None:
        self.sizes: IntArray = np.zeros(2, np.int64)
        self.indptr: IntArray = np.zeros(groups + 1, np.int64)
        self.diagonal: IntArray = np.zeros(groups, np.int64)
        self.indices: IntArray = np.zeros(blocks, np.int64)
        self.values: FloatArray = np.zeros((blocks, 3, 3))
        self._room = (0, 0, 0)
        self._scratch = PatternScratch(*(np.zeros(max(groups, 3), np.int64) for _ in PatternScratch._fields))

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _BUFFERS:
            known = self.__dict__.get(name)
            if known is value:
                return
            value = np.ascontiguousarray(value, value.dtype if known is None else known.dtype)
            self.__dict__.pop("blocks", None)
            if "_scratch" in self.__dict__:
                self._scratch.known[:] = 0
        object.__setattr__(self, name, value)

    @property
    def group_count(self) -> int:
        """Number of block rows."""
        return self.sizes.item(0)

    @group_count.setter
    def group_count(self, count: int) -> None:
        self.sizes[0] = count

    @property
    def block_count(self) -> int:
        """Number of stored blocks."""
        return self.sizes.item(1)

    @block_count.setter
    def block_count(self, count: int) -> None:
        self.sizes[1] = count

    @cached_property
    def blocks(self) -> Blocks:
        """The arrays for kernels."""
        return Blocks(indptr=self.indptr, indices=self.indices, diagonal=self.diagonal, values=self.values)

    def set_pattern(
        self, group: IntArray, unit: IntArray, group_count: int, unit_count: int, incidence_count: int = -1
    ) -> None:
        """Couple the groups that touch a common unit, and set all values to zero.

        `group[k]` touches `unit[k]`, both plain arrays of int64; any order, repeated incidences do no harm. Only the
        first `incidence_count` of them count, all if that is negative. Units of different mechanisms need disjoint
        numbers below `unit_count`.
        Every group has its diagonal block, even one without a unit.
        """
        used = len(group) if incidence_count < 0 else incidence_count
        self._reserve_rows(group_count, unit_count, used)
        sizes = (group_count, unit_count, used)
        blocks = int(set_pattern(group, unit, self._scratch, self.blocks, *sizes))
        if len(self.indices) < blocks:
            self.reserve_blocks(blocks)
            set_pattern(group, unit, self._scratch, self.blocks, *sizes)
        self.group_count, self.block_count = group_count, blocks

    def bind_pattern(
        self, counts: IntArray, incidences: Incidences, group_count: int, unit_count: int
    ) -> Call:
        """`set_pattern` as a call for every step: of counts[0] groups, at most `group_count`.

        Where there is no room for the blocks, it is made, and all is bound anew (`MovedError`).
        """
        self._reserve_rows(group_count, unit_count, len(incidences.group))
        # Most scenes never need more: so nothing is bound anew.
        self.reserve_blocks(min(ROOMY * group_count, group_count * group_count))

        def grow() -> None:
            self.reserve_blocks(self.block_count)
            raise MovedError

        return Call(
            kernels.couple_groups, counts, incidences, unit_count, self._scratch, self.blocks, self.sizes,
            otherwise=grow,
        )  # fmt: skip

    def bind_clearing(self, movable: IntArray) -> Call:
        """`clear_immovable_groups` as a call for every step."""
        return Call(kernels.clear_immovable, self.blocks, self.sizes, IMMOVABLE, movable)

    def reserve_blocks(self, blocks: int) -> None:
        """Make room for so many blocks. What was stored is lost where there was not."""
        if len(self.indices) < blocks:
            self.indices = _grown(self.indices, blocks)
            self.values = np.zeros((len(self.indices), 3, 3))

    def _reserve_rows(self, groups: int, units: int, incidences: int) -> None:
        if self._room[0] >= groups and self._room[1] >= units and self._room[2] >= incidences:
            return
        self.indptr = _grown(self.indptr, groups + 1)
        self.diagonal = _grown(self.diagonal, groups)
        scratch = self._scratch
        self._scratch = PatternScratch(
            unit_start=_grown(scratch.unit_start, units + 1),
            groups_of_unit=_grown(scratch.groups_of_unit, incidences),
            group_start=_grown(scratch.group_start, groups + 1),
            units_of_group=_grown(scratch.units_of_group, incidences),
            mark=_grown(scratch.mark, groups),
            next=_grown(scratch.next, groups),
            known=np.zeros(3, np.int64),
            known_group=_grown(scratch.known_group, incidences),
            known_unit=_grown(scratch.known_unit, incidences),
        )
        self._room = (
            min(len(self.indptr) - 1, len(self.diagonal), len(self._scratch.group_start) - 1, len(self._scratch.mark)),
            len(self._scratch.unit_start) - 1,
            min(
                len(self._scratch.groups_of_unit), len(self._scratch.units_of_group), len(self._scratch.known_group)
            ),
        )  # fmt: skip

    def clear_immovable_groups(self, movable: IntArray) -> None:
        """Take the groups out whose diagonal is but round-off, so that no solver divides by it.

        `movable` [n] is > 0 for those that are moved by something whose part of the diagonal is no difference. It is
        zero afterwards.
        """
        clear_immovable_groups(self.blocks, self.group_count, IMMOVABLE, movable)

    def multiply(self, x: FloatArray, out: FloatArray) -> None:
        """out = W x; both [n, 3] (longer arrays may be given, their tails are left alone)."""
        kernels.multiply(self.blocks, self.group_count, x, out)

    def to_dense(self, size: IntArray) -> FloatArray:
        """The matrix over the rows in use, [sum size, sum size]; `size[n]` is 1 or 3 for each group."""
        start = np.concatenate([[0], np.cumsum(size[: self.group_count])])
        dense = np.zeros((start[-1], start[-1]))
        for i in range(self.group_count):
            for p in range(self.indptr[i], self.indptr[i + 1]):
                j = self.indices[p]
                rows, columns = slice(start[i], start[i + 1]), slice(start[j], start[j + 1])
                dense[rows, columns] = self.values[p, : size[i], : size[j]]
        return dense

    @classmethod
    def from_dense(cls, dense: FloatArray, size: IntArray) -> BlockMatrix:
        """Keep the blocks of a symmetric matrix that are not zero; inverse of `to_dense`."""
        start = np.concatenate([[0], np.cumsum(size)])
        touched = np.add.reduceat(np.add.reduceat(np.abs(dense), start[:-1], axis=0), start[:-1], axis=1)
        row, column = np.nonzero(np.triu(touched + touched.T))
        matrix = cls()
        # Each coupled pair is a unit of its own, so the pattern is exactly that of the matrix.
        pair = np.arange(len(row), dtype=np.int64)
        matrix.set_pattern(np.concatenate([row, column]), np.concatenate([pair, pair]), len(size), len(pair))
        for i in range(matrix.group_count):
            for p in range(matrix.indptr[i], matrix.indptr[i + 1]):
                j = matrix.indices[p]
                block = dense[start[i] : start[i + 1], start[j] : start[j + 1]]
                matrix.values[p, : size[i], : size[j]] = block
        return matrix

    @classmethod
    def from_arrays(cls, indptr: IntArray, indices: IntArray, values: FloatArray) -> BlockMatrix:
        """Copy the arrays of a stored matrix; columns must be sorted and every diagonal block present."""
        groups = len(indptr) - 1
        matrix = cls(groups, len(indices))
        matrix.group_count, matrix.block_count = groups, len(indices)
        matrix.indptr[:], matrix.indices[:], matrix.values[:] = indptr, indices, values
        row = np.repeat(np.arange(groups, dtype=np.int64), np.diff(indptr))
        matrix.diagonal[:] = np.flatnonzero(row == indices)
        return matrix
