"""The arrays of tetrahedra, as kernels take them. Fields are the arrays `tets.FIELD`."""

from __future__ import annotations

from typing import NamedTuple

from supple.core.arrays import FloatArray, IntArray


class Elements(NamedTuple):
    """All tetrahedra. The corners of each stand in the order in which they are eliminated."""

    corner: IntArray  # [m, 4] vertices
    gradient: FloatArray  # [m, 4, 3] gradients of the corners' weights at rest [1/m]
    volume: FloatArray  # [m] at rest [m^3]
    lame: FloatArray  # [m] Lame's first parameter [Pa]
    shear: FloatArray  # [m] shear modulus [Pa]
    damping: FloatArray  # [m] damping as a part of the stiffness [s]
    slot: IntArray  # [m, 10] where the blocks of a tetrahedron are in the factor, see `order.place_blocks`
    body_of: IntArray  # [m] body


class Vertices(NamedTuple):
    """All vertices."""

    mass: FloatArray  # [n] [kg]
    drag: FloatArray  # [n] resistance to motion as a part of the mass [1/s]
    fixed: IntArray  # [n] 1 for those that stand still
    place: IntArray  # [n] where a vertex is in the order of elimination


class Matrix(NamedTuple):
    """A in the order of elimination, in blocks of 3 x 3: whoever stiffens the body adds to it in FREE.

    Blocks lie as those of the factor; of those on the diagonal the lower triangles count. The last row of both takes
    what belongs to vertices that stand still, and is never read.
    """

    matrix_diagonal: FloatArray  # [n + 1, 3, 3]
    matrix_lower: FloatArray  # [blocks + 1, 3, 3]


class Factor(NamedTuple):
    """A = L L^T in blocks of 3 x 3, in the order of elimination.

    Blocks below the diagonal of column j are lower[column[j] : column[j + 1]], in the rows `row`.
    """

    place: IntArray  # [n] where a vertex is in the order of elimination
    column: IntArray  # [n + 1]
    row: IntArray  # [blocks]
    diagonal: FloatArray  # [n, 3, 3] lower triangles, with the reciprocals of their diagonals
    lower: FloatArray  # [blocks, 3, 3]


class Observed(NamedTuple):
    """Where what is observed goes."""

    observed: FloatArray  # [bodies, len(compile.OBSERVED)]
    before: FloatArray  # [1] energy [J]
    kinetic: FloatArray
    potential: FloatArray
    applied: FloatArray


class Scratch(NamedTuple):
    """Room for one tetrahedron."""

    gradient: FloatArray  # [4, 3] at the present shape
    stiffness: FloatArray  # [12, 12]
    rigid: FloatArray  # [6, 12] rigid motions


class Moved(NamedTuple):
    """What moves, before or after the step."""

    x: FloatArray  # [n, 3] [m]
    v: FloatArray  # [n, 3] [m/s]
    stored: FloatArray  # [bodies] elastic energy [J]
