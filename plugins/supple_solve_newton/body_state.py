"""Arrays of a linear system in the space of the bodies; see `body_kernels`."""

from __future__ import annotations

from typing import NamedTuple

from supple.core.arrays import FloatArray, IntArray


class Incidence(NamedTuple):
    """Which bodies every group moves, and how: blocks start[i] to start[i + 1] are those of group i."""

    start: IntArray  # [groups + 1]
    body: IntArray  # [blocks]
    root: FloatArray  # [blocks, 3, 6] rows of J A^(-1/2)


class BodyMatrix(NamedTuple):
    """A matrix of 6 x 6 blocks by rows, with a symmetric pattern; columns rise within each row."""

    indptr: IntArray
    indices: IntArray
    diagonal: IntArray
    values: FloatArray  # [blocks, 6, 6]


class Middle(NamedTuple):
    """What stands between B^T and B, and the inverse that it is made of; both [groups, 3, 3]."""

    inverse: FloatArray  # D^-1
    product: FloatArray  # C D^-1 L^T


class Cones(NamedTuple):
    """Groups in the scaled variables of `rows`: where they are, and what a proximal point leads them to."""

    mode: IntArray  # [groups] 1 where the velocity changes the impulse, else 0
    free: FloatArray  # [groups, 3] velocity without impulses
    softness: FloatArray  # [groups] c
    pull: FloatArray  # [groups, 3] R r_k
    velocity: FloatArray  # [groups, 3] u, without what E adds
    change: FloatArray  # [groups, 3] of u along the step
    impulse: FloatArray  # [groups, 3] r


class Motion(NamedTuple):
    """Velocities of the bodies beyond those without impulses, in the metric of A; all [6 bodies]."""

    z: FloatArray
    gradient: FloatArray
    step: FloatArray
