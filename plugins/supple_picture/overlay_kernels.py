"""What comes last: arrows and what shines through, laid over the picture, and light turned into bytes."""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple_picture.shade_kernels import ray_at, surface_at


@njit
def glow_at(soup, t, behind, through, slack, view, row, column):
    """Colour of triangle t of what is laid over at a sample, times the share of it that is seen, and that share.

    `soup` is (triangles, finish, points, normals, colours) of that, `view` (axes, eye, lens) of the camera.
    """
    triangles, finish, points, normals, colours = soup
    axes, eye, lens = view
    dx, dy, dz = ray_at(axes, lens, column + 0.5, row + 0.5)
    depth, nx, ny, nz, r, g, b = surface_at(triangles, finish, points, normals, colours, t, eye, dx, dy, dz)
    front = -(nx * dx + ny * dy + nz * dz) / math.sqrt(dx * dx + dy * dy + dz * dz)
    share = 1.0 if behind * (depth - slack) <= 1.0 else through
    light = share * (0.6 + 0.4 * max(0.0, front))
    return light * r, light * g, light * b, share


@njit
def lay_over(soup, owner, behind, through, slack, view, image_out):
    """Blend triangles into the picture: whole where nothing hides them, by `through` where something does.

    `owner` numbers these triangles, `behind` is the nearness of all else; what lies less than `slack` [m] before
    one does not hide it.
    """
    samples = owner.shape[0] // image_out.shape[0]
    total = 1.0 / (samples * samples)
    for row in range(image_out.shape[0]):
        for column in range(image_out.shape[1]):
            red, green, blue, covered = 0.0, 0.0, 0.0, 0.0
            for i in range(row * samples, (row + 1) * samples):
                for j in range(column * samples, (column + 1) * samples):
                    if owner[i, j] >= 0:
                        r, g, b, share = glow_at(soup, owner[i, j], behind[i, j], through, slack, view, i, j)
                        red, green, blue, covered = red + r, green + g, blue + b, covered + share
            if covered > 0.0:
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
