"""Bodies of tetrahedra: passive steps of four sizes, controlled frames, columns of A^-1, a soft beam beside its peers.

A controlled frame is a whole step in which the muscles of a letter on its feet sway its centre of mass, contacts chosen
by QPCC of at most 17 programs; and a step of the trotting X of the scenes.

The beam has 275 vertices and 960 tetrahedra and falls 5 cm onto a floor, in steps of 4 ms. MuJoCo gets the same mesh,
material, friction and step, its implicit integrator for flexible bodies, and elliptic cones.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import numpy as np
from measuring import Result, time_repeatedly, time_worlds

import supple
from supple.core.arrays import FloatArray, IntArray

SETTLING, STEPS, COLUMNS = 50, 100, 112
HEAD = "format = 1\n[run]\nstep = {step}\nduration = 4.0\ngravity = [0, {gravity}, 0]\n"
FLOOR = '[[entity]]\nname = "floor"\nplane = {{ friction = {friction} }}\n'
BODY = '[[entity]]\nname = "body"\npose = {{ position = [0, {height}, 0] }}\n{mesh}\ntets = {{ {tets} }}\n'
#: Mesh, and the height of its origin [m].
SIZES = {
    "I of 630": ("tet_block = { size = [0.3, 1.4, 0.3], cells = [3, 14, 3] }", 0.7),
    "I of 1040": ("tet_block = { size = [0.3, 0.975, 0.3], cells = [4, 13, 4] }", 0.4875),
    "X of 1080": ('tet_letter = { letter = "X", tets = 1080 }', 0.0),
    "H of 1905": ('tet_letter = { letter = "H", tets = 1905 }', 0.0),
}
#: Letter, tetrahedra, layout of muscles, and the patches of its feet.
FRAMES = {
    "I of 630 with 26 segments": ("I", 630, '{ layout = "crawl" }', "grid = [2, 1, 2]"),
    "I of 1040 with 104 segments": ("I", 1040, '{ layout = "jump" }', "grid = [2, 1, 2]"),
    "X of 1080 with 112 segments": ("X", 1080, "{}", "sectors = 4"),
    "H of 1905 with 52 segments": ("H", 1905, "{}", "grid = [2, 1, 2]"),
}
FRAME = """[[entity]]
name = "body"
tet_letter = {{ letter = "{letter}", tets = {tets} }}
tets = {{ stiffness = 1e6 }}
muscles = {{ stiffness = 2e6, spread = 0.08, rate = 5 }}
letter_muscles = {layout}
[entity.locomotion]
smoothness = 1
effort = 1
nodes = 17
patches = [{{ part = "feet", {patches} }}]
parts.feet = {{ low = [-2, -0.01, -2], high = [2, 0.02, 2] }}
goals.sway = {{ of = "centre", axes = "xyz", counts_from = "start", target = [0.02, 0, 0.01], gain = 5, weight = 400 }}
"""
TROT = Path(__file__).resolve().parents[2] / "scenes" / "soft_body_locomotion" / "trot_x.toml"
BEAM_SIZE, BEAM_CELLS, BEAM_STEP, BEAM_PATCH = (0.4, 0.16, 0.16), (10, 4, 4), 0.004, 0.08
#: Six tetrahedra of a cell about its diagonal.
SIX = ((0, 1, 3, 7), (0, 3, 2, 7), (0, 2, 6, 7), (0, 6, 4, 7), (0, 4, 5, 7), (0, 5, 1, 7))
CORNERS = ((0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0), (0, 0, 1), (1, 0, 1), (0, 1, 1), (1, 1, 1))
YOUNG, POISSON, DENSITY, DAMPING, FRICTION = 1e4, 0.4, 400.0, 0.01, 0.5


def load(text: str, folder: str):
    scene = Path(folder, "scene.toml")
    scene.write_text(text, encoding="utf-8")
    return supple.load(scene)


def time_sizes(repeat: int, folder: str) -> list[Result]:
    """Standing on the floor, and in free flight, where nothing touches."""
    worlds = {}
    for name, (mesh, height) in SIZES.items():
        for where, gravity in (("standing", -9.81), ("in flight", 0.0)):
            text = HEAD.format(step=0.01, gravity=gravity) + FLOOR.format(friction=0.8)
            lift = 0.0 if gravity else 1.0
            world = load(text + BODY.format(height=height + lift, mesh=mesh, tets="stiffness = 1e6"), folder)
            world.step(SETTLING)
            worlds[f"{name} {where}"] = world
    results = time_worlds(worlds, steps=STEPS, repeat=repeat)
    for name in SIZES:
        world = worlds[f"{name} standing"]
        mechanism = next(each for each in world.members("mechanisms") if each.name == "tets")
        columns = np.random.default_rng(0).standard_normal((COLUMNS, 3 * mechanism.count))
        out = np.zeros_like(columns)
        label = f"{name}: {COLUMNS} columns of A^-1"
        results.append(
            time_repeatedly(
                label, lambda m=mechanism, c=columns, o=out: m.response(c, o), repeat=repeat, per=1
            )
        )
    return results


def time_frames(repeat: int, folder: str) -> list[Result]:
    """Controlled frames [us]: goals of limits are 5, 20, 30 and 12 ms."""
    worlds = {}
    for name, (letter, tets, layout, patches) in FRAMES.items():
        text = HEAD.format(step=0.01, gravity=-9.81) + FLOOR.format(friction=0.8)
        text += FRAME.format(letter=letter, tets=tets, layout=layout, patches=patches)
        worlds[f"frame, {name}"] = load(text, folder)
    worlds["frame, X of 1080 with 112 segments, trotting"] = supple.load(TROT)
    for world in worlds.values():
        world.step(SETTLING)
    return [each for each in time_worlds(worlds, steps=STEPS, repeat=repeat) if each.name.endswith(": step")]


def make_beam() -> tuple[FloatArray, IntArray]:
    counts = np.array(BEAM_CELLS) + 1
    index = np.arange(counts.prod()).reshape(counts)
    places = np.stack(np.meshgrid(*map(np.arange, counts), indexing="ij"), axis=-1).reshape(-1, 3)
    tets = [
        [index[tuple(np.add(cell, CORNERS[k]))] for k in tet]
        for cell in np.ndindex(*BEAM_CELLS)
        for tet in SIX
    ]
    return (places / np.array(BEAM_CELLS) - 0.5) * BEAM_SIZE, np.array(tets)


def make_beam_run(folder: str, patch: float):
    """The beam in supple as a function that runs so many steps; `patch` [m] is the size of patches, 0 for vertices."""
    material = f"patch_size = {patch}, stiffness = {YOUNG}, poisson = {POISSON}, density = {DENSITY}, "
    material += f"damping = {DAMPING}, friction = {FRICTION}"
    text = HEAD.format(step=BEAM_STEP, gravity=-9.81) + FLOOR.format(friction=FRICTION)
    mesh = 'tet_file = { file = "beam.vtu" }'
    world = load(text + BODY.format(height=BEAM_SIZE[1] / 2 + 0.05, mesh=mesh, tets=material), folder)
    start = world.snapshot()

    def run(steps: int) -> None:
        world.restore(start)
        world.step(steps)

    return run


def time_beam(repeat: int, folder: str) -> list[Result]:
    """Steps a second over one second of the fall and of lying on the floor [1/s]; the best of the repetitions."""
    import meshio

    vertices, tets = make_beam()
    meshio.write(Path(folder, "beam.vtu"), meshio.Mesh(vertices, [("tetra", tets)]))
    steps = round(1.0 / BEAM_STEP)
    runs = {
        "beam of 960, supple, vertices": make_beam_run(folder, 0.0),
        "beam of 960, supple, patches of 8 cm": make_beam_run(folder, BEAM_PATCH),
    }
    for name, make in (("MuJoCo", make_peer), ("PyBullet", make_bullet)):
        peer = make(vertices, tets, folder)
        if peer is not None:
            runs[f"beam of 960, {name}"] = peer
    spent: dict[str, list[float]] = {name: [] for name in runs}
    for act in runs.values():
        act(steps)
    for _ in range(repeat):
        for name, act in runs.items():
            began = time.thread_time()
            act(steps)
            spent[name].append((time.thread_time() - began) / steps)
    return [
        Result(name, 1.0 / min(each), 1.0 / float(np.median(each)), "steps/s") for name, each in spent.items()
    ]


def make_peer(vertices: FloatArray, tets: IntArray, folder: str):
    """The same beam in MuJoCo, as a function that runs so many steps; None where it is not installed."""
    try:
        import mujoco
    except ImportError:
        return None
    import meshio

    # z is up there.
    turned = np.stack([vertices[:, 0], -vertices[:, 2], vertices[:, 1]], axis=1)
    meshio.write(
        Path(folder, "beam.msh"), meshio.Mesh(turned, [("tetra", tets)]), file_format="gmsh22", binary=False
    )
    mass = DENSITY * float(np.prod(BEAM_SIZE))
    text = f"""<mujoco><compiler meshdir="{folder}"/>
    <option timestep="{BEAM_STEP}" integrator="discrete" cone="elliptic"/><size memory="200M"/>
    <worldbody><geom type="plane" size="5 5 .1" friction="{FRICTION} .005 .0001"/>
    <flexcomp name="b" type="gmsh" file="beam.msh" dim="3" mass="{mass}" radius=".002"
     pos="0 0 {BEAM_SIZE[1] / 2 + 0.052}">
    <contact condim="3" selfcollide="none" friction="{FRICTION} .005 .0001" solref=".01 1"/>
    <elasticity young="{YOUNG}" poisson="{POISSON}" damping="{DAMPING}"/><edge equality="false"/>
    </flexcomp></worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(text)

    def run(steps: int) -> None:
        data = mujoco.MjData(model)
        for _ in range(steps):
            mujoco.mj_step(model, data)

    return run


