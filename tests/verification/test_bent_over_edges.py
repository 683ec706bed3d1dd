"""What bends and lies over an edge comes to rest: its own edges that cross it are flat there, up to rounding."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from supple.core.schedule import Phase

#: A soft block on two rails. No vertex of either is above a face of the other: only edges can hold it.
BLOCK = """
format = 1
[run]
step = 0.004
duration = 5.0
[[entity]]
name = "block"
pose = {{ position = [0, 0.0502, 0], axis = [0, 1, 0], angle = {turn} }}
fleshed_box = {{ size = [0.1, 0.1, 0.1], cells = {cells}, mass = 0.5, stiffness = 3000, state = "{state}" }}
"""
EDGE = """
[[entity]]
name = "rail{number}"
pose = {{ position = [0, -0.0141421356, {z}], axis = [1, 0, 0], angle = 45 }}
box = {{ size = [0.4, 0.02, 0.02] }}
"""
TOP = """
[[entity]]
name = "rail{number}"
pose = {{ position = [0, -0.01, {z}] }}
box = {{ size = [0.4, 0.02, 0.02] }}
"""
ROUND = """
[[entity]]
name = "rail{number}"
pose = {{ position = [0, -0.005, {z}], axis = [0, 0, 1], angle = 90 }}
capsule = {{ radius = 0.005, length = 0.4 }}
"""


@pytest.mark.parametrize(
    ("rail", "turn", "cells", "state"),
    [
        (EDGE, 17, 3, "soft"),
        (EDGE, 17, 4, "adaptive"),
        (EDGE, 0, 4, "soft"),
        (TOP, 20, 4, "soft"),
        (ROUND, 20, 4, "soft"),
    ],
    ids=["edges", "edges, adaptive", "edges along the mesh", "faces", "capsules"],
)
def test_a_soft_block_on_rails_comes_to_rest(load_text, rail, turn, cells, state):
    rails = "".join(rail.format(number=number, z=z) for number, z in enumerate((-0.03, 0.03)))
    world = load_text(BLOCK.format(turn=turn, cells=cells, state=state) + rails)
    keys, changes = None, 0
    for step in range(1250):
        world.step()
        count = int(world.array("contacts.count")[0])
        now = world.array("contacts.key")[:count].tobytes()
        changes += step >= 1000 and now != keys
        keys = now
    assert changes == 0
    assert np.abs(world.array("flesh.v")).max() < 1e-8
    assert np.abs(world["block/frame/core"].velocity).max() < 1e-8
    assert world.metrics()["run.penetration_worst"] < 1e-8


#: A sheet of two by two squares, and above it a box that stands on an edge; the test writes to the vertices.
PLUGIN = '''
import numpy as np
from supple.core.component import component
from supple.plugin import hookimpl

@component
class Sheet:
    """A sheet that bends."""

class SheetSurface:
    name, path, positions, velocities = "sheet", "sheet", "sheet.x", "sheet.v"
    friction, restitution, thickness, self_contact, reads = 0.5, 0.0, 0.02, False, ()
    rest = np.array([[x, 0.0, z] for z in (-0.1, 0.0, 0.1) for x in (-0.1, 0.0, 0.1)])
    triangles = np.array(
        [c for k in (0, 1, 3, 4) for c in ((k, k + 3, k + 1), (k + 1, k + 3, k + 4))]
    )

    def bind(self, arrays): ...

    def add_rows(self, points): ...

def compile_sheet(build):
    build.add_state("sheet.x", SheetSurface.rest, unit="m", doc="Vertices.")
    build.add_state("sheet.v", np.zeros((9, 3)), unit="m/s", doc="Velocities.")
    build.add_member("surfaces", SheetSurface())

@hookimpl
def supple_register(registry):
    registry.add_component(Sheet)
    registry.add_compiler("sheet", compile_sheet, components=["sheet"], provides=["surfaces"])
'''
SHEET = """
format = 1
[run]
step = 0.004
duration = 1.0
[[entity]]
name = "sheet"
sheet = {}
[[entity]]
name = "turned"
pose = { position = [0.013, 0.01414213562373095, 0.021], axis = [0, 1, 0], angle = 30 }
[[entity]]
name = "turned/edge"
pose = { axis = [1, 0, 0], angle = 45 }
box = { size = [0.5, 0.02, 0.02] }
"""


@pytest.fixture(scope="module")
def find_keys(tmp_path_factory):
    """The keys of the contacts, and their gaps [m], with the vertices of the sheet at these heights [m]."""
    import supple

    folder = tmp_path_factory.mktemp("sheet")
    (folder / "bent_sheet.py").write_text(PLUGIN)
    (folder / "scene.toml").write_text(SHEET)
    world = supple.load(folder / "scene.toml", plugins=[folder / "bent_sheet.py"])
    calls = [call for entry, call in world.calls() if entry.phase == Phase.DETECT]

    def find(heights):
        world.array("sheet.x")[:, 1] = heights
        for call in calls:
            call()
        count = int(world.array("contacts.count")[0])
        return world.array("contacts.key")[:count].tolist(), world.array("contacts.gap")[:count].copy()

    return find


@given(
    st.lists(st.floats(-1.0, 1.0), min_size=9, max_size=9),
    st.sampled_from([0.0, 1e-16, 1e-12, 1e-9, 1e-7, 1e-6, 1e-5]),
)
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_edges_of_a_flat_sheet_count_however_it_is_bent_by_less_than_the_reach(find_keys, bend, size):
    level, _ = find_keys(np.zeros(9))
    assert len(level) > 3
    keys, gaps = find_keys(size * np.array(bend))
    assert keys == level
    assert np.abs(gaps).max() < 2.1 * max(size, 1e-9)
