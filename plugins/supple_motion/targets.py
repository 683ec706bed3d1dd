"""Where bones should be: a member of the collection `targets` for each owner of bones, for whoever follows it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.build import Build
from supple.core.schedule import Bound
from supple.errors import PluginError, Problem, suggest
from supple_bones.layout import BONE
from supple_motion.bones import Bones


@dataclass
class Tables:
    """What is sampled: columns in layout.py. Those of phases are empty where no motion has phases."""

    track: IntArray
    clock: FloatArray
    segment: FloatArray
    phase_track: IntArray
    phase_segment: FloatArray
    tracked: IntArray


class Targets:
    """Names of the arrays that say where the bones of one owner should be.

    now      reference coordinates at the start of the step, as owner.q
    target   at its end
    rate     rates that lead from the one to the other, as owner.v
    tracked  1 for rates that a motion sets
    """

    reads = ()

    def __init__(self, bones: Bones, tables: Tables) -> None:
        self.name = bones.owner
        self.now, self.target = f"{self.name}.target_now", f"{self.name}.target"
        self.rate, self.tracked = f"{self.name}.target_rate", f"{self.name}.tracked"
        self._bones, self._tables = bones, tables
        self.is_sampled = False

    def bind(self, arrays: Bound) -> None:
        """Nothing is read here: systems read the arrays."""

    def sample(self, build: Build) -> None:
        """Declare the arrays when the first one asks; what nobody follows costs nothing."""
        if self.is_sampled:
            return
        self.is_sampled = True
        _declare_tracks(build, self._bones, self._tables)
        _declare_targets(build, self._bones, self._tables.tracked)


def find_targets(build: Build, owner: str) -> Targets:
    """The targets of the bones of an owner, which are sampled from now on.

    Call it in a compile function that is registered with `after=["targets"]`. Joints without a motion have their
    coordinates at the start as target.
    """
    found: dict[str, Targets] = {member.name: member for member in build.members("targets")}
    if owner not in found:
        what = f"asks for the targets of {owner}, which nobody provides"
        remedy = f"{suggest(owner, found, 'there are those of')}; compile after=['targets']"
        raise PluginError(Problem(None, build.compiler, what, remedy))
    found[owner].sample(build)
    return found[owner]


def _declare_tracks(build: Build, bones: Bones, tables: Tables) -> None:
    owner = bones.owner
    build.add_model(f"motion.{owner}_start", bones.start, unit="rad, m, 1", doc="Targets without a track.")
    for name, values, doc in (
        ("track", tables.track, "Channels that have knots; columns in layout.py."),
        ("phase_track", tables.phase_track, "Channels that have knots in a phase; likewise."),
    ):
        build.add_model(f"motion.{owner}_{name}", values, unit="1", doc=doc, dtype=np.int64)
    doc = "Offset, speed and period of every motion."
    build.add_model(f"motion.{owner}_clock", tables.clock, unit="s, 1", doc=doc)
    for name, knots in (("segment", tables.segment), ("phase_segment", tables.phase_segment)):
        doc = "From knot to knot; columns in supple.math.curve_layout."
        build.add_model(f"motion.{owner}_{name}", knots, unit="s, rad, m, 1", doc=doc)


def _declare_targets(build: Build, bones: Bones, tracked: IntArray) -> None:
    owner, paths = bones.owner, list(bones.rows)
    rates = [paths[row[BONE]] for row in build.arrays[f"{owner}.dof"]]
    coordinates = (len(bones.start),)
    build.add_model(
        f"{owner}.tracked", tracked, unit="1", doc="1: a motion sets this rate.", dtype=np.int64, labels=rates
    )
    build.add_step(
        f"{owner}.target_now", coordinates, unit="rad, m, 1", doc="Reference coordinates at the step's start."
    )
    build.add_step(
        f"{owner}.target", coordinates, unit="rad, m, 1", doc="Reference coordinates at the step's end."
    )
    build.add_step(
        f"{owner}.target_rate", (len(tracked),), unit="rad/s, m/s", labels=rates,
        doc="Rates that lead from the one to the other within the step.",
    )  # fmt: skip
