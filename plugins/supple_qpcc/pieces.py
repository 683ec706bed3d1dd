"""The pieces that complementary pairs leave of the space: for every group of pairs, which sides may be zero.

0 <= a perp e >= 0 is the union of two half lines. A pair alone is a group of two pieces. The pairs of a contact with
k directions of friction make a group of 2 + 2k pieces, its modes; all other combinations of sides lie within these:

    name            a that are zero                  e that are zero
    break           f_perp, all f_par                -
    static          lambda                           normal, and enough of the tangential rows
    slide along j   all f_par but j                  normal, j, cone
    slide in j,j+1  all f_par but j and j + 1        normal, j, j + 1, cone

Without friction f_par is zero anyway, and lambda may be anything large enough: that is one more piece, `glide`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from supple.core.arrays import BoolArray, FloatArray, IntArray

FREE: Final = 0
A_ZERO: Final = 1
E_ZERO: Final = 2

#: The first modes of every contact; sliding along direction j is SLIDE + j, between j and j + 1 it is SLIDE + k + j.
BREAK: Final = 0
STATIC: Final = 1
SLIDE: Final = 2


@dataclass(frozen=True)
class Contact:
    """Which pairs belong to a contact: its normal, its directions in the order of their angle, and its cone."""

    normal: int
    directions: tuple[int, ...]
    cone: int
    friction: float


@dataclass(frozen=True)
class Pieces:
    """All pieces of all groups, one after the other.

    sides   [pieces, pairs] FREE, A_ZERO or E_ZERO for the pairs of its group; FREE elsewhere
    zero    [pieces, 2 pairs] which a, then which e, a point of the piece has at zero
    first   [groups + 1] first piece of a group
    contact [groups] is it a contact
    """

    sides: IntArray
    zero: BoolArray
    first: IntArray
    contact: BoolArray

    @property
    def groups(self) -> int:
        """Number of groups."""
        return len(self.first) - 1

    def choose(self, modes: IntArray) -> IntArray:
        """The sides of all pairs when each group is in its mode; a mode of -1 leaves its pairs open."""
        known = modes >= 0
        sides: IntArray = self.sides[(self.first[:-1] + modes)[known]].sum(axis=0)
        return sides

    def hold(self, a: FloatArray, e: FloatArray, tolerance: FloatArray) -> BoolArray:
        """For each piece, does it hold the point with these a and e; the tolerance is that of a, then e."""
        away = np.concatenate([a, e]) > tolerance
        held: BoolArray = np.logical_not((self.zero & away).any(axis=1))
        return held

    def round(self, a: FloatArray, e: FloatArray) -> IntArray:
        """The nearest mode of each group: what has to become zero is least, in terms of the means of a and e."""
        weights = [np.maximum(values, 0.0) / (values.mean() + 1e-300) for values in (np.abs(a), np.abs(e))]
        cost = self.zero @ np.concatenate(weights)
        return pick(self.first, -cost)


def pick(first: IntArray, values: FloatArray | BoolArray) -> IntArray:
    """For each group, which of its pieces has the largest value."""
    return np.array([int(np.argmax(values[i:j])) for i, j in pairwise(first)], np.int64)


def make_pieces(pairs: int, contacts: Sequence[Contact] = ()) -> Pieces:
    """Pieces of the contacts in their order, then those of the pairs that belong to none."""
    rows: list[IntArray] = []
    first = [0]
    for contact in contacts:
        rows.extend(_list_modes(pairs, contact))
        first.append(len(rows))
    taken = {pair for contact in contacts for pair in (contact.normal, contact.cone, *contact.directions)}
    alone = [pair for pair in range(pairs) if pair not in taken]
    for pair in alone:
        rows.extend(_fix(pairs, [pair] * zero, [pair] * (1 - zero)) for zero in (1, 0))
        first.append(len(rows))
    sides = np.array(rows, np.int64).reshape(len(rows), pairs)
    zero = np.concatenate([sides == A_ZERO, sides == E_ZERO], axis=1)
    is_contact = np.arange(len(first) - 1) < len(contacts)
    return Pieces(sides, zero, np.array(first), is_contact)


def _list_modes(pairs: int, contact: Contact) -> list[IntArray]:
    normal, directions, cone, count = (
        contact.normal,
        contact.directions,
        contact.cone,
        len(contact.directions),
    )
    # Two rows that are not opposite hold both tangential velocities; with lambda = 0 the others follow.
    across = max(1, count // 4)
    modes = [
        _fix(pairs, [normal, *directions], []),
        _fix(pairs, [cone], [normal, directions[0], directions[across]]),
    ]
    for width in (1, 2):
        for j in range(count):
            along = [directions[(j + k) % count] for k in range(width)]
            rest = [pair for pair in directions if pair not in along]
            modes.append(_fix(pairs, rest, [normal, *along, cone]))
    if contact.friction == 0.0:
        modes.append(_fix(pairs, list(directions), [normal]))
    return modes


def _fix(pairs: int, a_zero: Sequence[int], e_zero: Sequence[int]) -> IntArray:
    sides = np.full(pairs, FREE)
    sides[list(a_zero)] = A_ZERO
    sides[list(e_zero)] = E_ZERO
    return sides
