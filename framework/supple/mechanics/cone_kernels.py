"""Coulomb's cone: projection onto it, and the exact solution of a problem with a single contact.

Scalars in, tuples out, in the order n, t, s. Nothing here allocates.

One contact: given the symmetric 3 x 3 matrix W, the velocity b that the contact would have without its own
impulse, and mu, find r with u = W r + b, 0 <= r_n _|_ u_n >= 0, |r_T| <= mu r_n, and u_T = -alpha r_T with
alpha >= 0, where alpha > 0 only on the boundary of the cone. Three cases:

(1) b_n >= 0: the contact opens, r = 0.
(2) W r = -b has r inside the cone: it sticks.
(3) It slips: u_n = 0 eliminates r_n = -b_n / W_nn - g . r_T with g = W_nT / W_nn, and leaves
        (S + alpha I) r_T = -(b_T - g b_n),   S = W_TT - W_nT g^T,
    with alpha the root of |r_T| = mu r_n. For b_n < 0 and (2) refused there is one in
        0 < alpha <= |b_T - g b_n| (1 + mu |g|) W_nn / (mu |b_n|).

S is diagonalised once by a rotation of the tangent plane; each alpha then costs two divisions.
"""

from __future__ import annotations

import math

from supple.core.jit import njit, njit_inlined

# Below this fraction of the trace, a pivot of W is round-off: nothing moves along that direction.
SINGULAR = 1e-14
# Below this fraction of b, a velocity along a direction that nothing moves is round-off as well.
NOISE = 1e-12
ROUND_OFF = 4e-16
MAX_ITERATIONS = 100


@njit_inlined
def project_on_cone(n, t, s, mu):
    """The point of the cone |(t, s)| <= mu n that is nearest to (n, t, s).

    The polar cone comes first: without friction, every n would pass for a point of the cone where t and s are zero.
    """
    length = math.sqrt(t * t + s * s)
    if mu * length <= -n:
        return 0.0, 0.0, 0.0
    if length <= mu * n:
        return n, t, s
    nearest = (n + mu * length) / (1.0 + mu * mu)
    shrink = mu * nearest / length
    return nearest, shrink * t, shrink * s


@njit_inlined
def factor_contact(nn, nt, ns, tt, ts, ss):
    """Prepare W for `solve_factored_contact`: (1 / W_nn, g_1, g_2, S_1, S_2, cosine, sine).

    1 and 2 are the axes (cosine, -sine) and (sine, cosine) of the tangent plane, in which S is diagonal.
    1 / W_nn is returned as zero where nothing moves along the normal.
    """
    floor = SINGULAR * (nn + tt + ss)
    if not nn > floor:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0
    inverse_nn = 1.0 / nn
    gt = nt * inverse_nn
    gs = ns * inverse_nn
    a = tt - nt * gt
    b = ts - nt * gs
    d = ss - ns * gs
    tangent = 0.0
    if b != 0.0:
        theta = 0.5 * (d - a) / b
        tangent = math.copysign(1.0, theta) / (abs(theta) + math.sqrt(theta * theta + 1.0))
    cosine = 1.0 / math.sqrt(1.0 + tangent * tangent)
    sine = tangent * cosine
    s1 = a - tangent * b
    s2 = d + tangent * b
    if s1 < floor:
        s1 = 0.0
    if s2 < floor:
        s2 = 0.0
    return inverse_nn, cosine * gt - sine * gs, sine * gt + cosine * gs, s1, s2, cosine, sine


@njit
def solve_slip(normal, g1, g2, s1, s2, b1, b2, mu):
    """Case (3) in the axes of S: (r_n, r_1, r_2). `normal` = -b_n / W_nn > 0; (b1, b2) = b_T - g b_n.

    Newton's method on mu r_n / |r_T| - 1, which is linear in alpha when S is a multiple of the identity;
    bisection wherever Newton leaves the bracket.
    """
    b_length = math.sqrt(b1 * b1 + b2 * b2)
    low = 0.0
    high = b_length * (1.0 + mu * math.sqrt(g1 * g1 + g2 * g2)) / (mu * normal)
    high *= 1.0 + 1e-12
    alpha = b_length / (mu * normal) - 0.5 * (s1 + s2)
    if not low < alpha < high:
        alpha = 0.5 * high
    rn, r1, r2, length = normal, 0.0, 0.0, 1.0
    for _ in range(MAX_ITERATIONS):
        r1 = -b1 / (s1 + alpha)
        r2 = -b2 / (s2 + alpha)
        rn = normal - g1 * r1 - g2 * r2
        length = math.sqrt(r1 * r1 + r2 * r2)
        if not length > 0.0:  # friction is so small that its square is no number any more
            return normal, 0.0, 0.0
        excess = mu * rn / length - 1.0
        if abs(excess) <= ROUND_OFF:
            break
        if excess < 0.0:
            low = alpha
        else:
            high = alpha
        d1 = -r1 / (s1 + alpha)
        d2 = -r2 / (s2 + alpha)
        slope = -mu * (g1 * d1 + g2 * d2 + rn * (r1 * d1 + r2 * d2) / (length * length)) / length
        better = alpha - excess / slope
        if not low < better < high:
            better = math.sqrt(low * high) if low > 0.0 else 0.125 * high
        if abs(better - alpha) <= ROUND_OFF * alpha:
            break
        alpha = better
    shrink = mu * rn / length  # one to round-off: puts r onto the cone
    return rn, shrink * r1, shrink * r2


@njit_inlined
def solve_factored_contact(inverse_nn, g1, g2, s1, s2, cosine, sine, bn, bt, bs, mu):
    """Impulse (r_n, r_t, r_s) of the single contact whose W went through `factor_contact`."""
    if bn >= 0.0 or inverse_nn == 0.0:
        return 0.0, 0.0, 0.0
    normal = -bn * inverse_nn
    if mu == 0.0:
        return normal, 0.0, 0.0
    b1 = cosine * bt - sine * bs - g1 * bn
    b2 = sine * bt + cosine * bs - g2 * bn
    noise = NOISE * max(abs(bn), abs(bt), abs(bs))
    if s1 == 0.0 and abs(b1) <= noise:
        b1 = 0.0
    if s2 == 0.0 and abs(b2) <= noise:
        b2 = 0.0
    can_stick = (s1 > 0.0 or b1 == 0.0) and (s2 > 0.0 or b2 == 0.0)
    r1 = -b1 / s1 if s1 > 0.0 else 0.0
    r2 = -b2 / s2 if s2 > 0.0 else 0.0
    rn = normal - g1 * r1 - g2 * r2
    if not (can_stick and rn >= 0.0 and r1 * r1 + r2 * r2 <= mu * mu * rn * rn):
        rn, r1, r2 = solve_slip(normal, g1, g2, s1, s2, b1, b2, mu)
    return rn, cosine * r1 + sine * r2, cosine * r2 - sine * r1


@njit
def solve_contact(nn, nt, ns, tt, ts, ss, bn, bt, bs, mu):
    """Impulse (r_n, r_t, r_s) of a single contact; W by its six entries, b in m/s.

    Exact to round-off for positive definite W. Where W is singular, a direction that nothing moves gets no
    friction. For large mu and strong coupling of n with t, s there may be several solutions: one is found.
    """
    inverse_nn, g1, g2, s1, s2, cosine, sine = factor_contact(nn, nt, ns, tt, ts, ss)
    return solve_factored_contact(inverse_nn, g1, g2, s1, s2, cosine, sine, bn, bt, bs, mu)
