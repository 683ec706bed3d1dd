"""What shapes may tell of a scene that begins wrongly: depth, size, speed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from supple.core.blueprint import Blueprint
from supple.core.entity import SceneGraph
from supple.errors import Problem
from supple_collide.mesh_shape import load_mesh

if TYPE_CHECKING:
    from supple.core.build import Build
    from supple.core.world import World

#: Depth at the start, as a part of the thickness of what moves, beyond which somebody placed it wrongly.
DEEP = 0.1
#: Extents [m] of a mesh file that are most likely in another unit, if the rest of the scene is of another size.
LARGE, SMALL, OTHER_SIZE = 50.0, 1e-3, 50.0
#: Thicknesses that something may move in one step before its contacts are a matter of luck.
FAR = 2.0
#: Warnings of one kind that are told one by one.
MOST = 5


@dataclass(frozen=True)
class Thing:
    """A shape: its thickness [m], how far it is solid behind its surface, and the carrier and frame that move it."""

    path: str
    kind: str
    thickness: float
    solid: float
    carrier: int
    frame: int


def warn_of_sizes(blueprint: Blueprint) -> Iterator[Problem]:
    """Meshes from files whose extent looks like that of another unit. Their scale is left at 1."""
    graph = blueprint.graph
    files = [
        (entity, kind)
        for entity in graph.having("mesh", "convex")
        for kind in ("mesh", "convex")
        if kind in entity.components and entity.components[kind].file and entity.components[kind].scale == 1.0
    ]
    if not files:
        return
    others = list(_list_extents(graph))
    usual = median(others) if others else math.nan
    for entity, kind in files:
        vertices = load_mesh(kind, entity.components[kind], entity.path, blueprint.files).vertices
        extent = float(np.ptp(vertices, axis=0).max())
        moves = any({"body", "bone"} & set(above.components) for above in graph.ancestors(entity.path))
        alone = not others
        path = f"{entity.path}.{kind}.scale"
        if extent > LARGE and (moves or alone or extent > OTHER_SIZE * usual):
            what = f"the mesh of {entity.path} is {extent:.4g} m long"
            yield Problem(None, path, what, "if its file is in millimetres, give scale = 0.001")
        elif extent < SMALL and (alone or extent * OTHER_SIZE < usual):
            what = f"the mesh of {entity.path} is only {extent:.2g} m long"
            yield Problem(
                None, path, what, "if its file is in kilometres or inches, give a scale that makes it metres"
            )


def _list_extents(graph: SceneGraph) -> Iterator[float]:
    """Longest extents [m] of all primitives."""
    for entity in graph.having("sphere", "box", "capsule", "cylinder", "cone", "ellipsoid"):
        shapes = entity.components
        if "sphere" in shapes:
            yield 2 * shapes["sphere"].radius
        if "box" in shapes:
            yield max(shapes["box"].size)
        if "capsule" in shapes:
            yield shapes["capsule"].length + 2 * shapes["capsule"].radius
        if "cylinder" in shapes:
            yield max(shapes["cylinder"].length, 2 * shapes["cylinder"].radius)
        if "cone" in shapes:
            yield max(shapes["cone"].height, 2 * shapes["cone"].radius)
        if "ellipsoid" in shapes:
            yield 2 * max(shapes["ellipsoid"].radii)


def warn_of_depths(world: World) -> Iterator[Problem]:
    """Things that start deep inside each other, the deepest of every pair."""
    from supple.mechanics.owners import list_element_paths

    known: dict[str, Thing] = {}
    for thing in list_things(world.build):
        if thing.path not in known or thing.thickness > known[thing.path].thickness:
            known[thing.path] = thing
    paths = [list_element_paths(surface) for surface in world.members("surfaces")]
    arrays = world.arrays
    count = int(arrays["contacts.count"][0])
    surface, element, gap = (arrays[f"contacts.{name}"][:count] for name in ("surface", "element", "gap"))
    deepest: dict[tuple[str, str], float] = {}
    for c in range(count):
        pair = (paths[surface[c, 0]][element[c, 0]], paths[surface[c, 1]][element[c, 1]])
        moving = {path: known[path].thickness for path in pair if path in known and known[path].carrier >= 0}
        if moving and -gap[c] > DEEP * min(moving.values()):
            # Whoever can be moved is to blame.
            named = pair if pair[0] in moving else (pair[1], pair[0])
            deepest[named] = max(deepest.get(named, 0.0), float(-gap[c]))
    yield from _tell_some(
        Problem(
            None, one, f"starts {depth:.3g} m deep inside {other}",
            "move one of them out, let them ignore each other (collides), or mend the scale of a mesh",
        )
        for (one, other), depth in sorted(deepest.items(), key=lambda item: -item[1])
    )  # fmt: skip


def warn_of_speeds(world: World) -> Iterator[Problem]:
    """Things that move several times their own thickness in the first step."""
    run, carriers = world.blueprint.run, world.members("carriers")
    fall = math.hypot(*run.gravity) * run.step**2
    found = {}
    for thing in list_things(world.build):
        if thing.carrier < 0:
            continue
        velocity = world.arrays[carriers[thing.carrier].twist][thing.frame, :3]
        way = float(np.linalg.norm(velocity)) * run.step + fall
        if way > FAR * thing.thickness:
            found[thing.path] = (way, thing.thickness)
    fastest = sorted(found.items(), key=lambda item: -item[1][0] / item[1][1])
    yield from _tell_some(
        Problem(
            None, path, f"moves {way:.3g} m in a step and is {thickness:.3g} m thick: it may miss what it hits",
            f"make run.step shorter than {run.step * thickness / way:.1e} s",
        )
        for path, (way, thickness) in fastest
    )  # fmt: skip


def list_things(build: Build) -> Iterator[Thing]:
    """All shapes but planes, those that nothing moves among them."""
    from supple_collide.compile import list_shapes
    from supple_collide.meshes.columns import BEHIND, HALF
    from supple_collide.meshes.compile import list_meshes

    arrays = build.arrays
    for row, (entity, kind) in enumerate(list_shapes(build)):
        size = arrays["collide.size"][row]
        if kind != "plane":
            sizes = {"box": size, "ellipsoid": size, "cylinder": size[:2], "cone": size[:2]}.get(
                kind, size[:1]
            )
            thickness = 2 * float(sizes.min())
            owner = (int(arrays["collide.carrier"][row]), int(arrays["collide.frame"][row]))
            yield Thing(entity.path, kind, thickness, thickness, *owner)
    for row, (entity, kind) in enumerate(list_meshes(build)):
        thickness = 2 * float(arrays["mesh.sizes"][row, HALF : HALF + 3].min())
        owner = (int(arrays["mesh.carrier"][row]), int(arrays["mesh.frame"][row]))
        yield Thing(
            entity.path, kind, thickness, thickness + float(arrays["mesh.sizes"][row, BEHIND]), *owner
        )


def _tell_some(problems: Iterable[Problem]) -> Iterator[Problem]:
    """The first few, and how many there are besides."""
    found = list(problems)
    for number, problem in enumerate(found[:MOST], start=1):
        more = len(found) - MOST if number == MOST else 0
        what = f"{problem.what} (and {more} others likewise)" if more > 0 else problem.what
        yield Problem(problem.where, problem.path, what, problem.remedy)
