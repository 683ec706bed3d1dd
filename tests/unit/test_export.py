"""Exports are read back by other people's readers: every position is that of the recording."""

from __future__ import annotations

import csv
import json
import math
import struct
from pathlib import Path

import h5py
import numpy as np
import pytest

from hand_made import add_labels, add_metrics, write_contacts
from made_recordings import write_recording
from supple.core.drawing import Carried, Channel, Drawing, Lines, Mesh, Placed, Solid
from supple.core.pose import rotate
from supple.errors import UserError
from supple.run.cli import run_command
from supple.run.recording import open_recording
from supple.run.stage import Stage
from supple_export.gltf import make_continuous
from supple_export.selection import choose_frames, name_files, select

FRAMES = 7
TIMES = 0.02 * np.arange(FRAMES)
GRID = np.array([[x, 0.0, z] for x in range(3) for z in range(3)], float)
TRIANGLES = np.array(
    [[3 * i + j, 3 * i + j + 1, 3 * i + j + 3] for i in range(2) for j in range(2)]
    + [[3 * i + j + 1, 3 * i + j + 4, 3 * i + j + 3] for i in range(2) for j in range(2)]
)


def make_scene(path: Path) -> Path:
    """A crate that turns and flies, a cloth that bends and has a channel, a sharp one, a floor, a muscle."""
    angle = 1.3 * np.arange(FRAMES)
    # Beyond half a turn the sign flips: a reader that blends frames must not see that.
    turn = np.stack([np.cos(angle / 2), 0 * angle, 0.6 * np.sin(angle / 2), 0.8 * np.sin(angle / 2)], axis=1)
    turn[3:5] *= -1.0
    place = np.stack([TIMES, 1 - TIMES**2, 0.1 + 0 * TIMES], axis=1)
    cloth = np.stack([GRID + [0, math.sin(k), 0.1 * k] * GRID[:, :1] for k in range(FRAMES)])
    strain = np.arange(FRAMES * 9.0).reshape(FRAMES, 9)
    carried = Carried("rigid.x", "rigid.q", 0, offset=(0.1, 0.0, 0.0), turn=(0.6, 0.8, 0.0, 0.0))
    drawings = [
        Drawing("cloth.mesh", "cloth", "skin", Mesh("cloth.x", "cloth.t"),
                channel=Channel("cloth.strain", 0, 1, "1", "strain")),
        Drawing("cloth/patch.mesh", "cloth/patch", "skin", Mesh("cloth.x", "cloth.t", 0, 3, flat=True)),
        Drawing("crate.box", "crate", "bodies", Solid("box", (0.1, 0.2, 0.3)), carried, (1.0, 0.5, 0.0)),
        Drawing("floor.plane", "floor", "ground", Solid("plane", (0, 0, 0)), Placed((0, -1, 0))),
        Drawing("muscle.lines", "muscle", "muscles", Lines("cloth.x", "muscle.s")),
    ]  # fmt: skip
    contacts = [[] if k < 2 else [((k, 0, 0), (k, 0, 0), (0, 10 * k, 1))] * (k - 1) for k in range(FRAMES)]
    write_recording(
        path, drawings, times=TIMES, contacts=contacts,
        arrays={"rigid.x": place[:, None], "rigid.q": turn[:, None], "cloth.x": cloth, "cloth.strain": strain},
        model={"cloth.t": TRIANGLES, "muscle.s": np.array([[0, 4], [4, 8]])},
    )  # fmt: skip
    add_labels(path, {"rigid.x": ["crate"]})
    numbers = {"cloth.stretch": list(TIMES), "crate.height": [0.1 + k / 3 for k in range(FRAMES)]}
    return add_metrics(path, numbers, ["1", "m"])


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    return make_scene(tmp_path / "run.h5")


def export(*words: object) -> int:
    return run_command(["export", *(str(word) for word in words)])


