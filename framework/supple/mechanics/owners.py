"""Whose an element of a surface is: the entity that it belongs to, and the frame that moves it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from supple.core.arrays import IntArray
from supple.core.build import Build
from supple.core.drawing import Mesh
from supple.errors import PluginError, Problem
from supple.mechanics.deforming import DeformingSurface

NOBODY = -1


class Owners(NamedTuple):
    """The table of all elements of all surfaces, those of surface s at first[s] + element.

    entity and body are rows of `list_owners`: the entity of a shape, a flesh or a skin, and the entity of the frame
    that moves it. carrier and frame are the number of the carrier and the row of the frame. -1 where there is none.
    """

    first: IntArray
    entity: IntArray
    body: IntArray
    carrier: IntArray
    frame: IntArray


@runtime_checkable
class FramedSurface(Protocol):
    """A surface of one entity whose elements hang on several frames, such as flesh on the bones of a skeleton.

    `carrier` names the carrier, `frame_of_element` are the rows of its frames.
    """

    carrier: str
    frame_of_element: IntArray


def compile_owners(build: Build) -> None:
    """Declare the table, and tell drawings which surfaces they show; who needs the table is compiled after `owners`."""
    _number_drawings(build)
    carriers = [carrier.name for carrier in build.members("carriers")]
    bodies: dict[tuple[str, int], str] = {}
    for path, frame in build.frames.items():
        bodies.setdefault((frame.carrier, frame.index), path)
    surfaces = [
        (list_element_paths(each), _find_frames(build, each, carriers)) for each in build.members("surfaces")
    ]
    moved = [
        [bodies.get((carriers[c], f), "") if c >= 0 else "" for c, f in frames.tolist()]
        for _, frames in surfaces
    ]
    named = {path for paths, _ in surfaces for path in paths} | {path for paths in moved for path in paths}
    owners = sorted(named - {""})
    row = {path: number for number, path in enumerate(owners)} | {"": NOBODY}
    first = np.cumsum([0, *(len(paths) for paths, _ in surfaces)])
    table = np.concatenate([np.zeros((0, 2), np.int64), *(frames for _, frames in surfaces)])
    for name, values, doc in (
        ("first", first, "Where the elements of every surface begin."),
        ("entity", [row[path] for paths, _ in surfaces for path in paths], "Entity of an element."),
        (
            "body",
            [row[path] for paths in moved for path in paths],
            "Entity of the frame that moves it, or -1.",
        ),
        ("carrier", table[:, 0], "Number of the carrier of this frame, or -1."),
        ("frame", table[:, 1], "Row of this frame, or -1."),
    ):
        build.add_model(f"owners.{name}", values, unit="1", doc=doc, dtype=np.int64)
    build.add_model("owners.row", np.arange(len(owners)), unit="1", dtype=np.int64, labels=owners,
                    doc="Entities that own elements, or frames that move some.")  # fmt: skip


def list_owners(build: Build) -> tuple[str, ...]:
    """Paths of the entities that the table speaks of, sorted."""
    return build.arrays.specs["owners.row"].labels


def list_element_paths(surface: Any) -> Sequence[str]:
    """The entity of every element of a surface, as `contacts.element` counts them."""
    if isinstance(surface, DeformingSurface):
        return [surface.path] * len(surface.triangles)
    paths: Sequence[str] | None = getattr(surface, "element_paths", None)
    if paths is None:
        what = "does not say to which entities its elements belong"
        raise PluginError(Problem(None, str(surface.name), what, "give the surface a list element_paths"))
    return paths


def _find_frames(build: Build, surface: Any, carriers: list[str]) -> IntArray:
    """Carrier and frame of every element [n, 2]."""
    paths = list_element_paths(surface)
    if isinstance(surface, FramedSurface):
        number = np.full(len(paths), carriers.index(surface.carrier))
        return np.stack([number, np.asarray(surface.frame_of_element)], axis=1).astype(np.int64)
    place_of = {path: build.pose_in_frame(path) for path in dict.fromkeys(paths)}
    frame_of = {
        path: (carriers.index(place[0].carrier), place[0].index) if place else (NOBODY, NOBODY)
        for path, place in place_of.items()
    }
    return np.array([frame_of[path] for path in paths], np.int64).reshape(-1, 2)


def _number_drawings(build: Build) -> None:
    """Meshes that bend and touch know their surface, so that whoever has a recording knows what presses on them."""
    shown = {
        (each.path, each.positions): number
        for number, each in enumerate(build.members("surfaces"))
        if isinstance(each, DeformingSurface)
    }
    for place, drawing in enumerate(build.drawings):
        form = drawing.form
        if isinstance(form, Mesh) and (drawing.path, form.vertices) in shown:
            numbered = replace(form, surface=shown[drawing.path, form.vertices])
            build.drawings[place] = replace(drawing, form=numbered)
