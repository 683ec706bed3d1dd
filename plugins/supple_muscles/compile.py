"""From fibres to arrays; all bodies of a scene share them."""

from __future__ import annotations

import math
from fnmatch import fnmatchcase

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.build import Build
from supple.core.curves import Curve, read_curve, shape_of
from supple.core.drawing import Channel, Drawing, Lines
from supple.core.entity import Entity
from supple.core.pose import rotate
from supple.math.curve_layout import SEGMENT_COLUMNS
from supple_muscles.fibres import Chain, cut_fibre, find_bundles, find_influence, list_pairs
from supple_muscles.layouts import lay_out_letter
from supple_muscles.medial import lay_out_axis
from supple_tets.compile import TetBody
from supple_tets.mesh import find_tet

OBSERVED = (
    "contraction", "shortest", "tension", "stretch", "bend", "bend_towards_x", "bend_towards_z", "twist",
)  # fmt: skip
"""Columns of muscles.observed."""
OUTSIDE = -1e-6
"""A point whose least weight is below this lies outside of the mesh."""


def list_chains(entity: Entity, body: TetBody) -> list[Chain]:
    """All fibres of an entity, sorted by name."""
    muscles = entity.components["muscles"]
    chains = [cut_fibre(name, fibre) for name, fibre in muscles.fibres.items()]
    if "letter_muscles" in entity.components:
        chains += lay_out_letter(entity.components["tet_letter"], entity.components["letter_muscles"])
    if "axis_muscles" in entity.components:
        layout = entity.components["axis_muscles"]
        chains += lay_out_axis(body.mesh, layout.fibres, layout.depth, layout.branches)
    return sorted(chains, key=lambda chain: chain.name)


def compile_muscles(build: Build) -> None:
    """Declare the segments of all fibres, their influence, drives, metrics and drawings."""
    mechanism = next(each for each in build.members("mechanisms") if each.name == "tets")
    bodies: dict[str, TetBody] = {body.path: body for body in mechanism.bodies}
    entities = build.having("muscles")
    chains = {entity.path: list_chains(entity, bodies[entity.path]) for entity in entities}
    place_of = _place_corners(build)
    element, weight, direction, numbers, labels = [], [], [], [], []
    elements = sum(len(body.mesh.tets) for body in bodies.values())
    shares = np.zeros((elements, sum(chain.count for each in chains.values() for chain in each)))
    most = max(len({chain.group for chain in each}) for each in chains.values())
    bundle, bundle_stiffness = np.zeros((elements, most, 3)), np.zeros((elements, most))
    span, used = [], 0
    for entity in entities:
        body, muscles = bodies[entity.path], entity.components["muscles"]
        points, groups = _collect(build, entity, body, chains[entity.path])
        starts, ends = points[0::2], points[1::2]
        tet, shared = find_tet(body.mesh, points)
        _check_inside(build, entity, chains[entity.path], points, shared)
        own = slice(used, used + len(starts))
        centres = body.mesh.vertices[body.mesh.tets].mean(axis=1)
        shares[body.elements, own] = find_influence(centres, starts, ends, groups, muscles.spread)
        element.append(tet + body.elements.start)
        weight.append(shared)
        way = ends - starts
        length = np.linalg.norm(way, axis=1)
        direction.append(rotate(build.pose(entity.path)[1], way / length[:, None]))
        main, size = find_bundles(shares[body.elements, own], direction[-1], groups)
        bundle[body.elements, : main.shape[1]] = main
        bundle_stiffness[body.elements, : main.shape[1]] = muscles.stiffness * size
        same = np.ones(len(length))
        numbers.append(
            np.stack(
                [
                    length,
                    muscles.stiffness * same,
                    muscles.lowest * same,
                    muscles.rate * same,
                    muscles.start * same,
                ]
            )
        )
        labels += [f"{entity.path}:{chain.name}" for chain in chains[entity.path] for _ in range(chain.count)]
        span.append([own.start, own.stop, body.elements.start, body.elements.stop])
        used = own.stop
    tets, weights = np.concatenate(element), np.concatenate(weight)
    # Weights belong to the corners as tets.tets has them; kernels know tets.corner.
    sorted_weights = np.take_along_axis(weights, place_of[tets], axis=1)
    _declare(
        build,
        shares,
        tets,
        sorted_weights,
        np.concatenate(direction),
        np.concatenate(numbers, axis=1),
        labels,
    )
    build.add_model(
        "muscles.bundle", bundle, unit="1", doc="Main directions of groups in tetrahedra at rest."
    )
    build.add_model("muscles.bundle_stiffness", bundle_stiffness, unit="Pa", doc="Stiffness along them.")
    build.add_model(
        "muscles.span", span, unit="1", dtype=np.int64, labels=[entity.path for entity in entities],
        doc="First and last segment, and tetrahedron, of a body; the last ones excluded.",
    )  # fmt: skip
    _declare_drives(build, entities, chains, used)
    _declare_seen(build, entities, span)


