"""From libraries to poses with markers, as the search for the nearest wants them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.pose import multiply, rotate
from supple.core.rotation_rows import invert_rows
from supple.errors import suggest
from supple_bones.layout import FREE, JOINT, Q_FIRST, ROOT, V_COUNT, V_FIRST
from supple_motion.bones import Bones
from supple_motion.components import Motion
from supple_motion.poses import sample_motion
from supple_tasks.lift_poses import list_lift_keys
from supple_tasks.nearest_kernels import centre_markers, place_markers
from supple_tasks.reach_poses import Placer, reach_places
from supple_tasks.records import Shelf

if TYPE_CHECKING:
    from supple.core.build import Build
    from supple.core.entity import Entity
    from supple_tasks.postures import Library, Reaches


def declare_libraries(build: Build, entity: Entity, libraries: Mapping[str, Library], first: int) -> int:
    """Declare poses and markers of all libraries of an entity, numbered from `first`; returns the number after them."""
    for number, (name, library) in enumerate(libraries.items(), start=first):
        bones, path = Bones.of(build, "skeleton"), f"{entity.path}.tasks.postures.{name}"
        placer = Placer(bones.bone, bones.frame, build.arrays.specs["skeleton.axis"].shape[0])
        poses = _list_poses(build, entity, bones, placer, path, library)
        if library.anchor:
            row = _find_bone(build, f"{path}.anchor", bones.below(entity.path), library.anchor)
            for pose in poses:
                _hold(placer, bones, row, pose)
        marker, offset, weight = _list_markers(build, entity, path, library.markers, bones)
        place = place_poses(placer, poses, marker, offset)
        for key, values, unit, doc in (
            ("pose", poses, "rad, m, 1", f"Poses of {path}."),
            (
                "offset",
                np.column_stack([offset, weight]),
                "m, 1",
                "Places of markers in their bones, and weights.",
            ),
            ("place", place, "m", "Places of the markers in every pose."),
        ):
            build.add_model(f"tasks.{key}_{number}", values, unit=unit, doc=doc)
        doc = "Bones of the markers."
        build.add_model(f"tasks.marker_{number}", marker, unit="1", doc=doc, dtype=np.int64)
    return first + len(libraries)


def name_library(number: int) -> tuple[str, ...]:
    """The arrays of a library: poses, bones and offsets of markers, and their places."""
    return tuple(f"tasks.{key}_{number}" for key in ("pose", "marker", "offset", "place"))


def place_poses(placer: Placer, poses: FloatArray, marker: IntArray, offset: FloatArray) -> FloatArray:
    """Where the markers are in every pose [poses, markers, 3]."""
    places = np.zeros((len(poses), len(marker), 3))
    for place, pose in zip(places, poses, strict=True):
        place_markers(marker, offset, *placer.place(pose), place)
    return places


def fill_shelf(poses: FloatArray, marker: IntArray, offset: FloatArray, places: FloatArray) -> Shelf:
    """All that the search needs: markers without their mean place on the ground, and room."""
    frames, count = len(poses), len(marker)
    weight, centred = np.ascontiguousarray(offset[:, 3]), places.copy()
    square = np.array([centre_markers(weight, each) for each in centred])
    x, y, z = (np.ascontiguousarray((weight * centred[:, :, k]).T) for k in range(3))
    return Shelf(
        marker=marker, offset=np.ascontiguousarray(offset[:, :3]), weight=weight, x=x, y=y, z=z, square=square,
        pose=poses, place=np.zeros((count, 3)), along=np.zeros(frames), across=np.zeros(frames),
        distance=np.zeros(frames), target=poses[0].copy(),
    )  # fmt: skip


def _list_poses(
    build: Build, entity: Entity, bones: Bones, placer: Placer, path: str, library: Library
) -> FloatArray:
    if library.reaches is not None:
        return _reach(build, entity, bones, placer, f"{path}.reaches", library.reaches)
    motion, within = library.motion, f"{path}.motion"
    if library.lifts is not None:
        motion, within = Motion(keys=list_lift_keys(library.lifts.style)), f"{path}.lifts"
        rows = bones.below(entity.path)
        missing = [bone for bone in motion.keys[0].pose if bone not in rows]
        if missing:
            what = f"there is no bone '{missing[0]}'"
            raise build.refuse(within, what, "lifts are those of a figure; give motion with keys instead")
    assert motion is not None
    return sample_motion(build, entity, bones, motion, within, library.rate)


def _reach(
    build: Build, entity: Entity, bones: Bones, placer: Placer, path: str, reaches: Reaches
) -> FloatArray:
    """The grid in an order in which neighbours follow each other."""
    rows = bones.below(entity.path)
    ease = np.zeros(len(build.arrays["skeleton.dof"]))
    for name, readily in reaches.moves.items():
        table = bones.bone[_find_bone(build, f"{path}.moves", rows, name)]
        ease[table[V_FIRST] : table[V_FIRST] + table[V_COUNT]] = readily
    row = _find_bone(build, f"{path}.of", rows, reaches.of)
    along = [np.linspace(*ends) for ends in zip(reaches.lowest, reaches.highest, reaches.count, strict=True)]
    places = [
        (x, y, z)
        for i, y in enumerate(along[1])
        for j, x in enumerate(along[0][:: 1 - 2 * (i % 2)])
        for z in along[2][:: 1 - 2 * ((i * len(along[0]) + j) % 2)]
    ]
    return reach_places(placer, bones.start, ease, row, np.array(reaches.point), np.array(places))


def _find_bone(build: Build, path: str, rows: Mapping[str, int], name: str) -> int:
    if name not in rows:
        raise build.refuse(path, f"no bone '{name}'", suggest(name, rows, "the bones are"))
    return rows[name]


def _hold(placer: Placer, bones: Bones, row: int, pose: FloatArray) -> None:
    """Move the root so that the anchor is where it is at the start."""
    root = int(bones.bone[row, ROOT])
    if bones.bone[root, JOINT] != FREE:
        return
    q = int(bones.bone[root, Q_FIRST])
    x, rotation = placer.place(bones.start)
    there, turned = placer.place(pose)
    # Both frames of the anchor are known: what brings the one to the other brings the root along.
    turn = multiply(rotation[row], invert_rows(turned[row]))
    pose[q : q + 3] = x[row] + rotate(turn, pose[q : q + 3] - there[row])
    pose[q + 3 : q + 7] = multiply(turn, pose[q + 3 : q + 7])


def _list_markers(
    build: Build, entity: Entity, path: str, markers: Mapping[str, float], bones: Bones
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Two markers on every bone, at its origin and at its centre of mass, so that its turn is seen too."""
    rows = bones.below(entity.path)
    chosen = {_find_bone(build, f"{path}.markers", rows, name): weight for name, weight in markers.items()}
    chosen = chosen or dict.fromkeys(rows.values(), 1.0)
    inertia = build.arrays["skeleton.inertia"]
    marker: list[int] = []
    offset: list[FloatArray] = []
    for row in chosen:
        marker += [row, row]
        offset += [np.zeros(3), inertia[row, 1:4] / max(inertia[row, 0], 1e-300)]
    weight = np.repeat(np.array(list(chosen.values())), 2)
    return np.array(marker, np.int64), np.array(offset), weight
