"""A skin as a surface that touches."""

from __future__ import annotations

from supple.core.arrays import FloatArray, IntArray
from supple.core.schedule import Bound
from supple_ghost.mechanism import Ghosts
from supple_skin.components import Skin
from supple_skin.skin_kernels import add_skin_blocks, count_sides


class SkinSurface:
    """Hands contacts on the triangles of one skin to the joints of its ghost, through the blending."""

    def __init__(
        self, owner: str, path: str, skin: Skin, triangles: IntArray, rest: FloatArray, ghosts: Ghosts
    ) -> None:
        """`owner` begins the names of its arrays; `rest` [nv, 3] are the vertices in the neutral pose [m]."""
        self.name, self.path = owner, path
        self.positions, self.velocities = f"{owner}.position", f"{owner}.v"
        self.triangles, self.rest = triangles, rest
        self.friction, self.restitution = skin.friction, skin.restitution
        self.thickness, self.self_contact = skin.thickness, skin.self_contact
        self.ghosts = ghosts
        self.blend = tuple(f"{owner}.{part}" for part in ("bone", "weight", "local", "triangles"))
        self.contacts = ("contacts.count", "contacts.surface", "contacts.element", "contacts.weights")
        self.reads = ("ghost.rotation", *self.blend, *self.contacts)

    def bind(self, arrays: Bound) -> None:
        """Bind the blending and the contacts."""
        self.number = arrays.build.members("surfaces").index(self)
        self.rotation, *self.model = (arrays[name] for name in ("ghost.rotation", *self.blend))
        self.found = [arrays[name] for name in self.contacts]

    def add_contact_rows(self, first_group: int, directions: FloatArray) -> None:
        """Append one block for every side of a contact that lies on this skin."""
        ghosts, J = self.ghosts, self.ghosts.jacobian
        ghosts.refuse_overflow(count_sides(self.number, *self.found[:2]))
        add_skin_blocks(
            ghosts.bone, ghosts.dof, ghosts.axis, ghosts.x, self.rotation, *self.model, self.number, first_group,
            *self.found, directions, J.count, J.group, J.unit, J.dof, J.values,
        )  # fmt: skip
