"""The contacts of one pair while they are being found.

A manifold row holds (point on the second shape [m], normal from second to first, gap [m]), seven floats. The
point on the first shape is point + gap normal, so it needs no column of its own.
"""

from __future__ import annotations

import numpy as np

from supple.core.jit import njit

# The value of a plain int is part of its type when one kernel calls another, and each value is compiled anew;
# that of a numpy integer is not. So feature codes and the counts that kernels start from are numpy integers.
ZERO, ONE, TWO = np.int64(0), np.int64(1), np.int64(2)
# Clipping a quadrilateral by four lines gives at most eight points; the rest is room for rounding, which may
# let a line cross an almost flat corner twice.
MANIFOLD_CAPACITY = 24
MANIFOLD_WIDTH = 7


@njit
def add_contact(feature, px, py, pz, nx, ny, nz, gap, count, manifold_out, features_out):
    """Write contact number `count` of the pair; returns the new count."""
    manifold_out[count, 0] = px
    manifold_out[count, 1] = py
    manifold_out[count, 2] = pz
    manifold_out[count, 3] = nx
    manifold_out[count, 4] = ny
    manifold_out[count, 5] = nz
    manifold_out[count, 6] = gap
    features_out[count] = feature
    return count + 1
