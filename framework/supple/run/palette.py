"""Colours of things that do not say theirs: the same in every picture and viewer.

What stands still is stone. What moves takes a colour by a hash of its path, so that it keeps it when the scene
grows; where two would look alike, the later path takes the least used colour. The bones of one skeleton are
shades of one colour.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable

from supple.core.drawing import Carried, Drawing, Solid, Vector

#: sRGB. Muted enough to lie side by side, and apart for people who see red and green alike.
PALETTE = (
    "3f7cac", "e08e45", "5aa899", "d1605e", "e3b94f", "8b7bb8", "7ba05b", "c77d9b", "62a6c9", "a5805f",
)  # fmt: skip
_OF_LAYER = {"ground": "d9d6cf", "skin": "dca687", "muscles": "b2504c", "joints": "4a4d54"}
_STONE = "b4b0a8"
_SHADES = (0.0, 0.16, -0.12, 0.28)


def choose_colours(drawings: Iterable[Drawing]) -> dict[str, Vector]:
    """A colour (red, green, blue from 0 to 1, sRGB) for each drawing by name."""
    ordered = sorted(drawings, key=lambda drawing: drawing.name)
    taken: Counter[int] = Counter()
    hues: dict[object, int] = {}
    chosen: dict[str, Vector] = {}
    for drawing in ordered:
        if drawing.colour is not None:
            chosen[drawing.name] = drawing.colour
        elif drawing.layer in _OF_LAYER:
            chosen[drawing.name] = _read_hex(_OF_LAYER[drawing.layer])
        elif drawing.layer == "bodies" and _stands_still(drawing):
            chosen[drawing.name] = _read_hex(_STONE)
        else:
            owner = _owner(drawing)
            if owner not in hues:
                hues[owner] = _pick(drawing.path, taken)
                taken[hues[owner]] += 1
            shade = _SHADES[_frame_row(drawing) % len(_SHADES)] if drawing.layer == "bones" else 0.0
            chosen[drawing.name] = _shade(_read_hex(PALETTE[hues[owner]]), shade)
    return chosen


def _stands_still(drawing: Drawing) -> bool:
    """Whether nothing carries it, and it is no mesh whose vertices follow the run."""
    return isinstance(drawing.form, Solid) and not isinstance(drawing.place, Carried)


def _owner(drawing: Drawing) -> object:
    """What shares a colour: the shapes of one body, the bones of one figure."""
    if drawing.layer == "bones":
        return drawing.path.partition("/")[0]
    if isinstance(drawing.place, Carried):
        return drawing.place.position, drawing.place.row
    return drawing.path


def _pick(path: str, taken: Counter[int]) -> int:
    wanted = zlib.crc32(path.encode()) % len(PALETTE)
    order = [(wanted + k) % len(PALETTE) for k in range(len(PALETTE))]
    return min(order, key=lambda index: taken[index])


def _frame_row(drawing: Drawing) -> int:
    return drawing.place.row if isinstance(drawing.place, Carried) else 0


def _shade(colour: Vector, amount: float) -> Vector:
    """Towards white by a part of what is missing, or towards black."""
    goal = 1.0 if amount > 0 else 0.0
    red, green, blue = (value + abs(amount) * (goal - value) for value in colour)
    return red, green, blue


def _read_hex(text: str) -> Vector:
    red, green, blue = (int(text[k : k + 2], 16) / 255 for k in (0, 2, 4))
    return red, green, blue
