"""Poses of bones and vertices are State: they agree with the coordinates to the bit, also once a world is restored."""

from __future__ import annotations

import numpy as np
import pytest

from supple.core.schedule import Bound
from supple_bones.kinematics_kernels import follow_state
from supple_bones.tables import Bones, Motion, follow_coordinates, name_arrays
from supple_flesh.motion_kernels import place_vertices as place_flesh
from supple_flesh.tables import BoneFrames, Patches, PlacedVertices, VertexMotion
from supple_skin.kernels import place_vertices as place_skin
from supple_skin.tables import SkinBlend

ENTITIES = """
[[entity]]
name = "floor"
plane = {}
[[entity]]
name = "one"
pose = { position = [0, 0.06, 0] }
fleshed_box = { size = [0.1, 0.1, 0.1], cells = 2, velocity = [0.5, -1, 0], spin = [1, 2, 3] }
[[entity]]
name = "two"
pose = { position = [0.3, 0.08, 0], axis = [1, 0, 0], angle = 30 }
fleshed_box = { size = [0.1, 0.08, 0.1], cells = 2, spin = [-3, 0, 1] }
[[entity]]
name = "finger"
pose = { position = [-0.5, 0.02, 0], axis = [1, 0, 0], angle = 80 }
skinned_finger = { bones = 2, recovery = 0.02 }
[[entity]]
name = "stone"
pose = { position = [-0.5, 0.1, 0.06] }
sphere = { radius = 0.02 }
body = { mass = 0.1 }
[[entity]]
name = "arm"
pose = { position = [1, 1, 0] }
skeleton = {}
[[entity]]
name = "arm/upper"
bone = { joint = "hinge", upper = 20, rate = [4], mass = 1, inertia = [0.1, 0.1, 0.1], centre = [0, -0.2, 0] }
servo = { target = 10, stiffness = 3, limit = 1 }
"""


@pytest.fixture
def load(load_text):
    def load_with(step: float = 0.004):
        return load_text(f"format = 1\n[run]\nstep = {step}\nduration = 1\n{ENTITIES}")

    return load_with


def find_motion(world, owner):
    """What follows from coordinates and rates now, computed apart."""
    tables = [world.array(name) for name in name_arrays(Bones, owner)]
    q, v, *rest = (world.array(name).copy() for name in name_arrays(Motion, owner))
    found = [np.zeros_like(array) for array in rest]
    follow_state(*tables, q, v, *found)
    return dict(zip(Motion._fields[2:], found, strict=True))


def check_poses(world) -> None:
    for owner in ("skeleton", "ghost"):
        for name, values in find_motion(world, owner).items():
            assert np.array_equal(values, world.array(f"{owner}.{name}")), (owner, name)
    placed = PlacedVertices(*np.zeros((2, *world.array("flesh.x").shape)))
    groups = ((Patches, "flesh"), (BoneFrames, "skeleton"), (VertexMotion, "flesh"))
    place_flesh(
        *(group(*(world.array(f"{owner}.{name}") for name in group._fields)) for group, owner in groups),
        placed,
    )
    assert np.array_equal(placed.position, world.array("flesh.position"))
    assert np.array_equal(placed.velocity, world.array("flesh.velocity"))
    skin = np.zeros_like(world.array("skin0.position"))
    blend = SkinBlend(**{name: world.array(f"skin0.{name}") for name in SkinBlend._fields})
    place_skin(blend, world.array("ghost.x"), world.array("ghost.rotation"), skin)
    assert np.array_equal(skin, world.array("skin0.position"))


def test_poses_follow_from_the_coordinates_to_the_bit(load) -> None:
    world = load()
    start = world["arm/upper"].rotation
    check_poses(world)
    for _ in range(10):
        world.step()
        check_poses(world)
    assert np.abs(world["arm/upper"].rotation - start).max() > 0.01


def look(world):
    """What anybody sees of the entities, as bytes."""
    return {
        (path, name): np.asarray(getattr(world[path], name)).tobytes()
        for path, exposed in world.build.exposed.items()
        for name in ("position", "rotation", "velocity")
        if name in exposed
    }


def test_restored_world_stands_where_it_stood_and_goes_on_alike(load) -> None:
    world, other = load(), load()
    world.step(7)
    state, seen = world.snapshot(), look(world)
    world.step(5)
    later = look(world)
    assert later != seen
    other.restore(state)
    assert look(other) == seen
    check_poses(other)
    other.step(5)
    assert look(other) == later


def test_coordinates_that_are_set_by_hand_move_the_bones(load) -> None:
    world = load()
    world.arrays["skeleton.q"][0] = 0.3
    world.arrays["skeleton.v"][0] = 2.0
    follow_coordinates(world.arrays, "skeleton")
    assert world["arm/upper"].rotation == pytest.approx([np.cos(0.15), np.sin(0.15), 0, 0])
    assert world["arm/upper"].velocity[3:] == pytest.approx([2.0, 0, 0])


def test_nothing_in_the_model_depends_on_the_step(load) -> None:
    coarse, fine = load(0.004), load(0.001)
    owners = ("skeleton", "ghost", "flesh", "skin0")
    mine = [
        (spec, values) for spec, values in coarse.arrays.of_kind("model") if spec.name.split(".")[0] in owners
    ]
    assert {spec.name.split(".")[0] for spec, _ in mine} == set(owners)
    for spec, values in mine:
        assert np.array_equal(values, fine.array(spec.name)), spec.name


def test_ghosts_take_the_step_that_they_are_bound_with(load) -> None:
    coarse, fine = load(0.004), load(0.001)
    ghosts, expected = (
        next(each for each in world.members("mechanisms") if each.name == "ghost") for world in (coarse, fine)
    )
    ghosts.bind(Bound("ghost", frozenset(ghosts.reads), coarse.arrays, coarse.build, 0.001))
    assert np.array_equal(ghosts.mobility, expected.mobility)
    assert np.array_equal(ghosts.factor, expected.factor)
