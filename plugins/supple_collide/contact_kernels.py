"""Kernels that place shapes and turn found contacts into what rows are made of."""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple.math.quaternion_kernels import multiply_quaternions, rotate_vector_at
from supple_collide.kernel_arrays import Contacts, Frames, Mounts, Objects, Placed


@njit
def place_still_shapes(mounts: Mounts, margin, placed_out: Placed):
    """Pose and reach of the shapes that no carrier moves: they come no nearer by themselves."""
    for i in range(mounts.carrier.shape[0]):
        if mounts.carrier[i] < 0:
            for k in range(3):
                placed_out.x[i, k] = mounts.local_position[i, k]
            for k in range(4):
                placed_out.q[i, k] = mounts.local_rotation[i, k]
            placed_out.reach[i] = margin


@njit
def place_shapes(mounts: Mounts, number, margin, sudden_speed, h, frames: Frames, ahead, placed_out: Placed):
    """Pose of the shapes of one carrier, and how far they may come within a step: README eq. (1).

    ahead [ns] m/s is the speed that an earlier look at the same step led to.
    """
    local_position, local_rotation = mounts.local_position, mounts.local_rotation
    position, rotation, twist = frames.position, frames.rotation, frames.twist
    x_out, q_out = placed_out.x, placed_out.q
    for i in range(mounts.carrier.shape[0]):
        if mounts.carrier[i] != number:
            continue
        f = mounts.frame[i]
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
        fastest = max(2.0 * (speed + spin * mounts.extent[i]), ahead[i])
        placed_out.reach[i] = margin + h * (sudden_speed + fastest)


@njit
def describe_contacts(
    objects: Objects, surface_number, object_count, count, shape, feature, contacts_out: Contacts
):
    """Owners, identity and material of found contacts; a primitive has no triangles, hence no weights."""
    for c in range(count):
        a = shape[c, 0]
        b = shape[c, 1]
        contacts_out.surface[c, 0] = surface_number
        contacts_out.surface[c, 1] = surface_number
        contacts_out.element[c, 0] = a
        contacts_out.element[c, 1] = b
        contacts_out.key[c, 0] = a * object_count + b
        contacts_out.key[c, 1] = feature[c]
        contacts_out.friction[c] = min(objects.friction[a], objects.friction[b])
        contacts_out.restitution[c] = min(objects.restitution[a], objects.restitution[b])
        for side in range(2):
            for k in range(3):
                contacts_out.weights[c, side, k] = 0.0


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
