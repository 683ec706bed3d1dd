"""All primitives of a scene as one surface, and what it shares with that of the rigid meshes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from supple.core.arrays import IntArray
from supple.core.jit import bind_kernel
from supple.core.schedule import Bound
from supple.mechanics.mechanism import Carrier, PointRows
from supple.mechanics.point_kernels import select_carried
from supple.mechanics.points import SurfacePoints

Selection = tuple[Callable[[], int], Carrier]


class CarriedPoints:
    """Points on a surface as points on the frames that carry its elements."""

    def bind(self, arrays: Bound, carrier: IntArray, frame: IntArray) -> None:
        """`carrier` and `frame` [elements] say what carries each; carriers of none are left out."""
        self._owners = (carrier, frame)
        carriers = enumerate(arrays.build.members("carriers"))
        self._carriers: list[tuple[int, Carrier]] = [
            (number, each) for number, each in carriers if (carrier == number).any()
        ]
        self._known: dict[int, tuple[SurfacePoints, PointRows, list[Selection]]] = {}

    def add_rows(self, points: SurfacePoints) -> None:
        """Append the Jacobian blocks of all points that belong to what moves."""
        known = self._known.get(id(points))
        if known is None or known[0] is not points:
            known = self._bind_points(points)
        _, rows, selections = known
        for select, carrier in selections:
            rows.count = select()
            if rows.count:
                carrier.add_point_rows(rows)

    def _bind_points(self, points: SurfacePoints) -> tuple[SurfacePoints, PointRows, list[Selection]]:
        """Whoever asks does so with the same arrays in every step."""
        rows = PointRows(len(points.group))
        outputs = (rows.group, rows.frame, rows.sign, rows.point, rows.directions)
        selections = [
            (bind_kernel(select_carried, *self._owners, number, points, *outputs), carrier)
            for number, carrier in self._carriers
        ]
        self._known[id(points)] = (points, rows, selections)
        return self._known[id(points)]


class PrimitiveSurface:
    """Turns points on shapes into points on the frames that carry them; element = row of the shape."""

    name = "primitives"
    reads = ("collide.carrier", "collide.frame")

    def __init__(self, element_paths: Sequence[str]) -> None:
        """`element_paths` are the entities of the shapes."""
        self.element_paths = element_paths
        self._points = CarriedPoints()
        self.add_rows = self._points.add_rows

    def bind(self, arrays: Bound) -> None:
        """Bind the owners of the shapes."""
        self._points.bind(arrays, arrays["collide.carrier"], arrays["collide.frame"])
