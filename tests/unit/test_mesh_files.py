"""Meshes from files: what is read, and what is refused in one line."""

import struct

import numpy as np
import pytest

import supple
from supple.errors import UserError
from supple.run.cli import run_command
from supple_collide.mesh_files import read_triangles
from supple_collide.mesh_shape import box_mesh, make_mesh

CUBE = box_mesh((0.5, 0.5, 0.5))
SCENE = """
format = 1
[run]
step = 0.01
duration = 1.0
[[entity]]
name = "stone"
mesh = {{ file = "{file}", scale = {scale} }}
{body}
"""


def write_obj(vertices, faces):
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in np.asarray(vertices).tolist()]
    return "\n".join([*lines, *(f"f {' '.join(str(i + 1) for i in face)}" for face in faces)]) + "\n"


def write_text_stl(mesh):
    corners = mesh.vertices[mesh.triangles].tolist()
    loops = ["".join(f"vertex {x!r} {y!r} {z!r}\n" for x, y, z in triangle) for triangle in corners]
    facets = [f"facet normal 0 0 0\nouter loop\n{loop}endloop\nendfacet\n" for loop in loops]
    return f"solid thing\n{''.join(facets)}endsolid\n"


def write_binary_stl(mesh):
    corners = mesh.vertices[mesh.triangles]
    facets = [struct.pack("<12fH", 0, 0, 0, *triangle.reshape(-1), 0) for triangle in corners]
    return b"solid".ljust(80) + struct.pack("<I", len(facets)) + b"".join(facets)


@pytest.fixture
def load(load_text, tmp_path):
    """Loads a scene with one mesh file."""

    def load_mesh_scene(content, file="stone.obj", scale=1.0, body="body = {}"):
        if isinstance(content, bytes):
            (tmp_path / file).write_bytes(content)
        elif content is not None:
            (tmp_path / file).write_text(content, encoding="utf-8")
        return load_text(SCENE.format(file=file, scale=scale, body=body))

    return load_mesh_scene


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.obj", write_obj(CUBE.vertices, CUBE.triangles)),
        ("b.obj", "# quads, texture indices, negative numbers\n" + write_obj(CUBE.vertices, []) +
         "f 1//1 2//1 4//1 3//1\nf -4/2 -2/3 -1/2 -3/1\nf 1 5 6 2\nf 3 4 8 7\nf 1 3 7 5\nf 2 6 8 4 # last\n"),
        ("c.stl", write_text_stl(CUBE)),
        ("d.STL", write_binary_stl(CUBE)),
    ],
)  # fmt: skip
def test_every_format_gives_the_same_cube(tmp_path, name, content):
    file = tmp_path / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    mesh = make_mesh(read_triangles(file, "stone.mesh"), 2.0, "stone.mesh")
    assert mesh.closed
    assert len(mesh.vertices) == 8
    assert len(mesh.triangles) == 12
    assert len(set(mesh.facet.tolist())) == 6
    assert {tuple(v) for v in mesh.vertices.tolist()} == {tuple(2 * v) for v in CUBE.vertices}


SQUARE = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
CUBE_TEXT = write_obj(CUBE.vertices, CUBE.triangles)


@pytest.mark.parametrize(
    ("content", "place", "says"),
    [
        (CUBE_TEXT.replace("v 0.5", "v nan", 1), "stone.obj:5", "a coordinate is nan"),
        (CUBE_TEXT.replace("v 0.5", "v 1e999", 1), "stone.obj:5", "a coordinate is inf"),
        (CUBE_TEXT.replace("v 0.5", "v half", 1), "stone.obj:5", "half"),
        ("v 0 0\n", "stone.obj:1", "has 2 coordinates"),
        (write_obj(SQUARE, [(0, 1, 2), (0, 2, 9)]), "stone.obj:6", "corner 10, but there are 4 vertices"),
        (write_obj(SQUARE, []) + "f 1 0 2\n", "stone.obj:5", "corner 0"),
        (write_obj(SQUARE, []) + "f 1 two 3\n", "stone.obj:5", "'two' is no corner"),
        (write_obj(SQUARE, []) + "f 1 2\n", "stone.obj:5", "2 corners"),
        (write_obj(SQUARE, []), "stone.obj:1", "has no faces"),
        (write_obj([*SQUARE, (2, 0, 0)], [(0, 1, 2), (0, 1, 4)]), "stone.obj:7", "degenerate"),
        (write_obj(SQUARE, [(0, 1, 2), (0, 1, 1)]), "stone.obj:6", "degenerate"),
        (write_obj([*SQUARE, (0, 0, 1)], [(0, 1, 2), (1, 0, 3), (0, 1, 4)]), "stone.obj:8", "three triangles"),
        (write_obj(SQUARE, [(0, 1, 2), (1, 2, 3)]), "stone.obj:6", "face opposite ways"),
        (write_obj(CUBE.vertices, CUBE.triangles[:, ::-1]), "scene.toml:8", "inside out"),
        (write_obj(CUBE.vertices, CUBE.triangles[:-1]), "scene.toml:8", "open, so it has no volume"),
        (write_obj(CUBE.vertices * 3000, CUBE.triangles), "scene.toml:8", "set scale"),
        (write_obj(CUBE.vertices * 5e-5, CUBE.triangles), "scene.toml:8", "set scale"),
        (b"v 0 0 0\n\xff\xfe\n", "stone.obj:2", "is no text"),
        (None, "scene.toml:8", "there is no file 'stone.obj'"),
    ],
)  # fmt: skip
def test_bad_file_is_refused_in_one_line(load, content, place, says):
    with pytest.raises(UserError) as caught:
        load(content)
    assert len(caught.value.problems) == 1
    text = str(caught.value)
    assert "\n" not in text
    assert place in text.split(": ")[0]
    assert says in text
    assert "stone.mesh" in text
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (write_text_stl(CUBE).replace("vertex 0.5", "vertex inf", 1), "stone.stl:"),
        (write_text_stl(CUBE).replace("vertex", "vortex", 1), "a facet has 2 corners"),
        (write_binary_stl(CUBE)[:84] + struct.pack("<12fH", 0, 0, 0, *[np.nan] * 9, 0)
         + write_binary_stl(CUBE)[134:], "triangle 0: a coordinate is nan"),
        ("solid empty\nendsolid\n", "has no faces"),
    ],
)  # fmt: skip
def test_bad_stl_is_refused_in_one_line(load, content, says):
    with pytest.raises(UserError) as caught:
        load(content, file="stone.stl")
    assert "\n" not in str(caught.value)
    assert says in str(caught.value)


