"""The systems: decisions in PLAN, and what came of them in OBSERVE."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from supple.core.arrays import NEXT, FloatArray
from supple.core.build import Build
from supple.core.schedule import Bound, Phase, System
from supple.mechanics.contacts import Contacts
from supple_locomotion.body import SoftBody
from supple_locomotion.clock import Clock
from supple_locomotion.compile import OBSERVED, Controlled, list_controlled
from supple_locomotion.controller import Controller, Kept
from supple_locomotion.gait import BoundGait, GaitMemory
from supple_locomotion.goals import BoundGoal
from supple_locomotion.known import KnownImpulses
from supple_locomotion.patches import PatchFinder
from supple_locomotion.scales import Way
from supple_muscles.muscle_map import MuscleMap

BODY = ("tets.x", "tets.v", "tets.mass", "tets.rest")


class Decide(System):
    """Changes of muscles of all controllers."""

    phase = Phase.PLAN
    writes = ("locomotion.memory" + NEXT, "locomotion.modes" + NEXT)
    adds = ("muscles.change",)

    def __init__(self, build: Build) -> None:
        self.bodies = list_controlled(build)
        self.clocks = [Clock(build, each.entity.path) for each in self.bodies]
        self.muscles = [MuscleMap(build, each.entity.path) for each in self.bodies]
        self.mechanism = next(each for each in build.members("mechanisms") if each.name == "tets")
        names = [
            *BODY, "tets.v_free", "run.gravity", "run.step", "locomotion.memory", "locomotion.modes",
            *(f"contacts.{name}" for name in Contacts._fields), *self.mechanism.reads, "rows.problem",
        ]  # fmt: skip
        names.extend(name for clock in self.clocks for name in clock.reads)
        names.extend(name for muscles in self.muscles for name in muscles.reads)
        self.reads = tuple(dict.fromkeys(names))

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind every controller."""
        memory, modes = (arrays[name] for name in self.writes)
        last_memory, last_modes = arrays["locomotion.memory"], arrays["locomotion.modes"]
        change, step = arrays["muscles.change"], arrays["run.step"]
        controllers = [
            self._bind_controller(arrays, each, muscles, clock)
            for each, muscles, clock in zip(self.bodies, self.muscles, self.clocks, strict=True)
        ]

        def act() -> None:
            memory[:], modes[:] = last_memory, last_modes
            for controller in controllers:
                if int(step[0]) % controller.told.every == 0:
                    change[controller.muscles.segments] += controller.decide()

        return act

    def _bind_controller(
        self, arrays: Bound, each: Controlled, muscles: MuscleMap, clock: Clock
    ) -> Controller:
        memory, modes = (arrays[name] for name in self.writes)
        gravity = arrays["run.gravity"]
        x, v, mass, rest = (arrays[name] for name in BODY)
        body = SoftBody(x, v, mass, rest, each.body.vertices)
        clock.bind(arrays)
        muscles.bind(arrays)
        contacts = arrays.take(Contacts, "contacts")
        triangles = each.body.mesh.boundary
        finder = PatchFinder(body, contacts, each.surface, triangles, each.owner)
        kept_goals = each.view(memory, "goals")
        goals = [
            BoundGoal(goal, body, clock, each.parts, triangles, kept, gravity, pushes, each.known)
            for goal, kept, pushes in zip(each.told.goals.values(), kept_goals, each.announced, strict=True)
        ]
        gait, feet = None, []
        if each.told.gait is not None:
            kept = GaitMemory(**{name: each.view(memory, name) for name in GaitMemory._fields})
            gait = BoundGait(each.told.gait, body, clock, each.parts, each.period, kept)
            feet = [
                [number for number, part in enumerate(each.patch_parts) if part == foot]
                for foot in each.told.gait.feet
            ]
        told_scales = each.entity.components.get("scales")
        scales = Way(told_scales, body) if told_scales is not None else None
        weight = body.mass * max(float(np.linalg.norm(gravity)), 1.0)
        return Controller(
            each.told, arrays.h, weight, muscles, each.neutral, each.left, self.mechanism, arrays["tets.v_free"],
            finder, goals, KnownImpulses(each.known, body, clock), gait, feet,
            Kept(modes[each.patches], each.view(memory, "load"), each.view(memory, "counts")), scales,
        )  # fmt: skip


