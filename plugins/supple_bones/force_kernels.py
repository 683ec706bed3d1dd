"""Generalised forces: inverse dynamics, bias, its bilinear form, gravity, applied wrenches; README eq. (12)-(15).

work [2, bones, 6] is scratch: spatial accelerations, then spatial forces of the bones.
"""

from __future__ import annotations

from supple.core.jit import njit, njit_inlined
from supple.math.vector_kernels import cross
from supple_bones.layout import FOLLOWS, PARENT, ROOT, ROW_COUNT, ROW_FIRST, V_FIRST
from supple_bones.spatial_kernels import apply_inertia, cross_force, dot_axis


@njit
def gather_forces(bone, axis, work_out, tau_out):
    """tau[k] = axis[k] . (forces of all bones that k moves); adds the forces up from the tips."""
    for k in range(tau_out.shape[0]):
        tau_out[k] = 0.0
    for i in range(bone.shape[0] - 1, -1, -1):
        f0, f1, f2 = work_out[1, i, 0], work_out[1, i, 1], work_out[1, i, 2]
        f3, f4, f5 = work_out[1, i, 3], work_out[1, i, 4], work_out[1, i, 5]
        first = bone[i, ROW_FIRST]
        for local in range(bone[i, ROW_COUNT]):
            tau_out[bone[i, V_FIRST] + local] += dot_axis(axis, first + local, f0, f1, f2, f3, f4, f5)
        parent = bone[i, PARENT]
        if parent >= 0:
            work_out[1, parent, 0] += f0
            work_out[1, parent, 1] += f1
            work_out[1, parent, 2] += f2
            work_out[1, parent, 3] += f3
            work_out[1, parent, 4] += f4
            work_out[1, parent, 5] += f5


@njit_inlined
def begin_acceleration(parent, ground0, ground1, ground2, work):
    """The spatial acceleration that a bone has from its parent, as six floats; that of the ground without one."""
    if parent < 0:
        return ground0, ground1, ground2, 0.0, 0.0, 0.0
    return (
        work[0, parent, 0], work[0, parent, 1], work[0, parent, 2],
        work[0, parent, 3], work[0, parent, 4], work[0, parent, 5],
    )  # fmt: skip


@njit_inlined
def add_two_rates(k, first, x, second, y, a0, a1, a2, a3, a4, a5):
    """a + (first[k] x + second[k] y), as six floats."""
    return (
        a0 + (first[k, 0] * x + second[k, 0] * y),
        a1 + (first[k, 1] * x + second[k, 1] * y),
        a2 + (first[k, 2] * x + second[k, 2] * y),
        a3 + (first[k, 3] * x + second[k, 3] * y),
        a4 + (first[k, 4] * x + second[k, 4] * y),
        a5 + (first[k, 5] * x + second[k, 5] * y),
    )


@njit_inlined
def keep_acceleration(i, a0, a1, a2, a3, a4, a5, work_out):
    """The acceleration of bone i."""
    work_out[0, i, 0], work_out[0, i, 1], work_out[0, i, 2] = a0, a1, a2
    work_out[0, i, 3], work_out[0, i, 4], work_out[0, i, 5] = a3, a4, a5


@njit_inlined
def set_inertial_force(own, velocity, i, a0, a1, a2, a3, a4, a5, work_out):
    """Force that gives bone i its acceleration and keeps its momentum turning: I A + V x* I V."""
    f0, f1, f2, f3, f4, f5 = apply_inertia(own, i, a0, a1, a2, a3, a4, a5)
    v0, v1, v2, w0, w1, w2 = (
        velocity[i, 0], velocity[i, 1], velocity[i, 2], velocity[i, 3], velocity[i, 4], velocity[i, 5],
    )  # fmt: skip
    p0, p1, p2, l0, l1, l2 = apply_inertia(own, i, v0, v1, v2, w0, w1, w2)
    c0, c1, c2, c3, c4, c5 = cross_force(v0, v1, v2, w0, w1, w2, p0, p1, p2, l0, l1, l2)
    work_out[1, i, 0] = f0 + c0
    work_out[1, i, 1] = f1 + c1
    work_out[1, i, 2] = f2 + c2
    work_out[1, i, 3] = f3 + c3
    work_out[1, i, 4] = f4 + c4
    work_out[1, i, 5] = f5 + c5


@njit
def set_inertial_forces(bone, gravity, own, axis, axis_rate, velocity, v, acceleration, work_out):
    """Accelerations of all bones, and the forces that these need: README eq. (12), before it is summed."""
    for i in range(bone.shape[0]):
        a0, a1, a2, a3, a4, a5 = begin_acceleration(
            bone[i, PARENT], -gravity[0], -gravity[1], -gravity[2], work_out
        )
        rates = bone[i, V_FIRST] - bone[i, ROW_FIRST]
        for k in range(bone[i, ROW_FIRST], bone[i, ROW_FIRST] + bone[i, ROW_COUNT]):
            a0, a1, a2, a3, a4, a5 = add_two_rates(
                k, axis, acceleration[rates + k], axis_rate, v[rates + k], a0, a1, a2, a3, a4, a5
            )
        keep_acceleration(i, a0, a1, a2, a3, a4, a5, work_out)
        set_inertial_force(own, velocity, i, a0, a1, a2, a3, a4, a5, work_out)


