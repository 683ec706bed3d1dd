"""Shapes and meshes as drawings."""

from __future__ import annotations

from typing import Any

from supple.core.build import Build
from supple.core.drawing import Carried, Drawing, Mesh, Placed, Solid
from supple_collide.shape_kinds import STANDS_STILL


def draw_shape(
    build: Build, path: str, kind: str, size: tuple[float, float, float], owner: dict[str, Any]
) -> None:
    """Show a primitive where its owner carries it."""
    layer = "ground" if kind == "plane" else _layer(build, owner, "bodies")
    build.draw(Drawing(f"{path}.{kind}", path, layer, Solid(kind, size), _place(build, owner)))


def draw_mesh(build: Build, path: str, kind: str, triangles: tuple[int, int], owner: dict[str, Any]) -> None:
    """Show the rows `triangles` of the pool where their owner carries them."""
    layer = _layer(build, owner, "ground")
    form = Mesh("mesh.rest", "mesh.triangles", *triangles, flat=True)
    build.draw(Drawing(f"{path}.{kind}", path, layer, form, _place(build, owner)))


def _layer(build: Build, owner: dict[str, Any], still: str) -> str:
    """The layer of what its owner carries; `still` if nothing does."""
    if owner["carrier"] == STANDS_STILL:
        return still
    return str(build.members("carriers")[owner["carrier"]].layer)


def _place(build: Build, owner: dict[str, Any]) -> Carried | Placed:
    x, y, z = (float(value) for value in owner["local_position"])
    qw, qx, qy, qz = (float(value) for value in owner["local_rotation"])
    offset, turn = (x, y, z), (qw, qx, qy, qz)
    if owner["carrier"] == STANDS_STILL:
        return Placed(offset, turn)
    carrier = build.members("carriers")[owner["carrier"]]
    return Carried(carrier.position, carrier.rotation, int(owner["frame"]), offset, turn)
