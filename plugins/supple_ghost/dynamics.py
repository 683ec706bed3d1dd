"""What controllers ask of ghosts: where they are and how they move, but nothing that needs a mass."""

from __future__ import annotations

from collections.abc import Mapping

from numpy.typing import ArrayLike

from supple.core.arrays import FloatArray
from supple.core.build import Build
from supple.errors import PluginError
from supple.mechanics.dynamics import Arrays, hand_over, refuse_query
from supple_bones.dynamics import TreeDynamics
from supple_bones.forest import Tree

READS = (
    "ghost.bone", "ghost.dof", "ghost.frame", "ghost.q", "ghost.v", "ghost.stiffness", "run.gravity",
)  # fmt: skip
"""The arrays that queries look at."""


class GhostDynamics(TreeDynamics):
    """Queries about one ghost, which is quasi-static: its springs balance what touches it, README eq. (6).

    There is no equation of motion, hence no M, bias or gravity, no centre of mass, momentum or kinetic energy: these
    are refused, also for a set of entities that has a ghost in it. Poses, Jacobians, drift and joints are as for
    skeletons; `stiffness` takes the place of M.
    """

    def __init__(
        self, arrays: Arrays, tree: Tree, bones: Mapping[str, int], path: str, build: Build | None
    ) -> None:
        """`arrays` hands out the arrays of READS by name."""
        super().__init__(arrays, "ghost", tree, bones, path, build)
        self._stiffness = arrays["ghost.stiffness"][tree.v]

    def stiffness(self, out: FloatArray | None = None) -> FloatArray:
        """K [n]: the springs of the rates towards the free configuration [N m/rad, N/m]."""
        return hand_over(self._stiffness, out)

    def fill_mass_matrix(self) -> FloatArray:
        """Refused."""
        raise self._refuse_inertia()

    def fill_bias(self) -> FloatArray:
        """Refused."""
        raise self._refuse_inertia()

    def fill_gravity(self) -> FloatArray:
        """Refused."""
        raise self._refuse_inertia()

    def inverse_dynamics(self, acceleration: ArrayLike, out: FloatArray | None = None) -> FloatArray:
        """Refused."""
        raise self._refuse_inertia()

    def fill_whole(self) -> FloatArray:
        """Refused."""
        raise self._refuse_inertia()

    def fill_momentum_matrix(self) -> FloatArray:
        """Refused."""
        raise self._refuse_inertia()

    def kinetic_energy(self) -> float:
        """Refused."""
        raise self._refuse_inertia()

    def add_forces(self, tau: ArrayLike) -> None:
        """Refused: a ghost goes where its motion and its contacts take it."""
        raise refuse_query(self.path, "a ghost has no actuators", "change its motion, or use a skeleton")

    def _refuse_inertia(self) -> PluginError:
        what, remedy = (
            "a ghost has no inertia",
            "ask for positions, Jacobians and stiffness, or use a skeleton",
        )
        return refuse_query(self.path, what, remedy)
