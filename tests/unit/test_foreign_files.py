"""Files of people one does not know: they take no more memory or time than they are worth, and lead nowhere else."""

from __future__ import annotations

import base64
import errno
import json
import os
import struct
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import h5py
import numpy as np
import pytest

from supple.core import archives
from supple.core.scene_files import SceneFiles
from supple.errors import UserError
from supple.mechanics.stored_problems import read_arrays
from supple.run.atomic import check_folder, replacing, temporary_beside
from supple.run.cli import find_full_disk, shorten
from supple.run.recording import open_recording

links = pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")


# Archives


def test_archives_that_unfold_without_end_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from supple_motion.sampled import read_amass

    monkeypatch.setattr(archives, "UNPACKED", 1 << 20)
    zeros = np.zeros((1 << 18, 66))
    np.savez_compressed(tmp_path / "a.npz", poses=zeros, trans=zeros[:, :3], mocap_framerate=np.array(10.0))
    assert (tmp_path / "a.npz").stat().st_size < 1 << 18
    with pytest.raises(UserError, match="parts are larger than 1048576 bytes"):
        read_amass(tmp_path / "a.npz", "man.motion.file")
    np.savez_compressed(tmp_path / "lcp.npz", M=zeros, q=np.zeros(66))
    with pytest.raises(UserError, match="parts are larger than 1048576 bytes"):
        read_arrays(tmp_path / "lcp.npz")
    np.savez(tmp_path / "plain.npz", M=zeros, q=np.zeros(66))  # has the room of its own file
    assert read_arrays(tmp_path / "plain.npz")["M"].shape == zeros.shape


@pytest.mark.parametrize("shape", [(10**12,), (2**62, 4), (-1,)])
def test_arrays_that_announce_more_than_they_hold_are_refused(tmp_path: Path, shape: tuple[int, ...]) -> None:
    import zipfile

    with zipfile.ZipFile(tmp_path / "lcp.npz", "w") as archive, archive.open("M.npy", "w") as file:
        said = {"descr": "<f8", "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(file, said)
        file.write(bytes(64))
    with pytest.raises(UserError, match="does not hold the numbers that it announces"):
        read_arrays(tmp_path / "lcp.npz")


# glTF


def write_gltf(file: Path, **document: object) -> Path:
    file.write_text(json.dumps({"asset": {"version": "2.0"}, **document}))
    return file


def test_long_chain_of_nodes_takes_no_time_and_a_ring_is_refused(tmp_path: Path) -> None:
    from supple_motion.gltf_file import GltfFile

    count = 50_000
    nodes = [{"children": [number + 1]} for number in range(count - 1)] + [{}]
    chain = write_gltf(tmp_path / "chain.gltf", nodes=nodes)
    began = time.process_time()
    assert GltfFile(chain, "").parent[-1] == count - 2
    assert time.process_time() - began < 5.0
    ring = write_gltf(tmp_path / "ring.gltf", nodes=[{"children": [1]}, {"children": [2]}, {"children": [0]}])
    with pytest.raises(UserError, match="in a ring"):
        GltfFile(ring, "")


@pytest.mark.parametrize(
    ("accessor", "view", "said"),
    [
        ({"count": 10**12}, None, "announces 1000000000000 numbers and has none"),
        ({"count": 60, "bufferView": 0}, {"byteStride": 1}, "reaches beyond its numbers"),
        ({"count": 10**9, "bufferView": 0}, {}, "reaches beyond its numbers"),
    ],
)
def test_accessors_have_what_they_announce(
    tmp_path: Path, accessor: dict[str, object], view: dict[str, object] | None, said: str
) -> None:
    from supple_motion.gltf_file import GltfFile

    uri = "data:application/octet-stream;base64," + base64.b64encode(bytes(100)).decode()
    file = write_gltf(
        tmp_path / "a.gltf", buffers=[{"uri": uri, "byteLength": 100}],
        bufferViews=[{"buffer": 0, "byteLength": 100, **(view or {})}],
        accessors=[{"type": "VEC3", "componentType": 5126, **accessor}],
    )  # fmt: skip
    gltf = GltfFile(file, "")
    with pytest.raises(ValueError, match=said):
        gltf.numbers(0)


def test_deep_json_is_one_line(tmp_path: Path) -> None:
    from supple_motion.gltf_file import GltfFile

    (tmp_path / "deep.gltf").write_text("[" * 100_000 + "]" * 100_000)
    with pytest.raises(UserError, match="is no glTF"):
        GltfFile(tmp_path / "deep.gltf", "")


@pytest.mark.parametrize("joints", [[0, -1], [0, 2], [0, 1, 1], [0, "1"], [0, 1.5]])
def test_skin_names_joints_that_are_there_and_each_once(tmp_path: Path, joints: list[object]) -> None:
    from supple_motion.gltf_file import GltfFile

    file = write_gltf(tmp_path / "a.gltf", nodes=[{"children": [1]}, {}], skins=[{"joints": joints}])
    with pytest.raises(ValueError, match="its skin names the joint"):
        _ = GltfFile(file, "").joints


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "said",
    [{"rotation": [1e300] * 4}, {"scale": [1, 1]}, {"translation": [0, 0, 1e200]}, {"matrix": [1e300] * 16}],
)
def test_poses_of_nodes_are_numbers_that_can_be_meant(tmp_path: Path, said: dict[str, object]) -> None:
    from supple_motion.gltf_file import GltfFile

    with pytest.raises(ValueError, match="of node 0 cannot be meant"):
        GltfFile(write_gltf(tmp_path / "a.gltf", nodes=[said]), "").rest(0)