class Observe(System):
    """Where bodies got to, how smoothly, and what deciding took."""

    phase = Phase.OBSERVE
    reads = (
        "tets.mass", "tets.rest", "tets.v", "tets.x", "tets.x" + NEXT, "tets.v" + NEXT, "locomotion.v_before",
        "locomotion.memory" + NEXT,
    )  # fmt: skip
    writes = ("locomotion.observed", "locomotion.v_before" + NEXT, "locomotion.shake" + NEXT)

    def __init__(self, build: Build) -> None:
        self.bodies = list_controlled(build)

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind every body."""
        mass, rest, v, _x, x_next, v_next, v_before, memory = (arrays[name] for name in self.reads)
        observed, v_kept, shake = (arrays[name] for name in self.writes)
        seen = [
            Seen(each, SoftBody(x_next, v_next, mass, rest, each.body.vertices), memory, shake[row])
            for row, each in enumerate(self.bodies)
        ]

        def observe() -> None:
            v_kept[:] = v
            twice = v_next - 2.0 * v
            twice += v_before
            for row, each in enumerate(seen):
                each.observe(twice, observed[row])

        return observe


class Seen:
    """What is observed of one body."""

    def __init__(self, each: Controlled, body: SoftBody, memory: FloatArray, shake: FloatArray) -> None:
        self.each, self.body, self.memory, self.shake = each, body, memory, shake
        self.counts = each.view(memory, "counts")
        gait = each.told.gait
        self.steps = each.view(memory, "steps") if gait is not None else None
        trunk = each.told.trunk or (gait.trunk if gait is not None else "")
        self.trunk = each.parts[trunk] if trunk else None
        self.limbs = [each.parts[limb] for limb in each.told.limbs]
        heading = (
            np.array([gait.heading[0], 0.0, gait.heading[2]]) if gait is not None else np.array([1.0, 0, 0])
        )
        self.ahead = heading / np.linalg.norm(heading)
        self.left = np.cross([0.0, 1.0, 0.0], self.ahead)

    def observe(self, twice: FloatArray, out: FloatArray) -> None:
        """Fill a row of metrics; sums of jitter go on."""
        body, shake = self.body, self.shake
        centre, own = body.find_centre(), self.each.body.vertices
        decisions, programs, infeasible, pivoted = self.counts
        values = dict.fromkeys(OBSERVED, np.nan)
        values["decisions"], values["infeasible"] = float(decisions), float(infeasible)
        if decisions:
            if not shake[2]:
                shake[2:] = 1.0, *centre
            shake[0] += np.sqrt((twice[own] ** 2).sum(axis=1).mean()) / 4.0
            shake[1] += np.sqrt((body.v**2).sum(axis=1).mean())
            way = centre - shake[3:]
            values.update(
                distance=float(way @ self.ahead), sideways=float(way @ self.left),
                strayed=float(np.hypot(way[0], way[2])), stature=centre[1] / shake[4], rise=way[1],
                jitter=shake[0] / max(shake[1], 1e-12), programs=programs / decisions,
                pivoted=pivoted / decisions,
            )  # fmt: skip
        if self.steps is not None and decisions:
            values["steps"] = self.steps[0]
            values["least_lift"] = self.steps[1] if self.steps[0] else np.nan
        if self.trunk is not None and decisions:
            turn = body.find_turn(self.trunk)
            up = _turn_up(turn)
            values["tilt"] = np.degrees(np.arccos(np.clip(up[1], -1.0, 1.0)))
            values["turned"] = np.degrees(turn[1])
            if self.limbs:
                values["folded"] = np.degrees(max(body.find_fold(limb, self.trunk) for limb in self.limbs))
        out[:] = [values[name] for name in OBSERVED]


def _turn_up(turn: FloatArray) -> FloatArray:
    """Where the vertical of the rest shape points after a rotation vector."""
    angle = float(np.linalg.norm(turn))
    up = np.array([0.0, 1.0, 0.0])
    if angle < 1e-12:
        return up
    axis = turn / angle
    return np.asarray(
        np.cos(angle) * up + np.sin(angle) * np.cross(axis, up) + (1 - np.cos(angle)) * axis[1] * axis
    )
