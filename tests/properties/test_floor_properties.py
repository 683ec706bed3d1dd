"""Shapes above an uneven floor, a height field and a sheet that bends, against brute force over all triangles.

And the sheet against itself. All of it in one scene, where the floor that is not asked about lies far below.
"""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import supple
from mesh_stage import CRATE, ROCK, check_form
from supple.core.schedule import Phase
from supple_collide.mesh_shape import box_mesh
from supple_collide.meshes.oracle import (
    find_distance,
    find_mesh_distance,
    find_segment_distance,
    list_edges,
    pierces,
)
from supple_collide.meshes.terrain import join_cells, place_grid

LIMIT, RADIUS, HALF = 0.04, 0.05, 0.1
CELLS, SIZE = (8, 8), (1.0, 1.0)
AWAY = np.array([0.0, -50.0, 0.0])
TRIANGLES = join_cells(*CELLS)[0]
PLUGIN = '''
import numpy as np
from supple.core.component import component
from supple.plugin import hookimpl
from supple_collide.meshes.terrain import join_cells, place_grid

@component
class Sheet:
    """A sheet that bends and touches itself."""

class SheetSurface:
    name, path, positions, velocities = "sheet", "sheet", "sheet.x", "sheet.v"
    friction, restitution, thickness, self_contact, reads = 0.5, 0.0, 0.02, True, ()
    rest, triangles = place_grid((8, 8), (1.0, 1.0)), join_cells(8, 8)[0]

    def bind(self, arrays):
        pass

    def add_rows(self, points):
        pass

def compile_sheet(build):
    surface = SheetSurface()
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
step = 0.001
duration = 1.0
[run.collide]
margin = {margin}
sudden_speed = 1e-6
[[entity]]
name = "sheet"
sheet = {{}}
[[entity]]
name = "hills"
heightfield = {{ size = [1, 1], cells = [8, 8], heights = {heights} }}
[[entity]]
name = "ball"
sphere = {{ radius = {radius} }}
body = {{}}
[[entity]]
name = "pill"
capsule = {{ radius = {radius}, length = {length} }}
body = {{}}
[[entity]]
name = "crate"
box = {{ size = {crate} }}
body = {{}}
[[entity]]
name = "rock"
convex = {{ points = {rock} }}
body = {{}}
"""


class Floors:
    """A world with two floors, one of which bodies are put above, and its contacts without any step."""

    def __init__(self, folder: Path):
        file, plugin = folder / "scene.toml", folder / "sheet_plugin.py"
        plugin.write_text(PLUGIN, encoding="utf-8")
        self.hills = place_grid(CELLS, SIZE)
        self.hills[:, 1] = np.random.default_rng(4).uniform(0.0, 0.06, len(self.hills))
        heights = [round(float(each), 4) for each in self.hills[:, 1]]
        self.hills[:, 1] = heights
        text = SCENE.format(
            margin=LIMIT / 2, heights=heights, radius=RADIUS, length=2 * HALF, crate=list(CRATE), rock=ROCK
        )
        file.write_text(text, encoding="utf-8")
        self.world = supple.load(file, plugins=[plugin])
        self.calls = [call for entry, call in self.world.calls() if entry.phase == Phase.DETECT]
        self.bodies = [entity.path for entity in self.world.build.having("body")]
        crate = box_mesh(tuple(edge / 2 for edge in CRATE))
        rest, of_triangle = self.world.array("mesh.rest"), self.world.array("mesh.of_triangle")
        hull = self.world.array("mesh.triangles")[of_triangle == 1]
        self.rest = {"crate": crate.vertices[crate.triangles], "rock": rest[hull]}

    def find(self, sheet, **poses):
        """Contacts with the sheet at these vertices, or with the hills: points, normals from the floor, gaps, keys."""
        self.world.array("sheet.x")[:] = sheet
        x, q = self.world.array("rigid.x"), self.world.array("rigid.q")
        for index, path in enumerate(self.bodies):
            place, turn = poses.get(path, (np.array([100.0 * (index + 1), 50.0, 0.0]), Rotation.identity()))
            x[index] = place + turn.apply(self.world.build.frames[path].origin)
            q[index] = np.roll(turn.as_quat(), 1)
        for call in self.calls:
            call()
        count = int(self.world.array("contacts.count")[0])
        names = ("point", "normal", "gap", "key")
        return tuple(self.world.array(f"contacts.{name}")[:count].copy() for name in names)

    def corners(self, name, pose):
        """The triangles of a body in the world."""
        rest = self.rest[name]
        return pose[1].apply(rest.reshape(-1, 3)).reshape(rest.shape) + pose[0]


@pytest.fixture(scope="module")
def floors(tmp_path_factory):
    return Floors(tmp_path_factory.mktemp("floors"))


def choose_floor(floors, kind, rng):
    """Vertices for the sheet, the triangles of the floor that bodies are put above."""
    if kind == "hills":
        return place_grid(CELLS, SIZE) + AWAY, floors.hills[TRIANGLES]
    sheet = place_grid(CELLS, SIZE) + rng.normal(0.0, 0.015, floors.hills.shape) + 2.0 * AWAY
    return sheet, sheet[TRIANGLES]


def is_above(points, floor):
    """Whether all points have the floor below them, seen along y."""
    far = np.array([0.0, 10.0, 0.0])
    return all(
        pierces(point, point - far, floor) and not pierces(point, point + far, floor) for point in points
    )


def choose_pose(rng, floor):
    """A body at some height above the middle of the floor."""
    place = floor.reshape(-1, 3).mean(axis=0) + rng.uniform([-0.25, 0.05, -0.25], [0.25, 0.25, 0.25])
    return place, Rotation.random(random_state=int(rng.integers(2**31)))


@given(st.sampled_from(["hills", "sheet"]), st.sampled_from(["ball", "pill"]), st.integers(0, 2**31))
@settings(max_examples=80, deadline=None)
def test_round_shapes_above_a_floor_have_the_distance_of_the_oracle(floors, kind, name, seed):
    rng = np.random.default_rng(seed)
    sheet, floor = choose_floor(floors, kind, rng)
    place, turn = choose_pose(rng, floor)
    axis = turn.apply([0.0, HALF if name == "pill" else 0.0, 0.0])
    p, q = place - axis, place + axis
    distance = min(find_distance(p, floor), find_distance(q, floor))
    if name == "pill":
        distance = min(distance, find_segment_distance(p, q, *list_edges(floor)).min())
    assume(is_above([p, q], floor) and not pierces(p, q, floor) and abs(distance - RADIUS - LIMIT) > 1e-6)
    point, normal, gap, key = floors.find(sheet, **{name: (place, turn)})
    check_form(point, normal, gap, key)
    if distance > RADIUS + LIMIT:
        assert len(gap) == 0
    else:
        assert gap.min(initial=np.inf) == pytest.approx(distance - RADIUS, abs=1e-8)


@given(st.sampled_from(["hills", "sheet"]), st.sampled_from(["crate", "rock"]), st.integers(0, 2**31))
@settings(max_examples=50, deadline=None)
def test_meshes_above_a_floor_have_the_distance_of_the_oracle(floors, kind, name, seed):
    rng = np.random.default_rng(seed)
    sheet, floor = choose_floor(floors, kind, rng)
    pose = choose_pose(rng, floor)
    solid = floors.corners(name, pose)
    distance = find_mesh_distance(solid, floor)
    assume(is_above(solid.reshape(-1, 3), floor) and distance > 0.0 and abs(distance - LIMIT) > 1e-5)
    point, normal, gap, key = floors.find(sheet, **{name: pose})
    check_form(point, normal, gap, key)
    # In a hollow a vertex also heeds the plane of the wall that it is beside of.
    gap = gap[[are_on(pair, solid, floor) for pair in point]]
    if distance > LIMIT:
        assert len(gap) == 0
    else:
        assert gap.min(initial=np.inf) == pytest.approx(distance, abs=1e-5)


def are_on(pair, one, other):
    """Whether of the two points of a contact one is on the one surface and one on the other."""
    away = [[find_distance(p, surface) for surface in (one, other)] for p in pair]
    return min(max(away[0][0], away[1][1]), max(away[0][1], away[1][0])) < 1e-5


@given(st.integers(0, 2**31))
@settings(max_examples=15, deadline=None)
def test_a_folded_sheet_has_the_distance_of_its_halves(floors, seed):
    rng = np.random.default_rng(seed)
    rest = place_grid(CELLS, SIZE)
    over = rest[:, 0] > 0.06
    folded = rest + rng.normal(0.0, 0.004, rest.shape)
    folded[over] = folded[over] * [-1, -1, 1] + [0.155, rng.uniform(0.02, 0.06), rng.uniform(-0.05, 0.05)]
    folded += 2.0 * AWAY
    # Neighbours do not touch each other, so what is next to the fold must not be the nearest.
    *halves, whole = (
        folded[TRIANGLES[np.all(each[TRIANGLES], axis=1)]] for each in (rest[:, 0] < -0.06, over, ~over)
    )
    distance = find_mesh_distance(*halves)
    assume(distance > 0.0 and abs(distance - LIMIT) > 1e-5)
    assume(find_mesh_distance(whole, halves[1]) > distance - 1e-12)
    point, normal, gap, key = floors.find(folded)
    check_form(point, normal, gap, key)
    gap = gap[[are_on(pair, *halves) for pair in point]]
    if distance > LIMIT:
        assert len(gap) == 0
    else:
        assert gap.min(initial=np.inf) == pytest.approx(distance, abs=1e-5)
