"""Queries about some of the free bodies; equations are numbered in README.md.

rows [k] are the bodies; their rates come one after the other, six each, as in `rigid.v`.
"""

from __future__ import annotations

from typing import NamedTuple

from supple.core.arrays import FloatArray, IntArray
from supple.core.jit import njit
from supple.math.quaternion_kernels import matrix_of_quaternion_at, rotate_vector_at
from supple.math.vector_kernels import cross
from supple_rigid.kernels import kinetic_energy
from supple_rigid.turning_kernels import multiply_at


class Bodies(NamedTuple):
    """Masses and state of all bodies, and which of them are asked about."""

    rows: IntArray
    gravity: FloatArray
    mass: FloatArray
    inertia: FloatArray
    x: FloatArray
    q: FloatArray
    v: FloatArray


@njit
def fill_mass_matrix(bodies, matrix_out):
    """M [n, n], zero off the blocks, which are left alone there."""
    for k in range(bodies.rows.shape[0]):
        i = bodies.rows[k]
        for a in range(3):
            matrix_out[6 * k + a, 6 * k + a] = bodies.mass[i]
            for b in range(3):
                matrix_out[6 * k + 3 + a, 6 * k + 3 + b] = bodies.inertia[i, a, b]


@njit
def find_gyroscopic_torque(bodies, i):
    """spin x I spin in the frame of body i [N m]."""
    wx, wy, wz = bodies.v[i, 3], bodies.v[i, 4], bodies.v[i, 5]
    lx, ly, lz = multiply_at(bodies.inertia, i, wx, wy, wz)
    return cross(wx, wy, wz, lx, ly, lz)


@njit
def fill_bias(bodies, tau_out):
    """Velocities of the centres are in the world, so only the spins have a bias."""
    for k in range(bodies.rows.shape[0]):
        for c in range(3):
            tau_out[6 * k + c] = 0.0
        tx, ty, tz = find_gyroscopic_torque(bodies, bodies.rows[k])
        tau_out[6 * k + 3] = tx
        tau_out[6 * k + 4] = ty
        tau_out[6 * k + 5] = tz


@njit
def fill_gravity(bodies, tau_out):
    """-m g at the centres."""
    for k in range(bodies.rows.shape[0]):
        for c in range(3):
            tau_out[6 * k + c] = -bodies.mass[bodies.rows[k]] * bodies.gravity[c]
            tau_out[6 * k + 3 + c] = 0.0


@njit
def add_gravity(bodies, tau_out):
    """tau_out += -m g at the centres."""
    for k in range(bodies.rows.shape[0]):
        for c in range(3):
            tau_out[6 * k + c] -= bodies.mass[bodies.rows[k]] * bodies.gravity[c]


@njit
def fill_jacobian(bodies, jacobian_out, k, px, py, pz):
    """jacobian_out [6, n] of the point p [m, in the frame of body k], and of its rotation: README eq. (4), (5)."""
    for c in range(6):
        for column in range(jacobian_out.shape[1]):
            jacobian_out[c, column] = 0.0
    i, first = bodies.rows[k], 6 * k
    m = matrix_of_quaternion_at(bodies.q, i)
    rx, ry, rz = rotate_vector_at(bodies.q, i, px, py, pz)
    for c in range(3):
        jacobian_out[c, first + c] = 1.0
        ax, ay, az = m[c], m[3 + c], m[6 + c]
        sx, sy, sz = cross(ax, ay, az, rx, ry, rz)
        jacobian_out[0, first + 3 + c] = sx
        jacobian_out[1, first + 3 + c] = sy
        jacobian_out[2, first + 3 + c] = sz
        jacobian_out[3, first + 3 + c] = ax
        jacobian_out[4, first + 3 + c] = ay
        jacobian_out[5, first + 3 + c] = az


@njit
def fill_motion(bodies, motion_out, k, px, py, pz):
    """motion_out [19]: the point in the world, rotation, velocity, spin, and their drift; a spin has none."""
    i = bodies.rows[k]
    rx, ry, rz = rotate_vector_at(bodies.q, i, px, py, pz)
    wx, wy, wz = rotate_vector_at(bodies.q, i, bodies.v[i, 3], bodies.v[i, 4], bodies.v[i, 5])
    sx, sy, sz = cross(wx, wy, wz, rx, ry, rz)
    cx, cy, cz = cross(wx, wy, wz, sx, sy, sz)
    for c in range(4):
        motion_out[3 + c] = bodies.q[i, c]
    motion_out[0], motion_out[1], motion_out[2] = rx, ry, rz
    motion_out[7], motion_out[8], motion_out[9] = sx, sy, sz
    for c in range(3):
        motion_out[c] += bodies.x[i, c]
        motion_out[7 + c] += bodies.v[i, c]
        motion_out[16 + c] = 0.0
    motion_out[10], motion_out[11], motion_out[12] = wx, wy, wz
    motion_out[13], motion_out[14], motion_out[15] = cx, cy, cz


