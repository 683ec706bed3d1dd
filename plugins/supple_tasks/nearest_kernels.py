"""The pose of a library that is nearest to how a character is, whichever way it faces: README eq. (17) to (19).

Markers of a pose are kept without their mean place on the ground, so that only products of theirs are left to sum.
"""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple.math.quaternion_kernels import rotate_vector
from supple_bones.coordinate_kernels import add_joint, copy_joint, subtract_coordinates, subtract_joint
from supple_bones.layout import JOINT, Q_FIRST, V_COUNT, V_FIRST
from supple_tasks.records import Joints, Shelf


@njit
def place_markers(marker, offset, x, rotation, place_out):
    """Where the markers of a character are [m]."""
    for i in range(marker.shape[0]):
        b = marker[i]
        rx, ry, rz = rotate_vector(
            rotation[b, 0], rotation[b, 1], rotation[b, 2], rotation[b, 3], offset[i, 0], offset[i, 1], offset[i, 2]
        )  # fmt: skip
        place_out[i, 0], place_out[i, 1], place_out[i, 2] = x[b, 0] + rx, x[b, 1] + ry, x[b, 2] + rz


@njit
def centre_markers(weight, place_inout):
    """Take the mean place on the ground off; returns the weighted sum of squares of what is left."""
    total, mean_x, mean_z, square = 0.0, 0.0, 0.0, 0.0
    for i in range(weight.shape[0]):
        total += weight[i]
        mean_x += weight[i] * place_inout[i, 0]
        mean_z += weight[i] * place_inout[i, 2]
    for i in range(weight.shape[0]):
        place_inout[i, 0] -= mean_x / total
        place_inout[i, 2] -= mean_z / total
        for k in range(3):
            square += weight[i] * place_inout[i, k] * place_inout[i, k]
    return square


@njit
def measure_poses(shelf: Shelf):
    """shelf.distance: README eq. (19) of every pose to the markers at shelf.place, which lose their mean place."""
    here = centre_markers(shelf.weight, shelf.place)
    along, across, distance = shelf.along, shelf.across, shelf.distance
    frames = distance.shape[0]
    for f in range(frames):
        along[f] = across[f] = 0.0
        distance[f] = here + shelf.square[f]
    for i in range(shelf.weight.shape[0]):
        x, y, z = shelf.place[i, 0], shelf.place[i, 1], shelf.place[i, 2]
        other_x, other_y, other_z = shelf.x[i], shelf.y[i], shelf.z[i]
        for f in range(frames):
            along[f] += x * other_x[f] + z * other_z[f]
            across[f] += x * other_z[f] - z * other_x[f]
            distance[f] -= 2.0 * y * other_y[f]
    for f in range(frames):
        distance[f] -= 2.0 * math.sqrt(along[f] * along[f] + across[f] * across[f])


@njit
def choose_pose(distance):
    """The nearest pose, and how far towards its nearer neighbour the least distance lies: -0.5 to 0.5.

    Between poses the distance is taken to be a parabola, so that what is favoured moves on smoothly.
    """
    best = 0
    for f in range(1, distance.shape[0]):
        if distance[f] < distance[best]:
            best = f
    if best == 0 or best == distance.shape[0] - 1:
        return best, 0.0
    before, after = distance[best - 1] - distance[best], distance[best + 1] - distance[best]
    if not before + after > 0.0:
        return best, 0.0
    return best, 0.5 * (before - after) / (before + after)


@njit
def blend_poses(bone, one, other, share, difference, pose_out):
    """pose_out = the pose `one` and a share of the way to `other`."""
    for i in range(bone.shape[0]):
        joint, a, k, count = bone[i, JOINT], bone[i, Q_FIRST], bone[i, V_FIRST], bone[i, V_COUNT]
        if count == 0:
            continue
        copy_joint(joint, a, count, one, pose_out)
        if share > 0.0:
            subtract_joint(joint, a, k, count, other, one, difference)
            add_joint(joint, a, k, count, one, share, difference, pose_out)


@njit
def find_nearest(row, shelf: Shelf, x, rotation, joints: Joints):
    """joints.error[row]: from how the character is to the nearest pose of the library [rad, m]."""
    place_markers(shelf.marker, shelf.offset, x, rotation, shelf.place)
    measure_poses(shelf)
    best, share = choose_pose(shelf.distance)
    other = best + 1 if share > 0.0 else best - 1 if share < 0.0 else best
    error = joints.error[row]
    blend_poses(joints.bone, shelf.pose[best], shelf.pose[other], abs(share), error, shelf.target)
    subtract_coordinates(joints.bone, shelf.target, joints.q, error)