@njit
def find_inverse_dynamics(
    bone, armature, gravity, own, axis, axis_rate, velocity, v, acceleration,
    work_out, tau_out,
):  # fmt: skip
    """tau_out = (M + armature) a + bias(v) + gravity force: README eq. (12).

    Gravity enters as an upward acceleration of the world. With a = 0 and gravity = 0 this is the bias.
    """
    set_inertial_forces(bone, gravity, own, axis, axis_rate, velocity, v, acceleration, work_out)
    gather_forces(bone, axis, work_out, tau_out)
    for k in range(armature.shape[0]):
        tau_out[k] += armature[k] * acceleration[k]


@njit_inlined
def set_mixed_force(own, velocity_a, velocity_b, i, a0, a1, a2, a3, a4, a5, work_out):
    """I A + Va x* I Vb + Vb x* I Va of bone i, whose acceleration is a."""
    f0, f1, f2, f3, f4, f5 = apply_inertia(own, i, a0, a1, a2, a3, a4, a5)
    a0, a1, a2, a3, a4, a5 = (
        velocity_a[i, 0], velocity_a[i, 1], velocity_a[i, 2],
        velocity_a[i, 3], velocity_a[i, 4], velocity_a[i, 5],
    )  # fmt: skip
    b0, b1, b2, b3, b4, b5 = (
        velocity_b[i, 0], velocity_b[i, 1], velocity_b[i, 2],
        velocity_b[i, 3], velocity_b[i, 4], velocity_b[i, 5],
    )  # fmt: skip
    p0, p1, p2, p3, p4, p5 = apply_inertia(own, i, b0, b1, b2, b3, b4, b5)
    c0, c1, c2, c3, c4, c5 = cross_force(a0, a1, a2, a3, a4, a5, p0, p1, p2, p3, p4, p5)
    p0, p1, p2, p3, p4, p5 = apply_inertia(own, i, a0, a1, a2, a3, a4, a5)
    d0, d1, d2, d3, d4, d5 = cross_force(b0, b1, b2, b3, b4, b5, p0, p1, p2, p3, p4, p5)
    work_out[1, i, 0] = f0 + c0 + d0
    work_out[1, i, 1] = f1 + c1 + d1
    work_out[1, i, 2] = f2 + c2 + d2
    work_out[1, i, 3] = f3 + c3 + d3
    work_out[1, i, 4] = f4 + c4 + d4
    work_out[1, i, 5] = f5 + c5 + d5


@njit
def set_mixed_forces(bone, own, axis_rate_a, velocity_a, a, axis_rate_b, velocity_b, b, work_out):
    """Accelerations and forces of all bones in eq. (13), before they are summed."""
    for i in range(bone.shape[0]):
        a0, a1, a2, a3, a4, a5 = begin_acceleration(bone[i, PARENT], 0.0, 0.0, 0.0, work_out)
        rates = bone[i, V_FIRST] - bone[i, ROW_FIRST]
        for k in range(bone[i, ROW_FIRST], bone[i, ROW_FIRST] + bone[i, ROW_COUNT]):
            a0, a1, a2, a3, a4, a5 = add_two_rates(
                k, axis_rate_a, b[rates + k], axis_rate_b, a[rates + k], a0, a1, a2, a3, a4, a5
            )
        keep_acceleration(i, a0, a1, a2, a3, a4, a5, work_out)
        set_mixed_force(own, velocity_a, velocity_b, i, a0, a1, a2, a3, a4, a5, work_out)


@njit
def differentiate_bias(
    bone, own, axis, axis_rate_a, velocity_a, a, axis_rate_b, velocity_b, b,
    work_out, tau_out,
):  # fmt: skip
    """tau_out = 2 B(a, b): the derivative of the bias at rates a in direction b; README eq. (13).

    B is symmetric and B(v, v) is the bias. `axis_rate` and `velocity` are those that `move_bones` gives.
    """
    set_mixed_forces(bone, own, axis_rate_a, velocity_a, a, axis_rate_b, velocity_b, b, work_out)
    gather_forces(bone, axis, work_out, tau_out)


@njit
def find_gravity_force(bone, gravity, axis, composite, tau_out):
    """tau_out = what actuators must give to hold the skeletons against gravity: README eq. (14)."""
    for i in range(bone.shape[0]):
        m = composite[i, 0]
        tx, ty, tz = cross(
            composite[i, 1], composite[i, 2], composite[i, 3], gravity[0], gravity[1], gravity[2]
        )
        first = bone[i, ROW_FIRST]
        for local in range(bone[i, ROW_COUNT]):
            weight = dot_axis(axis, first + local, m * gravity[0], m * gravity[1], m * gravity[2], tx, ty, tz)
            # Followers come last, so that the rates of the bones that they follow have their weight already.
            others = tau_out[bone[i, V_FIRST] + local] if bone[i, FOLLOWS] >= 0 else 0.0
            tau_out[bone[i, V_FIRST] + local] = others - weight


@njit
def map_wrenches(bone, axis, x, wrench, work_out, tau_out):
    """tau_out = generalised force of forces and torques at the origins of the bones: README eq. (15)."""
    for i in range(bone.shape[0]):
        root = bone[i, ROOT]
        f0, f1, f2 = wrench[i, 0], wrench[i, 1], wrench[i, 2]
        tx, ty, tz = cross(x[i, 0] - x[root, 0], x[i, 1] - x[root, 1], x[i, 2] - x[root, 2], f0, f1, f2)
        work_out[1, i, 0] = f0
        work_out[1, i, 1] = f1
        work_out[1, i, 2] = f2
        work_out[1, i, 3] = wrench[i, 3] + tx
        work_out[1, i, 4] = wrench[i, 4] + ty
        work_out[1, i, 5] = wrench[i, 5] + tz
    gather_forces(bone, axis, work_out, tau_out)
