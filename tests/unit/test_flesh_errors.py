"""Every mistake in flesh is one line that says what is wrong and what would be right."""

from __future__ import annotations

import json

import numpy as np
import pytest

from supple.errors import UserError
from supple_flesh.shapes import make_box_surface

VERTICES = "[[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]]"
TRIANGLES = "[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]"
SCENE = """
format = 1
[run]
step = 0.002
duration = 0.1
[[entity]]
name = "arm"
skeleton = {{}}
[entity.flesh]
{flesh}
[[entity]]
name = "arm/upper"
bone = {{ joint = "hinge", mass = 1.0, centre = [0, 0, 0], inertia = [0.01, 0.01, 0.01] }}
[[entity]]
name = "arm/upper/lower"
pose = {{ position = [0.1, 0, 0] }}
bone = {{ joint = "hinge", mass = 1.0, centre = [0, 0, 0], inertia = [0.01, 0.01, 0.01] }}
"""


def write(**changes: str) -> str:
    table = {"vertices": VERTICES, "triangles": TRIANGLES, "mass": "0.1", "stiffness": "1000.0", **changes}
    return SCENE.format(flesh="\n".join(f"{key} = {value}" for key, value in table.items() if value))


def test_the_scene_is_sound_but_for_the_mistakes(load_text) -> None:
    world = load_text(write(bones='["upper", "upper/lower"]', hangs_on="[0, 1, 0, 0]"))
    assert world.array("flesh.patch_bone").tolist() == [0, 1]
    assert world["arm/upper/lower"].mass == pytest.approx(1.0 + world.array("flesh.mass")[1])


def test_vertices_hang_on_the_nearest_bone(load_text) -> None:
    world = load_text(write())
    # The upper bone reaches along x to the joint of the lower one, so only the vertex there is as near to both.
    assert world.array("flesh.patch_of")[[0, 2, 3]].tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"bones": '["uper"]'}, "there is no bone 'uper' below it; .*upper"),
        ({"bones": '["upper", "upper"]'}, "a bone is named twice"),
        ({"bones": '["upper"]', "hangs_on": "[0, 0, 0, 1]"}, "number 1, but there are 1 bones; use 0 to 0"),
        ({"bones": '["upper"]', "hangs_on": "[0, 0, 0, -1]"}, "hangs_on has the number -1; count the bones from 0"),
        ({"bones": '["upper"]', "hangs_on": "[0, 0, 0]"}, "hangs_on has 3 numbers, but the mesh has 4 vertices"),
        ({"hangs_on": "[0, 0, 0, 0]"}, "none are named; give bones"),
        ({"vertices": "", "triangles": ""}, "either a file or vertices and triangles"),
        ({"triangles": ""}, "vertices and triangles belong together"),
        ({"triangles": "[[0, 2, 1], [0, 1, 4]]"}, "a triangle has corner 4; there are 4 vertices; use 0 to 3"),
        ({"triangles": "[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3], [0, 1, 2]]"}, "non-manifold"),
        ({"triangles": "[[0, 2, 1], [0, 3, 1], [0, 3, 2], [1, 2, 3]]"}, "face opposite ways"),
        ({"triangles": "[[1, 2, 0], [3, 1, 0], [2, 3, 0], [3, 2, 1]]"}, "inside out|opposite ways"),
        ({"triangles": "[[0, 2, 1]]"}, "1 of the 4 vertices are unused or equal to others"),
        ({"stiffness": "0"}, "nothing holds the vertices"),
        ({"tissue": "{ modulus = 1e4, thickness = 0.01 }"}, "either stiffness or tissue"),
        ({"tissue": "{ modulus = 1e4 }", "stiffness": "0"}, "thickness"),
        ({"state": '"sfot"'}, "soft"),
        ({"mass": "0"}, "mass"),
        ({"file": '"nowhere.obj"', "vertices": "", "triangles": ""}, "nowhere.obj"),
    ],
)  # fmt: skip
def test_mistakes(load_text, changes, says) -> None:
    with pytest.raises(UserError, match=says) as caught:
        load_text(write(**changes))
    assert all("\n" not in str(problem) for problem in caught.value.problems)
    assert "scene.toml" in str(caught.value)


