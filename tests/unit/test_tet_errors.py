"""What authors can get wrong about tetrahedra and muscles: one line each, and exit status 2."""

import subprocess
import sys

import meshio
import numpy as np
import pytest

import supple
from supple.errors import UserError
from supple_tets.mesh import make_mesh

SCENE = """format = 1
[run]
step = 0.01
duration = 0.1
[[entity]]
name = "bar"
"""
BLOCK = "tet_block = { size = [0.2, 0.4, 0.2], cells = [1, 2, 1] }\n"
CUBE = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
SIDES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]


def write_obj(file, cubes, skip=0):
    """Cubes as an OBJ file; the last `skip` sides are left out."""
    lines = [f"v {x} {y} {z}" for cube in cubes for x, y, z in cube]
    faces = [[8 * n + k + 1 for k in side] for n in range(len(cubes)) for side in SIDES]
    lines += ["f " + " ".join(map(str, face)) for face in faces[: len(faces) - skip]]
    file.write_text("\n".join(lines))


CASES = [
    ("tets = {}\n", "the body has no mesh", "give it one of tet_block"),
    (BLOCK + "tet_ball = { radius = 0.1 }\ntets = {}\n", "the body has 2 meshes", "give it one"),
    (BLOCK + "tets = { poisson = 0.5 }\n", "poisson must be less than 0.5, is 0.5", "use 0.45"),
    (BLOCK + "tets = { stiffness = 0 }\n", "stiffness", "greater than 0"),
    (
        BLOCK + "tets = { fixed = [{ low = [1, 1, 1], high = [2, 2, 2] }] }\n",
        "no vertex lies in box 0",
        "larger",
    ),
    (
        BLOCK + "tets = { fixed = [{ low = [-1, -1, -1], high = [1, 1, 1] }] }\n",
        "all vertices stand still",
        "smaller",
    ),
    (
        "pose = { position = [1e12, 0, 0] }\n" + BLOCK + "tets = {}\n",
        "so far from the origin",
        "place it nearer",
    ),
    (
        "tet_block = { size = [0.2, 0.4, 0.2], cells = [0x7fffffffffffffff, 1, 1] }\ntets = {}\n",
        "and 100000 are the most",
        "larger",
    ),
    ('tet_letter = { letter = "Q" }\ntets = {}\n', "unknown value 'Q'", "F, H, I"),
    (
        BLOCK + "tets = {}\nmuscles = { fibres = { a = { points = [[0, 0, 0], [0, 0.3, 0]] } } }\n",
        "fibre 'a' leaves the mesh: the point [0, 0.3, 0] lies outside",
        "move it inwards",
    ),
    (
        BLOCK + "tets = {}\nmuscles = { fibres = { a = { points = [[0, 0, 0], [0, 0, 0]] } } }\n",
        "segment without length",
        "twice",
    ),
    (BLOCK + "tets = {}\nmuscles = { fibres = { a = {} } }\n", "either points or a helix", ""),
    (BLOCK + "tets = {}\nmuscles = {}\n", "there are no fibres", "letter_muscles"),
    (BLOCK, "nothing is made of this mesh", "add tets = {}"),
    (
        "muscles = { fibres = { a = { points = [[0, 0, 0], [0, 0.1, 0]] } } }\n",
        "no tetrahedra",
        "where tets is",
    ),
    (
        BLOCK + "tets = {}\nmuscles = { fibres = { a = { points = [[0, 0, 0], [0, 0.1, 0]] } } }\n"
        'muscle_drive = { drives = [{ fibres = ["b"], contraction = 0.1 }] }\n',
        "no fibre is called 'b'",
        "there are a",
    ),
    ('tet_file = { file = "open.obj" }\ntets = {}\n', "the surface is open", "close its holes"),
    (
        'tet_file = { file = "crossed.obj" }\ntets = {}\n',
        "the surface crosses itself",
        "take the parts apart",
    ),
    (
        'tet_file = { file = "crossed_on_sides.obj" }\ntets = {}\n',
        "the surface crosses itself",
        "take the parts apart",
    ),
    ('tet_file = { file = "cube.obj", scale = 1e6 }\ntets = {}\n', "another unit", "set scale"),
    (
        'tet_file = { file = "inverted.vtu" }\ntets = {}\n',
        "tetrahedron 1 is inverted (1 of 5 are)",
        "swap two",
    ),
    (
        "tet_block = { size = [1e15, 0.1, 0.1] }\ntets = {}\n",
        "1e+16 times as long as thick",
        "at most 10000 times",
    ),
    (
        "tet_rod = { radius = 1e-6, length = 1e5 }\ntets = {}\n",
        "times as long as thick",
        "at most 10000 times",
    ),
    ('tet_file = { file = "flat.vtu" }\ntets = {}\n', "tetrahedron 0 is flat", "delete it"),
    ('tet_file = { file = "triangles.vtu" }\ntets = {}\n', "no linear tetrahedra", "volume mesh"),
    ('tet_file = { file = "cut.msh" }\ntets = {}\n', "cannot be read", "save it again"),
    ('tet_file = { file = "cube.txt" }\ntets = {}\n', "neither a mesh of tetrahedra nor a surface", ".msh"),
    ('tet_file = { file = "none.obj" }\ntets = {}\n', "none.obj", ""),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    from supple_tets.lattice import fill_cells
    from supple_tets.mesh import make_mesh

    folder = tmp_path_factory.mktemp("meshes")
    write_obj(folder / "cube.obj", [CUBE])
    write_obj(folder / "open.obj", [CUBE], skip=1)
    write_obj(folder / "crossed.obj", [CUBE, 0.5 * CUBE + (0.8, 0.3, 0.2)])
    # Edges pass through the middles of faces, where two triangles meet.
    write_obj(folder / "crossed_on_sides.obj", [CUBE, CUBE + 0.5])
    (folder / "cube.txt").write_text("")
    (folder / "cut.msh").write_text("$MeshFormat\n4.1 0 8\n$EndMesh")
    points, tets = fill_cells([(0, 0, 0)])
    cell = make_mesh(points.astype(float), tets, "cell", trusted=True)
    tets = cell.tets.copy()
    meshio.write(folder / "cell.msh", meshio.Mesh(cell.vertices, [("tetra", tets)]), file_format="gmsh")
    meshio.write(folder / "cell.vtu", meshio.Mesh(cell.vertices, [("tetra", tets[:, [1, 0, 2, 3]])]))
    tets[1] = tets[1, [1, 0, 2, 3]]
    meshio.write(folder / "inverted.vtu", meshio.Mesh(cell.vertices, [("tetra", tets)]))
    flat = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0.0]])
    meshio.write(folder / "flat.vtu", meshio.Mesh(flat, [("tetra", np.array([[0, 1, 2, 3]]))]))
    meshio.write(folder / "triangles.vtu", meshio.Mesh(flat, [("triangle", np.array([[0, 1, 2]]))]))
    return folder


