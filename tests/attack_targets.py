"""What is attacked besides scenes: whole files of every kind that supple reads, and the commands that read them."""

from __future__ import annotations

import base64
import json
import shutil
import struct
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
SCENES, ROBOTS = ROOT / "scenes", ROOT / "tests" / "robots"
OUTSIDE = "outside"
"""A folder beside that of an attack; nothing in it may be opened."""
TASK = "task"
"""Stands for making an environment to learn in, which no command does."""
HEAD = "format = 1\n[run]\nstep = 0.01\nduration = 0.03\n"
FIGURE = (
    HEAD
    + 'gravity = [0, 0, 0]\n[[entity]]\nname = "man"\nfigure = { covering = "skin", vertices = 200 }\n[set]\n'
    + '"man/bones.motion" = { file = "damaged.npz", usual_names = true, root = "from_start" }\n'
)


@dataclass(frozen=True)
class Target:
    """A file that is damaged, under which name supple finds it then, and the command lines that read it.

    Words of a command that begin with @ are files of the folder. With `lines` every refusal names a line; readers of
    others and files that are no text have none to name.
    """

    whole: str
    damaged: str
    commands: tuple[str, ...]
    lines: bool = False


def _run(scene: str, more: str = "") -> str:
    return f"run @{scene} --quiet {more}"


READ = (
    "info @damaged.h5",
    *(f"export @damaged.h5 --to {to} -o @out.{to} --overwrite" for to in ("pc2", "vtk", "csv")),
    "export @damaged.h5 --to gltf -o @out.glb",
    "export @damaged.h5 --to usd -o @out.usda",
    "view @damaged.h5 --html @out.html",
    "plot @damaged.h5 -o @out.svg",
    "plot @damaged.h5 *.height energy -o @out.svg",
    "picture @damaged.h5 --size 64x48 -o @out.png",
)
"""What is done with recordings."""
TARGETS: dict[str, tuple[Target, ...]] = {
    "checkpoint": (
        Target("whole.npz", "damaged.npz", (_run("drop.toml", "--until 0.1 --resume @damaged.npz"),)),
        Target("flesh.npz", "damaged.npz", (_run("box_drop.toml", "--until 0.02 --resume @damaged.npz"),)),
        Target("tets.npz", "damaged.npz", (_run("muscle_types.toml", "--until 0.02 --resume @damaged.npz"),)),
        Target("gait.npz", "damaged.npz", (_run("walk_2d.toml", "--until 0.02 --resume @damaged.npz"),)),
    ),
    "recording": (
        *(Target(name, "damaged.h5", READ) for name in ("whole.h5", "flesh.h5")),
        Target("commands.h5", "damaged.h5", (_run("cart_pole.toml", "--until 0.1 --replay @damaged.h5"),)),
    ),
    "mesh": tuple(
        Target(f"whole.{suffix}", f"damaged.{suffix}", (_run(f"mesh_{suffix}.toml"),), suffix == "obj")
        for suffix in ("obj", "stl", "ply", "off", "glb", "gltf")
    ),
    "motion": (
        Target("whole.bvh", "damaged.bvh", (_run("motion.toml", "--until 0.02"),), lines=True),
        *(Target(f"whole.{one}", f"damaged.{one}", (_run(f"clip_{one}.toml"),)) for one in ("glb", "gltf")),
    ),
    "amass": (Target("whole.npz", "damaged.npz", (_run("amass.toml"),)),),
    "rig": (Target("whole.glb", "damaged.glb", (_run("rig.toml", "--until 0.02"),)),),
    "robot": (
        *(
            Target(
                name,
                f"damaged{Path(name).suffix}",
                (
                    _run(f"{Path(name).stem}.toml"),
                    f"import @damaged{Path(name).suffix} -o @made.toml --overwrite",
                ),
            )
            for name in ("arm.urdf", "quadruped.xml", "gripper.xml", "humanoid.xml", "hand.xml", "nested.xml")
        ),
        Target("whole.obj", "meshes/head.obj", (_run("head.toml"),)),
    ),
    "tets": tuple(
        Target(f"whole.{suffix}", f"damaged.{suffix}", (_run(f"tets_{suffix}.toml"),))
        for suffix in ("msh", "vtu", "vtk", "mesh", "glb", "obj")
    ),
    "gait": (Target("whole.toml", "damaged.toml", (_run("walk.toml", "--until 0.02"),), lines=True),),
    "task": tuple(
        Target(name, "damaged.toml", (f"{TASK} @damaged.toml",), lines=True)
        for name in ("whole.toml", "changes.toml")
    ),
    "problem": tuple(
        Target(f"{name}.npz", "damaged.npz", ("solve @damaged.npz", f"solve @damaged.npz {more}"))
        for name, more in (
            *((name, "--solver gauss_seidel") for name in ("dense", "sparse", "whole")),
            ("lcp", "--tolerance 1e-6"),
            ("qpcc", "--prove"),
        )
    ),
    "results": (
        Target(
            "whole.json",
            "damaged.json",
            ("report @damaged.json -o @page --overwrite", "claims @drop.toml --jobs 1 -o @damaged.json"),
        ),
        Target("run.json", "damaged.json", ("plot @run.h5 ball.height --timings @damaged.json -o @out.svg",)),
    ),
}


