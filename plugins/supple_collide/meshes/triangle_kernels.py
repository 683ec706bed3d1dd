"""Triangles of a mesh: closest points, normals of their features, and which feature of a mesh is nearest.

A mesh is given by its vertices x [nv, 3] in the world [m], triangles [nt, 3] (corners counter-clockwise seen
from outside), neighbour [nt, 3] (the triangle across edge k, which joins corners k and k + 1; -1 at a rim) and
the triangles around every vertex: vertex_triangle[vertex_first[v] : vertex_first[v + 1]], in rising order.
"""

from __future__ import annotations

import math

import numpy as np

from supple.core.jit import njit, njit_inlined
from supple.math.vector_kernels import cross, dot, length, normalise
from supple_collide.kernel_arrays import Faces

# Where the closest point of a triangle lies: inside, on edge EDGE + k, at corner VERTEX + k.
FACE, EDGE, VERTEX = np.int64(0), np.int64(1), np.int64(4)
# Codes of features, for the identity of contacts: kind of feature, then its number.
NUMBER_BITS = 28
FACE_CODE, EDGE_CODE, VERTEX_CODE, OTHER_CODE = (np.int64(kind << NUMBER_BITS) for kind in range(4))
# Triangles that meet at less than this angle [rad] are one face.
FLAT = 1e-4
# Faces and edges that lean by less than this angle [rad] rest on each other.
FLUSH = 5e-3
# Rounding in the test whether another triangle comes nearer, as a cosine.
NEARER = 1e-9
# Closer than this part of the coordinates' size a distance has no direction of its own.
TOUCHING = 1e-9


@njit
def subtract(x, i, j):
    """x[i] - x[j] as (x, y, z)."""
    return x[i, 0] - x[j, 0], x[i, 1] - x[j, 1], x[i, 2] - x[j, 2]


@njit
def find_face_normal(x, triangles, t):
    """The unit normal of a triangle; zero if its corners lie on a line."""
    a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
    ux, uy, uz = subtract(x, b, a)
    vx, vy, vz = subtract(x, c, a)
    nx, ny, nz, _ = normalise(*cross(ux, uy, uz, vx, vy, vz))
    return nx, ny, nz


@njit_inlined
def find_closest_weights(x, triangles, t, px, py, pz):
    """Barycentric weights of the point of triangle t nearest to p, and where it lies: (region, a, b, c)."""
    a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
    ux, uy, uz = subtract(x, b, a)
    vx, vy, vz = subtract(x, c, a)
    wx, wy, wz = px - x[a, 0], py - x[a, 1], pz - x[a, 2]
    u_u, u_v, v_v = dot(ux, uy, uz, ux, uy, uz), dot(ux, uy, uz, vx, vy, vz), dot(vx, vy, vz, vx, vy, vz)
    # Distances of p along the two edges, as seen from each of the three corners.
    u_a, v_a = dot(ux, uy, uz, wx, wy, wz), dot(vx, vy, vz, wx, wy, wz)
    u_b, v_b = u_a - u_u, v_a - u_v
    u_c, v_c = u_a - u_v, v_a - v_v
    if u_a <= 0.0 and v_a <= 0.0:
        return VERTEX, 1.0, 0.0, 0.0
    if u_b >= 0.0 and v_b <= u_b:
        return VERTEX + 1, 0.0, 1.0, 0.0
    if v_c >= 0.0 and u_c <= v_c:
        return VERTEX + 2, 0.0, 0.0, 1.0
    area_c = u_a * v_b - u_b * v_a
    if area_c <= 0.0 and u_a >= 0.0 and u_b <= 0.0:
        s = u_a / (u_a - u_b)
        return EDGE, 1.0 - s, s, 0.0
    area_b = u_c * v_a - u_a * v_c
    if area_b <= 0.0 and v_a >= 0.0 and v_c <= 0.0:
        s = v_a / (v_a - v_c)
        return EDGE + 2, 1.0 - s, 0.0, s
    area_a = u_b * v_c - u_c * v_b
    if area_a <= 0.0 and v_b >= u_b and u_c >= v_c:
        s = (v_b - u_b) / ((v_b - u_b) + (u_c - v_c))
        return EDGE + 1, 0.0, 1.0 - s, s
    whole = area_a + area_b + area_c
    return FACE, area_a / whole, area_b / whole, area_c / whole


