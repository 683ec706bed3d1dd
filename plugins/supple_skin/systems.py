"""The systems of skins."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from supple.core.build import Build
from supple.core.schedule import Bound, Call, Phase, System
from supple_bones.kinematics_kernels import move_bones, set_twists
from supple_skin.kernels import move_vertices, observe_contacts, place_vertices

BLEND = ("bone", "weight", "local")


def list_owners(build: Build) -> list[str]:
    """What the names of the arrays of each skin begin with."""
    return [f"skin{index}" for index in range(len(build.having("skin")))]


class FollowBones(System):
    """The velocities that vertices would like to have, for collision.

    A ghost has no inertia: where its skin may be at the end of the step follows from where it wants to go, not from
    how it moved before.
    """

    phase = Phase.DETECT
    ghost = (
        "ghost.bone", "ghost.dof", "ghost.axis", "ghost.wanted_rate", "ghost.x", "ghost.rotation"
    )  # fmt: skip

    def __init__(self, build: Build) -> None:
        self.owners = list_owners(build)
        self.reads = (*self.ghost, *(f"{owner}.{part}" for owner in self.owners for part in BLEND))
        self.writes = tuple(f"{owner}.{part}" for owner in self.owners for part in ("v",))

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind the frames and all skins, and scratch."""
        bone, dof, axis, rate, x, rotation = (arrays[name] for name in self.ghost)
        velocity, twist, axis_rate = np.zeros((len(bone), 6)), np.zeros((len(bone), 6)), np.zeros_like(axis)
        h = arrays.h
        # Collision looks two steps of the fastest vertex ahead.
        fastest = [each.components["skin"].foresight / (2.0 * h) for each in arrays.build.having("skin")]
        skins = [
            ([arrays[f"{owner}.{part}"] for part in BLEND], limit, arrays[f"{owner}.v"])
            for owner, limit in zip(self.owners, fastest, strict=True)
        ]

        def follow() -> None:
            move_bones(bone, dof, axis, rate, velocity, axis_rate)
            set_twists(bone, x, rotation, velocity, twist)
            for blend, limit, velocities in skins:
                move_vertices(*blend, limit, rotation, twist, velocities)

        return follow


class AdvanceVertices(System):
    """Vertices follow the bones."""

    phase = Phase.ADVANCE
    frames = ("ghost.x.next", "ghost.rotation.next")

    def __init__(self, build: Build) -> None:
        self.owners = list_owners(build)
        self.reads = (*self.frames, *(f"{owner}.{part}" for owner in self.owners for part in BLEND))
        self.writes = tuple(f"{owner}.position.next" for owner in self.owners)

    def bind(self, arrays: Bound) -> list[Call]:
        """Bind the frames and all skins."""
        frames = [arrays[name] for name in self.frames]
        return [
            Call(
                place_vertices, *(arrays[f"{owner}.{part}"] for part in BLEND), *frames,
                arrays[f"{owner}.position.next"],
            )
            for owner in self.owners
        ]  # fmt: skip


class ObserveContacts(System):
    """What touched the skin."""

    phase = Phase.OBSERVE
    contacts = ("contacts.count", "contacts.surface", "contacts.gap", "contacts.force")

    def __init__(self, build: Build) -> None:
        self.owners = list_owners(build)
        self.reads = self.contacts
        self.writes = tuple(f"{owner}.observed" for owner in self.owners)

    def bind(self, arrays: Bound) -> list[Call]:
        """Bind the contacts and all skins."""
        contacts = [arrays[name] for name in self.contacts]
        surfaces = [each.name for each in arrays.build.members("surfaces")]
        return [
            Call(observe_contacts, surfaces.index(owner), *contacts, arrays[f"{owner}.observed"])
            for owner in self.owners
        ]
