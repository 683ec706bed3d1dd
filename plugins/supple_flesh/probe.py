"""The probe: dynamics of bones and flesh on the states of a run against the dense twin."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.build import Build
from supple.core.schedule import Bound, Phase, System
from supple_flesh.dynamics import READS, CoupledDynamics
from supple_flesh.mechanism import FleshMechanism
from supple_flesh.oracle import Coupled
from supple_skeleton.mechanism import Skeletons

PROBED = 4
"""Errors of mass matrix, bias, weight and folding."""


class ProbeDynamics(System):
    """Worst errors of the coupled dynamics of all flesh at the start of every n-th step; nan in all others."""

    phase = Phase.OBSERVE
    writes = ("flesh.probed",)

    def __init__(self, build: Build) -> None:
        wanted = [entity.components["flesh"].probe for entity in build.having("flesh")]
        self.every = min((every for every in wanted if every), default=0)
        self.reads = ("run.step", *(READS if self.every else ()))

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind both sides; without a probe nothing is measured."""
        probed, step, every = arrays["flesh.probed"], arrays["run.step"], self.every
        if not every:
            return lambda: probed.fill(math.nan)
        members = arrays.build.members("mechanisms")
        mechanism = next(each for each in members if isinstance(each, FleshMechanism))
        skeletons = next(each for each in members if isinstance(each, Skeletons))
        dynamics = CoupledDynamics(arrays, mechanism)
        make_twin = bind_twin(arrays, mechanism, skeletons)

        def probe() -> None:
            probed[:] = compare(dynamics, make_twin()) if step[0] % every == 0 else math.nan

        return probe


def bind_twin(arrays: Bound, mechanism: FleshMechanism, skeletons: Skeletons) -> Callable[[], Coupled]:
    """What makes the twin of the state of the moment."""
    pool = mechanism.pool
    bone_of = arrays["flesh.patch_bone"][pool.patch_of]
    load = np.array([mechanism.load.rest_inertia(*frame) for frame in skeletons.frames])
    state = {
        "q": arrays["skeleton.q"],
        "r": arrays["skeleton.v"],
        "x": arrays["flesh.x"],
        "w": arrays["flesh.v"],
    }
    active, gravity = arrays["flesh.active"], arrays["run.gravity"]

    def make() -> Coupled:
        return Coupled(
            forest=skeletons.forest,
            pool=pool,
            bone_of=bone_of,
            load=load,
            **{name: array.copy() for name, array in state.items()},
            active=np.flatnonzero(active),
            gravity=np.array(gravity),
        )

    return make


def compare(dynamics: CoupledDynamics, twin: Coupled) -> FloatArray:
    """Worst errors [4] of M, bias, weight, and of M of the bones against a twin whose vertices all move."""
    rates, vertices = len(twin.r), dynamics.vertices
    # The twin has its vertices by number, the queries patch by patch.
    place = np.searchsorted(twin.active, vertices)
    columns = rates + 3 * place[:, None] + np.arange(3)
    order = np.concatenate([np.arange(rates), columns.reshape(-1)]).astype(np.int64)
    order = order[dynamics.order]
    exact_mass, exact_bias, exact_weight = (each[..., order] for each in twin.dynamics(twin.v))
    exact_mass = exact_mass[order]
    all_move = replace(twin, active=np.arange(twin.pool.count))
    full = all_move.dynamics(all_move.v)[0][:rates, :rates]
    mass, turned = dynamics.mass_matrix(), order < rates
    # Coordinates in which every diagonal entry of M is 1 make metres and radians, bones and vertices comparable.
    unit = 1.0 / np.sqrt(np.diag(exact_mass))
    return np.array(
        [
            np.abs((mass - exact_mass) * np.outer(unit, unit)).max(),
            find_error(dynamics.bias(), exact_bias, unit),
            find_error(dynamics.gravity(), exact_weight, unit),
            np.abs((mass[np.ix_(turned, turned)] - full) * np.outer(unit[turned], unit[turned])).max(),
        ]
    )


def find_error(found: FloatArray, exact: FloatArray, unit: FloatArray) -> float:
    """Greatest difference over the greatest entry, both times `unit`; nan if there is nothing to compare with."""
    size = float(np.abs(exact * unit).max())
    return float(np.abs((found - exact) * unit).max()) / size if size > 0.0 else math.nan
