"""A chain of four bones in flesh falls on the ground: 168, 512, 1952 vertices; DART does the same where installed.

The bones are joined by universal joints with damping; each lies in an ellipsoid of flesh with the same spring at every
vertex. In supple either only the vertices around contacts move or all of them, as they always do in DART.
"""

from __future__ import annotations

import importlib.util
import json
import math
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from measuring import Result, time_worlds

import supple

LINKS, STEP, STEPS = 4, 0.002, 500
SPACING, SIZE, HEIGHT = 0.3, (0.28, 0.2, 0.2), 0.3  # [m], the ellipsoid's whole axes
MASS, INERTIA = 1.0, 0.005  # of a bone and of its flesh [kg], of a bone [kg m^2]
JOINT_DAMPING = 0.1  # [N m s/rad]
JOINT = {"axis": [0, 1, 0], "second_axis": [0, 0, 1], "damping": JOINT_DAMPING}
SPRING, DAMPER, EDGE = 500.0, 5.0, 10.0  # of a vertex [N/m], [N s/m], of an edge [N/m]
FRICTION = 1.0
MESHES = ((8, 6), (14, 10), (27, 19))  # slices and stacks


def make_ellipsoid(slices: int, stacks: int) -> tuple[list, list]:
    """Points and outward triangles of an ellipsoid about the origin, its poles on z."""
    a, b, c = (0.5 * axis for axis in SIZE)
    points = [(0.0, 0.0, -c)]
    for stack in range(1, stacks):
        up = math.pi * stack / stacks
        for slice_ in range(slices):
            turn = 2.0 * math.pi * slice_ / slices
            ring = math.sin(up)
            points.append((a * ring * math.cos(turn), b * ring * math.sin(turn), -c * math.cos(up)))
    points.append((0.0, 0.0, c))
    triangles, top = [], len(points) - 1
    for n in range(slices):
        after, last = (n + 1) % slices, 1 + (stacks - 2) * slices
        triangles += [(0, 1 + after, 1 + n), (top, last + n, last + after)]
        for stack in range(stacks - 2):
            low, high = 1 + stack * slices, 1 + (stack + 1) * slices
            triangles += [(low + n, low + after, high + after), (low + n, high + after, high + n)]
    return points, triangles


def write_supple(slices: int, stacks: int, state: str) -> str:
    """The scene in TOML: the first bone is free, the others have their joint half a spacing behind their centre."""
    points, triangles = make_ellipsoid(slices, stacks)
    lines = [
        f"format = 1\n[run]\nstep = {STEP}\nduration = 2\ngravity = [0, 0, -9.81]\n[run.capacity]\ncontacts = 1000",
        f'[[entity]]\nname = "floor"\npose = {{ axis = [1, 0, 0], angle = 90 }}\nplane = {{ friction = {FRICTION} }}',
        f'[[entity]]\nname = "worm"\npose = {{ position = [0, 0, {HEIGHT}] }}\nskeleton = {{}}',
    ]
    path = "worm"
    for link in range(LINKS):
        path = f"{path}/b{link}"
        behind = 0.5 * SPACING if link else 0.0
        bone = {"joint": "free"} if link == 0 else {"joint": "universal", **JOINT}
        bone.update(mass=MASS, centre=[behind, 0, 0], inertia=[INERTIA] * 3)
        flesh = {
            "vertices": [(x + behind, y, z) for x, y, z in points], "triangles": triangles, "bones": ["."],
            "mass": MASS, "vertex_stiffness": SPRING, "edge_stiffness": EDGE, "damping": DAMPER,
            "friction": FRICTION, "state": state,
        }  # fmt: skip
        place = 0.0 if link == 0 else SPACING if link > 1 else 0.5 * SPACING
        lines.append(f'[[entity]]\nname = "{path}"\n[entity.pose]\nposition = [{place}, 0, 0]')
        for kind, table in (("bone", bone), ("flesh", flesh)):
            lines.append(f"[entity.{kind}]")
            lines += [f"{key} = {json.dumps(value)}" for key, value in table.items()]
    return "\n".join(lines) + "\n"


def load(text: str):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "chain.toml"
        file.write_text(text, encoding="utf-8")
        return supple.load(file)


