"""What the step of skeletons takes besides their bones, in groups, and the arrays that it works in."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple_bones.layout import FREE, JOINT
from supple_bones.tables import Bones, Motion


class Masses(NamedTuple):
    """inertia [bones, 10], see `Forest`; armature [rates]."""

    inertia: FloatArray
    armature: FloatArray


class Gains(NamedTuple):
    """What is implicit on the diagonal of A: dampers and springs of the joints, gains of actuators; each [rates].

    theta is where in the step springs and dampers of joints are taken.
    """

    theta: FloatArray
    damping: FloatArray
    stiffness: FloatArray
    gain_p: FloatArray
    gain_d: FloatArray


class Balance(NamedTuple):
    """The sums of the run [J] that every mechanism adds to, each [1]."""

    before: FloatArray
    kinetic: FloatArray
    potential: FloatArray
    applied: FloatArray
    stored: FloatArray
    numerical: FloatArray


class Tie(NamedTuple):
    """What pulled at the bones in the last step, README eq. (15): accelerations [rates]; in the axes of the bones the
    force of rows [bones, 3], force times lever of joints' rows and of everything [bones, 3, 3], mean spin [bones, 3].
    """

    acceleration: FloatArray
    row_force: FloatArray
    row_pull: FloatArray
    pull: FloatArray
    mean_spin: FloatArray
    taut: IntArray  # [1] number of bones if something may be taut; 0: nothing of the others is known
    taut_rates: IntArray  # [1] the same of rates


class StepScratch(NamedTuple):
    """own and composite inertias [bones, 10], accelerations and forces [2, bones, 6], the motion of the change of the
    rates, four vectors of rates [4, rates]; K [bones, 6], torques that resist [bones, 6], small matrices [4, 3, 3].
    """

    own: FloatArray
    composite: FloatArray
    work: FloatArray
    change_velocity: FloatArray
    change_rate: FloatArray
    rates: FloatArray
    stiff: FloatArray
    resisting: FloatArray
    small: FloatArray


class ObserveScratch(NamedTuple):
    """deviation [rates], accelerations [bones, 6], gap [limits], energies before and after [skeletons, 3], whole
    [skeletons, 5]; half of a step [1] s, 0 where loads hang on bones, whose books are those of its end.
    """

    deviation: FloatArray
    acceleration: FloatArray
    gap: FloatArray
    before: FloatArray
    after: FloatArray
    whole: FloatArray
    half: FloatArray


class FreeStep(NamedTuple):
    """What the free step takes and makes."""

    h: float
    corrections: int
    implicitness: float
    bones: Bones
    masses: Masses
    gains: Gains
    gravity: FloatArray
    motion: Motion
    wrench: FloatArray
    force: FloatArray
    tie: Tie
    scratch: StepScratch
    factor: FloatArray
    applied: FloatArray
    v_free: FloatArray
    pull: FloatArray


def find_least_inertias(bone: IntArray, inertia: FloatArray) -> FloatArray:
    """Least principal inertia [bones] of every bone about its origin, of one that floats about its centre."""
    m, first, (xx, yy, zz, xy, xz, yz) = inertia[:, 0], inertia[:, 1:4], inertia[:, 4:].T
    matrices = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]).transpose(2, 0, 1)
    square = np.einsum("ia,ib->iab", first, first)
    moved = np.einsum("i,ab->iab", np.einsum("iaa->i", square), np.eye(3)) - square
    floats = (bone[:, JOINT] == FREE) & (m > 0)
    matrices = matrices - np.where(floats, 1.0 / np.where(m > 0, m, 1.0), 0.0)[:, None, None] * moved
    least: FloatArray = np.linalg.eigvalsh(matrices)[:, 0]
    return np.ascontiguousarray(np.maximum(least, 0.0))


def make_step_scratch(bones: int, rates: int, rows: int) -> StepScratch:
    """For so many bones and followers, rates and axes."""
    return StepScratch(
        own=np.zeros((bones, 10)),
        composite=np.zeros((bones, 10)),
        work=np.zeros((2, bones, 6)),
        change_velocity=np.zeros((bones, 6)),
        change_rate=np.zeros((rows, 6)),
        rates=np.zeros((4, rates)),
        stiff=np.zeros((bones, 6)),
        resisting=np.zeros((bones, 6)),
        small=np.zeros((4, 3, 3)),
    )


def make_observe_scratch(bones: int, rates: int, limits: int, trees: int, half: float) -> ObserveScratch:
    """For so many bones, rates, limits and skeletons; books are kept `half` [s] before the end of a step."""
    return ObserveScratch(
        deviation=np.zeros(rates),
        acceleration=np.zeros((bones, 6)),
        gap=np.zeros(limits),
        before=np.zeros((trees, 3)),
        after=np.zeros((trees, 3)),
        whole=np.zeros((trees, 5)),
        half=np.array([half]),
    )
