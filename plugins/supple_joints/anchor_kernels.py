"""Kernels that place the anchors of links in the world, and close grasps."""

from __future__ import annotations

from supple.core.jit import njit
from supple.math.quaternion_kernels import multiply_quaternions, rotate_vector_at, rotate_vector_back_at
from supple_joints.codes import STANDS_STILL


@njit
def place_still_anchors(carrier, anchor_x, anchor_q, x_out, q_out):
    """Poses of the anchors that stand in the world."""
    for link in range(carrier.shape[0]):
        for side in range(2):
            if carrier[link, side] == STANDS_STILL:
                for k in range(3):
                    x_out[link, side, k] = anchor_x[link, side, k]
                for k in range(4):
                    q_out[link, side, k] = anchor_q[link, side, k]


@njit
def place_anchors(carrier, frame, number, anchor_x, anchor_q, position, rotation, x_out, q_out):
    """Poses of the anchors that move with the frames of one carrier: README eq. (1)."""
    for link in range(carrier.shape[0]):
        for side in range(2):
            if carrier[link, side] != number:
                continue
            f = frame[link, side]
            ax, ay, az = rotate_vector_at(
                rotation, f, anchor_x[link, side, 0], anchor_x[link, side, 1], anchor_x[link, side, 2]
            )
            x_out[link, side, 0] = position[f, 0] + ax
            x_out[link, side, 1] = position[f, 1] + ay
            x_out[link, side, 2] = position[f, 2] + az
            w, a, b, c = multiply_quaternions(
                rotation[f, 0], rotation[f, 1], rotation[f, 2], rotation[f, 3],
                anchor_q[link, side, 0], anchor_q[link, side, 1],
                anchor_q[link, side, 2], anchor_q[link, side, 3],
            )  # fmt: skip
            q_out[link, side, 0] = w
            q_out[link, side, 1] = a
            q_out[link, side, 2] = b
            q_out[link, side, 3] = c


@njit
def find_active(grasp_link, grasp_first, grasp_last, step, active_out):
    """1 for every link that holds in this step: a grasp within its span, all others always."""
    for link in range(active_out.shape[0]):
        active_out[link] = 1
    for g in range(grasp_link.shape[0]):
        holds = grasp_first[g] <= step[0] and step[0] < grasp_last[g]
        active_out[grasp_link[g]] = 1 if holds else 0


@njit
def copy_object_to_hand(link, x_out, q_out):
    """The place in the hand is where the object is."""
    for k in range(3):
        x_out[link, 1, k] = x_out[link, 0, k]
    for k in range(4):
        q_out[link, 1, k] = q_out[link, 0, k]


@njit
def close_still_grasps(
    carrier, grasp_link, grasp_first, step,
    x_out, q_out, anchor_x_out, anchor_q_out,
):  # fmt: skip
    """Hands that stand in the world take hold of the object where it is: README eq. (2)."""
    for g in range(grasp_link.shape[0]):
        link = grasp_link[g]
        if step[0] != grasp_first[g] or carrier[link, 1] != STANDS_STILL:
            continue
        copy_object_to_hand(link, x_out, q_out)
        for k in range(3):
            anchor_x_out[link, 1, k] = x_out[link, 0, k]
        for k in range(4):
            anchor_q_out[link, 1, k] = q_out[link, 0, k]


@njit
def close_grasps(
    carrier, frame, number, grasp_link, grasp_first, step, position, rotation,
    x_out, q_out, anchor_x_out, anchor_q_out,
):  # fmt: skip
    """Hands of one carrier take hold of the object where it is: README eq. (2).

    Side A is the object, side B the hand. All anchors must have been placed.
    """
    for g in range(grasp_link.shape[0]):
        link = grasp_link[g]
        if step[0] != grasp_first[g] or carrier[link, 1] != number:
            continue
        copy_object_to_hand(link, x_out, q_out)
        f = frame[link, 1]
        ax, ay, az = rotate_vector_back_at(
            rotation, f,
            x_out[link, 0, 0] - position[f, 0], x_out[link, 0, 1] - position[f, 1],
            x_out[link, 0, 2] - position[f, 2],
        )  # fmt: skip
        anchor_x_out[link, 1, 0] = ax
        anchor_x_out[link, 1, 1] = ay
        anchor_x_out[link, 1, 2] = az
        w, a, b, c = multiply_quaternions(
            rotation[f, 0], -rotation[f, 1], -rotation[f, 2], -rotation[f, 3],
            q_out[link, 0, 0], q_out[link, 0, 1], q_out[link, 0, 2], q_out[link, 0, 3],
        )  # fmt: skip
        anchor_q_out[link, 1, 0] = w
        anchor_q_out[link, 1, 1] = a
        anchor_q_out[link, 1, 2] = b
        anchor_q_out[link, 1, 3] = c
