"""From samples to pixels: shade what they show, lay arrows over it.

What belongs together comes as a tuple of arrays: `soup` is (triangles, finish, points, normals, colours), `view` is
(axes, eye, lens) of the camera, `sun` and `sky` are each (axes, place, disc, seen, low, high) of a lamp's map.
"""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple_picture.shade_kernels import (
    BACKGROUND,
    PLANE,
    TILED,
    average_wave,
    blend_light,
    meet_plane,
    ray_at,
    surface_at,
)
from supple_picture.shadow_kernels import sunlight


@njit
def light_through(search, tile, lamp, px, py, pz, nx, ny, nz):
    """The part of a lamp that a point p of a surface with unit normal n sees.

    `place` of the lamp has the origin of its map, its pixels per metre and the tangent of the lamp's radius. The point
    is lifted off its surface by a pixel or more of the map, lest the surface shade itself.
    """
    axes, place, disc, seen, low, high = lamp
    scale = place[3]
    # A surface that the light grazes needs the more room.
    graze = 1.0 - abs(nx * axes[2, 0] + ny * axes[2, 1] + nz * axes[2, 2])
    lift = (1.2 + 2.0 * graze) / scale
    x, y, z = px + lift * nx - place[0], py + lift * ny - place[1], pz + lift * nz - place[2]
    return sunlight(
        search, disc, seen, low, high, tile, scale, place[4],
        axes[0, 0] * x + axes[0, 1] * y + axes[0, 2] * z,
        axes[1, 0] * x + axes[1, 1] * y + axes[1, 2] * z,
        axes[2, 0] * x + axes[2, 1] * y + axes[2, 2] * z,
    )  # fmt: skip


@njit
def light_on(search, tile, light, sun, sky, px, py, pz, nx, ny, nz, vx, vy, vz):
    """Light on a point p of a surface with unit normal n, seen from the direction v: diffuse rgb, gloss."""
    axes = sun[0]
    sx, sy, sz = -axes[2, 0], -axes[2, 1], -axes[2, 2]
    sun_part, sky_part = 0.0, 1.0
    if nx * sx + ny * sy + nz * sz > 0.0:
        sun_part = light_through(search, tile, sun, px, py, pz, nx, ny, nz)
    if ny > 0.0:
        sky_part = light_through(search, tile, sky, px, py, pz, nx, ny, nz)
    return blend_light(light, sx, sy, sz, nx, ny, nz, vx, vy, vz, sun_part, sky_part)


@njit
def tile_shade(ground, u, v, width):
    """Brightness of the tiles at the place (u, v) of a surface [m], averaged over a pixel of this width [m]."""
    width = max(1e-6, width / ground[3])
    return 1.0 + ground[4] * average_wave(u / ground[3], width) * average_wave(v / ground[3], width)


@njit
def shade_plane(
    plane, k, ground, light, background, row, search, tile, sun, sky, eye, dx, dy, dz, pixel
):  # fmt: skip
    """Colour of plane k along a ray: tiles that fade into the background far from the scene.

    `ground`: colour, side of a tile [m], contrast, middle of the scene, where the fading starts and ends [m].
    `pixel` is the size of a pixel at depth 1.
    """
    depth = meet_plane(plane, k, eye, dx, dy, dz)
    px, py, pz = eye[0] + depth * dx, eye[1] + depth * dy, eye[2] + depth * dz
    far = math.sqrt((px - ground[5]) ** 2 + (py - ground[6]) ** 2 + (pz - ground[7]) ** 2)
    fade = min(1.0, max(0.0, (far - ground[8]) / (ground[9] - ground[8])))
    fade = fade * fade * (3.0 - 2.0 * fade)
    if fade >= 1.0:
        return background[row, 0], background[row, 1], background[row, 2]
    nx, ny, nz = plane[k, 3], plane[k, 4], plane[k, 5]
    size = math.sqrt(dx * dx + dy * dy + dz * dz)
    vx, vy, vz = -dx / size, -dy / size, -dz / size
    ox, oy, oz = px - plane[k, 0], py - plane[k, 1], pz - plane[k, 2]
    u = plane[k, 6] * ox + plane[k, 7] * oy + plane[k, 8] * oz
    v = plane[k, 9] * ox + plane[k, 10] * oy + plane[k, 11] * oz
    shade = tile_shade(ground, u, v, pixel * depth / max(1e-3, nx * vx + ny * vy + nz * vz))
    red, green, blue, _ = light_on(search, tile, light, sun, sky, px, py, pz, nx, ny, nz, vx, vy, vz)
    return (
        fade * background[row, 0] + (1.0 - fade) * shade * ground[0] * red,
        fade * background[row, 1] + (1.0 - fade) * shade * ground[1] * green,
        fade * background[row, 2] + (1.0 - fade) * shade * ground[2] * blue,
    )


