"""Springs among the rows: they are closed when W is known, and have books of their own."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple.core.build import Build
from supple.core.members import Solve
from supple.core.schedule import Bound, Call, Each, Phase, System
from supple.mechanics.mechanism import Mechanism
from supple.mechanics.problem import ConstraintProblem
from supple.mechanics.problem_kernels import clear_groups
from supple.mechanics.solve_sums import name_energy
from supple.mechanics.spring_kernels import book_springs, close_springs, finish_books
from supple.mechanics.spring_tables import SpringTable

BOOKED = ("before", "potential", "stored", "numerical", "given")
"""The sums that springs add to."""


class SpringBook:
    """Stands for the springs of one solve. Collection `spring_books`."""

    reads = ()

    def __init__(self, solve: Solve) -> None:
        self.member, self.name, self.solve = solve, solve.name, solve.name

    def bind(self, arrays: Bound) -> None:
        """It looks at nothing."""


def list_tables(sources: list[Any]) -> list[SpringTable]:
    """The tables of those sources that have springs."""
    return [source.springs for source in sources if getattr(source, "springs", None) is not None]


def declare_books(build: Build, solve: Solve) -> None:
    """Where a solve has springs, somebody keeps their books."""
    if list_tables(build.members("row_sources", solve.name)):
        doc = "What springs that follow moving targets had stored after the last step."
        build.add_state(solve.array("driven"), [0.0], unit="J", doc=doc)
        build.add_member("spring_books", SpringBook(solve))


def bind_closing_springs(problem: ConstraintProblem, sources: list[Any], h: float) -> list[Call]:
    """What sets compliance and bias of the springs of all sources, after W."""
    return [
        Call(close_springs, h, table, problem.W.blocks, problem.rows, problem.origin)
        for table in list_tables(sources)
    ]


class BookSprings(System):
    """What springs have stored, and what they lost by being taken in steps."""

    phase = Phase.OBSERVE

    def __init__(self, build: Build, book: SpringBook) -> None:
        self.solve, self.rate = book.member, book.member.rate
        at = self.solve.array
        self.reads = (
            "run.time", at("problem"), at("impulse"), at("driven"), Each("mechanisms", "v_next", self.solve.name),
        )  # fmt: skip
        self.writes = (at("driven.next"),)
        self.sums = tuple(name_energy(self.solve, part) for part in BOOKED)
        self.adds = self.sums

    def bind(self, arrays: Bound) -> list[Call]:
        """Bind the tables of all sources and the velocities after the step."""
        at, h, time = self.solve.array, arrays.h, arrays["run.time"]
        problem: ConstraintProblem = arrays.record(at("problem"))
        mechanisms: list[Mechanism] = arrays.build.members("mechanisms", self.solve.name)
        velocity, sums = np.zeros((problem.capacity, 3)), np.zeros(5)
        adding = [
            one.jacobian.bind_row_velocities(arrays[one.v_next].reshape(-1), velocity) for one in mechanisms
        ]
        tables = list_tables(arrays.build.members("row_sources", self.solve.name))
        impulse = arrays[at("impulse")]
        booking = [
            Call(book_springs, h, time, table, problem.u_now, velocity, impulse, sums) for table in tables
        ]
        finish = Call(
            finish_books, time, arrays[at("driven")], sums, *(arrays[name] for name in self.sums),
            arrays[at("driven.next")],
        )  # fmt: skip

        return [Call(clear_groups, problem.counts, velocity), *adding, *booking, finish]