def test_flesh_needs_bones(load_text) -> None:
    text = f"""
format = 1
[run]
step = 0.002
duration = 0.1
[[entity]]
name = "blob"
flesh = {{ vertices = {VERTICES}, triangles = {TRIANGLES}, mass = 1.0, stiffness = 10.0 }}
"""
    with pytest.raises(UserError, match="there are no bones at or below this entity"):
        load_text(text)


@pytest.mark.parametrize(("wall", "most"), [(0.01, 1.0), (0.03, 1.1)])
def test_tissue_has_the_stiffness_of_its_layer(load_text, wall, most) -> None:
    """The springs of a sole are E A / t together; walls count only where they are wider than the sole at a corner."""
    vertices, triangles = make_box_surface((0.1, wall, 0.25), (4, 1, 6))
    world = load_text(
        write(
            vertices=json.dumps(vertices), triangles=json.dumps(triangles), stiffness="0", bones='["upper"]',
            tissue="{ modulus = 2e4, thickness = 0.01 }",
        )
    )  # fmt: skip
    below = np.array(vertices)[:, 1] < 0.0
    part = world.array("flesh.vertex_stiffness")[below].sum() / (2e4 * 0.1 * 0.25 / 0.01)
    assert 1.0 - 1e-9 < part < most + 1e-9
    assert world.array("flesh.mass").sum() == pytest.approx(0.1)


@pytest.mark.parametrize("shift", [0.0, 0.01])
def test_flesh_around_its_bones_is_taken(load_text, shift) -> None:
    load_text(write(vertices=json.dumps(_move(shift)), bones='["upper"]'))


@pytest.mark.parametrize("shift", [0.06, 1.0])
def test_flesh_off_its_bones_is_refused(load_text, shift) -> None:
    text = write(vertices=json.dumps(_move(shift)), bones='["upper"]')
    with pytest.raises(UserError, match=rf"what hangs on arm/upper lies {1e3 * shift:g} mm off that bone"):
        load_text(text)


MAN = """
format = 1
[run]
step = 0.002
duration = 0.1
[[entity]]
name = "man"
skeleton = {{}}
flesh = {{ vertices = {vertices}, triangles = {triangles}, bones = ["root/foot"], mass = 0.1, stiffness = 1e4 }}
[[entity]]
name = "man/root"
pose = {{ position = [0, 1, 0], axis = [1, 0, 0], angle = {angle} }}
bone = {{ joint = "free", mass = 10.0, centre = [0, 0, 0], inertia = [1, 1, 1] }}
[[entity]]
name = "man/root/foot"
pose = {{ position = [0, -0.9, 0] }}
bone = {{ joint = "hinge", mass = 1.0, centre = [0, -0.02, 0.05], inertia = [0.01, 0.01, 0.01] }}
"""


@pytest.mark.parametrize(("angle", "off"), [(0, False), (-12, True), (20, True)])
def test_flesh_of_a_turned_root_is_refused(load_text, angle, off) -> None:
    """A free root is neutral where it starts: a mesh that is not turned with it lies off the bones."""
    vertices, triangles = make_box_surface((0.1, 0.06, 0.25), (2, 1, 3))
    raised = [(x, y + 0.1, z) for x, y, z in vertices]
    text = MAN.format(vertices=json.dumps(raised), triangles=json.dumps(triangles), angle=angle)
    if not off:
        load_text(text)
        return
    with pytest.raises(
        UserError, match=r"what hangs on man/root/foot lies .* mm off .* turned as it is there"
    ):
        load_text(text)


def _move(shift: float) -> list[list[float]]:
    """The tetrahedron, so much farther along y than the bone is."""
    return [[x, y + shift, z] for x, y, z in json.loads(VERTICES)]
