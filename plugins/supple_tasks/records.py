"""What the kernels of goals and commands look at."""

from __future__ import annotations

from typing import NamedTuple

from supple.core.arrays import FloatArray, IntArray


class Book(NamedTuple):
    """What the author said, of the tasks of one controller; columns in layout.py."""

    task: IntArray  # [tasks, TASK_COLUMNS]
    number: FloatArray  # [tasks, NUMBER_COLUMNS]
    during: IntArray  # [tasks, phases] 1 in phases in which a task is active
    curve: IntArray  # [curves, 3] shape, first segment, number of segments
    segment: FloatArray  # [segments, SEGMENT_COLUMNS]
    told: FloatArray  # [tasks, 4] fixed targets and gains, which may be told from Python


class Clock(NamedTuple):
    """Time, phases and gravity."""

    time: FloatArray  # [1] at the start of the step
    gravity: FloatArray  # [3]
    current: IntArray  # [machines] phase now
    value: FloatArray
    rate: FloatArray
    acceleration: FloatArray


class Seen(NamedTuple):
    """Where the tasks of one controller are."""

    place: FloatArray  # [tasks, 6] m; of momenta all six [kg m/s by mass]
    rotation: FloatArray  # [tasks, 4]
    velocity: FloatArray  # [tasks, 3] m/s, rad/s
    drift: FloatArray  # [tasks, 6] Jdot v
    other_place: FloatArray  # [tasks, 3]
    other_velocity: FloatArray  # [tasks, 3]


class Points(NamedTuple):
    """The points that tasks are about."""

    slot: IntArray  # [tasks, 2] the point of a task and that of the other one; -1: none
    motion: FloatArray  # [points, 19] as in supple.mechanics.dynamics
    jacobian: FloatArray  # [points, 6, n]


class Centres(NamedTuple):
    """The tasks about centres of mass, and of which parts of the dynamics they are made."""

    task: IntArray  # [centres]
    row: IntArray  # [centres, 3] row of the wishes of x, y and z; -1: not controlled
    mass: FloatArray  # [centres, parts] kg; 0 where a part is not counted
    column: IntArray  # [parts] first rate


class Joints(NamedTuple):
    """Rows of postures and limits."""

    posture: (
        IntArray  # [rows, 5] task, row, rate of the controller, rate of the skeletons, and row of `error`
    )
    limit: IntArray  # [bounds, 6] task, kind of limit, bone, its coordinate and rate, and the place within the joint
    bound: FloatArray  # [bounds] where the limit is; both in the order of `Bounds`
    frame: FloatArray  # of all bones
    q: FloatArray
    v: FloatArray
    target: FloatArray  # coordinates that the motion wants
    target_rate: FloatArray
    bone: IntArray
    error: (
        FloatArray  # [1 + libraries, rates] from the coordinates to those of the motion, and of nearest poses
    )


class Shelf(NamedTuple):
    """The poses of a library, their markers, and room for the search of the nearest one."""

    marker: IntArray  # [markers] bone
    offset: FloatArray  # [markers, 3] m, in its frame
    weight: FloatArray  # [markers]
    x: FloatArray  # [markers, poses] places times weights, without their mean on the ground
    y: FloatArray
    z: FloatArray
    square: FloatArray  # [poses] weighted sum of their squares
    pose: FloatArray  # [poses, coordinates of all skeletons]
    place: FloatArray  # [markers, 3] of the character
    along: FloatArray  # [poses] scratch
    across: FloatArray  # [poses] scratch
    distance: FloatArray  # [poses] square of the distance [m^2]
    target: FloatArray  # [coordinates] the nearest pose


class Ground(NamedTuple):
    """All contacts of this step, and whose the surfaces are; see `supple.mechanics`."""

    count: IntArray  # type: ignore[assignment]
    surface: IntArray
    element: IntArray
    point: FloatArray
    normal: FloatArray
    gap: FloatArray
    friction: FloatArray
    first: IntArray
    carrier: IntArray
    frame: IntArray


class Stands(NamedTuple):
    """What a controller may stand on, and the contacts of this step that it does stand on."""

    slot: IntArray  # [carriers, frames] place among what stands; -1: not known; -2: known, and does not stand
    motion: FloatArray  # [stands, 19] of the frames' origins
    jacobian: FloatArray  # [stands, 6, n]
    point: FloatArray  # [most, 3]
    friction: FloatArray  # [most]


class Footholds(NamedTuple):
    """What may carry a controller in this step, and how strong it is."""

    counts: IntArray  # [2] rows of L that are joints', and contacts, of three rows each, after these
    friction: FloatArray  # [most]
    lower: FloatArray  # [m] least and
    upper: FloatArray  # [m] greatest torques of actuated rates


class Program(NamedTuple):
    """Room for lower <= A x <= upper."""

    A: FloatArray  # [rows, unknowns], flat
    here: FloatArray  # [rows] the same of the answer that unknowns are counted from
    lower: FloatArray  # [rows]
    upper: FloatArray  # [rows]
    infinite: float
