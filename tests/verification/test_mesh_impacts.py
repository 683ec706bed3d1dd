"""Bodies made of triangles strike as boxes do: faces that touch have no contacts from rim to rim."""

import numpy as np
import pytest

SCENE = """
format = 1
[run]
step = {step}
duration = 1.0
gravity = [0, 0, 0]

[[entity]]
name = "a"
pose = {{ position = [-0.3, 0.004, 0] }}
{first}
body = {{ mass = 1.0, velocity = [{speed}, 0, 0] }}

[[entity]]
name = "b"
{second}
body = {{ mass = 0.3 }}
"""

CORNERS = [[x, y, z] for x in (-0.03, 0.03) for y in (-0.03, 0.03) for z in (-0.03, 0.03)]
SHAPES = {"box": "box = { size = [0.06, 0.06, 0.06] }", "convex": f"convex = {{ points = {CORNERS} }}"}


@pytest.mark.parametrize("step", [0.008, 0.004, 0.002])
@pytest.mark.parametrize("speed", [5.0, 20.0])
@pytest.mark.parametrize("kinds", [("convex", "box"), ("box", "convex"), ("convex", "convex")])
def test_a_dull_blow_face_on_face(load_text, kinds, speed, step):
    # What comes to rest on a face is behind it by rounding; the rims of both faces then cross at their very ends.
    moved = []
    for first, second in (kinds, ("box", "box")):
        world = load_text(SCENE.format(step=step, speed=speed, first=SHAPES[first], second=SHAPES[second]))
        world.step(round(0.4 / speed / step) + 4)
        moved.append(world.array("rigid.v").copy())
    assert moved[0][1, 0] > 0.7 * speed  # it was struck
    np.testing.assert_allclose(moved[0], moved[1], atol=1e-6 * speed)
