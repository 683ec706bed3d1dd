"""Kernels of the rows against spinning and rolling; equations are numbered in README.md."""

from __future__ import annotations

from typing import Final

from supple.core.jit import njit
from supple.mechanics.mechanism import PointArrays
from supple.mechanics.owners import Owners
from supple.mechanics.problem import Coupled, Origin, Rows
from supple.mechanics.rows import BOUNDED, COULOMB
from supple_contact.tables import ContactSides, Lengths, TorqueRows

#: Rows of contacts are known by what is below this, from step to step.
TORQUE_KEY: Final = -int.from_bytes(b"torque", "big")


@njit
def list_torque_rows(
    sides: ContactSides, owners: Owners, lengths: Lengths, rows_out: TorqueRows, coupled_out: Coupled
):
    """The rows of all contacts that have a length, the greater of both sides; returns their number."""
    count = 0
    for c in range(sides.count[0]):
        spinning, rolling = 0.0, 0.0
        for side in range(2):
            i = owners.entity[owners.first[sides.surface[c, side]] + sides.element[c, side]]
            if i >= 0:
                spinning = max(spinning, lengths.spinning[i])
                rolling = max(rolling, lengths.rolling[i])
        for rolls in range(2):
            length = rolling if rolls == 1 else spinning
            if length > 0.0:
                rows_out.contact[count] = c
                rows_out.rolls[count] = rolls
                coupled_out.length[count] = length
                count += 1
    rows_out.span[1] = count
    return count


@njit
def fill_torque_groups(
    first, sides: ContactSides, rows: TorqueRows, problem_out: Rows, origin_out: Origin, coupled_out: Coupled
):
    """Laws and identities of the groups, and the contacts that limit them: README eq. (6) and (7).

    The groups of contacts start at first[0].
    """
    for k in range(rows.span[1]):
        g, c = rows.span[0] + k, rows.contact[k]
        coupled_out.group[k] = g
        coupled_out.contact[k] = first[0] + c
        problem_out.law[g] = COULOMB if rows.rolls[k] == 1 else BOUNDED
        problem_out.size[g] = 3 if rows.rolls[k] == 1 else 1
        problem_out.friction[g] = 1.0
        problem_out.lower[g, 0] = 0.0
        problem_out.upper[g, 0] = 0.0
        origin_out.key[g, 0] = TORQUE_KEY - 2 * sides.key[c, 0] - rows.rolls[k]
        origin_out.key[g, 1] = sides.key[c, 1]


@njit
def select_torque_sides(
    carrier, sides: ContactSides, owners: Owners, directions, rows: TorqueRows, points_out: PointArrays
):
    """The sides of rows whose frames belong to one carrier; returns how many. The row n of rolling moves nothing."""
    found = 0
    for k in range(rows.span[1]):
        c = rows.contact[k]
        for side in range(2):
            e = owners.first[sides.surface[c, side]] + sides.element[c, side]
            if owners.carrier[e] != carrier:
                continue
            points_out.group[found] = rows.span[0] + k
            points_out.frame[found] = owners.frame[e]
            points_out.sign[found] = 1.0 - 2.0 * side
            for axis in range(3):
                points_out.point[found, axis] = 0.0
                for row in range(3):
                    along = row == 0 if rows.rolls[k] == 0 else row > 0
                    points_out.directions[found, row, axis] = directions[c, row, axis] if along else 0.0
            found += 1
    return found
