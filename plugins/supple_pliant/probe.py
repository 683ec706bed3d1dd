"""The probe: planned torques against the inverse dynamics of the skeleton, in every step of a run."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from supple.core.build import Build
from supple.core.entity import Entity
from supple.core.schedule import Bound, Phase, System
from supple_pliant.systems import find_rows
from supple_pliant.tables import RATE
from supple_skeleton.dynamics import READS


def list_probed(build: Build) -> list[tuple[int, Entity]]:
    """The characters that are probed, with their numbers."""
    return [
        (number, entity)
        for number, entity in enumerate(build.having("pliant"))
        if entity.components["pliant"].probe
    ]


class ProbePlan(System):
    """|planned torque - inverse dynamics| / |inverse dynamics|: README eq. (8)."""

    phase = Phase.OBSERVE
    writes = ("pliant.probed",)

    def __init__(self, build: Build) -> None:
        self.probed = list_probed(build)
        more = ("pliant.bone_row", "pliant.character", "pliant.desired", "pliant.torque.next", *READS)
        self.reads = ("pliant.touched", *(more if self.probed else ()))

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind the plan and the queries; without a probe there is nothing to do."""
        probed, touched = arrays["pliant.probed"], arrays["pliant.touched"]
        if not self.probed:
            return lambda: None
        desired, torque = arrays["pliant.desired"], arrays["pliant.torque.next"]
        v, h, skeletons = arrays["skeleton.v"], arrays.h, find_rows(arrays.build).skeletons
        row, character = arrays["pliant.bone_row"], arrays["pliant.character"]
        asked = []
        for number, entity in self.probed:
            dynamics = skeletons.dynamics(entity.path)
            mine = np.flatnonzero(character[: len(row)] == number)
            asked.append((number, dynamics, mine, row[mine, RATE]))

        def probe() -> None:
            for number, dynamics, mine, rates in asked:
                first = dynamics.tree.v.start
                acceleration = np.zeros(dynamics.tree.v.stop - first)
                acceleration[rates - first] = (desired[mine] - v[rates]) / h
                exact = dynamics.inverse_dynamics(acceleration)[rates - first]
                size = np.linalg.norm(exact)
                probed[number, 0] = np.linalg.norm(torque[mine] - exact) / size if size else 0.0
                probed[number, 1] = touched[0]

        return probe
