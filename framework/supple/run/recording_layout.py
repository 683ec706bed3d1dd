"""How a recording is laid out, for its writer and its reader.

    /                   attributes: the fields of `Header`
    /time, /step        (frames,) simulated time [s] and number of the step; frame 0 is the initial state
    /frames             (1,) frames that are complete: after a kill, whatever lies beyond is not to be trusted
    /arrays/NAME        (frames, *shape), or for arrays with a changing number of rows (all rows, *shape[1:])
    /offsets/COUNT      (frames + 1,) where the rows of each frame begin, for the arrays counted by COUNT
    /model/NAME         arrays that do not change
    /commands/*         what was commanded from Python: before which step, which (a number in /commands/labels), values
    /drawings           what there is to see, as JSON in UTF-8; see `supple.core.drawing`
Arrays carry the attributes `unit`, `doc`, `labels` (names of the rows of the first axis) and, if their number
of rows changes, `count`; `metrics.now` has the unit of each of its rows in `units`. Step values belong to the
step that led to the frame; in frame 0 they are zero.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from supple.core.blueprint import Blueprint

FORMAT = 1
MADE_BY = "supple recording"
#: Frames in a chunk of a file.
BLOCK = 32
#: A flush costs as much as hundreds of steps of a small scene: frames are gathered for so long [s], or until there
#: are so many, or so many bytes. What a run that is killed loses is less than that.
FLUSH_SECONDS, MOST_FRAMES, MOST_BYTES = 0.5, 4096, 1 << 25
#: Frames that are written at once.
PIECE = 32 * BLOCK
_AS_JSON = ("versions", "overrides")
_TYPES: dict[str, type] = {"int": int, "float": float, "str": str, "dict[str, Any]": dict, "list[str]": list}


@dataclass(frozen=True)
class Header:
    """What a recording says about its run. `every` is the number of steps from frame to frame."""

    scene: str
    text: str
    variant: str
    seed: int
    h: float
    every: int
    fingerprint: str
    versions: dict[str, Any] = field(default_factory=dict)
    overrides: list[str] = field(default_factory=list)

    def as_attributes(self) -> dict[str, Any]:
        """The values as HDF5 attributes."""
        values = asdict(self)
        values.update({name: json.dumps(values[name], sort_keys=True) for name in _AS_JSON})
        # A file name may hold bytes that are no text.
        values["scene"] = self.scene.encode("utf-8", "replace").decode()
        return {"format": FORMAT, "made_by": MADE_BY, **values}


def read_header(attributes: Any) -> Header:
    """The header from the attributes of a file. Raises KeyError or ValueError when they are not whole."""
    values: dict[str, Any] = {}
    for one in fields(Header):
        value = attributes[one.name]
        if one.name in _AS_JSON:
            value = json.loads(value)
        value = value.item() if hasattr(value, "item") else value
        # A scene made in Python may have a whole number as its step.
        kinds = (int, float) if one.type == "float" else _TYPES[str(one.type)]
        if not isinstance(value, kinds):
            raise ValueError(f"its {one.name} is {value!r:.40}")
        values[one.name] = value
    return Header(**values)


def make_header(
    blueprint: Blueprint, *, every: int, versions: dict[str, Any], overrides: list[str]
) -> Header:
    """The header of a recording of this scene; only the file's own name is kept, not where it lay."""
    name = blueprint.source.replace("\\", "/").rpartition("/")[2]
    return Header(
        scene=name,
        text=blueprint.text,
        variant=blueprint.variant,
        seed=blueprint.seed,
        h=blueprint.run.step,
        every=every,
        fingerprint=blueprint.fingerprint(),
        versions=versions,
        overrides=overrides,
    )


def steps_per_frame(frames_per_second: float, h: float) -> int:
    """Steps from frame to frame, at least one."""
    return max(1, round(1.0 / (frames_per_second * h)))
