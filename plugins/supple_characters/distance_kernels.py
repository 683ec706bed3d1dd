"""The implicit surface: signed distances of limbs, blended. Negative inside; README eq. (1) to (5)."""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple_characters.limb_columns import (
    ALONG,
    APART,
    BLEND,
    CENTRE,
    END_JOINED,
    END_RADIUS,
    END_SIZE,
    FLATNESS,
    GROUP,
    JOIN,
    LENGTH,
    REACH,
    START,
    START_JOINED,
    START_RADIUS,
    START_SIZE,
    THIN,
    WIDE,
)

FAR = 1e9
# Part of the blending width that is left where two limbs run side by side.
SIDE_BY_SIDE = 0.4
# Steps of a projection, and the distance [m] that ends it.
PROJECTION_STEPS = 30
ON_THE_SURFACE = 1e-7


@njit
def limb_coordinates(limbs, k, px, py, pz):
    """The point in the axes of limb k: across (wide), along, and across (thin, stretched to make it round)."""
    x, y, z = px - limbs[k, START], py - limbs[k, START + 1], pz - limbs[k, START + 2]
    wide = x * limbs[k, WIDE] + y * limbs[k, WIDE + 1] + z * limbs[k, WIDE + 2]
    along = x * limbs[k, ALONG] + y * limbs[k, ALONG + 1] + z * limbs[k, ALONG + 2]
    thin = x * limbs[k, THIN] + y * limbs[k, THIN + 1] + z * limbs[k, THIN + 2]
    return wide, along, thin / limbs[k, FLATNESS]


@njit
def cone_distance(length, start_radius, end_radius, wide, along, thin):
    """Distance to two balls and the cone that touches both, and its gradient (wide, along, thin); eq. (1)."""
    across = math.sqrt(wide * wide + thin * thin)
    slope = (start_radius - end_radius) / length if length > 0.0 else 0.0
    cosine = math.sqrt(1.0 - slope * slope)
    place = along * cosine - across * slope
    if length == 0.0 or place <= 0.0 or place >= cosine * length:
        beyond = 0.0 if place <= 0.0 else length
        radius = start_radius if place <= 0.0 else end_radius
        size = math.sqrt(across * across + (along - beyond) * (along - beyond))
        if size == 0.0:
            return -radius, 0.0, 1.0, 0.0
        return size - radius, wide / size, (along - beyond) / size, thin / size
    if across == 0.0:
        return along * slope - start_radius, cosine, slope, 0.0
    distance = across * cosine + along * slope - start_radius
    return distance, cosine * wide / across, slope, cosine * thin / across


@njit
def limb_distance(limbs, k, px, py, pz):
    """First-order distance to limb k and its unit gradient, as (d, x, y, z); eq. (2)."""
    wide, along, thin = limb_coordinates(limbs, k, px, py, pz)
    d, gw, ga, gt = cone_distance(
        limbs[k, LENGTH], limbs[k, START_RADIUS], limbs[k, END_RADIUS], wide, along, thin
    )
    gt /= limbs[k, FLATNESS]
    size = math.sqrt(gw * gw + ga * ga + gt * gt)
    gw, ga, gt = gw / size, ga / size, gt / size
    return (
        d / size,
        gw * limbs[k, WIDE] + ga * limbs[k, ALONG] + gt * limbs[k, THIN],
        gw * limbs[k, WIDE + 1] + ga * limbs[k, ALONG + 1] + gt * limbs[k, THIN + 1],
        gw * limbs[k, WIDE + 2] + ga * limbs[k, ALONG + 2] + gt * limbs[k, THIN + 2],
    )


@njit
def unite(a, ax, ay, az, b, bx, by, bz, blend):
    """Smooth union of two distances with their gradients; eq. (3).

    The width is `blend` [m] where the two meet at a right angle or sharper, and less where they run side by side:
    a fillet fills a corner, but where two limbs are one smooth surface already little is to be added.
    """
    blend *= min(1.0, 1.0 - (1.0 - SIDE_BY_SIDE) * (ax * bx + ay * by + az * bz))
    if a > b:
        a, ax, ay, az, b, bx, by, bz = b, bx, by, bz, a, ax, ay, az
    if b - a >= blend:
        return a, ax, ay, az
    nearness = 1.0 - (b - a) / blend
    other = 0.5 * nearness
    return (
        a - 0.25 * blend * nearness * nearness,
        ax + other * (bx - ax),
        ay + other * (by - ay),
        az + other * (bz - az),
    )


