"""The systems of flesh. Its part of FREE is done by `FleshLoad` within `skeleton.move_freely`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from supple.core.build import Build
from supple.core.jit import bind_kernel
from supple.core.schedule import Access, Bound, Call, Each, Phase, System
from supple.mechanics.energy_kernels import add_force_work
from supple.mechanics.points import PointHolder
from supple_flesh import observe_kernels as observe
from supple_flesh.mechanism import FleshMechanism, FleshSurface
from supple_flesh.motion_kernels import advance_vertices, place_vertices
from supple_flesh.pool import ADAPTIVE, SOFT
from supple_flesh.release_kernels import choose_active, forget_contacts, mark_held, mark_touched, spread_rings
from supple_flesh.strain import find_borders
from supple_flesh.strain_kernels import measure_strain


def find_flesh(build: Build) -> tuple[FleshMechanism, list[FleshSurface]]:
    """The mechanism, and the surfaces in the order of the parts of its pool."""
    mechanism = next(each for each in build.members("mechanisms") if isinstance(each, FleshMechanism))
    surfaces = [each for each in build.members("surfaces") if isinstance(each, FleshSurface)]
    return mechanism, sorted(surfaces, key=lambda surface: surface.part.vertices.start)


class WakeVertices(System):
    """Vertices around contacts and where they are held become active at once; others stay so until they rest."""

    phase = Phase.DETECT
    contacts = ("contacts.count", "contacts.surface", "contacts.element")
    model = ("flesh.state", "flesh.rings", "flesh.rest")
    state = ("flesh.x", "flesh.v", "flesh.active")
    vertices = ("flesh.triangles", "flesh.first", "flesh.neighbour")
    held = (Each("point_holders", "held_surface"), Each("point_holders", "held_element"))
    reads: tuple[Access, ...] = (*contacts, *model, *state, *vertices, *held)
    writes = ("flesh.mask",)

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind contacts and state."""
        contacts, model, state = (
            [arrays[name] for name in names] for names in (self.contacts, self.model, self.state)
        )
        triangles, first, neighbour = (arrays[name] for name in self.vertices)
        mask, ring = arrays["flesh.mask"], np.zeros(len(arrays["flesh.mask"]), np.int64)
        settings = arrays.build.settings("flesh")
        thresholds = (settings.rest_displacement, settings.rest_speed)
        adaptive = bool((model[0] == ADAPTIVE).any())
        most = int(model[1].max())
        _, surfaces = find_flesh(arrays.build)
        holders: list[PointHolder] = arrays.build.members("point_holders")
        held = [
            [arrays[name].reshape(-1) for name in (each.held_surface, each.held_element)] for each in holders
        ]

        def wake() -> None:
            forget_contacts(ring)
            if adaptive and (held or contacts[0][0] > 0):
                for surface in surfaces:
                    mark_touched(*contacts, surface.number, triangles, surface.part.triangles.start, ring)
                    for points in held:
                        mark_held(*points, surface.number, triangles, surface.part.triangles.start, ring)
                spread_rings(most, first, neighbour, ring)
            choose_active(*thresholds, ADAPTIVE, SOFT, *model, ring, *state, mask)

        return wake