def say(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().err.splitlines()


# glTF


class Reader:
    """World positions from a glTF file, with pygltflib for its structure and numpy for its numbers."""

    def __init__(self, path: Path) -> None:
        gltf = pytest.importorskip("pygltflib", reason="the extra supple[mesh] is not installed")
        self.file = gltf.GLTF2().load(str(path))
        self.blob = self.file.binary_blob() or (path.parent / self.file.buffers[0].uri).read_bytes()
        self.nodes = {node.name: number for number, node in enumerate(self.file.nodes)}
        self.animation = self.file.animations[0]

    def numbers(self, accessor: int) -> np.ndarray:
        one = self.file.accessors[accessor]
        view = self.file.bufferViews[one.bufferView]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[one.type]
        kind = {5126: "<f4", 5125: "<u4"}[one.componentType]
        raw = self.blob[view.byteOffset : view.byteOffset + view.byteLength]
        values = np.frombuffer(raw, kind).reshape(one.count, width)
        if one.min:
            np.testing.assert_array_equal(values.min(axis=0), np.array(one.min, np.float32))
            np.testing.assert_array_equal(values.max(axis=0), np.array(one.max, np.float32))
        return values

    def track(self, node: int, path: str) -> tuple[np.ndarray, np.ndarray] | None:
        for channel in self.animation.channels:
            if channel.target.node == node and channel.target.path == path:
                sampler = self.animation.samplers[channel.sampler]
                assert sampler.interpolation == "LINEAR"
                return self.numbers(sampler.input)[:, 0], self.numbers(sampler.output)
        return None

    def vertices(self, name: str, frame: int) -> np.ndarray:
        node = self.file.nodes[self.nodes[name]]
        primitive = self.file.meshes[node.mesh].primitives[0]
        points = self.numbers(primitive.attributes.POSITION).astype(float)
        weights = self.track(self.nodes[name], "weights")
        if weights is not None:
            shares = weights[1].reshape(len(weights[0]), -1)[frame]
            for share, target in zip(shares, primitive.targets, strict=True):
                points = points + share * self.numbers(target["POSITION"])
        moved = self.track(self.nodes[name], "translation")
        turned = self.track(self.nodes[name], "rotation")
        shift = moved[1][frame] if moved else np.array(node.translation)
        x, y, z, w = turned[1][frame] if turned else node.rotation
        return np.array([rotate(np.array([w, x, y, z], float), point) for point in points]) + shift


@pytest.mark.parametrize("suffix", [".glb", ".gltf"])
def test_gltf_has_the_recorded_positions(scene: Path, suffix: str) -> None:
    output = scene.with_suffix(suffix)
    assert export(scene, "--to", "gltf", "-o", output, "--fps", 50) == 0
    reader = Reader(output)
    assert reader.file.asset.version == "2.0"
    assert reader.file.buffers[0].byteLength == len(reader.blob)
    with open_recording(scene) as recording:
        stage = Stage(recording)
        assert set(reader.nodes) == {thing.drawing.name for thing in stage.things}
        for thing in stage.things:
            primitive = reader.file.meshes[reader.nodes[thing.drawing.name]].primitives[0]
            indices = reader.numbers(primitive.indices).reshape(-1, 3)
            np.testing.assert_array_equal(indices, thing.triangles)
            assert (primitive.attributes.NORMAL is None) == thing.flat
            for frame in range(FRAMES):
                got = reader.vertices(thing.drawing.name, frame)
                np.testing.assert_allclose(got, thing.vertices(frame), rtol=3e-7, atol=3e-7)


def test_gltf_turns_by_the_shortest_way_and_names_colours(scene: Path) -> None:
    output = scene.with_suffix(".glb")
    assert export(scene, "--to", "gltf", "-o", output, "--fps", 50) == 0
    reader = Reader(output)
    times, turns = reader.track(reader.nodes["crate.box"], "rotation")
    np.testing.assert_allclose(times, TIMES, rtol=1e-7)
    np.testing.assert_allclose(np.linalg.norm(turns, axis=1), 1.0, rtol=1e-6)
    assert (np.einsum("ij,ij->i", turns[1:], turns[:-1]) > 0).all()
    node = reader.file.nodes[reader.nodes["crate.box"]]
    material = reader.file.materials[reader.file.meshes[node.mesh].primitives[0].material]
    # 0.5 of sRGB is 0.21404 of the light.
    np.testing.assert_allclose(material.pbrMetallicRoughness.baseColorFactor, [1, 0.2140411, 0, 1], atol=1e-6)
    assert node.extras == {"path": "crate", "layer": "bodies"}
    assert reader.track(reader.nodes["floor.plane"], "translation") is None


def test_gltf_normals_follow_the_bending(scene: Path) -> None:
    output = scene.with_suffix(".glb")
    assert export(scene, "--to", "gltf", "-o", output, "--only", "cloth", "--fps", 50) == 0
    reader = Reader(output)
    assert set(reader.nodes) == {"cloth.mesh", "cloth/patch.mesh"}
    primitive = reader.file.meshes[0].primitives[0]
    base = reader.numbers(primitive.attributes.NORMAL)
    for frame in range(1, FRAMES):
        normals = base + reader.numbers(primitive.targets[frame - 1]["NORMAL"])
        np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1.0, atol=1e-6)
        # The cloth is the plane spanned by (1, sin k, 0.1 k) and z, so the normal is (sin k, -1, 0) up to length.
        expected = np.array([math.sin(frame), -1.0, 0.0]) / math.hypot(math.sin(frame), 1.0)
        np.testing.assert_allclose(np.abs(normals @ expected), 1.0, atol=1e-6)