def make_bullet(vertices: FloatArray, tets: IntArray, folder: str):
    """The same beam in PyBullet, neo-Hookean; None where it is not installed. Lengths of steps are not its strength."""
    try:
        import pybullet
    except ImportError:
        return None
    import meshio

    turned = np.stack([vertices[:, 0], -vertices[:, 2], vertices[:, 1]], axis=1)
    sides = np.sort(tets[:, [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]].reshape(-1, 3), axis=1)
    faces, counts = np.unique(sides, axis=0, return_counts=True)
    names = [str(Path(folder, name)) for name in ("beam.obj", "beam.vtk")]
    meshio.write(names[0], meshio.Mesh(turned, [("triangle", faces[counts == 1])]))
    # Its reader of VTK knows one point or one tetrahedron a line only, which meshio does not write.
    points = [f"{x!r} {y!r} {z!r}" for x, y, z in turned.tolist()]
    cells = ["4 " + " ".join(str(corner) for corner in tet) for tet in tets.tolist()]
    head = [
        "# vtk DataFile Version 2.0",
        "beam",
        "ASCII",
        "DATASET UNSTRUCTURED_GRID",
        f"POINTS {len(points)} double",
    ]
    lines = [
        *head,
        *points,
        f"CELLS {len(cells)} {5 * len(cells)}",
        *cells,
        f"CELL_TYPES {len(cells)}",
        *["10"] * len(cells),
    ]
    Path(names[1]).write_text("\n".join(lines) + "\n")
    shear = YOUNG / (2.0 + 2.0 * POISSON)
    lame = 2.0 * shear * POISSON / (1.0 - 2.0 * POISSON)
    pybullet.connect(pybullet.DIRECT)

    def run(steps: int) -> None:
        pybullet.resetSimulation(pybullet.RESET_USE_DEFORMABLE_WORLD)
        pybullet.setGravity(0, 0, -9.81)
        pybullet.setTimeStep(BEAM_STEP)
        ground = pybullet.createCollisionShape(pybullet.GEOM_BOX, halfExtents=[4, 4, 0.5])
        pybullet.createMultiBody(0, ground, basePosition=[0, 0, -0.5])
        pybullet.loadSoftBody(
            names[0], simFileName=names[1], basePosition=[0, 0, BEAM_SIZE[1] / 2 + 0.05], useNeoHookean=1,
            mass=DENSITY * float(np.prod(BEAM_SIZE)), NeoHookeanMu=shear, NeoHookeanLambda=lame,
            NeoHookeanDamping=DAMPING, collisionMargin=0.002, frictionCoeff=FRICTION, repulsionStiffness=800,
        )  # fmt: skip
        for _ in range(steps):
            pybullet.stepSimulation()

    return run


def measure(repeat: int) -> list[Result]:
    """Sizes, frames, then the beam."""
    with tempfile.TemporaryDirectory() as folder:
        return time_sizes(repeat, folder) + time_frames(repeat, folder) + time_beam(repeat, folder)