def _place_corners(build: Build) -> IntArray:
    """Where the corners of tets.corner stand in the rows of tets.tets [elements, 4]."""
    corner, tets = build.arrays["tets.corner"], build.arrays["tets.tets"]
    return np.asarray(np.argmax(tets[:, None, :] == corner[:, :, None], axis=2))


def _collect(
    build: Build, entity: Entity, body: TetBody, chains: list[Chain]
) -> tuple[FloatArray, list[str]]:
    points, groups = [], []
    names = [chain.name for chain in chains]
    for chain in chains:
        if names.count(chain.name) > 1:
            what = f"there are two fibres '{chain.name}'"
            raise build.refuse(
                f"{entity.path}.muscles.fibres", what, "the layout has one, too; choose another name"
            )
        ends = np.stack([chain.points[:-1], chain.points[1:]], axis=1).reshape(-1, 3)
        if (np.linalg.norm(ends[1::2] - ends[0::2], axis=1) < 1e-6 * body.mesh.edge).any():
            what = f"fibre '{chain.name}' has a segment without length"
            raise build.refuse(f"{entity.path}.muscles.fibres", what, "leave out the point that stands twice")
        points.append(ends)
        groups += [chain.group] * chain.count
    return np.concatenate(points), groups


def _check_inside(
    build: Build, entity: Entity, chains: list[Chain], points: FloatArray, weights: FloatArray
) -> None:
    outside = np.flatnonzero(weights.min(axis=1) < OUTSIDE)
    if len(outside) == 0:
        return
    number = int(outside[0])
    ends = np.cumsum([2 * chain.count for chain in chains])
    chain = chains[int(np.searchsorted(ends, number, side="right"))]
    where = ", ".join(f"{each:.4g}" for each in points[number])
    what = f"fibre '{chain.name}' leaves the mesh: the point [{where}] lies outside"
    raise build.refuse(
        f"{entity.path}.muscles.fibres", what, "move it inwards; points are in the entity's frame"
    )


def _declare(build, shares, element, weight, direction, numbers, labels) -> None:  # type: ignore[no-untyped-def]
    first, segment, share = list_pairs(shares)
    for name, integers, doc in (
        ("first", first, "Where the influences on a tetrahedron begin."),
        ("segment", segment, "Segment that acts on it."),
        ("element", element, "Tetrahedron of each end of a segment."),
    ):
        build.add_model(f"muscles.{name}", integers, unit="1", doc=doc, dtype=np.int64)
    build.add_model("muscles.share", share, unit="1", doc="Its share in the stress.")
    build.add_model("muscles.direction", direction, unit="1", doc="Directions at rest.", labels=labels)
    build.add_model(
        "muscles.weight", weight, unit="1", doc="Weights of the corners at each end of a segment."
    )
    length, stiffness, lowest, rate, start = (np.ascontiguousarray(row) for row in numbers)
    for name, values, unit, doc in (
        ("rest_length", length, "m", "Lengths at rest."),
        ("stiffness", stiffness, "Pa", "Stress for a contraction by the whole length."),
        ("lowest", lowest, "1", "Least relative length to ask for."),
        ("rate", rate, "1/s", "Its greatest change in time."),
    ):
        build.add_model(f"muscles.{name}", values, unit=unit, doc=doc, labels=labels)
    corner, x = build.arrays["tets.corner"], build.arrays["tets.x"]
    points = np.einsum("ka,kai->ki", weight, x[corner[element]])
    build.add_state("muscles.point", points, unit="m", doc="Ends of the segments.", record=True)
    build.add_state("muscles.length", length, unit="m", doc="Lengths of the segments.", labels=labels)
    build.add_state("muscles.asked", start, unit="1", doc="Relative lengths asked for last.", labels=labels)
    shape = (len(length),)
    build.add_step("muscles.wanted", shape, unit="1", doc="Contractions of drives.", accumulates=True)
    build.add_step("muscles.change", shape, unit="1", doc="Changes that planners ask for.", accumulates=True)
    build.add_step(
        "muscles.now", shape, unit="1", doc="Relative lengths asked for before planners.", labels=labels
    )
    build.add_step("muscles.stress", shape, unit="Pa", doc="Stress along the segments, negative: tension.")
    build.add_step("muscles.shown", shape, unit="1", doc="Contraction.", record=True)


