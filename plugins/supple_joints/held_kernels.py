"""Kernels of the sides of links that are points of surfaces which bend: README, Points of surfaces."""

from __future__ import annotations

from supple.core.jit import njit
from supple.math.quaternion_kernels import rotate_vector_back_at
from supple.mechanics.point_kernels import find_nearest_point, place_point
from supple_joints.codes import BALL, MOVE, UPPER


@njit
def follow_held_points(active, element, weights, element_out, weights_out):
    """What was held stays held; links that are open hold nothing."""
    for link in range(active.shape[0]):
        for side in range(2):
            element_out[link, side] = element[link, side] if active[link] == 1 else -1
            for k in range(3):
                weights_out[link, side, k] = weights[link, side, k]


@njit
def close_on_surface(
    grasp_link, grasp_first, step, number, triangles, vertices, surface, element_out, weights_out, x
):
    """Grasps that close in this step take the point of the surface that is nearest to their other side."""
    for g in range(grasp_link.shape[0]):
        link = grasp_link[g]
        if step[0] != grasp_first[g]:
            continue
        for side in range(2):
            if surface[link, side] == number:
                element_out[link, side] = find_nearest_point(
                    triangles, vertices, x[link, 1 - side], weights_out[link, side]
                )


@njit
def place_held_points(number, triangles, vertices, surface, element, weights, x_out):
    """Places in the world of all points on one surface."""
    for link in range(surface.shape[0]):
        for side in range(2):
            if surface[link, side] == number and element[link, side] >= 0:
                place_point(triangles, vertices, element[link, side], weights[link, side], x_out[link, side])


@njit
def meet_hands(
    grasp_link, grasp_first, step, surface, carrier, frame, number, position, rotation, x_out, anchor_x_out
):
    """A hand that bends takes an object of one carrier where the hand's nearest point is, not at its origin."""
    for g in range(grasp_link.shape[0]):
        link = grasp_link[g]
        if step[0] != grasp_first[g] or surface[link, 1] < 0 or carrier[link, 0] != number:
            continue
        f = frame[link, 0]
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
    row_link, row_role, row_motion, row_column, surface, element, weights, number, first, count, rows, axes, point,
    points_out,
):  # fmt: skip
    """The sides of rows that are points of one surface, as `SurfacePoints`."""
    found = 0
    for i in range(count):
        row = rows[i]
        link = row_link[row]
        towards = -1.0 if row_role[row] == UPPER else 1.0
        for side in range(2):
            if row_motion[row] != MOVE or surface[link, side] != number or element[link, side] < 0:
                continue
            points_out.group[found] = first + i
            points_out.element[found] = element[link, side]
            points_out.sign[found] = 1.0 - 2.0 * side
            for k in range(3):
                points_out.weights[found, k] = weights[link, side, k]
                points_out.point[found, k] = point[link, side, k]
                points_out.directions[found, 0, k] = towards * axes[link, MOVE, row_column[row], k]
            found += 1
    points_out.span[0] = 0
    points_out.span[1] = found
