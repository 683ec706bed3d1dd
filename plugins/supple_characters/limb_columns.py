"""Columns of the table of limbs, and of the two widths of blending, that kernels read."""

from __future__ import annotations

from typing import Final

START: Final = 0  # first end of the limb's axis [m]
ALONG: Final = 3  # unit vectors: along the axis,
WIDE: Final = 6  # across it, where the limb has its full radius,
THIN: Final = 9  # and across both, where it is flattened
LENGTH: Final = 12  # distance of the two ends [m]
START_RADIUS: Final = 13  # [m]
END_RADIUS: Final = 14  # [m]
FLATNESS: Final = 15  # thickness by width, 1 for a round limb
BLEND: Final = 16  # how softly the limb joins the limbs of its group before it [m]
GROUP: Final = 17  # number of the group: 0 is the trunk, all others branch off it
START_JOINED: Final = 18  # 1: another bone begins at this end, and the skin is cut there
END_JOINED: Final = 19
START_SIZE: Final = 20  # length of the mesh's edges at the ends, relative to those of other limbs
END_SIZE: Final = 21
CENTRE: Final = 22  # middle of a ball that holds the limb, and its radius [m]
REACH: Final = 25
LIMB_COLUMNS: Final = 26

# Widths of blending [m]: of a branch with the trunk, and of branches with each other.
JOIN: Final = 0
APART: Final = 1
