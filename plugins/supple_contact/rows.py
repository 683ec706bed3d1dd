"""The source of contact rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.build import Build
from supple.core.jit import bind_kernel
from supple.core.schedule import Bound
from supple.mechanics.contacts import Contacts
from supple.mechanics.mechanism import Surface, contact_capacity
from supple.mechanics.points import make_points
from supple.mechanics.problem import ConstraintProblem
from supple_contact.kernels import make_contact_rows, set_contact_bias

LAST = ("contact.last_count", "contact.last_key", "contact.last_expected")


def compile_contact_rows(build: Build) -> None:
    """Every scene may have contacts."""
    capacity = contact_capacity(build)
    build.add_state(
        LAST[0], [0], unit="1", doc="Contacts of the last step, if any overlapped.", dtype=np.int64
    )
    for name, width, unit, doc, dtype in (
        (LAST[1], 2, "1", "Their identities, sorted.", np.int64),
        (LAST[2], 3, "m, 1", "The gaps that their velocities led to, and 1.", np.float64),
    ):
        build.add_state(name, np.zeros((capacity, width)), unit=unit, doc=doc, dtype=dtype, count=LAST[0])
    build.add_member("row_sources", ContactRows(capacity))


class GroupLaws(NamedTuple):
    """What a contact sets of its group in the problem; see `ConstraintProblem`."""

    law: IntArray
    size: IntArray
    friction: FloatArray
    restitution: FloatArray
    gap: FloatArray
    key: IntArray


class ContactRows:
    """One Coulomb group of three rows (n, t, s) for every contact."""

    name = "contact"
    reads = (*(f"contacts.{name}" for name in Contacts._fields), *LAST)
    writes = ("contacts.group", "contacts.directions")

    def __init__(self, capacity: int) -> None:
        self.points = make_points(2 * capacity)
        self.expected = np.zeros((capacity, 3))
        self.first = np.zeros(1, np.int64)  # group of the first contact
        self._problem: ConstraintProblem | None = None

    def bind(self, arrays: Bound) -> None:
        """Bind the contacts and the settings; the problem follows when it is first filled."""
        self._problem = None
        self.contacts = arrays.take(Contacts, "contacts")
        self.count = self.contacts.count
        self.frames = [arrays[name] for name in self.writes]
        self.last = [arrays[name] for name in LAST]
        surfaces: list[Surface] = arrays.build.members("surfaces")
        self.span = np.zeros((len(surfaces), 2), np.int64)
        self.touched = [
            (surface, own.item, self.points._replace(span=own))
            for surface, own in zip(surfaces, self.span, strict=True)
        ]
        settings = arrays.build.settings("contact")
        self.settings = (settings.recovery, settings.recovery_speed, settings.bounce_speed)

    def append(self, problem: ConstraintProblem) -> None:
        """Laws, materials and frames of all contacts, and the Jacobian of both sides."""
        if problem is not self._problem:
            self._bind_problem(problem)
        count = self.count.item(0)
        self.first[0] = problem.reserve(count)
        if count == 0:
            return
        self._make_rows()
        for surface, item, points in self.touched:
            if item(0) < item(1):
                surface.add_rows(points)

    def set_bias(self, problem: ConstraintProblem) -> None:
        """Approach until touching, recover from penetration, bounce."""
        self._set_bias()

    def _bind_problem(self, problem: ConstraintProblem) -> None:
        """It is the same problem in every step."""
        self._problem = problem
        laws = GroupLaws(*(getattr(problem, name) for name in GroupLaws._fields))
        self._make_rows = bind_kernel(
            make_contact_rows, self.first, self.contacts, *self.frames, laws, self.span, self.points
        )
        self._set_bias = bind_kernel(
            set_contact_bias, *self.settings, problem.step, self.frames[0], self.count, self.contacts.key, *self.last,
            problem.gap, problem.restitution, problem.u_now, self.expected, problem.bias,
        )  # fmt: skip
