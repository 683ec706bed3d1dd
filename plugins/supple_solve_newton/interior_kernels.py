"""Interior points: impulses within their cones and velocities within the dual ones, both led to the edge together.

All in the scaled variables of `newton_kernels`. For a contact with friction, with the cone |X_T| <= X_0, its own dual,
and a sliding speed s,

    X = (mu r_n, r_T),    Y = (s, u_T),    X o Y = m e,    r_n u_n = m,    m -> 0              README eq. (8)

is Coulomb's law for m = 0, o being the product of that cone's algebra and e = (1, 0, 0): s becomes |u_T| where the
contact slips. So nothing has a kink; with u_n / mu + |u_T| in place of s (De Saxce and Feng) every contact that sticks
has one. A row that only pushes and a contact without friction have r_n u_n = m alone. Rows without bounds have velocity
zero. Y and the normal velocities of contacts are kept apart from those that follow from X; steps close the gap.

Scaled by the matrix S of Nesterov and Todd, S^-1 X = S Y = z, a step is  S^-1 dX + S dY = c. With the rows T of S^-2
and dY_T = W_T dr + (u_T - Y_T),

    (W + D) dr = right side,    D_n = u_n / r_n,    D_T = S_T^-2 dX/dr.
"""

from __future__ import annotations

import math

from supple.core.jit import njit, njit_inlined
from supple.mechanics.rows import BILATERAL, COULOMB, UNILATERAL
from supple_solve_newton.interior_state import Interior
from supple_solve_newton.newton_kernels import FIXED, FREE, STUCK

# Of the square of the first component: what is closer to the edge than that is round-off.
EDGE = 1e-28
TINY = 1e-280


@njit_inlined
def measure_cone(x0, x1, x2):
    """Square of the distance from the edge, (x_0 - |x_T|) (x_0 + |x_T|), and never zero."""
    length = math.sqrt(x1 * x1 + x2 * x2)
    return max((x0 - length) * (x0 + length), EDGE * x0 * x0 + TINY)


@njit_inlined
def multiply(m, i, x0, x1, x2):
    """m[i] x for a symmetric m [groups, 3, 3]."""
    return (
        m[i, 0, 0] * x0 + m[i, 0, 1] * x1 + m[i, 0, 2] * x2,
        m[i, 0, 1] * x0 + m[i, 1, 1] * x1 + m[i, 1, 2] * x2,
        m[i, 0, 2] * x0 + m[i, 1, 2] * x1 + m[i, 2, 2] * x2,
    )


@njit
def choose_kinds(rows, rho, linear_out):
    """Unknowns of every group, and L = C = scales of friction. Returns their number; -1 for a law without a cone."""
    law, friction, scale = rows.law, rows.friction, rows.scale
    unknowns = 0
    for i in range(rows.counts[0]):
        mode = FREE
        if rho[i] == 0.0:
            mode = FIXED
        elif law[i] == COULOMB:
            t, s = scale[i, 1], scale[i, 2]
            if friction[i] > 0.0 and t > 0.0 and s > 0.0:
                mode = STUCK
            elif friction[i] > 0.0 and (t > 0.0 or s > 0.0):
                return -1
        elif law[i] != BILATERAL and law[i] != UNILATERAL:
            return -1
        for a in range(3):
            for b in range(3):
                linear_out.left[i, a, b] = linear_out.right[i, a, b] = 0.0
        linear_out.left[i, 0, 0] = linear_out.right[i, 0, 0] = 1.0
        if mode == STUCK:
            for a in range(1, 3):
                linear_out.left[i, a, a] = linear_out.right[i, a, a] = scale[i, a]
        linear_out.mode[i] = mode
        linear_out.first[i] = unknowns
        unknowns += mode
    return unknowns


@njit
def begin_interior(rows, rho, linear, speed, state_out: Interior):
    """Start in the middle of all cones, at this speed [m/s]."""
    for i in range(rows.counts[0]):
        for a in range(3):
            state_out.x[i, a] = state_out.y[i, a] = 0.0
        if linear.mode[i] != FIXED and rows.law[i] != BILATERAL:
            state_out.x[i, 0], state_out.y[i, 0] = speed * rho[i], speed
            state_out.normal[i, 0] = rows.friction[i] * speed


