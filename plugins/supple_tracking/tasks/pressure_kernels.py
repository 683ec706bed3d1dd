"""Centres of pressure of bones; README eq. (9) and (10)."""

from __future__ import annotations

from supple.core.jit import njit
from supple.math.quaternion_kernels import rotate_vector_at, rotate_vector_back_at
from supple.math.vector_kernels import cross, dot
from supple.mechanics.owners import Owners
from supple_bones.layout import DOF_PARENT, LAST_DOF, ROOT
from supple_tracking.pose.layout import STIFFNESS
from supple_tracking.tasks.tables import Limbs, Pads, PressingContacts


@njit
def observe_pressure(
    carrier, owners: Owners, contacts: PressingContacts, pad_of_bone, x, rotation, pads_out: Pads
):
    """Normal force on every pad [N], its centre in the frame of the pad's bone [m], and its vector in the world [N].

    The bones are the frames of `carrier`. Contact points, like x and rotation, are those of the step's start. A pad
    without force keeps its point.
    """
    surface, element = contacts.surface, contacts.element
    point, normal, force = contacts.point, contacts.normal, contacts.force
    for pad in range(pads_out.bone.shape[0]):
        total, cx, cy, cz, fx, fy, fz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for c in range(contacts.count[0]):
            nx, ny, nz = normal[c, 0], normal[c, 1], normal[c, 2]
            pressing = dot(force[c, 0], force[c, 1], force[c, 2], nx, ny, nz)
            for side in range(2):
                e = owners.first[surface[c, side]] + element[c, side]
                if owners.carrier[e] != carrier or pad_of_bone[owners.frame[e]] != pad:
                    continue
                total += pressing
                cx += pressing * point[c, side, 0]
                cy += pressing * point[c, side, 1]
                cz += pressing * point[c, side, 2]
                on_it = pressing if side == 0 else -pressing
                fx, fy, fz = fx + on_it * nx, fy + on_it * ny, fz + on_it * nz
        pads_out.force[pad] = total
        pads_out.load[pad, 0] = fx
        pads_out.load[pad, 1] = fy
        pads_out.load[pad, 2] = fz
        if total > 0.0:
            i = pads_out.bone[pad]
            lx, ly, lz = rotate_vector_back_at(
                rotation, i, cx / total - x[i, 0], cy / total - x[i, 1], cz / total - x[i, 2]
            )
            pads_out.point[pad, 0] = lx
            pads_out.point[pad, 1] = ly
            pads_out.point[pad, 2] = lz


@njit
def find_yielding(limbs: Limbs, pads: Pads, error, yielded_out):
    """The way to the pose, and how far the loads on all pads push the joints away from it; README eq. (10)."""
    bone, dof, axis, gains = limbs.bone, limbs.dof, limbs.axis, limbs.gains
    x, rotation, pad_point, pad_load = limbs.x, limbs.rotation, pads.point, pads.load
    for k in range(error.shape[0]):
        yielded_out[k] = error[k]
    for pad in range(pads.bone.shape[0]):
        i = pads.bone[pad]
        root = bone[i, ROOT]
        px, py, pz = rotate_vector_at(rotation, i, pad_point[pad, 0], pad_point[pad, 1], pad_point[pad, 2])
        rx, ry, rz = px + x[i, 0] - x[root, 0], py + x[i, 1] - x[root, 1], pz + x[i, 2] - x[root, 2]
        fx, fy, fz = pad_load[pad, 0], pad_load[pad, 1], pad_load[pad, 2]
        tx, ty, tz = cross(rx, ry, rz, fx, fy, fz)
        k = bone[i, LAST_DOF]
        while k >= 0:
            if gains[k, STIFFNESS] > 0.0:
                pushed = dot(axis[k, 0], axis[k, 1], axis[k, 2], fx, fy, fz) + dot(
                    axis[k, 3], axis[k, 4], axis[k, 5], tx, ty, tz
                )
                yielded_out[k] += pushed / gains[k, STIFFNESS]
            k = dof[k, DOF_PARENT]
