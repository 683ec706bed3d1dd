"""The kinds of links and the roles of their rows, by the integer codes that kernels see.

A *link* ties an anchor on side A to an anchor on side B; each anchor is a pose that moves with a frame or
stands in the world. Its rows are directions along which (MOVE) or about which (TURN) A moves relative to B:
column 0 is the axis n, columns 1 and 2 the directions t and s across it.
"""

from __future__ import annotations

from typing import Final

BALL: Final = 0  # the anchors coincide
HINGE: Final = 1  # the anchors coincide, and so do their axes
SLIDER: Final = 2  # the anchors are turned alike, and lie on one axis
FIXED: Final = 3  # the anchors coincide and are turned alike
STRETCH: Final = 4  # nothing is locked; the axis is the line from B to A
PULL: Final = 5  # nothing is locked; all three directions of the world are free

MOVE: Final = 0
TURN: Final = 1

LOCK: Final = 0  # no motion, and errors are taken back
LOWER: Final = 1  # the position does not fall below `target`
UPPER: Final = 2  # the position does not rise above `target`
DRIVE: Final = 3  # the rate `target`, with bounded force
SPRING: Final = 4  # back to the position `target`, by stiffness and damping

KINDS: Final = {"ball": BALL, "hinge": HINGE, "slider": SLIDER, "fixed": FIXED}
"""The code of a joint by the word that authors write."""

_ALL: Final = (0, 1, 2)
LOCKED: Final[dict[int, tuple[tuple[int, int], ...]]] = {
    BALL: tuple((MOVE, column) for column in _ALL),
    HINGE: (*((MOVE, column) for column in _ALL), (TURN, 1), (TURN, 2)),
    SLIDER: ((MOVE, 1), (MOVE, 2), *((TURN, column) for column in _ALL)),
    FIXED: tuple((motion, column) for motion in (MOVE, TURN) for column in _ALL),
}
"""The locked directions of a joint as pairs of motion and column."""

FREE: Final[dict[int, tuple[tuple[int, int], ...]]] = {
    HINGE: ((TURN, 0),),
    SLIDER: ((MOVE, 0),),
    STRETCH: ((MOVE, 0),),
    PULL: tuple((MOVE, column) for column in _ALL),
}
"""The directions along which motors and springs act."""

STANDS_STILL: Final = -1
"""The carrier of an anchor that stands in the world."""
ON_SURFACE: Final = -2
"""The carrier of an anchor that is a point of a surface which bends."""

ROW_KEY: Final = -int.from_bytes(b"joints", "big")
"""First part of the identity of every row made here; the second is its number. No contact has it."""
