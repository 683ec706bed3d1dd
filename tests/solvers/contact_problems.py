"""Own constraint problems of rigid bodies for tests of solvers, built with dense numpy algebra.

Body velocities are (linear, angular), both in the world frame here; y is up, gravity 9.81 m/s^2.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from supple.mechanics.block_matrix import BlockMatrix
from supple.mechanics.problem import ConstraintProblem
from supple.mechanics.rows import BILATERAL, COULOMB, ROWS_OF_LAW

FLOOR = -1
UP = np.array([0.0, 1.0, 0.0])
STEP = 0.004


def cross_matrix(x):
    return np.array([[0.0, -x[2], x[1]], [x[2], 0.0, -x[0]], [-x[1], x[0], 0.0]])


def contact_frame(normal):
    """Rows n, t, s of a right-handed frame."""
    normal = normal / np.linalg.norm(normal)
    helper = np.eye(3)[np.argmin(np.abs(normal))]
    t = np.cross(helper, normal)
    t /= np.linalg.norm(t)
    return np.array([normal, t, np.cross(normal, t)])


@dataclass
class Bodies:
    """Rigid bodies and rows between them; `problem` turns them into a constraint problem."""

    mass: list = field(default_factory=list)
    inertia: list = field(default_factory=list)
    position: list = field(default_factory=list)
    velocity: list = field(default_factory=list)
    rows: list = field(default_factory=list)  # (law, J rows over all bodies as {body: [m, 6]}, settings)

    def add_body(self, mass, inertia, position, velocity=None):
        self.mass.append(mass)
        self.inertia.append(np.asarray(inertia, float))
        self.position.append(np.asarray(position, float))
        self.velocity.append(np.zeros(6) if velocity is None else np.asarray(velocity, float))
        return len(self.mass) - 1

    def add_box(self, mass, half_extents, position, velocity=None):
        a, b, c = np.square(half_extents)
        inertia = mass / 3.0 * np.array([b + c, a + c, a + b])
        return self.add_body(mass, np.diag(inertia), position, velocity)

    def point_rows(self, body, point, directions):
        """Velocity of a point of the body along the directions, as rows over the body's velocity."""
        return np.hstack([directions, -directions @ cross_matrix(point - self.position[body])])

    def add_contact(self, a, b, point, normal, friction, **settings):
        directions = contact_frame(np.asarray(normal, float))
        blocks = {a: self.point_rows(a, point, directions)}
        if b != FLOOR:
            blocks[b] = -self.point_rows(b, point, directions)
        self.rows.append((COULOMB, blocks, {"friction": friction, **settings}))

    def add_ball_joint(self, a, b, point):
        for axis in np.eye(3):
            self.add_row(BILATERAL, a, b, point, axis)

    def add_row(self, law, a, b, point, direction, **settings):
        blocks = {a: self.point_rows(a, point, direction[None, :])}
        if b != FLOOR:
            blocks[b] = -self.point_rows(b, point, direction[None, :])
        self.rows.append((law, blocks, settings))

    def jacobian(self):
        parts = []
        for _, blocks, _ in self.rows:
            row = np.zeros((next(iter(blocks.values())).shape[0], 6 * len(self.mass)))
            for body, block in blocks.items():
                row[:, 6 * body : 6 * body + 6] = block
            parts.append(row)
        return np.vstack(parts)

    def inverse_mass(self):
        inverse = np.zeros((6 * len(self.mass),) * 2)
        for k, (mass, inertia) in enumerate(zip(self.mass, self.inertia, strict=True)):
            inverse[6 * k : 6 * k + 3, 6 * k : 6 * k + 3] = np.eye(3) / mass
            inverse[6 * k + 3 : 6 * k + 6, 6 * k + 3 : 6 * k + 6] = np.linalg.inv(inertia)
        return inverse

    def problem(self, step=STEP):
        v = np.concatenate(self.velocity)
        v_free = v.copy()
        v_free[1::6] -= 9.81 * step
        J = self.jacobian()
        return make_problem(
            J @ self.inverse_mass() @ J.T,
            J @ v_free,
            [law for law, _, _ in self.rows],
            [settings for _, _, settings in self.rows],
            step,
        )


