"""Trees of bones that are struck keep their books: blows by limits and by the floor make no energy."""

from pathlib import Path

import pytest

import supple

SCENES = Path(__file__).resolve().parents[2] / "scenes"

SCENE = """
format = 1
[run]
step = {step}
duration = 3.0

[[entity]]
name = "floor"
plane = {{ friction = 0.4 }}

[[entity]]
name = "arm"
pose = {{ position = [0, 1.4, 0] }}
skeleton = {{}}

[[entity]]
name = "arm/upper"
bone = {{ {root} }}
box = {{ size = [0.1, 0.4, 0.1] }}

[[entity]]
name = "arm/upper/lower"
pose = {{ position = [0, -0.25, 0] }}
bone = {{ joint = "hinge", axis = [0, 0, 1], lower = -20, upper = 150 }}

[[entity]]
name = "arm/upper/lower/flesh"
pose = {{ position = [0, -0.25, 0] }}
box = {{ size = [0.08, 0.4, 0.08] }}

[[entity]]
name = "arm/upper/lower/hand"
pose = {{ position = [0, -0.5, 0] }}
bone = {{ joint = "ball", upper = 60 }}

[[entity]]
name = "arm/upper/lower/hand/flesh"
pose = {{ position = [0, -0.1, 0.05] }}
box = {{ size = [0.08, 0.2, 0.04] }}
"""

ROOTS = {
    "falls on the floor": 'joint = "free", rate = [1, 0, 0, 0.5, 1, -2]',
    "swings against its limits": 'joint = "hinge", axis = [0, 0, 1], rate = [8]',
}


@pytest.mark.parametrize("root", ROOTS.values(), ids=list(ROOTS))
def test_blows_leave_no_energy_unexplained(load_text, root):
    world = load_text(SCENE.format(step=0.001, root=root))
    world.step(3000)
    # It has hit something dozens of times; each blow takes up to half of its energy (90 J hanging).
    assert abs(world.metrics()["run.energy_unaccounted"]) < 0.05


def test_a_limp_figure_falls_down_a_stair_by_the_books():
    world = supple.load(SCENES / "mechanics/ragdoll.toml", overrides={"run.step": 0.002})
    world.step(1500)
    assert abs(world.metrics()["run.energy_unaccounted"]) < 0.001 * 844.0
