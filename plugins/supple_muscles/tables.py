"""The arrays of muscles, as kernels take them. Fields are the arrays `muscles.FIELD`."""

from __future__ import annotations

from typing import NamedTuple

from supple.core.arrays import FloatArray, IntArray


class Influence(NamedTuple):
    """Which segments act on which tetrahedra of all bodies."""

    first: IntArray  # [elements + 1] where the influences of a tetrahedron begin
    segment: IntArray  # [pairs] segment
    share: FloatArray  # [pairs] its share in the stress
    direction: FloatArray  # [segments, 3] unit vectors at rest


class Segments(NamedTuple):
    """All segments of all bodies."""

    element: IntArray  # [2 segments] tetrahedron of each end
    weight: FloatArray  # [2 segments, 4] weights of its corners
    rest_length: FloatArray  # [segments] [m]
    stiffness: FloatArray  # [segments] stress for a contraction by the whole length [Pa]
    lowest: FloatArray  # [segments] least relative length to ask for
    rate: FloatArray  # [segments] its greatest change [1/s]
    driven: IntArray  # [segments] 1 where drives say what is asked for; elsewhere the last is held


class Tissue(NamedTuple):
    """The tetrahedra that muscles pull. Fields are the arrays `tets.FIELD`."""

    corner: IntArray
    gradient: FloatArray
    volume: FloatArray
    fixed: IntArray
    x: FloatArray
    turn: FloatArray


class Bundle(NamedTuple):
    """The fibres of every group, taken together within each tetrahedron."""

    bundle: FloatArray  # [elements, groups, 3] their main direction at rest
    bundle_stiffness: FloatArray  # [elements, groups] stiffness along it [Pa]; 0 where there are none
