"""Own constraint problems that are hard on solvers: all laws at once, soft pads around a light box, walls of bricks."""

from __future__ import annotations

import numpy as np

from solvers.contact_problems import (
    FLOOR,
    UP,
    Bodies,
    contact_frame,
    contacts_only,
    cross_matrix,
    make_problem,
)
from supple.mechanics.rows import BILATERAL, BOUNDED, COMPLIANT, COULOMB, UNILATERAL

MIXED_LAWS = [
    COULOMB,
    BILATERAL,
    UNILATERAL,
    BOUNDED,
    COMPLIANT,
    COULOMB,
    UNILATERAL,
    COMPLIANT,
    COULOMB,
    BOUNDED,
]


def mixed_laws(seed, friction=0.3, free_scale=1.0):
    """All five laws in one well-conditioned matrix, coupled with each other; friction with two different scales."""
    rng = np.random.default_rng(seed)
    rows = sum(3 if law == COULOMB else 1 for law in MIXED_LAWS)
    J = rng.normal(size=(rows, 4 * rows))
    settings = [{} for _ in MIXED_LAWS]
    for i, law in enumerate(MIXED_LAWS):
        if law == COULOMB:
            settings[i] = {
                "friction": rng.uniform(0.3, 1.0) * friction,
                "scale": (1.0, 1.0, rng.uniform(0.4, 1.0)),
            }
        elif law in (BOUNDED, COMPLIANT):
            settings[i] = {"lower": -rng.uniform(0.0, 0.3), "upper": rng.uniform(0.0, 0.3)}
        if law == COMPLIANT:
            settings[i]["compliance"] = (rng.uniform(0.1, 2.0), 0.0, 0.0)
    return make_problem(J @ J.T / J.shape[1], free_scale * rng.normal(size=rows), MIXED_LAWS, settings)


def pinch(seed, vertices=12, mass=0.005, friction=0.8, step=0.0017):
    """Two soft pads, meshes of springs, press a light box from both sides: Gauss-Seidel crawls here."""
    rng = np.random.default_rng(seed)
    n = 2 * vertices
    W, half = np.zeros((3 * n, 3 * n)), 0.02
    point = np.column_stack([np.repeat([half, -half], vertices), rng.uniform(-half, half, (n, 2))])
    side = np.sign(point[:, 0])
    frames = [contact_frame(np.array([s, 0.0, 0.0]) + 0.1 * rng.normal(size=3)) for s in side]
    for first in (0, vertices):
        pad = range(first, first + vertices)
        laplacian = np.zeros((vertices, vertices))
        for a in pad:
            for b in sorted(pad, key=lambda k, a=a: np.linalg.norm(point[k] - point[a]))[1:5]:
                difference = np.zeros(vertices)
                difference[[a - first, b - first]] = 1.0, -1.0
                laplacian += np.outer(difference, difference)
        response = np.linalg.inv(
            (0.01 / vertices + 50.0 * step**2) * np.eye(vertices) + 2e3 * step**2 * laplacian
        )
        for a in pad:
            for b in pad:
                W[3 * a : 3 * a + 3, 3 * b : 3 * b + 3] = (
                    response[a - first, b - first] * frames[a] @ frames[b].T
                )
    J = np.vstack([np.hstack([f, -f @ cross_matrix(x)]) for f, x in zip(frames, point, strict=True)])
    inertia = mass / 3.0 * 2.0 * half**2
    W += J @ np.diag([1.0 / mass] * 3 + [1.0 / inertia] * 3) @ J.T
    free = -J @ np.array([0.0, -9.81 * step, 0.0, *(0.3 * rng.normal(size=3))])
    for i, frame in enumerate(frames):
        free[3 * i : 3 * i + 3] += frame @ (np.array([-0.3 * side[i], 0.1, 0.0]) + 0.05 * rng.normal(size=3))
    return contacts_only(W, free, [friction] * n)


def brick_wall(columns, levels, friction=0.5, top_mass=1.0):
    """Bricks in running bond, four contacts for each pair that overlaps: far more rows than freedoms."""
    bodies, (hx, hy, hz) = Bodies(), (0.1, 0.05, 0.05)
    below = []
    for level in range(levels):
        current = []
        for column in range(columns):
            x = 2 * hx * column + (hx if level % 2 else 0.0)
            mass = top_mass if level == levels - 1 else 1.0
            brick = bodies.add_box(mass, (hx, hy, hz), (x, hy * (2 * level + 1), 0.0))
            supports = [(FLOOR, x)] if level == 0 else below
            for support, other_x in supports:
                low, high = max(x, other_x) - hx, min(x, other_x) + hx
                if high - low > 1e-6:
                    for px in (low, high):
                        for pz in (-hz, hz):
                            bodies.add_contact(
                                brick, support, np.array([px, 2 * hy * level, pz]), UP, friction
                            )
            current.append((brick, x))
        below = current
    return bodies


def crossed_tower(levels, friction=0.3, shake=0.0, seed=0):
    """Three flat bricks a level, each level across the last: nine crossings of four contacts, on the floor or not.

    `shake` [m/s] is the size of random velocities of the bricks, as when the tower is hit.
    """
    rng, bodies, (hx, hy, hz) = np.random.default_rng(seed), Bodies(), (0.06, 0.004, 0.012)
    places, below = (-0.045, 0.0, 0.045), []
    for level in range(levels):
        along_x, current = level % 2 == 0, []
        for place in places:
            half = (hx, hy, hz) if along_x else (hz, hy, hx)
            position = (0.0, hy * (2 * level + 1), place) if along_x else (place, hy * (2 * level + 1), 0.0)
            velocity = shake * rng.normal(size=6) * [1.0, 1.0, 1.0, 10.0, 10.0, 10.0]
            brick = bodies.add_box(0.011, half, position, velocity)
            for support, other in below or [(FLOOR, 0.0)]:
                reach = hz if below else hx
                ends, sides = (other - reach, other + reach), (place - hz, place + hz)
                for along in ends:
                    for across in sides:
                        x, z = (along, across) if along_x else (across, along)
                        bodies.add_contact(brick, support, np.array([x, 2 * hy * level, z]), UP, friction)
            current.append((brick, place))
        below = current
    return bodies