class AdvanceVertices(System):
    """Impulses change velocities; places follow, and with those of the bones where the vertices are in the world."""

    phase = Phase.ADVANCE
    given = (
        "flesh.patch_bone", "flesh.patch_of", "flesh.rest", "skeleton.bone", "skeleton.dof", "skeleton.x",
        "skeleton.rotation", "skeleton.axis", "skeleton.v.next", "flesh.x", "flesh.mask", "flesh.lag",
        "flesh.lag_moment", "flesh.v_free", "flesh.impulse",
    )  # fmt: skip
    bones = ("skeleton.x.next", "skeleton.rotation.next", "skeleton.twist.next")
    moved = ("flesh.twist_next", "flesh.y_next", "flesh.x.next", "flesh.v.next", "flesh.active.next")
    seen = ("flesh.position.next", "flesh.velocity.next")
    reads, writes = (*given, *bones), (*moved, *seen)

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind both states."""
        inputs, outputs = [arrays[name] for name in self.given], [arrays[name] for name in self.moved]
        placed = (
            "flesh.patch_bone",
            "flesh.patch_of",
            *self.bones,
            "flesh.x.next",
            "flesh.v.next",
            *self.seen,
        )
        place = bind_kernel(place_vertices, *(arrays[name] for name in placed))
        mechanism, _ = find_flesh(arrays.build)
        bones, rows, n = len(arrays["skeleton.bone"]), len(arrays["skeleton.axis"]), mechanism.pool.count
        scratch = [np.zeros((bones, 6)), np.zeros((rows, 6)), np.zeros((3, n)), np.zeros((3, n))]
        h, active = arrays.h, mechanism.load.active

        def advance() -> None:
            factor = (active.vertex, active.start, active.inverse_start, active.inverse)
            advance_vertices(h, *inputs, *factor, *scratch, *outputs)
            place()

        return advance


class BalanceFlesh(System):
    """Energies of flesh beyond those of flesh at rest, which bones have, and the work of its dampers."""

    phase = Phase.OBSERVE
    states = (
        "run.gravity", "flesh.patch_bone", "flesh.patch_of", "flesh.mass", "flesh.rest",
        "flesh.vertex_stiffness", "flesh.damping", "flesh.first", "flesh.neighbour", "flesh.edge_stiffness",
        "skeleton.rotation", "flesh.twist", "flesh.x", "flesh.v", "flesh.active", "flesh.mask", "flesh.parting",
        "flesh.loss_now", "flesh.twist_next", "flesh.x.next", "flesh.v.next", "skeleton.rotation.next",
        "skeleton.twist.next",
    )  # fmt: skip
    pushed = ("flesh.applied", "flesh.y", "flesh.y_next")
    reads = (*states, *pushed)
    adds = ("energy.before", "energy.kinetic", "energy.potential", "energy.applied")

    def bind(self, arrays: Bound) -> list[Call]:
        """Bind both states and the sums."""
        inputs, sums = [arrays[name] for name in self.states], [arrays[name] for name in self.adds]
        twist_end = np.zeros_like(arrays["flesh.twist"])
        pushed = (arrays[name].reshape(-1) for name in self.pushed)
        return [
            Call(observe.balance_flesh, arrays.h, *inputs, twist_end, *sums),
            Call(add_force_work, arrays.h, *pushed, arrays["energy.applied"]),
        ]


class ObserveFlesh(System):
    """Displacements of the vertices, forces on them, centres of pressure, and metrics."""

    phase = Phase.OBSERVE
    places = ("flesh.rest", "flesh.x.next", "flesh.mask", "flesh.position", "flesh.position.next")
    contacts = (
        "contacts.count", "contacts.surface", "contacts.element", "contacts.weights", "contacts.point",
        "contacts.normal", "contacts.force",
    )  # fmt: skip
    made = (
        "flesh.patch_bone", "flesh.patch_of", "flesh.patch_part", "flesh.first", "flesh.neighbour", "flesh.edge_length",
        "flesh.triangles", "flesh.corner_normal",
    )  # fmt: skip
    past = ("flesh.loss_now", "flesh.loss", "flesh.impact")
    reads = (*places, *contacts, *made, *past, "flesh.region_of", "skeleton.rotation.next")
    writes = (
        "flesh.displacement.next", "flesh.observed", "flesh.force.next",
        "flesh.pressure.next", "flesh.loss.next", "flesh.impact.next",
    )  # fmt: skip

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind the new state, the contacts and the metrics."""
        places, contacts, made = (
            [arrays[name] for name in names] for names in (self.places, self.contacts, self.made)
        )
        displacement, observed, force, pressure, loss_next, impact_next = (
            arrays[name] for name in self.writes
        )
        loss_now, loss, impact = (arrays[name] for name in self.past)
        _, patch_of, part_of, first, neighbour, _, triangles, _ = made
        moved = [
            arrays[name]
            for name in ("skeleton.rotation.next", "flesh.x.next", "flesh.mask", "flesh.position.next")
        ]
        whole, h = np.zeros((len(observed), 7)), arrays.h
        _, surfaces = find_flesh(arrays.build)
        start = np.array([0, *(surface.part.vertices.stop for surface in surfaces)], np.int64)
        numbers = [arrays.build.members("surfaces").index(surface) for surface in surfaces]
        calls = [
            bind_kernel(observe.follow_flesh, start, *places, displacement, observed),
            bind_kernel(
                measure_strain, *made, *find_borders(patch_of, first, neighbour, triangles), *moved, observed
            ),
            bind_kernel(observe.forget_forces, force, pressure, whole, observed),
            *(
                bind_kernel(
                    observe.spread_forces, arrays["flesh.region_of"], triangles, surface.part.triangles.start, part,
                    numbers[part], *contacts, force, pressure, whole, observed,
                )
                for part, surface in enumerate(surfaces)
            ),
            bind_kernel(observe.finish_metrics, part_of, loss_now, loss, pressure, whole, loss_next, observed),
            bind_kernel(observe.watch_impacts, h, whole, impact, impact_next, observed),
        ]  # fmt: skip

        def look() -> None:
            for call in calls:
                call()

        return look