# Meshes


@links
@pytest.mark.parametrize("name", ["../outside/numbers.bin", "link.bin"])
def test_mesh_that_names_a_file_outside_its_folder_is_refused(tmp_path: Path, name: str) -> None:
    pytest.importorskip("trimesh")
    from supple_collide.mesh_files import read_triangles

    (tmp_path / "outside").mkdir()
    folder = tmp_path / "scene"
    folder.mkdir()
    numbers = (
        np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], "<f4").tobytes() + np.arange(3, dtype="<u4").tobytes()
    )
    (tmp_path / "outside" / "numbers.bin").write_bytes(numbers)
    (folder / "numbers.bin").write_bytes(numbers)
    (folder / "link.bin").symlink_to(tmp_path / "outside" / "numbers.bin")
    parts = {
        "bufferViews": [
            {"buffer": 0, "byteLength": 36}, {"buffer": 0, "byteOffset": 36, "byteLength": 12},
        ],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5125, "count": 3, "type": "SCALAR"},
        ],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "nodes": [{"mesh": 0}], "scenes": [{"nodes": [0]}], "scene": 0,
    }  # fmt: skip
    own = write_gltf(folder / "own.gltf", buffers=[{"uri": "numbers.bin", "byteLength": 48}], **parts)
    assert len(read_triangles(own, "a.mesh").triangles) == 1
    other = write_gltf(folder / "other.gltf", buffers=[{"uri": name, "byteLength": 48}], **parts)
    with pytest.raises(UserError, match="outside its folder"):
        read_triangles(other, "a.mesh")


def test_packed_volume_mesh_stops_at_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    meshio = pytest.importorskip("meshio")
    from supple_tets import careful
    from supple_tets.shapes import _read_volume

    points, tets = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]]), np.array([[0, 1, 2, 3]])
    meshio.write(tmp_path / "a.vtu", meshio.Mesh(points, [("tetra", tets)]))
    assert len(_read_volume(tmp_path / "a.vtu", "a.tet_file", 1.0).tets) == 1
    monkeypatch.setattr(careful, "MOST", 64)
    with pytest.raises(UserError, match="unfolds to more than 64 bytes"):
        _read_volume(tmp_path / "a.vtu", "a.tet_file", 1.0)


