"""Kernels of what contacts came to: the force of each, and what touches each entity; README eq. (4) and (5)."""

from __future__ import annotations

from supple.core.jit import njit
from supple.math.vector_kernels import cross
from supple.mechanics.owners import Owners
from supple_contact.tables import RowContacts
from supple_contact.touch import Touch


@njit
def observe_contacts(h, owners: Owners, contacts: RowContacts, impulse, force_out, touch_out: Touch):
    """Forces of all contacts, and their sums by entity."""
    find_forces(h, contacts.count, contacts.group, contacts.directions, impulse, force_out)
    add_up_touch(owners, contacts, force_out, touch_out)


@njit
def find_forces(h, count, group, directions, impulse, force_out):
    """force_out: mean force of the step on A in the world, from the impulses along n, t, s."""
    for c in range(count[0]):
        g = group[c]
        along_n, along_t, along_s = impulse[g, 0], impulse[g, 1], impulse[g, 2]
        for k in range(3):
            force_out[c, k] = (
                along_n * directions[c, 0, k] + along_t * directions[c, 1, k] + along_s * directions[c, 2, k]
            ) / h


@njit
def add_up_touch(owners: Owners, contacts: RowContacts, force, touch_out: Touch):
    """Sums over the sides of all contacts, for the entity of the element and for that of the frame that moves it."""
    first, entity, body = owners.first, owners.entity, owners.body
    directions, surface, element, point = (
        contacts.directions, contacts.surface, contacts.element, contacts.point,
    )  # fmt: skip
    total, torque, pressing = touch_out.force, touch_out.torque, touch_out.normal_force
    presses, centre = touch_out.count, touch_out.centre
    for i in range(pressing.shape[0]):
        pressing[i] = 0.0
        presses[i] = 0
        for k in range(3):
            total[i, k] = torque[i, k] = centre[i, k] = 0.0
    for c in range(contacts.count[0]):
        fx, fy, fz = force[c, 0], force[c, 1], force[c, 2]
        along = directions[c, 0, 0] * fx + directions[c, 0, 1] * fy + directions[c, 0, 2] * fz
        if along <= 0.0:  # without normal force there is no friction either
            continue
        for side in range(2):
            px, py, pz = point[c, side, 0], point[c, side, 1], point[c, side, 2]
            e = first[surface[c, side]] + element[c, side]
            for which in range(2):
                i = entity[e] if which == 0 else body[e]
                if i < 0 or (which == 1 and i == entity[e]):
                    continue
                total[i, 0] += fx
                total[i, 1] += fy
                total[i, 2] += fz
                tx, ty, tz = cross(px, py, pz, fx, fy, fz)
                torque[i, 0] += tx
                torque[i, 1] += ty
                torque[i, 2] += tz
                pressing[i] += along
                presses[i] += 1
                centre[i, 0] += along * px
                centre[i, 1] += along * py
                centre[i, 2] += along * pz
            fx, fy, fz = -fx, -fy, -fz
    for i in range(pressing.shape[0]):
        if pressing[i] > 0.0:
            for k in range(3):
                centre[i, k] /= pressing[i]