def prepare(kind: str, folder: Path) -> None:
    """Write the whole files that this kind of attack damages, and what must not be read beside the folder."""
    if kind in PREPARE:
        PREPARE[kind](folder)
    outside = folder.parent / OUTSIDE
    outside.mkdir(exist_ok=True)
    for suffix in (
        "obj",
        "stl",
        "bin",
        "png",
        "xml",
        "urdf",
        "toml",
        "bvh",
        "npz",
        "h5",
        "glb",
        "mtl",
        "raw",
    ):
        secret = outside / f"secret.{suffix}"
        same = next(folder.glob(f"whole.{suffix}"), None)
        secret.write_bytes(same.read_bytes() if same else bytes(4096))
        link = folder / f"link.{suffix}"
        if not link.is_symlink():
            link.symlink_to(secret)


def _prepare_runs(folder: Path) -> None:
    for name, until, files in (
        ("first/drop", "0.05", "whole"),
        ("soft_contacts/box_drop", "0.01", "flesh"),
        ("soft_body_locomotion/muscle_types", "0.01", "tets"),
        ("walking/walk_2d", "0.01", "gait"),
    ):
        scene = shutil.copy(SCENES / f"{name}.toml", folder)
        written = ["--record", folder / f"{files}.h5", "--checkpoint", folder / f"{files}.npz"]
        _supple("run", scene, "--quiet", "--until", until, *written)


def _prepare_recordings(folder: Path) -> None:
    import supple

    _prepare_runs(folder)
    world = supple.load(shutil.copy(SCENES / "control" / "cart_pole.toml", folder))
    with supple.record(world, folder / "commands.h5"):
        for _ in range(10):
            world["cart/base/pole"].apply_force([0, 0, 0.3], duration=0.01)
            world.step(2)


def _prepare_meshes(folder: Path) -> None:
    triangles = make_cube()
    corners = "\n".join(f"v {x} {y} {z}" for triangle in triangles for x, y, z in triangle)
    faces = "\n".join(f"f {3 * k + 1} {3 * k + 2} {3 * k + 3}" for k in range(len(triangles)))
    (folder / "whole.obj").write_text(f"mtllib link.mtl\n{corners}\n{faces}\n")
    rows = b"".join(struct.pack("<12fH", 0, 0, 0, *sum(each, ()), 0) for each in triangles)
    (folder / "whole.stl").write_bytes(bytes(80) + struct.pack("<I", len(triangles)) + rows)
    import trimesh

    cube = trimesh.Trimesh([corner for each in triangles for corner in each], np.arange(36).reshape(12, 3))
    for suffix in ("ply", "off", "glb"):
        cube.export(folder / f"whole.{suffix}")
    for name, content in trimesh.exchange.gltf.export_gltf(cube.scene()).items():
        (folder / ("whole.gltf" if name.endswith(".gltf") else name)).write_bytes(content)
    for suffix in ("obj", "stl", "ply", "off", "glb", "gltf"):
        mesh = f'[[entity]]\nname = "a"\nbody = {{}}\nmesh = {{ file = "damaged.{suffix}" }}\n'
        (folder / f"mesh_{suffix}.toml").write_text(HEAD + mesh)


