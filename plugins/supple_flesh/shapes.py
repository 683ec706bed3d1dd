"""Surfaces to try flesh on."""

from __future__ import annotations

Point = tuple[float, float, float]


def make_box_surface(
    size: Point, cells: int | tuple[int, int, int]
) -> tuple[tuple[Point, ...], tuple[tuple[int, int, int], ...]]:
    """The surface of a box about the origin as a closed mesh of so many cells along every edge, or along x, y, z.

    Every cell is cut along the diagonal that leads away from the middle of its side, so that the mesh has the
    symmetry of the box for even numbers of cells.
    """
    counts = (cells, cells, cells) if isinstance(cells, int) else cells
    numbers: dict[tuple[int, int, int], int] = {}

    def corner(place: list[int]) -> int:
        return numbers.setdefault((place[0], place[1], place[2]), len(numbers))

    triangles: list[tuple[int, int, int]] = []
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for end in (0, counts[axis]):
            for i in range(counts[u]):
                for j in range(counts[v]):
                    square = []
                    for du, dv in ((0, 0), (1, 0), (1, 1), (0, 1)):
                        place = [0, 0, 0]
                        place[axis], place[u], place[v] = end, i + du, j + dv
                        square.append(corner(place))
                    if end == 0:
                        square.reverse()
                    # The side of the middle that the cell is on, along u and v, says which diagonal leads outwards.
                    outwards = (2 * i + 1 - counts[u]) * (2 * j + 1 - counts[v]) >= 0
                    first = 0 if outwards == (end != 0) else 1
                    a, b, c, d = (square[(first + k) % 4] for k in range(4))
                    triangles += [(a, b, c), (a, c, d)]
    vertices = tuple(
        (
            size[0] * (place[0] / counts[0] - 0.5),
            size[1] * (place[1] / counts[1] - 0.5),
            size[2] * (place[2] / counts[2] - 0.5),
        )
        for place in numbers
    )
    return vertices, tuple(triangles)
