"""Fine surfaces in coarse bodies, and surfaces from .glb files."""

import json
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import supple
from supple.errors import UserError
from supple.testing import audit_step, check_mechanism, check_resume
from supple_collide.mesh_files import read_triangles
from supple_tets.glb_files import read_glb

RUN = 'format = 1\n[run]\nstep = 0.01\nduration = 1.0\n[[entity]]\nname = "floor"\nplane = {}\n'
BUN = """
[[entity]]
name = "bun"
pose = { position = [0, 0.14, 0] }
tet_file = { file = "bun.obj", tets = 150 }
tets = { stiffness = 1e5, density = 400 }
"""


def make_ball(radius, rounds=14, parts=20):
    """A ball of triangles: poles, and rounds between them."""
    tilt = np.linspace(0, np.pi, rounds + 1)[1:-1]
    turn = np.linspace(0, 2 * np.pi, parts, endpoint=False)
    ring = np.stack(
        [
            np.outer(np.sin(tilt), np.cos(turn)),
            np.outer(np.cos(tilt), np.ones(parts)),
            -np.outer(np.sin(tilt), np.sin(turn)),
        ],
        axis=-1,
    )
    vertices = np.concatenate([[[0, 1, 0]], ring.reshape(-1, 3), [[0, -1, 0]]]) * radius
    at = lambda r, k: 1 + r * parts + k % parts  # noqa: E731
    faces = []
    for k in range(parts):
        faces += [(0, at(0, k), at(0, k + 1)), (len(vertices) - 1, at(rounds - 2, k + 1), at(rounds - 2, k))]
        for r in range(rounds - 2):
            faces += [(at(r, k), at(r + 1, k), at(r + 1, k + 1)), (at(r, k), at(r + 1, k + 1), at(r, k + 1))]
    return vertices, np.array(faces)


def write_obj(file, vertices, faces):
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in vertices.tolist()]
    file.write_text("\n".join(lines + [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in faces.tolist()]))


def write_glb(file, vertices, faces, node=None, change=lambda document: None):
    points, corners = vertices.astype("<f4").tobytes(), faces.astype("<u4").tobytes()
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"children": [1], **(node or {})}, {"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": len(vertices), "type": "VEC3"},
            {"bufferView": 1, "componentType": 5125, "count": faces.size, "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": len(points)},
            {"buffer": 0, "byteOffset": len(points), "byteLength": len(corners)},
        ],
        "buffers": [{"byteLength": len(points) + len(corners)}],
    }
    change(document)
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    body = points + corners
    total = 12 + 8 + len(text) + 8 + len(body)
    file.write_bytes(
        struct.pack("<4sII", b"glTF", 2, total)
        + struct.pack("<II", len(text), 0x4E4F534A)
        + text
        + struct.pack("<II", len(body), 0x004E4942)
        + body
    )


@pytest.fixture
def load(tmp_path):
    write_obj(tmp_path / "bun.obj", *make_ball(0.12))

    def make(text):
        (tmp_path / "scene.toml").write_text(text)
        return supple.load(tmp_path / "scene.toml")

    make.path = tmp_path / "scene.toml"
    return make


def test_a_skin_touches_moves_and_is_drawn(load):
    """The bun lies on the vertices of its fine skin; the floor carries its weight; promises of mechanisms hold."""
    world = load(RUN + BUN + "tet_skin = {}\n")
    world.step(120)
    arrays = world.arrays
    x, skin = arrays["tets.x"], arrays["tets.skin_x"]
    assert len(skin) > 2 * len(x)
    hangs = np.einsum("ka,kai->ki", arrays["tets.skin_share"], x[arrays["tets.skin_corner"]])
    assert np.allclose(skin, hangs, rtol=0, atol=1e-14)
    # Both sit on the floor by the skin, which no longer is a ball.
    assert skin[:, 1].min() == pytest.approx(0.0, abs=1e-6)
    assert (np.abs(skin[:, 1]) < 1e-5).sum() >= 4
    assert world["floor"].contact_force[1] == pytest.approx(-arrays["tets.mass"].sum() * 9.81, rel=1e-3)
    assert world.metrics()["run.residual_worst"] < 1e-8
    check_mechanism(world, "tets")
    audit_step(world)
    check_resume(load.path, steps=25, more=5)
    assert [each.name for each in world.build.drawings if each.name.startswith("bun")] == ["bun.tet_skin"]


