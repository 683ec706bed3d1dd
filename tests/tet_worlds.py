"""One body of tetrahedra without a world: what its kernels do at any shape."""

from __future__ import annotations

import numpy as np

from supple_tets.element_kernels import add_elements, follow_shape, start_step
from supple_tets.factor_kernels import copy_matrix
from supple_tets.mesh import TetMesh, find_gradients
from supple_tets.order import find_panels, find_pattern, place_blocks, sort_corners
from supple_tets.product_kernels import LANES
from supple_tets.tables import Elements, Factor, Matrix, Now, Scratch, Vertices
from supple_tets.turn_kernels import make_lanes


class BareBody:
    """Kernels bound to one mesh of one material."""

    def __init__(
        self,
        mesh: TetMesh,
        stiffness=1e5,
        poisson=0.45,
        damping=0.02,
        density=1000.0,
        fixed=None,
        midpoint=False,
    ):
        self.mesh, n = mesh, len(mesh.vertices)
        self.fixed = np.zeros(n, bool) if fixed is None else fixed
        pattern = self.pattern = find_pattern(n, mesh.tets, self.fixed)
        corner, gradient = sort_corners(pattern, mesh.tets, find_gradients(mesh.vertices, mesh.tets))
        volume, ones = mesh.volumes, np.ones(len(mesh.tets))
        shear = stiffness / (2 + 2 * poisson)
        lame = 2 * shear * poisson / (1 - 2 * poisson)
        self.mass = np.zeros(n)
        np.add.at(self.mass, mesh.tets, density * volume[:, None] / 4)
        self.elements = Elements(
            corner=corner, gradient=gradient, volume=volume, lame=lame * ones, shear=shear * ones,
            damping=damping * ones, slot=place_blocks(pattern, corner, self.fixed),
            body_of=np.zeros(len(ones), np.int64), midpoint=np.full(len(ones), int(midpoint)),
        )  # fmt: skip
        self.vertices = Vertices(
            mass=self.mass, drag=np.zeros(n), fixed=self.fixed.astype(np.int64), place=pattern.place,
            vertex_midpoint=np.full(n, int(midpoint)),
        )  # fmt: skip
        panels = find_panels(pattern)
        self.factor = Factor(**panels, numbers=np.zeros(panels["home"][-1] + LANES))
        self.matrix = Matrix(
            matrix_diagonal=np.zeros((n + 1, 3, 3)),
            matrix_lower=np.zeros((len(pattern.block_row) + 1, 3, 3)),
        )
        self.scratch = Scratch(
            gradient=np.zeros((4, 3)), stiffness=np.zeros((12, 12)), rigid=np.zeros((6, 12))
        )
        self.turn = np.tile([1.0, 0.0, 0.0, 0.0], (len(ones), 1))

    def assemble(self, x, h=0.01, v=None, force=None):
        """The right side of the step at the places x; A is in `factor`."""
        v, force = (np.zeros_like(x) if each is None else each for each in (v, force))
        right = np.zeros_like(x)
        for each in self.matrix:
            each.fill(0.0)
        now = Now(x=x, v=v, v_before=v, turn=self.turn, last_step=np.array([h]))
        start_step(h, self.vertices, np.zeros(3), now, force, right, self.matrix)
        add_elements(
            h, self.elements, self.vertices.fixed, now, self.scratch, make_lanes(), right, self.matrix
        )
        copy_matrix(self.matrix, self.factor)
        return right

    def find_forces(self, x):
        """Elastic forces [n, 3]."""
        return self.assemble(x, h=1.0)

    def find_energy(self, x):
        """Elastic energy [J]; rotations follow the shape."""
        stored, shape = np.zeros(1), np.zeros((1, 4))
        follow_shape(self.elements, x, self.turn, make_lanes(), self.turn, stored, shape)
        return stored[0]

    def dense(self):
        """A [3 n, 3 n] as assembled."""
        place = self.factor.place
        n = len(place)
        A = np.zeros((n, n, 3, 3))
        for j in range(n):
            lower = np.tril(self.matrix.matrix_diagonal[j])
            A[j, j] = lower + np.tril(lower, -1).T
        for p, (i, j) in enumerate(zip(self.pattern.block_row, self.pattern.block_column, strict=True)):
            A[i, j], A[j, i] = self.matrix.matrix_lower[p], self.matrix.matrix_lower[p].T
        A = A[place][:, place]
        return A.transpose(0, 2, 1, 3).reshape(3 * n, 3 * n)
