"""From MuJoCo's geoms to shapes."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple.core.arrays import FloatArray
from supple_collide.components import Box, Capsule, Cylinder, Ellipsoid, Plane, Sphere
from supple_collide.mesh_components import Convex
from supple_robot.frames import UNTURNED, Y_TO_Z, Place, vector

#: Contacts of more dimensions than these know spinning and rolling friction.
_SPINS, _ROLLS = 4, 6


def touches(model: Any, geom: int) -> bool:
    """Whether a geom collides with anything at all."""
    return bool(model.geom_contype[geom] or model.geom_conaffinity[geom])


def make_shape(model: Any, geom: int) -> tuple[str, Any, FloatArray] | None:
    """Kind and component of a geom, and how the shape is turned in the geom's frame; None for what has no like."""
    import mujoco

    kinds = mujoco.mjtGeom
    kind, size = int(model.geom_type[geom]), model.geom_size[geom]
    surface = _surface(model, geom)
    if kind == kinds.mjGEOM_PLANE:
        return "plane", Plane(**surface), Y_TO_Z
    if kind == kinds.mjGEOM_SPHERE:
        return "sphere", Sphere(radius=float(size[0]), **surface), UNTURNED
    if kind == kinds.mjGEOM_BOX:
        return "box", Box(size=vector(2.0 * size), **surface), UNTURNED
    if kind == kinds.mjGEOM_CAPSULE:
        return "capsule", Capsule(radius=float(size[0]), length=2.0 * float(size[1]), **surface), Y_TO_Z
    if kind == kinds.mjGEOM_CYLINDER:
        return "cylinder", Cylinder(radius=float(size[0]), length=2.0 * float(size[1]), **surface), Y_TO_Z
    if kind == kinds.mjGEOM_ELLIPSOID:
        return "ellipsoid", Ellipsoid(radii=vector(size), **surface), UNTURNED
    points = _hull(model, model.geom_dataid[geom]) if kind == kinds.mjGEOM_MESH else None
    if points is None:
        return None
    return "convex", Convex(points=tuple(vector(point) for point in points), **surface), UNTURNED


def place_of(model: Any, geom: int) -> Place:
    """Of a geom in the frame of its body."""
    return Place(model.geom_pos[geom].copy(), model.geom_quat[geom].copy())


def _surface(model: Any, geom: int) -> dict[str, Any]:
    sliding, spinning, rolling = (float(value) for value in model.geom_friction[geom])
    dimensions = model.geom_condim[geom]
    said = {"friction": sliding if dimensions > 1 else 0.0}
    if dimensions >= _SPINS:
        said["spinning"] = spinning
    if dimensions >= _ROLLS:
        said["rolling"] = rolling
    return said


def _hull(model: Any, mesh: int) -> FloatArray | None:
    """The corners of a mesh's convex hull, which is what MuJoCo collides with; none if it is flat."""
    from scipy.spatial import ConvexHull, QhullError

    first, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
    points = model.mesh_vert[first : first + count].astype(float)
    try:
        hull: FloatArray = points[np.sort(ConvexHull(points).vertices)]
    except (QhullError, ValueError):
        return None
    return hull
