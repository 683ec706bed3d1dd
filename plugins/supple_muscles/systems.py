"""The systems of muscles."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from supple.core.build import Build
from supple.core.jit import bind_kernel
from supple.core.schedule import Bound, Call, Phase, System
from supple_muscles.ends import BodyEnds
from supple_muscles.kernels import (
    add_drives,
    add_fibre_stiffness,
    add_resisted_work,
    add_stress,
    choose_lengths,
    measure_lengths,
    scale_changes,
    settle,
)
from supple_muscles.tables import Bundle, Influence, Segments, Tissue
from supple_tets.tables import Matrix

INFLUENCE = tuple(f"muscles.{name}" for name in Influence._fields)
SEGMENTS = tuple(f"muscles.{name}" for name in Segments._fields)
BUNDLE = tuple(f"muscles.{name}" for name in Bundle._fields)
TISSUE = tuple(f"tets.{name}" for name in Tissue._fields)


class Drive(System):
    """What tracks and swings want."""

    phase = Phase.ACTUATE
    reads = (
        "run.time", "muscles.drive_number", "muscles.drive_shape", "muscles.drive_curve", "muscles.drive_piece",
        "muscles.drive_swing",
    )  # fmt: skip
    adds = ("muscles.wanted",)

    def bind(self, arrays: Bound) -> Call:
        """Bind the drives."""
        return Call(add_drives, arrays.h, *(arrays[name] for name in self.reads), arrays["muscles.wanted"])


class Contract(System):
    """Lengths that are asked for in this step, and the forces that follow."""

    phase = Phase.ACTUATE
    state = ("muscles.wanted", "muscles.asked", "muscles.length")
    reads = (*SEGMENTS, *INFLUENCE, *TISSUE, *state)
    writes = ("muscles.now", "muscles.stress")
    adds = ("tets.force",)

    def bind(self, arrays: Bound) -> list[Call]:
        """Bind segments and tissue."""
        segments, influence = arrays.take(Segments, "muscles"), arrays.take(Influence, "muscles")
        tissue, normals = arrays.take(Tissue, "tets"), np.zeros((4, 3))
        wanted, asked, length = (arrays[name] for name in self.state)
        now, stress = (arrays[name] for name in self.writes)
        return [
            Call(choose_lengths, arrays.h, segments, wanted, asked, length, now, stress),
            Call(add_stress, tissue, influence, stress, 1.0, normals, arrays["tets.force"]),
        ]


class Stiffen(System):
    """Muscles resist fast changes of their length within the step: else a stiff one would need a short step."""

    phase = Phase.FREE
    reads = (*BUNDLE, *TISSUE, "tets.slot")
    adds = tuple(f"tets.{name}" for name in Matrix._fields)

    def bind(self, arrays: Bound) -> Call:
        """Bind bundles, tissue and A."""
        bundle, tissue = arrays.take(Bundle, "muscles"), arrays.take(Tissue, "tets")
        matrix = arrays.take(Matrix, "tets")
        return Call(
            add_fibre_stiffness, arrays.h, tissue, arrays["tets.slot"], bundle, np.zeros((4, 3)), matrix
        )


class ApplyChanges(System):
    """Impulses of the changes that planners ask for: what they add to `muscles.change` acts in this very step."""

    phase = Phase.PLAN
    # It runs behind other planners, such as pushes; what they planned changes nothing about muscles.
    reads = (*SEGMENTS, *INFLUENCE, *TISSUE, "muscles.now", "muscles.change", "tets.plan")
    adds = ("tets.plan",)

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind segments and tissue."""
        segments, influence = arrays.take(Segments, "muscles"), arrays.take(Influence, "muscles")
        tissue, now, change = arrays.take(Tissue, "tets"), arrays["muscles.now"], arrays["muscles.change"]
        stress = np.zeros_like(now)
        scale = bind_kernel(scale_changes, segments, now, change, stress)
        add = bind_kernel(
            add_stress, tissue, influence, stress, arrays.h, np.zeros((4, 3)), arrays["tets.plan"]
        )

        def apply() -> None:
            if scale():
                add()

        return apply


class Settle(System):
    """What was asked for, and the lengths at the end of the step."""

    phase = Phase.ADVANCE
    state = ("tets.corner", "tets.x.next", "muscles.now", "muscles.change")
    reads = (*SEGMENTS, *state)
    writes = ("muscles.asked.next", "muscles.point.next", "muscles.length.next")

    def bind(self, arrays: Bound) -> list[Call]:
        """Bind segments and the new places."""
        segments = arrays.take(Segments, "muscles")
        corner, x, now, change = (arrays[name] for name in self.state)
        asked, point, length = (arrays[name] for name in self.writes)
        return [
            Call(settle, segments, now, change, asked),
            Call(measure_lengths, segments, corner, x, point, length),
        ]


class Balance(System):
    """Work of muscles: forces of the start are in that of all forces, here is what they resist within the step."""

    phase = Phase.OBSERVE
    reads = (*BUNDLE, *TISSUE, "tets.v", "tets.v.next")
    adds = ("energy.applied",)

    def bind(self, arrays: Bound) -> Call:
        """Bind bundles, tissue and both velocities."""
        bundle, tissue = arrays.take(Bundle, "muscles"), arrays.take(Tissue, "tets")
        v, v_next, work = arrays["tets.v"], arrays["tets.v.next"], arrays["energy.applied"]
        return Call(add_resisted_work, arrays.h, tissue, bundle, np.zeros((4, 3)), v, v_next, work)


class Observe(System):
    """Metrics."""

    phase = Phase.OBSERVE
    reads = (
        "muscles.span", "muscles.rest_length", "muscles.asked.next", "muscles.length.next", "muscles.stress",
        "tets.x.next", "tets.rest",
    )  # fmt: skip
    writes = ("muscles.observed", "muscles.shown")

    def __init__(self, build: Build) -> None:
        mechanism = next(each for each in build.members("mechanisms") if each.name == "tets")
        bodies = {body.path: body for body in mechanism.bodies}
        self.ends = [
            BodyEnds(bodies[entity.path]) if entity.components["muscles"].measure else None
            for entity in build.having("muscles")
        ]

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind segments and bodies."""
        span, rest_length, asked, length, stress, x, rest = (arrays[name] for name in self.reads)
        observed, shown = (arrays[name] for name in self.writes)
        rows = [(slice(int(a), int(b)), ends) for (a, b, _, _), ends in zip(span, self.ends, strict=True)]

        def observe() -> None:
            np.subtract(1.0, asked, out=shown)
            for row, (own, ends) in enumerate(rows):
                observed[row, 0] = shown[own].max()
                observed[row, 1] = (length[own] / rest_length[own]).min()
                observed[row, 2] = -stress[own].min()
                observed[row, 3:] = np.nan if ends is None else ends.measure(rest, x)

        return observe
