"""All primitives of a scene as one surface, and what it shares with that of the rigid meshes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.jit import bind_kernel
from supple.core.schedule import Bound
from supple.mechanics.mechanism import Carrier, PointRows
from supple_collide.contact_kernels import select_points

CONTACTS = ("contacts.count", "contacts.surface", "contacts.element", "contacts.point")
"""What a surface reads of the contacts."""


class CarriedPoints:
    """Contacts of one surface as points on the frames that carry its elements."""

    def __init__(self, capacity: int) -> None:
        self.points = PointRows(2 * capacity)
        self.first_group = np.zeros(1, np.int64)
        self._directions: FloatArray | None = None

    def bind(self, arrays: Bound, surface: object, carrier: IntArray, frame: IntArray) -> None:
        """Bind the contacts. `carrier` and `frame` say what carries each element; carriers of none are left out."""
        self._owners = (carrier, frame, arrays.build.members("surfaces").index(surface))
        self._contacts = [arrays[name] for name in CONTACTS]
        carriers = enumerate(arrays.build.members("carriers"))
        self._carriers: list[tuple[int, Carrier]] = [
            (number, each) for number, each in carriers if (carrier == number).any()
        ]

    def add_contact_rows(self, first_group: int, directions: FloatArray) -> None:
        """Append the Jacobian blocks of the sides of all contacts that belong to what moves."""
        if directions is not self._directions:
            self._bind_directions(directions)
        self.first_group[0] = first_group
        points = self.points
        for select, carrier in self._selections:
            points.count = select()
            if points.count:
                carrier.add_point_rows(points)

    def _bind_directions(self, directions: FloatArray) -> None:
        """It is the same array in every step."""
        points, self._directions = self.points, directions
        outputs = (points.group, points.frame, points.sign, points.point, points.directions)
        self._selections = [
            (
                bind_kernel(
                    select_points,
                    *self._owners,
                    number,
                    self.first_group,
                    *self._contacts,
                    directions,
                    *outputs,
                ),
                carrier,
            )
            for number, carrier in self._carriers
        ]


class PrimitiveSurface:
    """Turns contacts of shapes into points on the frames that carry them; element = row of the shape."""

    name = "primitives"
    reads = (*CONTACTS, "collide.carrier", "collide.frame")

    def __init__(self, capacity: int, element_paths: Sequence[str]) -> None:
        """`element_paths` are the entities of the shapes."""
        self.element_paths = element_paths
        self._points = CarriedPoints(capacity)
        self.add_contact_rows = self._points.add_contact_rows

    def bind(self, arrays: Bound) -> None:
        """Bind the contacts and the owners of the shapes."""
        self._points.bind(arrays, self, arrays["collide.carrier"], arrays["collide.frame"])
