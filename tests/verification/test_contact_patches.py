"""Soft bodies that touch in patches: the same forces as of single vertices, and as many contacts on any mesh."""

import numpy as np
import pytest

import supple
from supple.testing import audit_step, check_memory, check_resume

HEAD = "format = 1\n[run]\nstep = 0.01\nduration = 1.0\ngravity = [{across}, -9.81, 0]\n"
FLOOR = '[[entity]]\nname = "floor"\nplane = {}\n'
BLOCK = """
[[entity]]
name = "block"
pose = {{ position = [0, {height}, 0] }}
tet_block = {{ size = [0.4, 0.2, 0.2], cells = {cells} }}
tets = {{ stiffness = 3e5, patch_size = {patch}, friction = 0.5, density = 800 }}
"""
WEIGHT = 0.4 * 0.2 * 0.2 * 800 * 9.81
CRATE = """
[[entity]]
name = "crate"
pose = { position = [0, 0.1, 0] }
body = { mass = 7.0 }
box = { size = [0.5, 0.2, 0.5] }
"""


@pytest.fixture
def load(tmp_path):
    def make(text):
        (tmp_path / "scene.toml").write_text(text)
        return supple.load(tmp_path / "scene.toml")

    make.path = tmp_path / "scene.toml"
    return make


def write(patch=0.1, across=0.0, height=0.101, cells=(4, 2, 2), company=""):
    block = BLOCK.format(patch=patch, height=height, cells=list(cells))
    return HEAD.format(across=across) + FLOOR + company + block


def count_groups(world):
    return int(world.arrays["contacts.group"][: world.arrays["contacts.count"][0]].max()) + 1


def test_the_same_force_and_torque_as_of_vertices(load):
    """Gravity leans by a third of what friction holds: weight, friction, and where the pressure acts."""
    worlds = [load(write(patch, across=0.16 * 9.81)) for patch in (0.0, 0.1)]
    for world in worlds:
        world.step(150)
    vertices, patches = (world["block"] for world in worlds)
    for block in (vertices, patches):
        assert block.contact_force == pytest.approx([-0.16 * WEIGHT, WEIGHT, 0.0], abs=1e-4 * WEIGHT)
    # Both torques balance the weight of the leaning block, whose centre is at half its height.
    assert patches.contact_torque == pytest.approx(vertices.contact_torque, abs=2e-3 * 0.2 * WEIGHT)
    assert patches.contact_centre[0] == pytest.approx(0.1 * 0.16, abs=1e-3)
    assert count_groups(worlds[1]) == 8 < count_groups(worlds[0])


@pytest.mark.parametrize("cells", [(4, 2, 2), (8, 4, 4)])
def test_as_many_contacts_on_any_mesh(load, cells):
    world = load(write(cells=cells))
    world.step(100)
    assert count_groups(world) == 8
    assert world["block"].contact_force == pytest.approx([0.0, WEIGHT, 0.0], abs=1e-5 * WEIGHT)
    # A patch rests on the mean of its vertices: none of them is deeper than the slack of the patch.
    assert world.arrays["contacts.gap"][: world.arrays["contacts.count"][0]].min() > -1e-3


def test_sliding_as_coulomb_says(load):
    """Gravity leans by 0.8 of the weight, friction holds 0.5 of it: the rest accelerates the block."""
    world = load(write(across=0.8 * 9.81, height=0.1))
    start = 20
    world.step(start)
    before = np.array(world.arrays["tets.v"]).mean(axis=0)
    world.step(40)
    after = np.array(world.arrays["tets.v"]).mean(axis=0)
    assert (after - before)[0] / 0.4 == pytest.approx(0.3 * 9.81, rel=0.02)


def test_on_a_body_that_moves(load):
    """A crate bears the block, the floor bears both; what acts on one acts back on the other."""
    world = load(write(height=0.301, company=CRATE))
    world.step(150)
    assert world["block"].contact_force == pytest.approx([0.0, WEIGHT, 0.0], abs=1e-4 * WEIGHT)
    assert world["crate"].contact_force == pytest.approx([0.0, 7.0 * 9.81, 0.0], abs=1e-4 * WEIGHT)
    assert world["floor"].contact_force == pytest.approx([0.0, -WEIGHT - 7.0 * 9.81, 0.0], abs=2e-4 * WEIGHT)


def test_what_is_declared_and_remembered(load):
    world = load(write(height=0.301, company=CRATE))
    world.step(20)
    audit_step(world)
    check_memory(world, 3)
    check_resume(load.path, steps=30, more=5)
