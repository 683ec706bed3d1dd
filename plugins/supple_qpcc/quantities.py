"""What can be wanted of a body of nodes: maps from its velocities to the rates of quantities.

A body has nodes at x [nodes, 3] with masses m [nodes] and velocities v [nodes, 3]; a map is [k, 3 nodes], to be
multiplied with v laid out node after node. Positions are those of the start of the step, so that all maps are constant
within it and objectives stay convex. SI units, y up.
"""

from __future__ import annotations

import numpy as np

from supple.core.arrays import FloatArray, IntArray


def map_linear_momentum(mass: FloatArray) -> FloatArray:
    """L = sum m_i v_i [kg m/s]."""
    return _spread(mass)


def map_centre_velocity(mass: FloatArray) -> FloatArray:
    """Velocity of the centre of mass [m/s]."""
    return map_linear_momentum(mass / mass.sum())


def map_angular_momentum(x: FloatArray, mass: FloatArray, about: FloatArray) -> FloatArray:
    """sum (x_i - about) x m_i v_i [kg m^2/s].

    About the centre of mass, friction that pushes backward would count as progress of what rolls; take the centre of
    what touches (`find_contact_centre`).
    """
    return np.concatenate([_cross(arm) for arm in mass[:, None] * (x - about)], axis=1)


def map_point_velocity(nodes: int, which: IntArray, weights: FloatArray | None = None) -> FloatArray:
    """Weighted mean velocity of some nodes: a node, a point of a tet by its shares, or the mean of a sole [m/s]."""
    share = np.zeros(nodes)
    np.add.at(share, which, 1.0 / len(which) if weights is None else np.asarray(weights) / np.sum(weights))
    return _spread(share)


def map_relative_velocity(nodes: int, first: IntArray, second: IntArray) -> FloatArray:
    """Mean velocity of the first nodes less that of the second [m/s]."""
    return map_point_velocity(nodes, first) - map_point_velocity(nodes, second)


def map_angular_velocity(x: FloatArray, which: IntArray, mass: FloatArray | None = None) -> FloatArray:
    """Angular velocity of a part: that of the rigid motion nearest to the velocities of its nodes [rad/s]."""
    weight = np.ones(len(which)) if mass is None else mass[which]
    arms = x[which] - weight @ x[which] / weight.sum()
    inertia = (weight @ (arms**2).sum(axis=1)) * np.eye(3) - (arms.T * weight) @ arms
    found = np.zeros((3, 3 * len(x)))
    for node, arm, share in zip(which, arms, weight, strict=True):
        found[:, 3 * node : 3 * node + 3] += np.linalg.solve(inertia, share * _cross(arm))
    return found


def measure_area(x: FloatArray, triangles: IntArray, normal: FloatArray) -> float:
    """Area of triangles projected along a unit normal [m^2]; positive if they turn to the left seen against it."""
    a, b, c = (x[triangles[:, k]] for k in range(3))
    return 0.5 * float((np.cross(b - a, c - a) @ normal).sum())


def map_area_rate(x: FloatArray, triangles: IntArray, normal: FloatArray) -> FloatArray:
    """Rate of the projected area [m^2/s], one row."""
    slope = np.zeros_like(x)
    for k in range(3):
        # d/da of n . (b - a) x (c - a) / 2 is (b - c) x n / 2, and so around.
        after, before = x[triangles[:, (k + 1) % 3]], x[triangles[:, (k + 2) % 3]]
        np.add.at(slope, triangles[:, k], 0.5 * np.cross(after - before, normal))
    return slope.reshape(1, -1)


def find_contact_centre(points: FloatArray, weights: FloatArray | None = None) -> FloatArray:
    """The (weighted) middle of contact points [contacts, 3]."""
    centre: FloatArray = np.average(points, axis=0, weights=weights)
    return centre


def fit_rotation(x: FloatArray, rest: FloatArray, mass: FloatArray | None = None) -> FloatArray:
    """The rotation [3, 3] that takes the nodes of a part nearest from rest to x."""
    weight = np.ones(len(x)) if mass is None else mass
    now, before = (points - weight @ points / weight.sum() for points in (x, rest))
    left, _, right = np.linalg.svd((now.T * weight) @ before)
    sign = np.array([1.0, 1.0, np.sign(np.linalg.det(left @ right))])
    rotation: FloatArray = (left * sign) @ right
    return rotation


def _spread(share: FloatArray) -> FloatArray:
    """sum share_i v_i."""
    found: FloatArray = np.kron(share, np.eye(3)).astype(np.float64)
    return found


def _cross(arm: FloatArray) -> FloatArray:
    x, y, z = arm
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
