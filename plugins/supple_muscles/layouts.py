"""Where the fibres of letters lie."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from supple.core.arrays import FloatArray
from supple_muscles.components import Helix
from supple_muscles.fibres import Chain, cut_evenly, wind_helix
from supple_tets.lattice import Box
from supple_tets.letters import (
    HUB,
    LEG,
    RING_HEIGHT,
    RING_INNER,
    RING_OUTER,
    STROKES,
    X_HEIGHT,
    X_LOWEST,
    place_on_leg,
)

LONG, ACROSS, WOUND = "longitudinal", "radial", "helical"
END = 0.03
"""Fibres end this part of a stroke's length before its ends."""
REACH = 0.8
"""Radial fibres reach this far from the middle towards the surface."""


def lay_out_letter(letter: Any, muscles: Any) -> list[Chain]:
    """The fibres of a `tet_letter` as its `letter_muscles` asks for them, in the letter's frame."""
    name, depth = letter.letter, muscles.depth
    if name == "O":
        natural, chains = RING_HEIGHT, lay_out_ring(depth)
    elif name == "X":
        natural, chains = X_HEIGHT, lay_out_x(depth)
    else:
        natural, boxes = STROKES[name]
        chains = lay_out_strokes(name, muscles.layout, boxes, depth)
    scale = (letter.height or natural) / natural
    return [Chain(each.name, each.group, scale * each.points) for each in chains]


def lay_out_strokes(name: str, layout: str, boxes: tuple[Box, ...], depth: float) -> list[Chain]:
    """Letters that are made of boxes: fibres in their upright strokes."""
    if name == "H":
        legs = zip(("left", "right"), boxes[:2], strict=True)
        return [
            chain
            for side, box in legs
            for chain in (*run_along(side, box, depth, 6), *run_across(side, box, (0.5,)))
        ]
    body = boxes[0] if name != "T" else (boxes[0][0], (boxes[0][1][0], boxes[1][1][1], boxes[0][1][2]))
    if layout == "crawl" and name == "I":
        return [*run_along("body", body, depth, 6), *run_across("body", body, (0.5,))]
    chains = run_along("body", body, depth, 12)
    if name == "T" or (layout == "jump" and name == "I"):
        chains += wind_around("body", body, depth, 12)
    if layout == "jump" and name == "I":
        chains += run_across("body", body, (0.2, 0.4, 0.6, 0.8))
    return chains


def run_along(name: str, box: Box, depth: float, segments: int) -> list[Chain]:
    """Four fibres up a box."""
    low, high = np.array(box[0]), np.array(box[1])
    middle, half = (low + high) / 2, (high - low) / 2
    chains = []
    for x, z in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        ends = np.array([middle + half * (depth * x, way * (1 - 2 * END), depth * z) for way in (-1, 1)])
        label = f"{name}_{'right' if x > 0 else 'left'}_{'front' if z > 0 else 'back'}"
        chains.append(Chain(label, LONG, cut_evenly(ends, segments)))
    return chains


def run_across(name: str, box: Box, at: tuple[float, ...]) -> list[Chain]:
    """Two fibres across a box, along x and along z, at each of these shares of its height."""
    low, high = np.array(box[0]), np.array(box[1])
    chains = []
    for number, share in enumerate(at):
        middle = (low + high) / 2
        middle[1] = low[1] + share * (high[1] - low[1])
        for axis, word in ((0, "x"), (2, "z")):
            way = np.zeros(3)
            way[axis] = REACH * (high[axis] - low[axis]) / 2
            label = f"{name}_across_{word}{number}"
            chains.append(Chain(label, ACROSS, np.array([middle - way, middle + way])))
    return chains


def wind_around(name: str, box: Box, depth: float, segments: int) -> list[Chain]:
    """Four fibres around the axis of an upright box, two of each hand, once from bottom to top."""
    low, high = np.array(box[0]), np.array(box[1])
    middle, half = (low + high) / 2, (high - low) / 2
    ends = [tuple(middle + half * (0.0, way * (1 - 2 * END), 0.0)) for way in (-1, 1)]
    return [
        Chain(
            f"{name}_{word}{number}",
            f"{WOUND} {word}",
            wind_helix(
                Helix(
                    low=ends[0], high=ends[1], radius=depth * min(half[0], half[2]), turns=turns,
                    start=180.0 * number,
                ),
                segments,
            ),
        )
        for word, turns in (("right_hand", 1.0), ("left_hand", -1.0))
        for number in range(2)
    ]  # fmt: skip


def lay_out_ring(depth: float) -> list[Chain]:
    """Two closed fibres around the O, near its inner and its outer side; they begin at the bottom."""
    chains = []
    for name, side in (("inner", -1), ("outer", 1)):
        radius = (RING_INNER + RING_OUTER + side * depth * (RING_OUTER - RING_INNER)) / 2
        angle = np.linspace(-math.pi / 2, 1.5 * math.pi, 21)
        points = np.stack(
            [radius * np.cos(angle), RING_OUTER + radius * np.sin(angle), np.zeros(len(angle))], axis=1
        )
        chains.append(Chain(name, LONG, points))
    return chains


def lay_out_x(depth: float) -> list[Chain]:
    """The X: four fibres along each leg that begin within the hub, and two crosses of radial ones."""
    chains = []
    for leg in ("x_plus", "x_minus", "z_plus", "z_minus"):
        shares = np.linspace(-0.4 * HUB / LEG, 0.97, 7)
        for side, up in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
            points = [_place(leg, share, side * depth, up * depth) for share in shares]
            label = f"{leg}_{'upper' if up > 0 else 'lower'}{'_a' if side > 0 else '_b'}"
            chains.append(Chain(label, LONG, np.array(points)))
        for number, share in enumerate((0.3, 0.7)):
            for word, aside, high in (("side", REACH, 0.0), ("up", 0.0, REACH)):
                ends = [_place(leg, share, way * aside, way * high) for way in (-1, 1)]
                chains.append(Chain(f"{leg}_across_{word}{number}", ACROSS, np.array(ends)))
    return chains


def _place(leg: str, share: float, side: float, up: float) -> FloatArray:
    out, high, aside = place_on_leg(share, side, up)
    sign = 1.0 if leg.endswith("plus") else -1.0
    high -= X_LOWEST
    return np.array([sign * out, high, aside] if leg.startswith("x") else [aside, high, sign * out])
