"""From samples to pixels, one row of the picture at a time.

The samples of a pixel that show the same surface are one fragment, shaded once at their mean. A row is gathered,
lit by each lamp, and blended: three short loops over the same few thousand numbers. The columns of a fragment are
named below; what belongs together comes as a tuple of arrays, `soup` (triangles, finish, points, normals, colours),
`view` (axes, eye, lens) of the camera, and `lamp` (axes, place, disc, seen, low, high).
"""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple_picture.shade_kernels import (
    BACKGROUND,
    PLANE,
    TILED,
    blend_light,
    meet_plane,
    ray_at,
    surface_at,
    tile_shade,
)
from supple_picture.shadow_kernels import sunlight

#: Columns of a fragment: place [m], unit normal, colour, unit direction to the eye, size of a pixel there [m],
#: samples; light of the sun and of the sky that reaches it.
P, N, C, V, WIDTH, COUNT, SUN, SKY = 0, 3, 6, 9, 12, 13, 14, 15
FRAGMENT_COLUMNS = 16


@njit
def shows_one(owner, top, left, samples):
    """Whether all samples of a pixel show the same."""
    for i in range(top, top + samples):
        for j in range(left, left + samples):
            if owner[i, j] != owner[top, left]:
                return False
    return True


@njit
def describe(soup, plane, ground, view, pixel, number, column, line, f, fragment_out):
    """Fill fragment f with what a ray through a place of the screen meets; `pixel` is the size of one at depth 1."""
    triangles, finish, points, normals, colours = soup
    axes, eye, lens = view
    dx, dy, dz = ray_at(axes, lens, column, line)
    if number <= PLANE:
        k = PLANE - number
        depth = meet_plane(plane, k, eye, dx, dy, dz)
        nx, ny, nz = plane[k, 3], plane[k, 4], plane[k, 5]
        red, green, blue = ground[0], ground[1], ground[2]
    else:
        depth, nx, ny, nz, red, green, blue = surface_at(
            triangles, finish, points, normals, colours, number, eye, dx, dy, dz
        )
    size = math.sqrt(dx * dx + dy * dy + dz * dz)
    one = fragment_out[f]
    one[P], one[P + 1], one[P + 2] = eye[0] + depth * dx, eye[1] + depth * dy, eye[2] + depth * dz
    one[N], one[N + 1], one[N + 2] = nx, ny, nz
    one[C], one[C + 1], one[C + 2] = red, green, blue
    one[V], one[V + 1], one[V + 2] = -dx / size, -dy / size, -dz / size
    one[WIDTH] = pixel * depth / max(1e-3, -(nx * dx + ny * dy + nz * dz) / size)
    one[SUN], one[SKY] = 0.0, 1.0


@njit
def gather_row(soup, plane, ground, view, owner, samples, row, width, number_out, column_out, fragment_out):
    """Fill the fragments of a row of the picture from left to right; returns how many there are."""
    pixel = samples / view[2][0]
    everything = (1 << (samples * samples)) - 1
    top, f = row * samples, 0
    for column in range(width):
        left, done = column * samples, 0
        while done != everything:
            number, x, y, count = (
                owner[top, left],
                left + 0.5 * samples,
                top + 0.5 * samples,
                samples * samples,
            )
            if done == 0 and shows_one(owner, top, left, samples):
                done = everything
            else:
                x, y, count, bit = 0.0, 0.0, 0, 1
                for i in range(top, top + samples):
                    for j in range(left, left + samples):
                        if not done & bit and (count == 0 or owner[i, j] == number):
                            number, done = owner[i, j], done | bit
                            x, y, count = x + j + 0.5, y + i + 0.5, count + 1
                        bit <<= 1
                x, y = x / count, y / count
            number_out[f], column_out[f] = number, column
            if number != BACKGROUND:
                describe(soup, plane, ground, view, pixel, number, x, y, f, fragment_out)
            fragment_out[f, COUNT] = count
            f += 1
    return f


