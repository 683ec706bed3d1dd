"""Even triangles on the implicit surface: split long edges, collapse short ones, flip, relax.

Lengths of edges are relative to the size that is wanted at their ends. All sweeps go through the mesh in the order
of its arrays, so the same input gives the same mesh, bit for bit.
"""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple_characters.corner_kernels import (
    collapse,
    count_neighbours,
    flip,
    following,
    is_neighbour,
    may_collapse,
    preceding,
    split,
    swing,
)
from supple_characters.distance_kernels import edge_size, project

# Least cosine between a triangle and the surface at its corners; where it is less, changes must make it better.
UPRIGHT = 0.35
# Fewest and most neighbours of a vertex that changes may lead to.
FEWEST, MOST = 4, 9
# Part of the way to the middle of its neighbours that a vertex goes at once.
RELAX = 0.7


@njit
def relative_length(x, size, a, b):
    """Length of the edge between the vertices a and b, by the size wanted there."""
    dx, dy, dz = x[a, 0] - x[b, 0], x[a, 1] - x[b, 1], x[a, 2] - x[b, 2]
    return math.sqrt(dx * dx + dy * dy + dz * dz) * 2.0 / (size[a] + size[b])


@njit
def triangle_normal(ax, ay, az, bx, by, bz, cx, cy, cz):
    """Unit normal and twice the area of a triangle, as (x, y, z, area)."""
    ux, uy, uz = bx - ax, by - ay, bz - az
    vx, vy, vz = cx - ax, cy - ay, cz - az
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    size = math.sqrt(nx * nx + ny * ny + nz * nz)
    if size == 0.0:
        return 0.0, 0.0, 0.0, 0.0
    return nx / size, ny / size, nz / size, size


@njit
def uprightness(x, normal, a, b, c):
    """Least cosine between the triangle of the vertices a, b, c and the surface at these."""
    nx, ny, nz, _ = triangle_normal(
        x[a, 0], x[a, 1], x[a, 2], x[b, 0], x[b, 1], x[b, 2], x[c, 0], x[c, 1], x[c, 2]
    )
    least = 1.0
    for v in (a, b, c):
        least = min(least, nx * normal[v, 0] + ny * normal[v, 1] + nz * normal[v, 2])
    return least


@njit
def settle(limbs, v, px, py, pz, nx, ny, nz, x_out, normal_out, size_out):
    """Put vertex v at a point of the surface with its normal, and note the size wanted there."""
    x_out[v, 0], x_out[v, 1], x_out[v, 2] = px, py, pz
    normal_out[v, 0], normal_out[v, 1], normal_out[v, 2] = nx, ny, nz
    size_out[v] = edge_size(limbs, px, py, pz)


@njit
def settle_all(limbs, soft, count, x_out, normal_out, size_out):
    """Put the first `count` vertices onto the surface."""
    for v in range(count):
        px, py, pz, nx, ny, nz = project(limbs, soft, x_out[v, 0], x_out[v, 1], x_out[v, 2])
        settle(limbs, v, px, py, pz, nx, ny, nz, x_out, normal_out, size_out)


@njit
def project_middle(limbs, soft, x, a, b):
    """The surface near the middle of the edge between the vertices a and b: point and normal."""
    return project(
        limbs, soft,
        0.5 * (x[a, 0] + x[b, 0]), 0.5 * (x[a, 1] + x[b, 1]), 0.5 * (x[a, 2] + x[b, 2]),
    )  # fmt: skip


@njit
def ring_uprightness(vertex, across, start, skip, px, py, pz, nx, ny, nz, x, normal, size, longest):
    """Least cosine between a triangle around the vertex of corner `start`, moved to the point, and the surface.

    Triangles that hold the vertex `skip` are left out: they are about to die. -2 if an edge were too long.
    """
    least, at = 1.0, start
    while True:
        b, c = vertex[following(at)], vertex[preceding(at)]
        if b != skip and c != skip:
            mx, my, mz, _ = triangle_normal(px, py, pz, x[b, 0], x[b, 1], x[b, 2], x[c, 0], x[c, 1], x[c, 2])
            least = min(least, mx * nx + my * ny + mz * nz)
            for v in (b, c):
                least = min(least, mx * normal[v, 0] + my * normal[v, 1] + mz * normal[v, 2])
                dx, dy, dz = px - x[v, 0], py - x[v, 1], pz - x[v, 2]
                if dx * dx + dy * dy + dz * dz > (longest * size[v]) ** 2:
                    return -2.0
        at = swing(across, at)
        if at == start:
            return least


@njit
def present_uprightness(vertex, across, start, skip, x, normal, size):
    """`ring_uprightness` of a vertex where it is."""
    v = vertex[start]
    return ring_uprightness(
        vertex, across, start, skip, x[v, 0], x[v, 1], x[v, 2], normal[v, 0], normal[v, 1], normal[v, 2],
        x, normal, size, 1e9,
    )  # fmt: skip


