"""Feet of walkers: rigid, of four links, or soft."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from supple.core.arrays import FloatArray
from supple_characters.plan import Block, BonePlan, Joint, Mass, point, solid_mass

FOOT, TOES = "foot", "toes"

# Heel, middle and front of a foot of several links: where each ends along the sole, and its part of the mass.
PARTS = (("heel", 0.0, 0.276, 0.28), ("", 0.276, 0.655, 0.38), ("front", 0.655, 1.0, 0.34))
BEND = 30.0  # [deg]

Points = FloatArray
Corners = list[tuple[int, int, int]]


def is_part(bone: BonePlan, word: str) -> bool:
    """Whether a bone is the foot, or the toes, of a side."""
    return bone.path.rpartition("/")[2] in (f"left_{word}", f"right_{word}")


def split_feet(bones: Iterable[BonePlan]) -> list[BonePlan]:
    """Every foot in heel, middle and front, hinged across; what hung on the foot hangs on its front."""
    made: list[BonePlan] = []
    moved: dict[str, str] = {}
    for bone in bones:
        if is_part(bone, FOOT):
            links = _split(bone)
            moved[bone.path] = links[-1].path
            made.extend(links)
            continue
        above = next((path for path in moved if bone.path.startswith(f"{path}/")), None)
        made.append(replace(bone, path=moved[above] + bone.path[len(above) :]) if above else bone)
    return made


def _split(foot: BonePlan) -> list[BonePlan]:
    """The middle keeps joint and path of the foot; mass, centre and inertia of all together are those of the foot."""
    (sole,) = foot.blocks
    assert foot.mass is not None
    side = foot.path.rpartition("/")[2].partition("_")[0]
    low, high = sole.start[2] - sole.size[2], sole.start[2] + sole.size[2]
    height = (sole.start[1] + sole.end[1]) / 2
    whole = np.array(foot.mass.centre)
    centres = {}
    for name, first, last, _ in PARTS:
        middle = low + (first + last) / 2 * (high - low)
        centres[name] = np.array([sole.start[0], whole[1], middle])
    rest = sum(part * (centres[name] - whole) for name, _, _, part in PARTS if name)
    centres[""] = whole - rest / next(part for name, _, _, part in PARTS if not name)
    own = foot.mass.matrix
    for name, _, _, part in PARTS:
        own = own - foot.mass.mass * part * _arm(centres[name] - whole)
    links = []
    for name, first, last, part in sorted(PARTS, key=lambda each: bool(each[0])):
        start, end = low + first * (high - low), low + last * (high - low)
        mass = solid_mass(part * foot.mass.mass, point(centres[name]), part * own)
        block = replace(
            sole,
            start=(sole.start[0], sole.start[1], (start + end) / 2),
            end=(sole.end[0], sole.end[1], (start + end) / 2),
            size=(sole.size[0], 0.0, (end - start) / 2),
        )
        if not name:
            links.append(replace(foot, mass=mass, blocks=(block,)))
            continue
        hinge = (sole.start[0], height, end if name == "heel" else start)
        joint = Joint("hinge", lower=-BEND, upper=BEND)
        links.append(BonePlan(f"{foot.path}/{side}_{name}", hinge, joint, mass, (block,)))
    return links


def _arm(away: FloatArray) -> FloatArray:
    """Inertia [m^2] of a unit mass at a distance."""
    matrix: FloatArray = away @ away * np.eye(3) - np.outer(away, away)
    return matrix


def wrap_block(block: Block, cells: tuple[int, int, int]) -> tuple[Points, Corners]:
    """A closed mesh in the shape of a box, or of a ball: an icosahedron with a corner straight below."""
    if block.kind == "sphere":
        return _wrap_ball(np.array(block.start), block.size[0])
    from supple_flesh.shapes import make_box_surface

    low, high = np.array(block.start), np.array(block.end)
    size = (2 * block.size[0], float(high[1] - low[1]), 2 * block.size[2])
    vertices, triangles = make_box_surface(size, cells)
    return np.array(vertices) + (low + high) / 2, list(triangles)


def _wrap_ball(centre: FloatArray, radius: float) -> tuple[Points, Corners]:
    height, ring = 1 / math.sqrt(5), 2 / math.sqrt(5)
    corners = [(0.0, 1.0, 0.0)]
    for sign, shift in ((1.0, 0.0), (-1.0, 0.5)):
        for k in range(5):
            turn = 2 * math.pi * (k + shift) / 5
            corners.append((ring * math.cos(turn), sign * height, ring * math.sin(turn)))
    corners.append((0.0, -1.0, 0.0))
    triangles: Corners = []
    for k in range(5):
        up, next_up = 1 + k, 1 + (k + 1) % 5
        down, next_down = 6 + k, 6 + (k + 1) % 5
        triangles += [
            (0, next_up, up),
            (11, down, next_down),
            (up, next_up, down),
            (next_up, next_down, down),
        ]
    return centre + radius * np.array(corners), triangles


def find_vertex_masses(vertices: Points, triangles: Corners, mass: float) -> FloatArray:
    """A mass spread by area over the corners of a mesh, as flesh does it."""
    shares = np.zeros(len(vertices))
    for triangle in triangles:
        a, b, c = (vertices[k] for k in triangle)
        shares[list(triangle)] += np.linalg.norm(np.cross(b - a, c - a))
    total: FloatArray = shares * (mass / shares.sum())
    return total


def take_away(whole: Mass, vertices: Points, masses: FloatArray) -> Mass:
    """What is left for the bone, so that it and these point masses together are as before."""
    left = whole.mass - float(masses.sum())
    away = vertices - np.array(whole.centre)
    centre = -(masses[:, None] * away).sum(axis=0) / left
    inertia = whole.matrix - left * _arm(centre)
    for m, arm in zip(masses, away, strict=True):
        inertia = inertia - m * _arm(arm)
    return solid_mass(left, point(np.array(whole.centre) + centre), inertia)
