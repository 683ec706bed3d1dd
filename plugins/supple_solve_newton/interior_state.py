"""What interior points keep from step to step; see `interior_kernels`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.core.arrays import FloatArray


class Interior(NamedTuple):
    """Impulses X and velocities Y within their cones, all [groups, 3] but `scaling` and `slide`."""

    x: FloatArray
    y: FloatArray
    dx: FloatArray
    dy: FloatArray
    z: FloatArray  # X and Y when scaled alike
    c: FloatArray  # what a step is to make of S^-1 dX + S dY
    target: FloatArray  # Y as it follows from X [m/s]
    slide: FloatArray  # [groups, 2] direction of sliding
    scaling: FloatArray  # [groups, 3, 3] S^-1


def make_interior(groups: int) -> Interior:
    """A state for so many groups."""
    x, y, dx, dy, z, c, target = np.zeros((7, groups, 3))
    return Interior(
        x=x,
        y=y,
        dx=dx,
        dy=dy,
        z=z,
        c=c,
        target=target,
        slide=np.zeros((groups, 2)),
        scaling=np.zeros((groups, 3, 3)),
    )
