"""Contacts know whose they are: force, torque, normal force, contacts and centre of pressure of every entity."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from supple.errors import PluginError
from supple.mechanics.owners import list_element_paths
from supple.testing import audit_step

RUN = "format = 1\n[run]\nstep = 0.005\nduration = 2.0\n"
FLOOR = '[[entity]]\nname = "floor"\nplane = { friction = 0.8 }\n'
BOX = """
[[entity]]
name = "box"
pose = { position = [0.3, 0.1, -0.2] }
box = { size = [0.4, 0.2, 0.3] }
body = { mass = 3.0 }
"""
WEIGHT = 3.0 * 9.81


def test_a_box_at_rest_carries_its_weight(load_text) -> None:
    world = load_text(RUN + FLOOR + BOX)
    world.step(100)
    box, floor = world["box"], world["floor"]
    np.testing.assert_allclose(box.contact_force, [0, WEIGHT, 0], atol=1e-6)
    np.testing.assert_allclose(floor.contact_force, [0, -WEIGHT, 0], atol=1e-6)
    assert box.contact_normal_force == pytest.approx(WEIGHT)
    assert box.contact_count == floor.contact_count == 4
    np.testing.assert_allclose(box.contact_centre, [0.3, 0, -0.2], atol=1e-6)
    np.testing.assert_allclose(box.contact_torque, np.cross([0.3, 0, -0.2], [0, WEIGHT, 0]), atol=1e-6)
    np.testing.assert_allclose(box.contact_torque, -floor.contact_torque, atol=1e-6)


def test_an_eccentric_load_moves_the_centre_of_pressure(load_text) -> None:
    """By moments: (m g + F) (c - x) = F a. A pull to the side is held by friction, and tips by its height."""
    push = '[[event]]\nname = "load"\nat = 0\n'
    push += 'push = { on = "box", force = [2, -20, 0], duration = 9, point = [0.12, 0.1, 0.05] }\n'
    world = load_text(RUN + FLOOR + BOX + push)
    world.step(200)
    box, total = world["box"], WEIGHT + 20.0
    np.testing.assert_allclose(box.contact_force, [-2, total, 0], atol=1e-5)
    centre = [0.3 + (20 * 0.12 + 2 * 0.2) / total, 0, -0.2 + 20 * 0.05 / total]
    np.testing.assert_allclose(box.contact_centre, centre, atol=1e-5)
    # What is at rest has no torque about the world's origin, or any other point.
    gravity = np.cross([0.3, 0.1, -0.2], [0, -WEIGHT, 0])
    load = np.cross([0.42, 0.2, -0.15], [2, -20, 0])
    np.testing.assert_allclose(box.contact_torque + gravity + load, 0, atol=1e-5)


def test_nothing_touches_in_the_air(load_text) -> None:
    world = load_text(RUN + FLOOR + BOX.replace("0.1, -0.2", "5.0, -0.2"))
    audit_step(world)
    box = world["box"]
    assert not box.contact_force.any()
    assert not box.contact_centre.any()
    assert box.contact_count == 0


FIGURE = """
[[entity]]
name = "man"
skeleton = {}
[[entity]]
name = "man/leg"
pose = { position = [0, 0.5, 0] }
bone = { joint = "free", mass = 4.0, centre = [0, 0, 0], inertia = [0.1, 0.1, 0.1] }
[[entity]]
name = "man/leg/foot"
pose = { position = [0, -0.4, 0] }
bone = { joint = "slider", axis = [0, 1, 0], mass = 1.0, centre = [0, 0, 0], inertia = [0.01, 0.01, 0.01], \
lower = -0.001, upper = 0.001 }
[[entity]]
name = "man/leg/foot/sole"
pose = { position = [0.02, -0.05, 0] }
box = { size = [0.2, 0.1, 0.2] }
"""


def test_a_foot_bears_the_figure_through_its_sole(load_text) -> None:
    """The shape's entity and the bone that carries it both tell; bones above carry no shape and are not asked."""
    world = load_text(RUN + FLOOR + FIGURE)
    audit_step(world)
    world.step(200)
    for path in ("man/leg/foot", "man/leg/foot/sole"):
        np.testing.assert_allclose(world[path].contact_force, [0, 5 * 9.81, 0], atol=1e-5)
        np.testing.assert_allclose(world[path].contact_centre[[0, 2]], [0, 0], atol=1e-5)
    assert "contact_force" not in dir(world["man/leg"])