def _declare_drives(build: Build, entities: list[Entity], chains: dict[str, list[Chain]], count: int) -> None:
    number, shape, curve, swing, pieces, used = [], [], [], [], [np.zeros((0, SEGMENT_COLUMNS))], 0
    driven = np.zeros(count, np.int64)
    first = 0
    for entity in entities:
        for drive in entity.components["muscle_drive"].drives if "muscle_drive" in entity.components else ():
            span = (0, 0)
            if drive.sine is None:
                made = read_curve(_as_curve(drive.contraction))[0]
                span, used = (used, len(made)), used + len(made)
                pieces.append(made)
            for pattern in drive.fibres:
                if not any(fnmatchcase(chain.name, pattern) for chain in chains[entity.path]):
                    names = ", ".join(chain.name for chain in chains[entity.path][:12])
                    where = f"{entity.path}.muscle_drive.drives"
                    raise build.refuse(where, f"no fibre is called '{pattern}'", f"there are {names}")
            at = first
            for chain in chains[entity.path]:
                if any(fnmatchcase(chain.name, pattern) for pattern in drive.fibres):
                    for k in range(chain.count):
                        number.append((at + k, k))
                        curve.append(span)
                        swing.append(_describe_swing(drive))
                        shape.append(_find_shape(drive))
                        driven[at + k] = 1
                at += chain.count
        first += sum(chain.count for chain in chains[entity.path])
    for name, integers, width, doc in (
        ("drive_number", number, 2, "Segment that a drive acts on, and its place in the fibre."),
        ("drive_curve", curve, 2, "First piece of the drive's curve, and how many there are."),
    ):
        build.add_model(
            f"muscles.{name}",
            np.array(integers, np.int64).reshape(-1, width),
            unit="1",
            doc=doc,
            dtype=np.int64,
        )
    build.add_model(
        "muscles.drive_shape", np.array(shape, np.int64), unit="1", doc="Shape of its curve.", dtype=np.int64
    )
    build.add_model("muscles.drive_swing", np.array(swing, float).reshape(-1, 5), unit="SI", doc="Its swing.")
    build.add_model("muscles.drive_piece", np.concatenate(pieces), unit="SI", doc="Pieces of all curves.")
    build.add_model("muscles.driven", driven, unit="1", doc="1 for segments that are driven.", dtype=np.int64)


def _as_curve(value: Curve | float | None) -> Curve:
    return value if isinstance(value, Curve) else Curve(keys=((0.0, float(value or 0.0)),))


def _find_shape(drive) -> int:  # type: ignore[no-untyped-def]
    return shape_of(_as_curve(drive.contraction).interpolation) if drive.sine is None else 0


def _describe_swing(drive) -> tuple[float, float, float, float, float]:  # type: ignore[no-untyped-def]
    sine = drive.sine
    if sine is None:
        return 0.0, 0.0, 0.0, 0.0, 0.0
    return sine.mean, sine.amplitude, sine.period, math.radians(sine.phase), math.radians(sine.lag)


def _declare_seen(build: Build, entities: list[Entity], span: list[list[int]]) -> None:
    build.add_step("muscles.observed", (len(entities), len(OBSERVED)), unit="SI", doc="Metrics.")
    pairs = np.arange(2 * span[-1][1]).reshape(-1, 2)
    build.add_model(
        "muscles.pair", pairs, unit="1", doc="Ends of a segment in muscles.point.", dtype=np.int64
    )
    for row, entity in enumerate(entities):
        build.bind_metrics(
            entity, "muscles", {name: ("muscles.observed", (row, c)) for c, name in enumerate(OBSERVED)}
        )
    radius = 0.2 * min(entity.components["muscles"].spread for entity in entities)
    channel = Channel("muscles.shown", 0.0, 0.5, "1", "contraction of muscles")
    path = entities[0].path
    build.draw(
        Drawing("muscles", path, "muscles", Lines("muscles.point", "muscles.pair", radius), channel=channel)
    )