@njit
def place_weights(x, triangles, t, wa, wb, wc):
    """The point of triangle t with these barycentric weights."""
    a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
    return (
        wa * x[a, 0] + wb * x[b, 0] + wc * x[c, 0],
        wa * x[a, 1] + wb * x[b, 1] + wc * x[c, 1],
        wa * x[a, 2] + wb * x[b, 2] + wc * x[c, 2],
    )


@njit
def find_opposite_corner(triangles, t, i, j):
    """Which corner (0, 1, 2) of triangle t is neither vertex i nor vertex j."""
    if triangles[t, 0] != i and triangles[t, 0] != j:
        return 0
    return 1 if triangles[t, 1] != i and triangles[t, 1] != j else 2


@njit
def name_edge(triangles, neighbour, t, k):
    """The number of edge k of triangle t, the same from both of its triangles."""
    other = neighbour[t, k]
    if other < 0 or t < other:
        return 3 * t + k
    opposite = find_opposite_corner(triangles, other, triangles[t, k], triangles[t, (k + 1) % 3])
    return 3 * other + (opposite + 1) % 3


@njit
def are_flat(ax, ay, az, bx, by, bz):
    """Whether two unit normals belong to one face."""
    cx, cy, cz = cross(ax, ay, az, bx, by, bz)
    return dot(cx, cy, cz, cx, cy, cz) < FLAT * FLAT and dot(ax, ay, az, bx, by, bz) > 0.0


@njit
def find_direction(dx, dy, dz, scale, px, py, pz):
    """The outward unit normal along d, and the signed length of d; p is the pseudo-normal of the feature.

    d points outwards if it goes with p. A d that is shorter than rounding at `scale` [m] takes p's direction.
    """
    distance = length(dx, dy, dz)
    sign = 1.0 if dot(dx, dy, dz, px, py, pz) >= 0.0 else -1.0
    if distance > TOUCHING * scale:
        return sign * dx / distance, sign * dy / distance, sign * dz / distance, sign * distance
    nx, ny, nz, _ = normalise(px, py, pz)
    return nx, ny, nz, sign * distance


@njit
def judge_edge(x, triangles, neighbour, facet, t, k, qx, qy, qz, dx, dy, dz, scale):
    """`judge_feature` for edge k of triangle t."""
    fx, fy, fz = find_face_normal(x, triangles, t)
    other = neighbour[t, k]
    if other < 0:  # behind a rim there is nothing
        nx, ny, nz, signed = find_direction(dx, dy, dz, scale, fx, fy, fz)
        return signed >= 0.0, EDGE_CODE + 3 * t + k, nx, ny, nz, signed
    gx, gy, gz = find_face_normal(x, triangles, other)
    corner = find_opposite_corner(triangles, other, triangles[t, k], triangles[t, (k + 1) % 3])
    o = triangles[other, corner]
    ox, oy, oz = x[o, 0] - qx, x[o, 1] - qy, x[o, 2] - qz
    limit = NEARER * length(dx, dy, dz) * length(ox, oy, oz)
    nearest = dot(dx, dy, dz, ox, oy, oz) <= limit
    if are_flat(fx, fy, fz, gx, gy, gz):
        return nearest, FACE_CODE + facet[t], fx, fy, fz, dot(fx, fy, fz, dx, dy, dz)
    code = EDGE_CODE + name_edge(triangles, neighbour, t, k)
    nx, ny, nz, signed = find_direction(dx, dy, dz, scale, fx + gx, fy + gy, fz + gz)
    return nearest, code, nx, ny, nz, signed