@pytest.mark.parametrize("name", ["../stone.obj", "/etc/stone.obj", "C:/stone.obj", "sub/../../stone.obj"])
def test_files_outside_the_folder_are_refused(load, tmp_path, name):
    (tmp_path.parent / "stone.obj").write_text(CUBE_TEXT)
    with pytest.raises(UserError, match="outside the scene's folder"):
        load(None, file=name)


def test_unknown_suffix_and_near_name(load, tmp_path):
    (tmp_path / "stone.fbx").write_text("ply")
    with pytest.raises(UserError, match=r"neither an OBJ nor an STL"):
        load(None, file="stone.fbx")
    (tmp_path / "stone.obj").write_text(CUBE_TEXT)
    with pytest.raises(UserError, match=r"Did you mean 'stone.obj'"):
        load(None, file="stome.obj")


def test_open_mesh_may_stand_still_and_scale_is_applied(load):
    world = load(write_obj(np.array(SQUARE) * 1000, [(0, 1, 2), (0, 2, 3)]), scale=0.001, body="")
    np.testing.assert_allclose(world.array("mesh.rest"), SQUARE)


@pytest.mark.parametrize(
    ("component", "says"),
    [
        ("mesh = {}", "either a file or vertices"),
        ('mesh = { file = "a.obj", vertices = [[0, 0, 0]] }', "either a file or vertices"),
        ("mesh = { vertices = [[0, 0, 0]] }", "belong together"),
        ("mesh = { vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0]], triangles = [[0, 1, 3]] }", "corner 3"),
        ("mesh = { vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0]], triangles = [[0, 1, -1]] }", "corner -1"),
        ("convex = { points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]] }", "enclose no volume"),
        ("convex = { points = [[0, 0, 0]] }", "enclose no volume"),
        ("convex = {}", "either a file or points"),
    ],
)
def test_bad_inline_mesh_is_refused_in_one_line(load_text, component, says):
    text = SCENE.replace('mesh = {{ file = "{file}", scale = {scale} }}\n{body}', component)
    with pytest.raises(UserError) as caught:
        load_text(text)
    assert "\n" not in str(caught.value)
    assert says in str(caught.value)
    assert "scene.toml:8: stone." in str(caught.value)


def test_check_reads_the_files_and_says_where_they_are_named(tmp_path, capsys):
    scene = tmp_path / "scene.toml"
    scene.write_text(SCENE.format(file="stone.obj", scale=1.0, body=""), encoding="utf-8")
    assert run_command(["check", str(scene)]) == 2
    assert "scene.toml:8: stone.mesh.file: there is no file 'stone.obj'" in capsys.readouterr().err
    write = (tmp_path / "stone.obj").write_text
    write("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 7\n", encoding="utf-8")
    assert run_command(["check", str(scene)]) == 2
    assert (
        "stone.obj:4: stone.mesh: the face has corner 7, but there are 3 vertices" in capsys.readouterr().err
    )
    write(write_obj(CUBE.vertices, CUBE.triangles[:, ::-1]), encoding="utf-8")
    assert run_command(["check", str(scene)]) == 2
    assert "scene.toml:8: stone.mesh: " in (said := capsys.readouterr().err)
    assert "inside out" in said
    write(write_obj(CUBE.vertices, CUBE.triangles), encoding="utf-8")
    assert run_command(["check", str(scene)]) == 0


def test_what_is_in_a_file_is_part_of_the_fingerprint(tmp_path):
    scene, stone = tmp_path / "scene.toml", tmp_path / "stone.obj"
    scene.write_text(SCENE.format(file="stone.obj", scale=1.0, body=""), encoding="utf-8")
    stone.write_text(write_obj(CUBE.vertices, CUBE.triangles), encoding="utf-8")
    before = supple.load(scene).blueprint.fingerprint()
    assert supple.load(scene).blueprint.fingerprint() == before
    stone.write_text(write_obj(1.5 * CUBE.vertices, CUBE.triangles), encoding="utf-8")
    assert supple.load(scene).blueprint.fingerprint() != before