@njit
def take_impulses(rows, linear, impulse, state_out: Interior):
    """X of these impulses, within its cone or not; returns the mean of its first components."""
    friction, scale = rows.friction, rows.scale
    total, cones = 0.0, 0
    for i in range(rows.counts[0]):
        if linear.mode[i] == FREE:
            state_out.x[i, 0] = impulse[i, 0]
        elif linear.mode[i] == STUCK:
            state_out.x[i, 0] = friction[i] * impulse[i, 0]
            state_out.x[i, 1], state_out.x[i, 2] = impulse[i, 1] / scale[i, 1], impulse[i, 2] / scale[i, 2]
        if linear.mode[i] != FIXED and rows.law[i] != BILATERAL:
            total += abs(state_out.x[i, 0])
            cones += 1
    return total / max(cones, 1)


@njit
def find_impulses(rows, linear, state: Interior, impulse_out):
    """Impulses that belong to X; those of rows without bounds are kept in X as they are."""
    friction, scale = rows.friction, rows.scale
    for i in range(rows.counts[0]):
        for a in range(3):
            impulse_out[i, a] = 0.0
        if linear.mode[i] == FREE:
            impulse_out[i, 0] = state.x[i, 0]
        elif linear.mode[i] == STUCK:
            impulse_out[i, 0] = state.x[i, 0] / friction[i]
            impulse_out[i, 1] = scale[i, 1] * state.x[i, 1]
            impulse_out[i, 2] = scale[i, 2] * state.x[i, 2]


@njit
def scale_contact(i, mu, state: Interior, added_out):
    """S^-1, z and the diagonal block G^-1 S^-2 dX/dr of a contact with friction."""
    x, y = state.x, state.y
    dx, dy = (
        math.sqrt(measure_cone(x[i, 0], x[i, 1], x[i, 2])),
        math.sqrt(measure_cone(y[i, 0], y[i, 1], y[i, 2])),
    )
    together = (x[i, 0] * y[i, 0] + x[i, 1] * y[i, 1] + x[i, 2] * y[i, 2]) / (dx * dy)
    half = 0.5 / math.sqrt(0.5 * (1.0 + together))
    w0 = half * (x[i, 0] / dx + y[i, 0] / dy)
    w1 = half * (x[i, 1] / dx - y[i, 1] / dy)
    w2 = half * (x[i, 2] / dx - y[i, 2] / dy)
    size, m = math.sqrt(dx / dy), state.scaling
    share = 1.0 / (1.0 + w0)
    m[i, 0, 0] = w0 / size
    m[i, 0, 1], m[i, 0, 2] = -w1 / size, -w2 / size
    m[i, 1, 1], m[i, 2, 2] = (1.0 + share * w1 * w1) / size, (1.0 + share * w2 * w2) / size
    m[i, 1, 2] = share * w1 * w2 / size
    state.z[i, 0], state.z[i, 1], state.z[i, 2] = multiply(m, i, x[i, 0], x[i, 1], x[i, 2])
    for b in range(3):  # column b of S^-2 dX/dr
        unit = mu if b == 0 else 1.0
        p0, p1, p2 = multiply(m, i, unit * (b == 0), unit * (b == 1), unit * (b == 2))
        _, q1, q2 = multiply(m, i, p0, p1, p2)
        added_out[i, 0, b] = 0.0
        added_out[i, 1, b] = q1
        added_out[i, 2, b] = q2
    added_out[i, 0, 0] = mu * state.normal[i, 0] / x[i, 0]


@njit
def scale_groups(rows, linear, velocity, state: Interior, added_out):
    """Scalings of all groups, and the diagonal blocks of the matrix; returns the mean of X . Y."""
    law, friction, scale, compliance = rows.law, rows.friction, rows.scale, rows.compliance
    total, cones = 0.0, 0
    for i in range(rows.counts[0]):
        if linear.mode[i] == FIXED:
            continue
        for a in range(3):
            state.target[i, a] = velocity[i, a]
            for b in range(3):
                added_out[i, a, b] = 0.0
        if linear.mode[i] == STUCK:
            ut, us = scale[i, 1] * velocity[i, 1], scale[i, 2] * velocity[i, 2]
            state.target[i, 1], state.target[i, 2] = ut, us
            scale_contact(i, friction[i], state, added_out)
        elif law[i] != BILATERAL:
            added_out[i, 0, 0] = state.y[i, 0] / state.x[i, 0]
        for a in range(linear.mode[i]):
            added_out[i, a, a] += linear.left[i, a, a] * compliance[i, a] * linear.left[i, a, a]
        if law[i] != BILATERAL:
            cones += 1
            for a in range(linear.mode[i]):
                total += state.x[i, a] * state.y[i, a]
            if linear.mode[i] == STUCK:
                cones += 1
                total += state.normal[i, 0] * state.x[i, 0] / friction[i]
    return total / max(cones, 1)


