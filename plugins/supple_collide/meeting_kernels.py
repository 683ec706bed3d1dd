"""Kernels that find which balls bounce within the step, and turn normals to those of the time at which they touch."""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple.math.quaternion_kernels import rotate_vector_at
from supple.math.vector_kernels import cross
from supple_collide.kernel_arrays import Contacts, Frames, Manifold, Mounts, Shapes
from supple_collide.primitives.capsule_box_kernels import find_round_box
from supple_collide.primitives.capsule_kernels import find_round_round
from supple_collide.shape_kinds import BOX, FIRST_SOLID, PLANE, SPHERE

# Normals that turn by less than this [rad] are those of the start.
TURNS = 1e-9
# Searches for a time: steps at most, and the gap [radii] that is none.
MOST, NONE = 40, 1e-13


@njit
def find_centre_velocities(mounts: Mounts, number, frames: Frames, velocity_out):
    """velocity_out [ns, 3] of the centres of the shapes of one carrier, whose spins are in its own axes [m/s]."""
    position, twist = mounts.local_position, frames.twist
    for i in range(mounts.carrier.shape[0]):
        if mounts.carrier[i] == number:
            f = mounts.frame[i]
            x, y, z = cross(
                twist[f, 3], twist[f, 4], twist[f, 5], position[i, 0], position[i, 1], position[i, 2]
            )
            x, y, z = rotate_vector_at(frames.rotation, f, x, y, z)
            velocity_out[i, 0] = twist[f, 0] + x
            velocity_out[i, 1] = twist[f, 1] + y
            velocity_out[i, 2] = twist[f, 2] + z


@njit
def look_from(shapes: Shapes, ball, other, x, y, z, scratch: Manifold):
    """The nearest point of `other` to the ball at x, y, z, as row 0 of scratch.contacts."""
    old_x, old_y, old_z = shapes.x[ball, 0], shapes.x[ball, 1], shapes.x[ball, 2]
    shapes.x[ball, 0], shapes.x[ball, 1], shapes.x[ball, 2] = x, y, z
    if shapes.kind[other] == BOX:
        find_round_box(
            shapes.size,
            shapes.x,
            shapes.rotation,
            ball,
            other,
            scratch.cosines,
            scratch.contacts,
            scratch.features,
        )
    else:
        find_round_round(
            shapes.size, shapes.x, shapes.rotation, ball, other, scratch.contacts, scratch.features
        )
    shapes.x[ball, 0], shapes.x[ball, 1], shapes.x[ball, 2] = old_x, old_y, old_z


@njit
def find_meeting(h, shapes: Shapes, ball, other, ux, uy, uz, scratch: Manifold):
    """When a ball that goes on with the velocity u relative to `other` touches it, or passes it most closely.

    At most h. What is nearest then is in row 0 of scratch.contacts. The distance to what is convex is convex in time:
    Newton's method comes to the touch from before, or else past the closest approach, which is then enclosed.
    """
    found, centre = scratch.contacts, shapes.x
    low, t, high = 0.0, 0.0, -1.0
    for _ in range(MOST):
        look_from(
            shapes,
            ball,
            other,
            centre[ball, 0] + t * ux,
            centre[ball, 1] + t * uy,
            centre[ball, 2] + t * uz,
            scratch,
        )
        approach = found[0, 3] * ux + found[0, 4] * uy + found[0, 5] * uz
        if approach >= 0.0:
            high = t
        elif high < 0.0 and (t >= h or found[0, 6] <= NONE * shapes.size[ball, 0]):
            return t
        else:
            low = t
        t = min(t - found[0, 6] / approach, h) if high < 0.0 else 0.5 * (low + high)
    return t


@njit
def is_ball(meets, mounts: Mounts, kind, i):
    """Whether a shape is a ball about the centre of what carries it, which can be struck within a step.

    Others are elsewhere, and may come on otherwise, once they have turned for a part of the step.
    """
    if kind[i] != SPHERE or meets[i] == 0:
        return False
    x, y, z = mounts.local_position[i, 0], mounts.local_position[i, 1], mounts.local_position[i, 2]
    return x == 0.0 and y == 0.0 and z == 0.0


@njit
def choose_ball(meets, mounts: Mounts, kind, a, b):
    """Which of two shapes is a ball that bounces: 0 or 1, or -1. The other one is a ball too, or at rest."""
    for side in range(2):
        ball, other = (a, b) if side == 0 else (b, a)
        if not is_ball(meets, mounts, kind, ball):
            continue
        if mounts.carrier[other] < 0 or is_ball(meets, mounts, kind, other):
            return side
    return -1


@njit
def turn_normals(
    h, surface_number, count, meets, mounts: Mounts, shapes: Shapes, velocity, scratch: Manifold,
    contacts_inout: Contacts, late_out,
):  # fmt: skip
    """Contacts of bouncing balls as planes that touch both at the time of their meeting: README eq. (6).

    meets [ns] says which shapes something carries that can be struck within a step; late_out [contacts] which contacts
    are those of such balls.
    """
    for c in range(count[0]):
        late_out[c] = 0
        a, b = contacts_inout.element[c, 0], contacts_inout.element[c, 1]
        own = (
            contacts_inout.surface[c, 0] == surface_number and contacts_inout.surface[c, 1] == surface_number
        )
        if not own or contacts_inout.restitution[c] <= 0.0 or contacts_inout.gap[c] <= 0.0:
            continue
        side = choose_ball(meets, mounts, shapes.kind, a, b)
        if side < 0:
            continue
        ball, other, sign = (a, b, 1.0) if side == 0 else (b, a, -1.0)
        ux, uy, uz = (
            velocity[ball, 0] - velocity[other, 0],
            velocity[ball, 1] - velocity[other, 1],
            velocity[ball, 2] - velocity[other, 2],
        )
        nx, ny, nz = (
            sign * contacts_inout.normal[c, 0],
            sign * contacts_inout.normal[c, 1],
            sign * contacts_inout.normal[c, 2],
        )
        # Forces of the step may add to the approach, as in eq. (1).
        if contacts_inout.gap[c] + 2.0 * h * (nx * ux + ny * uy + nz * uz) >= 0.0:
            continue
        late_out[c] = 1
        if shapes.kind[other] == PLANE or shapes.kind[other] >= FIRST_SOLID:
            continue  # the normal of the start: a plane has no other, and of solids none is looked for
        t = find_meeting(h, shapes, ball, other, ux, uy, uz, scratch)
        found = scratch.contacts
        mx, my, mz = found[0, 3], found[0, 4], found[0, 5]
        x, y, z = cross(nx, ny, nz, mx, my, mz)
        if math.sqrt(x * x + y * y + z * z) <= TURNS:
            continue
        contacts_inout.gap[c] = found[0, 6] - t * (mx * ux + my * uy + mz * uz)
        for k in range(3):
            contacts_inout.normal[c, k] = sign * found[0, 3 + k]
            contacts_inout.point[c, side, k] = shapes.x[ball, k] - shapes.size[ball, 0] * found[0, 3 + k]
            contacts_inout.point[c, 1 - side, k] = found[0, k]
