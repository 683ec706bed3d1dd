"""Kernels that let a contact begin with the impulse of the one that it grew out of.

A contact that slides from one triangle to the next has a new identity. Of two objects, contacts without a
predecessor and contacts without a successor are looked at together: two that are nearest to each other belong together.
"""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple.mechanics.contacts import LastContacts, PlacedContacts


@njit
def end_of_pair(count, key, first):
    """Where the contacts of the pair that begins at `first` end."""
    last = first + 1
    while last < count and key[last, 0] == key[first, 0]:
        last += 1
    return last


@njit
def mark_known(first, last, key, old_first, old_last, old_key, new_out, ended_out):
    """new_out[c] = 1 for contacts without a predecessor, ended_out[o] = 1 for those without a successor."""
    for o in range(old_first, old_last):
        ended_out[o] = 1
    for c in range(first, last):
        new_out[c] = 1
        for o in range(old_first, old_last):
            if key[c, 1] == old_key[o, 1]:
                new_out[c] = 0
                ended_out[o] = 0


@njit
def measure_distance(point, c, old_point, o):
    """Square of the distance between two contacts, each in the middle of its two points [m^2]."""
    total = 0.0
    for k in range(3):
        total += (0.5 * (point[c, 0, k] + point[c, 1, k]) - old_point[o, k]) ** 2
    return total


@njit
def find_nearest_old(c, old_first, old_last, ended, point, old_point):
    """The nearest contact without a successor, -1 if there is none."""
    best, least = -1, math.inf
    for o in range(old_first, old_last):
        if ended[o] != 0:
            distance = measure_distance(point, c, old_point, o)
            if distance < least:
                best, least = o, distance
    return best


@njit
def find_nearest_new(o, first, last, new, point, old_point):
    """The nearest contact without a predecessor."""
    best, least = -1, math.inf
    for c in range(first, last):
        if new[c] != 0:
            distance = measure_distance(point, c, old_point, o)
            if distance < least:
                best, least = c, distance
    return best


@njit
def carry_over(contacts: PlacedContacts, before: LastContacts, new_out, ended_out, impulse_out):
    """Give contacts without a predecessor the impulse of their nearest. Both lists are sorted by pair."""
    count, key, point = contacts.count, contacts.key, contacts.point
    old_count, old_key, old_point = before.last_count, before.last_key, before.last_point
    carried = 0
    first = old_first = 0
    while first < count[0] and old_first < old_count[0]:
        if key[first, 0] < old_key[old_first, 0]:
            first = end_of_pair(count[0], key, first)
            continue
        if key[first, 0] > old_key[old_first, 0]:
            old_first = end_of_pair(old_count[0], old_key, old_first)
            continue
        last = end_of_pair(count[0], key, first)
        old_last = end_of_pair(old_count[0], old_key, old_first)
        mark_known(first, last, key, old_first, old_last, old_key, new_out, ended_out)
        for c in range(first, last):
            o = (
                find_nearest_old(c, old_first, old_last, ended_out, point, old_point)
                if new_out[c] != 0
                else -1
            )
            if o >= 0 and find_nearest_new(o, first, last, new_out, point, old_point) == c:
                for row in range(3):
                    impulse_out[contacts.group[c], row] = before.last_impulse[o, row]
                carried += 1
        first, old_first = last, old_last
    return carried


@njit
def keep_contacts(contacts: PlacedContacts, impulse, last_out: LastContacts):
    """Keep identities, places and impulses of all contacts for the next step."""
    point = contacts.point
    for c in range(contacts.count[0]):
        for column in range(2):
            last_out.last_key[c, column] = contacts.key[c, column]
        for k in range(3):
            last_out.last_point[c, k] = 0.5 * (point[c, 0, k] + point[c, 1, k])
            last_out.last_impulse[c, k] = impulse[contacts.group[c], k]
    last_out.last_count[0] = contacts.count[0]
