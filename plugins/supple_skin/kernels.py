"""Skins: vertices follow bones, and points on triangles become rows on joints; equations in README.md."""

from __future__ import annotations

import math

from supple.core.jit import njit, njit_inlined
from supple.math.quaternion_kernels import rotate_vector_at
from supple.math.vector_kernels import cross
from supple.mechanics.jacobian import Jacobian
from supple.mechanics.points import SurfacePoints
from supple_bones.layout import DOF_PARENT, FOLLOWS, LAST_DOF, ROOT, ROW_COUNT, ROW_FIRST, V_FIRST, WINDOW
from supple_bones.row_kernels import append_block
from supple_skin.tables import BonePoses, SkinBlend


@njit
def place_vertices(blend: SkinBlend, position, rotation, x_out):
    """x_out = sum of the places where the bones would carry each vertex: README eq. (1)."""
    vertex_bone, weight, local = blend.bone, blend.weight, blend.local
    for i in range(vertex_bone.shape[0]):
        x, y, z = 0.0, 0.0, 0.0
        for n in range(vertex_bone.shape[1]):
            b = vertex_bone[i, n]
            if b >= 0:
                rx, ry, rz = rotate_vector_at(rotation, b, local[i, n, 0], local[i, n, 1], local[i, n, 2])
                x += weight[i, n] * (position[b, 0] + rx)
                y += weight[i, n] * (position[b, 1] + ry)
                z += weight[i, n] * (position[b, 2] + rz)
        x_out[i, 0] = x
        x_out[i, 1] = y
        x_out[i, 2] = z


@njit
def move_vertices(blend: SkinBlend, fastest, rotation, twist, v_out):
    """Velocities of the vertices, cut to `fastest` [m/s]; twist has the angular velocity in the frame of the bone."""
    vertex_bone, weight, local = blend.bone, blend.weight, blend.local
    for i in range(vertex_bone.shape[0]):
        u, v, w = 0.0, 0.0, 0.0
        for n in range(vertex_bone.shape[1]):
            b = vertex_bone[i, n]
            if b >= 0:
                sx, sy, sz = cross(
                    twist[b, 3], twist[b, 4], twist[b, 5], local[i, n, 0], local[i, n, 1], local[i, n, 2]
                )
                sx, sy, sz = rotate_vector_at(rotation, b, sx, sy, sz)
                u += weight[i, n] * (twist[b, 0] + sx)
                v += weight[i, n] * (twist[b, 1] + sy)
                w += weight[i, n] * (twist[b, 2] + sz)
        speed = math.sqrt(u * u + v * v + w * w)
        scale = fastest / speed if speed > fastest else 1.0
        v_out[i, 0] = scale * u
        v_out[i, 1] = scale * v
        v_out[i, 2] = scale * w


@njit_inlined
def add_carried_point(bones: BonePoses, b, share, px, py, pz, directions, c, block, values_out):
    """Add `share` of the rows of the point p that moves with bone b: README eq. (2)."""
    bone, dof, axis, x = bones.bone, bones.dof, bones.axis, bones.x
    root, first = bone[b, ROOT], bone[b, WINDOW]
    rx, ry, rz = px - x[root, 0], py - x[root, 1], pz - x[root, 2]
    k = bone[b, LAST_DOF]
    while k >= 0:
        sx, sy, sz = cross(axis[k, 3], axis[k, 4], axis[k, 5], rx, ry, rz)
        sx, sy, sz = share * (sx + axis[k, 0]), share * (sy + axis[k, 1]), share * (sz + axis[k, 2])
        for row in range(3):
            values_out[block, row, k - first] += (
                directions[c, row, 0] * sx + directions[c, row, 1] * sy + directions[c, row, 2] * sz
            )
        k = dof[k, DOF_PARENT]
    if bone[b, FOLLOWS] >= 0:
        for local in range(bone[b, ROW_COUNT]):
            k, column = bone[b, ROW_FIRST] + local, bone[b, V_FIRST] + local - first
            sx, sy, sz = cross(axis[k, 3], axis[k, 4], axis[k, 5], rx, ry, rz)
            sx, sy, sz = share * (sx + axis[k, 0]), share * (sy + axis[k, 1]), share * (sz + axis[k, 2])
            for row in range(3):
                values_out[block, row, column] += (
                    directions[c, row, 0] * sx + directions[c, row, 1] * sy + directions[c, row, 2] * sz
                )


@njit
def add_skin_blocks(
    bones: BonePoses, blend: SkinBlend, triangles, points: SurfacePoints, blocks_out: Jacobian
):
    """One block for every point on this skin, dense over the rates of its ghost: README eq. (2)."""
    vertex_bone, weight, local, x = blend.bone, blend.weight, blend.local, bones.x
    for p in range(points.span[0], points.span[1]):
        triangle = points.element[p]
        block = append_block(bones.bone, vertex_bone[triangles[triangle, 0], 0], points.group[p], blocks_out)
        for corner in range(3):
            share = points.sign[p] * points.weights[p, corner]
            if share == 0.0:
                continue
            i = triangles[triangle, corner]
            for n in range(vertex_bone.shape[1]):
                b = vertex_bone[i, n]
                if b >= 0:
                    px, py, pz = rotate_vector_at(
                        bones.rotation, b, local[i, n, 0], local[i, n, 1], local[i, n, 2]
                    )
                    add_carried_point(
                        bones, b, share * weight[i, n], px + x[b, 0], py + x[b, 1], pz + x[b, 2],
                        points.directions, p, block, blocks_out.values,
                    )  # fmt: skip


@njit
def observe_contacts(number, count, surface, gap, force, observed_out):
    """Contacts of a skin, those that carry force, the sum of the forces' sizes [N], and the deepest [m]."""
    for column in range(observed_out.shape[0]):
        observed_out[column] = 0.0
    for c in range(count[0]):
        for side in range(2):
            if surface[c, side] == number:
                size = math.sqrt(force[c, 0] ** 2 + force[c, 1] ** 2 + force[c, 2] ** 2)
                observed_out[0] += 1.0
                observed_out[1] += size > 0.0
                observed_out[2] += size
                observed_out[3] = max(observed_out[3], -gap[c])