def measure_supple(slices: int, stacks: int, repeat: int) -> list[Result]:
    count = LINKS * (2 + slices * (stacks - 1))
    worlds = {
        f"supple {state}, {count} vertices": load(write_supple(slices, stacks, state))
        for state in ("adaptive", "soft")
    }
    results = []
    for name, world in worlds.items():
        start, contacts, worst = world.snapshot(), 0, 0.0
        for _ in range(STEPS):
            world.step()
            contacts += int(world.array("rows.contacts")[0])
            worst = max(worst, float(world.array("rows.residual")[0]))
        world.restore(start)
        results.append(Result(f"{name}: contacts", contacts / STEPS, contacts / STEPS, "1"))
        results.append(Result(f"{name}: worst residual", worst, worst, "m/s"))
    return results + time_worlds(worlds, steps=STEPS, repeat=repeat)


def write_dart(slices: int, stacks: int) -> str:
    """The same in DART's own format; its damper is that of a point against its bone as well."""
    inertia = "".join(
        f"<i{a}{b}>{INERTIA if a == b else 0}</i{a}{b}>" for a, b in ("xx", "yy", "zz", "xy", "xz", "yz")
    )
    bodies, joints = "", '<joint type="free" name="j0"><parent>world</parent><child>b0</child></joint>'
    for link in range(LINKS):
        bodies += (
            f'<body name="b{link}"><transformation>{SPACING * link} 0 {HEIGHT} 0 0 0</transformation>'
            f"<inertia><mass>{MASS}</mass><moment_of_inertia>{inertia}</moment_of_inertia></inertia>"
            f"<soft_shape><total_mass>{MASS}</total_mass><geometry><ellipsoid>"
            f"<size>{SIZE[0]} {SIZE[1]} {SIZE[2]}</size>"
            f"<num_slices>{slices}</num_slices><num_stacks>{stacks}</num_stacks></ellipsoid></geometry>"
            f"<kv>{SPRING}</kv><ke>{EDGE}</ke><damp>{DAMPER}</damp></soft_shape></body>"
        )
    for link in range(1, LINKS):
        axes = "".join(
            f"<{tag}><xyz>{xyz}</xyz><dynamics><damping>{JOINT_DAMPING}</damping></dynamics></{tag}>"
            for tag, xyz in (("axis", "0 1 0"), ("axis2", "0 0 1"))
        )
        joints += (
            f'<joint type="universal" name="j{link}"><parent>b{link - 1}</parent><child>b{link}</child>'
            f"<transformation>{-0.5 * SPACING} 0 0 0 0 0</transformation>{axes}</joint>"
        )
    box = "<geometry><box><size>20 20 1</size></box></geometry>"
    ground = (
        '<skeleton name="ground"><mobile>false</mobile><body name="g"><transformation>0 0 -0.5 0 0 0</transformation>'
        f"<visualization_shape>{box}</visualization_shape><collision_shape>{box}</collision_shape></body>"
        '<joint type="weld" name="gj"><parent>world</parent><child>g</child></joint></skeleton>'
    )
    physics = f"<time_step>{STEP}</time_step><gravity>0 0 -9.81</gravity><collision_detector>dart</collision_detector>"
    chain = f'<skeleton name="worm">{bodies}{joints}</skeleton>'
    return f'<skel version="1.0"><world name="w"><physics>{physics}</physics>{ground}{chain}</world></skel>'


def measure_dart(slices: int, stacks: int, repeat: int) -> list[Result]:
    import dartpy

    count, spent, contacts = LINKS * (2 + slices * (stacks - 1)), [], 0
    for _ in range(repeat):
        world, contacts = dartpy.utils.SkelParser.readWorldXML(write_dart(slices, stacks)), 0
        options = world.getDeactivationOptions()
        options.mEnabled = False
        world.setDeactivationOptions(options)
        started = time.thread_time_ns()
        for _ in range(STEPS):
            world.step()
        spent.append((time.thread_time_ns() - started) * 1e-3 / STEPS)
        contacts = world.getLastCollisionResult().getNumContacts()
    name = f"dart, {count} vertices"
    return [
        Result(f"{name}: contacts at the end", contacts, contacts, "1"),
        Result(f"{name}: step", min(spent), statistics.median(spent), "us"),
    ]


def measure(repeat: int) -> list[Result]:
    peers: list[Callable[[int, int, int], list[Result]]] = [measure_supple]
    if importlib.util.find_spec("dartpy") is not None:
        peers.append(measure_dart)
    return [result for mesh in MESHES for measure_peer in peers for result in measure_peer(*mesh, repeat)]