@njit
def list_right_side(rows, linear, centre, corrects, state: Interior, right_side_out):
    """The right-hand side of a step towards X o Y = centre e; with second-order terms of the last step or without."""
    law, friction = rows.law, rows.friction
    z, c, m = state.z, state.c, state.scaling
    for i in range(rows.counts[0]):
        k = linear.first[i]
        if linear.mode[i] == FREE:
            right_side_out[k] = -state.target[i, 0]
            if law[i] != BILATERAL:
                more = centre
                if corrects:
                    more -= state.dx[i, 0] * state.dy[i, 0]
                c[i, 0] = more / state.x[i, 0] - state.y[i, 0]  # dY = c - Y / X dX
                right_side_out[k] += more / state.x[i, 0]
        elif linear.mode[i] == STUCK:
            z0, z1, z2 = z[i, 0], z[i, 1], z[i, 2]
            q0 = centre - (z0 * z0 + z1 * z1 + z2 * z2)
            q1, q2 = -2.0 * z0 * z1, -2.0 * z0 * z2
            if corrects:
                a0, a1, a2 = multiply(m, i, state.dx[i, 0], state.dx[i, 1], state.dx[i, 2])
                # S dY = c - S^-1 dX with the c of the last step
                b0, b1, b2 = c[i, 0] - a0, c[i, 1] - a1, c[i, 2] - a2
                q0 -= a0 * b0 + a1 * b1 + a2 * b2
                q1 -= a0 * b1 + b0 * a1
                q2 -= a0 * b2 + b0 * a2
            inside = measure_cone(z0, z1, z2)
            c0 = (z0 * q0 - z1 * q1 - z2 * q2) / inside
            c[i, 0], c[i, 1], c[i, 2] = c0, (q1 - c0 * z1) / z0, (q2 - c0 * z2) / z0
            _, p1, p2 = multiply(m, i, c[i, 0], c[i, 1], c[i, 2])
            p1 -= state.target[i, 1] - state.y[i, 1]
            p2 -= state.target[i, 2] - state.y[i, 2]
            more = centre
            if corrects:
                more -= state.dx[i, 0] / friction[i] * state.normal[i, 1]
            more *= friction[i] / state.x[i, 0]
            state.normal[i, 2] = more - state.normal[i, 0]
            right_side_out[k] = more - state.target[i, 0]
            right_side_out[k + 1] = p1
            right_side_out[k + 2] = p2


@njit
def find_steps(rows, linear, unknown, state: Interior):
    """dX and dY of the unknowns of a step."""
    law, friction, m, c = rows.law, rows.friction, state.scaling, state.c
    for i in range(rows.counts[0]):
        k = linear.first[i]
        if linear.mode[i] == FREE:
            state.dx[i, 0] = unknown[k]
            if law[i] != BILATERAL:
                state.dy[i, 0] = c[i, 0] - state.y[i, 0] / state.x[i, 0] * unknown[k]
        elif linear.mode[i] == STUCK:
            d0, d1, d2 = friction[i] * unknown[k], unknown[k + 1], unknown[k + 2]
            state.dx[i, 0], state.dx[i, 1], state.dx[i, 2] = d0, d1, d2
            state.normal[i, 1] = state.normal[i, 2] - state.normal[i, 0] / state.x[i, 0] * d0
            a0, a1, a2 = multiply(m, i, d0, d1, d2)
            state.dy[i, 0], state.dy[i, 1], state.dy[i, 2] = multiply(
                m, i, c[i, 0] - a0, c[i, 1] - a1, c[i, 2] - a2
            )


@njit
def reach_edge(x, d, i):
    """The fraction of the step d at which x leaves its cone; infinite if never."""
    a = d[i, 0] * d[i, 0] - d[i, 1] * d[i, 1] - d[i, 2] * d[i, 2]
    b = x[i, 0] * d[i, 0] - x[i, 1] * d[i, 1] - x[i, 2] * d[i, 2]
    c = measure_cone(x[i, 0], x[i, 1], x[i, 2])
    fraction = math.inf
    if d[i, 0] < 0.0:
        fraction = -x[i, 0] / d[i, 0]
    inside = b * b - a * c
    if inside >= 0.0:
        root = -(b + math.copysign(math.sqrt(inside), b))
        if root != 0.0 and c / root > 0.0:
            fraction = min(fraction, c / root)
        if a != 0.0 and root / a > 0.0:
            fraction = min(fraction, root / a)
    return fraction


