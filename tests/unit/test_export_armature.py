"""Armatures and skins in glTF and USD, read back by other readers: bones in their tree, skins, forces."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import supple
from rigged_walker import write_walker
from supple.core.pose import rotate
from supple.run.cli import run_command
from supple.run.recording import open_recording
from supple.run.stage import Stage

gl = pytest.importorskip("pygltflib", reason="written and read back by pygltflib")

SCENE = """format = 1
[run]
step = 0.008
duration = 0.2
[[entity]]
name = "floor"
plane = {}
[[entity]]
name = "man"
pose = { position = [0, -0.02, 0] }
rig = { file = "man.glb", covering = "COVERING", mass = 70 }
"""


def matrix(translation, rotation) -> np.ndarray:
    x, y, z, w = rotation
    made = np.eye(4)
    made[:3, :3] = np.array([rotate(np.array([w, x, y, z], float), axis) for axis in np.eye(3)]).T
    made[:3, 3] = translation
    return made


class GltfReader:
    """Vertices of a file by the definitions of glTF, with pygltflib for its structure."""

    def __init__(self, path: Path) -> None:
        self.file = gl.GLTF2().load(str(path))
        self.blob = self.file.binary_blob()
        self.parent = {child: k for k, node in enumerate(self.file.nodes) for child in node.children or ()}
        self.tracks = {}
        for channel in self.file.animations[0].channels:
            sampler = self.file.animations[0].samplers[channel.sampler]
            times = self.numbers(sampler.input)[:, 0]
            self.tracks[channel.target.node, channel.target.path] = times, self.numbers(sampler.output)

    def numbers(self, accessor: int) -> np.ndarray:
        said = self.file.accessors[accessor]
        view = self.file.bufferViews[said.bufferView]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}[said.type]
        kind = {5126: "<f4", 5125: "<u4", 5123: "<u2"}[said.componentType]
        raw = self.blob[view.byteOffset : view.byteOffset + view.byteLength]
        return np.frombuffer(raw, kind).reshape(said.count, width)

    def world(self, node: int, frame: int) -> np.ndarray:
        said = self.file.nodes[node]
        shift = said.translation or [0, 0, 0]
        turn = said.rotation or [0, 0, 0, 1]
        if (node, "translation") in self.tracks:
            shift = self.tracks[node, "translation"][1][frame]
        if (node, "rotation") in self.tracks:
            turn = self.tracks[node, "rotation"][1][frame]
        own = matrix(shift, turn)
        return self.world(self.parent[node], frame) @ own if node in self.parent else own

    def vertices(self, name: str, frame: int) -> np.ndarray:
        number = next(k for k, node in enumerate(self.file.nodes) if node.name == name)
        node = self.file.nodes[number]
        primitive = self.file.meshes[node.mesh].primitives[0]
        points = self.numbers(primitive.attributes.POSITION).astype(float)
        if (number, "weights") in self.tracks:
            times, values = self.tracks[number, "weights"]
            for share, target in zip(values.reshape(len(times), -1)[frame], primitive.targets, strict=True):
                points = points + share * self.numbers(target["POSITION"])
        if node.skin is None:
            placed = self.world(number, frame)
            return points @ placed[:3, :3].T + placed[:3, 3]
        skin = self.file.skins[node.skin]
        inverse = self.numbers(skin.inverseBindMatrices).reshape(-1, 4, 4).transpose(0, 2, 1).astype(float)
        moves = np.array(
            [self.world(joint, frame) @ back for joint, back in zip(skin.joints, inverse, strict=True)]
        )
        joints = self.numbers(primitive.attributes.JOINTS_0).astype(int)
        shares = self.numbers(primitive.attributes.WEIGHTS_0).astype(float)
        blended = np.einsum("vk,vkij->vij", shares, moves[joints])
        return np.einsum("vij,vj->vi", blended[:, :3, :3], points) + blended[:, :3, 3]


@pytest.fixture(scope="module", params=["skin", "flesh", "capsules"])
def recorded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("walk")
    write_walker(folder / "man.glb")
    (folder / "scene.toml").write_text(SCENE.replace("COVERING", request.param))
    assert run_command(["run", str(folder / "scene.toml"), "--record", str(folder / "run.h5")]) in (0, 3)
    return folder / "run.h5"


def test_gltf_has_bones_in_their_tree_and_all_places(recorded: Path) -> None:
    output = recorded.with_name("out.glb")
    assert run_command(["export", str(recorded), "--to", "gltf", "-o", str(output), "--fps", "40"]) == 0
    reader = GltfReader(output)
    with open_recording(recorded) as recording:
        stage = Stage(recording)
        times = reader.tracks[next(iter(reader.tracks))][0]
        frames = [stage.frame_at(float(time) + float(stage.times[0])) for time in times]
        assert frames[-1] == stage.frames - 1, "the last frame is there"
        assert len(frames) < stage.frames
        for thing in stage.things:
            for index in (0, 1, len(frames) - 1):
                got = reader.vertices(thing.drawing.name, index)
                np.testing.assert_allclose(got, thing.vertices(frames[index]), atol=1e-6)
    names = {node.name: k for k, node in enumerate(reader.file.nodes)}
    shank, thigh, hips = (names[name] for name in ("LeftLeg", "LeftUpLeg", "Hips"))
    assert reader.parent[shank] == thigh
    assert reader.parent[thigh] == hips
    assert set(reader.file.scenes[0].nodes).isdisjoint(reader.parent)


def test_export_and_import_again_agree(recorded: Path, tmp_path: Path) -> None:
    """Of the ghost, whose skin does nothing but follow its bones: every vertex at every exported time."""
    with open_recording(recorded) as recording:
        stage = Stage(recording)
        skins = [thing for thing in stage.things if thing.drawing.name == "man/bones.skin"]
        if not skins:
            pytest.skip("only a ghost wears a skin that is nothing but a skin")
        assert run_command(["export", str(recorded), "--to", "gltf", "-o", str(tmp_path / "man.glb")]) == 0
        (tmp_path / "scene.toml").write_text(SCENE.replace("COVERING", "skin").replace("-0.02", "0"))
        world = supple.load(tmp_path / "scene.toml", overrides={"run.step": 0.016})
        for _ in range(5):
            expected = skins[0].vertices(stage.frame_at(world.time))
            np.testing.assert_allclose(world.array("skin0.position"), expected, atol=1e-6)
            world.step(2)


def test_usd_has_points_skeleton_and_forces(recorded: Path) -> None:
    pytest.importorskip("pxr", reason="the extra supple[usd] is not installed")
    from pxr import Usd, UsdGeom, UsdSkel

    output = recorded.with_name("out.usdc")
    assert run_command(["export", str(recorded), "--to", "usd", "-o", str(output), "--fps", "40"]) == 0
    usd = Usd.Stage.Open(str(output))
    assert UsdGeom.GetStageUpAxis(usd) == "Y"
    assert UsdGeom.GetStageMetersPerUnit(usd) == 1.0
    prims = {
        prim.GetCustomDataByKey("supple:path"): prim for prim in usd.Traverse() if prim.IsA(UsdGeom.Mesh)
    }
    assert "floor" in prims
    with open_recording(recorded) as recording:
        stage = Stage(recording)
        codes = [usd.GetStartTimeCode(), usd.GetEndTimeCode()]
        frames = [
            stage.frame_at(float(stage.times[0]) + code / usd.GetTimeCodesPerSecond()) for code in codes
        ]
        assert frames == [0, stage.frames - 1]
        for thing in stage.things:
            prim = next(p for p in usd.Traverse() if p.GetName() == _clean(thing.drawing.name))
            mesh = UsdGeom.Mesh(prim)
            for code, frame in zip(codes, frames, strict=True):
                points = np.array(mesh.GetPointsAttr().Get(code), float)
                place = np.array(mesh.ComputeLocalToWorldTransform(code))
                got = points @ place[:3, :3] + place[3, :3]
                np.testing.assert_allclose(got, thing.vertices(frame), atol=1e-6)
        check_skeleton(usd, UsdSkel, recording, codes, frames)
        check_contacts(usd, UsdGeom, stage, codes, frames)
        if "flesh.force" in recording.names:
            check_pressure(usd, UsdGeom, recording, codes[1], frames[1])


def _clean(name: str) -> str:
    return "".join(letter if letter.isalnum() or letter == "_" else "_" for letter in name)


def check_skeleton(usd, UsdSkel, recording, codes, frames) -> None:
    """World poses of the joints by USD's own evaluation are those of the bones."""
    skeleton = UsdSkel.Skeleton(next(prim for prim in usd.Traverse() if prim.IsA(UsdSkel.Skeleton)))
    owner = skeleton.GetPrim().GetParent().GetName().removesuffix("_bones")
    cache = UsdSkel.Cache()
    root = UsdSkel.Root(skeleton.GetPrim().GetParent())
    cache.Populate(root, usd_predicate())
    query = cache.GetSkelQuery(skeleton)
    joints = [str(joint).rpartition("/")[2] for joint in query.GetJointOrder()]
    labels = recording.labels(f"{owner}.x")
    for code, frame in zip(codes, frames, strict=True):
        placed = np.array(query.ComputeJointSkelTransforms(code))
        x = recording.rows(f"{owner}.x", frame)
        for name in ("Hips", "LeftUpLeg", "LeftLeg", "Head"):
            row = next(k for k, label in enumerate(labels) if label.endswith(f"/{name}"))
            np.testing.assert_allclose(placed[joints.index(name)][3, :3], x[row], atol=1e-6)


