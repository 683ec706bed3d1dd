"""Structures that stand by friction alone, at the friction that statics asks for: found by a linear programme."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linprog

import supple

SCENES = Path(__file__).resolve().parents[2] / "scenes/mechanics"


def corners(angle, inner, outer):
    direction = np.array([math.cos(angle), math.sin(angle)])
    return inner * direction, outer * direction


def weigh(polygon):
    """Area and centroid."""
    x, y = polygon.T
    x2, y2 = np.roll(x, -1), np.roll(y, -1)
    twist = x * y2 - x2 * y
    area = twist.sum() / 2
    return abs(area), np.array([((x + x2) * twist).sum(), ((y + y2) * twist).sum()]) / (6 * area)


def can_stand(blocks, inner, outer, mu) -> bool:
    """Whether forces at the corners of all joints, each within its friction cone, can carry all wedges."""
    angles = np.linspace(0, math.pi, blocks + 1)
    balance, load = np.zeros((3 * blocks, 4 * (blocks + 1))), np.zeros(3 * blocks)
    for block in range(blocks):
        below, above = (corners(angles[block + k], inner, outer) for k in range(2))
        area, centre = weigh(np.array([below[0], below[1], above[1], above[0]]))
        load[3 * block + 1] = area
        for side, joint in ((1, block), (-1, block + 1)):
            across = np.array([-math.sin(angles[joint]), math.cos(angles[joint])])
            along = np.array([math.cos(angles[joint]), math.sin(angles[joint])])
            for place, point in enumerate(corners(angles[joint], inner, outer)):
                arm = point - centre
                for part, direction in enumerate((across, along)):
                    force = side * direction
                    column = 4 * joint + 2 * place + part
                    balance[3 * block : 3 * block + 2, column] = force
                    balance[3 * block + 2, column] = arm[0] * force[1] - arm[1] * force[0]
    cones = np.zeros((4 * (blocks + 1), balance.shape[1]))
    for row in range(len(cones)):
        pair = row // 2
        cones[row, 2 * pair] = -mu
        cones[row, 2 * pair + 1] = 1 if row % 2 else -1
    bounds = [(0, None), (None, None)] * (2 * (blocks + 1))
    result = linprog(
        np.zeros(balance.shape[1]),
        A_ub=cones,
        b_ub=np.zeros(len(cones)),
        A_eq=balance,
        b_eq=load,
        bounds=bounds,
    )
    return result.status == 0


def least_friction(blocks, inner, outer) -> float:
    low, high = 0.0, 2.0
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (low, middle) if can_stand(blocks, inner, outer, middle) else (middle, high)
    return high


@pytest.mark.parametrize("blocks", [7, 9])
def test_an_arch_stands_and_falls_at_the_friction_of_the_linear_programme(blocks) -> None:
    limit = least_friction(blocks, 0.8, 1.1)
    key = f"arch/block{blocks // 2}"
    for factor in (1.01, 0.99):
        mu = factor * limit
        overrides = {"arch.arch.blocks": blocks, "arch.arch.friction": mu, "floor.plane.friction": mu}
        world = supple.load(SCENES / "arch.toml", overrides=overrides)
        world.step(300)
        moved = world.metrics()[f"{key}.travel"]
        assert moved < 1e-7 if factor > 1 else moved > 1e-3, (factor, moved)


def test_cards_stand_and_fall_at_the_friction_of_statics() -> None:
    length, radius, lean = 0.3, 0.005, math.radians(25)
    limit = length * math.sin(lean) / (2 * (radius + length * math.cos(lean)))
    for factor in (1.002, 0.998):
        world = supple.load(SCENES / "cards.toml", overrides={"table.plane.friction": factor * limit})
        world.step(500)
        moved = world.metrics()["left.travel"]
        assert moved < 1e-7 if factor > 1 else moved > 1e-4, (factor, moved)
