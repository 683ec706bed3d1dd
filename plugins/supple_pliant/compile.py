"""From pliant components to rows: first those on the rates of skeletons, then those on joints between bodies."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from supple.core.build import Build
from supple.core.entity import Entity
from supple_bones import layout
from supple_joints.codes import BALL, FREE, ON_SURFACE, TURN
from supple_motion.targets import find_targets
from supple_pliant.components import Pair
from supple_pliant.kernels import SCALAR
from supple_pliant.rows import PliantRows

OBSERVED = ("error", "torque", "effort", "pull", "plan_residual")
"""Columns of pliant.observed."""
PROBED = ("plan_gap", "state_changed")
"""Columns of pliant.probed."""


def compile_pliant(build: Build) -> None:
    """Declare the rows of all pliant joints, their gains and tracks, and what can be seen of them."""
    characters = build.having("pliant")
    on_bones = [row for number, entity in enumerate(characters) for row in _bone_rows(build, entity, number)]
    on_links = [row for number, entity in enumerate(characters) for row in _link_rows(build, entity, number)]
    if on_bones:
        find_targets(build, "skeleton")
    labels = [row[0] for row in on_bones] + [row[0] for row in on_links]
    _declare_tables(build, characters, on_bones, on_links, labels)
    _declare_effort(build, characters)
    _declare_keys(build, [entity for entity in characters if "joint" in entity.components])
    _declare_values(build, characters, labels)
    build.add_member("row_sources", PliantRows(build, len(on_bones), len(on_links)))
    for number, entity in enumerate(characters):
        places = {name: ("pliant.observed", (number, column)) for column, name in enumerate(OBSERVED)}
        places["error_worst"] = places["error"]
        places |= {name: ("pliant.probed", (number, column)) for column, name in enumerate(PROBED)}
        build.bind_metrics(entity, "pliant", places)


def _bone_rows(build: Build, entity: Entity, number: int) -> Iterator[tuple[str, tuple[int, ...], Pair, int]]:
    """Label, columns, gains and character of every driven rate of a skeleton."""
    if "skeleton" not in entity.components:
        return
    pliant, bones = entity.components["pliant"], build.arrays.specs["skeleton.bone"].labels
    for index, path in enumerate(bones):
        below = path.removeprefix(f"{entity.path}/")
        row = build.arrays["skeleton.bone"][index]
        if below == path or row[layout.JOINT] == layout.FREE:
            continue
        gains = pliant.bones.get(below, (pliant.stiffness, pliant.damping))
        turns = row[layout.JOINT] == layout.BALL
        for place in range(row[layout.V_COUNT]):
            coordinate = row[layout.Q_FIRST] + (0 if turns else place)
            component = place if turns else SCALAR
            yield path, (index, row[layout.V_FIRST] + place, coordinate, component), gains, number


def _link_rows(build: Build, entity: Entity, number: int) -> Iterator[tuple[str, tuple[int, ...], Pair, int]]:
    """The same of a joint between bodies."""
    if "joint" not in entity.components:
        return
    pliant, links = entity.components["pliant"], build.arrays.specs["joints.kind"].labels
    link = links.index(entity.path)
    kind = int(build.arrays["joints.kind"][link])
    if (build.arrays["joints.carrier"][link] == ON_SURFACE).any():
        what = "the joint holds a point of something that bends, which cannot be turned"
        raise build.refuse(f"{entity.path}.pliant", what, "let it join two rigid things")
    directions = FREE[kind] if kind != BALL else tuple((TURN, column) for column in range(3))
    tracks = [each.path for each in build.having("pliant") if "joint" in each.components]
    for motion, column in directions:
        columns = (link, motion, column, tracks.index(entity.path))
        yield entity.path, columns, (pliant.stiffness, pliant.damping), number


def _declare_tables(
    build: Build, characters: list[Entity], on_bones: list, on_links: list, labels: list[str]
) -> None:
    rows = [*on_bones, *on_links]
    plans = [int(characters[row[3]].components["pliant"].plan) for row in rows]
    for name, values, doc in (
        ("bone_row", np.array([row[1] for row in on_bones]).reshape(-1, 4), "Rows on bones; see kernels."),
        ("link_row", np.array([row[1] for row in on_links]).reshape(-1, 4), "Rows on joints; see kernels."),
        ("character", [row[3] for row in rows], "The pliant component that a row belongs to."),
        ("plans", plans, "1 for rows whose torque is planned."),
    ):
        build.add_model(f"pliant.{name}", values, unit="1", doc=doc, dtype=np.int64)
    gains = np.array([row[2] for row in rows]).reshape(-1, 2)
    build.add_model(
        "pliant.gains", gains, unit="N m/rad, N m s/rad", doc="Stiffness and damping.", labels=labels
    )


def _declare_effort(build: Build, characters: list[Entity]) -> None:
    pairs = [entity.components["pliant"].co_contraction for entity in characters]
    first = np.cumsum([0, *(len(each) for each in pairs)])
    joined = np.array([pair for each in pairs for pair in each]).reshape(-1, 2)
    doc = "Where the pairs of a character begin."
    build.add_model("pliant.effort_first", first, unit="1", doc=doc, dtype=np.int64)
    build.add_model("pliant.effort_at", joined[:, 0], unit="s", doc="Times of co-contraction.")
    build.add_model("pliant.effort_factor", joined[:, 1], unit="1", doc="Factors on stiffness and damping.")


def _declare_keys(build: Build, driven: list[Entity]) -> None:
    """The tracks of joints between bodies; angles in rad from here on."""
    at, value, first, balls = [], [], [0], []
    for entity in driven:
        kind = entity.components["joint"].kind
        for time, *place in entity.components["pliant"].keys:
            at.append(time)
            numbers = place if kind == "slider" else [math.radians(number) for number in place]
            value.append([*numbers, 0.0, 0.0][:3])
        first.append(len(at))
        balls.append(int(kind == "ball"))
    build.add_model(
        "pliant.key_first", first, unit="1", doc="Where the keys of a track begin.", dtype=np.int64
    )
    build.add_model("pliant.key_at", at, unit="s", doc="Times of the keys.")
    build.add_model("pliant.key_value", np.array(value).reshape(-1, 3), unit="rad, m", doc="Their positions.")
    build.add_model("pliant.is_ball", balls, unit="1", doc="1 for tracks of turns.", dtype=np.int64)


def _declare_values(build: Build, characters: list[Entity], labels: list[str]) -> None:
    n = len(labels)
    build.add_state(
        "pliant.torque", np.zeros(n), unit="N m, N", doc="Planned torques.", labels=labels, record=True
    )
    for name, shape, unit, doc, record in (
        ("error", (n,), "rad, m", "Distance from the target of the step's end, at its start.", False),
        ("desired", (n,), "rad/s, m/s", "Velocity of the target.", False),
        ("gains_now", (n, 2), "N m/rad, N m s/rad", "Stiffness and damping now.", False),
        ("lead", (n,), "rad, m", "How far the virtual trajectory lies ahead of the wanted one.", True),
        ("total", (n,), "N m, N", "Torque of plan and spring together.", True),
    ):
        build.add_step(f"pliant.{name}", shape, unit=unit, doc=doc, labels=labels, record=record)
    doc = "Numbers of the state that the plan changed, if it is probed."
    build.add_step("pliant.touched", (1,), unit="1", doc=doc)
    build.add_step("pliant.residual", (1,), unit="m/s", doc="Worst natural-map residual of the plan.")
    paths = [entity.path for entity in characters]
    for name, columns in (("observed", OBSERVED), ("probed", PROBED)):
        shape = (len(paths), len(columns))
        build.add_step(f"pliant.{name}", shape, unit="SI", doc="Values of metrics.", labels=paths)
