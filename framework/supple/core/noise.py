"""Noise by counter: a number depends on the seed, the entity, the step and its place, and on nothing else.

So noise needs no state, does not depend on the order of entities, and repeats after a resume.
"""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray


def noise_at(seed: int, path: str, step: int, count: int) -> NDArray[np.float64]:
    """`count` independent standard normal numbers of one entity at one step."""
    digest = hashlib.sha256(f"{seed}\0{path}\0{step}".encode()).digest()
    generator = np.random.Generator(np.random.Philox(key=int.from_bytes(digest[:16], "little")))
    return generator.standard_normal(count)
