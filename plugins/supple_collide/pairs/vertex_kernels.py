"""Contacts of the vertices of a mesh with the triangles of another one, or of the same."""

from __future__ import annotations

import math

import numpy as np

from supple.core.jit import njit, njit_inlined
from supple.math.vector_kernels import cross, dot, length
from supple_collide.kernel_arrays import Faces, Found, Raw, Reaches
from supple_collide.meshes.triangle_kernels import (
    EDGE_CODE,
    FACE,
    FACE_CODE,
    OTHER_CODE,
    VERTEX_CODE,
    are_flat,
    find_closest_weights,
    find_face_normal,
    is_at_rim,
    is_lowest,
    judge_feature,
    place_weights,
    subtract,
    sum_vertex_normals,
)
from supple_collide.pairs.raw_kernels import add_raw, set_corner, set_weights
from supple_collide.primitives.manifold_kernels import ONE, ZERO

# Columns of the candidates: the vertex, code and triangle; and normal, signed distance, distance, weights, and
# whether the vertex is beside the face rather than above it, and how far away it may be to touch.
FOUND_IDS, FOUND_VALUES = 3, 10
# The bits of `owns` that stand for corners.
CORNERS = np.int64(7)


@njit
def are_neighbours(triangles, vertex_first, vertex_triangle, v, t):
    """Whether triangle t has vertex v or a vertex that an edge joins to v."""
    for place in range(vertex_first[v], vertex_first[v + 1]):
        near = vertex_triangle[place]
        for i in range(3):
            for j in range(3):
                if triangles[near, i] == triangles[t, j]:
                    return True
    return False


@njit
def is_near_bend(faces: Faces, t, wa, wb, wc, slack, fx, fy, fz):
    """Whether the surface bends or ends within `slack` [m] of the point of triangle t with these weights."""
    x, triangles, neighbour = faces.x, faces.triangles, faces.neighbour
    vertex_first, vertex_triangle = faces.vertex_first, faces.vertex_triangle
    a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
    ux, uy, uz = subtract(x, b, a)
    vx, vy, vz = subtract(x, c, a)
    wx, wy, wz = vx - ux, vy - uy, vz - uz
    nx, ny, nz = cross(ux, uy, uz, vx, vy, vz)
    # Distances from the edges are w area / edge; their squares need no roots.
    area = dot(nx, ny, nz, nx, ny, nz)
    near_bc = wa * wa * area <= slack * slack * dot(wx, wy, wz, wx, wy, wz)
    near_ca = wb * wb * area <= slack * slack * dot(vx, vy, vz, vx, vy, vz)
    near_ab = wc * wc * area <= slack * slack * dot(ux, uy, uz, ux, uy, uz)
    for k in range(3):
        if (k == 0 and near_ab) or (k == 1 and near_bc) or (k == 2 and near_ca):
            other = neighbour[t, k]
            if other < 0:
                return True
            gx, gy, gz = find_face_normal(x, triangles, other)
            if not are_flat(fx, fy, fz, gx, gy, gz):
                return True
    if not ((near_ab and near_bc) or (near_bc and near_ca) or (near_ca and near_ab)):
        return False
    # At a corner the surface may bend at edges of other triangles.
    v = a if near_ca and near_ab else (b if near_ab else c)
    flat = sum_vertex_normals(x, triangles, vertex_first, vertex_triangle, v)[3]
    return not flat or is_at_rim(triangles, neighbour, vertex_first, vertex_triangle, v)


