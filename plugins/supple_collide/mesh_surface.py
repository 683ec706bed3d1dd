"""All rigid meshes of a scene as one surface."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from supple.core.schedule import Bound
from supple_collide.meshes.columns import OBJECT
from supple_collide.shape_kinds import STANDS_STILL
from supple_collide.surface import CarriedPoints


class MeshSurface:
    """Turns points on rigid meshes into points on the frames that carry them; element = triangle."""

    name = "meshes"
    reads = ("mesh.of_triangle", "mesh.carrier", "mesh.frame", "mesh.table", "collide.kind")

    def __init__(self, element_paths: Sequence[str]) -> None:
        """`element_paths` are the entities of the triangles."""
        self.element_paths = element_paths
        self._points = CarriedPoints()
        self.add_rows, self.bind_rows = self._points.add_rows, self._points.bind_rows

    def bind(self, arrays: Bound) -> None:
        """Bind the owners of the triangles."""
        # The contacts of meshes that stand for boxes are those of the boxes.
        real = arrays["mesh.table"][:, OBJECT] >= len(arrays["collide.kind"])
        carrier = np.where(real, arrays["mesh.carrier"], STANDS_STILL)
        owners = (each[arrays["mesh.of_triangle"]] for each in (carrier, arrays["mesh.frame"]))
        self._points.bind(arrays, *(np.ascontiguousarray(each) for each in owners))
