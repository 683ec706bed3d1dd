"""All rigid meshes of a scene as one surface."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from supple.core.schedule import Bound
from supple.mechanics.mechanism import Carrier, FloatArray, PointRows
from supple_collide.contact_kernels import select_points


class MeshSurface:
    """Turns contacts of rigid meshes into points on the frames that carry them; element = triangle."""

    name = "meshes"
    reads = (
        "contacts.count", "contacts.surface", "contacts.element", "contacts.point",
        "mesh.of_triangle", "mesh.carrier", "mesh.frame",
    )  # fmt: skip

    def __init__(self, capacity: int, element_paths: Sequence[str]) -> None:
        """`element_paths` are the entities of the triangles."""
        self.points = PointRows(2 * capacity)
        self.element_paths = element_paths

    def bind(self, arrays: Bound) -> None:
        """Bind the contacts and the owners of the triangles."""
        self.count, self.contacts = arrays["contacts.count"], [arrays[name] for name in self.reads[1:4]]
        of_triangle = arrays["mesh.of_triangle"]
        self.owners = [np.ascontiguousarray(arrays[name][of_triangle]) for name in self.reads[5:]]
        self.number = arrays.build.members("surfaces").index(self)
        self.carriers: list[Carrier] = arrays.build.members("carriers")

    def add_contact_rows(self, first_group: int, directions: FloatArray) -> None:
        """Append the Jacobian blocks of the meshes' sides of all contacts."""
        points = self.points
        for number, carrier in enumerate(self.carriers):
            points.count = select_points(
                *self.owners, self.number, number, first_group, self.count, *self.contacts, directions,
                points.group, points.frame, points.sign, points.point, points.directions,
            )  # fmt: skip
            if points.count:
                carrier.add_point_rows(points)
