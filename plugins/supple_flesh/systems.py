"""The systems of flesh. Its part of FREE is done by `FleshLoad` within `skeleton.move_freely`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from supple.core.build import Build
from supple.core.jit import bind_kernel
from supple.core.schedule import Bound, Phase, System
from supple.mechanics.energy_kernels import add_force_work
from supple_flesh import observe_kernels as observe
from supple_flesh.mechanism import FleshMechanism, FleshSurface
from supple_flesh.motion_kernels import advance_vertices, place_vertices
from supple_flesh.pool import ADAPTIVE, SOFT
from supple_flesh.release_kernels import choose_active, forget_contacts, mark_touched, spread_rings
from supple_flesh.strain import find_borders
from supple_flesh.strain_kernels import measure_strain
from supple_skeleton.forest import count_rows
from supple_skeleton.kinematics_kernels import follow_state


def find_flesh(build: Build) -> tuple[FleshMechanism, list[FleshSurface]]:
    """The mechanism, and the surfaces in the order of the parts of its pool."""
    mechanism = next(each for each in build.members("mechanisms") if isinstance(each, FleshMechanism))
    surfaces = [each for each in build.members("surfaces") if isinstance(each, FleshSurface)]
    return mechanism, sorted(surfaces, key=lambda surface: surface.part.vertices.start)


class PlaceVertices(System):
    """Vertices in the world follow from bones and places on them."""

    phase = Phase.DETECT
    bones = ("skeleton.x", "skeleton.rotation", "skeleton.twist")
    reads = ("flesh.patch_bone", "flesh.patch_of", *bones, "flesh.x", "flesh.v")

    def __init__(self, build: Build) -> None:
        _, self.surfaces = find_flesh(build)
        self.writes = tuple(name for each in self.surfaces for name in (each.positions, each.velocities))

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind state and bones."""
        patches, inputs = [arrays[name] for name in self.reads[:2]], [arrays[name] for name in self.reads[2:]]
        places = [
            (each.part.vertices.start, arrays[each.positions], arrays[each.velocities])
            for each in self.surfaces
        ]

        def place() -> None:
            for first, points, speeds in places:
                place_vertices(*patches, first, *inputs, points, speeds)

        return place


class WakeVertices(System):
    """Vertices around contacts become active at once; others stay so until they have come to rest."""

    phase = Phase.DETECT
    contacts = ("contacts.count", "contacts.surface", "contacts.element")
    model = ("flesh.state", "flesh.rings", "flesh.rest")
    state = ("flesh.x", "flesh.v", "flesh.active")
    reads = (*contacts, *model, *state, "flesh.triangles", "flesh.first", "flesh.neighbour")
    writes = ("flesh.mask",)

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind contacts and state."""
        contacts, model, state = (
            [arrays[name] for name in names] for names in (self.contacts, self.model, self.state)
        )
        triangles, first, neighbour = (arrays[name] for name in self.reads[-3:])
        mask, ring = arrays["flesh.mask"], np.zeros(len(arrays["flesh.mask"]), np.int64)
        settings = arrays.build.settings("flesh")
        thresholds = (settings.rest_displacement, settings.rest_speed)
        adaptive = bool((model[0] == ADAPTIVE).any())
        most = int(model[1].max())
        _, surfaces = find_flesh(arrays.build)

        def wake() -> None:
            forget_contacts(ring)
            if adaptive and contacts[0][0] > 0:
                for surface in surfaces:
                    mark_touched(*contacts, surface.number, triangles, surface.part.triangles.start, ring)
                spread_rings(most, first, neighbour, ring)
            choose_active(*thresholds, ADAPTIVE, SOFT, *model, ring, *state, mask)

        return wake


class AdvanceVertices(System):
    """Impulses change velocities; places follow."""

    phase = Phase.ADVANCE
    reads = (
        "flesh.patch_bone", "flesh.patch_of", "flesh.rest", "skeleton.bone", "skeleton.dof", "skeleton.x",
        "skeleton.rotation", "skeleton.axis", "skeleton.v.next", "flesh.x", "flesh.mask", "flesh.lag",
        "flesh.lag_moment", "flesh.v_free", "flesh.impulse",
    )  # fmt: skip
    writes = ("flesh.twist_next", "flesh.y_next", "flesh.x.next", "flesh.v.next", "flesh.active.next")

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind both states."""
        inputs, outputs = [arrays[name] for name in self.reads], [arrays[name] for name in self.writes]
        mechanism, _ = find_flesh(arrays.build)
        bones, rows, n = len(arrays["skeleton.bone"]), len(arrays["skeleton.axis"]), mechanism.pool.count
        scratch = [np.zeros((bones, 6)), np.zeros((rows, 6)), np.zeros((3, n)), np.zeros((3, n))]
        h, active = arrays.h, mechanism.load.active

        def advance() -> None:
            factor = (active.vertex, active.start, active.inverse_start, active.inverse)
            advance_vertices(h, *inputs, *factor, *scratch, *outputs)

        return advance