@njit_inlined
def judge_vertex(faces: Faces, v, t, scale, slack, within):
    """What vertex v finds at triangle t of another mesh, nearer than `within` [m].

    Returns (touches, code, normal, signed distance, distance, weights, beside). Beside a face by less than
    `slack` [m] it counts as above it. There, and at edges and corners, it touches only what v sticks out towards:
    so that faces that lie edge on edge have the normal of the faces. A face that v is only beside of, in front
    of its plane, may be a wall that v is about to run into: `add_vertex_contacts` decides.
    """
    x, triangles, facet = faces.x, faces.triangles, faces.facet
    vertex_first, vertex_triangle = faces.vertex_first, faces.vertex_triangle
    px, py, pz = x[v, 0], x[v, 1], x[v, 2]
    region, wa, wb, wc = find_closest_weights(x, triangles, t, px, py, pz)
    qx, qy, qz = place_weights(x, triangles, t, wa, wb, wc)
    dx, dy, dz = px - qx, py - qy, pz - qz
    distance = length(dx, dy, dz)
    if distance > within:
        return False, ZERO, 0.0, 0.0, 0.0, 0.0, 0.0, wa, wb, wc, 0.0
    fx, fy, fz = find_face_normal(x, triangles, t)
    above = dot(fx, fy, fz, dx, dy, dz)
    touches, code, nx, ny, nz, signed = True, FACE_CODE + facet[t], fx, fy, fz, above
    if region != FACE:
        beside = length(dx - above * fx, dy - above * fy, dz - above * fz)
        if beside <= slack and is_lowest(x, triangles, vertex_first, vertex_triangle, v, fx, fy, fz):
            return True, code, fx, fy, fz, above, distance, wa, wb, wc, 0.0
        touches, code, nx, ny, nz, signed = judge_feature(faces, t, region, qx, qy, qz, dx, dy, dz, scale)
    if not touches:
        code = ZERO
    elif code >= EDGE_CODE or is_near_bend(faces, t, wa, wb, wc, slack, fx, fy, fz):
        touches = is_lowest(x, triangles, vertex_first, vertex_triangle, v, nx, ny, nz)
        if not touches:
            code = OTHER_CODE
    if not touches and above > slack:
        return True, FACE_CODE + facet[t], fx, fy, fz, above, distance, wa, wb, wc, 1.0
    return touches, code, nx, ny, nz, signed, distance, wa, wb, wc, 0.0


@njit
def is_vertex_near(x, v, triangle_bounds, t, within):
    """Whether a vertex lies within `within` [m] of a triangle's box."""
    # No short cuts here and below: which comparison fails is hard to predict.
    near_x = (x[v, 0] >= triangle_bounds[t, 0] - within) & (x[v, 0] <= triangle_bounds[t, 3] + within)
    near_y = (x[v, 1] >= triangle_bounds[t, 1] - within) & (x[v, 1] <= triangle_bounds[t, 4] + within)
    near_z = (x[v, 2] >= triangle_bounds[t, 2] - within) & (x[v, 2] <= triangle_bounds[t, 5] + within)
    return near_x & near_y & near_z


@njit_inlined
def add_found(faces: Faces, v, t, scale, slack, within, reach, count, found_inout: Found):
    """Add the candidate of vertex v with triangle t, if there is one; the new number of candidates.

    It is seen `within` [m], and touches if it is apart by `reach` [m] at most.
    """
    touches, code, nx, ny, nz, signed, distance, wa, wb, wc, beside = judge_vertex(
        faces, v, t, scale, slack, within
    )
    # What v is behind of but does not stick out towards is kept too: it may be the nearest of all.
    if not touches and (code != OTHER_CODE or signed >= 0.0):
        return count
    if count < found_inout.ids.shape[0]:
        ids, values = found_inout.ids[count], found_inout.values[count]
        ids[0], ids[1], ids[2] = v, code, t
        values[0], values[1], values[2], values[3], values[4] = nx, ny, nz, signed, distance
        values[5], values[6], values[7], values[8], values[9] = wa, wb, wc, beside, reach
        found_inout.link[count] = found_inout.head[v]
        found_inout.head[v] = count
        found_inout.nearest[v] = min(found_inout.nearest[v], distance)
    return count + 1


