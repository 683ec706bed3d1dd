"""Generated skins: closed, of the asked number of vertices, with good triangles, on the surface that they stand for."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from supple_characters import limb_columns as at
from supple_characters import oracle
from supple_characters.components import Arm, Figure, Hand, Leg, UpperBody
from supple_characters.coverings import wrap_plan
from supple_characters.distance_kernels import body_distance, least_distance, limb_distance
from supple_characters.limbs import Limb, tabulate
from supple_characters.plan import mirror_plan, scale_plan
from supple_characters.surface import Surface, wrap

CHARACTERS = {
    "hand": Hand(),
    "pinch": Hand(fingers=("thumb", "index")),
    "left": Hand(side="left", scale=0.8),
    "arm": Arm(),
    "leg": Leg(),
    "upper_body": UpperBody(),
    "figure": Figure(),
}


def angles_of(surface: Surface) -> np.ndarray:
    """The three angles of every triangle [3, nt] in degrees."""
    corners = surface.vertices[surface.triangles]
    found = []
    for k in range(3):
        u, v = corners[:, (k + 1) % 3] - corners[:, k], corners[:, (k + 2) % 3] - corners[:, k]
        sizes = np.linalg.norm(u, axis=1) * np.linalg.norm(v, axis=1)
        found.append(np.degrees(np.arccos(np.clip(np.einsum("ij,ij->i", u, v) / sizes, -1, 1))))
    return np.array(found)


def volume_of(surface: Surface) -> float:
    a, b, c = (surface.vertices[surface.triangles[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)


def assert_closed(surface: Surface) -> None:
    """Every edge twice, once in each direction; one piece without handles; the outside is outside."""
    triangles = surface.triangles
    edges = np.concatenate([triangles[:, [k, (k + 1) % 3]] for k in range(3)])
    there, back = ({tuple(edge) for edge in pairs.tolist()} for pairs in (edges, edges[:, ::-1]))
    assert len(there) == len(edges)
    assert there == back
    assert len(surface.vertices) - len(edges) // 2 + len(triangles) == 2
    assert set(triangles.ravel().tolist()) == set(range(len(surface.vertices)))
    reached, front = {0}, {0}
    neighbours: dict[int, list[int]] = {}
    for a, b in there:
        neighbours.setdefault(a, []).append(b)
    while front:
        found = {n for v in front for n in neighbours[v]} - reached
        reached.update(found)
        front = found
    assert len(reached) == len(surface.vertices)
    assert volume_of(surface) > 0


@pytest.mark.parametrize("vertices", [300, 800, 1500, 4000])
@pytest.mark.parametrize("name", CHARACTERS)
def test_skin_is_closed_and_even(name: str, vertices: int) -> None:
    character = CHARACTERS[name]
    plan = scale_plan(character.plan(), character.scale)
    surface = wrap_plan(plan, vertices)
    assert abs(len(surface.vertices) - vertices) <= 0.03 * vertices
    assert_closed(surface)
    smallest = angles_of(surface).min(axis=0)
    assert np.mean(smallest > 25) > 0.97
    assert smallest.min() > 1
    assert set(surface.bones) == {bone.path for bone in plan.bones if bone.mass}
    table, _ = tabulate(plan.limbs)
    soft = np.array([plan.join, plan.apart])
    distances = [body_distance(table, soft, *vertex)[0] for vertex in surface.vertices]
    assert np.abs(distances).max() < 1e-6


@pytest.mark.parametrize(("name", "vertices"), [("hand", 800), ("hand", 1500), ("figure", 1500)])
def test_skin_does_not_pass_through_itself(name: str, vertices: int) -> None:
    surface = wrap_plan(CHARACTERS[name].plan(), vertices)
    assert count_crossings(surface) == 0


def count_crossings(surface: Surface) -> int:
    """Edges that pierce a triangle which they share no vertex with, by brute force within overlapping boxes."""
    x, triangles = surface.vertices, surface.triangles
    edges = np.array([(a, b) for t in triangles for a, b in zip(t, np.roll(t, -1), strict=True) if a < b])
    low, high = x[triangles].min(axis=1), x[triangles].max(axis=1)
    found = 0
    for a, b in edges:
        near = ((low <= np.maximum(x[a], x[b])) & (high >= np.minimum(x[a], x[b]))).all(axis=1)
        near &= ~(triangles == a).any(axis=1) & ~(triangles == b).any(axis=1)
        p, q, r = (x[triangles[near, k]] for k in range(3))
        way, u, v = x[b] - x[a], q - p, r - p
        normal = np.cross(u, v)
        slope = normal @ way
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.einsum("ij,ij->i", normal, p - x[a]) / slope
            hit = x[a] + t[:, None] * way - p
            square = np.einsum("ij,ij->i", normal, normal)
            s1 = np.einsum("ij,ij->i", np.cross(hit, v), normal) / square
            s2 = np.einsum("ij,ij->i", np.cross(u, hit), normal) / square
        found += int(np.count_nonzero((t > 0) & (t < 1) & (s1 > 0) & (s2 > 0) & (s1 + s2 < 1)))
    return found


def test_crossings_are_noticed() -> None:
    surface = wrap_plan(CHARACTERS["hand"].plan(), 800)
    moved = surface.vertices.copy()
    far = int(np.argmax(moved[:, 2]))
    moved[far] = moved[int(np.argmin(moved[:, 2]))] - (0, 0, 0.01)
    assert count_crossings(Surface(moved, surface.triangles, surface.bones)) > 0


def test_the_same_limbs_give_the_same_bits() -> None:
    plan = CHARACTERS["hand"].plan()
    first, second = (wrap.__wrapped__(plan.limbs, 700, plan.join, plan.apart, plan.detail) for _ in range(2))
    assert first.vertices.tobytes() == second.vertices.tobytes()
    assert first.triangles.tobytes() == second.triangles.tobytes()
    assert first.bones == second.bones


@pytest.mark.parametrize(("length", "flatness"), [(0.0, 1.0), (0.2, 1.0), (0.2, 0.5)])
def test_volume_of_a_capsule(length: float, flatness: float) -> None:
    radius = 0.05
    limb = Limb("a", (0, 0, 0), (0, length, 0), (radius, radius), flatness=flatness)
    surface = wrap((limb,), 2000, 0.0, 0.0, 0.01)
    exact = flatness * (4 / 3 * math.pi * radius**3 + math.pi * radius**2 * length)
    assert volume_of(surface) == pytest.approx(exact, rel=0.01)
    assert volume_of(surface) < exact  # chords of a convex body lie inside


def test_volume_of_a_tapered_limb() -> None:
    """A frustum between the circles where cone and balls touch, and two caps."""
    a, b, length = 0.06, 0.03, 0.2
    surface = wrap((Limb("a", (0, 0, 0), (0, 0, length), (a, b)),), 2500, 0.0, 0.0, 0.01)
    sine = (a - b) / length
    cosine = math.sqrt(1 - sine**2)
    tall = length - (a - b) * sine
    frustum = math.pi * tall * cosine**2 * (a * a + a * b + b * b) / 3
    cap = lambda r, h: math.pi * h * h * (3 * r - h) / 3  # noqa: E731
    exact = frustum + cap(a, a * (1 + sine)) + cap(b, b * (1 - sine))
    assert volume_of(surface) == pytest.approx(exact, rel=0.01)


def test_finer_ends_have_shorter_edges() -> None:
    even, finer = (
        wrap((Limb("a", (0, 0, 0), (0, 0.3, 0), (0.04, 0.04), fine=(1.0, fine)),), 1200, 0.0, 0.0, 0.01)
        for fine in (1.0, 3.0)
    )
    share = [np.mean(surface.vertices[:, 1] > 0.25) for surface in (even, finer)]
    assert share[1] > 2 * share[0]


def test_mirrored_limbs_have_the_mirrored_distance() -> None:
    plan = CHARACTERS["hand"].plan()
    tables = [tabulate(each.limbs)[0] for each in (plan, mirror_plan(plan))]
    soft = np.array([plan.join, plan.apart])
    for x, y, z in np.random.default_rng(0).normal((0, 0, 0.08), 0.06, (200, 3)):
        here, there = body_distance(tables[0], soft, x, y, z), body_distance(tables[1], soft, -x, y, z)
        assert there[0] == pytest.approx(here[0], abs=1e-12)


@pytest.mark.parametrize("name", ["hand", "figure"])
def test_kernels_agree_with_plain_numpy(name: str) -> None:
    """Also tests that limbs which are skipped as too far would have changed nothing."""
    plan = CHARACTERS[name].plan()
    table, _ = tabulate(plan.limbs)
    soft = np.array([plan.join, plan.apart])
    surface = wrap_plan(plan, 800)
    size = np.ptp(surface.vertices, axis=0).max()
    source = np.random.default_rng(1)
    for spread in (0.002, 0.02, 0.2):
        for p in surface.vertices[:150] + source.normal(0, spread * size, (150, 3)):
            distance, gradient = oracle.body_distance(table, soft, p)
            found = body_distance(table, soft, *p)
            assert found[0] == pytest.approx(distance, abs=1e-12)
            assert found[1:] == pytest.approx(gradient, abs=1e-9)


point = st.tuples(*[st.floats(-0.3, 0.3)] * 3)
radius = st.floats(0.02, 0.08)


def segment_distances(start: np.ndarray, end: np.ndarray, p: np.ndarray) -> tuple[float, float]:
    """Distances of a point from the start of a segment and from the segment."""
    way = end - start
    t = np.clip((p - start) @ way / max(way @ way, 1e-30), 0, 1)
    return float(np.linalg.norm(p - start)), float(np.linalg.norm(p - start - t * way))


@settings(deadline=None)
@given(point, point, st.tuples(radius, radius), st.floats(0.3, 1.0), point)
def test_distance_of_a_limb(start, end, radii, flatness, where) -> None:
    """The gradient is a unit vector and, of a round limb, the derivative; the bound is below the distance."""
    table, _ = tabulate([Limb("a", start, end, radii, (0.3, 1.0, 0.2), flatness)])
    ends = table[0, at.START : at.START + 3], np.array(end)
    assume(min(segment_distances(*ends, np.array(where))) > 1e-6)  # on the axis there is no gradient
    distance, *gradient = limb_distance(table, 0, *where)
    assert np.linalg.norm(gradient) == pytest.approx(1.0)
    assert least_distance(table, 0, *where) <= distance + 1e-12
    assert distance == pytest.approx(oracle.limb_distance(table[0], np.array(where))[0], abs=1e-9)
    nearest = np.array(where) - distance * np.array(gradient)
    if flatness == 1.0:
        assert limb_distance(table, 0, *nearest)[0] == pytest.approx(0.0, abs=1e-9)
    else:
        # A convex function lies above its tangent: the step never passes the surface from outside.
        assert distance < 0 or limb_distance(table, 0, *nearest)[0] >= -1e-9


@settings(max_examples=12, deadline=None)
@given(
    st.lists(
        st.tuples(st.floats(-60, 60), st.floats(0.1, 0.3), st.floats(0.025, 0.05)), min_size=2, max_size=4
    ),
    st.integers(250, 1200),
)
def test_any_chain_of_limbs_has_a_closed_skin(links, vertices) -> None:
    limbs, at_now, angle, r = [], np.zeros(3), 0.0, 0.04
    for k, (turn, length, next_radius) in enumerate(links):
        angle += math.radians(turn) / 2
        after = at_now + length * np.array([math.sin(angle), math.cos(angle), 0.0])
        ends = tuple(at_now), tuple(after)
        limbs.append(Limb(f"b{k}", *ends, (r, next_radius), blend=0.01, joined=(k > 0, k < len(links) - 1)))
        at_now, r = after, next_radius
    surface = wrap(tuple(limbs), vertices, 0.0, 0.0, 0.015)
    assert len(surface.vertices) == vertices
    assert_closed(surface)
    assert np.mean(angles_of(surface).min(axis=0) > 25) > 0.97


def test_skin_is_cut_at_the_joints() -> None:
    """On a straight chain a vertex hangs on the bone between whose joints it lies."""
    limbs = tuple(
        Limb(f"b{k}", (0, 0.1 * k, 0), (0, 0.1 * k + 0.1, 0), (0.03, 0.03), blend=0.01, joined=(k > 0, k < 2))
        for k in range(3)
    )
    surface = wrap(limbs, 600, 0.0, 0.0, 0.015)
    for (_, y, _), bone in zip(surface.vertices, surface.bones, strict=True):
        assert (
            bone == ("b0" if y < 0.1 else "b1" if y < 0.2 else "b2") or min(abs(y - 0.1), abs(y - 0.2)) < 1e-6
        )


def test_limbs_that_are_apart_are_refused() -> None:
    limbs = (Limb("a", (0, 0, 0), (0, 0.1, 0), (0.03, 0.03)), Limb("b", (1, 0, 0), (1, 0.1, 0), (0.03, 0.03)))
    with pytest.raises(ValueError, match="no single closed skin"):
        wrap(limbs, 400, 0.0, 0.0, 0.02)


def test_columns_do_not_overlap() -> None:
    table, _ = tabulate([Limb("a", (1, 2, 3), (1, 2, 5), (0.5, 0.25), group=2, fine=(1, 2))])
    assert table.shape == (1, at.LIMB_COLUMNS)
    assert table[0, at.LENGTH] == 2.0
    assert table[0, at.GROUP] == 2
    assert table[0, at.REACH] == 1.5
    assert list(table[0, at.CENTRE : at.CENTRE + 3]) == [1, 2, 4]
