"""Columns of the tables of a walker, and the arrays that its kernels take, in groups."""

from __future__ import annotations

from typing import Final, NamedTuple

from supple.core.arrays import FloatArray, IntArray
from supple_contact.touch import Touch

LEFT: Final = 0
RIGHT: Final = 1
MIDDLE: Final = 2

# Columns of Drives.gains.
STIFFNESS: Final = 0
DAMPING: Final = 1
SCALE: Final = 2  # and the two behind it
LIMIT: Final = 5  # 0: none
NOISE: Final = 6  # (strength / 200 N m)^(-1/4)
GAIN_COLUMNS: Final = 7

# Columns of `simbicon.balance`, what the last step's drive looked at.
DISTANCE_X: Final = 0
DISTANCE_Z: Final = 1
SPEED_X: Final = 2
SPEED_Z: Final = 3
HEADING_W: Final = 4
HEADING_Y: Final = 5
STANCE_SHARE: Final = 6  # part of the load that the stance foot carries
LOAD: Final = 7
BALANCE_COLUMNS: Final = 8

# Columns of `simbicon.memory`, what a walk is measured by. Times are -1 before they came.
FALL_TIME: Final = 0
SETTLED_TIME: Final = 1
SETTLED_Z: Final = 2
LAST_TIME: Final = 3  # up to which it has been measured
LAST_Z: Final = 4
SIDEWAYS: Final = 5
HEADING: Final = 6
STEPS: Final = 7
FIRST_STEP: Final = 8  # when the first and the last measured step began
LAST_STEP: Final = 9
STEP_TIME: Final = 10  # how long the step before took
PLACED: Final = 11  # 1 once this step's foot has been noted
PLACES: Final = 12
PLACE_X: Final = 13
PLACE_Z: Final = 14
LENGTHS: Final = 15
WIDTHS: Final = 16
SAMPLES: Final = 17
EFFORTS: Final = 18
PEAK_TORQUE: Final = 19
CONTACTS: Final = 20
# Of the step that lasts.
STEP_SAMPLES: Final = 21
STEP_FORCE: Final = 22
STEP_SQUARE: Final = 23
STEP_VARIATION: Final = 24
STEP_WAY: Final = 25
STEP_ASIDE: Final = 26
STEP_JUMP: Final = 27
STEP_SLIP: Final = 28
OLD_FORCE: Final = 29
OLD_X: Final = 30
OLD_Z: Final = 31
OLD_LOADED: Final = 32
# Of all steps that are over.
FULL_STEPS: Final = 33
FORCES: Final = 34
DEVIATIONS: Final = 35
VARIATIONS: Final = 36
WAYS: Final = 37
ASIDES: Final = 38
JUMPS: Final = 39
SLIPS: Final = 40
STANCE: Final = 41  # foot of the step that lasts
# Of the changes of stance.
CHANGES: Final = 42
CHANGE_X: Final = 43
CHANGE_WIDTHS: Final = 44
MEMORY_COLUMNS: Final = 45

METRICS: Final = (
    "left_load", "right_load", "upright", "fall_time", "distance", "sideways", "speed", "heading", "steps",
    "step_period", "step_length", "step_width", "effort", "peak_torque", "contacts", "force", "force_deviation",
    "force_variation", "pressure_way", "pressure_way_aside", "pressure_jump", "change_width", "slip",
    "left_pressure", "right_pressure",
)  # fmt: skip
"""Columns of `simbicon.observed`."""


class Drives(NamedTuple):
    """The driven joints of a walker, the root first; stance is LEFT or RIGHT in the tables of targets.

    bone, parent [n] are rows of the skeleton, first, rates [n] its rates, row [n] the first of its axes, gains [n,
    GAIN_COLUMNS]. Of targets stand the places in the phases' values, -1 for none: angle, distance, speed, lower, upper
    [2, n, 3], and strength [2, n]. heading [2, n] is 1 for targets in the heading frame, order [2, n, 3] has the axes
    in the order of their turns.
    """

    bone: IntArray
    parent: IntArray
    first: IntArray
    rates: IntArray
    row: IntArray
    gains: FloatArray
    angle: IntArray
    distance: IntArray
    speed: IntArray
    lower: IntArray
    upper: IntArray
    strength: IntArray
    heading: IntArray
    order: IntArray


class Body(NamedTuple):
    """bones [m] of the skeleton; hip, foot [2]: drive of the hips, row of the feet; hangs [k]: drives on the root.

    left, right: rows of `touch` of all that lands; foot_point [3] in the frame of a foot.
    """

    bones: IntArray
    hip: IntArray
    foot: IntArray
    hangs: IntArray
    left: IntArray
    right: IntArray
    foot_point: FloatArray


class Rules(NamedTuple):
    """What a gait chooses: balance of the root instead of the centre, stance hip alone, its own heading; numbers."""

    of_root: int
    by_stance: int
    own_heading: int
    yaw_damping: float
    yaw_cap: float
    fade_low: float
    fade_high: float
    fallen: float
    settle: float
    implicit: int


class WalkScratch(NamedTuple):
    """target [n, 4], torque in the world, stiffness and damping about the bone's axes, each [n, 3]."""

    target: FloatArray
    torque: FloatArray
    stiffness: FloatArray
    damping: FloatArray


class Sight(NamedTuple):
    """What a walker sees of its bones: their masses and poses."""

    inertia: FloatArray
    x: FloatArray
    rotation: FloatArray
    twist: FloatArray
    axis: FloatArray
    v: FloatArray


class Output(NamedTuple):
    """Where forces and implicit gains go, each [rates]."""

    force: FloatArray
    gain_p: FloatArray
    gain_d: FloatArray


class Asked(NamedTuple):
    """Torques before the implicit gains act, and how much these take back by rate; each [rates]."""

    push: FloatArray
    resisting: FloatArray


class Contacts(NamedTuple):
    """What touches entities in the step of length `step` [s]: the sums of the last step and of this one, and slips.

    slips [entities, 2]: see `slip_kernels.add_up_slips`.
    """

    step: float
    before: Touch
    now: Touch
    slips: FloatArray


class Pressed(NamedTuple):
    """Rows of bones [n] and of `touch` [n]; forces and torques [touch, 3] of the last contact problem and of this."""

    bone: IntArray
    row: IntArray
    old_force: FloatArray
    old_torque: FloatArray
    force: FloatArray
    torque: FloatArray