def make_cube() -> list[tuple[tuple[float, ...], ...]]:
    """Twelve triangles around a cube of 1 m, counter-clockwise from outside."""
    found = []
    for axis in range(3):
        for side in (0.0, 1.0):
            square = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
            points = []
            for u, v in square if side else square[::-1]:
                # With the axes in cyclic order, the square is counter-clockwise seen from its positive side.
                place = {axis: side, (axis + 1) % 3: u, (axis + 2) % 3: v}
                points.append(tuple(place[k] for k in range(3)))
            found += [(points[0], points[1], points[2]), (points[0], points[2], points[3])]
    return found


def _prepare_motion(folder: Path) -> None:
    shutil.copy(SCENES / "tracking" / "sway.bvh", folder / "whole.bvh")
    text = (SCENES / "tracking" / "sway.toml").read_text(encoding="utf-8")
    (folder / "motion.toml").write_text(text.replace("sway.bvh", "damaged.bvh"), encoding="utf-8")
    content = shutil.copy(SCENES / "rigs" / "walker.glb", folder / "whole.glb").read_bytes()
    size = struct.unpack_from("<I", content, 12)[0]
    document = json.loads(content[20 : 20 + size])
    numbers = base64.b64encode(content[28 + size :]).decode()
    document["buffers"][0]["uri"] = f"data:application/octet-stream;base64,{numbers}"
    (folder / "whole.gltf").write_text(json.dumps(document), encoding="utf-8")
    for suffix in ("glb", "gltf"):
        (folder / f"clip_{suffix}.toml").write_text(FIGURE.replace("damaged.npz", f"damaged.{suffix}"))


def _prepare_amass(folder: Path) -> None:
    source = np.random.default_rng(1)
    poses, trans = source.normal(scale=0.4, size=(4, 156)), source.normal(size=(4, 3))
    np.savez_compressed(folder / "whole.npz", poses=poses, trans=trans, mocap_framerate=np.array(10.0))
    (folder / "amass.toml").write_text(FIGURE)


def _prepare_rig(folder: Path) -> None:
    shutil.copy(SCENES / "rigs" / "walker.glb", folder / "whole.glb")
    text = (SCENES / "rigs" / "walker.toml").read_text(encoding="utf-8")
    (folder / "rig.toml").write_text(text.replace("walker.glb", "damaged.glb"), encoding="utf-8")


def _prepare_robots(folder: Path) -> None:
    shutil.copytree(ROBOTS, folder, dirs_exist_ok=True)
    shutil.copy(ROBOTS / "meshes" / "head.obj", folder / "whole.obj")
    (folder / "sub").mkdir(exist_ok=True)
    (folder / "sub" / "child.xml").write_text(
        '<mujoco><asset><mesh name="m" file="../meshes/head.obj"/></asset>'
        '<worldbody><body name="b"><freejoint/><geom type="mesh" mesh="m" density="100"/></body></worldbody></mujoco>'
    )
    (folder / "nested.xml").write_text(
        '<mujoco><asset><model name="c" file="sub/child.xml"/></asset>\n'
        '<worldbody><frame><attach model="c" prefix="c_" body="b"/></frame>\n'
        '<body name="n" pos="0 0 1"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>\n'
    )
    for name in [*(target.whole for target in TARGETS["robot"][:-1]), "head.xml"]:
        stem, _, suffix = name.partition(".")
        read = "humanoid.xml" if stem == "head" else f"damaged.{suffix}"
        robot = f'[[entity]]\nname = "it"\nrobot = {{ file = "{read}" }}\n'
        (folder / f"{stem}.toml").write_text(HEAD.replace("0.01", "0.002").replace("0.03", "0.006") + robot)