def make_problem(W, free, laws, settings, step=STEP):
    """A problem from a dense matrix and free row velocities; bias in the settings is added to free."""
    problem = ConstraintProblem(len(laws), step)
    problem.reserve(len(laws))
    problem.law[:] = laws
    problem.size[:] = np.array(ROWS_OF_LAW)[problem.law]
    for i, values in enumerate(settings):
        for name, value in values.items():
            getattr(problem, name)[i] = value
    columns = np.arange(3)[None, :] < problem.size[:, None]
    problem.free[columns] = free
    problem.free += problem.bias
    problem.W = BlockMatrix.from_dense((W + W.T) / 2, problem.size)
    return problem


def contacts_only(W, free, friction):
    n = len(friction)
    return make_problem(W, free, [COULOMB] * n, [{"friction": mu} for mu in friction])


def stack_of_boxes(count, friction=0.5, mass=lambda level: 1.0, push=(0.0, 0.0, 0.0)):
    """Boxes of 0.2 m on each other, four coplanar contacts each: more rows than freedoms, so W is singular."""
    bodies = Bodies()
    half = 0.1
    for level in range(count):
        velocity = np.concatenate([push, np.zeros(3)]) if level == count - 1 else None
        bodies.add_box(mass(level), (half, half, half), (0.0, half * (2 * level + 1), 0.0), velocity)
        for x in (-half, half):
            for z in (-half, half):
                below = level - 1 if level else FLOOR
                bodies.add_contact(level, below, np.array([x, 2 * half * level, z]), UP, friction)
    return bodies


def random_pile(seed, count=6, contacts=12, mass_ratio=10.0, friction=0.6):
    """Bodies with random masses, velocities and contacts; every body touches the floor, pairs touch at most once."""
    rng = np.random.default_rng(seed)
    bodies = Bodies()
    for _ in range(count):
        mass = mass_ratio ** rng.uniform(0.0, 1.0)
        velocity = rng.normal(size=6) * [0.3, 0.3, 0.3, 1.0, 1.0, 1.0]
        bodies.add_box(mass, rng.uniform(0.05, 0.15, 3), rng.uniform(-0.5, 0.5, 3), velocity)
    for body in range(count):
        point = bodies.position[body] + rng.uniform(-0.1, 0.1, 3) - 0.1 * UP
        bodies.add_contact(body, FLOOR, point, UP, friction * rng.uniform(0.2, 1.0))
    pairs = [(a, b) for a in range(count) for b in range(a)]
    for a, b in rng.permutation(pairs)[:contacts]:
        middle = (bodies.position[a] + bodies.position[b]) / 2
        normal = bodies.position[a] - bodies.position[b] + 0.05 * rng.normal(size=3)
        bodies.add_contact(a, b, middle, normal, friction * rng.uniform(0.2, 1.0))
    return bodies


def random_spheres(seed, count=6, contacts=5, friction=0.1):
    """Spheres of 0.5 m that touch each other and the floor: normal impulses do not turn them.

    With that, little friction and fewer rows than freedoms there is one solution; elsewhere there may be several.
    """
    rng = np.random.default_rng(seed)
    bodies = Bodies()
    for _ in range(count):
        mass = 10.0 ** rng.uniform(0.0, 1.0)
        velocity = rng.normal(size=6) * [0.3, 0.3, 0.3, 1.0, 1.0, 1.0]
        bodies.add_body(mass, 0.4 * mass * 0.25 * np.eye(3), rng.uniform(-0.5, 0.5, 3), velocity)
        bodies.add_contact(len(bodies.mass) - 1, FLOOR, bodies.position[-1] - 0.5 * UP, UP, friction)
    pairs = [(a, b) for a in range(count) for b in range(a)]
    for a, b in rng.permutation(pairs)[:contacts]:
        middle = (bodies.position[a] + bodies.position[b]) / 2
        bodies.add_contact(a, b, middle, bodies.position[a] - bodies.position[b], friction)
    return bodies


def hanging_chain(count, friction=0.4):
    """Links joined by ball joints to each other and to the ceiling; the last one touches the floor."""
    bodies = Bodies()
    for k in range(count):
        velocity = [0.5, 0.0, 0.1 * k, 0.0, 0.0, 0.2]
        bodies.add_box(1.0, (0.02, 0.1, 0.02), (0.0, -0.2 * k - 0.1, 0.0), velocity)
        bodies.add_ball_joint(k, k - 1 if k else FLOOR, np.array([0.0, -0.2 * k, 0.0]))
    bodies.add_contact(count - 1, FLOOR, np.array([0.0, -0.2 * count, 0.0]), UP, friction)
    return bodies