@njit_inlined
def gather_vertices(
    faces: Faces, triangle_bounds, reaches: Reaches, pairs, pair_count, side, scale, slack, limit, least,
    checks_neighbours, found_inout: Found,
):  # fmt: skip
    """Candidates of the vertices of triangles pairs[:, side] with the triangles of the other column.

    They touch within `limit` [m] less what vertex and triangle fall short of it. They are seen from `least` [m] on,
    whatever that is: behind a surface, too. Triangles that hang together with a vertex are left out if it
    `checks_neighbours`. Every vertex is looked at through the triangle that owns it (bit k of owns[t]). Of found_inout,
    nearest [nv] must be infinite and head [nv] -1; they get the nearest distance and the first candidate of every
    vertex, link the next one. Returns how many candidates there are; those beyond the room are not written.
    """
    x, triangles, owns = faces.x, faces.triangles, faces.owns
    vertex_short, triangle_short = reaches.vertex_short, reaches.triangle_short
    count = ZERO
    for row in range(pair_count):
        own, t = pairs[row, side], pairs[row, 1 - side]
        if owns[own] & CORNERS == 0:
            continue
        for k in range(3):
            if owns[own] & (1 << k) == 0:
                continue
            v = triangles[own, k]
            reach = limit - vertex_short[v] - triangle_short[t]
            within = max(least, reach)
            if not is_vertex_near(x, v, triangle_bounds, t, within):
                continue
            if checks_neighbours and are_neighbours(
                triangles, faces.vertex_first, faces.vertex_triangle, v, t
            ):  # fmt: skip
                continue
            count = add_found(faces, v, t, scale, slack, within, reach, count, found_inout)
    return count


@njit
def is_repeated(found_ids, found_values, link, head, c):
    """Whether an earlier candidate of the same vertex has the same feature (seen from another triangle)."""
    other = head
    while other >= 0:
        same = found_ids[other, 1] == found_ids[c, 1]
        nearer = found_values[other, 4] < found_values[c, 4]
        if same and other != c and (nearer or (found_values[other, 4] == found_values[c, 4] and other < c)):
            return True
        other = link[other]
    return False


@njit
def bends_away(x, triangles, found_ids, found_values, c, other, slack):
    """Whether candidate `other` of the same vertex is a face as near that bends away from the face of candidate c.

    A face that the vertex is only beside of matters to one that it is above only if it is behind that one.
    """
    if found_ids[other, 1] >= EDGE_CODE or found_ids[other, 1] == found_ids[c, 1]:
        return False
    beside = found_values[other, 8] != 0.0 and found_values[c, 8] == 0.0
    if found_values[other, 4] > found_values[c, 4] + slack or (beside and found_values[c, 3] >= 0.0):
        return False
    px, py, pz = place_weights(x, triangles, found_ids[other, 2], 1 / 3, 1 / 3, 1 / 3)
    corner = triangles[found_ids[c, 2], 0]
    nx, ny, nz = found_values[c, 0], found_values[c, 1], found_values[c, 2]
    return dot(nx, ny, nz, px - x[corner, 0], py - x[corner, 1], pz - x[corner, 2]) < 0.0


@njit
def is_beside_farther_face(x, triangles, found_ids, found_values, link, head, c, slack):
    """Whether the same vertex is farther in front of a face as near that bends away from the face of candidate c.

    Beside an edge or a tip that sticks out, the faces around it are no walls: the farthest one decides, and
    among faces that are equally far, up to `slack` [m], the one with the lowest code.
    """
    if found_ids[c, 1] >= EDGE_CODE:
        return False
    farthest, other = found_values[c, 3], head
    while other >= 0:
        if bends_away(x, triangles, found_ids, found_values, c, other, slack):
            farthest = max(farthest, found_values[other, 3])
        other = link[other]
    if farthest > found_values[c, 3] + slack:
        return True
    other = head
    while other >= 0:
        tie = found_ids[other, 1] < found_ids[c, 1] and found_values[other, 3] >= farthest - slack
        no_more_beside = found_values[other, 8] <= found_values[c, 8]
        if tie and no_more_beside and bends_away(x, triangles, found_ids, found_values, c, other, slack):
            return True
        other = link[other]
    return False


