"""One controller: what it asks of the dynamics, and the tables of its tasks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.entity import Entity
from supple.core.schedule import Bound, Call, Work
from supple.errors import PluginError
from supple.mechanics.combined_dynamics import CombinedDynamics
from supple.mechanics.dynamics import MOTION_SIZE, WHOLE_SIZE, Dynamics, FramePoint
from supple_bones.layout import FREE, JOINT
from supple_bones.limit_kernels import SWING
from supple_tasks import layout
from supple_tasks.command_kernels import command_tasks
from supple_tasks.compile import find_joints, get_tasks, list_limits
from supple_tasks.components import Task
from supple_tasks.footing import MOST_CONTACTS, make_honest
from supple_tasks.level_kernels import prioritise
from supple_tasks.library import fill_shelf, name_library
from supple_tasks.look_kernels import act_and_tell, look_at_centres, look_at_points
from supple_tasks.nearest_kernels import find_nearest
from supple_tasks.records import Book, Centres, Clock, Joints, Points, Seen
from supple_tasks.tables import (
    INVERSES,
    Choice,
    Limits,
    Motion,
    Wishes,
    make_answer,
    make_bounds,
    make_room,
)


class Controller:
    """The tasks of one entity, bound to the state of the world."""

    def __init__(
        self, entity: Entity, number: int, first: int, dynamics: CombinedDynamics, arrays: Bound, clock: Clock,
        shelf: int = 0,
    ) -> None:  # fmt: skip
        """`number` is its row among the controllers, `first` that of its first task, `shelf` that of its libraries."""
        self.entity, self.dynamics, self.arrays = entity, dynamics, arrays
        self.tasks = get_tasks(entity).sorted_tasks()
        mine = slice(first, first + len(self.tasks))
        self.book = Book(
            task=arrays["tasks.task"][mine], number=arrays["tasks.number"][mine],
            during=arrays["tasks.during"][mine], curve=arrays["tasks.curve"], segment=arrays["tasks.segment"],
            told=arrays["tasks.told"][mine],
        )  # fmt: skip
        self.observed = arrays["tasks.observed"][mine]
        count, n = len(self.tasks), dynamics.size
        rows = int(self.book.task[:, layout.ROWS].sum())
        self.motion, self.wishes = self._make_motion(n), self._make_wishes(rows, n)
        self.limits = Limits(
            first=self.book.task[:, layout.FIRST].copy(), size=self.book.task[:, layout.ROWS].copy(),
            strongest=self.book.number[:, layout.FORCE].copy(), drift=np.zeros(rows),
            force=np.zeros(count), share=np.ones(count), alone=np.ones(count), load=self._find_loads(),
            axis=self._find_axes(rows), gravity=clock.gravity,
        )  # fmt: skip
        self.choice = Choice(
            inverse=np.array([INVERSES[get_tasks(entity).inverse]]),
            threshold=np.array([get_tasks(entity).threshold]),
        )
        self.answer = make_answer(n, rows, len(self.wishes.end))
        self.seen = Seen(
            place=np.zeros((count, 6)), rotation=np.zeros((count, 4)), velocity=np.zeros((count, 3)),
            drift=np.zeros((count, 6)), other_place=np.zeros((count, 3)), other_velocity=np.zeros((count, 3)),
        )  # fmt: skip
        self.room = room = make_room(n, len(self.motion.passive), rows, len(self.motion.L))
        joints = self._find_rows()
        self.honest = make_honest(self)
        command = Call(
            command_tasks, arrays.h, self.book, clock, self.seen, joints, arrays["tasks.start.next"][mine],
            np.zeros((3, 3)), self.limits, self.bounds, self.wishes, self.observed,
        )  # fmt: skip
        decide = Call(
            prioritise, self.motion, self.wishes, self.bounds, self.limits, self.choice, room, self.answer
        )
        tell = Call(
            act_and_tell, self.answer, self.limits, np.array(list(self._place_rates().items()), np.int64),
            self.honest.forces.yielded if self.honest else np.zeros(3), arrays["skeleton.force"],
            arrays["tasks.torque"], self.observed, arrays["tasks.whole"][number],
        )  # fmt: skip
        #: Finds the torques of the step and adds them.
        self.work: list[Work] = [
            *self._bind_motion(), *(self.honest.work if self.honest else ()), *self._bind_points(),
            *self._bind_momenta(), *self._bind_centres(), *self._bind_shelves(joints, shelf),
            command, decide, *([self.honest.forces.work] if self.honest else ()), tell,
        ]  # fmt: skip

    def _make_motion(self, n: int) -> Motion:
        """Rates with torques: those of the skeleton but free and passive joints."""
        build, passive = self.arrays.build, get_tasks(self.entity).passive
        bones = build.arrays.specs["skeleton.bone"].labels
        joints = build.arrays["skeleton.bone"][:, JOINT]
        driven = {path for path, joint in zip(bones, joints, strict=False) if joint != FREE} - set(passive)
        mine = f"{self.entity.path}/"
        labels = self.dynamics.rate_labels
        has = np.array([label in driven and label.startswith(mine) for label in labels])
        capacity = self.dynamics.constraint_capacity
        if get_tasks(self.entity).contacts == "honest":
            capacity += 3 * MOST_CONTACTS
        return Motion(
            M=np.zeros((n, n)), h=np.zeros(n), L=np.zeros((capacity, n)), drift=np.zeros(capacity),
            actuated=np.flatnonzero(has), passive=np.flatnonzero(~has), counts=np.zeros(1, np.int64),
        )  # fmt: skip

    def _find_loads(self) -> FloatArray:
        """Masses of the bodies whose load is limited [kg]."""
        loads = np.zeros(len(self.tasks))
        for t, (_, _, task) in enumerate(self.tasks):
            if task.load:
                loads[t] = self._find_part(t, task.of)[0].mass
        return loads

    def _find_axes(self, rows: int) -> IntArray:
        """The direction of every row of a task about a place."""
        axes = np.zeros(rows, np.int64)
        for row, (_, _, task) in zip(self.book.task, self.tasks, strict=True):
            if task.kind == "point":
                first = row[layout.FIRST]
                axes[first : first + row[layout.ROWS]] = ["xyz".index(axis) for axis in task.axes]
        return axes

    def _make_wishes(self, rows: int, n: int) -> Wishes:
        levels = self.tasks[-1][0] + 1
        end = [
            sum(int(row[layout.ROWS]) for row, (level, _, _) in zip(self.book.task, self.tasks, strict=True)
                if level <= each)
            for each in range(levels)
        ]  # fmt: skip
        return Wishes(J=np.zeros((rows, n)), wanted=np.zeros(rows), end=np.array(end, np.int64))

    def _find_rows(self) -> Joints:
        """Rows of postures and limits, with the places of their rates."""
        build, arrays = self.arrays.build, self.arrays
        place, libraries = self._place_rates(), list(get_tasks(self.entity).postures)
        posture: list[tuple[int, ...]] = []
        limit: list[tuple[int, ...]] = []
        found: list[tuple[int, int, int, float]] = []
        for t, (_, _, task) in enumerate(self.tasks):
            first = int(self.book.task[t, layout.FIRST])
            joints = find_joints(build, self.entity, task)
            if task.kind == "posture":
                source = 1 + libraries.index(task.library) if task.library else 0
                posture += [(t, first + k, place[rate], rate, source) for k, rate in enumerate(joints.rates)]
            elif task.kind == "limits":
                for k, each in enumerate(list_limits(build, joints.limits)):
                    limit.append((t, *each[:-1]))
                    turns = each.kind >= SWING
                    rate = place[each.rate if turns else each.rate + each.local]
                    found.append((first + k, rate, 3 if turns else 1, each.bound))
        self.bounds = make_bounds(len(found))
        self.bounds.row[:] = [each[0] for each in found]
        self.bounds.rate[:] = [each[1] for each in found]
        self.bounds.count[:] = [each[2] for each in found]
        return Joints(
            posture=np.array(posture, np.int64).reshape(-1, 5), limit=np.array(limit, np.int64).reshape(-1, 6),
            bound=np.array([each[3] for each in found], float), frame=arrays["skeleton.frame"],
            q=arrays["skeleton.q"], v=arrays["skeleton.v"], target=arrays["skeleton.target"],
            target_rate=arrays["skeleton.target_rate"], bone=arrays["skeleton.bone"],
            error=np.zeros((1 + len(libraries), len(arrays["skeleton.v"]))),
        )  # fmt: skip

    def _bind_motion(self) -> list[Work]:
        """The equation of motion, and the rows of joints and grasps."""
        dynamics, motion = self.dynamics, self.motion
        return [
            dynamics.bind_query("mass_matrix", motion.M),
            dynamics.bind_query("bias_and_gravity", motion.h),
            dynamics.bind_constraint_rows(motion.L, motion.drift, motion.counts),
        ]

    def _bind_shelves(self, joints: Joints, first: int) -> list[Work]:
        """What finds the nearest pose of every library."""
        arrays = self.arrays
        x, rotation = arrays["skeleton.x"], arrays["skeleton.rotation"]
        found: list[Work] = []
        for row in range(1, len(joints.error)):
            shelf = fill_shelf(*(arrays[name] for name in name_library(first + row - 1)))
            found.append(Call(find_nearest, row, shelf, x, rotation, joints))
        return found

    def _place_rates(self) -> dict[int, int]:
        """Rate of the skeletons to rate of the dynamics."""
        place: dict[int, int] = {}
        for path in dict.fromkeys(self.dynamics.rate_labels):
            found = self.dynamics.rates(path)
            here = found.here.start
            for name, rows in found.arrays:
                for rate in range(rows.start, rows.stop):
                    if name == "skeleton.v":
                        place[rate] = here
                    here += 1
        return place

    def _bind_points(self) -> list[Work]:
        """What follows the points of all tasks, and looks at them."""
        slots = np.full((len(self.tasks), 2), -1, np.int64)
        places: list[Any] = []
        for t, (_, _, task) in enumerate(self.tasks):
            if task.kind in ("posture", "limits", "centre", "momentum"):
                continue
            other = task.intercept.of if task.intercept is not None else task.other
            for k, (path, point) in enumerate(((task.of, task.point), (other, task.other_point))):
                if path:
                    slots[t, k] = len(places)
                    places.append(self._locate(t, path, point))
        points = Points(
            slot=slots, motion=np.zeros((len(places), MOTION_SIZE)),
            jacobian=np.zeros((len(places), 6, self.dynamics.size)),
        )  # fmt: skip
        follow = self.dynamics.bind_frame_work(places, range(len(places)), 0, points.motion, points.jacobian)
        return [follow, Call(look_at_points, self.book, points, self.seen, self.wishes)]

    def _locate(self, t: int, path: str, point: Any) -> FramePoint:
        try:
            return self.dynamics.place_point(path, point)
        except PluginError:
            what = f"the task {self.tasks[t][1]} is about '{path}', which it does not control"
            raise self.arrays.build.refuse(
                f"{self.entity.path}.tasks", what, "name a bone, or list it under carries"
            ) from None

    def _bind_momenta(self) -> list[Work]:
        """What looks at the momenta of all, or of what `of` names."""
        tasks = enumerate(self.tasks)
        return [self._look_at_momentum(t, task) for t, (_, _, task) in tasks if task.kind == "momentum"]

    def _look_at_momentum(self, t: int, task: Task) -> Callable[[], None]:
        dynamics, columns = self._find_part(t, task.of) if task.of else (self.dynamics, slice(None))
        seen, mass = self.seen, dynamics.mass
        first, count = int(self.book.task[t, layout.FIRST]), int(self.book.task[t, layout.ROWS])
        J = self.wishes.J[first : first + count, columns]

        def look_at_momentum() -> None:
            whole = dynamics.fill_whole()
            seen.place[t], seen.drift[t] = whole[3:9] / mass, whole[9:15] / mass
            J[:] = dynamics.fill_momentum_matrix() / mass

        return look_at_momentum

    def _bind_centres(self) -> list[Work]:
        """What looks at the centres of mass of all, or of what `of` names, part by part."""
        found = [(t, task) for t, (_, _, task) in enumerate(self.tasks) if task.kind == "centre"]
        parts = self.dynamics.parts
        if not found:
            return []
        counted = [parts if not task.of else [self._find_part(t, task.of)[0]] for t, task in found]
        rows = np.full((len(found), 3), -1, np.int64)
        for row, (t, task) in zip(rows, found, strict=True):
            for k, axis in enumerate(task.axes):
                row["xyz".index(axis)] = self.book.task[t, layout.FIRST] + k
        centres = Centres(
            task=np.array([t for t, _ in found]), row=rows,
            mass=np.array([[part.mass * (part in mine) for part in parts] for mine in counted]),
            column=np.cumsum([0, *(part.size for part in parts[:-1])]),
        )  # fmt: skip
        work: list[Work] = []
        for number, part in enumerate(parts):
            whole, matrix = np.zeros(WHOLE_SIZE), np.zeros((6, part.size))
            work += [part.bind_query("whole", whole), part.bind_query("momentum_matrix", matrix)]
            work.append(Call(look_at_centres, centres, self.seen, self.wishes, number, whole, matrix))
        return work

    def _find_part(self, t: int, path: str) -> tuple[Dynamics, slice]:
        """The skeleton or body of a path, and its rates."""
        for part in self.dynamics.parts:
            try:
                inner = part.rates(path).here
            except PluginError:
                continue
            if inner == slice(0, part.size):
                return part, self.dynamics.rates(path).here
        what = f"the task {self.tasks[t][1]} is about '{path}', which is no skeleton and no body that it controls"
        raise self.arrays.build.refuse(
            f"{self.entity.path}.tasks", what, "name the skeleton, or leave out of"
        )