def usd_predicate():
    from pxr import Usd

    return Usd.PrimDefaultPredicate


def check_contacts(usd, UsdGeom, stage, codes, frames) -> None:
    points = UsdGeom.Points(usd.GetPrimAtPath("/run/contacts"))
    force = UsdGeom.PrimvarsAPI(points).GetPrimvar("force")
    for code, frame in zip(codes, frames, strict=True):
        spots, forces = stage.contacts(frame)
        np.testing.assert_allclose(
            np.array(points.GetPointsAttr().Get(code)).reshape(-1, 3), spots, atol=1e-6
        )
        got = np.array(force.Get(code)).reshape(-1, 3)
        np.testing.assert_allclose(got, forces, rtol=1e-5, atol=1e-3)


def check_pressure(usd, UsdGeom, recording, code, frame) -> None:
    """Pressure times area adds up to no more than the forces, whose tangential part it leaves out."""
    mesh = next(prim for prim in usd.Traverse() if UsdGeom.PrimvarsAPI(prim).HasPrimvar("contactPressure"))
    primvars = UsdGeom.PrimvarsAPI(mesh)
    forces = np.array(primvars.GetPrimvar("contactForce").Get(code))
    np.testing.assert_allclose(forces, recording.rows("flesh.force", frame), rtol=1e-5, atol=1e-3)
    pressure = np.array(primvars.GetPrimvar("contactPressure").Get(code))
    assert (pressure >= 0).all()
    assert ((pressure > 0) <= (np.linalg.norm(forces, axis=1) > 0)).all()


def test_usd_without_its_package_is_one_line(recorded: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "pxr", None)
    assert run_command(["export", str(recorded), "--to", "usd", "-o", str(recorded.with_name("x.usda"))]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "supple[usd]" in line
