"""The system that finds the torques."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from supple.core.arrays import NEXT, FloatArray
from supple.core.build import Build
from supple.core.schedule import Bound, Call, Phase, System, Work
from supple_phases.member import Machines
from supple_tasks.compile import ask, get_tasks
from supple_tasks.controller import Controller
from supple_tasks.footing import CONTACTS
from supple_tasks.library import name_library
from supple_tasks.look_kernels import begin_telling
from supple_tasks.probe import probe_controller
from supple_tasks.records import Clock

TABLES = ("task", "number", "during", "curve", "segment", "start", "told")
TARGETS = ("skeleton.q", "skeleton.v", "skeleton.bone", "skeleton.target", "skeleton.target_rate")
POSES = ("skeleton.x", "skeleton.rotation")


class ControlTasks(System):
    """Torques of all controllers."""

    phase = Phase.ACTUATE

    def __init__(self, build: Build) -> None:
        self.asked = [(entity, ask(build, entity)) for entity in build.having("tasks")]
        machines: list[Machines] = build.members("phases")
        self.of_phases = (
            (each := machines[0]).current, each.value, each.rate, each.acceleration
        ) if machines else ()  # fmt: skip
        read = [name for _, request in self.asked for name in request.reads]
        tables = [f"tasks.{name}" for name in TABLES]
        touching = CONTACTS if any(get_tasks(entity).contacts == "honest" for entity, _ in self.asked) else ()
        names = (*tables, *TARGETS, *POSES, "run.time", "run.gravity", *self.of_phases, *read, *touching)
        shelves = sum(len(get_tasks(entity).postures) for entity, _ in self.asked)
        poses = [name for number in range(shelves) for name in name_library(number)]
        self.reads = tuple(dict.fromkeys([*names, *poses]))
        self.adds = tuple(dict.fromkeys(name for _, request in self.asked for name in request.forces))
        self.writes = ("tasks.start" + NEXT, "tasks.observed", "tasks.whole", "tasks.probed", "tasks.torque")

    def bind(self, arrays: Bound) -> Work:
        """Bind every controller to the dynamics of what it moves."""
        clock = self._bind_clock(arrays)
        self.controllers: list[Controller] = []
        controllers, first, shelf = self.controllers, 0, 0
        for number, (entity, request) in enumerate(self.asked):
            dynamics = request.bind(arrays, acts=True)
            controllers.append(Controller(entity, number, first, dynamics, arrays, clock, shelf))
            first += len(controllers[-1].tasks)
            shelf += len(get_tasks(entity).postures)
        probed, torque = arrays["tasks.probed"], arrays["tasks.torque"]
        probes = [
            self._bind_probe(each, row)
            for each, row in zip(controllers, probed, strict=False)
            if get_tasks(each.entity).probe
        ]
        return [Call(begin_telling, torque, probed), *(each.work for each in controllers), *probes]

    def _bind_probe(self, controller: Controller, row: FloatArray) -> Callable[[], None]:
        def probe() -> None:
            row[:] = probe_controller(controller)

        return probe

    def _bind_clock(self, arrays: Bound) -> Clock:
        none = (np.zeros(1, np.int64), np.zeros(1), np.zeros(1), np.zeros(1))
        found = tuple(arrays[name] for name in self.of_phases) or none
        current, value, rate, acceleration = found
        return Clock(
            time=arrays["run.time"], gravity=arrays["run.gravity"], current=current, value=value, rate=rate,
            acceleration=acceleration,
        )  # fmt: skip
