"""Joints and springs as drawings: a ball, a pin along the axis or a block where a joint is, a thin rod for a spring."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from supple.core.build import Build
from supple.core.drawing import Carried, Drawing, Placed, Solid, Span
from supple.core.pose import multiply
from supple_joints.codes import BALL, FIXED, ON_SURFACE, PULL, STANDS_STILL
from supple_joints.links import Anchor, Link

#: Radius of a joint in distances from its anchors to the middles of what it ties, and its bounds [m].
_SHARE, _LEAST, _MOST = 0.07, 0.003, 0.03
#: Takes y, along which capsules lie, to x, along which the axis of an anchor lies.
_Y_TO_X = np.array([math.sqrt(0.5), 0.0, 0.0, -math.sqrt(0.5)])


def draw_links(build: Build, links: Sequence[Link]) -> None:
    """Show joints and springs. Grasps are not shown, nor what is held on a surface that bends: it moves within it."""
    for link in links:
        anchors = (link.a, link.b)
        if link.path not in build.graph or any(anchor.carrier == ON_SURFACE for anchor in anchors):
            continue
        entity = build.graph[link.path]
        if "joint" in entity.components:
            _draw_joint(build, link)
        elif "spring" in entity.components and link.kind != PULL:
            _draw_spring(build, link)


def _draw_joint(build: Build, link: Link) -> None:
    radius = _find_radius(link)
    turn = np.array([1.0, 0.0, 0.0, 0.0])
    if link.kind == BALL:
        form = Solid("sphere", (1.3 * radius, 0.0, 0.0))
    elif link.kind == FIXED:
        form = Solid("box", (radius, radius, radius))
    else:
        form, turn = Solid("capsule", (0.6 * radius, 4.0 * radius, 0.0)), _Y_TO_X
    # What moves carries it; side A if both do.
    anchor = link.b if link.a.carrier == STANDS_STILL else link.a
    qw, qx, qy, qz = (float(value) for value in multiply(anchor.rotation, turn))
    x, y, z = (float(value) for value in anchor.position)
    carrier = build.members("carriers")[anchor.carrier]
    place = Carried(carrier.position, carrier.rotation, anchor.frame, (x, y, z), (qw, qx, qy, qz))
    build.draw(Drawing(f"{link.path}.joint", link.path, "joints", form, place))


def _draw_spring(build: Build, link: Link) -> None:
    names = [_name_arrays(build, anchor) for anchor in (link.a, link.b)]
    start, end = ((float(x), float(y), float(z)) for x, y, z in (link.a.position, link.b.position))
    form = Span(
        (names[0][0], names[1][0]), (names[0][1], names[1][1]), (link.a.frame, link.b.frame), start, end,
        0.5 * _find_radius(link),
    )  # fmt: skip
    build.draw(Drawing(f"{link.path}.spring", link.path, "joints", form, Placed()))


def _name_arrays(build: Build, anchor: Anchor) -> tuple[str, str]:
    if anchor.carrier == STANDS_STILL:
        return "", ""
    carrier = build.members("carriers")[anchor.carrier]
    return carrier.position, carrier.rotation


def _find_radius(link: Link) -> float:
    away = [float(np.linalg.norm(each.position)) for each in (link.a, link.b) if each.carrier != STANDS_STILL]
    return min(max(_SHARE * sum(away) / len(away), _LEAST), _MOST)
