"""How fast the points that press on something slide; README eq. (12)."""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple.mechanics.owners import Owners
from supple_contact.tables import RowContacts


@njit
def add_up_slips(owners: Owners, contacts: RowContacts, impulse, velocity, slips_out):
    """slips_out [entities, 2]: of the contacts on every entity the sums of normal impulse times sliding speed [N m],
    and of normal impulses [N s].

    velocity [groups, 3] is that of A against B along n, t, s.
    """
    slips_out[:] = 0.0
    for c in range(contacts.count[0]):
        g = contacts.group[c]
        pressing = impulse[g, 0]
        if pressing <= 0.0:
            continue
        sliding = pressing * math.hypot(velocity[g, 1], velocity[g, 2])
        for side in range(2):
            e = owners.first[contacts.surface[c, side]] + contacts.element[c, side]
            for which in range(2):  # the entity of the element, and that of the frame that moves it
                i = owners.entity[e] if which == 0 else owners.body[e]
                if i < 0 or (which == 1 and i == owners.entity[e]):
                    continue
                slips_out[i, 0] += sliding
                slips_out[i, 1] += pressing


@njit
def find_slip_speed(rows, slips):
    """Mean sliding speed of the contacts on some entities, by their normal impulses [m/s]."""
    sliding = pressing = 0.0
    for n in range(rows.shape[0]):
        sliding += slips[rows[n], 0]
        pressing += slips[rows[n], 1]
    return sliding / pressing if pressing > 0.0 else 0.0
