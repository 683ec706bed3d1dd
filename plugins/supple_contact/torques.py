"""The source of rows that resist spinning and rolling at contacts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from supple.core.build import Build
from supple.core.jit import bind_kernel
from supple.core.schedule import Bound
from supple.mechanics.mechanism import Carrier, PointRows, contact_capacity
from supple.mechanics.owners import Owners, list_owners
from supple.mechanics.problem import ConstraintProblem, Coupled
from supple_contact.rows import ContactRows
from supple_contact.tables import ContactSides, Lengths, TorqueRows
from supple_contact.torque_kernels import fill_torque_groups, list_torque_rows, select_torque_sides

LENGTHS = tuple(f"contact.{name}" for name in Lengths._fields)


def compile_torques(build: Build) -> None:
    """Declare the lengths of all owners of elements, and the rows, where some shape has a length."""
    paths = list_owners(build)
    lengths = {name: [_find_length(build, path, name) for path in paths] for name in Lengths._fields}
    if not any(any(values) for values in lengths.values()):
        return
    for name, values in lengths.items():
        doc = f"Torque against {name} by normal force."
        build.add_model(f"contact.{name}", values, unit="m", doc=doc, labels=paths)
    (contact,) = (each for each in build.members("row_sources") if isinstance(each, ContactRows))
    build.add_member("row_sources", ContactTorques(contact, contact_capacity(build)))


def _find_length(build: Build, path: str, name: str) -> float:
    """The greatest length of this name of the shapes of an entity [m]."""
    found = [getattr(each, name, 0.0) for each in build.graph[path].components.values()]
    return max((float(each) for each in found if isinstance(each, float)), default=0.0)


class ContactTorques:
    """One row about the normal, and one group about both tangents, for every contact that has such a length."""

    name = "contact_torques"
    reads = (
        *(f"contacts.{name}" for name in ContactSides._fields), *(f"owners.{name}" for name in Owners._fields),
        *LENGTHS,
    )  # fmt: skip

    def __init__(self, contact: ContactRows, capacity: int) -> None:
        """`contact` is the source of the contacts' own rows, which comes first."""
        self.contact = contact
        self.points = PointRows(4 * capacity)
        self.rows = TorqueRows(
            span=np.zeros(2, np.int64),
            contact=np.zeros(2 * capacity, np.int64),
            rolls=np.zeros(2 * capacity, np.int64),
        )
        self.coupled = Coupled(
            counts=np.zeros(1, np.int64),
            group=np.zeros(2 * capacity, np.int64),
            contact=np.zeros(2 * capacity, np.int64),
            length=np.zeros(2 * capacity),
        )
        self._problem: ConstraintProblem | None = None

    def bind(self, arrays: Bound) -> None:
        """Bind the contacts and their owners; the problem follows when it is first filled."""
        self._problem = None
        self.sides, self.owners = arrays.take(ContactSides, "contacts"), arrays.take(Owners, "owners")
        self.lengths = arrays.take(Lengths, "contact")
        self.carriers: list[Carrier] = arrays.build.members("carriers")

    def append(self, problem: ConstraintProblem) -> None:
        """Laws and directions of all rows; their limits belong to the solve."""
        if problem is not self._problem:
            self._bind_problem(problem)
        count = self._list_rows()
        self.rows.span[0] = problem.reserve(count)
        self.coupled.counts[0] = count
        problem.coupled = self.coupled
        if count == 0:
            return
        self._fill_groups()
        for select, carrier in self._sides:
            self.points.count = select()
            if self.points.count:
                carrier.add_turn_rows(self.points)

    def set_bias(self, problem: ConstraintProblem) -> None:
        """Friction has none."""

    def _bind_problem(self, problem: ConstraintProblem) -> None:
        self._problem, contact = problem, self.contact
        self._list_rows = bind_kernel(
            list_torque_rows, self.sides, self.owners, self.lengths, self.rows, self.coupled
        )
        self._fill_groups = bind_kernel(
            fill_torque_groups,
            contact.first,
            self.sides,
            self.rows,
            problem.rows,
            problem.origin,
            self.coupled,
        )
        self._sides: list[tuple[Callable[[], int], Carrier]] = [
            (
                bind_kernel(
                    select_torque_sides, number, self.sides, self.owners, contact.directions, self.rows,
                    self.points.arrays,
                ),
                carrier,
            )
            for number, carrier in enumerate(self.carriers)
        ]  # fmt: skip
