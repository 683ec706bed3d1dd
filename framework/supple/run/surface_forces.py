"""What presses on a surface that bends: the contacts of a recording, spread over the vertices of its triangles."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.run.forms import FrameReader

#: Contacts of a frame: which surfaces touch, at which triangles, with which weights of the corners, how strongly.
NAMES = ("contacts.surface", "contacts.element", "contacts.weights", "contacts.force")


class SurfaceForces(NamedTuple):
    """Contact forces [nv, 3] on the vertices [N], and pressure [nv] there [Pa]."""

    force: FloatArray
    pressure: FloatArray


def find_surface_forces(
    reader: FrameReader, surface: int, triangles: IntArray, vertices: FloatArray, frame: int
) -> SurfaceForces | None:
    """Forces of the step that led to a frame; None if the recording does not tell.

    A contact acts at a point of a triangle; its corners share the force by the weights of the point, so that force and
    torque of all corners are those of the contact. Raises IndexError for triangles that there are not.
    """
    if surface < 0 or not all(reader.moves(name) for name in NAMES):
        return None
    surfaces, elements, weights, forces = (reader.read(name, frame) for name in NAMES)
    found = np.zeros_like(vertices)
    for side, sign in ((0, 1.0), (1, -1.0)):
        mine = np.flatnonzero(surfaces[:, side] == surface)
        corners = triangles[elements[mine, side].astype(np.int64)]
        shares = weights[mine, side, :, None] * (sign * forces[mine, None, :])
        np.add.at(found, corners, shares)
    return SurfaceForces(found, find_pressure(vertices, triangles, found))


def find_pressure(vertices: FloatArray, triangles: IntArray, forces: FloatArray) -> FloatArray:
    """The part of the force on every vertex that presses inwards, over a third of the area around it."""
    corners = vertices[triangles]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals, areas = np.zeros_like(vertices), np.zeros(len(vertices))
    for corner in range(3):
        np.add.at(normals, triangles[:, corner], across)
        np.add.at(areas, triangles[:, corner], np.linalg.norm(across, axis=1) / 6.0)
    length = np.maximum(np.linalg.norm(normals, axis=1), 1e-300)
    pressing = np.maximum(-np.einsum("ij,ij->i", forces, normals) / length, 0.0)
    pressure: FloatArray = pressing / np.maximum(areas, 1e-12)
    return pressure