def test_gltf_has_about_thirty_frames_a_second(tmp_path: Path) -> None:
    recording = write_contacts(
        tmp_path / "a.h5",
        drawings=[Drawing("b", "b", "bodies", Solid("sphere", (1, 0, 0)), Carried("rigid.x", "rigid.q", 1))],
    )
    assert export(recording, "-o", tmp_path / "a.glb") == 0
    times, places = Reader(tmp_path / "a.glb").track(0, "translation")
    np.testing.assert_allclose(times, [0.0, 0.1, 0.2, 0.3])
    np.testing.assert_array_equal(places, np.arange(24.0).reshape(4, 2, 3)[:, 1])


@pytest.mark.parametrize(
    ("fps", "frames"),
    [
        (None, range(101)),
        (100, range(101)),
        (1000, range(101)),
        (50, range(0, 101, 2)),
        (30, range(0, 101, 3)),
        (0.1, [0]),
    ],
)
def test_frames_are_recorded_ones(fps: float | None, frames: range) -> None:
    assert choose_frames(0.01 * np.arange(101), fps) == tuple(frames)


def test_rotations_do_not_jump() -> None:
    rng = np.random.default_rng(5)
    smooth = np.cumsum(0.1 * rng.normal(size=(60, 4)), axis=0) + np.array([3, 0, 0, 0])
    flipped = smooth * rng.choice([-1.0, 1.0], 60)[:, None]
    made = make_continuous(flipped)
    np.testing.assert_allclose(np.abs(np.einsum("ij,ij->i", made, smooth)), np.linalg.norm(smooth, axis=1))
    assert (np.einsum("ij,ij->i", made[1:], made[:-1]) > 0).all()


# PC2


def test_pc2_has_the_recorded_positions(scene: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = scene.parent / "cache"
    assert export(scene, "--to", "pc2", "-o", folder, "--json") == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)["contents"]}
    assert "pc2" not in rows["floor.plane"]
    with open_recording(scene) as recording:
        for thing in Stage(recording).things:
            row = rows[thing.drawing.name]
            vertices, triangles = read_obj(folder / row["obj"])
            np.testing.assert_array_equal(vertices, thing.vertices(0))
            np.testing.assert_array_equal(triangles, thing.triangles)
            if "pc2" in row:
                raw = (folder / row["pc2"]).read_bytes()
                head = struct.unpack("<12siiffi", raw[:32])
                assert head == (b"POINTCACHE2\0", 1, len(thing.rest), 0.0, 1.0, FRAMES)
                points = np.frombuffer(raw[32:], "<f4").reshape(FRAMES, len(thing.rest), 3)
                wanted = [thing.vertices(frame) for frame in range(FRAMES)]
                np.testing.assert_array_equal(points, np.array(wanted, np.float32))


def read_obj(path: Path) -> tuple[np.ndarray, np.ndarray]:
    meshio = pytest.importorskip("meshio", reason="the extra supple[mesh] is not installed")
    mesh = meshio.read(path)
    return mesh.points, mesh.cells_dict["triangle"]


# VTK


