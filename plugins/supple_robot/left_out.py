"""What of a robot's file has no like in supple: one line each, so that nobody takes it for granted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.errors import Problem
from supple_robot.loops import why_no_loop
from supple_robot.shapes import make_shape, touches

if TYPE_CHECKING:
    from supple.core.blueprint import Blueprint


def warn_of_left_out(blueprint: Blueprint) -> Iterator[Problem]:
    """For `supple check` and `supple run`: what a robot does otherwise than its file says."""
    from supple_robot.robot import make_robot

    for entity in blueprint.graph.having("robot"):
        robot = make_robot(entity.components["robot"], entity.path, blueprint.files)
        for line in robot.left_out:
            yield Problem(None, f"{entity.path}.robot", line, "")


def list_left_out(model: Any) -> list[str]:
    """What is not taken over, besides actuators and terms of joints."""
    said = [line for index in range(model.neq) if (line := why_no_loop(model, index))]
    said += _list_shapes(model)
    for count, noun, why in (
        (model.ntendon, "tendon", "nothing pulls over several joints"),
        (getattr(model, "nflex", 0), "flex", "soft bodies are tets or flesh here"),
        (model.nsensor, "sensor", "metrics and recordings measure everything"),
        (model.npair, "pair of geoms with a contact of its own", "a pair takes the smaller friction"),
    ):
        if count:
            said.append(f"{count} {noun}{'s' if count > 1 else ''}: {why}")
    held = [model.body(body).name for body in range(1, model.nbody) if model.body_gravcomp[body]]
    if held:
        said.append(
            f"body {held[0]} and {len(held) - 1} more are held against gravity in the file, and not here"
        )
    if not np.allclose(model.opt.gravity, [0.0, 0.0, -9.81]):
        said.append(f"gravity {list(model.opt.gravity)} of the file: it is that of the scene, run.gravity")
    if model.opt.density or model.opt.viscosity:
        said.append("the medium of the file: there is none")
    return said


def _list_shapes(model: Any) -> Iterator[str]:
    import mujoco

    kinds = mujoco.mjtGeom
    unseen = sum(1 for geom in range(model.ngeom) if not touches(model, geom))
    if unseen:
        yield f"{unseen} geom{'s' if unseen > 1 else ''} touching nothing: only for the eye"
    counted = {
        kind: sum(
            1 for geom in range(model.ngeom) if touches(model, geom) and int(model.geom_type[geom]) == kind
        )
        for kind in (kinds.mjGEOM_HFIELD, kinds.mjGEOM_SDF)
    }
    flat = [
        model.geom(geom).name or str(geom)
        for geom in range(model.ngeom)
        if int(model.geom_type[geom]) == kinds.mjGEOM_MESH
        and touches(model, geom)
        and make_shape(model, geom) is None
    ]
    if flat:
        yield f"{len(flat)} flat meshes, {flat[0]} among them: they enclose nothing that could touch"
    for kind, word in ((kinds.mjGEOM_HFIELD, "height fields"), (kinds.mjGEOM_SDF, "signed distance fields")):
        if counted[kind]:
            yield f"{counted[kind]} {word}: use heightfield or mesh"