def test_flesh_tells_for_itself_and_for_its_bone(load_text) -> None:
    soft = '[[entity]]\nname = "soft"\npose = { position = [0, 0.1, 0] }\n'
    soft += "fleshed_box = { size = [0.2, 0.2, 0.2], mass = 2.0, damping = 20.0 }\n"
    world = load_text(RUN + FLOOR + soft)
    audit_step(world)
    world.step(400)
    for path in ("soft/frame", "soft/frame/core"):
        np.testing.assert_allclose(world[path].contact_force, [0, 2 * 9.81, 0], atol=1e-4)
    # The same sums as the flesh's own.
    np.testing.assert_allclose(world["soft/frame"].contact_normal_force, world["soft/frame"].normal_force)
    assert world["soft/frame"].contact_count == world["soft/frame"].pressing


def test_a_table_tells_of_all_that_stands_on_it(load_text) -> None:
    top = BOX.replace('"box"', '"top"').replace("0.1, -0.2", "0.3, -0.2").replace("3.0", "1.0")
    world = load_text(RUN + FLOOR + BOX + top)
    world.step(200)
    np.testing.assert_allclose(world["floor"].contact_force, [0, -4 * 9.81, 0], atol=1e-5)
    np.testing.assert_allclose(world["box"].contact_force, [0, 3 * 9.81, 0], atol=1e-5)
    np.testing.assert_allclose(world["top"].contact_force, [0, 9.81, 0], atol=1e-5)
    assert world["box"].contact_normal_force == pytest.approx(5 * 9.81, rel=1e-5)


def test_a_surface_must_say_whose_its_elements_are() -> None:
    with pytest.raises(PluginError, match="odd: does not say to which entities its elements belong; give"):
        list_element_paths(SimpleNamespace(name="odd"))


CONTROLLER = '''
"""Lifts a box by what it felt in the last step."""
from supple import component, hookimpl
from supple.core.schedule import Each, Phase, System

@component
class Float:
    """Carries half of its own load."""

def compile_float(build):
    pass

class Lift(System):
    phase = Phase.ACTUATE
    reads = ("touch.force",)
    adds = (Each("carriers", "wrench"),)

    def bind(self, arrays):
        force = arrays["touch.force"]
        row = arrays.build.arrays.specs["touch.force"].labels.index("box")
        wrench = arrays[arrays.build.members("carriers")[0].wrench]

        def lift():
            wrench[0, :3] += force[row]

        return lift

@hookimpl
def supple_register(registry):
    registry.add_component(Float)
    registry.add_compiler("float", compile_float, components=["float"])
    registry.add_system("float.lift", Lift, when=["float"])
'''


def test_a_controller_reads_what_touched_in_the_last_step(load_text, tmp_path) -> None:
    """F(n) + F(n - 1) = m g while it stays on the floor: it bears all, nothing, all, ..."""
    (tmp_path / "float_box.py").write_text(CONTROLLER)
    scene = RUN + FLOOR + BOX + "float = {}\n"
    world = load_text(scene, plugins=[tmp_path / "float_box.py"])
    audit_step(world)
    felt = []
    for _ in range(6):
        felt.append(world["box"].contact_force[1])
        world.step()
    np.testing.assert_allclose(np.add(felt[1:], felt[:-1]), WEIGHT, atol=1e-6)