def test_a_skin_may_be_for_looks_only(load):
    world = load(RUN + BUN + "tet_skin = { collides = false }\n")
    plain = load(RUN + BUN)
    world.step(60)
    plain.step(60)
    assert np.array_equal(world.arrays["tets.x"], plain.arrays["tets.x"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tet_skin = { scale = 2, file = 'bun.obj' }\n", "outside of the tetrahedra"),
        ("tet_skin = { file = 'no.obj' }\n", "no.obj"),
    ],
)
def test_skins_that_do_not_fit_are_refused(load, text, message):
    with pytest.raises(UserError, match=message):
        load(RUN + BUN + text)


def test_a_skin_without_a_surface_is_refused(load):
    block = BUN.replace(
        'tet_file = { file = "bun.obj", tets = 150 }', "tet_block = { size = [0.2, 0.2, 0.2] }"
    )
    with pytest.raises(UserError, match="no surface was filled"):
        load(RUN + block + "tet_skin = {}\n")


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=20, deadline=None)
def test_a_glb_is_read_where_its_nodes_place_it(tmp_path_factory, seed):
    """Scaled, mirrored, turned and moved: as numpy does it; a mirrored surface keeps its outside."""
    rng, file = np.random.default_rng(seed), tmp_path_factory.mktemp("glb") / "ball.glb"
    vertices, faces = make_ball(0.5, 5, 6)
    q, scale, shift = rng.standard_normal(4), rng.uniform(-2, 2, 3), rng.uniform(-1, 1, 3)
    q /= np.linalg.norm(q)
    node = {"rotation": [*q[1:].tolist(), q[0]], "scale": scale.tolist(), "translation": shift.tolist()}
    write_glb(file, vertices, faces, node)
    found = read_glb(file, "test")
    w, x, y, z = q
    turn = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    assert np.allclose(found.vertices, (vertices * scale) @ turn.T + shift, atol=1e-6)
    a, b, c = (found.vertices[found.triangles[:, k]] for k in range(3))
    assert np.einsum("ij,ij->", np.cross(a - shift, b - shift), c - shift) > 0


def test_a_glb_fills_like_an_obj(tmp_path):
    vertices, faces = make_ball(0.12, 8, 10)
    vertices = vertices.astype("<f4").astype(float)
    write_obj(tmp_path / "ball.obj", vertices, faces[:, ::-1])  # inside out: turned round
    write_glb(tmp_path / "ball.glb", vertices, faces)
    assert len(read_triangles(tmp_path / "ball.obj", "x").triangles) == len(faces)
    worlds = []
    for suffix in ("obj", "glb"):
        text = RUN + BUN.replace("bun.obj", f"ball.{suffix}")
        (tmp_path / "scene.toml").write_text(text)
        worlds.append(supple.load(tmp_path / "scene.toml"))
    assert np.array_equal(worlds[0].arrays["tets.x"], worlds[1].arrays["tets.x"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d["accessors"][1].update(count=10**6), "cut off"),
        (lambda d: d["accessors"][0].update(sparse={}), "sparse"),
        (lambda d: d["accessors"][0].update(componentType=5122), "quantised"),
        (lambda d: d["meshes"][0]["primitives"][0].update(mode=1), "no triangles"),
        (lambda d: d["nodes"][1].update(children=[0]), "two places"),
        (lambda d: d.pop("accessors"), "no sound .glb"),
        (
            lambda d: d["meshes"][0]["primitives"][0].update(extensions={"KHR_draco_mesh_compression": {}}),
            "Draco",
        ),
        (lambda d: d["buffers"][0].update(uri="other.bin"), "another file"),
    ],
)
def test_bad_glbs_are_refused_in_one_line(tmp_path, change, message):
    write_glb(tmp_path / "bad.glb", *make_ball(0.1, 4, 5), change=change)
    with pytest.raises(UserError, match=message) as caught:
        read_glb(tmp_path / "bad.glb", "bun.tet_file")
    assert "\n" not in str(caught.value)


@given(st.binary(max_size=200), st.integers(0, 400))
@settings(max_examples=60, deadline=None)
def test_no_bytes_make_the_reader_fall_over(tmp_path_factory, noise, at):
    """A sound file with a piece overwritten is read or refused; nothing else happens."""
    file = tmp_path_factory.mktemp("glb") / "noise.glb"
    write_glb(file, *make_ball(0.1, 4, 5))
    content = bytearray(file.read_bytes())
    content[at : at + len(noise)] = noise
    file.write_bytes(bytes(content))
    try:
        read_glb(file, "bun")
    except UserError as error:
        assert "\n" not in str(error)
