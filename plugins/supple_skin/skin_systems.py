"""The systems of skins."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from supple.core.build import Build
from supple.core.schedule import Bound, Phase, System
from supple_skeleton.kinematics_kernels import move_bones, set_twists
from supple_skin.skin_kernels import move_vertices, observe_contacts, place_vertices

BLEND = ("bone", "weight", "local")


def list_owners(build: Build) -> list[str]:
    """What the names of the arrays of each skin begin with."""
    return [f"skin{index}" for index in range(len(build.having("skin")))]


class FollowBones(System):
    """Vertices follow the bones; collision sees them, and the velocities that they would like to have.

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
        self.writes = tuple(f"{owner}.{part}" for owner in self.owners for part in ("x", "v"))

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind the frames and all skins, and scratch."""
        bone, dof, axis, rate, x, rotation = (arrays[name] for name in self.ghost)
        velocity, twist, axis_rate = np.zeros((len(bone), 6)), np.zeros((len(bone), 6)), np.zeros_like(axis)
        h = arrays.h
        # Collision looks two steps of the fastest vertex ahead.
        fastest = [each.components["skin"].foresight / (2.0 * h) for each in arrays.build.having("skin")]
        skins = [
            ([arrays[f"{owner}.{part}"] for part in BLEND], limit, arrays[f"{owner}.x"], arrays[f"{owner}.v"])
            for owner, limit in zip(self.owners, fastest, strict=True)
        ]

        def follow() -> None:
            move_bones(bone, dof, axis, rate, velocity, axis_rate)
            set_twists(bone, x, rotation, velocity, twist)
            for blend, limit, vertices, velocities in skins:
                place_vertices(*blend, x, rotation, vertices)
                move_vertices(*blend, limit, rotation, twist, velocities)

        return follow


class ObserveContacts(System):
    """Vertices after the step, for pictures, and what touched the skin."""

    phase = Phase.OBSERVE
    contacts = ("contacts.count", "contacts.surface", "contacts.gap", "contacts.force")

    def __init__(self, build: Build) -> None:
        self.owners = list_owners(build)
        blends = (f"{owner}.{part}" for owner in self.owners for part in BLEND)
        self.reads = ("ghost.position.next", "ghost.orientation.next", *self.contacts, *blends)
        self.writes = tuple(
            f"{owner}.{part}" for owner in self.owners for part in ("position.next", "observed")
        )

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind the frames, the contacts and all skins."""
        frames = [arrays[name] for name in ("ghost.position.next", "ghost.orientation.next")]
        contacts = [arrays[name] for name in self.contacts]
        surfaces = [each.name for each in arrays.build.members("surfaces")]
        skins = [
            (
                [arrays[f"{owner}.{part}"] for part in BLEND], arrays[f"{owner}.position.next"],
                surfaces.index(owner), arrays[f"{owner}.observed"],
            )
            for owner in self.owners
        ]  # fmt: skip

        def observe() -> None:
            for blend, x, number, observed in skins:
                place_vertices(*blend, *frames, x)
                observe_contacts(number, *contacts, observed)

        return observe
