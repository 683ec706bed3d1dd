"""Values of curves and their derivatives, segment by segment.

A segment leads from the knot y_0 to y_1 = y_0 + d within T. With the part u = (t - t_0) / T of it that has passed,

    y(t) = y_0 + a(u) d + b(u) m_0 + c(u) m_1

where m_0 and m_1 are the tangents dy/du at its ends: min-jerk a = 10 u^3 - 15 u^4 + 6 u^5, b = c = 0; cubic Hermite
a = u^2 (3 - 2u), b = u (1 - u)^2, c = -u^2 (1 - u); linear a = u, b = c = 0; holding a = 0 up to u = 1. For a rotation,
the same sum is a rotation vector in the axes of the first knot.
"""

from __future__ import annotations

from supple.core.jit import njit
from supple.math.curve_layout import (
    BASE,
    DURATION,
    HOLD,
    LINEAR,
    MIN_JERK,
    NEXT_TANGENT,
    START,
    TANGENT,
    WAY,
)  # fmt: skip


@njit
def find_segment(first, count, time, segment):
    """The last of these segments that has begun; the first one before that."""
    low, high = first, first + count
    while high - low > 1:
        middle = (low + high) // 2
        if segment[middle, START] <= time:
            low = middle
        else:
            high = middle
    return low


@njit
def weigh_tangents(shape, u):
    """Weights a, b, c of the way and of both tangents at the part u of a segment."""
    if shape == MIN_JERK:
        return u * u * u * (10.0 - u * (15.0 - 6.0 * u)), 0.0, 0.0
    if shape == HOLD:
        return 1.0 if u >= 1.0 else 0.0, 0.0, 0.0
    if shape == LINEAR:
        return u, 0.0, 0.0
    rest = 1.0 - u
    return u * u * (3.0 - 2.0 * u), u * rest * rest, -u * u * rest


@njit
def weigh_rates(shape, u):
    """Derivatives of the weights by u."""
    if shape == MIN_JERK:
        rest = 1.0 - u
        return 30.0 * u * u * rest * rest, 0.0, 0.0
    if shape == HOLD:
        return 0.0, 0.0, 0.0
    if shape == LINEAR:
        return 1.0, 0.0, 0.0
    return 6.0 * u * (1.0 - u), 1.0 - u * (4.0 - 3.0 * u), u * (3.0 * u - 2.0)


@njit
def weigh_accelerations(shape, u):
    """Second derivatives of the weights by u."""
    if shape == MIN_JERK:
        return 60.0 * u * (1.0 - u) * (1.0 - 2.0 * u), 0.0, 0.0
    if shape in (HOLD, LINEAR):
        return 0.0, 0.0, 0.0
    return 6.0 - 12.0 * u, 6.0 * u - 4.0, 6.0 * u - 2.0


@njit
def sample_curve(shape, first, count, segment, at):
    """Value, first and second derivative of the curve of numbers in the segments first to first + count - 1.

    Before its first and after its last knot a curve holds, and both derivatives are zero.
    """
    k = find_segment(first, count, at, segment)
    span = segment[k, DURATION]
    passed = (at - segment[k, START]) / span
    u = min(max(passed, 0.0), 1.0)
    way, tangent, following = segment[k, WAY], segment[k, TANGENT], segment[k, NEXT_TANGENT]
    a, b, c = weigh_tangents(shape, u)
    value = segment[k, BASE] + (a * way + b * tangent + c * following)
    if passed != u:
        return value, 0.0, 0.0
    a, b, c = weigh_rates(shape, u)
    rate = (a * way + b * tangent + c * following) / span
    a, b, c = weigh_accelerations(shape, u)
    return value, rate, (a * way + b * tangent + c * following) / (span * span)
