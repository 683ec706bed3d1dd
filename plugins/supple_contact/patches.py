"""Surfaces that bend and touch in patches: which vertices belong together, and who merges their contacts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.build import Build
from supple.core.jit import bind_kernel
from supple.core.schedule import Bound
from supple.mechanics.contacts import Contacts
from supple.mechanics.deforming import find_rows
from supple_contact import patch_kernels as kernels
from supple_contact.tables import Merged, PatchTable

SHARE = "contacts.share"
#: Vertices that are higher than the lowest of their patch by more than this part of its size do not bear [1].
SLACK = 0.01


def list_patched(build: Build) -> list[tuple[int, Any]]:
    """Numbers of the surfaces with a `patch_size`, and the surfaces."""
    surfaces = enumerate(build.members("surfaces"))
    return [(number, surface) for number, surface in surfaces if getattr(surface, "patch_size", 0.0) > 0.0]


def make_table(first: int, triangles: IntArray, rest: FloatArray, size: float) -> PatchTable:
    """Vertices in cells of about this size [m], whose edges lie along the axes at rest."""
    low, extent = rest.min(axis=0), np.ptp(rest, axis=0)
    cells = np.maximum(np.round(extent / size), 1).astype(np.int64)
    place = np.minimum(((rest - low) / np.maximum(extent, 1e-300) * cells).astype(np.int64), cells - 1)
    order = np.argsort(triangles.reshape(-1), kind="stable")
    start = np.searchsorted(triangles.reshape(-1)[order], np.arange(len(rest) + 1))
    cell = np.ravel_multi_index(tuple(place.T), tuple(cells))
    return PatchTable(
        first, triangles, start.astype(np.int64), (order // 3).astype(np.int64), cell.astype(np.int64)
    )


class PatchMerger:
    """Merges the contacts of every patch into one."""

    def __init__(self, arrays: Bound, contacts: Contacts, capacity: int) -> None:
        self.patch, self.into = np.zeros((2, capacity), np.int64)
        self.area, self.share = np.zeros(capacity), arrays[SHARE]
        self.merged = Merged(
            count=np.zeros(1, np.int64), key=np.zeros((capacity, 2), np.int64), normal=np.zeros((capacity, 3)),
            gap=np.zeros(capacity), friction=np.zeros(capacity), restitution=np.zeros(capacity),
            patch=np.zeros(capacity, np.int64), other=np.zeros(capacity, np.int64),
            leader=np.zeros(capacity, np.int64), area=np.zeros(capacity),
        )  # fmt: skip
        self._mark: list[Callable[[], Any]] = []
        first, slack = 0, np.inf
        for number, surface in list_patched(arrays.build):
            table = make_table(first, surface.triangles, surface.rest, surface.patch_size)
            first += int(table.cell.max()) + 1
            slack = min(slack, SLACK * surface.patch_size)
            x = arrays[surface.positions][find_rows(surface)]
            self._mark.append(
                bind_kernel(kernels.mark_patches, number, contacts, table, x, self.patch, self.area)
            )
        self._merge = bind_kernel(
            kernels.merge_contacts, contacts, self.patch, self.area, slack, self.merged, self.into, self.share
        )

    def merge(self) -> int:
        """Fill `merged`, and the share of every contact; the number of groups."""
        self.patch[:] = -1
        for mark in self._mark:
            mark()
        return int(self._merge())