@njit
def least_distance(limbs, k, px, py, pz):
    """What `limb_distance` is at least, cheaply: by the ball that holds limb k."""
    x, y, z = px - limbs[k, CENTRE], py - limbs[k, CENTRE + 1], pz - limbs[k, CENTRE + 2]
    return limbs[k, FLATNESS] * (math.sqrt(x * x + y * y + z * z) - limbs[k, REACH])


@njit
def group_distance(limbs, first, last, most, px, py, pz):
    """Blended distance of the limbs first to last - 1, which are one group, and its gradient.

    Where that is above `most`, a larger one may be returned.
    """
    d, gx, gy, gz = FAR, 0.0, 0.0, 0.0
    for k in range(first, last):
        if least_distance(limbs, k, px, py, pz) < min(most, d) + limbs[k, BLEND]:
            e, ex, ey, ez = limb_distance(limbs, k, px, py, pz)
            d, gx, gy, gz = unite(d, gx, gy, gz, e, ex, ey, ez, limbs[k, BLEND])
    return d, gx, gy, gz


@njit
def body_distance(limbs, soft, px, py, pz):
    """Blended distance at a point and its gradient, as (d, x, y, z); limbs are sorted by group; eq. (4)."""
    trunk, tx, ty, tz = FAR, 0.0, 0.0, 0.0
    rest, rx, ry, rz = FAR, 0.0, 0.0, 0.0
    k, count = 0, limbs.shape[0]
    while k < count:
        first, group = k, limbs[k, GROUP]
        while k < count and limbs[k, GROUP] == group:
            k += 1
        if group == 0.0:
            trunk, tx, ty, tz = group_distance(limbs, first, k, FAR, px, py, pz)
            continue
        # Farther away the group changes nothing.
        most = max(trunk + soft[JOIN], rest + soft[APART])
        d, gx, gy, gz = group_distance(limbs, first, k, most, px, py, pz)
        rest, rx, ry, rz = unite(rest, rx, ry, rz, d, gx, gy, gz, soft[APART])
    return unite(trunk, tx, ty, tz, rest, rx, ry, rz, soft[JOIN])


@njit
def project(limbs, soft, px, py, pz):
    """The point carried along the gradient onto the surface, and the unit normal there, as six numbers."""
    gx, gy, gz, square = 0.0, 0.0, 0.0, 1.0
    for _ in range(PROJECTION_STEPS):
        d, gx, gy, gz = body_distance(limbs, soft, px, py, pz)
        square = gx * gx + gy * gy + gz * gz
        if math.fabs(d) < ON_THE_SURFACE or square < 1e-4:
            break
        px, py, pz = px - d * gx / square, py - d * gy / square, pz - d * gz / square
    size = max(math.sqrt(square), 1e-30)
    return px, py, pz, gx / size, gy / size, gz / size


@njit
def edge_size(limbs, px, py, pz):
    """Relative length that edges should have near a point: a mean over limbs, the nearest counting most; eq. (5)."""
    total, weight = 0.0, 0.0
    for k in range(limbs.shape[0]):
        d, _, _, _ = limb_distance(limbs, k, px, py, pz)
        _, along, _ = limb_coordinates(limbs, k, px, py, pz)
        length = limbs[k, LENGTH]
        t = min(max(along / length, 0.0), 1.0) if length > 0.0 else 0.0
        near = max(d, 0.0) + 0.3 * (
            limbs[k, START_RADIUS] + t * (limbs[k, END_RADIUS] - limbs[k, START_RADIUS])
        )
        w = 1.0 / (near * near * near * near)
        total += w * (limbs[k, START_SIZE] + t * (limbs[k, END_SIZE] - limbs[k, START_SIZE]))
        weight += w
    return total / weight


@njit
def choose_limbs(
    limbs,  # model
    points,  # in
    limb_out,  # out
):
    """limb_out[i]: the limb that point i belongs to. Beyond the end where another bone begins a limb loses; eq. (6)."""
    for i in range(points.shape[0]):
        px, py, pz = points[i, 0], points[i, 1], points[i, 2]
        best = FAR
        for k in range(limbs.shape[0]):
            d, _, _, _ = limb_distance(limbs, k, px, py, pz)
            _, along, _ = limb_coordinates(limbs, k, px, py, pz)
            before, after = -along, along - limbs[k, LENGTH]
            if limbs[k, START_JOINED] > 0.0 and before > 0.0:
                d += before
            if limbs[k, END_JOINED] > 0.0 and after > 0.0:
                d += after
            if d < best:
                best = d
                limb_out[i] = k
