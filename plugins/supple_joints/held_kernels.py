"""Kernels of the sides of links that are points of surfaces which bend: README, Points of surfaces."""

from __future__ import annotations

from supple.core.jit import njit
from supple.math.quaternion_kernels import rotate_vector_back_at
from supple.mechanics.point_kernels import find_nearest_point, place_point
from supple.mechanics.points import SurfacePoints
from supple_joints.codes import BALL, MOVE, UPPER
from supple_joints.tables import ActiveRows, Frames, Grasps, Held, Links, Measured, Mesh, RowColumns


@njit
def follow_held_points(active, before: Held, held_out: Held):
    """What was held stays held; links that are open hold nothing."""
    for link in range(active.shape[0]):
        for side in range(2):
            held_out.element[link, side] = before.element[link, side] if active[link] == 1 else -1
            for k in range(3):
                held_out.weights[link, side, k] = before.weights[link, side, k]


@njit
def close_on_surface(surface, mesh: Mesh, grasps: Grasps, x, held_out: Held):
    """Grasps that close in this step take the point of the surface that is nearest to their other side."""
    for g in range(grasps.link.shape[0]):
        link = grasps.link[g]
        if grasps.step[0] != grasps.first[g]:
            continue
        for side in range(2):
            if held_out.surface[link, side] == surface:
                held_out.element[link, side] = find_nearest_point(
                    mesh.triangles, mesh.vertices, x[link, 1 - side], held_out.weights[link, side]
                )


@njit
def place_held_points(surface, mesh: Mesh, held: Held, x_out):
    """Places in the world of all points on one surface."""
    element, weights = held.element, held.weights
    for link in range(element.shape[0]):
        for side in range(2):
            if held.surface[link, side] == surface and element[link, side] >= 0:
                place_point(
                    mesh.triangles, mesh.vertices, element[link, side], weights[link, side], x_out[link, side]
                )


@njit
def meet_hands(carrier, frames: Frames, grasps: Grasps, links: Links, surface, x_out, anchor_x_out):
    """A hand that bends takes an object of one carrier where the hand's nearest point is, not at its origin."""
    position, rotation = frames.position, frames.rotation
    for g in range(grasps.link.shape[0]):
        link = grasps.link[g]
        if grasps.step[0] != grasps.first[g] or surface[link, 1] < 0 or links.carrier[link, 0] != carrier:
            continue
        f = links.frame[link, 0]
        for k in range(3):
            x_out[link, 0, k] = x_out[link, 1, k]
        ax, ay, az = rotate_vector_back_at(
            rotation, f, x_out[link, 1, 0] - position[f, 0], x_out[link, 1, 1] - position[f, 1],
            x_out[link, 1, 2] - position[f, 2],
        )  # fmt: skip
        anchor_x_out[link, 0, 0] = ax
        anchor_x_out[link, 0, 1] = ay
        anchor_x_out[link, 0, 2] = az


@njit
def share_held_points(kind, surface, x, point_out):
    """A joint acts on both sides where the surface is held, so that what it does to the one it undoes to the other."""
    for link in range(kind.shape[0]):
        if kind[link] != BALL:
            continue
        for side in range(2):
            if surface[link, side] >= 0:
                for k in range(3):
                    point_out[link, 1 - side, k] = point_out[link, side, k] = x[link, side, k]


@njit
def select_held_sides(
    surface, table: RowColumns, rows: ActiveRows, held: Held, measured: Measured, points_out: SurfacePoints
):
    """The sides of rows that are points of one surface. Returns their number."""
    axes, point, element = measured.axes, measured.point, held.element
    found = 0
    for i in range(rows.span[1]):
        row = rows.number[i]
        link = table.link[row]
        towards = -1.0 if table.role[row] == UPPER else 1.0
        for side in range(2):
            if table.motion[row] != MOVE or held.surface[link, side] != surface or element[link, side] < 0:
                continue
            points_out.group[found] = rows.span[0] + i
            points_out.element[found] = element[link, side]
            points_out.sign[found] = 1.0 - 2.0 * side
            for k in range(3):
                points_out.weights[found, k] = held.weights[link, side, k]
                points_out.point[found, k] = point[link, side, k]
                points_out.directions[found, 0, k] = towards * axes[link, MOVE, table.column[row], k]
            found += 1
    points_out.span[0] = 0
    points_out.span[1] = found
    return found
