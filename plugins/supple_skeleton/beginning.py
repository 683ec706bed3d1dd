"""Servos that are faster than steps can follow."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.pose import rotate
from supple.errors import Problem
from supple_bones.layout import PARENT, ROOT, V_FIRST

if TYPE_CHECKING:
    from supple.core.world import World

#: Radians of a swing that one step may take; with more, numerical damping is all that is left of it.
LONG = 1.0


def warn_of_servos(world: World) -> Iterator[Problem]:
    """Servos whose step is too long for what they move: the bone and all that hangs on it."""
    arrays, h, told = world.arrays, world.blueprint.run.step, set()
    labels = arrays.specs["skeleton.servo"].labels
    for row, (bone, local) in enumerate(arrays["skeleton.servo"]):
        stiffness, path = float(arrays["skeleton.servo_gains"][row, 0]), labels[row]
        if stiffness == 0.0 or path in told:
            continue
        swing = math.sqrt(stiffness / find_inertia(world, int(bone), int(local)))
        if swing * h > LONG:
            told.add(path)
            what = f"answers with {swing:.3g} rad/s, {swing * h:.2g} rad in a step: it will look stiff and damped"
            remedy = f"make run.step shorter than {LONG / swing:.1e} s, or the servo softer"
            yield Problem(None, f"{path}.servo.stiffness", what, remedy)


def find_inertia(world: World, bone: int, local: int) -> float:
    """What the drive of a joint moves at the start [kg m^2, kg], the other joints held: a diagonal of the mass matrix.

    In plain numpy: the kernels that know the whole matrix take seconds to compile, and no step needs them.
    """
    tree, x, rotation, inertia, axis, armature = (
        world.arrays[f"skeleton.{name}"]
        for name in ("bone", "x", "rotation", "inertia", "axis", "armature")
    )  # fmt: skip
    rate = int(tree[bone, V_FIRST]) + local
    moved, total = {bone}, float(armature[rate])
    for each in range(bone, len(inertia)):
        if each != bone and int(tree[each, PARENT]) not in moved:
            continue
        moved.add(each)
        root = x[tree[bone, ROOT]]
        total += _double_energy(axis[rate], x[each] - root, rotation[each], inertia[each])
    return max(total, 1e-300)


def _double_energy(motion: FloatArray, arm: FloatArray, rotation: FloatArray, inertia: FloatArray) -> float:
    """Twice the kinetic energy of a bone that moves with (v, w) about a point, its origin being at `arm` from there."""
    back = rotation * np.array([1.0, -1.0, -1.0, -1.0])
    spin = rotate(back, motion[3:])
    speed = rotate(back, motion[:3] + np.cross(motion[3:], arm))
    xx, yy, zz, xy, xz, yz = inertia[4:]
    about = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    mixed = 2.0 * float(speed @ np.cross(spin, inertia[1:4]))
    return float(inertia[0] * (speed @ speed) + mixed + spin @ about @ spin)
