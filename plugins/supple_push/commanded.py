"""Forces that are given from Python: a table of places, each free once its force has ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.build import Build, Frame
from supple.core.control import COMMANDED
from supple.core.pose import rotate
from supple.core.schedule import Bound, Call, Each, Phase, System, Work
from supple.errors import Problem, UserError
from supple.mechanics.points import refuse_scattered
from supple_push.commanded_kernels import apply_commanded

if TYPE_CHECKING:
    from supple.core.world import World

#: Forces that can act at once.
PLACES = 64


class Commanded(NamedTuple):
    """The table, as State arrays `commanded.*`."""

    carrier: IntArray  # [n] number of the carrier
    frame: IntArray  # [n] its frame
    wrench: FloatArray  # [n, 6] force and torque in the world [N, N m]
    point: FloatArray  # [n, 3] where the force acts, in the frame [m]
    until: FloatArray  # [n] number of the step at whose start it ends; parts of a step count


class Pushes:
    """Enters forces into the table."""

    def place(self, world: World, path: str, point: FloatArray, *, in_world: bool) -> FloatArray:
        """The point in the frame that moves the entity."""
        build = world.build
        frame, position, rotation = _find_place(build, path)
        if not in_world:
            return position + rotate(rotation, point)
        carrier = next(each for each in build.members("carriers") if each.name == frame.carrier)
        origin, turn = (world.arrays[name][frame.index] for name in (carrier.position, carrier.rotation))
        return rotate(turn * np.array([1.0, -1.0, -1.0, -1.0]), point - origin)

    def write(self, world: World, path: str, values: FloatArray) -> None:
        """Take the first place whose force has ended."""
        build, arrays = world.build, world.arrays
        # A damaged recording may name something else than what was pushed.
        frame, _, _ = _find_place(build, path)
        free = np.flatnonzero(arrays["commanded.until"] <= world.steps)
        if not len(free):
            what = f"more than {PLACES} forces at once"
            raise UserError(Problem(None, path, what, "add them up, or let them end sooner"))
        number = [each.name for each in build.members("carriers")].index(frame.carrier)
        row = (int(free[0]),)
        for name, value in (
            ("carrier", np.array(number)), ("frame", np.array(frame.index)), ("wrench", values[:6]),
            ("point", values[6:9]), ("until", values[9]),
        ):  # fmt: skip
            arrays.set_state(f"commanded.{name}", row, value)


def _find_place(build: Build, path: str) -> tuple[Frame, FloatArray, FloatArray]:
    """The frame that moves an entity, and its pose there."""
    place = build.pose_in_frame(path)
    if place is None:
        refuse_scattered(build, path, path)
        remedy = "choose an entity that has a body or a bone, or lies below one"
        raise UserError(Problem(None, path, "a force cannot act on what no frame moves", remedy))
    return place


def compile_commanded(build: Build) -> None:
    """Declare the table, with nothing in it."""
    carriers = len(build.members("carriers"))
    most = max([frame.index for frame in build.frames.values()], default=0)
    for name, bound, doc in (
        ("carrier", max(carriers - 1, 0), "Carrier of a force from Python."),
        ("frame", most, "Its frame."),
    ):
        build.add_state(
            f"commanded.{name}", np.zeros(PLACES), unit="1", doc=doc, dtype=np.int64, bounds=(0, bound)
        )
    for name, shape, unit, doc in (
        ("wrench", (PLACES, 6), "N, N m", "Force and torque from Python, in the world."),
        ("point", (PLACES, 3), "m", "Where the force acts, in the frame."),
        ("until", (PLACES,), "1", "The step at whose start it ends."),
    ):
        build.add_state(f"commanded.{name}", np.zeros(shape), unit=unit, doc=doc)
    build.accept_pushes(Pushes(), [f"commanded.{name}" for name in Commanded._fields])


class ApplyCommanded(System):
    """Adds the forces that are given from Python to the frames; until there are some it has nothing to do."""

    phase = Phase.ACTUATE
    reads = (
        *(f"commanded.{name}" for name in Commanded._fields), COMMANDED, "run.step", Each("carriers", "rotation"),
    )  # fmt: skip
    adds = (Each("carriers", "wrench"),)

    def bind(self, arrays: Bound) -> Work:
        """One call for every carrier, if anything was commanded."""
        if not arrays[COMMANDED][0]:
            return []
        table, step = arrays.take(Commanded, "commanded"), arrays["run.step"]
        return [
            Call(apply_commanded, number, table, step, arrays[carrier.rotation], arrays[carrier.wrench])
            for number, carrier in enumerate(arrays.build.members("carriers"))
        ]
