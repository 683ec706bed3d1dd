"""Masses of the parts of a body, after de Leva (1996): the mean man of 73.0 kg and 1.741 m."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple_characters.limbs import Vector
from supple_characters.plan import Mass, between, solid_mass

BODY_MASS = 73.0  # [kg]


@dataclass(frozen=True)
class Segment:
    """Part of the body's mass, length [m], centre as part of the length, radii of gyration as parts of the length.

    The centre is counted from the end nearer to the trunk, of the trunk's own parts and the head from above, of the
    foot from the heel. The radii are about the axes front to back, left to right, and along the segment.
    """

    part: float
    length: float
    centre: float
    gyration: Vector


SEGMENTS = {
    "head": Segment(0.0694, 0.2429, 0.5002, (0.303, 0.315, 0.261)),
    "upper_trunk": Segment(0.1596, 0.2421, 0.5066, (0.505, 0.320, 0.465)),
    "middle_trunk": Segment(0.1633, 0.2155, 0.4502, (0.482, 0.383, 0.468)),
    "lower_trunk": Segment(0.1117, 0.1457, 0.6115, (0.615, 0.551, 0.587)),
    "upper_arm": Segment(0.0271, 0.2817, 0.5772, (0.285, 0.269, 0.158)),
    "forearm": Segment(0.0162, 0.2689, 0.4574, (0.276, 0.265, 0.121)),
    "hand": Segment(0.0061, 0.0862, 0.7900, (0.628, 0.513, 0.401)),
    "thigh": Segment(0.1416, 0.4222, 0.4095, (0.329, 0.329, 0.149)),
    "shank": Segment(0.0433, 0.4340, 0.4459, (0.255, 0.249, 0.103)),
    "foot": Segment(0.0137, 0.2581, 0.4415, (0.257, 0.245, 0.124)),
}
PAIRED = ("upper_arm", "forearm", "hand", "thigh", "shank", "foot")


def segment_mass(name: str, start: Vector, end: Vector, front: Vector) -> Mass:
    """Mass of a segment from start to end, at its measured length, with `front` the way its front looks."""
    segment = SEGMENTS[name]
    mass = segment.part * BODY_MASS
    along = np.array(end) - np.array(start)
    along /= np.linalg.norm(along)
    forward = np.array(front) - along * (along @ np.array(front))
    forward /= np.linalg.norm(forward)
    axes = np.stack([forward, np.cross(along, forward), along])
    moments = mass * (np.array(segment.gyration) * segment.length) ** 2
    return solid_mass(mass, between(start, end, segment.centre), axes.T @ np.diag(moments) @ axes)
