"""How much of the sun a point sees: percentage-closer soft shadows on a map of what the sun sees.

The sun is a disc. The farther a point lies behind what hides the sun, the wider its half shadow:
width = 2 tan(radius of the sun) * distance. Most points lie in full light or full shadow, which a coarse grid of
tiles tells at once.
"""

from __future__ import annotations

import math

from supple.core.jit import njit


@njit
def fill_tiles(nearness, tile, own_low_out, own_high_out, low_out, high_out):
    """Least and greatest nearness in each tile of the map alone, and in it and its eight neighbours."""
    tiles = low_out.shape[0]
    for i in range(tiles):
        for j in range(tiles):
            low, high = math.inf, -math.inf
            for row in range(i * tile, (i + 1) * tile):
                for column in range(j * tile, (j + 1) * tile):
                    value = nearness[row, column]
                    low, high = min(low, value), max(high, value)
            own_low_out[i, j], own_high_out[i, j] = low, high
    for i in range(tiles):
        for j in range(tiles):
            low, high = math.inf, -math.inf
            for row in range(max(0, i - 1), min(tiles, i + 2)):
                for column in range(max(0, j - 1), min(tiles, j + 2)):
                    low, high = min(low, own_low_out[row, column]), max(high, own_high_out[row, column])
            low_out[i, j], high_out[i, j] = low, high


@njit
def light_at(nearness, column, row, q):
    """Light at a place of the map between four of its pixels, each of which is lit or not."""
    size = nearness.shape[0]
    x, y = column - 0.5, row - 0.5
    j, i = math.floor(x), math.floor(y)
    if i < 0 or j < 0 or i + 1 >= size or j + 1 >= size:
        return 1.0
    s, t = x - j, y - i
    a = 1.0 if nearness[i, j] <= q else 0.0
    b = 1.0 if nearness[i, j + 1] <= q else 0.0
    c = 1.0 if nearness[i + 1, j] <= q else 0.0
    d = 1.0 if nearness[i + 1, j + 1] <= q else 0.0
    return (a * (1.0 - s) + b * s) * (1.0 - t) + (c * (1.0 - s) + d * s) * t


@njit
def sunlight(search, disc, nearness, low, high, tile, scale, spread, x, y, z):
    """The part of the sun, 0 to 1, that the point (x, y, z) in the sun's axes sees.

    `search` and `disc` [n, 2] are places in the unit disc, to look for what hides the sun and to average over;
    `spread` is the tangent of the sun's radius.
    """
    size = nearness.shape[0]
    column, row, q = 0.5 * size + scale * x, 0.5 * size - scale * y, -z
    if not (0.0 <= column < size and 0.0 <= row < size):
        return 1.0
    i, j = int(row) // tile, int(column) // tile
    if high[i, j] <= q:
        return 1.0
    if low[i, j] > q:
        return 0.0
    # Whatever hides the sun lies within the widest half shadow that it could cast here.
    widest = min(float(tile), max(1.0, spread * scale * (high[i, j] - q)))
    hidden, distance = 0, 0.0
    for k in range(search.shape[0]):
        r, c = int(row + widest * search[k, 1]), int(column + widest * search[k, 0])
        if 0 <= r < size and 0 <= c < size and nearness[r, c] > q:
            hidden += 1
            distance += nearness[r, c] - q
    if hidden == 0:
        return 1.0
    reach = min(widest, max(1.5, spread * scale * distance / hidden))
    light = 0.0
    for k in range(disc.shape[0]):
        light += light_at(nearness, column + reach * disc[k, 0], row + reach * disc[k, 1], q)
    return light / disc.shape[0]
