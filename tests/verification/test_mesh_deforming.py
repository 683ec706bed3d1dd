"""A surface that bends, as a plugin would add one: contacts, weights, itself, and what its rows get."""

import numpy as np
import pytest

from supple.core.schedule import Phase
from supple.testing import audit_step
from supple_collide.meshes.oracle import find_closest_on_triangles, find_distance

#: A plugin with one sheet of 8 x 8 cells, 1 m wide, whose vertices are State that tests write to.
PLUGIN = '''
import numpy as np
from supple.core.component import component, field
from supple.plugin import hookimpl
from supple_collide.meshes.terrain import join_cells, place_grid

@component
class Sheet:
    """A sheet that bends."""
    itself: bool = field(default=False, unit="", doc="Whether it touches itself.")

class SheetSurface:
    name, path, positions, velocities = "sheet", "sheet", "sheet.x", "sheet.v"
    friction, restitution, thickness = 0.5, 0.0, 0.02
    reads = ()

    def __init__(self, itself):
        self.rest, self.triangles, self.self_contact = place_grid((8, 8), (1, 1)), join_cells(8, 8)[0], itself
        self.asked = 0

    def bind(self, arrays):
        self.number = arrays.build.members("surfaces").index(self)

    def add_rows(self, points):
        self.asked += 1

def compile_sheet(build):
    surface = SheetSurface(build.having("sheet")[0].components["sheet"].itself)
    build.add_state("sheet.x", surface.rest, unit="m", doc="Vertices.")
    build.add_state("sheet.v", np.zeros_like(surface.rest), unit="m/s", doc="Velocities.")
    build.add_member("surfaces", surface)

@hookimpl
def supple_register(registry):
    registry.add_component(Sheet)
    registry.add_compiler("sheet", compile_sheet, components=["sheet"], provides=["surfaces"])
'''
SCENE = """
format = 1
[run]
step = 0.004
duration = 1.0
[run.collide]
margin = 0.01
[[entity]]
name = "sheet"
sheet = {{ itself = {itself} }}
[[entity]]
name = "ball"
pose = {{ position = [0.11, 0.1005, 0.07] }}
sphere = {{ radius = 0.1 }}
body = {{}}
"""
CRATE = """
[[entity]]
name = "crate"
pose = { position = [-0.25, 0.051, -0.2] }
box = { size = [0.2, 0.1, 0.2] }
body = {}
"""


@pytest.fixture
def load(load_text, tmp_path):
    plugin = tmp_path / "sheet_plugin.py"
    plugin.write_text(PLUGIN)
    return lambda text, itself="false": load_text(text.format(itself=itself), plugins=[plugin])


def surface_of(world):
    return next(each for each in world.members("surfaces") if each.name == "sheet")


def test_contacts_on_the_sheet_name_triangle_and_weights(load):
    world = load(SCENE + CRATE.replace("{", "{{").replace("}", "}}"))
    bent = surface_of(world).rest.copy()
    bent[:, 1] = 0.02 * np.sin(3 * bent[:, 0]) - 0.02
    world.arrays["sheet.x"][:] = bent
    world.arrays.roll_back()
    for _ in range(100):
        world.step()
    surface, count = surface_of(world), int(world.array("contacts.count")[0])
    side = world.array("contacts.surface")[:count] == surface.number
    assert side.any(axis=1).all()
    assert count >= 4
    row, which = np.nonzero(side)
    corners = bent[surface.triangles[world.array("contacts.element")[:count][row, which]]]
    weights = world.array("contacts.weights")[:count][row, which]
    assert weights.min() >= 0
    np.testing.assert_allclose(weights.sum(axis=1), 1.0, atol=1e-12)
    at = np.einsum("ij,ijk->ik", weights, corners)
    np.testing.assert_allclose(at, world.array("contacts.point")[:count][row, which], atol=1e-6)
    assert surface.asked > 0
    assert world.metrics()["run.penetration_worst"] < 1e-6
    assert np.abs(world["crate"].velocity[:3]).max() < 1e-6
    audit_step(world)


def test_fast_vertices_reach_farther(load):
    world = load(SCENE)
    detect = [call for entry, call in world.calls() if entry.phase == Phase.DETECT]
    reaches = []
    for speed in (0.0, 5.0):
        world.arrays["sheet.v"][17] = [0.0, speed, 0.0]
        for call in detect:
            call()
        reaches.append(float(world.array("mesh.reach")[0]))
    assert reaches == pytest.approx([0.0104, 0.0104 + 2 * 0.004 * 5.0])