@njit
def sum_vertex_normals(x, triangles, vertex_first, vertex_triangle, v):
    """The normals of the triangles around a vertex, each weighted by its angle there; and whether all agree."""
    px, py, pz, flat = 0.0, 0.0, 0.0, True
    fx, fy, fz = find_face_normal(x, triangles, vertex_triangle[vertex_first[v]])
    for place in range(vertex_first[v], vertex_first[v + 1]):
        t = vertex_triangle[place]
        k = 0 if triangles[t, 0] == v else (1 if triangles[t, 1] == v else 2)
        ax, ay, az = subtract(x, triangles[t, (k + 1) % 3], v)
        bx, by, bz = subtract(x, triangles[t, (k + 2) % 3], v)
        gx, gy, gz, sine = normalise(*cross(ax, ay, az, bx, by, bz))
        angle = math.atan2(sine, dot(ax, ay, az, bx, by, bz))
        px, py, pz = px + angle * gx, py + angle * gy, pz + angle * gz
        flat = flat and are_flat(fx, fy, fz, gx, gy, gz)
    return px, py, pz, flat


@njit
def is_vertex_nearest(x, triangles, vertex_first, vertex_triangle, v, dx, dy, dz):
    """Whether no edge that leaves vertex v comes nearer to the point at d from it."""
    distance = length(dx, dy, dz)
    for place in range(vertex_first[v], vertex_first[v + 1]):
        t = vertex_triangle[place]
        for k in range(3):
            if triangles[t, k] != v:
                ex, ey, ez = subtract(x, triangles[t, k], v)
                if dot(dx, dy, dz, ex, ey, ez) > NEARER * distance * length(ex, ey, ez):
                    return False
    return True


@njit
def is_lowest(x, triangles, vertex_first, vertex_triangle, v, nx, ny, nz):
    """Whether no edge that leaves vertex v goes down along n by more than the angle FLUSH."""
    for place in range(vertex_first[v], vertex_first[v + 1]):
        t = vertex_triangle[place]
        for k in range(3):
            if triangles[t, k] != v:
                ex, ey, ez = subtract(x, triangles[t, k], v)
                down = -dot(nx, ny, nz, ex, ey, ez)
                if down > 0.0 and down * down > FLUSH * FLUSH * dot(ex, ey, ez, ex, ey, ez):
                    return False
    return True


@njit
def is_at_rim(triangles, neighbour, vertex_first, vertex_triangle, v):
    """Whether an edge that leaves vertex v has only one triangle."""
    for place in range(vertex_first[v], vertex_first[v + 1]):
        t = vertex_triangle[place]
        for k in range(3):
            if neighbour[t, k] < 0 and (triangles[t, k] == v or triangles[t, (k + 1) % 3] == v):
                return True
    return False


@njit
def judge_feature(faces: Faces, t, region, qx, qy, qz, dx, dy, dz, scale):
    """What touches at the closest point q of triangle t; d leads from q to the point that is asked about.

    Returns (nearest, code, normal, signed distance): whether q is a local minimum of the distance to the whole
    mesh, the feature's code, the outward unit normal (three floats), and the distance [m], negative behind the
    surface. Edges and vertices within a flat face count as that face. `scale` [m] is the size of the mesh.
    """
    x, triangles, neighbour, facet = faces.x, faces.triangles, faces.neighbour, faces.facet
    vertex_first, vertex_triangle = faces.vertex_first, faces.vertex_triangle
    if region == FACE:
        fx, fy, fz = find_face_normal(x, triangles, t)
        return True, FACE_CODE + facet[t], fx, fy, fz, dot(fx, fy, fz, dx, dy, dz)
    if region < VERTEX:
        return judge_edge(x, triangles, neighbour, facet, t, region - EDGE, qx, qy, qz, dx, dy, dz, scale)
    v = triangles[t, region - VERTEX]
    nearest = is_vertex_nearest(x, triangles, vertex_first, vertex_triangle, v, dx, dy, dz)
    px, py, pz, flat = sum_vertex_normals(x, triangles, vertex_first, vertex_triangle, v)
    if flat:
        fx, fy, fz = find_face_normal(x, triangles, t)
        return nearest, FACE_CODE + facet[t], fx, fy, fz, dot(fx, fy, fz, dx, dy, dz)
    nx, ny, nz, signed = find_direction(dx, dy, dz, scale, px, py, pz)
    if signed < 0.0 and is_at_rim(triangles, neighbour, vertex_first, vertex_triangle, v):
        nearest = False
    return nearest, VERTEX_CODE + v, nx, ny, nz, signed