@pytest.mark.parametrize(("coordinates", "corners"), [(3, 1), (3, 10), (2, 4)])
def test_volume_mesh_has_tetrahedra_of_four_corners_in_space(
    coordinates: int, corners: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its reader believes how many numbers a damaged file says that a row has."""
    meshio = pytest.importorskip("meshio")
    from supple_tets.shapes import _read_volume

    block = SimpleNamespace(type="tetra", data=np.zeros((1, corners), int))
    read = SimpleNamespace(points=np.zeros((1, coordinates)), cells=[block])
    monkeypatch.setattr(meshio, "read", lambda file: read)
    with pytest.raises(UserError, match=r"a\.msh: a\.tet_file: .*four corners"):
        _read_volume(tmp_path / "a.msh", "a.tet_file", 1.0)


# Robots


def test_robot_in_another_encoding_cannot_hide_entities(tmp_path: Path) -> None:
    from supple_robot.source_files import find_sources

    text = '<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a "ha">]><robot name="&a;"/>'
    (tmp_path / "a.urdf").write_text(text, encoding="utf-16")
    with pytest.raises(UserError, match=r"a\.urdf:1: .*not written in UTF-8"):
        find_sources("a.urdf", "it.robot.file", SceneFiles(str(tmp_path / "scene.toml")))


def test_robot_of_infinite_size_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    from supple_robot.model_file import read_model

    body = '<body><freejoint/><geom type="box" size="inf 0.1 0.1" mass="1"/></body>'
    (tmp_path / "a.xml").write_text(f"<mujoco><worldbody>{body}</worldbody></mujoco>")
    with pytest.raises(UserError, match="not finite"):
        read_model("a.xml", "as_written", "it.robot", SceneFiles(str(tmp_path / "scene.toml")))


@pytest.mark.parametrize("said", ["gear='1e300'", "kp='1e200'"])
def test_servo_of_a_robot_has_numbers_that_can_be_meant(tmp_path: Path, said: str) -> None:
    pytest.importorskip("mujoco")
    from supple_robot.model_file import read_model

    body = "<body><joint name='j'/><geom size='0.1'/></body>"
    servo = f"<actuator><position joint='j' {said}/></actuator>"
    (tmp_path / "a.xml").write_text(f"<mujoco><worldbody>{body}</worldbody>{servo}</mujoco>")
    with pytest.raises(UserError, match="greater than any quantity"):
        read_model("a.xml", "as_written", "it.robot", SceneFiles(str(tmp_path / "scene.toml")))


def test_model_within_a_model_leads_nowhere_else(tmp_path: Path) -> None:
    from supple_robot.source_files import find_sources

    folder = tmp_path / "a" / "scene"
    (folder / "sub").mkdir(parents=True)
    (tmp_path / "a" / "secret.obj").write_text("v 0 0 0\n")
    (folder / "sub" / "child.xml").write_text(
        '<mujoco><asset><mesh file="../../secret.obj"/></asset></mujoco>'
    )
    (folder / "main.xml").write_text('<mujoco><asset><model file="sub/child.xml"/></asset></mujoco>')
    with pytest.raises(UserError, match="outside the scene's folder"):
        find_sources("main.xml", "it.robot.file", SceneFiles(str(folder / "scene.toml")))


# What is written and what is said


def test_recording_of_many_empty_arrays_announces_too_much(tmp_path: Path) -> None:
    from made_recordings import write_recording

    file = write_recording(tmp_path / "run.h5", [])
    with h5py.File(file, "r+") as stored:
        for number in range(40):
            shape = (1 << 19,)
            stored["model"].create_dataset(f"empty{number}", shape, "f8", chunks=(1 << 12,), fillvalue=1.0)
    with pytest.raises(UserError, match="more than the file has"):
        open_recording(file)


def test_times_names_and_places_of_a_recording_must_make_sense(tmp_path: Path) -> None:
    from made_recordings import write_recording
    from supple.core.drawing import Carried, Drawing, Solid
    from supple.run.stage import Stage

    ball = Drawing(
        "ball", "ball", "bodies", Solid("sphere", (0.1, 0.0, 0.0)), Carried("rigid.x", "rigid.turn", 0)
    )
    turned = np.tile([1.0, 0, 0, 0], (2, 1, 1))
    for times, place, said in (
        ([0.0, 0.0], 0.0, "times do not go forward"),
        ([0.0, np.nan], 0.0, "times do not go forward"),
        ([0.0, 0.1], np.nan, "rigid.x is nowhere in frame 1"),
        ([0.0, 0.1], 1e300, "rigid.x is nowhere in frame 1"),
    ):
        arrays = {"rigid.x": np.array([[[0.0, 0, 0]], [[place, 0, 0]]]), "rigid.turn": turned}
        file = write_recording(tmp_path / "run.h5", [ball], times=times, arrays=arrays)
        with open_recording(file) as recording, pytest.raises(UserError, match=said):
            [thing.vertices(1) for thing in Stage(recording).things]
    with h5py.File(file, "r+") as stored:
        stored["arrays"]["rigid.x"].attrs["labels"] = np.array(["a", "b"], dtype=object)
    with open_recording(file) as recording, pytest.raises(UserError, match="2 names for rows"):
        recording.labels("rigid.x")


@pytest.mark.parametrize("values", [np.full((1, 10), np.nan), np.zeros((1, 3)), np.zeros((1, 10), np.int64)])
def test_commands_of_a_recording_are_rows_of_numbers(tmp_path: Path, values: np.ndarray) -> None:
    from made_recordings import write_recording

    file = write_recording(tmp_path / "run.h5", [])
    with h5py.File(file, "r+") as stored:
        stored["commands/labels"] = np.frombuffer(b'["ball force"]', np.uint8)
        stored["commands/step"], stored["commands/what"] = np.zeros(1, np.int64), np.zeros(1, np.int64)
        stored["commands/values"] = values
    with open_recording(file) as recording, pytest.raises(UserError, match="its commands"):
        recording.command_rows()


@pytest.mark.parametrize(
    ("name", "value"),
    [("scene", 3.0), ("text", np.zeros(2)), ("h", "0.01"), ("every", 0.5), ("overrides", "{}")],
)
def test_header_of_a_recording_holds_what_it_should(tmp_path: Path, name: str, value: object) -> None:
    from made_recordings import write_recording

    file = write_recording(tmp_path / "run.h5", [], attributes={name: value})
    with pytest.raises(UserError, match="is damaged"):
        open_recording(file)


def test_contacts_of_a_recording_are_rows_of_contacts(tmp_path: Path) -> None:
    from made_recordings import write_recording

    contact = ([0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 1.0, 0.0])
    file = tmp_path / "run.h5"
    for damage in ("no count", "flat", "whole numbers", "one array"):
        write_recording(file, [], contacts=[[contact]])
        open_recording(file).close()
        with h5py.File(file, "r+") as stored:
            if damage == "no count":
                del stored["arrays/contacts.force"].attrs["count"]
            elif damage == "one array":
                del stored["arrays"]
                stored["arrays"] = np.zeros(3)
            else:
                del stored["arrays/contacts.force"]
                stored["arrays/contacts.force"] = (
                    np.zeros(1) if damage == "flat" else np.zeros((1, 3), np.int64)
                )
                stored["arrays/contacts.force"].attrs["count"] = "contacts.count"
        with pytest.raises(UserError, match=r"no contacts|one array"):
            open_recording(file)


@links
def test_link_that_lies_in_wait_is_not_followed(tmp_path: Path) -> None:
    victim, target = tmp_path / "victim", tmp_path / "run.npz"
    victim.write_text("mine")
    temporary_beside(target).symlink_to(victim)
    with replacing(target) as file:
        file.write(b"new")
    assert victim.read_text() == "mine"
    assert target.read_bytes() == b"new"
    assert not target.is_symlink()


def test_folder_that_cannot_be_written_is_found_before_the_first_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Not by chmod: whoever runs tests as root may write anyway.
    monkeypatch.setattr(os, "access", lambda *ask: False)
    with pytest.raises(UserError, match="nothing may be written to"):
        check_folder(tmp_path / "a.json")


def test_words_without_end_are_cut_and_a_line_stays_one() -> None:
    assert shorten("a.toml:3: x: " + "a" * 5000 + " is no number; write one").count("a") < 100
    assert shorten("one\ntwo") == "one\\ntwo"
    map_to_paste = "map = { " + ", ".join(f'"joint{k}" = "bone{k}"' for k in range(100)) + " }"
    assert shorten(map_to_paste) == map_to_paste


def test_binary_stl_header_is_believed_only_with_its_triangles(tmp_path: Path) -> None:
    from supple_collide.mesh_files import read_triangles

    (tmp_path / "a.stl").write_bytes(bytes(80) + struct.pack("<I", 2**32 - 1) + bytes(50))
    with pytest.raises(UserError, match=r"a\.stl"):
        read_triangles(tmp_path / "a.stl", "a.mesh")


# Full disks


def test_a_full_disk_is_one_line_however_libraries_wrap_it() -> None:
    def fail() -> None:
        try:
            raise OSError(errno.ENOSPC, "No space left on device", "a.glb")
        except OSError:
            raise ValueError("cannot close the archive")  # noqa: B904 - as libraries do

    with pytest.raises(ValueError, match="archive") as caught:
        fail()
    assert find_full_disk(caught.value).startswith("a.glb: cannot be written: No space left")
    assert find_full_disk(ValueError("another matter")) == ""
    assert find_full_disk(FileNotFoundError(errno.ENOENT, "no such file")) == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no disk that is always full")
def test_words_that_a_full_disk_does_not_take_are_no_defect() -> None:
    with open("/dev/full", "w") as full:
        words = [sys.executable, "-m", "supple", "plugins", "--json"]
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1), done.stderr


def test_a_film_that_was_not_written_whole_is_refused(tmp_path: Path) -> None:
    """ffmpeg leaves with an error that nobody hears, and half a file."""
    pytest.importorskip("imageio_ffmpeg")
    from supple_picture.film import _check_film, write_mp4

    pictures = [np.zeros((16, 16, 3), np.uint8)] * 3
    write_mp4(tmp_path / "a.mp4", pictures, 5)
    _check_film(tmp_path / "a.mp4", 3, tmp_path / "a.mp4")
    half = tmp_path / "half.mp4"
    half.write_bytes((tmp_path / "a.mp4").read_bytes()[:200])
    with pytest.raises(UserError, match="stored 0 of 3 frames"):
        _check_film(half, 3, half)