def test_each_vertex_reaches_as_far_as_it_may_come_itself(load):
    """Contacts with a plane are those of the vertices whose own reach, eq. (1), covers the gap."""
    ground = '[[entity]]\nname = "ground"\npose = {{ position = [0, -0.3, 0] }}\nplane = {{}}\n'
    world = load(SCENE.replace("margin = 0.01", "margin = 0.0") + ground)
    detect = [call for entry, call in world.calls() if entry.phase == Phase.DETECT]
    rng, surface = np.random.default_rng(11), surface_of(world)
    gaps, speeds = rng.uniform(0.0, 0.08, len(surface.rest)), rng.uniform(0.0, 10.0, len(surface.rest))
    directions = rng.normal(size=surface.rest.shape)
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    world.arrays["sheet.x"][:] = surface.rest + [0.0, -0.3, 0.0] + gaps[:, None] * [0.0, 1.0, 0.0]
    world.arrays["sheet.v"][:] = speeds[:, None] * directions
    for call in detect:
        call()
    count = int(world.array("contacts.count")[0])
    found = world.array("contacts.point")[:count, world.array("contacts.surface")[0] == surface.number]
    reaches = 0.004 * (0.1 + 2.0 * speeds)
    expected = surface.rest[gaps <= reaches]
    assert 10 < len(expected) < len(gaps) - 10
    places = sorted(map(tuple, found[:, 0, [0, 2]].tolist()))
    assert places == sorted(map(tuple, expected[:, [0, 2]].tolist()))


def fold(rest, gap):
    """The half x > 0.06 laid over the other half, `gap` above it and upside down; one column bends round."""
    folded = rest.copy()
    over = rest[:, 0] > 0.06
    folded[over, 0], folded[over, 1] = 0.125 - rest[over, 0] + 0.03, gap
    folded[:, 1] += 5.0
    folded[:, 2] += 0.01 * over
    return folded


@pytest.mark.parametrize("gap", [0.012, 0.005, 1e-4])
def test_folded_sheet_touches_itself_but_not_its_neighbours(load, gap):
    world = load(SCENE, itself="true")
    surface = surface_of(world)
    folded = fold(surface.rest, gap)
    world.arrays["sheet.x"][:] = folded
    for entry, call in world.calls():
        if entry.phase == Phase.DETECT:
            call()
    count = int(world.array("contacts.count")[0])
    element, weights = world.array("contacts.element")[:count], world.array("contacts.weights")[:count]
    point, got = world.array("contacts.point")[:count], world.array("contacts.gap")[:count]
    touching = surface.triangles[element][np.abs(weights) > 0]
    corners = [set(a) & set(b) for a, b in surface.triangles[element]]
    assert not any(corners), "no triangle touches one that it shares a corner with"
    np.testing.assert_allclose(np.linalg.norm(point[:, 0] - point[:, 1], axis=1), np.abs(got), atol=1e-12)
    # All vertices that lie over the other half, from both halves, away from the fold.
    upper = folded[:, 1] > 5.0 + gap / 2
    inner = (folded[:, 0] < -0.15) & (folded[:, 0] > -0.34) & (np.abs(folded[:, 2]) < 0.45)
    assert set(np.flatnonzero(inner)) <= set(touching.tolist())
    assert upper[inner].any()
    far = got[np.abs(point[:, 0, 0] + 0.25) < 0.1]
    np.testing.assert_allclose(far, gap, atol=1e-9)


def test_without_the_switch_it_does_not_touch_itself(load):
    world = load(SCENE)
    surface = surface_of(world)
    flat = surface.rest.copy()
    flat[:, 0], flat[:, 1] = np.abs(flat[:, 0]), np.where(flat[:, 0] > 0, 5.005, 5.0)
    world.arrays["sheet.x"][:] = flat
    for entry, call in world.calls():
        if entry.phase == Phase.DETECT:
            call()
    assert world.array("contacts.count")[0] == 0


@pytest.mark.parametrize("seed", range(3))
def test_ball_on_a_random_sheet_has_the_distance_of_the_oracle(load, seed):
    world = load(SCENE)
    surface, rng = surface_of(world), np.random.default_rng(seed)
    bent = surface.rest + rng.normal(0, 0.02, surface.rest.shape)
    corners = bent[surface.triangles]
    world.arrays["sheet.x"][:] = bent
    for _ in range(30):
        centre = np.array([*rng.uniform(-0.4, 0.4, 2), rng.uniform(0.06, 0.16)])[[0, 2, 1]]
        world.arrays["rigid.x"][0] = centre
        for entry, call in world.calls():
            if entry.phase == Phase.DETECT:
                call()
        distance = find_distance(centre, corners)
        count = int(world.array("contacts.count")[0])
        assert (count > 0) == (distance - 0.1 <= 0.02)
        if count:
            assert world.array("contacts.gap")[:count].min() == pytest.approx(distance - 0.1, abs=1e-9)
            assert (
                np.linalg.norm(find_closest_on_triangles(centre, corners) - centre, axis=1).min() == distance
            )
