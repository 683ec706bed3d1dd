"""Cylinders, cones and ellipsoids: masses by slices, pictures, what stands for them at meshes, and refusals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import supple
from supple.errors import UserError
from supple.run.tessellate import tessellate_solid
from supple_collide.components import Cone, Cylinder, Ellipsoid
from supple_collide.mesh_shape import integrate_volume, solid_mesh
from supple_rigid.mass import integrate_solid

SLICES = 20000
SHAPES = [
    ("cylinder", Cylinder(radius=0.2, length=0.5), lambda y: (0.2, 0.2), 0.25),
    ("cone", Cone(radius=0.2, height=0.5), lambda y: (0.2 * (0.5 - y / 0.5), 0.2 * (0.5 - y / 0.5)), 0.25),
    (
        "ellipsoid",
        Ellipsoid(radii=(0.2, 0.1, 0.4)),
        lambda y: (0.2 * np.sqrt(1 - (y / 0.1) ** 2), 0.4 * np.sqrt(1 - (y / 0.1) ** 2)),
        0.1,
    ),
]


@pytest.mark.parametrize(("kind", "shape", "slice_at", "half"), SHAPES)
def test_masses_are_those_of_many_slices(kind, shape, slice_at, half):
    y = half * ((np.arange(SLICES) + 0.5) / SLICES * 2 - 1)
    a, b = np.array([slice_at(each) for each in y]).T
    volume = np.pi * a * b * (2 * half / SLICES)
    centre = (volume * y).sum() / volume.sum()
    around = volume * (y - centre) ** 2
    inertia = [
        (volume * b**2 / 4 + around).sum(), (volume * (a**2 + b**2) / 4).sum(), (volume * a**2 / 4 + around).sum()
    ]  # fmt: skip
    found = integrate_solid(kind, shape, "", None)
    assert found[0] == pytest.approx(volume.sum(), rel=1e-7)
    np.testing.assert_allclose(found[1], [0, centre, 0], atol=1e-7)
    np.testing.assert_allclose(found[2], np.diag(inertia) / volume.sum(), rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize(
    ("kind", "size"),
    [("cylinder", (0.2, 0.25, 0.0)), ("cone", (0.2, 0.25, 0.0)), ("ellipsoid", (0.2, 0.1, 0.4))],
)
def test_pictures_and_shadows_have_the_volume(kind, size):
    shape = next(each for name, each, *_ in SHAPES if name == kind)
    volume = integrate_solid(kind, shape, "", None)[0]
    assert integrate_volume(solid_mesh(kind, size, "it"))[0] == pytest.approx(volume, rel=1e-9)
    vertices, triangles = tessellate_solid(kind, size)
    corners = vertices[triangles]
    drawn = np.einsum("ij,ij->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6
    assert drawn == pytest.approx(volume, rel=0.03)


SCENE = """format = 1
about = "solids"
[run]
step = 0.004
duration = 1.2
[[entity]]
name = "floor"
{floor}
[[entity]]
name = "drum"
pose = {{ position = [0, 0.35, 0] }}
cylinder = {{ radius = 0.2, length = 0.5 }}
body = {{}}
[[entity]]
name = "hat"
pose = {{ position = [1, 0.35, 0] }}
cone = {{ radius = 0.2, height = 0.5 }}
body = {{}}
[[entity]]
name = "stone"
pose = {{ position = [2, 0.2, 0] }}
ellipsoid = {{ radii = [0.2, 0.1, 0.3] }}
body = {{}}
"""
FLOORS = {
    "plane": "plane = {}",
    "box": "pose = { position = [1, -0.1, 0] }\nbox = { size = [6, 0.2, 6] }",
    "mesh": "heightfield = { size = [6, 6], cells = [2, 2], heights = [0, 0, 0, 0, 0, 0, 0, 0, 0] }",
}


@pytest.mark.parametrize("floor", FLOORS)
def test_solids_fall_and_rest_on_every_floor(tmp_path: Path, floor: str) -> None:
    file = tmp_path / "scene.toml"
    file.write_text(SCENE.format(floor=FLOORS[floor]))
    world = supple.load(file)
    world.step(300)
    metrics = world.metrics()
    assert metrics["run.penetration_worst"] < 1e-6
    assert metrics["run.residual_worst"] < 1e-9
    rough = 5e-3 if floor == "mesh" else 1e-6
    assert metrics["drum.height"] == pytest.approx(0.25, abs=rough)
    assert metrics["hat.height"] == pytest.approx(0.125, abs=rough)
    assert metrics["stone.height"] == pytest.approx(0.1, abs=rough)
    assert metrics["drum.creep"] < 1e-6
    assert metrics["hat.creep"] < 1e-6


BOUNCE = """format = 1
about = "a ball bounces"
[run]
step = 0.004
duration = 0.6
[[entity]]
name = "floor"
{floor}
[[entity]]
name = "ball"
pose = {{ position = [0, 0.5, 0] }}
sphere = {{ radius = 0.1, restitution = 0.9 }}
body = {{ velocity = [1, -1, 0.5] }}
"""


def test_ball_bounces_off_the_end_of_a_drum_as_off_the_ground(tmp_path: Path) -> None:
    floors = {
        "plane": "plane = { restitution = 0.9 }",
        "drum": "pose = { position = [0, -0.5, 0] }\ncylinder = { radius = 2, length = 1, restitution = 0.9 }",
    }
    ended = {}
    for name, floor in floors.items():
        file = tmp_path / f"{name}.toml"
        file.write_text(BOUNCE.format(floor=floor))
        world = supple.load(file)
        world.step(150)
        ended[name] = np.concatenate([world["ball"].position, world["ball"].velocity])
    np.testing.assert_allclose(ended["drum"], ended["plane"], rtol=0, atol=1e-9)
    assert ended["plane"][4] != 0.0


def test_ellipsoid_without_extent_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "scene.toml"
    file.write_text(SCENE.format(floor=FLOORS["plane"]).replace("[0.2, 0.1, 0.3]", "[0.2, 0, 0.3]"))
    with pytest.raises(UserError, match="radii"):
        supple.load(file)
