"""What a recording shows: triangles on the true surfaces, where the drawings place them, frame by frame."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import time
import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from made_recordings import write_recording
from supple.core.drawing import Carried, Channel, Drawing, Lines, Mesh, Placed, Solid
from supple.errors import UserError
from supple.run.palette import PALETTE, choose_colours
from supple.run.recording import open_recording
from supple.run.stage import Stage
from supple.run.tessellate import connect_tubes, smooth_normals, tessellate_solid, tessellate_tubes

ROOT = Path(__file__).resolve().parents[2]
BALL = Drawing("ball.sphere", "ball", "bodies", Solid("sphere", (0.5, 0.0, 0.0)))


def volume(vertices: np.ndarray, triangles: np.ndarray) -> float:
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)


def assert_closed(triangles: np.ndarray) -> None:
    """Every edge is met once in each direction."""
    edges = np.vstack([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    assert len(np.unique(edges, axis=0)) == len(edges)
    assert set(map(tuple, edges)) == set(map(tuple, edges[:, ::-1]))


# Tessellation


def test_sphere_lies_on_the_sphere_and_fills_it() -> None:
    vertices, triangles = tessellate_solid("sphere", (0.7, 0.0, 0.0))
    np.testing.assert_allclose(np.linalg.norm(vertices, axis=1), 0.7, rtol=1e-12)
    assert_closed(triangles)
    assert 0.97 < volume(vertices, triangles) / (4 / 3 * math.pi * 0.7**3) < 1.0


def test_capsule_keeps_its_distance_from_its_axis() -> None:
    vertices, triangles = tessellate_solid("capsule", (0.2, 0.6, 0.0))
    nearest = np.zeros_like(vertices)
    nearest[:, 1] = np.clip(vertices[:, 1], -0.6, 0.6)
    np.testing.assert_allclose(np.linalg.norm(vertices - nearest, axis=1), 0.2, rtol=1e-12)
    assert_closed(triangles)
    whole = math.pi * 0.2**2 * (1.2 + 4 / 3 * 0.2)
    assert 0.97 < volume(vertices, triangles) / whole < 1.0


def test_box_is_exact_and_its_normals_are_those_of_its_faces() -> None:
    vertices, triangles = tessellate_solid("box", (0.1, 0.2, 0.3))
    assert volume(vertices, triangles) == pytest.approx(8 * 0.1 * 0.2 * 0.3, rel=1e-12)
    normals = smooth_normals(vertices, triangles)
    assert np.all(np.sort(np.abs(normals), axis=1) == [0, 0, 1])
    assert np.all(np.einsum("ij,ij->i", normals, vertices) > 0)


def test_normals_of_a_sphere_point_away_from_its_centre() -> None:
    vertices, triangles = tessellate_solid("sphere", (2.0, 0.0, 0.0))
    cosines = np.einsum("ij,ij->i", smooth_normals(vertices, triangles), vertices / 2.0)
    assert cosines.min() > math.cos(math.radians(2.0))


def test_tubes_surround_their_segments() -> None:
    rng = np.random.default_rng(4)
    points = np.vstack([rng.normal(size=(6, 3)), [[0, 0, 0], [0, 2, 0], [0, 2, 0]]])
    segments = np.array([[0, 1], [2, 3], [5, 4], [6, 7], [7, 8]])
    vertices = tessellate_tubes(points, segments, 0.05).reshape(len(segments), -1, 3)
    for (a, b), tube in zip(points[segments], vertices, strict=True):
        along = b - a
        t = np.clip((tube - a) @ along / max(along @ along, 1e-300), 0, 1)
        np.testing.assert_allclose(np.linalg.norm(tube - a - t[:, None] * along, axis=1), 0.05, rtol=1e-9)
    triangles = connect_tubes(len(segments))
    assert_closed(triangles)
    assert volume(vertices.reshape(-1, 3), triangles) > 0


def test_unknown_solid_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="no solid of the kind 'pyramid'"):
        tessellate_solid("pyramid", (1.0, 1.0, 1.0))


# Things


def test_carried_thing_follows_frame_offset_and_turn(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    frames, bodies = 5, 3
    position = rng.normal(size=(frames, bodies, 3))
    turns = Rotation.random(frames * bodies, random_state=2)
    rotation = turns.as_quat(scalar_first=True).reshape(frames, bodies, 4)
    offset, turn = rng.normal(size=3), Rotation.random(random_state=3)
    place = Carried("b.x", "b.q", 2, tuple(offset), tuple(turn.as_quat(scalar_first=True)))
    drawing = Drawing("rod.capsule", "rod", "bodies", Solid("capsule", (0.1, 0.3, 0.0)), place)
    file = write_recording(
        tmp_path / "a.h5", [drawing], times=np.arange(frames), arrays={"b.x": position, "b.q": rotation}
    )
    with open_recording(file) as recording:
        (thing,) = Stage(recording).things
        assert thing.is_rigid
        for frame in (0, 3):
            body = turns[frame * bodies + 2]
            expected = body.apply(turn.apply(thing.rest) + offset) + position[frame, 2]
            np.testing.assert_allclose(thing.vertices(frame), expected, atol=1e-12)
            where, how = thing.pose(frame)
            np.testing.assert_allclose(where, body.apply(offset) + position[frame, 2], atol=1e-12)
            same = Rotation.from_quat(how, scalar_first=True) * (body * turn).inv()
            assert same.magnitude() < 1e-12


def test_mesh_takes_its_range_of_a_shared_pool_and_no_other_vertices(tmp_path: Path) -> None:
    vertices = np.arange(24.0).reshape(2, 4, 3)
    triangles = np.array([[0, 1, 2], [3, 1, 2], [0, 2, 3]])
    part = Drawing("a.mesh", "a", "skin", Mesh("m.x", "m.t", 1, 2, flat=True))
    whole = Drawing("b.mesh", "b", "skin", Mesh("m.x", "m.t"), channel=Channel("m.c", 0, 1, "Pa", "Pressure"))
    file = write_recording(
        tmp_path / "a.h5", [part, whole], times=[0, 1], arrays={"m.x": vertices, "m.c": [[0, 1, 2, 3], [4, 5, 6, 7]]},
        model={"m.t": triangles},
    )  # fmt: skip
    with open_recording(file) as recording:
        one, other = Stage(recording).things
        assert (one.flat, other.flat, one.is_rigid) == (True, False, False)
        assert one.values(0) is None
        np.testing.assert_array_equal(one.vertices(1)[one.triangles], vertices[1][triangles[1:2]])
        assert len(one.rest) == 3
        np.testing.assert_array_equal(other.vertices(1)[other.triangles], vertices[1][triangles])
        np.testing.assert_array_equal(other.values(1), [4, 5, 6, 7])


def test_lines_take_a_value_for_each_segment(tmp_path: Path) -> None:
    drawing = Drawing(
        "fibres",
        "worm",
        "muscles",
        Lines("f.x", "f.s", 0.01),
        channel=Channel("f.a", 0, 1, "1", "Activation"),
    )
    points = np.array([[[0, 0, 0], [1, 0, 0], [1, 1, 0]], [[0, 0, 0], [2, 0, 0], [2, 1, 0]]], dtype=float)
    file = write_recording(
        tmp_path / "a.h5", [drawing], times=[0, 1], arrays={"f.x": points, "f.a": [[0, 0], [0.25, 0.75]]},
        model={"f.s": [[0, 1], [1, 2]]},
    )  # fmt: skip
    with open_recording(file) as recording:
        (thing,) = Stage(recording).things
        values = thing.values(1).reshape(2, -1)
        assert (values[0] == 0.25).all()
        assert (values[1] == 0.75).all()
        assert thing.vertices(1)[:, 0].max() == pytest.approx(2.01, abs=1e-3)
        assert not thing.is_rigid


def test_plane_is_a_square_around_what_lies_on_it(tmp_path: Path) -> None:
    far = Drawing("far.box", "far", "bodies", Solid("box", (1.0, 1.0, 1.0)), Placed((20.0, 1.0, -7.0)))
    tilt = tuple(Rotation.from_euler("z", 30, degrees=True).as_quat(scalar_first=True))
    slope = Drawing("slope.plane", "slope", "ground", Solid("plane", (0.0, 0.0, 0.0)), Placed(turn=tilt))
    with open_recording(write_recording(tmp_path / "a.h5", [far, slope])) as recording:
        stage = Stage(recording)
        low, high = stage.bounds()
        np.testing.assert_allclose(low, [19, 0, -8])
        np.testing.assert_allclose(high, [21, 2, -6])
        square = stage.things[1].vertices(0)
        normal = np.array([-math.sin(math.radians(30)), math.cos(math.radians(30)), 0])
        np.testing.assert_allclose(square @ normal, 0, atol=1e-12)
        foot = np.array([20.0, 1.0, -7.0]) - normal * (np.array([20.0, 1.0, -7.0]) @ normal)
        np.testing.assert_allclose(square.mean(axis=0), foot, atol=1e-12)
        facing = np.cross(square[1] - square[0], square[2] - square[0])
        assert facing @ normal > 0


def test_contacts_lie_between_the_two_sides(tmp_path: Path) -> None:
    one = ((0, 0, 0), (0, 0.2, 0), (1, 2, 3))
    other = ((1, 0, 0), (3, 0, 0), (4, 5, 6))
    file = write_recording(tmp_path / "a.h5", [BALL], times=[0, 1, 2], contacts=[[], [one], [one, other]])
    with open_recording(file) as recording:
        stage = Stage(recording)
        assert [len(stage.contacts(frame)[0]) for frame in range(3)] == [0, 1, 2]
        points, forces = stage.contacts(2)
        np.testing.assert_allclose(points, [[0, 0.1, 0], [2, 0, 0]])
        np.testing.assert_allclose(forces, [[1, 2, 3], [4, 5, 6]])


def test_recording_without_contacts_shows_none(tmp_path: Path) -> None:
    with open_recording(write_recording(tmp_path / "a.h5", [BALL])) as recording:
        points, forces = Stage(recording).contacts(0)
    assert points.shape == forces.shape == (0, 3)


def test_frame_at_a_time(tmp_path: Path) -> None:
    with open_recording(write_recording(tmp_path / "a.h5", [BALL], times=[0, 0.1, 0.2])) as recording:
        stage = Stage(recording)
        assert [stage.frame_at(t) for t in (0, 0.04, 0.06, 0.2, 0.24)] == [0, 0, 1, 2, 2]
        with pytest.raises(UserError, match=r"no frame at t = 0.3 s; it runs from 0 s to 0.2 s"):
            stage.frame_at(0.3)


def test_entities_are_found_with_all_below_them(tmp_path: Path) -> None:
    names = ["man/arm", "man/arm/hand", "mantle"]
    drawings = [Drawing(f"{name}.box", name, "bones", Solid("box", (1, 1, 1))) for name in names]
    with open_recording(write_recording(tmp_path / "a.h5", drawings)) as recording:
        stage = Stage(recording)
        assert [thing.drawing.path for thing in stage.find("man")] == names[:2]
        with pytest.raises(UserError, match=r"no entity 'man/arn'.*Did you mean 'man/arm'"):
            stage.find("man/arn")


# Colours


def test_shapes_of_a_body_share_a_colour_and_bodies_differ() -> None:
    drawings = [
        Drawing(f"{name}.box", name, "bodies", Solid("box", (1, 1, 1)), Carried("b.x", "b.q", row))
        for name, row in [("a", 0), ("a/lid", 0), *((f"b{k}", k + 1) for k in range(len(PALETTE) - 1))]
    ]
    colours = choose_colours(drawings)
    assert colours["a.box"] == colours["a/lid.box"]
    assert len(set(colours.values())) == len(PALETTE)
    assert choose_colours(drawings[::-1]) == colours


def test_a_colour_that_is_given_is_kept() -> None:
    drawing = Drawing("a", "a", "bodies", Solid("box", (1, 1, 1)), colour=(0.1, 0.2, 0.3))
    assert choose_colours([drawing]) == {"a": (0.1, 0.2, 0.3)}


def test_what_bends_is_no_stone() -> None:
    still = Drawing("wall.box", "wall", "bodies", Solid("box", (1, 1, 1)))
    soft = Drawing("x.tets", "x", "bodies", Mesh("tets.x", "tets.skin"))
    colours = choose_colours([still, soft])
    assert colours["x.tets"] != colours["wall.box"]
    assert colours["x.tets"] in choose_colours([replace(soft, place=Carried("b.x", "b.q", 0))]).values()


# What can be wrong


@pytest.mark.parametrize(
    ("drawing", "message"),
    [
        (Drawing("a", "a", "skin", Mesh("m.x", "m.t")), "drawing a: index 9 is out of bounds"),
        (Drawing("a", "a", "skin", Solid("pyramid", (1, 1, 1))), "no solid of the kind 'pyramid'"),
        (Drawing("a", "a", "bodies", Solid("box", (1, 1, 1)), Carried("b.x", "b.q", 4)), "out of bounds"),
        (Drawing("a", "a", "skin", Mesh("m.y", "m.t")), "has no array m.y"),
    ],
)
def test_drawings_that_do_not_fit_are_one_line(tmp_path: Path, drawing: Drawing, message: str) -> None:
    file = write_recording(
        tmp_path / "a.h5", [drawing], model={"m.t": [[0, 1, 9]], "m.x": np.zeros((3, 3))},
        arrays={"b.x": np.zeros((1, 2, 3)), "b.q": np.zeros((1, 2, 4))},
    )  # fmt: skip
    with open_recording(file) as recording, pytest.raises(UserError, match=message) as raised:
        Stage(recording)
    assert "\n" not in str(raised.value)


def test_recording_without_frames_is_refused(tmp_path: Path) -> None:
    file = write_recording(tmp_path / "a.h5", [BALL], times=[])
    with open_recording(file) as recording, pytest.raises(UserError, match="has no frames yet"):
        Stage(recording)


@pytest.mark.skipif(os.name == "nt", reason="Windows kills in another way")
def test_recording_of_a_killed_run_shows_what_was_flushed(tmp_path: Path) -> None:
    file = tmp_path / "part.h5"
    words = ["run", "scenes/first/drop.toml", "--until", "1000", "--quiet", "--record", str(file)]
    process = subprocess.Popen([sys.executable, "-m", "supple", *words], cwd=ROOT)
    deadline = time.monotonic() + 120
    while not (file.exists() and file.stat().st_size > 2_500_000) and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    with open_recording(file) as recording:
        stage = Stage(recording)
        assert stage.frames > 32
        names = [thing.drawing.name for thing in stage.things]
        assert names == ["ball.sphere", "crate.box", "floor.plane", "pill.capsule"]
        # Half a metre up at the start, on the ground at the end.
        assert stage.things[0].vertices(0)[:, 1].min() == pytest.approx(0.4)
        assert stage.things[0].vertices(stage.frames - 1)[:, 1].min() == pytest.approx(0.0, abs=1e-5)


def test_one_frame_is_in_memory_at_a_time(tmp_path: Path) -> None:
    vertices, frames = 20_000, 60
    base = np.random.default_rng(0).normal(size=(vertices, 3))
    positions = base + np.arange(frames)[:, None, None]
    rows = np.arange(vertices - vertices % 3).reshape(-1, 3)
    drawing = Drawing("skin", "man", "skin", Mesh("s.x", "s.t"))
    file = write_recording(
        tmp_path / "a.h5", [drawing], times=np.arange(frames), arrays={"s.x": positions}, model={"s.t": rows}
    )
    size = positions.nbytes
    del positions
    with open_recording(file) as recording:
        tracemalloc.start()
        stage = Stage(recording)
        low, high = stage.bounds()
        for frame in range(frames):
            stage.things[0].vertices(frame)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < size / 4
    np.testing.assert_allclose(high - low, np.ptp(base[:-2], axis=0) + frames - 1)


def test_stage_does_not_load_the_compiler() -> None:
    code = "import sys, supple.run.stage; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
