"""From push events to arrays."""

from __future__ import annotations

import numpy as np

from supple.core.build import Build
from supple.core.pose import rotate


def compile_pushes(build: Build) -> None:
    """Declare one row for every push, sorted by the event's name."""
    events = build.having("push")
    labels = [event.path for event in events]
    carriers = [carrier.name for carrier in build.members("carriers")]
    owners, frames, points = [], [], []
    for event in events:
        push = event.components["push"]
        place = build.pose_in_frame(push.on)
        if place is None:
            remedy = "push an entity that has a body, or lies below one"
            raise build.refuse(f"{event.path}.push.on", f"'{push.on}' stands still", remedy)
        frame, position, rotation = place
        owners.append(carriers.index(frame.carrier))
        frames.append(frame.index)
        points.append(position + rotate(rotation, np.array(push.point)))
    pushes = [event.components["push"] for event in events]
    build.add_model(
        "push.carrier", owners, unit="1", doc="Carrier of the frame.", labels=labels, dtype=np.int64
    )
    build.add_model(
        "push.frame", frames, unit="1", doc="Frame that is pushed.", labels=labels, dtype=np.int64
    )
    build.add_model("push.point", points, unit="m", doc="Where, in the frame.", labels=labels)
    build.add_model("push.force", [push.force for push in pushes], unit="N", doc="Force.", labels=labels)
    starts = [event.at or 0.0 for event in events]
    build.add_model("push.start", starts, unit="s", doc="Start.", labels=labels)
    ends = [start + push.duration for start, push in zip(starts, pushes, strict=True)]
    build.add_model("push.end", ends, unit="s", doc="End.", labels=labels)
