"""Which frames of a recording go into a page: all of them, unless it would become too large."""

from __future__ import annotations

import math

from supple.core.drawing import Lines
from supple.run.recording import Recording
from supple.run.stage import Stage
from supple.run.tessellate import vertices_per_tube

#: Bytes of a page's frames before compression, unless a number of frames per second is asked for.
BUDGET = 40_000_000
#: Bytes of one frame: of a vertex that moves, its value, a pose, a contact, a metric; see `gather`.
_VERTEX, _VALUE, _POSE, _CONTACT, _METRIC = 6, 2, 14, 18, 3


def choose_frames(stage: Stage, fps: float | None) -> tuple[list[int], str]:
    """The frames to keep, first and last among them, and a sentence about what was left out, if anything."""
    total = stage.frames
    stride = 1
    if fps is not None and total > 1:
        recorded = (total - 1) / max(float(stage.times[-1] - stage.times[0]), 1e-12)
        stride = max(1, round(recorded / fps))
    elif total * estimate_frame(stage) > BUDGET:
        stride = math.ceil(total * estimate_frame(stage) / BUDGET)
    frames = list(range(0, total, stride))
    if frames[-1] != total - 1:
        frames.append(total - 1)
    if fps is not None or stride == 1:
        return frames, ""
    return frames, f"kept {len(frames)} of {total} frames so that the page stays light; --fps N asks for more"


def estimate_frame(stage: Stage) -> float:
    """Bytes of a frame before compression, on average."""
    size = 0.0
    for thing in stage.things:
        # A tube is kept as two points.
        rows = (
            2 * len(thing.rest) // vertices_per_tube()
            if isinstance(thing.drawing.form, Lines)
            else len(thing.rest)
        )
        size += _POSE if thing.is_rigid else _VERTEX * rows
        size += _VALUE * rows if thing.drawing.channel is not None else 0
    return size + _CONTACT * _contacts_per_frame(stage.recording) + _METRIC * _count_metrics(stage.recording)


def _contacts_per_frame(recording: Recording) -> float:
    if "contacts.point" not in recording.names:
        return 0.0
    return float(recording.offsets("contacts.point")[-1]) / max(1, recording.frames)


def _count_metrics(recording: Recording) -> int:
    return len(recording.labels("metrics.now")) if "metrics.now" in recording.names else 0
