"""Arrays that kernels of primitives work in, made once, when a world is built: kernels make none themselves."""

from __future__ import annotations

import numpy as np

from supple_collide.kernel_arrays import Manifold
from supple_collide.primitives.manifold_kernels import MANIFOLD_CAPACITY, MANIFOLD_WIDTH


def make_manifold() -> Manifold:
    """For the contacts of one pair of primitives."""
    return Manifold(
        cosines=np.zeros((3, 3)),
        polygon=np.zeros((2, MANIFOLD_CAPACITY, 3)),
        lines=np.zeros((2, MANIFOLD_CAPACITY, 2), np.int64),
        contacts=np.zeros((MANIFOLD_CAPACITY, MANIFOLD_WIDTH)),
        features=np.zeros(MANIFOLD_CAPACITY, np.int64),
    )
