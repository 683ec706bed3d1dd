"""Surfaces along a ray, the tiles of the ground, and light on a surface. All colours are linear, not gamma-encoded."""

from __future__ import annotations

import math

from supple.core.jit import njit

#: What a sample shows instead of a triangle: the background, or a plane (PLANE - its number).
BACKGROUND = -1
PLANE = -2
#: Bits of the finish of a triangle: it shows its own normal; it has the tiles of the ground.
FLAT = 1
TILED = 2


@njit
def ray_at(axes, lens, column, row):
    """Direction in the world, of depth 1, from the eye through a place on the screen."""
    x, y = (column - lens[1]) / lens[0], (lens[2] - row) / lens[0]
    return (
        axes[2, 0] + x * axes[0, 0] + y * axes[1, 0],
        axes[2, 1] + x * axes[0, 1] + y * axes[1, 1],
        axes[2, 2] + x * axes[0, 2] + y * axes[1, 2],
    )


@njit
def meet_plane(plane, k, eye, dx, dy, dz):
    """Depth at which a ray from the eye meets plane k from above; 0 if it does not."""
    slope = plane[k, 3] * dx + plane[k, 4] * dy + plane[k, 5] * dz
    if slope >= 0.0:
        return 0.0
    height = 0.0
    for axis in range(3):
        height += plane[k, 3 + axis] * (eye[axis] - plane[k, axis])
    return max(0.0, -height / slope)


@njit
def choose_planes(plane, axes, eye, lens, nearness_out, owner_out):
    """Let planes hide what lies behind them. The nearness of a plane is linear on the screen, as a triangle's is."""
    for k in range(plane.shape[0]):
        height = 0.0
        for axis in range(3):
            height += plane[k, 3 + axis] * (eye[axis] - plane[k, axis])
        if height <= 0.0:
            continue
        right, up, forward = 0.0, 0.0, 0.0
        for axis in range(3):
            right -= axes[0, axis] * plane[k, 3 + axis] / height
            up -= axes[1, axis] * plane[k, 3 + axis] / height
            forward -= axes[2, axis] * plane[k, 3 + axis] / height
        for row in range(owner_out.shape[0]):
            base = forward + up * (lens[2] - row - 0.5) / lens[0]
            for column in range(owner_out.shape[1]):
                here = base + right * (column + 0.5 - lens[1]) / lens[0]
                if here > nearness_out[row, column]:
                    nearness_out[row, column] = here
                    owner_out[row, column] = PLANE - k


@njit
def average_wave(x, width):
    """The mean of the square wave (+1 on [0, 1), -1 on [1, 2), ...) over [x - width / 2, x + width / 2]."""
    a, b = 0.5 * (x - 0.5 * width), 0.5 * (x + 0.5 * width)
    a, b = a - math.floor(a), b - math.floor(b)
    whole = 2.0 * (min(b, 1.0 - b) - min(a, 1.0 - a)) / width
    return min(1.0, max(-1.0, whole))


@njit
def tile_shade(ground, u, v, width):
    """Brightness of the tiles at the place (u, v) of a surface [m], averaged over a pixel of this width [m].

    `ground`: colour, side of a tile [m], contrast, middle of the scene, where the fading starts and ends [m].
    """
    width = max(1e-6, width / ground[3])
    return 1.0 + ground[4] * average_wave(u / ground[3], width) * average_wave(v / ground[3], width)


@njit
def blend_light(light, sun_x, sun_y, sun_z, nx, ny, nz, vx, vy, vz, lit, open_sky):
    """Light on a surface with unit normal n, seen from the unit direction v: diffuse rgb, then gloss.

    `light` has the colours of the sun, the sky and the ground in its rows, and in the last the strengths of the
    light from the eye, of the gloss, of the rim, and of the shade where the sky is hidden. `lit` and `open_sky` are
    the parts of sun and sky that are not hidden.
    """
    sky = 0.5 + 0.5 * ny
    closed = 1.0 - light[3, 3] * max(0.0, ny) * (1.0 - open_sky)
    facing = max(0.0, nx * sun_x + ny * sun_y + nz * sun_z) * lit
    front = max(0.0, nx * vx + ny * vy + nz * vz)
    hx, hy, hz = vx + sun_x, vy + sun_y, vz + sun_z
    half = (nx * hx + ny * hy + nz * hz) / max(1e-9, math.sqrt(hx * hx + hy * hy + hz * hz))
    half = max(0.0, half) ** 2
    half = half * half * half
    half = half * half
    gloss = light[3, 1] * lit * half * half * half * half
    away = (1.0 - front) * (1.0 - front)
    rim = light[3, 2] * away * away * (0.4 + 0.6 * sky)
    eye = light[3, 0] * front
    return (
        light[0, 0] * facing + closed * (light[1, 0] * sky + light[2, 0] * (1.0 - sky) + eye),
        light[0, 1] * facing + closed * (light[1, 1] * sky + light[2, 1] * (1.0 - sky) + eye),
        light[0, 2] * facing + closed * (light[1, 2] * sky + light[2, 2] * (1.0 - sky) + eye),
        gloss + rim,
    )


@njit
def surface_at(triangles, finish, points, normals, colours, t, eye, dx, dy, dz):
    """Depth, unit normal towards the eye, and colour of triangle t where a ray from the eye meets it."""
    a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
    ux, uy, uz = points[b, 0] - points[a, 0], points[b, 1] - points[a, 1], points[b, 2] - points[a, 2]
    wx, wy, wz = points[c, 0] - points[a, 0], points[c, 1] - points[a, 1], points[c, 2] - points[a, 2]
    ox, oy, oz = eye[0] - points[a, 0], eye[1] - points[a, 1], eye[2] - points[a, 2]
    # Cramer's rule for  o + depth d = s u + r w.
    px, py, pz = dy * wz - dz * wy, dz * wx - dx * wz, dx * wy - dy * wx
    whole = ux * px + uy * py + uz * pz
    if whole == 0.0:
        whole = 1e-300
    s = min(1.0, max(0.0, (ox * px + oy * py + oz * pz) / whole))
    qx, qy, qz = oy * uz - oz * uy, oz * ux - ox * uz, ox * uy - oy * ux
    r = min(1.0 - s, max(0.0, (dx * qx + dy * qy + dz * qz) / whole))
    depth = (wx * qx + wy * qy + wz * qz) / whole
    if finish[t] & FLAT:
        nx, ny, nz = uy * wz - uz * wy, uz * wx - ux * wz, ux * wy - uy * wx
    else:
        o = 1.0 - s - r
        nx = o * normals[a, 0] + s * normals[b, 0] + r * normals[c, 0]
        ny = o * normals[a, 1] + s * normals[b, 1] + r * normals[c, 1]
        nz = o * normals[a, 2] + s * normals[b, 2] + r * normals[c, 2]
    size = math.sqrt(nx * nx + ny * ny + nz * nz)
    # Sheets have two sides; the one that is seen is lit.
    size = math.copysign(max(size, 1e-300), -(nx * dx + ny * dy + nz * dz))
    o = 1.0 - s - r
    return (
        depth, nx / size, ny / size, nz / size,
        o * colours[a, 0] + s * colours[b, 0] + r * colours[c, 0],
        o * colours[a, 1] + s * colours[b, 1] + r * colours[c, 1],
        o * colours[a, 2] + s * colours[b, 2] + r * colours[c, 2],
    )  # fmt: skip
