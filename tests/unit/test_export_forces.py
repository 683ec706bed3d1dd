"""Contact forces and pressure of soft surfaces in exports, read back by USD's library, from VTK files and as tables."""

from __future__ import annotations

import base64
import csv
from pathlib import Path

import numpy as np
import pytest

from supple.run.cli import run_command
from supple.run.recording import open_recording
from supple.run.stage import Stage

SCENE = """format = 1
[run]
step = 0.005
duration = 1.0
[[entity]]
name = "floor"
plane = { friction = 0.6 }
[[entity]]
name = "jelly"
pose = { position = [0, 0.1, 0] }
tet_block = { size = [0.3, 0.2, 0.3], tets = 120 }
tets = { stiffness = 2e5, damping = 0.2, density = 1000 PATCHES }
SKIN
[[entity]]
name = "load"
pose = { position = [0, 0.25, 0] }
box = { size = [0.1, 0.1, 0.1] }
body = { mass = 6 }
[[entity]]
name = "flesh"
pose = { position = [1, 0.06, 0] }
fleshed_box = { size = [0.2, 0.1, 0.16], cells = 6, mass = 1.0, flesh_part = 0.2, stiffness = 2000, damping = 10 }
"""
#: Weight of the jelly alone, of what lies on it, and of the box of flesh [N].
JELLY, LOAD, FLESH = 18.0 * 9.81, 6.0 * 9.81, 9.81


def write_block(path: Path) -> None:
    """The surface of the jelly as twelve triangles."""
    corners = [(x, y, z) for x in (-0.15, 0.15) for y in (-0.1, 0.1) for z in (-0.15, 0.15)]
    quads = [(1, 2, 4, 3), (5, 7, 8, 6), (1, 5, 6, 2), (3, 4, 8, 7), (1, 3, 7, 5), (2, 6, 8, 4)]
    lines = [f"v {x} {y} {z}" for x, y, z in corners]
    lines += [f"f {a} {b} {c}\nf {a} {c} {d}" for a, b, c, d in quads]
    path.write_text("\n".join(lines))


@pytest.fixture(scope="module", params=["vertices", "patches", "skin"])
def recorded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("soft")
    patches = ", patch_size = 0.08" if request.param == "patches" else ""
    skin = 'tet_skin = { file = "block.obj" }\n' if request.param == "skin" else ""
    write_block(folder / "block.obj")
    (folder / "scene.toml").write_text(SCENE.replace("PATCHES", patches).replace("SKIN\n", skin))
    words = ["run", str(folder / "scene.toml"), "--record", str(folder / "run.h5"), "--fps", "10"]
    assert run_command(words) == 0
    return folder / "run.h5"


def export(recorded: Path, kind: str, name: str) -> Path:
    place = recorded.with_name(name)
    assert run_command(["export", str(recorded), "--to", kind, "-o", str(place), "--overwrite"]) == 0
    return place


def sum_of_contacts(recorded: Path, name: str) -> np.ndarray:
    """The force of all recorded contacts on a thing, frame by frame."""
    with open_recording(recorded) as recording:
        (thing,) = (each for each in Stage(recording).things if each.drawing.path == name)
        number, sums = thing.drawing.form.surface, []
        for frame in range(recording.frames):
            surface, force = (recording.rows(f"contacts.{part}", frame) for part in ("surface", "force"))
            sums.append(
                force[surface[:, 0] == number].sum(axis=0) - force[surface[:, 1] == number].sum(axis=0)
            )
    return np.array(sums)


@pytest.mark.parametrize(("path", "weight"), [("jelly", JELLY), ("flesh/frame", FLESH)])
def test_usd_forces_add_up_to_the_contacts_and_carry_the_weight(
    recorded: Path, path: str, weight: float
) -> None:
    pytest.importorskip("pxr")
    from pxr import Usd, UsdGeom

    usd = Usd.Stage.Open(str(export(recorded, "usd", "run.usda")))
    (mesh,) = (
        prim for prim in usd.Traverse()
        if prim.IsA(UsdGeom.Mesh) and prim.GetCustomDataByKey("supple:path") == path
        and UsdGeom.PrimvarsAPI(prim).HasPrimvar("contactForce")
    )  # fmt: skip
    force, pressure = (
        UsdGeom.PrimvarsAPI(mesh).GetPrimvar(name) for name in ("contactForce", "contactPressure")
    )
    assert force.GetInterpolation() == pressure.GetInterpolation() == "vertex"
    codes = force.GetTimeSamples()
    expected = sum_of_contacts(recorded, path)
    assert len(codes) == len(expected)
    for code, total in zip(codes, expected, strict=True):
        forces = np.array(force.Get(code), float)
        assert len(forces) == len(UsdGeom.Mesh(mesh).GetPointsAttr().Get(code))
        np.testing.assert_allclose(forces.sum(axis=0), total, atol=1e-4 * max(1.0, np.abs(total).max()))
    np.testing.assert_allclose(forces.sum(axis=0), [0, weight, 0], atol=0.02 * weight)
    assert (np.array(pressure.Get(codes[-1])) >= 0).all()


def test_pressure_times_area_below_the_jelly_carries_it_and_its_load(recorded: Path) -> None:
    with open_recording(recorded) as recording:
        (jelly,) = (each for each in Stage(recording).things if each.drawing.path == "jelly")
        last = recording.frames - 1
        vertices, touched = jelly.vertices(last), jelly.surface_forces(last)
    low = vertices[:, 1] < 0.05
    assert touched.force[low, 1].sum() == pytest.approx(JELLY + LOAD, rel=0.02)
    assert touched.force[~low, 1].sum() == pytest.approx(-LOAD, rel=0.02)
    mean = (JELLY + LOAD) / 0.3**2
    assert 0.5 * mean < touched.pressure[low].max() < 20 * mean


def read_grid(path: Path, name: str) -> np.ndarray:
    """An array of a .vtu file: base64 of its size in bytes and its numbers."""
    text = path.read_text()
    part = text[text.index(f'Name="{name}"') :]
    raw = base64.b64decode(part[part.index(">") + 1 : part.index("</DataArray>")].strip())
    return np.frombuffer(raw[8:], "<f8")


def test_vtk_and_csv_have_the_same_forces(recorded: Path) -> None:
    folder = export(recorded, "vtk", "vtk")
    last = sorted(folder.glob("surface_*.vtu"))[-1]
    forces, pressure = read_grid(last, "contact_force").reshape(-1, 3), read_grid(last, "contact_pressure")
    both = sum_of_contacts(recorded, "jelly")[-1] + sum_of_contacts(recorded, "flesh/frame")[-1]
    np.testing.assert_allclose(np.nansum(forces, axis=0), both, rtol=1e-9, atol=1e-9)
    assert np.isnan(pressure).any()  # the floor and the load are rigid
    with (export(recorded, "csv", "csv") / "surfaces.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["thing"].startswith("jelly")]
    found = np.array([[float(row[f"force_{axis}"]) for axis in "xyz"] for row in rows])
    np.testing.assert_allclose(found, sum_of_contacts(recorded, "jelly"), rtol=1e-9, atol=1e-9)
    assert float(rows[-1]["pressure_worst"]) > 0


def test_flesh_has_the_forces_that_it_records_itself(recorded: Path) -> None:
    with open_recording(recorded) as recording:
        (flesh,) = (each for each in Stage(recording).things if each.drawing.layer == "skin")
        for frame in range(1, recording.frames):
            own = recording.rows("flesh.force", frame)[flesh.rows]
            np.testing.assert_allclose(flesh.surface_forces(frame).force, own, rtol=1e-9, atol=1e-9)
