"""Kernels that place the anchors of links in the world, and close grasps."""

from __future__ import annotations

from supple.core.jit import njit
from supple.math.quaternion_kernels import multiply_quaternions, rotate_vector_at, rotate_vector_back_at
from supple_joints.codes import STANDS_STILL
from supple_joints.tables import Anchors, Frames, Grasps, Links


@njit
def place_still_anchors(carrier, anchors: Anchors, placed_out: Anchors):
    """Poses of the anchors that stand in the world."""
    for link in range(carrier.shape[0]):
        for side in range(2):
            if carrier[link, side] == STANDS_STILL:
                for k in range(3):
                    placed_out.x[link, side, k] = anchors.x[link, side, k]
                for k in range(4):
                    placed_out.q[link, side, k] = anchors.q[link, side, k]


@njit
def place_anchors(carrier, frames: Frames, links: Links, anchors: Anchors, placed_out: Anchors):
    """Poses of the anchors that move with the frames of one carrier: README eq. (1)."""
    position, rotation = frames.position, frames.rotation
    anchor_x, anchor_q, x_out, q_out = anchors.x, anchors.q, placed_out.x, placed_out.q
    for link in range(links.carrier.shape[0]):
        for side in range(2):
            if links.carrier[link, side] != carrier:
                continue
            f = links.frame[link, side]
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
def find_active(grasps: Grasps, active_out):
    """1 for every link that holds in this step: a grasp within its span, all others always."""
    for link in range(active_out.shape[0]):
        active_out[link] = 1
    step = grasps.step[0]
    for g in range(grasps.link.shape[0]):
        holds = grasps.first[g] <= step and step < grasps.last[g]
        active_out[grasps.link[g]] = 1 if holds else 0


@njit
def copy_object_to_hand(link, x_out, q_out):
    """The place in the hand is where the object is."""
    for k in range(3):
        x_out[link, 1, k] = x_out[link, 0, k]
    for k in range(4):
        q_out[link, 1, k] = q_out[link, 0, k]


@njit
def close_still_grasps(grasps: Grasps, carrier, placed_out: Anchors, anchors_out: Anchors):
    """Hands that stand in the world take hold of the object where it is: README eq. (2)."""
    x_out, q_out = placed_out.x, placed_out.q
    for g in range(grasps.link.shape[0]):
        link = grasps.link[g]
        if grasps.step[0] != grasps.first[g] or carrier[link, 1] != STANDS_STILL:
            continue
        copy_object_to_hand(link, x_out, q_out)
        for k in range(3):
            anchors_out.x[link, 1, k] = x_out[link, 0, k]
        for k in range(4):
            anchors_out.q[link, 1, k] = q_out[link, 0, k]


@njit
def close_grasps(
    carrier, frames: Frames, grasps: Grasps, links: Links, placed_out: Anchors, anchors_out: Anchors
):
    """Hands of one carrier take hold of the object where it is: README eq. (2).

    Side A is the object, side B the hand. All anchors must have been placed.
    """
    position, rotation = frames.position, frames.rotation
    x_out, q_out, anchor_x_out, anchor_q_out = placed_out.x, placed_out.q, anchors_out.x, anchors_out.q
    for g in range(grasps.link.shape[0]):
        link = grasps.link[g]
        if grasps.step[0] != grasps.first[g] or links.carrier[link, 1] != carrier:
            continue
        copy_object_to_hand(link, x_out, q_out)
        f = links.frame[link, 1]
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
