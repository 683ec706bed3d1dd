"""The systems of flesh. Its part of FREE is done by `FleshLoad` within `skeleton.move_freely`."""

from __future__ import annotations

import numpy as np

from supple.core.arrays import NEXT
from supple.core.build import Build
from supple.core.schedule import Access, Bound, Call, Each, Phase, System
from supple.mechanics.energy_kernels import add_force_work
from supple.mechanics.points import PointHolder
from supple_bones.tables import name_arrays
from supple_flesh import observe_kernels as observe
from supple_flesh.mechanism import FleshMechanism, FleshSurface
from supple_flesh.motion_kernels import advance_vertices, place_vertices
from supple_flesh.release_kernels import (
    FAR,
    choose_active,
    forget_contacts,
    leave_together,
    mark_held,
    mark_touched,
    spread_rings,
)
from supple_flesh.strain import find_borders
from supple_flesh.strain_kernels import measure_strain
from supple_flesh.tables import (
    ADAPTIVE,
    AdvancedVertices,
    BoneAxes,
    BoneFrames,
    EnergyState,
    FeltForces,
    FreeMotion,
    Lag,
    LoadedContacts,
    MadeSkin,
    MovedSkin,
    Parting,
    Patches,
    PlacedVertices,
    Skins,
    Softness,
    Springs,
    Touches,
    VertexMotion,
    make_advance_scratch,
)
from supple_skeleton.step_tables import Balance

PATCHES, SPRINGS = name_arrays(Patches, "flesh"), name_arrays(Springs, "flesh")

# Fields whose arrays have other names than the group would say.
TOUCHES = {name: f"contacts.{name}" for name in Touches._fields} | {"counts": "contacts.count"}
CONTACTS = {name: f"contacts.{name}" for name in LoadedContacts._fields} | {"counts": "contacts.count"}
NEXT_BONES = {name: f"skeleton.{name}{NEXT}" for name in BoneFrames._fields}
NEXT_VERTICES = {name: f"flesh.{name}{NEXT}" for name in ("x", "v", "active", "surge")}
NEXT_PLACES = {name: f"flesh.{name}{NEXT}" for name in PlacedVertices._fields}
MOVED = {"rotation": f"skeleton.rotation{NEXT}", "x": f"flesh.x{NEXT}", "position": f"flesh.position{NEXT}"}


def find_flesh(build: Build) -> tuple[FleshMechanism, list[FleshSurface]]:
    """The mechanism, and the surfaces in the order of the parts of its pool."""
    mechanism = next(each for each in build.members("mechanisms") if isinstance(each, FleshMechanism))
    surfaces = [each for each in build.members("surfaces") if isinstance(each, FleshSurface)]
    return mechanism, sorted(surfaces, key=lambda surface: surface.part.vertices.start)


def list_skins(build: Build) -> Skins:
    """The surfaces of all flesh as kernels look for them."""
    _, surfaces = find_flesh(build)
    every = build.members("surfaces")
    return Skins(
        number=np.array([every.index(surface) for surface in surfaces], np.int64),
        first_triangle=np.array([surface.part.triangles.start for surface in surfaces], np.int64),
    )


class WakeVertices(System):
    """Vertices around contacts and where they are held become active at once; others stay so until they rest."""

    phase = Phase.DETECT
    reads: tuple[Access, ...] = (
        *TOUCHES.values(),
        *name_arrays(Softness, "flesh"),
        *name_arrays(VertexMotion, "flesh"),
        *SPRINGS,
        "flesh.active",
        "flesh.patch_of",
        "flesh.triangles",
        Each("point_holders", "held_surface"),
        Each("point_holders", "held_element"),
    )
    writes = ("flesh.mask",)

    def bind(self, arrays: Bound) -> list[Call]:
        """Bind contacts and state."""
        softness, settings = arrays.take(Softness, "flesh"), arrays.build.settings("flesh")
        ring = np.full(len(softness.state), FAR, np.int64)
        ahead = arrays.h if settings.integration == "implicit" else 0.0
        choose = Call(
            choose_active, settings.rest_displacement, settings.rest_speed, ahead, softness,
            arrays.take(Springs, "flesh"), ring, arrays.take(VertexMotion, "flesh"), arrays["flesh.active"],
            arrays["flesh.mask"],
        )  # fmt: skip
        if not (softness.state == ADAPTIVE).any():
            return [choose]
        patch_of = arrays["flesh.patch_of"]
        stay = np.zeros(int(patch_of.max()) + 1, np.int64)
        skins, triangles = list_skins(arrays.build), arrays["flesh.triangles"]
        holders: list[PointHolder] = arrays.build.members("point_holders")
        held = [
            (arrays[each.held_surface].reshape(-1), arrays[each.held_element].reshape(-1)) for each in holders
        ]
        most = int(softness.rings.max())
        return [
            Call(forget_contacts, ring),
            Call(mark_touched, arrays.take(Touches, "contacts", **TOUCHES), skins, triangles, ring),
            *(Call(mark_held, surface, element, skins, triangles, ring) for surface, element in held),
            Call(spread_rings, most, arrays["flesh.first"], arrays["flesh.neighbour"], ring),
            choose,
            Call(leave_together, patch_of, arrays["flesh.active"], stay, arrays["flesh.mask"]),
        ]