def test_vtk_has_positions_displacements_channels_and_forces(scene: Path) -> None:
    meshio = pytest.importorskip("meshio", reason="the extra supple[mesh] is not installed")
    folder = scene.parent / "vtk"
    assert export(scene, "--to", "vtk", "-o", folder) == 0
    with open_recording(scene) as recording:
        stage = Stage(recording)
        first = np.concatenate([thing.vertices(0) for thing in stage.things])
        counts = [len(thing.triangles) for thing in stage.things]
        for time, mesh_file, contact_file in read_collection(folder / "recording.pvd"):
            frame = stage.frame_at(time)
            mesh = meshio.read(folder / mesh_file)
            wanted = np.concatenate([thing.vertices(frame) for thing in stage.things])
            np.testing.assert_array_equal(mesh.points, wanted)
            np.testing.assert_array_equal(mesh.point_data["displacement"], wanted - first)
            owners = np.repeat(np.arange(len(counts)), counts)
            np.testing.assert_array_equal(mesh.cell_data["thing"][0], owners)
            strain = mesh.point_data["cloth.strain"]
            np.testing.assert_array_equal(strain[:9], 9.0 * frame + np.arange(9))
            assert np.isnan(strain[9:]).all()
            if frame >= 2:
                touching = meshio.read(folder / contact_file)
                points, forces = stage.contacts(frame)
                assert len(points) == frame - 1
                np.testing.assert_array_equal(touching.points, points)
                np.testing.assert_array_equal(touching.point_data["force"], forces)
            else:
                assert 'NumberOfPoints="0"' in (folder / contact_file).read_text()


def read_collection(path: Path) -> list[tuple[float, str, str]]:
    from xml.etree import ElementTree

    found: dict[float, dict[str, str]] = {}
    for one in ElementTree.parse(path).iter("DataSet"):
        found.setdefault(float(one.attrib["timestep"]), {})[one.attrib["part"]] = one.attrib["file"]
    assert sorted(found) == TIMES.tolist()
    return [(time, parts["0"], parts["1"]) for time, parts in found.items()]


# CSV


def read_table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_csv_has_every_number_with_all_digits(scene: Path) -> None:
    folder = scene.parent / "csv"
    assert export(scene, "--to", "csv", "-o", folder) == 0
    metrics = read_table(folder / "metrics.csv")
    # The first frame is no step's, and has no metrics.
    assert [float(row["crate.height"]) for row in metrics] == [0.1 + k / 3 for k in range(1, FRAMES)]
    assert [int(row["step"]) for row in metrics] == list(range(1, FRAMES))
    with h5py.File(scene) as file:
        places, turns = file["arrays/rigid.x"][:, 0], file["arrays/rigid.q"][:, 0]
    poses = read_table(folder / "poses.csv")
    assert {row["body"] for row in poses} == {"crate"}
    np.testing.assert_array_equal([[float(row[axis]) for axis in "xyz"] for row in poses], places)
    np.testing.assert_array_equal(
        [[float(row[axis]) for axis in ("qw", "qx", "qy", "qz")] for row in poses], turns
    )
    contacts = read_table(folder / "contacts.csv")
    assert len(contacts) == sum(range(1, FRAMES - 1))
    assert [float(row["force_y"]) for row in contacts[:3]] == [20.0, 30.0, 30.0]
    units = {(row["file"], row["column"]): row["unit"] for row in read_table(folder / "columns.csv")}
    assert units["metrics.csv", "crate.height"] == "m"
    for name in ("metrics.csv", "poses.csv", "contacts.csv"):
        head = (folder / name).read_text().splitlines()[0].split(",")
        assert [column for file, column in units if file == name] == head


def test_csv_of_one_entity(scene: Path) -> None:
    folder = scene.parent / "csv"
    assert export(scene, "--to", "csv", "-o", folder, "--only", "cloth") == 0
    assert list(read_table(folder / "metrics.csv")[0]) == ["step", "time", "cloth.stretch"]
    assert read_table(folder / "poses.csv") == []


# Places, errors, and what is cut short


