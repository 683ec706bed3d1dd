"""Arrays that kernels of chains work in."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def make_delassus_scratch(units: int, blocks: int, width: int) -> list[NDArray[Any]]:
    """What `add_bone_delassus` works in: for `units` trees, `blocks` blocks of rows and `width` columns."""
    return [
        *(np.zeros(length, np.int64) for length in (units, blocks, blocks, blocks, 2 * width)),
        # A few columns more, lest all rows fall into the same lines of the cache.
        np.zeros((width, 3 * blocks + 8)), np.zeros((3, 3 * blocks + 8)),
    ]  # fmt: skip
