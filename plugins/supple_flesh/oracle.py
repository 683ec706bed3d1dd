"""A slow, plain twin of the coupled step in numpy: dense Jacobians of all points, dense matrices, no elimination.

It shares with the kernels the tables of the skeleton and the pool, and the Jacobians of bones with the twin of the
skeleton. Velocities are (r, x'): the rates, then the velocities of the active vertices against their bones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple_bones.forest import Forest
from supple_flesh.pool import Pool
from supple_skeleton import oracle as bones_oracle
from supple_skeleton.oracle import cross_matrix, find_motions


@dataclass
class Coupled:
    """Bones and flesh at one state.

    forest   tables whose inertias are those of the bones with all flesh at rest
    bone_of  [n] bone of every vertex        load [bones, 10] inertia of all flesh at rest
    q, r     coordinates and rates           x, w [n, 3] places and velocities of the vertices in their bones
    active   numbers of the vertices that move
    """

    forest: Forest
    pool: Pool
    bone_of: IntArray
    load: FloatArray
    q: FloatArray
    r: FloatArray
    x: FloatArray
    w: FloatArray
    active: IntArray
    gravity: FloatArray
    bare: Forest = field(init=False)

    def __post_init__(self) -> None:
        self.bare = replace(self.forest, inertia=self.forest.inertia - self.load)

    @property
    def size(self) -> int:
        """Number of velocities."""
        return len(self.r) + 3 * len(self.active)

    @property
    def v(self) -> FloatArray:
        """(r, x')."""
        return np.concatenate([self.r, self.w[self.active].reshape(-1)])

    def columns(self, vertex: int) -> slice | None:
        """Where the velocity of a vertex is; None if it does not move."""
        found = np.flatnonzero(self.active == vertex)
        return slice(len(self.r) + 3 * found[0], len(self.r) + 3 * found[0] + 3) if len(found) else None

    def point(self, vertex: int, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        """J and dJ/dt [3, size] of a vertex in the world, at velocities v."""
        motion = find_motions(self.forest, self.q, v[: len(self.r)])[self.bone_of[vertex]]
        mine = self.columns(vertex)
        arm = motion.R @ (self.x[vertex] if mine is not None else self.pool.rest[vertex])
        spin = motion.Jw @ v[: len(self.r)]
        rate = np.cross(spin, arm) + (motion.R @ v[mine] if mine is not None else 0.0)
        J, Jdot = np.zeros((3, self.size)), np.zeros((3, self.size))
        J[:, : len(self.r)] = motion.J - cross_matrix(arm) @ motion.Jw
        Jdot[:, : len(self.r)] = (
            motion.Jdot - cross_matrix(arm) @ motion.Jwdot - cross_matrix(rate) @ motion.Jw
        )
        if mine is not None:
            J[:, mine] = motion.R
            Jdot[:, mine] = cross_matrix(spin) @ motion.R
        return J, Jdot

    def dynamics(self, v: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Mass matrix, bias and gravity force of the coupled system at velocities v."""
        rates = len(self.r)
        dense = bones_oracle.evaluate(self.bare, self.q, v[:rates], self.gravity)
        M, bias, weight = np.zeros((self.size, self.size)), np.zeros(self.size), np.zeros(self.size)
        M[:rates, :rates], bias[:rates], weight[:rates] = dense.mass_matrix, dense.bias, dense.gravity
        for vertex, m in enumerate(self.pool.mass):
            J, Jdot = self.point(vertex, v)
            M += m * J.T @ J
            bias += m * J.T @ (Jdot @ v)
            weight -= m * J.T @ self.gravity
        return M, bias, weight

    def double_form(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """2 B(a, b) by polarisation of the bias, which is a quadratic form."""
        _, both, _ = self.dynamics(a + b)
        _, first, _ = self.dynamics(a)
        _, second, _ = self.dynamics(b)
        return both - first - second

    def springs(self, h: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Implicit part h D + h^2 K of A, force on (r, x') now, and h K of the implicit part."""
        pool, rates = self.pool, len(self.r)
        motions = find_motions(self.forest, self.q, self.r)
        implicit, force = np.zeros((self.size, self.size)), np.zeros(self.size)
        moves = set(self.active.tolist())
        for i in self.active:
            mine, Ri = self.columns(i), motions[self.bone_of[i]].R
            d = self.x[i] - pool.rest[i]
            implicit[mine, mine] += (h * pool.damping[i] + h * h * pool.vertex_stiffness[i]) * np.eye(3)
            force[mine] -= pool.vertex_stiffness[i] * d + pool.damping[i] * self.w[i]
            for e in range(pool.first[i], pool.first[i + 1]):
                j, k = pool.neighbour[e], pool.edge_stiffness[e]
                implicit[mine, mine] += h * h * k * np.eye(3)
                other = self.x[j] - pool.rest[j] if j in moves else np.zeros(3)
                Rj = motions[self.bone_of[j]].R
                force[mine] -= k * (d - Ri.T @ Rj @ other)
                if pool.patch_of[j] == pool.patch_of[i] and j in moves:
                    implicit[mine, self.columns(j)] -= h * h * k * np.eye(3)
                elif j in moves:
                    force[:rates] += motions[self.bone_of[i]].Jw.T @ np.cross(Ri @ d, k * Rj @ other)
        stretch = implicit.copy()
        for i in self.active:
            stretch[self.columns(i), self.columns(i)] -= h * pool.damping[i] * np.eye(3)
        return implicit, force, stretch / h

    def matrix(self, h: float) -> FloatArray:
        """A = M + h D + h^2 K."""
        return self.dynamics(self.v)[0] + self.springs(h)[0]

    def free(self, h: float, corrections: int, implicitness: float, parting: FloatArray) -> FloatArray:
        """(r, x') after the step if nothing touched; `parting` [size] is the momentum of released vertices."""
        v = self.v
        M, bias, weight = self.dynamics(v)
        implicit, force, stretch = self.springs(h)
        A = M + implicit
        right = h * (force - bias - weight) - h * stretch @ v + parting
        change = np.asarray(np.linalg.solve(A, right), np.float64)
        for _ in range(corrections):
            lagged = right - implicitness * h * self.double_form(v, change)
            change = np.asarray(np.linalg.solve(A, lagged), np.float64)
        return v + change

    def momentum(self) -> FloatArray:
        """M (r, x')."""
        return self.dynamics(self.v)[0] @ self.v

    def energy(self) -> tuple[float, float]:
        """Kinetic energy, and potential energy of gravity and springs [J]."""
        M, _, _ = self.dynamics(self.v)
        dense = bones_oracle.evaluate(self.bare, self.q, self.r, self.gravity)
        motions = find_motions(self.forest, self.q, self.r)
        pool, moves = self.pool, set(self.active.tolist())
        potential = dense.potential_energy
        d = [
            motions[self.bone_of[i]].R @ (self.x[i] - pool.rest[i]) if i in moves else np.zeros(3)
            for i in range(pool.count)
        ]
        for i in range(pool.count):
            motion = motions[self.bone_of[i]]
            potential -= pool.mass[i] * self.gravity @ (motion.x + motion.R @ pool.rest[i] + d[i])
            potential += 0.5 * pool.vertex_stiffness[i] * d[i] @ d[i]
            for e in range(pool.first[i], pool.first[i + 1]):
                apart = d[i] - d[pool.neighbour[e]]
                potential += 0.25 * pool.edge_stiffness[e] * apart @ apart
        return float(self.v @ M @ self.v) / 2, float(potential)


def read_world(world: Any, state: str = "", mask: str = "flesh.mask") -> Coupled:
    """The twin of a world; `state` = ".next" takes the state after the step that was computed last."""
    from supple_flesh.systems import find_flesh

    mechanism, _ = find_flesh(world.build)
    skeletons = next(each for each in world.members("mechanisms") if each.name == "skeleton")
    arrays: Mapping[str, Any] = world.arrays
    pool, forest = mechanism.pool, skeletons.forest
    bone_of = arrays["flesh.patch_bone"][pool.patch_of]
    load = np.array([mechanism.load.rest_inertia(*frame) for frame in skeletons.frames])
    return Coupled(
        forest=forest,
        pool=pool,
        bone_of=bone_of,
        load=load,
        q=arrays[f"skeleton.q{state}"].copy(),
        r=arrays[f"skeleton.v{state}"].copy(),
        x=arrays[f"flesh.x{state}"].copy(),
        w=arrays[f"flesh.v{state}"].copy(),
        active=np.flatnonzero(arrays[mask]),
        gravity=np.array(arrays["run.gravity"]),
    )


def contact_jacobian(world: Any, twin: Coupled) -> FloatArray:
    """J [3 contacts, size] of all contacts of flesh with flesh or what stands still, from `contacts.*` and the mesh."""
    from supple_flesh.systems import find_flesh

    _, surfaces = find_flesh(world.build)
    frames = world.array("contacts.directions")
    arrays, rows = world.arrays, []
    for c in range(int(arrays["contacts.count"][0])):
        directions = frames[c]
        J = np.zeros((3, twin.size))
        for side, sign in ((0, 1.0), (1, -1.0)):
            for surface in surfaces:
                if arrays["contacts.surface"][c, side] != surface.number:
                    continue
                triangle = surface.part.triangles.start + arrays["contacts.element"][c, side]
                for vertex, weight in zip(
                    twin.pool.triangles[triangle], arrays["contacts.weights"][c, side], strict=True
                ):
                    J += sign * weight * directions @ twin.point(vertex, twin.v)[0]
        rows.append(J)
    return np.concatenate(rows) if rows else np.zeros((0, twin.size))
