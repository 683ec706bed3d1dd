"""Which bones have a pad: those whose pressure is asked for."""

from __future__ import annotations

import numpy as np

from supple.core.arrays import IntArray
from supple_skeleton.mechanism import Skeletons

NOBODY = -1


def number_pads(skeletons: Skeletons, pads: list[str]) -> IntArray:
    """The pad of every bone, or -1."""
    found: IntArray = np.full(len(skeletons.bones), NOBODY, np.int64)
    for pad, path in enumerate(pads):
        found[skeletons.bones[path]] = pad
    return found
