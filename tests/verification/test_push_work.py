"""The work of pushes on things that bend, against sums of force times way that are made here."""

from __future__ import annotations

import numpy as np
import pytest

RUN = "format = 1\n[run]\nstep = 0.002\nduration = 1.0\ngravity = [0, 0, 0]\n"
BEAM = """
[[entity]]
name = "beam"
fleshed_box = { size = [0.4, 0.1, 0.1], cells = 4, mass = 2.0, stiffness = 4000.0, damping = 0.0, rings = 0 }
[[event]]
name = "poke"
at = 0.0213
push = { on = "beam", force = [2, -30, 4], duration = 0.0407, point = [0, 0.05, 0] }
"""
GHOST = """
[[entity]]
name = "g"
ghost = { sliding_stiffness = 300.0, recovery = 0.01 }
[entity.skin]
vertices = [[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]]
triangles = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
weights = [[1.0], [1.0], [1.0], [1.0]]
[[entity]]
name = "g/bone"
bone = { joint = "translation" }
[[event]]
name = "poke"
at = 0
push = { on = "g", force = [0, 3, -6], duration = 5 }
"""


def work_by_hand(world, h: float) -> float:
    """Force times the mean velocity of the pushed point over every step, for the part of it in which it acts."""
    surface = next(each for each in world.members("surfaces") if hasattr(each, "rest"))
    corners = surface.triangles[world.array("push.held_element")[0]]
    weights, force = world.array("push.held_weights")[0], np.array([2, -30, 4])
    work = 0.0
    for n in range(round(0.1 / h)):
        before = weights @ world.array(surface.velocities)[corners]
        world.step()
        after = weights @ world.array(surface.velocities)[corners]
        acts = max(0.0, min(0.062, (n + 1) * h) - max(0.0213, n * h))
        work += acts * force @ (before + after) / 2
    return work


def test_a_push_on_flesh_does_the_work_that_is_accounted_for(load_text) -> None:
    """Rows are those of the step's start: what it turns by within a step is first order in h."""
    errors = []
    for h in (0.002, 0.0005):
        world = load_text(RUN.replace("0.002", str(h)) + BEAM)
        work, metrics = work_by_hand(world, h), world.metrics()
        assert work > 0.4
        errors.append(abs(metrics["run.applied_work"] - work) / work)
        # What is left over is what implicit springs lose, never energy from nowhere.
        assert -0.1 * work < metrics["run.energy_unaccounted"] < 0.0
    assert errors[0] < 2e-3
    assert errors[1] < 0.3 * errors[0]


def test_a_push_on_a_skin_fills_its_springs(load_text) -> None:
    """At rest the springs of the ghost hold F^2 / 2 K, and nobody else did work."""
    world = load_text(RUN + GHOST)
    world.step(400)
    metrics = world.metrics()
    assert metrics["run.potential_energy"] == pytest.approx(45 / 600, rel=1e-6)
    assert metrics["run.applied_work"] == pytest.approx(45 / 600, rel=1e-6)
    assert abs(metrics["run.energy_unaccounted"]) < 1e-12