class BalanceFlesh(System):
    """Energies of flesh beyond those of flesh at rest, which bones have, and the work of its dampers."""

    phase = Phase.OBSERVE
    bones = ("skeleton.bone", "skeleton.dof", "skeleton.frame", "skeleton.q.next", "skeleton.v.next")
    flesh = (
        "run.gravity", "flesh.patch_bone", "flesh.patch_of", "flesh.mass", "flesh.rest",
        "flesh.vertex_stiffness", "flesh.damping", "flesh.first", "flesh.neighbour", "flesh.edge_stiffness",
        "skeleton.rotation", "flesh.twist", "flesh.x", "flesh.v", "flesh.active", "flesh.mask", "flesh.parting",
        "flesh.loss_now", "flesh.twist_next", "flesh.x.next", "flesh.v.next",
    )  # fmt: skip
    pushed = ("flesh.applied", "flesh.y", "flesh.y_next")
    reads = (*bones, *flesh, *pushed)
    adds = ("energy.before", "energy.kinetic", "energy.potential", "energy.applied")

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind both states and the sums. Where the bones are after the step, other adders only find out later."""
        bones, flesh, sums = (
            [arrays[name] for name in names] for names in (self.bones, self.flesh, self.adds)
        )
        count, rows = len(bones[0]), count_rows(bones[0], bones[1])
        rotation, twist, spatial = np.zeros((count, 4)), np.zeros((count, 6)), np.zeros((count, 6))
        places = (np.zeros((count, 3)), rotation, twist, np.zeros((rows, 6)), np.zeros((rows, 6)), spatial)
        twist_end, h = np.zeros_like(arrays["flesh.twist"]), arrays.h

        follow = bind_kernel(follow_state, *bones, *places)
        add_up = bind_kernel(observe.balance_flesh, h, *flesh, rotation, twist, twist_end, *sums)

        pushed = (arrays[name].reshape(-1) for name in self.pushed)
        add_work = bind_kernel(add_force_work, h, *pushed, arrays["energy.applied"])

        def balance() -> None:
            follow()
            add_up()
            add_work()

        return balance


class ObserveFlesh(System):
    """Vertices after the step, forces on them, centres of pressure, and metrics."""

    phase = Phase.OBSERVE
    places = (
        "flesh.patch_bone", "flesh.patch_of", "flesh.rest", "skeleton.position.next", "skeleton.orientation.next",
        "flesh.x.next", "flesh.mask", "flesh.position",
    )  # fmt: skip
    contacts = (
        "contacts.count", "contacts.surface", "contacts.element", "contacts.weights", "contacts.point",
        "contacts.normal", "contacts.force",
    )  # fmt: skip
    made = (
        "flesh.patch_bone", "flesh.patch_of", "flesh.patch_part", "flesh.first", "flesh.neighbour", "flesh.edge_length",
        "flesh.triangles", "flesh.corner_normal",
    )  # fmt: skip
    past = ("flesh.loss_now", "flesh.loss", "flesh.impact")
    reads = (*places, *contacts, *made[2:], *past, "flesh.region_of")
    writes = (
        "flesh.position.next", "flesh.displacement.next", "flesh.observed", "flesh.force.next",
        "flesh.pressure.next", "flesh.loss.next", "flesh.impact.next",
    )  # fmt: skip

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind the new state, the contacts and the metrics."""
        places, contacts, made = (
            [arrays[name] for name in names] for names in (self.places, self.contacts, self.made)
        )
        position, displacement, observed, force, pressure, loss_next, impact_next = (
            arrays[name] for name in self.writes
        )
        loss_now, loss, impact = (arrays[name] for name in self.past)
        _, patch_of, part_of, first, neighbour, _, triangles, _ = made
        moved = [arrays[name] for name in ("skeleton.orientation.next", "flesh.x.next", "flesh.mask")]
        whole, h = np.zeros((len(observed), 7)), arrays.h
        _, surfaces = find_flesh(arrays.build)
        start = np.array([0, *(surface.part.vertices.stop for surface in surfaces)], np.int64)
        numbers = [arrays.build.members("surfaces").index(surface) for surface in surfaces]
        calls = [
            bind_kernel(observe.follow_flesh, start, *places, position, displacement, observed),
            bind_kernel(
                measure_strain, *made, *find_borders(patch_of, first, neighbour, triangles), *moved, position, observed
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
