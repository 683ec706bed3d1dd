"""What interior points keep from step to step; see `interior_kernels`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.core.arrays import FloatArray


class Interior(NamedTuple):
    """Impulses X and velocities Y within their cones, all [groups, 3] but `scaling`."""

    x: FloatArray
    y: FloatArray
    dx: FloatArray
    dy: FloatArray
    z: FloatArray  # X and Y when scaled alike
    c: FloatArray  # what a step is to make of S^-1 dX + S dY
    target: FloatArray  # velocities as they follow from X [m/s]
    normal: FloatArray  # normal velocity of a contact, its change, and what a step is to make of it
    scaling: FloatArray  # [groups, 3, 3] S^-1


def make_interior(groups: int) -> Interior:
    """A state for so many groups."""
    x, y, dx, dy, z, c, target, normal = np.zeros((8, groups, 3))
    return Interior(
        x=x,
        y=y,
        dx=dx,
        dy=dy,
        z=z,
        c=c,
        target=target,
        normal=normal,
        scaling=np.zeros((groups, 3, 3)),
    )
