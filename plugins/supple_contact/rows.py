"""The source of contact rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from supple.core.build import Build
from supple.core.jit import bind_kernel
from supple.core.schedule import Bound, Call, Work
from supple.mechanics.contacts import Contacts
from supple.mechanics.mechanism import Surface, bind_surface_rows, contact_capacity
from supple.mechanics.point_kernels import sort_sides
from supple.mechanics.points import make_points
from supple.mechanics.problem import ConstraintProblem
from supple.mechanics.world_contacts import KEPT, KEPT_COUNT, KEPT_WIDTH
from supple_contact.kernels import fill_rows, make_contact_rows, set_contact_bias
from supple_contact.patch_kernels import share_rows, share_sides
from supple_contact.patches import SHARE, PatchMerger, list_patched
from supple_contact.tables import LAST, GroupLaws, LastGaps, Recovery


def compile_contact_rows(build: Build) -> None:
    """Every scene may have contacts."""
    capacity, count = contact_capacity(build), "contact.last_count"
    build.add_state(count, [0], unit="1", doc="Contacts of the last step, if any overlapped.", dtype=np.int64)
    for name, width, unit, doc, dtype in (
        ("contact.last_key", 2, "1", "Their identities, sorted.", np.int64),
        ("contact.last_expected", 3, "m, 1", "The gaps that their velocities led to, and 1.", np.float64),
    ):
        build.add_state(name, np.zeros((capacity, width)), unit=unit, doc=doc, dtype=dtype, count=count)
    patched = list_patched(build)
    if patched:
        doc = "Of the force of the patch that a contact belongs to; 1 if it is alone."
        build.add_step(SHARE, (capacity,), unit="1", doc=doc, count="contacts.count")
    doc = "Contacts of the last step that are kept, once somebody asked for them."
    build.add_state(KEPT_COUNT, [0], unit="1", doc=doc, dtype=np.int64)
    doc = "Of each the elements of A and B in the table of owners, point, normal, force on A, and gap."
    build.add_state(KEPT, np.zeros((capacity, KEPT_WIDTH)), unit="1, m, 1, N, m", doc=doc, count=KEPT_COUNT)
    positions = tuple(dict.fromkeys(surface.positions for _, surface in patched))
    build.add_member("row_sources", ContactRows(capacity, positions))


class ContactRows:
    """One Coulomb group of three rows (n, t, s) for every contact."""

    name = "contact"

    def __init__(self, capacity: int, patched: tuple[str, ...] = ()) -> None:
        """`patched` are the arrays of places of surfaces that touch in patches."""
        self.reads = (*(f"contacts.{name}" for name in Contacts._fields), *LAST, *patched)
        self.writes = ("contacts.group", "contacts.directions", *((SHARE,) if patched else ()))
        self.capacity, self.patched = capacity, bool(patched)
        self.points = make_points(2 * capacity)
        self.expected = np.zeros((capacity, 3))
        self.first = np.zeros(1, np.int64)  # group of the first contact
        self._problem: ConstraintProblem | None = None

    def bind(self, arrays: Bound) -> None:
        """Bind the contacts and the settings; the problem follows when it is first filled."""
        self._problem = None
        self.contacts = arrays.take(Contacts, "contacts")
        self.count = self.contacts.count
        self.group, self.directions = arrays["contacts.group"], arrays["contacts.directions"]
        self.last = arrays.take(LastGaps, "contact")
        surfaces: list[Surface] = arrays.build.members("surfaces")
        self.span = np.zeros((len(surfaces), 2), np.int64)
        self.touched = [
            (surface, own.item, self.points._replace(span=own))
            for surface, own in zip(surfaces, self.span, strict=True)
        ]
        self.merger = PatchMerger(arrays, self.contacts, self.capacity) if self.patched else None
        settings = arrays.build.settings("contact")
        self.recovery = Recovery(**{name: getattr(settings, name) for name in Recovery._fields})

    def append(self, problem: ConstraintProblem) -> None:
        """Laws, materials and frames of all contacts, and the Jacobian of both sides."""
        if problem is not self._problem:
            self._bind_problem(problem)
        count = self.count.item(0) if self.merger is None else self.merger.merge()
        self.first[0] = problem.reserve(count)
        if count == 0:
            return
        self._make_rows()
        for surface, item, points in self.touched:
            if item(0) < item(1):
                surface.add_rows(points)

    def bind_append(self, problem: ConstraintProblem) -> Work:
        """What `append` does, for every step."""
        if self.merger is not None:
            return lambda: self.append(problem)
        problem.bounce_speed = self.recovery.bounce_speed
        return [
            problem.bind_reserve(self.count, self.first),
            self._bind_rows(problem),
            *(bind_surface_rows(surface, points) for surface, _, points in self.touched),
        ]

    def bind_bias(self, problem: ConstraintProblem) -> Work:
        """What `set_bias` does, for every step."""
        if self.merger is not None:
            return lambda: self.set_bias(problem)

        def strike() -> None:
            problem.strikes = True

        return self._bind_bias(problem, strike)

    def _bind_rows(self, problem: ConstraintProblem) -> Call:
        laws = GroupLaws(**{name: getattr(problem, name) for name in GroupLaws._fields})
        return Call(
            make_contact_rows, self.first, self.contacts, self.group, self.directions, laws, self.span, self.points
        )  # fmt: skip

    def _bind_bias(self, problem: ConstraintProblem, strike: Callable[[], None]) -> Call:
        return Call(
            set_contact_bias, problem.step, self.recovery, self.group, self.count, self.contacts.key, self.last,
            self.expected, problem.origin, otherwise=strike,
        )  # fmt: skip

    def set_bias(self, problem: ConstraintProblem) -> None:
        """Approach until touching, recover from penetration; say whether anything may bounce."""
        if self._set_bias():
            problem.strikes = True

    def _bind_problem(self, problem: ConstraintProblem) -> None:
        """It is the same problem in every step."""
        self._problem = problem
        problem.bounce_speed = self.recovery.bounce_speed
        laws = GroupLaws(**{name: getattr(problem, name) for name in GroupLaws._fields})
        if self.merger is not None:
            self._bind_patches(problem, laws, self.merger)
            return
        self._make_rows = bind_kernel(
            make_contact_rows, self.first, self.contacts, self.group, self.directions, laws, self.span, self.points
        )  # fmt: skip
        self._set_bias = bind_kernel(
            set_contact_bias, problem.step, self.recovery, self.group, self.count, self.contacts.key, self.last,
            self.expected, problem.origin,
        )  # fmt: skip

    def _bind_patches(self, problem: ConstraintProblem, laws: GroupLaws, merger: PatchMerger) -> None:
        """The same with the contacts of each patch as one; what a step led to is not known of patches."""
        merged, contacts = merger.merged, self.contacts
        group, directions = np.zeros(self.capacity, np.int64), np.zeros((self.capacity, 3, 3))
        fill = bind_kernel(fill_rows, self.first, merged, group, directions, laws)
        share = bind_kernel(
            share_rows, merger.into, group, directions, self.count, self.group, self.directions
        )
        sort = bind_kernel(
            sort_sides, self.count, contacts.surface, contacts.element, contacts.weights, contacts.point, self.group,
            self.directions, self.span, self.points,
        )  # fmt: skip
        weigh = bind_kernel(share_sides, self.count, contacts.surface, merger.share, self.span, self.points)

        def make_rows() -> None:
            for act in (fill, share, sort, weigh):
                act()

        self._make_rows = make_rows
        nothing = LastGaps(np.zeros(1, np.int64), self.last.last_key, self.last.last_expected)
        self._set_bias = bind_kernel(
            set_contact_bias, problem.step, self.recovery, group, merged.count, merged.key, nothing, self.expected,
            problem.origin,
        )  # fmt: skip
