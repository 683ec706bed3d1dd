"""A slow, plain twin of the kernels in numpy: dense Jacobians of centres of mass, no recursion over forces.

It shares with the kernels the tables of the forest and the meaning of coordinates, and nothing else: poses are
rotation matrices, velocities are those of points, and the mass matrix is a sum over bones.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.core.arrays import FloatArray
from supple_bones.forest import Forest
from supple_bones.layout import (
    AXIS,
    BALL,
    BALL_FOLLOWER,
    FIXED,
    FOLLOWER,
    FREE,
    HINGE,
    JOINT,
    PARENT,
    POSITION,
    Q_FIRST,
    ROTATION,
    ROW_COUNT,
    SECOND_AXIS,
    SHARE,
    SLIDER,
    UNIVERSAL,
    V_FIRST,
)
from supple_rigid.mass import turn_matrix


def cross_matrix(a: FloatArray) -> FloatArray:
    """[a]x with [a]x b = a x b."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def turn_about(axis: FloatArray, angle: float) -> FloatArray:
    """Rodrigues' formula."""
    cross = cross_matrix(axis)
    matrix: FloatArray = np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
    return matrix


@dataclass
class BoneMotion:
    """Pose of one bone, the Jacobians of its origin and rotation, and their derivatives in time."""

    x: FloatArray
    R: FloatArray
    J: FloatArray  # [3, rates] velocity of the origin
    Jw: FloatArray  # [3, rates] angular velocity in the world
    Jdot: FloatArray
    Jwdot: FloatArray


def find_motions(forest: Forest, q: FloatArray, v: FloatArray) -> list[BoneMotion]:
    """Motion of every bone, from the roots to the tips."""
    n = forest.v_count
    world = BoneMotion(np.zeros(3), np.eye(3), *(np.zeros((3, n)) for _ in range(4)))
    motions: list[BoneMotion] = []
    for row, frame in zip(forest.bone, forest.frame, strict=True):
        parent = motions[row[PARENT]] if row[PARENT] >= 0 else world
        motions.append(_move_bone(row, frame, parent, q, v))
    return motions


def _move_bone(
    row: FloatArray, frame: FloatArray, parent: BoneMotion, q: FloatArray, v: FloatArray
) -> BoneMotion:
    """One bone: rides on its parent, then slides, then turns about one axis after the other.

    A follower is such a bone with a share of the angles and rates of its hinge or universal joint.
    """
    joint, a, k, share = row[JOINT], row[Q_FIRST], row[V_FIRST], frame[SHARE]
    if joint == FOLLOWER:
        joint, q, v = (HINGE, UNIVERSAL)[row[ROW_COUNT] - 1], q * share, v.copy()
        v[k : k + row[ROW_COUNT]] *= share
    w = parent.Jw @ v
    R = parent.R @ turn_matrix(frame[ROTATION:AXIS])
    slides, turns, R_new = _read_joint(joint, frame, q[a:], R)
    offset = parent.R @ frame[POSITION:ROTATION]
    offset = offset + sum((q[a + i] * d for i, d in enumerate(slides)), np.zeros(3))
    slip = sum((v[k + i] * d for i, d in enumerate(slides)), np.zeros(3))
    arm = cross_matrix(offset)
    J, Jw = parent.J - arm @ parent.Jw, parent.Jw.copy()
    offset_rate = np.cross(w, offset) + slip
    Jdot = parent.Jdot - arm @ parent.Jwdot - cross_matrix(offset_rate) @ parent.Jw
    Jwdot = parent.Jwdot.copy()
    for i, direction in enumerate(slides):
        J[:, k + i] = direction
        Jdot[:, k + i] = np.cross(w, direction)
    if joint == BALL_FOLLOWER:
        mine = slice(k, k + 3)
        A, A_rate, turned = follow_ball(q[a : a + 4], share, v[mine])
        Jw[:, mine], Jwdot[:, mine] = R @ A, cross_matrix(w) @ R @ A + R @ A_rate
        return BoneMotion(parent.x + offset, R @ turned, J, Jw, Jdot, Jwdot)
    k += len(slides)
    spin = sum((v[k + i] * d for i, d in enumerate(turns)), np.zeros(3))
    for i, direction in enumerate(turns):
        Jw[:, k + i] = share * direction
        if joint in (BALL, FREE):
            Jwdot[:, k + i] = np.cross(w + spin, direction)
        else:
            Jwdot[:, k + i] = share * np.cross(w, direction)
            w = w + v[k + i] * direction
    return BoneMotion(parent.x + offset, R_new, J, Jw, Jdot, Jwdot)