@njit
def is_in_front(x, triangles, t, other, slack):
    """Whether all corners of triangle `other` lie in front of the plane of triangle t, up to `slack` [m]."""
    nx, ny, nz = find_face_normal(x, triangles, t)
    corner = triangles[t, 0]
    for k in range(3):
        ox, oy, oz = subtract(x, triangles[other, k], corner)
        if dot(nx, ny, nz, ox, oy, oz) < -slack:
            return False
    return True


@njit
def is_wall(x, triangles, found_ids, found_values, link, head, c, slack):
    """Whether the face of candidate c, which its vertex is beside of, rises from the faces below the vertex.

    In a concave corner the vertex stays in front of both planes wherever it goes.
    """
    t, other, concave = found_ids[c, 2], head, False
    while other >= 0:
        if found_ids[other, 1] < EDGE_CODE and found_values[other, 8] == 0.0:
            below = found_ids[other, 2]
            concave = is_in_front(x, triangles, t, below, slack) and is_in_front(
                x, triangles, below, t, slack
            )
            if not concave:
                return False
        other = link[other]
    return concave


@njit_inlined
def add_vertex_contacts(
    faces: Faces, first, second, side, depth, slack, distinct, candidates, found_inout: Found, count, raw_out: Raw
):  # fmt: skip
    """Contacts from the candidates of vertices (first side); returns the new count and clears the heads.

    Behind a surface only the nearest feature counts, up to `slack`, and only to `depth` [m]. Corner on corner
    is found from both sides, and taken from side 0 if the two meshes are `distinct`.
    """
    x, triangles, vertex_first, vertex_triangle = (
        faces.x,
        faces.triangles,
        faces.vertex_first,
        faces.vertex_triangle,
    )
    nearest, head, link = found_inout.nearest, found_inout.head, found_inout.link
    found_ids, found_values = found_inout.ids, found_inout.values
    for c in range(candidates):
        if found_ids[c, 1] == OTHER_CODE:
            continue
        v, signed, distance = found_ids[c, 0], found_values[c, 3], found_values[c, 4]
        if signed > found_values[c, 9] or (
            signed < 0.0 and (distance > nearest[v] + slack or -signed > depth)
        ):
            continue
        if distinct and side == 1 and found_ids[c, 1] >= VERTEX_CODE:
            continue
        if is_repeated(found_ids, found_values, link, head[v], c):
            continue
        if is_beside_farther_face(x, triangles, found_ids, found_values, link, head[v], c, slack):
            continue
        beside = found_values[c, 8] != 0.0
        if beside and not is_wall(x, triangles, found_ids, found_values, link, head[v], c, slack):
            continue
        nx, ny, nz = found_values[c, 0], found_values[c, 1], found_values[c, 2]
        own = vertex_triangle[vertex_first[v]]
        count = add_raw(
            first, second, VERTEX_CODE + v, found_ids[c, 1], own, found_ids[c, 2],
            x[v, 0] - signed * nx, x[v, 1] - signed * ny, x[v, 2] - signed * nz, nx, ny, nz, signed,
            count, raw_out,
        )  # fmt: skip
        set_corner(triangles, ZERO, own, v, count - 1, raw_out.values)
        set_weights(
            ONE, found_values[c, 5], found_values[c, 6], found_values[c, 7], count - 1, raw_out.values
        )
    for c in range(candidates):
        nearest[found_ids[c, 0]], head[found_ids[c, 0]] = math.inf, -1
    return count


@njit
def forget_candidates(nearest_out, head_out):
    """Make ready the scratch of `gather_vertices`."""
    for v in range(head_out.size):
        nearest_out[v], head_out[v] = math.inf, np.int64(-1)
