"""The systems of tetrahedra."""

from __future__ import annotations

import numpy as np

from supple.core.build import Build
from supple.core.schedule import Bound, Call, Phase, System
from supple_tets.balance_kernels import balance_elements, balance_vertices, make_powers
from supple_tets.element_kernels import add_elements, follow_shape, start_step
from supple_tets.observe_kernels import advance, observe_bodies, remember
from supple_tets.row_kernels import move_skins
from supple_tets.tables import (
    Books,
    Elements,
    Embedding,
    Factor,
    Matrix,
    Moved,
    Now,
    Observed,
    Scratch,
    Vertices,
)
from supple_tets.turn_kernels import make_lanes


def name_fields(*groups: type) -> tuple[str, ...]:
    """The arrays of these tuples, each once."""
    names = {f"tets.{name}": None for group in groups for name in group._fields}  # type: ignore[attr-defined]
    return tuple(names)


def make_scratch() -> Scratch:
    """Room for one tetrahedron."""
    return Scratch(gradient=np.zeros((4, 3)), stiffness=np.zeros((12, 12)), rigid=np.zeros((6, 12)))


class AssembleMatrix(System):
    """Forces and A at the present shape. Others may add to A in the same phase: what stiffens a body."""

    phase = Phase.FREE
    reads = (*name_fields(Elements, Vertices, Now), "tets.force", "run.gravity")
    writes = ("tets.right",)
    adds = name_fields(Matrix)

    def bind(self, arrays: Bound) -> list[Call]:
        """Bind the mesh and the state."""
        elements, vertices = arrays.take(Elements, "tets"), arrays.take(Vertices, "tets")
        matrix = arrays.take(Matrix, "tets")
        now, right = arrays.take(Now, "tets"), arrays["tets.right"]
        scratch = make_scratch()
        return [
            Call(
                start_step,
                arrays.h,
                vertices,
                arrays["run.gravity"],
                now,
                arrays["tets.force"],
                right,
                matrix,
            ),
            Call(add_elements, arrays.h, elements, vertices.fixed, now, scratch, make_lanes(), right, matrix),
        ]


class AdvanceVertices(System):
    """Impulses change the velocities; vertices follow, and tetrahedra turn."""

    phase = Phase.ADVANCE
    state = ("tets.x", "tets.turn", "tets.v_free", "tets.impulse")
    before = ("tets.v", "tets.v_before.next", "tets.last_step.next")
    reads = (*name_fields(Elements, Factor), *state, "tets.v")
    moved = ("tets.x.next", "tets.v.next", "tets.turn.next", "tets.stored.next", "tets.shape")
    writes = (*moved, *before[1:])

    def __init__(self, build: Build) -> None:
        self.held = next(each.held for each in build.members("mechanisms") if each.name == "tets")

    def bind(self, arrays: Bound) -> list[Call]:
        """Bind both states."""
        elements, factor = arrays.take(Elements, "tets"), arrays.take(Factor, "tets")
        x, turn, v_free, impulse = (arrays[name] for name in self.state)
        x_next, v_next, turn_next, stored, shape = (arrays[name] for name in self.moved)
        return [
            Call(remember, arrays.h, *(arrays[name] for name in self.before)),
            Call(
                advance,
                arrays.h,
                factor,
                x,
                v_free,
                impulse,
                self.held.state,
                np.zeros((2 * len(x), 3)),
                x_next,
                v_next,
            ),
            Call(follow_shape, elements, x_next, turn, make_lanes(), turn_next, stored, shape),
        ]


class MoveSkins(System):
    """Fine surfaces move with the tetrahedra that they lie in."""

    phase = Phase.ADVANCE
    moved = ("tets.x.next", "tets.v.next")
    reads = (*name_fields(Embedding), *moved)
    writes = ("tets.skin_x.next", "tets.skin_v.next")

    def bind(self, arrays: Bound) -> Call:
        """Bind both."""
        embedding = arrays.take(Embedding, "tets")
        return Call(move_skins, embedding, *(arrays[name] for name in (*self.moved, *self.writes)))


class ObserveBodies(System):
    """Metrics and energy."""

    phase = Phase.OBSERVE
    next_state = tuple(f"tets.{name}.next" for name in Moved._fields)
    model = ("tets.span", "tets.volume", "run.gravity", "tets.mass", "tets.rest", "tets.force")
    reads = (*model, *name_fields(Moved), *next_state, "tets.shape")
    writes = ("tets.observed",)
    adds = ("energy.before", "energy.kinetic", "energy.potential", "energy.applied")

    def bind(self, arrays: Bound) -> Call:
        """Bind both states."""
        span, volume, gravity, mass, rest, force = (arrays[name] for name in self.model)
        whole = np.array([volume[first:last].sum() for first, last in span[:, 2:]])
        before = arrays.take(Moved, "tets")
        after = arrays.take(Moved, "tets", **{name: f"tets.{name}.next" for name in Moved._fields})
        seen = arrays.take(Observed, "energy", observed="tets.observed")
        return Call(
            observe_bodies,
            arrays.h,
            span,
            whole,
            gravity,
            mass,
            rest,
            force,
            before,
            after,
            arrays["tets.shape"],
            seen,
        )


class BalanceBodies(System):
    """What damping and the scheme of steps take."""

    phase = Phase.OBSERVE
    reads = (*name_fields(Elements, Vertices, Now), "tets.turn.next", "tets.v.next")
    adds = tuple(f"energy.{name}" for name in Books._fields)

    def bind(self, arrays: Bound) -> list[Call]:
        """Bind the mesh and both states."""
        elements, vertices = arrays.take(Elements, "tets"), arrays.take(Vertices, "tets")
        now, books, h = arrays.take(Now, "tets"), arrays.take(Books, "energy"), arrays.h
        turn_next, v_next = arrays["tets.turn.next"], arrays["tets.v.next"]
        mean, held, scratch = np.zeros_like(v_next), np.zeros_like(v_next), make_scratch()
        return [
            Call(balance_vertices, h, vertices, now, v_next, books, mean, held),
            Call(
                balance_elements,
                h,
                elements,
                now,
                turn_next,
                v_next,
                mean,
                held,
                scratch,
                make_powers(),
                books,
            ),
        ]
