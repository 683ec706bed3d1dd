"""Kernels that place shapes and turn found contacts into what rows are made of."""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple.math.quaternion_kernels import multiply_quaternions, rotate_vector_at


@njit
def place_still_shapes(carrier, local_position, local_rotation, margin, x_out, q_out, reach_out):
    """Pose and reach of the shapes that no carrier moves: they come no nearer by themselves."""
    for i in range(carrier.shape[0]):
        if carrier[i] < 0:
            for k in range(3):
                x_out[i, k] = local_position[i, k]
            for k in range(4):
                q_out[i, k] = local_rotation[i, k]
            reach_out[i] = margin


@njit
def place_shapes(
    carrier, frame, local_position, local_rotation, extent, number, margin, sudden_speed, h,
    position, rotation, twist,
    x_out, q_out, reach_out,
):  # fmt: skip
    """Pose of the shapes of one carrier, and how far they may come within a step: README eq. (1)."""
    for i in range(carrier.shape[0]):
        if carrier[i] != number:
            continue
        f = frame[i]
        px, py, pz = rotate_vector_at(
            rotation, f, local_position[i, 0], local_position[i, 1], local_position[i, 2]
        )
        x_out[i, 0] = position[f, 0] + px
        x_out[i, 1] = position[f, 1] + py
        x_out[i, 2] = position[f, 2] + pz
        w, a, b, c = multiply_quaternions(
            rotation[f, 0], rotation[f, 1], rotation[f, 2], rotation[f, 3],
            local_rotation[i, 0], local_rotation[i, 1], local_rotation[i, 2], local_rotation[i, 3],
        )  # fmt: skip
        q_out[i, 0] = w
        q_out[i, 1] = a
        q_out[i, 2] = b
        q_out[i, 3] = c
        speed = math.sqrt(twist[f, 0] ** 2 + twist[f, 1] ** 2 + twist[f, 2] ** 2)
        spin = math.sqrt(twist[f, 3] ** 2 + twist[f, 4] ** 2 + twist[f, 5] ** 2)
        reach_out[i] = margin + h * (sudden_speed + 2.0 * (speed + spin * extent[i]))


@njit
def describe_contacts(
    friction, restitution, surface_number, object_count,
    count, shape, feature,
    surface_out, element_out, key_out, friction_out, restitution_out, weights_out,
):  # fmt: skip
    """Owners, identity and material of found contacts; a primitive has no triangles, hence no weights."""
    for c in range(count):
        a = shape[c, 0]
        b = shape[c, 1]
        surface_out[c, 0] = surface_number
        surface_out[c, 1] = surface_number
        element_out[c, 0] = a
        element_out[c, 1] = b
        key_out[c, 0] = a * object_count + b
        key_out[c, 1] = feature[c]
        friction_out[c] = min(friction[a], friction[b])
        restitution_out[c] = min(restitution[a], restitution[b])
        for side in range(2):
            for k in range(3):
                weights_out[c, side, k] = 0.0


@njit
def find_penetrations(count, surface, element, gap, surface_number, penetration_out):
    """The deepest contact of every shape of one surface; zero where nothing overlaps."""
    for i in range(penetration_out.shape[0]):
        penetration_out[i] = 0.0
    for c in range(count[0]):
        for side in range(2):
            if surface[c, side] == surface_number:
                shape = element[c, side]
                penetration_out[shape] = max(penetration_out[shape], -gap[c])
