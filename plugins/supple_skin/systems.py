"""The systems of skins."""

from __future__ import annotations

import numpy as np

from supple.core.build import Build
from supple.core.schedule import Bound, Call, Phase, System
from supple_bones.kinematics_kernels import move_bones, set_twists
from supple_skin.kernels import move_vertices, observe_contacts, place_vertices
from supple_skin.tables import SkinBlend


def list_owners(build: Build) -> list[str]:
    """What the names of the arrays of each skin begin with."""
    return [f"skin{index}" for index in range(len(build.having("skin")))]


def name_blends(owners: list[str]) -> tuple[str, ...]:
    """The arrays of `SkinBlend` of these skins."""
    return tuple(f"{owner}.{part}" for owner in owners for part in SkinBlend._fields)


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
        self.reads = (*self.ghost, *name_blends(self.owners))
        self.writes = tuple(f"{owner}.v" for owner in self.owners)

    def bind(self, arrays: Bound) -> list[Call]:
        """Bind the frames and all skins, and scratch."""
        bone, axis, rotation = arrays["ghost.bone"], arrays["ghost.axis"], arrays["ghost.rotation"]
        velocity, twist, axis_rate = np.zeros((len(bone), 6)), np.zeros((len(bone), 6)), np.zeros_like(axis)
        # Collision looks two steps of the fastest vertex ahead.
        fastest = [
            each.components["skin"].foresight / (2.0 * arrays.h) for each in arrays.build.having("skin")
        ]
        return [
            Call(
                move_bones, bone, arrays["ghost.dof"], axis, arrays["ghost.wanted_rate"], velocity, axis_rate
            ),
            Call(set_twists, bone, arrays["ghost.x"], rotation, velocity, twist),
            *(
                Call(
                    move_vertices, arrays.take(SkinBlend, owner), limit, rotation, twist, arrays[f"{owner}.v"]
                )
                for owner, limit in zip(self.owners, fastest, strict=True)
            ),
        ]


class AdvanceVertices(System):
    """Vertices follow the bones."""

    phase = Phase.ADVANCE

    def __init__(self, build: Build) -> None:
        self.owners = list_owners(build)
        self.reads = ("ghost.x.next", "ghost.rotation.next", *name_blends(self.owners))
        self.writes = tuple(f"{owner}.position.next" for owner in self.owners)

    def bind(self, arrays: Bound) -> list[Call]:
        """Bind the frames and all skins."""
        x, rotation = arrays["ghost.x.next"], arrays["ghost.rotation.next"]
        return [
            Call(
                place_vertices, arrays.take(SkinBlend, owner), x, rotation, arrays[f"{owner}.position.next"]
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
        count, surface, gap, force = (arrays[name] for name in self.contacts)
        surfaces = [each.name for each in arrays.build.members("surfaces")]
        return [
            Call(
                observe_contacts,
                surfaces.index(owner),
                count,
                surface,
                gap,
                force,
                arrays[f"{owner}.observed"],
            )
            for owner in self.owners
        ]
