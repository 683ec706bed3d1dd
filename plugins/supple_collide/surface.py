"""All primitives of a scene as one surface, and what it shares with that of the rigid meshes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from supple.core.arrays import IntArray
from supple.core.jit import bind_kernel
from supple.core.schedule import Bound, Call, Work
from supple.mechanics.mechanism import Carrier, PointRows, bind_point_rows
from supple.mechanics.point_kernels import list_carried, select_carried
from supple.mechanics.points import PerAsker, SurfacePoints

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
        self._find = PerAsker(self._bind_points)
        self._asker: SurfacePoints | None = None

    def add_rows(self, points: SurfacePoints) -> None:
        """Append the Jacobian blocks of all points that belong to what moves."""
        if points is not self._asker:  # most often it is contact, time and again
            self._asker, (self._rows, self._selections) = points, self._find(points)
        rows = self._rows
        for select, carrier in self._selections:
            rows.count = select()
            if rows.count:
                carrier.add_point_rows(rows)

    def bind_rows(self, points: SurfacePoints) -> list[Work]:
        """`add_rows` of these very points, for every step."""
        work: list[Work] = []
        for number, carrier in self._carriers:
            rows = PointRows(len(points.group))
            outputs = (rows.group, rows.frame, rows.sign, rows.point, rows.directions)
            work.append(Call(list_carried, *self._owners, number, points, *outputs, rows.counts))
            work.append(bind_point_rows(carrier, rows))
        return work

    def _bind_points(self, points: SurfacePoints) -> tuple[PointRows, list[Selection]]:
        rows = PointRows(len(points.group))
        outputs = (rows.group, rows.frame, rows.sign, rows.point, rows.directions)
        selections = [
            (bind_kernel(select_carried, *self._owners, number, points, *outputs), carrier)
            for number, carrier in self._carriers
        ]
        return rows, selections


class PrimitiveSurface:
    """Turns points on shapes into points on the frames that carry them; element = row of the shape."""

    name = "primitives"
    reads = ("collide.carrier", "collide.frame")

    def __init__(self, element_paths: Sequence[str]) -> None:
        """`element_paths` are the entities of the shapes."""
        self.element_paths = element_paths
        self._points = CarriedPoints()
        self.add_rows, self.bind_rows = self._points.add_rows, self._points.bind_rows

    def bind(self, arrays: Bound) -> None:
        """Bind the owners of the shapes."""
        self._points.bind(arrays, arrays["collide.carrier"], arrays["collide.frame"])