def _prepare_tets(folder: Path) -> None:
    import meshio

    from supple_tets.lattice import fill_cells

    points, tets = fill_cells(np.ndindex(2, 2, 2))
    for suffix in ("msh", "vtu", "vtk", "mesh"):
        kind = {"msh": "gmsh", "mesh": "medit"}.get(suffix, suffix)
        meshio.write(
            folder / f"whole.{suffix}", meshio.Mesh(0.1 * points, [("tetra", tets)]), file_format=kind
        )
    _prepare_meshes(folder)
    shutil.copy(SCENES / "soft_body_locomotion" / "slug.obj", folder / "whole.obj")
    for suffix in ("msh", "vtu", "vtk", "mesh", "glb", "obj"):
        more = ", tets = 300" if suffix in ("glb", "obj") else ""
        body = f'[[entity]]\nname = "a"\ntet_file = {{ file = "damaged.{suffix}"{more} }}\ntets = {{}}\n'
        (folder / f"tets_{suffix}.toml").write_text(HEAD + body)


def _prepare_gait(folder: Path) -> None:
    shutil.copy(ROOT / "plugins" / "supple_simbicon" / "gaits" / "walk_2d.toml", folder / "whole.toml")
    text = (SCENES / "walking" / "walk_2d.toml").read_text(encoding="utf-8")
    (folder / "walk.toml").write_text(text.replace('"walk_2d"', '"damaged.toml"'), encoding="utf-8")


def _prepare_task(folder: Path) -> None:
    shutil.copy(SCENES / "control" / "balance_task.toml", folder / "whole.toml")
    shutil.copy(SCENES / "control" / "cart_pole.toml", folder)
    (folder / "changes.toml").write_text(
        'scene = "cart_pole.toml"\nobserve = ["cart/base.rate"]\n'
        'actions = [{ set = "cart/base.force", low = -1, high = 1 }]\n[overrides]\n"run.step" = 0.004\n'
        '"cart/base.bone.mass" = 2.0\n"cart/base/box.box.size" = [0.3, 0.1, 0.2]\n'
        '"cart/base/pole.bone.start" = [3]\n"cart/base/pole/rod.capsule.length" = 0.9\n'
    )


def _prepare_problems(folder: Path) -> None:
    source = np.random.default_rng(2)
    half = source.normal(size=(12, 15))
    W, q, mu = half @ half.T, source.normal(size=12), np.full(4, 0.5)
    np.savez(folder / "dense.npz", W=W, q=q, mu=mu)
    np.savez(
        folder / "sparse.npz", q=q, mu=mu, shape=np.array([12, 12]), W_data=W.ravel(),
        W_indices=np.tile(np.arange(12), 12), W_indptr=np.arange(0, 145, 12),
    )  # fmt: skip
    np.savez(folder / "lcp.npz", M=W[:4, :4], q=q[:4])
    shutil.copy(SCENES / "first" / "drop.toml", folder)
    _supple("run", folder / "drop.toml", "--quiet", "--until", "0.8", "--save-problems", folder / "saved")
    shutil.copy(sorted((folder / "saved").glob("*.npz"))[-1], folder / "whole.npz")
    # Two complementary pairs of two variables.
    n = 4
    np.savez(
        folder / "qpcc.npz", P=np.eye(n), c=-np.ones(n), G=-np.eye(n), h=np.zeros(n), C=np.eye(n)[:2], d=np.zeros(2),
        E=np.eye(n)[2:], f=np.zeros(2),
    )  # fmt: skip


def _prepare_results(folder: Path) -> None:
    shutil.copy(SCENES / "first" / "drop.toml", folder)
    _supple("claims", folder / "drop.toml", "--jobs", "1", "-o", folder / "whole.json")
    said = _supple("run", folder / "drop.toml", "--until", "0.1", "--record", folder / "run.h5", "--json")
    (folder / "run.json").write_bytes(said)


def _supple(*words: object) -> bytes:
    command = [sys.executable, "-m", "supple", *map(str, words)]
    return subprocess.run(command, check=False, capture_output=True).stdout


PREPARE: dict[str, Callable[[Path], None]] = {
    "checkpoint": _prepare_runs,
    "recording": _prepare_recordings,
    "mesh": _prepare_meshes,
    "motion": _prepare_motion,
    "amass": _prepare_amass,
    "rig": _prepare_rig,
    "robot": _prepare_robots,
    "tets": _prepare_tets,
    "gait": _prepare_gait,
    "task": _prepare_task,
    "problem": _prepare_problems,
    "results": _prepare_results,
}