@njit
def shade_triangle(soup, t, ground, light, search, tile, sun, sky, eye, dx, dy, dz, pixel):
    """Colour of triangle t along a ray; `ground` and `pixel` as for planes."""
    triangles, finish, points, normals, colours = soup
    depth, nx, ny, nz, red, green, blue = surface_at(
        triangles, finish, points, normals, colours, t, eye, dx, dy, dz
    )
    px, py, pz = eye[0] + depth * dx, eye[1] + depth * dy, eye[2] + depth * dz
    size = math.sqrt(dx * dx + dy * dy + dz * dz)
    vx, vy, vz = -dx / size, -dy / size, -dz / size
    r, g, b, gloss = light_on(search, tile, light, sun, sky, px, py, pz, nx, ny, nz, vx, vy, vz)
    if finish[t] & TILED:
        gloss = 0.0
        shade = tile_shade(ground, px, pz, pixel * depth / max(1e-3, nx * vx + ny * vy + nz * vz))
        r, g, b = shade * r, shade * g, shade * b
    return red * r + gloss, green * g + gloss, blue * b + gloss


@njit
def resolve(
    soup, plane, ground, light, background, search, tile, sun, sky, view, owner, samples, image_out
):  # fmt: skip
    """image_out [h, w, 3]: the mean over samples x samples of each pixel; each surface is shaded once a pixel."""
    axes, eye, lens = view
    pixel = samples / lens[0]
    total = 1.0 / (samples * samples)
    for row in range(image_out.shape[0]):
        for column in range(image_out.shape[1]):
            done = 0
            red, green, blue = 0.0, 0.0, 0.0
            for k in range(samples * samples):
                if done & (1 << k):
                    continue
                number = owner[row * samples + k // samples, column * samples + k % samples]
                x, y, count = 0.0, 0.0, 0
                for m in range(k, samples * samples):
                    i, j = row * samples + m // samples, column * samples + m % samples
                    if owner[i, j] == number:
                        done |= 1 << m
                        x, y, count = x + j + 0.5, y + i + 0.5, count + 1
                dx, dy, dz = ray_at(axes, lens, x / count, y / count)
                if number == BACKGROUND:
                    r, g, b = background[row, 0], background[row, 1], background[row, 2]
                elif number <= PLANE:
                    r, g, b = shade_plane(
                        plane, PLANE - number, ground, light, background, row, search, tile, sun, sky,
                        eye, dx, dy, dz, pixel,
                    )  # fmt: skip
                else:
                    r, g, b = shade_triangle(
                        soup, number, ground, light, search, tile, sun, sky, eye, dx, dy, dz, pixel
                    )
                red, green, blue = red + count * r, green + count * g, blue + count * b
            image_out[row, column, 0] = red * total
            image_out[row, column, 1] = green * total
            image_out[row, column, 2] = blue * total


@njit
def lay_over(soup, owner, behind, through, slack, view, samples, image_out):
    """Blend arrows into the picture: whole where nothing hides them, by the part `through` where something does.

    `owner` numbers the arrows' triangles, `behind` is the nearness of all else; what lies less than `slack` [m]
    before an arrow does not hide it.
    """
    triangles, finish, points, normals, colours = soup
    axes, eye, lens = view
    for row in range(image_out.shape[0]):
        for column in range(image_out.shape[1]):
            red, green, blue, covered = 0.0, 0.0, 0.0, 0.0
            for k in range(samples * samples):
                i, j = row * samples + k // samples, column * samples + k % samples
                if owner[i, j] < 0:
                    continue
                dx, dy, dz = ray_at(axes, lens, j + 0.5, i + 0.5)
                depth, nx, ny, nz, r, g, b = surface_at(
                    triangles, finish, points, normals, colours, owner[i, j], eye, dx, dy, dz
                )
                front = -(nx * dx + ny * dy + nz * dz) / math.sqrt(dx * dx + dy * dy + dz * dz)
                shade = 0.6 + 0.4 * max(0.0, front)
                share = 1.0 if behind[i, j] * (depth - slack) <= 1.0 else through
                covered += share
                share *= shade
                red, green, blue = red + share * r, green + share * g, blue + share * b
            if covered > 0.0:
                total = 1.0 / (samples * samples)
                kept = 1.0 - covered * total
                image_out[row, column, 0] = kept * image_out[row, column, 0] + red * total
                image_out[row, column, 1] = kept * image_out[row, column, 1] + green * total
                image_out[row, column, 2] = kept * image_out[row, column, 2] + blue * total


@njit
def encode(table, image, bytes_out):
    """bytes_out [h, w, 3]: the entries of a table over light from 0 to 1; brighter light takes the last one."""
    last = table.shape[0] - 1
    for row in range(image.shape[0]):
        for column in range(image.shape[1]):
            for k in range(3):
                value = min(1.0, max(0.0, image[row, column, k]))
                bytes_out[row, column, k] = table[int(value * last + 0.5)]
