"""Several points of one tree at once: motion and Jacobians, README eq. (16) and (17)."""

from __future__ import annotations

from supple.core.jit import njit
from supple.math.quaternion_kernels import rotate_vector_at
from supple_bones.layout import DOF_PARENT, FOLLOWS, LAST_DOF, ROOT, ROW_COUNT, ROW_FIRST, V_FIRST
from supple_bones.query_kernels import TreeMotion, TreeTables, fill_motion, follow_tree, set_column


@njit
def query_frames(
    tree: TreeTables, motion: TreeMotion, frames, points, slots, first, motion_out, jacobian_out
):
    """For points p of a frame, rows `slots` of motion_out [m, 19] and jacobian_out [m, 6, n], from column `first` on.

    Columns of rates that do not move a frame are left alone: they are zero, and stay so.
    """
    follow_tree(tree, motion)
    for f in range(frames.shape[0]):
        px, py, pz = points[f, 0], points[f, 1], points[f, 2]
        fill_motion(tree.bone, motion, frames[f], px, py, pz, motion_out[slots[f]])
        fill_columns(tree.bone, tree.dof, motion, frames[f], px, py, pz, first, jacobian_out[slots[f]])


@njit
def fill_columns(bone, dof, motion, i, px, py, pz, first, jacobian_out):
    """The columns of the rates that move bone or follower i."""
    axis, x, root = motion.axis, motion.x, bone[i, ROOT]
    rx, ry, rz = rotate_vector_at(motion.rotation, i, px, py, pz)
    rx, ry, rz = rx + x[i, 0] - x[root, 0], ry + x[i, 1] - x[root, 1], rz + x[i, 2] - x[root, 2]
    k = bone[i, LAST_DOF]
    while k >= 0:
        set_column(axis, k, rx, ry, rz, first + k, jacobian_out)
        k = dof[k, DOF_PARENT]
    if bone[i, FOLLOWS] >= 0:
        for local in range(bone[i, ROW_COUNT]):
            column = first + bone[i, V_FIRST] + local
            set_column(axis, bone[i, ROW_FIRST] + local, rx, ry, rz, column, jacobian_out)
