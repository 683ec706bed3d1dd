"""What hangs on bones and moves against them: the seam between a skeleton and its flesh.

Let r be the rates of all skeletons and x' the velocities, relative to their bones, of what hangs on them. The coupled
system has the matrix [[A_rr, A_rx], [A_xr, A_xx]]. A load eliminates its own velocities: the skeleton is left with
S = A_rr - A_rx A_xx^-1 A_xr, which is again a mass matrix of bones if the load can say what inertias these have.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.schedule import Bound
from supple_bones.forest import Follower


class BoneLoad(Protocol):
    """Something that hangs on bones. Collection `bone_loads`; made before the skeletons are compiled.

    It is asked within the system `skeleton.move_freely`, which declares `takes` as read and `makes` as written.
    Inertias are ten numbers in the axes of the bone about its origin (see `Forest.inertia`). Velocities,
    accelerations and forces are spatial, in world axes about O [bones, 6], as in the README.
    """

    name: str
    reads: Sequence[str]
    extra_blocks: int  # rows on bones that it may make beyond two for every contact
    takes: Sequence[str]
    makes: Sequence[str]

    def bind(self, arrays: Bound) -> None:
        """Nothing to look up when the world is bound; see `attach`."""
        ...

    def attach(self, arrays: Bound) -> None:
        """Look up the arrays in `takes` and `makes` once."""
        ...

    def followers(self) -> Sequence[Follower]:
        """Frames between bones that it hangs on, each once."""
        ...

    def rest_inertia(self, path: str, share: float = 1.0) -> FloatArray:
        """What it adds, while it is at rest, to the inertia of the bone at `path`, or of its follower [10]."""
        ...

    def add_inertias(self, rigid_out: FloatArray, effective_out: FloatArray) -> None:
        """Turn inertias of bones with everything at rest into those of this step, [bones, 10] both.

        `rigid_out` is left with what moves as part of the bone: it decides on weight and bias. `effective_out` is
        what makes A: rigid_out and, of what moves against the bone, the share in A_rr - A_rx A_xx^-1 A_xr.
        """
        ...

    def add_forces(self, velocity: FloatArray, acceleration: FloatArray, force_out: FloatArray) -> None:
        """Add what must act on the bones besides their own inertial forces: bias, weight, A_rx A_xx^-1 (...).

        `acceleration` is that without change of the rates, as seen from falling freely (it contains -g).
        """
        ...

    def add_mixed_forces(
        self, share: float, velocity: FloatArray, acceleration: FloatArray, force_out: FloatArray
    ) -> None:
        """The same of the bilinear form 2 B(v, change), `velocity` being that of the change of the rates.

        The load's own velocities follow from the right side less `share` [s] times the form.
        """
        ...


@dataclass
class WeightedRows:
    """Rows of weighted sums of velocities of points on bones: weight * v_origin + spin x moment.

    A sum over points at p_i with weights w_i has weight = sum w_i and moment = sum w_i (p_i - origin).
    """

    capacity: int
    count: int = 0
    group: IntArray = field(init=False)  # [capacity] group of rows in the problem
    frame: IntArray = field(init=False)  # [capacity] bone
    weight: FloatArray = field(init=False)  # [capacity] with its sign [1]
    moment: FloatArray = field(init=False)  # [capacity, 3] in world axes, with its sign [m]
    directions: FloatArray = field(init=False)  # [capacity, 3, 3] unit vectors in the world, one a row

    def __post_init__(self) -> None:
        self.group, self.frame = np.zeros(self.capacity, np.int64), np.zeros(self.capacity, np.int64)
        self.weight, self.moment = np.zeros(self.capacity), np.zeros((self.capacity, 3))
        self.directions = np.zeros((self.capacity, 3, 3))
