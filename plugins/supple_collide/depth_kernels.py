"""Kernels that see how deep things are in each other."""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple_collide.shape_kinds import SPHERE

SHARE, DEPTH, TIME = range(3)


@njit
def find_deepest(sizes, contacts):
    """The deepest overlap as a part of the thinner of two, and which contact it is, or -1.

    sizes: where the elements of each surface begin, and the thickness of every element [m]; contacts: how many, and
    their surfaces, elements and gaps.
    """
    first, thickness = sizes
    count, surface, element, gap = contacts
    found, at = 0.0, -1
    for c in range(count[0]):
        if gap[c] < 0.0:
            thinner = min(
                thickness[first[surface[c, 0]] + element[c, 0]],
                thickness[first[surface[c, 1]] + element[c, 1]],
            )
            if -gap[c] > found * thinner:
                found, at = -gap[c] / thinner, c
    return found, at


@njit
def watch_depth(
    deep, sizes, contacts, now, books, share_out, worst_out, pair_out, start_out, deep_steps_out
):  # fmt: skip
    """Compare the contacts at the start of this step with the deepest so far.

    now: number of the step, its parts that are done, the time. books: the deepest so far and its pair, what was when
    the run began, and the steps in which something was deeper than `deep` and than that.
    """
    step, part, time = now
    worst, pair, start, deep_steps = books
    found, at = find_deepest(sizes, contacts)
    share_out[0] = found
    start_out[0] = found if step[0] == 0 and part[0] == 0 else start[0]
    deep_steps_out[0] = deep_steps[0] + (1.0 if found > max(deep, start_out[0]) else 0.0)
    for k in range(3):
        worst_out[k] = worst[k]
    for k in range(4):
        pair_out[k] = pair[k]
    if at >= 0 and found > worst[SHARE]:
        _, surface, element, gap = contacts
        worst_out[SHARE], worst_out[DEPTH], worst_out[TIME] = found, -gap[at], time[0]
        for side in range(2):
            pair_out[2 * side], pair_out[2 * side + 1] = surface[at, side], element[at, side]


@njit
def find_turns(h, shape, frame, extent, kind, size, twist, way_out):
    """way_out[shape]: how far the spins after the step turn the ends of the shapes of one carrier within it [m].

    shape and frame [n] are those that it carries, the others are of all. A ball may turn about its centre.
    """
    for k in range(shape.shape[0]):
        i, f = shape[k], frame[k]
        lever = extent[i] - (size[i, 0] if kind[i] == SPHERE else 0.0)
        way_out[i] = h * lever * math.sqrt(twist[f, 3] ** 2 + twist[f, 4] ** 2 + twist[f, 5] ** 2)


@njit
def is_far(part, primitives, sizes, way, contacts, far_out):
    """Whether ends of two primitives that may touch turned by more than that part of the thinner of them."""
    first, thickness = sizes
    count, surface, element, _ = contacts
    far_out[0] = 0
    for c in range(count[0]):
        if surface[c, 0] != primitives or surface[c, 1] != primitives:
            continue
        a, b = element[c, 0], element[c, 1]
        thinner = min(thickness[first[primitives] + a], thickness[first[primitives] + b])
        if way[a] + way[b] > part * thinner:
            far_out[0] = 1
            return
