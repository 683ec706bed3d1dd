"""One array of a recording that grows: HDF5 is told to make it longer and to write, and asked nothing.

HDF5 takes as long to say how long an array is as to make it longer, while others may read it.
"""

from __future__ import annotations

import h5py
import numpy as np

from supple.core.arrays import Array

_TABLE = 1 << 12
"""For the tables of one series that grows [bytes]."""


def open_series(group: h5py.Group, name: str) -> Series:
    """A series of which HDF5 keeps one chunk: rows are appended and never looked at again.

    By itself it fills megabytes with chunks of every series, which is the memory of a long run.
    """
    access = h5py.h5p.create(h5py.h5p.DATASET_ACCESS)
    # An array that is open already keeps what it was opened with, so it is not open any more here.
    access.set_chunk_cache(1, _chunk_bytes(group[name]), 1.0)
    return Series(h5py.Dataset(h5py.h5d.open(group.id, name.encode(), access)))


def _chunk_bytes(dataset: h5py.Dataset) -> int:
    return int(np.prod(dataset.chunks)) * int(dataset.dtype.itemsize)


class Series:
    """A dataset (rows, ...) that nobody else makes longer."""

    def __init__(self, dataset: h5py.Dataset) -> None:
        self._id, self._inner = dataset.id, dataset.shape[1:]
        self.length: int = dataset.shape[0]
        self._chunk_rows: int = dataset.chunks[0]
        self._chunk_bytes = _chunk_bytes(dataset)
        self._dtype = dataset.dtype

    def need(self, count: int) -> int:
        """Bytes that so many more rows take at most: those of the chunks that they begin."""
        begun = -(-(self.length + count) // self._chunk_rows) - -(-self.length // self._chunk_rows)
        return int(begun * self._chunk_bytes + _TABLE)

    def extend(self, values: Array) -> None:
        """Append rows."""
        count = len(values)
        if not count:
            return
        shape = (count, *self._inner)
        self._id.set_extent((self.length + count, *self._inner))
        place = h5py.h5s.create_simple((self.length + count, *self._inner))
        place.select_hyperslab((self.length, *(0 for _ in self._inner)), shape)
        rows = np.ascontiguousarray(values, self._dtype).reshape(shape)
        self._id.write(h5py.h5s.create_simple(shape), place, rows)
        self.length += count