def follow_ball(q: FloatArray, share: float, rate: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """What takes the rates of a ball joint to the spin of its follower, the derivative of that, and its rotation.

    With Jacobians of the rotation vector as power series, and a derivative by a step in the complex plane.
    """
    shorter = q if q[0] >= 0.0 else -q
    sine = float(np.linalg.norm(shorter[1:]))
    vector = 2.0 * np.arctan2(sine, shorter[0]) / max(sine, 1e-300) * shorter[1:]

    def spin(at: FloatArray) -> FloatArray:
        return share * _left_jacobian(share * at) @ np.linalg.inv(_left_jacobian(-at))

    step = 1e-30
    speed = np.linalg.inv(_left_jacobian(-vector)) @ rate
    A_rate = spin(vector + 1j * step * speed).imag / step
    angle = share * float(np.linalg.norm(vector))
    return spin(vector), A_rate, turn_about(shorter[1:] / max(sine, 1e-300), angle)


def _left_jacobian(vector: FloatArray) -> FloatArray:
    """The sum of [vector]x^n / (n + 1)!."""
    cross = np.array(
        [[0.0, -vector[2], vector[1]], [vector[2], 0.0, -vector[0]], [-vector[1], vector[0], 0.0]]
    )
    total = term = np.eye(3, dtype=cross.dtype)
    for n in range(1, 50):
        term = term @ cross / (n + 1)
        total = total + term
    return total


def _read_joint(
    joint: int, frame: FloatArray, q: FloatArray, R: FloatArray
) -> tuple[list[FloatArray], list[FloatArray], FloatArray]:
    """Directions that a joint slides along and turns about, in the world, and the bone's rotation."""
    first, second = frame[AXIS:SECOND_AXIS], frame[SECOND_AXIS:SHARE]
    if joint in (FIXED, BALL_FOLLOWER):
        return [], [], R
    if joint == SLIDER:
        return [R @ first], [], R
    if joint == HINGE:
        return [], [R @ first], R @ turn_about(first, q[0])
    if joint == UNIVERSAL:
        between = R @ turn_about(first, q[0])
        return [], [R @ first, between @ second], between @ turn_about(second, q[1])
    if joint == BALL:
        turned = R @ turn_matrix(q[:4])
        return [], list(turned.T), turned
    if joint == FREE:
        turned = R @ turn_matrix(q[3:7])
        return list(R.T), list(turned.T), turned
    return list(R.T), [], R


@dataclass
class Dense:
    """Dense quantities of a forest at one state; see `Dynamics` for their meaning."""

    mass_matrix: FloatArray
    mass_rate: FloatArray  # its derivative in time
    bias: FloatArray
    gravity: FloatArray
    kinetic_energy: float
    potential_energy: float
    centre_of_mass: FloatArray
    momentum: FloatArray
    angular_momentum: FloatArray  # about the centre of mass


def evaluate(
    forest: Forest, q: FloatArray, v: FloatArray, gravity: FloatArray, armature: FloatArray | None = None
) -> Dense:
    """Sums over the bones of m Jc^T Jc + Jw^T I Jw and of what follows from it."""
    n = forest.v_count
    M, Mdot = np.diag(np.zeros(n) if armature is None else armature), np.zeros((n, n))
    bias, weight = np.zeros(n), np.zeros(n)
    mass, first, momentum, angular = 0.0, np.zeros(3), np.zeros(3), np.zeros(3)
    for motion, inertia in zip(find_motions(forest, q, v), forest.inertia, strict=True):
        m = inertia[0]
        if m == 0.0:
            continue
        centre = inertia[1:4] / m
        xx, yy, zz, xy, xz, yz = inertia[4:]
        about_origin = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        about_centre = about_origin - m * (centre @ centre * np.eye(3) - np.outer(centre, centre))
        arm, w = motion.R @ centre, motion.Jw @ v
        J = motion.J - cross_matrix(arm) @ motion.Jw
        Jdot = motion.Jdot - cross_matrix(arm) @ motion.Jwdot - cross_matrix(np.cross(w, arm)) @ motion.Jw
        turned = motion.R @ about_centre @ motion.R.T
        turned_rate = cross_matrix(w) @ turned - turned @ cross_matrix(w)
        M += m * J.T @ J + motion.Jw.T @ turned @ motion.Jw
        half = m * Jdot.T @ J + motion.Jwdot.T @ turned @ motion.Jw
        Mdot += half + half.T + motion.Jw.T @ turned_rate @ motion.Jw
        bias += m * J.T @ Jdot @ v + motion.Jw.T @ (turned @ motion.Jwdot @ v + np.cross(w, turned @ w))
        weight -= m * J.T @ gravity
        mass, first = mass + m, first + m * (motion.x + arm)
        momentum += m * J @ v
        angular += turned @ w + m * np.cross(motion.x + arm, J @ v)
    return Dense(
        M, Mdot, bias, weight, float(v @ M @ v) / 2, float(-gravity @ first), first / mass,
        momentum, angular - np.cross(first / mass, momentum),
    )  # fmt: skip