@njit
def measure_step(rows, linear, state: Interior):
    """(fraction of the step that leaves no cone, at most 1; mean of X . Y there)."""
    law, fraction = rows.law, 1.0
    for i in range(rows.counts[0]):
        if linear.mode[i] == STUCK:
            fraction = min(fraction, reach_edge(state.x, state.dx, i), reach_edge(state.y, state.dy, i))
            if state.normal[i, 1] < 0.0:
                fraction = min(fraction, -state.normal[i, 0] / state.normal[i, 1])
        elif linear.mode[i] == FREE and law[i] != BILATERAL:
            if state.dx[i, 0] < 0.0:
                fraction = min(fraction, -state.x[i, 0] / state.dx[i, 0])
            if state.dy[i, 0] < 0.0:
                fraction = min(fraction, -state.y[i, 0] / state.dy[i, 0])
    total, cones = 0.0, 0
    for i in range(rows.counts[0]):
        if linear.mode[i] == FIXED or law[i] == BILATERAL:
            continue
        cones += 1
        for a in range(linear.mode[i]):
            x, y = state.x[i, a] + fraction * state.dx[i, a], state.y[i, a] + fraction * state.dy[i, a]
            total += x * y
        if linear.mode[i] == STUCK:
            cones += 1
            x = (state.x[i, 0] + fraction * state.dx[i, 0]) / rows.friction[i]
            total += x * (state.normal[i, 0] + fraction * state.normal[i, 1])
    return fraction, total / max(cones, 1)


@njit
def take_step(rows, linear, fraction, state: Interior):
    """Go a fraction of the step."""
    for i in range(rows.counts[0]):
        for a in range(linear.mode[i]):
            state.x[i, a] += fraction * state.dx[i, a]
            if rows.law[i] != BILATERAL:
                state.y[i, a] += fraction * state.dy[i, a]
        if linear.mode[i] == STUCK:
            state.normal[i, 0] += fraction * state.normal[i, 1]


@njit_inlined
def smooth(value, square):
    """The positive root p of p (p - value) = square."""
    root = math.sqrt(value * value + 4.0 * square)
    return 0.5 * (value + root) if value > 0.0 else 2.0 * square / (root - value)


@njit
def centre_groups(rows, rho, linear, velocity, centre, state: Interior):
    """Replace X and Y by the pair with X o Y = centre e that has the same X - rho Y, Y as it follows from X."""
    law, friction, scale = rows.law, rows.friction, rows.scale
    for i in range(rows.counts[0]):
        square = rho[i] * centre
        if linear.mode[i] == FREE and law[i] != BILATERAL:
            value = state.x[i, 0] - rho[i] * velocity[i, 0]
            state.x[i, 0] = smooth(value, square)
            state.y[i, 0] = smooth(-value, square) / rho[i]
        elif linear.mode[i] == STUCK:
            ut, us = scale[i, 1] * velocity[i, 1], scale[i, 2] * velocity[i, 2]
            v0 = state.x[i, 0] - rho[i] * (velocity[i, 0] / friction[i] + math.sqrt(ut * ut + us * us))
            v1, v2 = state.x[i, 1] - rho[i] * ut, state.x[i, 2] - rho[i] * us
            length = math.sqrt(v1 * v1 + v2 * v2)
            e1, e2 = (v1 / length, v2 / length) if length > 0.0 else (0.0, 0.0)
            near, far = smooth(v0 - length, square), smooth(v0 + length, square)
            state.x[i, 0] = 0.5 * (near + far)
            state.x[i, 1], state.x[i, 2] = 0.5 * (far - near) * e1, 0.5 * (far - near) * e2
            near, far = smooth(length - v0, square), smooth(-length - v0, square)
            state.y[i, 0] = 0.5 * (near + far) / rho[i]
            state.y[i, 1] = 0.5 * (far - near) * e1 / rho[i]
            state.y[i, 2] = 0.5 * (far - near) * e2 / rho[i]
            state.normal[i, 0] = centre * friction[i] / state.x[i, 0]