@njit
def find_centre(bodies, whole_out):
    """Centre of mass of all, into whole_out[:3]; returns the mass."""
    mass = 0.0
    for c in range(whole_out.shape[0]):
        whole_out[c] = 0.0
    for k in range(bodies.rows.shape[0]):
        i = bodies.rows[k]
        mass += bodies.mass[i]
        for c in range(3):
            whole_out[c] += bodies.mass[i] * bodies.x[i, c]
    for c in range(3):
        whole_out[c] /= mass


@njit
def fill_whole(bodies, whole_out):
    """whole_out [15]: centre, momentum and angular momentum about it, and the drift of both."""
    find_centre(bodies, whole_out)
    for k in range(bodies.rows.shape[0]):
        i = bodies.rows[k]
        lx, ly, lz = multiply_at(bodies.inertia, i, bodies.v[i, 3], bodies.v[i, 4], bodies.v[i, 5])
        lx, ly, lz = rotate_vector_at(bodies.q, i, lx, ly, lz)
        tx, ty, tz = find_gyroscopic_torque(bodies, i)
        tx, ty, tz = rotate_vector_at(bodies.q, i, tx, ty, tz)
        px, py, pz = (
            bodies.mass[i] * bodies.v[i, 0], bodies.mass[i] * bodies.v[i, 1], bodies.mass[i] * bodies.v[i, 2]
        )  # fmt: skip
        ax, ay, az = (
            bodies.x[i, 0] - whole_out[0],
            bodies.x[i, 1] - whole_out[1],
            bodies.x[i, 2] - whole_out[2],
        )
        sx, sy, sz = cross(ax, ay, az, px, py, pz)
        whole_out[3] += px
        whole_out[4] += py
        whole_out[5] += pz
        whole_out[6] += lx + sx
        whole_out[7] += ly + sy
        whole_out[8] += lz + sz
        whole_out[12] += tx
        whole_out[13] += ty
        whole_out[14] += tz


@njit
def fill_momentum_matrix(bodies, whole_out, matrix_out):
    """matrix_out [6, n] about the centre of mass; entries that are always zero are left alone."""
    find_centre(bodies, whole_out)
    for k in range(bodies.rows.shape[0]):
        i, first = bodies.rows[k], 6 * k
        m = bodies.mass[i]
        ax, ay, az = (
            bodies.x[i, 0] - whole_out[0],
            bodies.x[i, 1] - whole_out[1],
            bodies.x[i, 2] - whole_out[2],
        )
        for c in range(3):
            e0, e1, e2 = 1.0 if c == 0 else 0.0, 1.0 if c == 1 else 0.0, 1.0 if c == 2 else 0.0
            matrix_out[c, first + c] = m
            tx, ty, tz = cross(ax, ay, az, m * e0, m * e1, m * e2)
            matrix_out[3, first + c] = tx
            matrix_out[4, first + c] = ty
            matrix_out[5, first + c] = tz
            lx, ly, lz = multiply_at(bodies.inertia, i, e0, e1, e2)
            lx, ly, lz = rotate_vector_at(bodies.q, i, lx, ly, lz)
            matrix_out[3, first + 3 + c] = lx
            matrix_out[4, first + 3 + c] = ly
            matrix_out[5, first + 3 + c] = lz


@njit
def sum_kinetic_energy(bodies):
    """Kinetic energy of the bodies asked about [J]."""
    total = 0.0
    for k in range(bodies.rows.shape[0]):
        total += kinetic_energy(bodies.mass, bodies.inertia, bodies.v, bodies.rows[k])
    return total


@njit
def add_wrenches(bodies, tau, wrench_out):
    """wrench_out += generalised forces [k, 6], whose torques are in the frames of the bodies."""
    for k in range(bodies.rows.shape[0]):
        i = bodies.rows[k]
        tx, ty, tz = rotate_vector_at(bodies.q, i, tau[k, 3], tau[k, 4], tau[k, 5])
        for c in range(3):
            wrench_out[i, c] += tau[k, c]
        wrench_out[i, 3] += tx
        wrench_out[i, 4] += ty
        wrench_out[i, 5] += tz
