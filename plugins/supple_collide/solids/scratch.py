"""Arrays that the kernels of solids work in."""

from __future__ import annotations

import numpy as np

from supple_collide.kernel_arrays import Manifold
from supple_collide.solids.atom_kernels import MOST_ATOMS, Hulls
from supple_collide.solids.face_kernels import Face
from supple_collide.solids.separation_kernels import Ascent
from supple_collide.solids.solid_kernels import Solids


def make_solids(manifold: Manifold) -> Solids:
    """For the contacts of one pair with a solid, which come to lie in the manifold."""
    return Solids(
        hulls=Hulls(
            count=np.zeros(2, np.int64), atoms=np.zeros((2, MOST_ATOMS, 4)), axis=np.zeros((2, 3)), ball=np.zeros(2),
            smooth=np.zeros(2, np.int64), oval=np.zeros((2, 3, 3)),
        ),
        ascent=Ascent(
            pair=np.zeros((4, 2), np.int64), w=np.zeros((4, 3)), share=np.zeros(4), gap=np.zeros(4),
            equations=np.zeros((8, 9)),
        ),
        face=Face(
            frame=np.zeros((4, 3)), half=np.zeros(2), contacts=manifold.contacts, features=manifold.features
        ),
    )  # fmt: skip
