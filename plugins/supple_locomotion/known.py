"""Pushes that a controller knows of: what they do to the body in a step. README eq. (1) and (4)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.build import Build
from supple.core.entity import Entity
from supple.core.pose import rotate
from supple.mechanics.points import find_surface_of, hold_nearest
from supple_locomotion.body import SoftBody
from supple_locomotion.clock import Clock
from supple_locomotion.preview import Announced, read_announced
from supple_tets.compile import TetBody
from supple_tets.mesh import find_tet


class KnownPush(NamedTuple):
    """A push that goals foresee, and where it acts: corners of a tetrahedron, counted within the body."""

    announced: Announced
    force: FloatArray  # [3] when it has risen [N]
    vertices: IntArray  # [4]
    weights: FloatArray  # [4]

    def find_force(self, time: float, h: float) -> FloatArray:
        """Mean force in the step [3] [N]."""
        share = self.announced.mean_share(np.array([time]), np.array([time + h]))
        return np.asarray(share[0] * self.force)


def find_known(build: Build, entity: Entity, body: TetBody, names: set[str]) -> list[KnownPush]:
    """The events of these names that push this body."""
    if not names:
        return []
    surface = find_surface_of(build, entity.path, f"{entity.path}.locomotion.goals")
    assert surface is not None
    events = {event.path: event for event in build.having("push")}
    position, rotation = build.pose(entity.path)
    back = rotation * np.array([1.0, -1.0, -1.0, -1.0])
    found = []
    for name in sorted(names):
        push, (announced,) = events[name].components["push"], read_announced(build, entity, (name,))
        # Pushes act on the surface, where it is nearest to the point that is told.
        held = hold_nearest(build, surface, position + rotate(rotation, np.array(push.point)))
        tet, weights = find_tet(body.mesh, rotate(back, held.position - position)[None])
        vertices = body.mesh.tets[tet[0]]
        found.append(KnownPush(announced, np.array(push.force, np.float64), vertices, weights[0]))
    return found


class KnownImpulses:
    """What known pushes add to velocities, beside the free motion, in which pushes are not yet."""

    def __init__(self, pushes: list[KnownPush], body: SoftBody, clock: Clock) -> None:
        self.pushes, self.body, self.clock = pushes, body, clock
        self._impulse = body.make_rows(1)

    def find_change(self, answer: FloatArray) -> FloatArray:
        """By how much rows change in the step, answer being A^-1 of the rows [k, 3 n]."""
        if not self.pushes:
            return np.zeros(len(answer))
        self._impulse[:] = 0.0
        view, h = self.body.spread(self._impulse)[0], self.clock.h
        for push in self.pushes:
            force = push.find_force(self.clock.time, h)
            np.add.at(view, push.vertices, h * push.weights[:, None] * force)
        return np.asarray(answer @ self._impulse[0])


def find_torque(
    pushes: list[KnownPush], body: SoftBody, time: float, h: float, about: FloatArray
) -> FloatArray:
    """Torque of known pushes about a point, mean of the step [3] [N m]."""
    torque = np.zeros(3)
    for push in pushes:
        point = push.weights @ body.x[push.vertices]
        torque += np.cross(point - about, push.find_force(time, h))
    return torque
