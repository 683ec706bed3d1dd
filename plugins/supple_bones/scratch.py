"""Arrays that kernels of chains work in."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.math.strip_kernels import LANES


class DelassusScratch(NamedTuple):
    """What `add_bone_delassus` works in.

    first [trees] and following [blocks] chain the blocks of every tree; members [blocks] lists those of one tree;
    start [blocks + 1] is where their rows begin; cursor [blocks] is where in W they were found last; span [2 width]
    says in which rows a column of half has entries; half [width * rows] and product [3 * rows] are the rows and their
    products, with room for what `strip_kernels` reads and writes behind them. mark [width] tells which columns have
    entries at first, live [width] lists those that do in the end; places [width], ends [width] and scaled [width, 3]
    are those of one block.
    """

    first: IntArray
    following: IntArray
    members: IntArray
    start: IntArray
    cursor: IntArray
    span: IntArray
    half: FloatArray
    product: FloatArray
    mark: FloatArray
    live: IntArray
    places: IntArray
    ends: IntArray
    scaled: FloatArray


def make_delassus_scratch(units: int, blocks: int, width: int) -> DelassusScratch:
    """For `units` trees, `blocks` blocks of rows and `width` columns."""
    return DelassusScratch(
        first=np.zeros(units, np.int64),
        following=np.zeros(blocks, np.int64),
        members=np.zeros(blocks, np.int64),
        start=np.zeros(blocks + 1, np.int64),
        cursor=np.zeros(blocks, np.int64),
        span=np.zeros(2 * width, np.int64),
        half=np.zeros(width * 3 * blocks + 2 * LANES),
        product=np.zeros(3 * (3 * blocks + 2 * LANES)),
        mark=np.zeros(width),
        live=np.zeros(width, np.int64),
        places=np.zeros(width, np.int64),
        ends=np.zeros(width, np.int64),
        scaled=np.zeros((width, 3)),
    )
