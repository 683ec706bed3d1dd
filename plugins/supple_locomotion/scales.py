"""Scales: friction that holds one way. Which of two coefficients a contact has, and what a controller knows of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.build import Build
from supple.core.schedule import Bound, Phase, System
from supple.mechanics.contacts import Contacts
from supple_locomotion.body import SoftBody
from supple_locomotion.components import Scales
from supple_qpcc.contact_problem import make_directions
from supple_qpcc.quantities import fit_rotation
from supple_tets.compile import TetBody

DIRECTIONS: Final = make_directions(8)
BACKWARD: Final = float(np.cos(np.pi / 4))
"""What slides within 45 degrees of straight back slides backward."""
OUTSIDE: Final = 1.0 + 1e-6
"""What is put on the hull is a little longer."""


class Scaled(NamedTuple):
    """A body with scales: what is told, the body, and its surface among all."""

    told: Scales
    body: TetBody
    surface: int


def list_scaled(build: Build) -> list[Scaled]:
    """All bodies with scales, sorted by path."""
    mechanism = next(each for each in build.members("mechanisms") if each.name == "tets")
    bodies = {body.path: body for body in mechanism.bodies}
    surfaces = [surface.name for surface in build.members("surfaces")]
    return [
        Scaled(entity.components["scales"], bodies[entity.path], surfaces.index(f"tets {entity.path}"))
        for entity in build.having("scales")
    ]


class Way:
    """Where ahead is: the way of the scales, turned as the body is."""

    def __init__(self, told: Scales, body: SoftBody) -> None:
        self.told, self.body = told, body
        self.start = np.array(told.ahead) / np.linalg.norm(told.ahead)

    def find(self) -> FloatArray:
        """Unit vector in the world."""
        return np.asarray(fit_rotation(self.body.x, self.body.rest) @ self.start)

    def scale_directions(self, tangents: FloatArray, friction: FloatArray) -> FloatArray:
        """Directions [c, 8, 2] in the frames of contacts, tangents [c, 2, 3], longer where friction is stronger.

        README eq. (9); friction [c] is that of the pairs.
        """
        along = tangents @ self.find()
        length = np.maximum(np.linalg.norm(along, axis=1), 1e-9)
        cosine, sine = along[:, 0] / length, along[:, 1] / length
        turn = np.stack([np.stack([cosine, -sine], axis=1), np.stack([sine, cosine], axis=1)], axis=1)
        stretch = np.maximum(self.told.backward / np.maximum(friction, 1e-9), 1e-9)
        return np.asarray(np.einsum("cij,ckj->cki", turn, stretch_first(stretch)))


def stretch_first(stretch: FloatArray) -> FloatArray:
    """DIRECTIONS [c, 8, 2] with the first one stretched, and what then lies within the others put on their hull.

    A contact slides between neighbours: with a direction between them that is too short to ever bound the speed of
    slip, the two that do are no neighbours, and no mode holds that motion. They are put outside by a millionth: on a
    side of the hull a force between its ends need not know the direction in the middle.
    """
    found = np.repeat(DIRECTIONS[None], len(stretch), axis=0)
    # Where the first is short: the chord between its neighbours.
    found[:, 0] *= np.maximum(stretch, OUTSIDE * BACKWARD)[:, None]
    # Where it is long: the chords from it to those across, met at 45 degrees.
    beside = np.maximum(1.0, OUTSIDE * stretch / (BACKWARD * (1.0 + stretch)))
    found[:, [1, -1]] *= beside[:, None, None]
    return found


class Grip(System):
    """The coefficient of every contact of scales, by where it would go without contact forces: README eq. (8)."""

    phase = Phase.PLAN
    reads = (
        "tets.x", "tets.v", "tets.mass", "tets.rest", "tets.v_free", "tets.plan", "rows.problem", "contacts.group",
        *(f"contacts.{name}" for name in Contacts._fields),
    )  # fmt: skip

    def __init__(self, build: Build) -> None:
        self.bodies = list_scaled(build)
        self.mechanism = next(each for each in build.members("mechanisms") if each.name == "tets")
        self.reads = (*self.reads, *self.mechanism.reads)

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind bodies, contacts and the rows that have the coefficients."""
        problem, group = arrays.record("rows.problem"), arrays["contacts.group"]
        contacts = arrays.take(Contacts, "contacts")
        x, v, mass, rest = (arrays[f"tets.{name}"] for name in ("x", "v", "mass", "rest"))
        v_free, plan = arrays["tets.v_free"], arrays["tets.plan"]
        ways = [Way(each.told, SoftBody(x, v, mass, rest, each.body.vertices)) for each in self.bodies]
        planned = np.zeros((1, v_free.size))

        def grip() -> None:
            self.mechanism.response(plan.reshape(1, -1), planned)
            would = v_free + planned.reshape(-1, 3)
            for each, way in zip(self.bodies, ways, strict=True):
                self._choose(each, way.find(), would, contacts, group, problem.friction)

        return grip

    def _choose(
        self, each: Scaled, ahead: FloatArray, would: FloatArray, contacts: Contacts, group: FloatArray,
        friction_out: FloatArray,
    ) -> None:  # fmt: skip
        count = int(contacts.count[0])
        which, side = np.nonzero(contacts.surface[:count] == each.surface)
        corners = each.body.mesh.boundary[contacts.element[which, side]] + each.body.vertices.start
        velocity = np.einsum("ck,cki->ci", contacts.weights[which, side], would[corners])
        normal = contacts.normal[which]
        velocity -= np.einsum("ci,ci->c", velocity, normal)[:, None] * normal
        back = velocity @ ahead < -BACKWARD * np.linalg.norm(velocity, axis=1)
        friction_out[group[which[back]]] = each.told.backward
