"""Inertias of bones in the world, composite inertias, and the mass matrix; README eq. (6) to (9).

own [bones, 10]        inertia of every bone about the point O of its chain, in world axes
composite [bones, 10]  the same of a bone and all that hangs on it, as one rigid body
"""

from __future__ import annotations

import numpy as np

from supple.core.jit import njit
from supple.math.quaternion_kernels import matrix_of_quaternion_at
from supple_bones.layout import (
    BONE,
    DEPTH,
    DOF_PARENT,
    FOLLOWS,
    PARENT,
    ROOT,
    ROW,
    ROW_COUNT,
    ROW_FIRST,
    RUN,
    V_FIRST,
)
from supple_bones.spatial_kernels import apply_inertia, dot_axis


@njit
def carry_inertias(bone, inertia, x, rotation, own_out):
    """Inertia of every bone about O in world axes, README eq. (6)."""
    for i in range(bone.shape[0]):
        root = bone[i, ROOT]
        r00, r01, r02, r10, r11, r12, r20, r21, r22 = matrix_of_quaternion_at(rotation, i)
        m = inertia[i, 0]
        p0 = r00 * inertia[i, 1] + r01 * inertia[i, 2] + r02 * inertia[i, 3]
        p1 = r10 * inertia[i, 1] + r11 * inertia[i, 2] + r12 * inertia[i, 3]
        p2 = r20 * inertia[i, 1] + r21 * inertia[i, 2] + r22 * inertia[i, 3]
        xx, yy, zz = inertia[i, 4], inertia[i, 5], inertia[i, 6]
        xy, xz, yz = inertia[i, 7], inertia[i, 8], inertia[i, 9]
        # T = R I, then T R^T
        t00 = r00 * xx + r01 * xy + r02 * xz
        t01 = r00 * xy + r01 * yy + r02 * yz
        t02 = r00 * xz + r01 * yz + r02 * zz
        t10 = r10 * xx + r11 * xy + r12 * xz
        t11 = r10 * xy + r11 * yy + r12 * yz
        t12 = r10 * xz + r11 * yz + r12 * zz
        t20 = r20 * xx + r21 * xy + r22 * xz
        t21 = r20 * xy + r21 * yy + r22 * yz
        t22 = r20 * xz + r21 * yz + r22 * zz
        d0, d1, d2 = x[i, 0] - x[root, 0], x[i, 1] - x[root, 1], x[i, 2] - x[root, 2]
        # Moving the reference by d: 2 (d . p) - d p^T - p d^T, with p of the bone moved half of the way.
        s0, s1, s2 = p0 + 0.5 * m * d0, p1 + 0.5 * m * d1, p2 + 0.5 * m * d2
        own_out[i, 0] = m
        own_out[i, 1] = p0 + m * d0
        own_out[i, 2] = p1 + m * d1
        own_out[i, 3] = p2 + m * d2
        own_out[i, 4] = t00 * r00 + t01 * r01 + t02 * r02 + 2.0 * (d1 * s1 + d2 * s2)
        own_out[i, 5] = t10 * r10 + t11 * r11 + t12 * r12 + 2.0 * (d0 * s0 + d2 * s2)
        own_out[i, 6] = t20 * r20 + t21 * r21 + t22 * r22 + 2.0 * (d0 * s0 + d1 * s1)
        own_out[i, 7] = t00 * r10 + t01 * r11 + t02 * r12 - d0 * s1 - s0 * d1
        own_out[i, 8] = t00 * r20 + t01 * r21 + t02 * r22 - d0 * s2 - s0 * d2
        own_out[i, 9] = t10 * r20 + t11 * r21 + t12 * r22 - d1 * s2 - s1 * d2


@njit
def add_composites(bone, own, composite_out):
    """Inertia of every bone with all that hangs on it, README eq. (8): they share O, so they just add up."""
    for i in range(bone.shape[0]):
        for c in range(10):
            composite_out[i, c] = own[i, c]
    for i in range(bone.shape[0] - 1, -1, -1):
        parent = bone[i, PARENT]
        if parent >= 0:
            for c in range(10):
                composite_out[parent, c] += composite_out[i, c]


@njit
def fill_mass_matrix(dof, armature, axis, composite, matrix_out):
    """Mass matrix with armature as a chain matrix: row k holds k and its ancestors; README eq. (9)."""
    one = np.uint64(1)
    for k in range(dof.shape[0]):
        f0, f1, f2, f3, f4, f5 = apply_inertia(
            composite, dof[k, BONE], axis[k, 0], axis[k, 1], axis[k, 2], axis[k, 3], axis[k, 4], axis[k, 5]
        )
        place, j = np.uint64(dof[k, ROW]), dof[k, DOF_PARENT]
        matrix_out[place] = dot_axis(axis, k, f0, f1, f2, f3, f4, f5) + armature[k]
        while j >= 0:
            run = dof[j, RUN]
            for t in range(run):
                place += one
                matrix_out[place] = dot_axis(axis, np.uint64(j - t), f0, f1, f2, f3, f4, f5)
            j = dof[j - run + 1, DOF_PARENT]


@njit
def add_followers(bone, dof, axis, composite, matrix_out):
    """What followers add to the rates of the bones that they follow, and to those above; README eq. (23)."""
    for i in range(bone.shape[0] - 1, -1, -1):
        if bone[i, FOLLOWS] < 0:
            return
        for local in range(bone[i, ROW_COUNT]):
            e = bone[i, ROW_FIRST] + local
            f0, f1, f2, f3, f4, f5 = apply_inertia(
                composite, i, axis[e, 0], axis[e, 1], axis[e, 2], axis[e, 3], axis[e, 4], axis[e, 5]
            )
            place = dof[bone[i, V_FIRST] + local, ROW]
            for own in range(local + 1):
                matrix_out[place + own] += dot_axis(axis, e - own, f0, f1, f2, f3, f4, f5)
            place += local + 1
            j = dof[bone[i, V_FIRST], DOF_PARENT]
            while j >= 0:
                matrix_out[place] += dot_axis(axis, j, f0, f1, f2, f3, f4, f5)
                place += 1
                j = dof[j, DOF_PARENT]


@njit
def make_mass_matrix(
    bone, dof, inertia, armature, x, rotation, axis,
    own_out, composite_out, matrix_out,
):  # fmt: skip
    """Own and composite inertias, and the mass matrix in chain form."""
    carry_inertias(bone, inertia, x, rotation, own_out)
    add_composites(bone, own_out, composite_out)
    fill_mass_matrix(dof, armature, axis, composite_out, matrix_out)
    add_followers(bone, dof, axis, composite_out, matrix_out)


@njit
def spread_chain_matrix(dof, matrix, dense_out):
    """The dense symmetric matrix of a chain matrix; entries off the chains are left alone."""
    for k in range(dof.shape[0]):
        j = k
        for t in range(dof[k, DEPTH] + 1):
            dense_out[k, j] = matrix[dof[k, ROW] + t]
            dense_out[j, k] = matrix[dof[k, ROW] + t]
            j = dof[j, DOF_PARENT]