def load(folder, text):
    (folder / "scene.toml").write_text(SCENE + text)
    return supple.load(folder / "scene.toml")


@pytest.mark.parametrize(("text", "what", "remedy"), CASES, ids=[case[1][:40] for case in CASES])
def test_one_line(folder, text, what, remedy):
    with pytest.raises(UserError) as caught:
        load(folder, text)
    message = str(caught.value)
    assert what in message
    assert remedy in message
    assert "\n" not in message


def test_exit_status(folder):
    (folder / "scene.toml").write_text(SCENE + BLOCK + "tets = { poisson = 0.5 }\n")
    done = subprocess.run(
        [sys.executable, "-m", "supple", "run", folder / "scene.toml"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr + done.stdout


@pytest.mark.parametrize("name", ["cell.msh", "cell.vtu"])
def test_files_of_tetrahedra_are_read(folder, name):
    """Whichever way round all of them are."""
    world = load(folder, f'tet_file = {{ file = "{name}", scale = 0.1 }}\ntets = {{}}\n')
    assert world.arrays["tets.volume"].sum() == pytest.approx(1e-3)
    assert (world.arrays["tets.volume"] > 0).all()


def test_a_surface_is_filled(folder):
    world = load(folder, 'tet_file = { file = "cube.obj", scale = 0.1, tets = 400 }\ntets = {}\n')
    assert world.arrays["tets.volume"].sum() == pytest.approx(1e-3, rel=0.1)
    assert 200 < len(world.arrays["tets.volume"]) < 800


def test_what_hangs_together_by_an_edge_is_refused() -> None:
    """Its surface has no outside there, and collision would say so without the name of the file."""
    corners = [(0, 0, 0), (0, 0, 1), (1, 0, 0), (0.5, 1, 0.5), (-1, 0, 0), (-0.5, -1, 0.5)]
    tets = np.array([[0, 1, 2, 3], [0, 1, 4, 5]])
    vertices = np.array(corners, float)
    turned = np.linalg.det(vertices[tets[:, 1:]] - vertices[tets[:, :1]]) < 0
    tets[turned] = tets[turned][:, [0, 2, 1, 3]]
    with pytest.raises(
        UserError, match="an edge of its surface belongs to 4 triangles, at the tetrahedra 0, 1"
    ) as told:
        make_mesh(vertices, tets, "body.tet_file")
    assert told.value.problems[0].path == "body.tet_file"