@njit
def try_collapse(limbs, soft, longest, upright, c, vertex, across, corner, x, normal, size):
    """Collapse the edge opposite to c if all stays well; whether it was done.

    Edges stay below `longest`, and cosines above `upright` or what they were.
    """
    n, p = following(c), preceding(c)
    a, b = vertex[n], vertex[p]
    if not may_collapse(vertex, across, c):
        return False
    around = count_neighbours(across, n) + count_neighbours(across, p) - 4
    if around < FEWEST or around > MOST:
        return False
    if count_neighbours(across, c) <= FEWEST or count_neighbours(across, across[c]) <= FEWEST:
        return False
    px, py, pz, nx, ny, nz = project_middle(limbs, soft, x, a, b)
    after = min(
        ring_uprightness(vertex, across, n, b, px, py, pz, nx, ny, nz, x, normal, size, longest),
        ring_uprightness(vertex, across, p, a, px, py, pz, nx, ny, nz, x, normal, size, longest),
    )
    if after < upright:
        before = min(
            present_uprightness(vertex, across, n, -1, x, normal, size),
            present_uprightness(vertex, across, p, -1, x, normal, size),
        )
        if after <= before:
            return False
    collapse(vertex, across, corner, c)
    settle(limbs, a, px, py, pz, nx, ny, nz, x, normal, size)
    return True


@njit
def collapse_short(limbs, soft, scale, shortest, longest, vertex, across, corner, x, normal, size, count_out):
    """Collapse edges shorter than `shortest` times `scale` times the wanted size; count_out: vertices, triangles."""
    done = 0
    for c in range(3 * count_out[1]):
        if vertex[c] < 0:
            continue
        a, b = vertex[following(c)], vertex[preceding(c)]
        if a > b or relative_length(x, size, a, b) >= shortest * scale:
            continue
        if try_collapse(limbs, soft, longest * scale, UPRIGHT, c, vertex, across, corner, x, normal, size):
            done += 1
    return done


@njit
def split_edge(limbs, soft, c, vertex, across, corner, x, normal, size, count_out):
    """Split the edge opposite to c in its middle."""
    a, b = vertex[following(c)], vertex[preceding(c)]
    made = count_out[0]
    split(vertex, across, corner, c, made, count_out[1])
    px, py, pz, nx, ny, nz = project_middle(limbs, soft, x, a, b)
    settle(limbs, made, px, py, pz, nx, ny, nz, x, normal, size)
    count_out[0] += 1
    count_out[1] += 2


@njit
def split_long(limbs, soft, scale, longest, vertex, across, corner, x, normal, size, count_out):
    """Split edges longer than `longest` times `scale` times the wanted size, while the arrays have room."""
    for c in range(3 * count_out[1]):
        if vertex[c] < 0 or count_out[0] + 1 > x.shape[0] or 3 * (count_out[1] + 2) > vertex.shape[0]:
            continue
        a, b = vertex[following(c)], vertex[preceding(c)]
        if a < b and relative_length(x, size, a, b) > longest * scale:
            split_edge(limbs, soft, c, vertex, across, corner, x, normal, size, count_out)