@njit
def light_row(search, tile, lamp, number, count, part, fragment_out):
    """Column `part` of the first `count` fragments: the part of the lamp that each sees, 0 if it faces away.

    `place` of the lamp has the origin of its map, its pixels per metre and the tangent of the lamp's radius. A point
    is lifted off its surface by a pixel or more of the map, lest the surface shade itself.
    """
    axes, place, disc, seen, low, high = lamp
    scale, spread = place[3], place[4]
    for f in range(count):
        if number[f] == BACKGROUND:
            continue
        one = fragment_out[f]
        nx, ny, nz = one[N], one[N + 1], one[N + 2]
        facing = -(nx * axes[2, 0] + ny * axes[2, 1] + nz * axes[2, 2])
        if facing <= 0.0:
            continue
        # A surface that the light grazes needs the more room.
        lift = (3.2 - 2.0 * facing) / scale
        x, y, z = (
            one[P] + lift * nx - place[0],
            one[P + 1] + lift * ny - place[1],
            one[P + 2] + lift * nz - place[2],
        )
        one[part] = sunlight(
            search, disc, seen, low, high, tile, scale, spread,
            axes[0, 0] * x + axes[0, 1] * y + axes[0, 2] * z,
            axes[1, 0] * x + axes[1, 1] * y + axes[1, 2] * z,
            axes[2, 0] * x + axes[2, 1] * y + axes[2, 2] * z,
        )  # fmt: skip


@njit
def fade_at(ground, x, y, z):
    """How far the ground has faded into the background at a place: 0 near the scene, 1 far away."""
    far = math.sqrt((x - ground[5]) ** 2 + (y - ground[6]) ** 2 + (z - ground[7]) ** 2)
    part = min(1.0, max(0.0, (far - ground[8]) / (ground[9] - ground[8])))
    return part * part * (3.0 - 2.0 * part)


@njit
def shade_fragment(finish, plane, ground, light, sun_axes, number, one, backdrop, row):
    """Linear colour of a fragment that is lit already."""
    red, green, blue, gloss = blend_light(
        light, -sun_axes[2, 0], -sun_axes[2, 1], -sun_axes[2, 2],
        one[N], one[N + 1], one[N + 2], one[V], one[V + 1], one[V + 2], one[SUN], one[SKY],
    )  # fmt: skip
    red, green, blue = red * one[C], green * one[C + 1], blue * one[C + 2]
    if number <= PLANE:
        k = PLANE - number
        x, y, z = one[P] - plane[k, 0], one[P + 1] - plane[k, 1], one[P + 2] - plane[k, 2]
        u = plane[k, 6] * x + plane[k, 7] * y + plane[k, 8] * z
        v = plane[k, 9] * x + plane[k, 10] * y + plane[k, 11] * z
        fade = fade_at(ground, one[P], one[P + 1], one[P + 2])
        near = (1.0 - fade) * tile_shade(ground, u, v, one[WIDTH])
        return (
            near * red + fade * backdrop[row, 0],
            near * green + fade * backdrop[row, 1],
            near * blue + fade * backdrop[row, 2],
        )
    if finish[number] & TILED:
        bright = tile_shade(ground, one[P], one[P + 2], one[WIDTH])
        return bright * red, bright * green, bright * blue
    return red + gloss, green + gloss, blue + gloss


@njit
def resolve(
    soup, plane, ground, light, backdrop, search, tile, sun, sky, view, owner, samples,
    number, column, fragment, image_out,
):  # fmt: skip
    """image_out [h, w, 3]: the mean over samples x samples of each pixel. The last arguments but one are scratch."""
    height, width = image_out.shape[0], image_out.shape[1]
    share = 1.0 / (samples * samples)
    for row in range(height):
        count = gather_row(soup, plane, ground, view, owner, samples, row, width, number, column, fragment)
        light_row(search, tile, sun, number, count, SUN, fragment)
        light_row(search, tile, sky, number, count, SKY, fragment)
        for j in range(width):
            image_out[row, j, 0], image_out[row, j, 1], image_out[row, j, 2] = 0.0, 0.0, 0.0
        for f in range(count):
            red, green, blue = backdrop[row, 0], backdrop[row, 1], backdrop[row, 2]
            if number[f] != BACKGROUND:
                red, green, blue = shade_fragment(
                    soup[1], plane, ground, light, sun[0], number[f], fragment[f], backdrop, row
                )
            part = share * fragment[f, COUNT]
            image_out[row, column[f], 0] += part * red
            image_out[row, column[f], 1] += part * green
            image_out[row, column[f], 2] += part * blue
