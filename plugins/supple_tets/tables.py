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
    midpoint: IntArray  # [m] 1 where velocities are those of the middles of steps: README eq. (8)


class Vertices(NamedTuple):
    """All vertices."""

    mass: FloatArray  # [n] [kg]
    drag: FloatArray  # [n] resistance to motion as a part of the mass [1/s]
    fixed: IntArray  # [n] 1 for those that stand still
    place: IntArray  # [n] where a vertex is in the order of elimination
    vertex_midpoint: IntArray  # [n] as `midpoint` of tetrahedra


class Now(NamedTuple):
    """The state that a step starts from."""

    x: FloatArray  # [n, 3] [m]
    v: FloatArray  # [n, 3] [m/s]
    v_before: FloatArray  # [n, 3] that of one step earlier
    turn: FloatArray  # [m, 4] rotations of the tetrahedra
    last_step: FloatArray  # [1] length of the step that led here, 0 at the start [s]


class Matrix(NamedTuple):
    """A in the order of elimination, in blocks of 3 x 3: whoever stiffens the body adds to it in FREE.

    `tets.slot` tells where; of blocks on the diagonal the lower triangles count. The last row of both takes what
    belongs to vertices that stand still, and is never read.
    """

    matrix_diagonal: FloatArray  # [n + 1, 3, 3]
    matrix_lower: FloatArray  # [blocks + 1, 3, 3]


class Factor(NamedTuple):
    """A = L L^T in the order of elimination, in dense panels: see `order`.

    Panel s has the columns of the vertices panel[s] to panel[s + 1], each a row of numbers, from numbers[home[s]] on.
    A row has the column's numbers in the rows of these vertices and of row[below[s] : below[s + 1]]. Above the diagonal
    there is nothing of use; on it are reciprocals.

    meet[k] for k in meet_start[s] to meet_start[s + 1]: another panel, the first and last of the rows below that
    belong to it, and the first of the runs that tell where the rows from there on are in that panel. A run: first row
    here, first row there, and how many. Runs of k end where those of k + 1 begin.
    """

    place: IntArray  # [n] where a vertex is in the order of elimination
    panel: IntArray  # [panels + 1]
    panel_of: IntArray  # [n] panel of a vertex, by its place
    home: IntArray  # [panels + 1]
    below: IntArray  # [panels + 1]
    row: IntArray  # [rows of all panels]
    meet_start: IntArray  # [panels + 1]
    meet: IntArray  # [meetings + 1, 4]
    run: IntArray  # [runs, 3]
    diagonal_home: IntArray  # [n, 2] where a block of A goes: first number, length of a row
    lower_home: IntArray  # [blocks, 2]
    numbers: FloatArray  # [home[-1] + product_kernels.LANES]


class Observed(NamedTuple):
    """Where what is observed goes."""

    observed: FloatArray  # [bodies, len(compile.OBSERVED)]
    before: FloatArray  # [1] energy [J]
    kinetic: FloatArray
    potential: FloatArray
    applied: FloatArray


class Books(NamedTuple):
    """Sums of the energy balance."""

    applied: FloatArray  # [1] work of forces and of damping [J]
    numerical: FloatArray  # [1] what the scheme of steps takes [J]


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


class Embedding(NamedTuple):
    """What the vertices of skins hang on."""

    skin_corner: IntArray  # [k, 4] vertices of tetrahedra
    skin_share: FloatArray  # [k, 4] their weights