@njit
def corner_cotangent(x, o, a, b):
    """Cotangent of the angle at the vertex o of the triangle o, a, b."""
    ux, uy, uz = x[a, 0] - x[o, 0], x[a, 1] - x[o, 1], x[a, 2] - x[o, 2]
    vx, vy, vz = x[b, 0] - x[o, 0], x[b, 1] - x[o, 1], x[b, 2] - x[o, 2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    area = math.sqrt(nx * nx + ny * ny + nz * nz)
    return (ux * vx + uy * vy + uz * vz) / max(area, 1e-30)


@njit
def flip_gains(vertex, across, x, c, by_angle):
    """Whether flipping the edge opposite to c makes angles (or numbers of neighbours) more even."""
    n, p, o = following(c), preceding(c), across[c]
    xc, a, b, y = vertex[c], vertex[n], vertex[p], vertex[o]
    if by_angle:
        return corner_cotangent(x, xc, a, b) + corner_cotangent(x, y, a, b) < -1e-9
    before, after = 0, 0
    for place, change in ((n, -1), (p, -1), (c, 1), (o, 1)):
        many = count_neighbours(across, place)
        before += (many - 6) ** 2
        after += (many + change - 6) ** 2
    return after < before


@njit
def flip_edges(by_angle, vertex, across, corner, x, normal, count):
    """Flip edges where that gains something and leaves all upright; the number of flips."""
    done = 0
    for c in range(3 * count[1]):
        if vertex[c] < 0:
            continue
        n, p, o = following(c), preceding(c), across[c]
        xc, a, b, y = vertex[c], vertex[n], vertex[p], vertex[o]
        if a > b or not flip_gains(vertex, across, x, c, by_angle):
            continue
        if count_neighbours(across, n) <= FEWEST or count_neighbours(across, p) <= FEWEST:
            continue
        if is_neighbour(vertex, across, c, y):
            continue
        after = min(uprightness(x, normal, xc, a, y), uprightness(x, normal, y, b, xc))
        before = min(uprightness(x, normal, xc, a, b), uprightness(x, normal, y, b, a))
        if after > min(UPRIGHT, before):
            flip(vertex, across, corner, c)
            done += 1
    return done


@njit
def collapse_needles(limbs, soft, sharp, vertex, across, corner, x, normal, size, count):
    """Collapse the edges that lie opposite to angles whose cotangent is above `sharp`; how many."""
    done = 0
    for c in range(3 * count[1]):
        if vertex[c] < 0:
            continue
        if corner_cotangent(
            x, vertex[c], vertex[following(c)], vertex[preceding(c)]
        ) > sharp and try_collapse(limbs, soft, 1e9, 0.0, c, vertex, across, corner, x, normal, size):
            done += 1
    return done


@njit
def ring_middle(vertex, across, start, x, size):
    """Middle of the triangles around a vertex, each counted by its area relative to the wanted size there."""
    sx, sy, sz, total = 0.0, 0.0, 0.0, 0.0
    v, at = vertex[start], start
    while True:
        b, c = vertex[following(at)], vertex[preceding(at)]
        _, _, _, area = triangle_normal(
            x[v, 0], x[v, 1], x[v, 2], x[b, 0], x[b, 1], x[b, 2], x[c, 0], x[c, 1], x[c, 2]
        )
        w = area / (size[v] + size[b] + size[c]) ** 2
        sx += w * (x[v, 0] + x[b, 0] + x[c, 0])
        sy += w * (x[v, 1] + x[b, 1] + x[c, 1])
        sz += w * (x[v, 2] + x[b, 2] + x[c, 2])
        total += 3.0 * w
        at = swing(across, at)
        if at == start:
            break
    return sx / total, sy / total, sz / total


@njit
def relax(limbs, soft, vertex, across, corner, x, normal, size, count):
    """Move every vertex along the surface towards the middle of its neighbours, where all stays upright."""
    for v in range(count[0]):
        start = corner[v]
        if start < 0:
            continue
        mx, my, mz = ring_middle(vertex, across, start, x, size)
        nx, ny, nz = normal[v, 0], normal[v, 1], normal[v, 2]
        dx, dy, dz = mx - x[v, 0], my - x[v, 1], mz - x[v, 2]
        out = dx * nx + dy * ny + dz * nz
        px, py, pz, nx, ny, nz = project(
            limbs, soft,
            x[v, 0] + RELAX * (dx - out * nx), x[v, 1] + RELAX * (dy - out * ny), x[v, 2] + RELAX * (dz - out * nz),
        )  # fmt: skip
        after = ring_uprightness(vertex, across, start, -1, px, py, pz, nx, ny, nz, x, normal, size, 1e9)
        if after > min(UPRIGHT, present_uprightness(vertex, across, start, -1, x, normal, size)):
            settle(limbs, v, px, py, pz, nx, ny, nz, x, normal, size)


@njit
def find_extreme_edge(longest, tried, vertex, x, size, count):
    """The corner opposite to the relatively longest (or shortest) edge that was not tried yet; -1: none is left."""
    best, found = 0.0, -1
    for c in range(3 * count[1]):
        if vertex[c] < 0 or tried[c] != 0:
            continue
        a, b = vertex[following(c)], vertex[preceding(c)]
        if a < b:
            length = relative_length(x, size, a, b)
            if found < 0 or (length > best if longest else length < best):
                best, found = length, c
    return found


@njit
def meet_count(limbs, soft, wish, living, tried, vertex, across, corner, x, normal, size, count_out):
    """Split the longest edges or collapse the shortest until `wish` vertices live; how many live then.

    `tried` is scratch with a zero for every corner.
    """
    while living != wish:
        c = find_extreme_edge(living < wish, tried, vertex, x, size, count_out)
        if c < 0:
            break
        if living < wish:
            if count_out[0] + 1 > x.shape[0] or 3 * (count_out[1] + 2) > vertex.shape[0]:
                break
            split_edge(limbs, soft, c, vertex, across, corner, x, normal, size, count_out)
            living += 1
        elif try_collapse(limbs, soft, 1e9, UPRIGHT, c, vertex, across, corner, x, normal, size):
            living -= 1
        else:
            tried[c] = 1
    return living