def test_a_folder_is_replaced_only_on_request_and_only_if_it_is_an_export(
    scene: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = scene.parent / "out"
    folder.mkdir()
    assert export(scene, "--to", "csv", "-o", folder) == 0
    capsys.readouterr()
    assert export(scene, "--to", "vtk", "-o", folder) == 2
    assert "give --overwrite to replace it" in say(capsys)[0]
    assert export(scene, "--to", "vtk", "-o", folder, "--overwrite", "--fps", 1) == 0
    names = {file.name for file in folder.iterdir()}
    assert names == {"recording.pvd", "surface_000000.vtu", "contacts_000000.vtu", "export.json"}
    (folder / "export.json").unlink()
    capsys.readouterr()
    assert export(scene, "--to", "csv", "-o", folder, "--overwrite") == 2
    assert "holds other files; name a new folder" in say(capsys)[0]
    assert {file.name for file in scene.parent.iterdir()} == {"run.h5", "out"}


def test_a_failed_export_leaves_nothing_behind(scene: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with h5py.File(scene, "r+") as file:
        # A later frame that cannot be read: its chunk is gone.
        del file["arrays/cloth.x"]
        file["arrays"].create_dataset("cloth.x", data=np.zeros((3, 9, 3))).attrs.update(
            {"unit": "m", "doc": "x"}
        )
    for kind, name in (("vtk", "out"), ("pc2", "out"), ("gltf", "a.glb"), ("gltf", "a.gltf")):
        assert export(scene, "--to", kind, "-o", scene.parent / name, "--fps", 50) == 2
        (line,) = say(capsys)
        assert "is damaged" in line
        assert [file.name for file in scene.parent.iterdir()] == ["run.h5"]


def test_numbers_of_somebody_else_are_not_overwritten(
    scene: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = scene.with_suffix(".bin")
    other.write_text("mine")
    assert export(scene, "--to", "gltf", "-o", scene.with_suffix(".gltf")) == 2
    assert "run.bin: is there already" in say(capsys)[0]
    assert other.read_text() == "mine"
    other.unlink()
    for _ in range(2):
        assert export(scene, "--to", "gltf", "-o", scene.with_suffix(".gltf")) == 0


def test_a_killed_recording_is_exported_up_to_its_last_flush(scene: Path) -> None:
    with h5py.File(scene, "r+") as file:
        file["frames"][0] = 4
    folder = scene.parent / "csv"
    assert export(scene, "--to", "csv", "-o", folder) == 0
    assert len(read_table(folder / "poses.csv")) == 4
    assert len(read_table(folder / "contacts.csv")) == 3


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--to", "fbx", "-o", "a"], "'fbx' is not one of"),
        (["--to", "gltf", "-o", "a.obj"], "choose from: .glb, .gltf"),
        (["--to", "gltf", "-o", "no/a.glb"], "no folder no; make it first"),
        (["--to", "csv", "-o", "no/a"], "no folder no; make it first"),
        (["--to", "csv", "-o", "run.h5"], "is a file; name a folder"),
        (["--to", "csv", "-o", "a", "--only", "clot"], "Did you mean 'cloth'?"),
        (["--to", "csv", "-o", "a", "--fps", "0"], "is not a number above zero"),
        (["-o", "a"], "end it in .glb, .gltf, .usd, .usda, .usdc, or write pc2, vtk or csv into"),
        (["--to", "csv"], "Missing option '-o'"),
    ],
)
def test_errors_are_one_line(
    scene: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
    words: list[str], said: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(scene.parent)
    assert export("run.h5", *words) == 2
    (line,) = say(capsys)
    assert said in line
    assert [file.name for file in scene.parent.iterdir()] == ["run.h5"]


def test_geometry_of_a_recording_without_any_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bare = write_contacts(tmp_path / "a.h5")
    for kind, name in (("gltf", "a.glb"), ("pc2", "x"), ("vtk", "x")):
        assert export(bare, "--to", kind, "-o", tmp_path / name) == 2
        assert say(capsys) == [f"{bare}: has nothing to see; --to csv exports its numbers"]
    assert export(bare, "--to", "csv", "-o", tmp_path / "x") == 0
    empty = write_recording(tmp_path / "b.h5", [], times=[])
    with open_recording(empty) as recording, pytest.raises(UserError, match="has no frames yet"):
        select(recording, (), None)


def test_names_of_files_are_plain_and_different() -> None:
    assert name_files(["a/b.box", "a_b.box", "A.b box", "ä", "", "x" * 300]) == [
        "a_b_box", "a_b_box_2", "A_b_box_3", "_", "__2", "x" * 80,
    ]  # fmt: skip


def test_help_has_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    assert export("--help") == 0
    assert "Example: supple export" in capsys.readouterr().out
