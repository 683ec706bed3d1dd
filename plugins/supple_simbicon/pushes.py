"""Pushes that wait for a moment of a gait."""

from __future__ import annotations

import numpy as np

from supple.core.arrays import NEXT
from supple.core.build import Build
from supple.core.pose import rotate
from supple.core.schedule import Bound, Call, Each, Phase, System, Work
from supple.errors import suggest
from supple_phases.member import Machines
from supple_simbicon.compile import Walker
from supple_simbicon.push_kernels import await_pushes, push_frames

START = "simbicon.push_start"


def compile_pushes(build: Build) -> None:
    """One row for every push: when it may begin, whom it acts on, and when it began."""
    events = build.having("gait_push")
    labels = [event.path for event in events]
    walkers = {walker.name: walker for walker in build.members("walkers")}
    carriers = [carrier.name for carrier in build.members("carriers")]
    waits, places, points = [], [], []
    for event in events:
        push = event.components["gait_push"]
        walker: Walker = walkers[push.walker]
        strides = [stride.name for stride in walker.file.gait.phases]
        if push.phase and push.phase not in strides:
            what = f"the gait of '{push.walker}' has no phase '{push.phase}'"
            raise build.refuse(f"{event.path}.gait_push.phase", what, suggest(push.phase, strides, "it has"))
        phase = walker.machines.phase(walker.machine, f"{push.stance}_{push.phase or strides[0]}")
        place = build.pose_in_frame(push.on)
        if place is None:
            raise build.refuse(
                f"{event.path}.gait_push.on", f"'{push.on}' stands still", "push a bone or a body"
            )
        frame, position, rotation = place
        waits.append((walker.machines.row(walker.machine), phase))
        places.append((carriers.index(frame.carrier), frame.index))
        points.append(position + rotate(rotation, np.array(push.point)))
    told = [event.components["gait_push"] for event in events]
    for name, integers, doc in (
        ("push_wait", waits, "Machine and phase that a push waits for."),
        ("push_frame", places, "Carrier and frame that it acts on."),
    ):
        build.add_model(f"simbicon.{name}", integers, unit="1", doc=doc, labels=labels, dtype=np.int64)
    for name, numbers, unit, doc in (
        ("push_at", [event.at or 0.0 for event in events], "s", "Before this a push does not begin."),
        ("push_share", [each.share for each in told], "1", "Part of the phase that has passed then."),
        ("push_force", [each.force for each in told], "N", "Its force."),
        ("push_point", points, "m", "Where it acts, in the frame."),
        ("push_duration", [each.duration for each in told], "s", "How long it acts."),
    ):
        build.add_model(f"simbicon.{name}", numbers, unit=unit, doc=doc, labels=labels)
    build.add_state(
        START,
        np.full(len(events), -1.0),
        unit="s",
        doc="When a push began; negative: not yet.",
        labels=labels,
    )
    for row, event in enumerate(events):
        build.bind_metrics(event, "gait_push", {"start": (f"{START}{NEXT}", row)})


class AwaitPush(System):
    """Decides once a step which pushes begin."""

    phase = Phase.DETECT
    reads = (
        "run.time", "simbicon.push_wait", "simbicon.push_at", "simbicon.push_share", Machines.current,
        Machines.share, START,
    )  # fmt: skip
    writes = (f"{START}{NEXT}",)

    def bind(self, arrays: Bound) -> Work:
        """Bind the machines."""
        return Call(await_pushes, *(arrays[name] for name in (*self.reads, *self.writes)))


class ApplyPush(System):
    """Adds the pushes that act to the frames that they act on."""

    phase = Phase.ACTUATE
    pushes = (
        "simbicon.push_frame", "simbicon.push_point", "simbicon.push_force", "simbicon.push_duration",
        f"{START}{NEXT}", "run.time",
    )  # fmt: skip
    reads = (*pushes, Each("carriers", "rotation"))
    adds = (Each("carriers", "wrench"),)

    def bind(self, arrays: Bound) -> Work:
        """One call for every carrier."""
        pushes = [arrays[name] for name in self.pushes]
        return [
            Call(push_frames, arrays.h, number, *pushes, arrays[carrier.rotation], arrays[carrier.wrench])
            for number, carrier in enumerate(arrays.build.members("carriers"))
        ]
