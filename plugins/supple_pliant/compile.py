"""From pliant components to rows: first those on the rates of skeletons, then those on joints between bodies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from supple.core.arrays import IntArray
from supple.core.build import Build
from supple.core.curves import read_curve, shape_of
from supple.core.entity import Entity
from supple.math.curve_layout import SEGMENT_COLUMNS
from supple.math.quaternion_kernels import exponentiate_rotation_vector
from supple_bones import layout
from supple_joints.codes import BALL, FREE, ON_SURFACE, TURN
from supple_motion.layout import TRACK_COLUMNS
from supple_motion.segments import Channel, Tracks
from supple_motion.targets import find_targets
from supple_pliant.components import Pair, read_effort
from supple_pliant.rows import PliantRows
from supple_pliant.tables import SCALAR

OBSERVED = ("error", "torque", "effort", "pull", "plan_residual")
"""Columns of pliant.observed."""
PROBED = ("plan_gap", "state_changed")
"""Columns of pliant.probed."""


class Row(NamedTuple):
    """A driven freedom: its label, its columns in the table of bones or links, its gains, its character."""

    label: str
    columns: tuple[int, ...]
    gains: Pair
    character: int


def compile_pliant(build: Build) -> None:
    """Declare the rows of all pliant joints, their gains and tracks, and what can be seen of them."""
    characters = build.having("pliant")
    on_bones = [row for number, entity in enumerate(characters) for row in _bone_rows(build, entity, number)]
    on_links = [row for number, entity in enumerate(characters) for row in _link_rows(build, entity, number)]
    if on_bones:
        find_targets(build, "skeleton")
    labels = [row.label for row in (*on_bones, *on_links)]
    _declare_tables(build, characters, on_bones, on_links, labels)
    _declare_effort(build, characters)
    _declare_tracks(build, [entity for entity in characters if "joint" in entity.components])
    _declare_values(build, characters, labels)
    build.add_member("row_sources", PliantRows(build, len(on_bones), len(on_links)))
    for number, entity in enumerate(characters):
        places = {name: ("pliant.observed", (number, column)) for column, name in enumerate(OBSERVED)}
        places["error_worst"] = places["error"]
        places |= {name: ("pliant.probed", (number, column)) for column, name in enumerate(PROBED)}
        build.bind_metrics(entity, "pliant", places)


def _bone_rows(build: Build, entity: Entity, number: int) -> Iterator[Row]:
    """Every driven rate of a skeleton."""
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
            columns = (index, row[layout.V_FIRST] + place, coordinate, component)
            yield Row(path, columns, gains, number)


def _link_rows(build: Build, entity: Entity, number: int) -> Iterator[Row]:
    """Every driven freedom of a joint between bodies."""
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
        yield Row(entity.path, columns, (pliant.stiffness, pliant.damping), number)


def _declare_tables(
    build: Build, characters: list[Entity], on_bones: list[Row], on_links: list[Row], labels: list[str]
) -> None:
    rows = [*on_bones, *on_links]
    plans = [int(characters[row.character].components["pliant"].plan) for row in rows]
    for name, values, doc in (
        ("bone_row", _list_columns(on_bones), "Rows on bones; see tables."),
        ("link_row", _list_columns(on_links), "Rows on joints; see tables."),
        ("character", [row.character for row in rows], "The pliant component that a row belongs to."),
        ("plans", plans, "1 for rows whose torque is planned."),
    ):
        build.add_model(f"pliant.{name}", values, unit="1", doc=doc, dtype=np.int64)
    gains = np.array([row.gains for row in rows]).reshape(-1, 2)
    build.add_model(
        "pliant.gains", gains, unit="N m/rad, N m s/rad", doc="Stiffness and damping.", labels=labels
    )


def _list_columns(rows: list[Row]) -> IntArray:
    return np.array([row.columns for row in rows], np.int64).reshape(-1, 4)


def _declare_effort(build: Build, characters: list[Entity]) -> None:
    """The curves of co-contraction; a character without one has no segments."""
    curves, segments, used = [], [np.zeros((0, SEGMENT_COLUMNS))], 0
    for entity in characters:
        curve = read_effort(entity.components["pliant"].co_contraction)
        made = read_curve(curve)[0] if curve is not None else segments[0]
        curves.append((shape_of(curve.interpolation) if curve is not None else 0, used, len(made)))
        segments.append(made)
        used += len(made)
    doc = "Curve of a character: its shape, first segment, number of segments."
    build.add_model("pliant.effort_curve", curves, unit="1", doc=doc, dtype=np.int64)
    doc = "Factors on stiffness and damping from knot to knot."
    build.add_model("pliant.effort_segment", np.concatenate(segments), unit="1", doc=doc)


def _declare_tracks(build: Build, driven: list[Entity]) -> None:
    """The tracks of joints between bodies; angles in rad from here on."""
    tracks, place = Tracks(TRACK_COLUMNS), 0
    for entity in driven:
        kind, pliant = entity.components["joint"].kind, entity.components["pliant"]
        table = np.array(pliant.keys, float)
        values = table[:, 1:] if kind == "slider" else np.radians(table[:, 1:])
        if kind == "ball":
            values = np.array([exponentiate_rotation_vector(*each) for each in values])
        tracks.add(Channel(place, 0, table[:, 0], values), pliant.interpolation, 0.0, 0)
        place += values.shape[1]
    doc = "Where joints between bodies should be; columns as of motions."
    build.add_model("pliant.track", tracks.table, unit="1", doc=doc, dtype=np.int64)
    segments = np.concatenate(tracks.segments)
    build.add_model("pliant.segment", segments, unit="rad, m", doc="From knot to knot.")


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
