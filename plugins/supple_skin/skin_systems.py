"""The systems of skins."""

from __future__ import annotations

from collections.abc import Callable

from supple.core.build import Build
from supple.core.schedule import Bound, Phase, System
from supple_skin.skin_kernels import move_vertices, observe_contacts, place_vertices

BLEND = ("bone", "weight", "local")


def list_owners(build: Build) -> list[str]:
    """What the names of the arrays of each skin begin with."""
    return [f"skin{index}" for index in range(len(build.having("skin")))]


class FollowBones(System):
    """Vertices and their velocities follow the bones, for collision to see."""

    phase = Phase.DETECT

    def __init__(self, build: Build) -> None:
        self.owners = list_owners(build)
        blends = (f"{owner}.{part}" for owner in self.owners for part in BLEND)
        self.reads = ("ghost.x", "ghost.rotation", "ghost.twist", *blends)
        self.writes = tuple(f"{owner}.{part}" for owner in self.owners for part in ("x", "v"))

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind the frames and all skins."""
        frames = [arrays[name] for name in ("ghost.x", "ghost.rotation", "ghost.twist")]
        skins = [
            ([arrays[f"{owner}.{part}"] for part in BLEND], arrays[f"{owner}.x"], arrays[f"{owner}.v"])
            for owner in self.owners
        ]

        def follow() -> None:
            for blend, x, v in skins:
                move_vertices(*blend, *frames, x, v)

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
