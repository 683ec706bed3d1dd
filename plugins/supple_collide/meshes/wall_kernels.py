"""Walls of a hollow: faces of a mesh that a ball is beside of, and may run into within the step."""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple.math.vector_kernels import dot, length
from supple_collide.kernel_arrays import Faces
from supple_collide.meshes.point_kernels import CANDIDATES
from supple_collide.meshes.triangle_kernels import (
    EDGE_CODE,
    FACE,
    FACE_CODE,
    FLAT,
    find_closest_weights,
    find_face_normal,
    place_weights,
)


@njit
def find_way_to_wall(x, triangles, t, ax, ay, az, px, py, pz, radius, slack):
    """How far the ball about p may go along the face with normal a until it meets triangle t: (way, normal, height).

    The way is infinite if the ball is above t already, is not in front of its plane, or meets the plane beside t by
    more than `slack` [m]. `height` is that of p above the plane.
    """
    nx, ny, nz = find_face_normal(x, triangles, t)
    corner = triangles[t, 0]
    height = dot(nx, ny, nz, px - x[corner, 0], py - x[corner, 1], pz - x[corner, 2])
    along = dot(nx, ny, nz, ax, ay, az)
    sine = math.sqrt(max(0.0, 1.0 - along * along))
    if height < radius or sine < FLAT or find_closest_weights(x, triangles, t, px, py, pz)[0] == FACE:
        return math.inf, nx, ny, nz, height
    way = (height - radius) / sine
    # Where the ball touches the plane then: its centre has gone against n, as far as n lies in the face.
    fx = px - way * (nx - along * ax) / sine - radius * nx
    fy = py - way * (ny - along * ay) / sine - radius * ny
    fz = pz - way * (nz - along * az) / sine - radius * nz
    _, wa, wb, wc = find_closest_weights(x, triangles, t, fx, fy, fz)
    qx, qy, qz = place_weights(x, triangles, t, wa, wb, wc)
    beside = length(fx - qx, fy - qy, fz - qz) > slack
    return math.inf if beside else way, nx, ny, nz, height


@njit
def add_walls(faces: Faces, near, seen, px, py, pz, radius, limit, slack, count, codes_inout, values_inout):
    """Add to the candidates of a ball outside a rigid mesh the walls that it may reach; returns the new count.

    A ball in a hollow touches the face below it alone until it has run into the next one: the distance to that has no
    minimum of its own before. So every face that the ball meets within `limit` [m], going on along a face that it is
    above, counts by its plane. Where the surface bends away, the ball would meet the plane beside the face: edges that
    stick out are no walls.
    """
    x, triangles, facet = faces.x, faces.triangles, faces.facet
    found = count
    for c in range(count):
        if codes_inout[c, 0] >= EDGE_CODE:
            continue
        ax, ay, az = values_inout[c, 0], values_inout[c, 1], values_inout[c, 2]
        for place in range(seen):
            t, known = near[place], found == CANDIDATES
            for other in range(found):
                known = known or codes_inout[other, 0] == FACE_CODE + facet[t]
            if known:
                continue
            way, nx, ny, nz, height = find_way_to_wall(x, triangles, t, ax, ay, az, px, py, pz, radius, slack)
            if way > limit:
                continue
            _, wa, wb, wc = find_closest_weights(x, triangles, t, px, py, pz)
            codes_inout[found, 0], codes_inout[found, 1] = FACE_CODE + facet[t], t
            values = values_inout[found]
            values[0], values[1], values[2], values[3], values[4] = nx, ny, nz, height, height
            values[5], values[6], values[7] = wa, wb, wc
            found += 1
    return found