class AdvanceVertices(System):
    """Impulses change velocities; places follow, and with those of the bones where the vertices are in the world."""

    phase = Phase.ADVANCE
    reads = (
        *PATCHES, *name_arrays(BoneAxes, "skeleton"), *name_arrays(Lag, "flesh"), *NEXT_BONES.values(),
        "skeleton.v_rows", *name_arrays(VertexMotion, "flesh"), *name_arrays(FreeMotion, "flesh"), "flesh.mask",
        "flesh.impulse",
    )  # fmt: skip
    writes = ("flesh.twist_next", "flesh.y_next", *NEXT_VERTICES.values(), *NEXT_PLACES.values())

    def bind(self, arrays: Bound) -> list[Call]:
        """Bind both states."""
        patches, axes = arrays.take(Patches, "flesh"), arrays.take(BoneAxes, "skeleton")
        advanced = arrays.take(AdvancedVertices, "flesh", **NEXT_VERTICES)
        mechanism, _ = find_flesh(arrays.build)
        scratch = make_advance_scratch(mechanism.pool.count, len(axes.bone), len(axes.axis))
        return [
            Call(
                advance_vertices, arrays.h, patches, axes, arrays["skeleton.v_rows"],
                arrays.take(VertexMotion, "flesh"), arrays["flesh.mask"], arrays.take(Lag, "flesh"),
                arrays.take(FreeMotion, "flesh"), arrays["flesh.impulse"], mechanism.load.active.arrays, scratch,
                advanced,
            ),
            Call(
                place_vertices, patches, arrays.take(BoneFrames, "skeleton", **NEXT_BONES),
                VertexMotion(x=advanced.x, v=advanced.v), arrays.take(PlacedVertices, "flesh", **NEXT_PLACES),
            ),
        ]  # fmt: skip


class BalanceFlesh(System):
    """Energies of flesh beyond those of flesh at rest, which bones have, and the work of its dampers."""

    phase = Phase.OBSERVE
    reads = (
        *PATCHES, *SPRINGS, *name_arrays(Parting, "flesh"), *name_arrays(VertexMotion, "flesh"),
        *name_arrays(VertexMotion, "flesh", NEXT), "run.gravity", "skeleton.rotation", "skeleton.rotation.next",
        "skeleton.twist.next", "flesh.twist", "flesh.twist_next", "flesh.active", "flesh.mask", "flesh.applied",
        "flesh.y", "flesh.y_next",
    )  # fmt: skip
    adds = name_arrays(Balance, "energy")

    def bind(self, arrays: Bound) -> list[Call]:
        """Bind both states and the sums."""
        balance = arrays.take(Balance, "energy")
        start = arrays.take(EnergyState, "flesh", rotation="skeleton.rotation")
        end = EnergyState(
            rotation=arrays["skeleton.rotation.next"], twist=np.zeros_like(start.twist), x=arrays["flesh.x.next"],
            v=arrays["flesh.v.next"], active=arrays["flesh.mask"],
        )  # fmt: skip
        force, y, y_next = (arrays[f"flesh.{name}"].reshape(-1) for name in ("applied", "y", "y_next"))
        return [
            Call(
                observe.balance_flesh, arrays.h, arrays["run.gravity"], arrays.take(Patches, "flesh"),
                arrays.take(Springs, "flesh"), start, arrays.take(Parting, "flesh"), arrays["flesh.twist_next"],
                arrays["skeleton.twist.next"], end, balance,
            ),
            Call(add_force_work, arrays.h, force, y, y_next, balance.applied),
        ]  # fmt: skip


class ObserveFlesh(System):
    """Displacements of the vertices, forces on them, centres of pressure, and metrics."""

    phase = Phase.OBSERVE
    reads = (
        *name_arrays(MadeSkin, "flesh"), *CONTACTS.values(), *MOVED.values(),
        "flesh.rest", "flesh.mask", "flesh.position", "flesh.region_of", "flesh.loss_now", "flesh.loss",
        "flesh.impact",
    )  # fmt: skip
    writes = (
        "flesh.displacement.next", "flesh.observed", "flesh.force.next",
        "flesh.pressure.next", "flesh.loss.next", "flesh.impact.next",
    )  # fmt: skip

    def bind(self, arrays: Bound) -> list[Call]:
        """Bind the new state, the contacts and the metrics."""
        made, moved = arrays.take(MadeSkin, "flesh"), arrays.take(MovedSkin, "flesh", **MOVED)
        observed, (_, surfaces) = arrays["flesh.observed"], find_flesh(arrays.build)
        felt = FeltForces(
            force=arrays["flesh.force.next"], pressure=arrays["flesh.pressure.next"],
            whole=np.zeros((len(observed), 7)), observed=observed,
        )  # fmt: skip
        start = np.array([0, *(surface.part.vertices.stop for surface in surfaces)], np.int64)
        borders = find_borders(made.patch_of, made.first, made.neighbour, made.triangles)
        return [
            Call(
                observe.follow_flesh, start, arrays["flesh.rest"], arrays["flesh.position"], moved,
                arrays["flesh.displacement.next"], observed,
            ),
            Call(measure_strain, made, borders, moved, observed),
            Call(observe.forget_forces, felt),
            Call(
                observe.spread_all_forces, arrays["flesh.region_of"], made.triangles, list_skins(arrays.build),
                arrays.take(LoadedContacts, "contacts", **CONTACTS), felt,
            ),
            Call(
                observe.finish_metrics, made.patch_part, arrays["flesh.loss_now"], arrays["flesh.loss"],
                arrays["flesh.loss.next"], felt,
            ),
            Call(observe.watch_impacts, arrays.h, arrays["flesh.impact"], arrays["flesh.impact.next"], felt),
        ]  # fmt: skip
