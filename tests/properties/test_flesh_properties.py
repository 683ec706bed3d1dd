"""What holds for every flesh: its matrices, its masks, its springs, and the step across bones."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supple.errors import UserError
from supple.math.strip_kernels import LANES
from supple_flesh.active import ActiveSet, reserve_inverses
from supple_flesh.creep_kernels import relax_creeping
from supple_flesh.load_kernels import add_patch_inertias, find_lag_moments
from supple_flesh.pool import Pool
from supple_flesh.release_kernels import FAR, choose_active, spread_rings
from supple_flesh.shapes import make_box_surface
from supple_flesh.tables import (
    ADAPTIVE,
    CREEPING,
    RIGID,
    SOFT,
    Patches,
    Softness,
    Springs,
    VertexMotion,
    make_product,
)


@st.composite
def pools(draw) -> tuple[Pool, np.random.Generator]:
    """Random graphs of vertices on a few bones; nothing here needs a surface."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, bones = draw(st.integers(2, 14)), draw(st.integers(1, 3))
    pairs = [(i, j) for i in range(n) for j in range(i) if rng.random() < 3.0 / n]
    ends = sorted([(i, j) for i, j in pairs] + [(j, i) for i, j in pairs])
    stiffness = {pair: 10 ** rng.uniform(1, 5) for pair in pairs}
    degree = np.bincount([i for i, _ in ends], minlength=n) if ends else np.zeros(n, int)
    pool = Pool(
        parts=(), patch_part=(0,) * bones, patch_bone=tuple(f"b{k}" for k in range(bones)),
        patch_share=(1.0,) * bones, region_part=(), region_bone=(), region_of=np.zeros(n, np.int64),
        patch_of=rng.integers(0, bones, n), rest=rng.normal(size=(n, 3)) * 0.1, mass=10 ** rng.uniform(-4, 0, n),
        vertex_stiffness=10 ** rng.uniform(1, 5, n), damping=10 ** rng.uniform(-2, 3, n),
        first=np.concatenate([[0], np.cumsum(degree)]).astype(np.int64),
        neighbour=np.array([j for _, j in ends], np.int64),
        edge_stiffness=np.array([stiffness[max(pair), min(pair)] for pair in ends]),
        triangles=np.zeros((0, 3), np.int64), state=np.full(n, ADAPTIVE), rings=np.full(n, 1),
    )  # fmt: skip
    return pool, rng


def dense_matrix(pool: Pool, h: float, mine: np.ndarray) -> np.ndarray:
    """A_s of some vertices of one patch, straight from eq. (3)."""
    A = np.diag(pool.mass[mine] + h * pool.damping[mine] + h * h * pool.vertex_stiffness[mine])
    for a, i in enumerate(mine):
        for e in range(pool.first[i], pool.first[i + 1]):
            A[a, a] += h * h * pool.edge_stiffness[e]
            for b in np.flatnonzero(mine == pool.neighbour[e]):
                A[a, b] -= h * h * pool.edge_stiffness[e]
    return A


@settings(max_examples=60, deadline=None)
@given(pools(), st.floats(1e-4, 1e-2))
def test_inverses_follow_mask_and_step_and_nothing_else(sample, h) -> None:
    """However mask and h came about, the lists are the same bit for bit, and the matrices are the inverses.

    Nor do the arrays move, to which kernels are bound.
    """
    pool, rng = sample
    wandering = ActiveSet(pool, 0.0)
    places = [array.ctypes.data for array in wandering.arrays]
    for ahead in (h, h / 2, h / 2, h):
        mask = (rng.random(pool.count) < rng.random()).astype(np.int64)
        wandering.look_ahead(ahead)
        wandering.update(mask)
    assert places == [array.ctypes.data for array in wandering.arrays]
    known, found = ActiveSet(pool, h), wandering.arrays
    known.update(mask)
    fresh = known.arrays
    used = fresh.start[-1]
    assert np.array_equal(found.start, fresh.start)
    assert np.array_equal(found.vertex[:used], fresh.vertex[:used])
    assert np.array_equal(found.slot, fresh.slot)
    assert np.array_equal(wandering.lag, known.lag)
    for p in range(len(pool.patch_bone)):
        mine = fresh.vertex[fresh.start[p] : fresh.start[p + 1]]
        assert (pool.patch_of[mine] == p).all()
        first, size = fresh.inverse_start[p], len(mine)
        assert first + size**2 <= fresh.inverse_start[p + 1]
        inverse = fresh.inverse[first : first + size**2].reshape(size, size)
        assert np.array_equal(inverse.reshape(-1), found.inverse[first : first + size**2])
        A = dense_matrix(pool, h, mine)
        np.testing.assert_allclose(inverse @ A, np.eye(size), atol=1e-9)
        np.testing.assert_allclose(A @ known.lag[mine], pool.mass[mine], rtol=1e-9)


@settings(max_examples=20, deadline=None)
@given(pools())
def test_only_vertices_that_may_move_need_room(sample) -> None:
    pool, rng = sample
    state = rng.choice([RIGID, ADAPTIVE, SOFT], pool.count)
    active = ActiveSet(replace(pool, state=state), 1e-3).arrays
    movable = [int(((pool.patch_of == p) & (state != RIGID)).sum()) for p in range(len(pool.patch_bone))]
    assert np.diff(active.inverse_start).tolist() == [count**2 for count in movable]
    assert len(active.inverse) == active.inverse_start[-1] + 2 * LANES


def test_more_vertices_than_memory_can_couple_are_refused(monkeypatch) -> None:
    def refuse(shape, *_):
        raise MemoryError

    pool = SimpleNamespace(
        patch_of=np.repeat([0, 1], [10, 20000]), state=np.full(20010, ADAPTIVE), patch_bone=("arm", "trunk")
    )
    monkeypatch.setattr(np, "zeros", refuse)
    with pytest.raises(UserError) as caught:
        reserve_inverses(pool)
    problem = caught.value.problems[0]
    assert problem.path == "trunk"
    assert "20000 vertices that may move hang on it, whose matrix takes 3.2 GB" in str(problem)


@settings(max_examples=60, deadline=None)
@given(pools(), st.floats(1e-4, 1e-2))
def test_eliminated_inertia_lies_between_none_and_rigid(sample, h) -> None:
    """A vertex on springs weighs on its bone as much as a rigid one at most, and never less than nothing."""
    pool, rng = sample
    active = ActiveSet(pool, h)
    active.update(np.ones(pool.count, np.int64))
    bones = len(pool.patch_bone)
    local = pool.rest + 0.01 * rng.normal(size=pool.rest.shape)
    right, product, moment = np.zeros_like(local), make_product(pool.count), np.zeros_like(local)
    patches = Patches(patch_bone=np.arange(bones), patch_of=pool.patch_of, mass=pool.mass, rest=pool.rest)
    find_lag_moments(pool.mass, local, active.arrays, right, product, moment)
    for p in range(bones):
        mine = np.flatnonzero(pool.patch_of == p)
        expected = np.linalg.solve(dense_matrix(pool, h, mine), pool.mass[mine, None] * local[mine])
        np.testing.assert_allclose(moment[mine], expected, rtol=1e-8, atol=1e-12)
    results = []
    for lag, lag_moment in ((active.lag, moment), (np.zeros(pool.count), np.zeros_like(moment))):
        rigid, effective = np.zeros((bones, 10)), np.zeros((bones, 10))
        add_patch_inertias(patches, local, active.arrays, lag, lag_moment, rigid, effective)
        results.append(effective - rigid)
    for soft, stiff in zip(*results, strict=True):
        low, high = spatial(soft), spatial(stiff)
        size = np.abs(high).max() + 1e-12
        assert np.linalg.eigvalsh(low).min() > -1e-9 * size
        assert np.linalg.eigvalsh(high - low).min() > -1e-9 * size


def spatial(inertia: np.ndarray) -> np.ndarray:
    """The 6 x 6 matrix of ten numbers."""
    m, p, (xx, yy, zz, xy, xz, yz) = inertia[0], inertia[1:4], inertia[4:]
    cross = np.array([[0, -p[2], p[1]], [p[2], 0, -p[0]], [-p[1], p[0], 0]])
    return np.block([[m * np.eye(3), -cross], [cross, np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])]])


@settings(max_examples=80, deadline=None)
@given(pools(), st.floats(1e-4, 5e-2), st.booleans())
def test_the_lagged_springs_across_bones_are_stable_for_any_step(sample, h, damped) -> None:
    """The step of vertices on bones that stand still never amplifies anything; README eq. (13)."""
    pool, _ = sample
    n = pool.count
    K = np.diag(pool.vertex_stiffness.copy())
    implicit = K.copy()
    for i in range(n):
        for e in range(pool.first[i], pool.first[i + 1]):
            j, k = pool.neighbour[e], pool.edge_stiffness[e]
            K[i, i] += k
            K[i, j] -= k
            implicit[i, i] += k
            if pool.patch_of[i] == pool.patch_of[j]:
                implicit[i, j] -= k
    M, D = np.diag(pool.mass), np.diag(pool.damping if damped else np.zeros(n))
    A = M + h * D + h * h * implicit
    # v' = A^-1 (M v - h K d) and d' = d + h v', in units in which d / h and v are alike.
    to_v = np.linalg.solve(A, np.hstack([-h * h * K, M]))
    step = np.vstack([np.hstack([np.eye(n), np.zeros((n, n))]) + to_v, to_v])
    assert np.abs(np.linalg.eigvals(step)).max() < 1 + 1e-7


@settings(max_examples=60, deadline=None)
@given(pools(), st.integers(0, 5))
def test_rings_count_edges(sample, most) -> None:
    pool, rng = sample
    ring = np.full(pool.count, FAR)
    touched = rng.random(pool.count) < 0.2
    ring[touched] = 0
    spread_rings(most, pool.first, pool.neighbour, ring)
    reached = touched.copy()
    for distance in range(most + 1):
        assert np.array_equal(ring <= distance, reached)
        for i in np.flatnonzero(reached.copy()):
            reached[pool.neighbour[pool.first[i] : pool.first[i + 1]]] = True


@settings(max_examples=60, deadline=None)
@given(pools(), st.floats(0, 0.1), st.floats(0, 1))
def test_a_vertex_stays_active_until_it_rests(sample, displacement, speed) -> None:
    pool, rng = sample
    n = pool.count
    local, relative = pool.rest + 0.05 * rng.normal(size=(n, 3)), 0.5 * rng.normal(size=(n, 3))
    active, ring = rng.integers(0, 2, n), np.where(rng.random(n) < 0.3, 1, FAR)
    mask = np.zeros(n, np.int64)
    softness = Softness(state=pool.state, rings=pool.rings, rest=pool.rest, mass=pool.mass)
    springs, motion = (
        Springs(*(getattr(pool, name) for name in Springs._fields)),
        VertexMotion(local, relative),
    )
    choose_active(displacement, speed, 0.0, softness, springs, ring, motion, active, mask)
    far = np.linalg.norm(local - pool.rest, axis=1) > displacement
    fast = np.linalg.norm(relative, axis=1) > speed
    assert np.array_equal(mask != 0, (ring <= 1) | ((active != 0) & (far | fast)))


def creep_with(pool, mask, h):
    """Matrix A of the creeping vertices, and that of their symmetric sweep, which stands in its place."""
    chosen = np.flatnonzero(mask == CREEPING)
    A = np.zeros((pool.count, pool.count))
    for i in range(pool.count):
        A[i, i] = pool.mass[i] + h * pool.damping[i] + h * h * pool.vertex_stiffness[i]
        for e in range(pool.first[i], pool.first[i + 1]):
            A[i, i] += h * h * pool.edge_stiffness[e]
            if pool.patch_of[i] == pool.patch_of[pool.neighbour[e]]:
                A[i, pool.neighbour[e]] -= h * h * pool.edge_stiffness[e]
    A = A[np.ix_(chosen, chosen)]
    lower = np.tril(A)
    return chosen, A, lower @ np.diag(1.0 / np.diag(A)) @ lower.T


@settings(max_examples=40, deadline=None)
@given(pools(), st.floats(1e-4, 0.01))
def test_creeping_vertices_relax_by_one_symmetric_sweep(sample, h) -> None:
    pool, rng = sample
    mask = rng.integers(0, 3, pool.count)
    chosen, _, sweep = creep_with(pool, mask, h)
    right = rng.normal(size=(pool.count, 3))
    creep = right.copy()
    patches = Patches(np.zeros(1, np.int64), pool.patch_of, pool.mass, pool.rest)
    relax_creeping(h, patches, Springs(*(getattr(pool, name) for name in Springs._fields)), mask, creep)
    expected = right.copy()
    expected[chosen] = np.linalg.solve(sweep, right[chosen])
    np.testing.assert_allclose(creep, expected, atol=1e-12 * np.abs(expected).max())


@settings(max_examples=40, deadline=None)
@given(pools(), st.floats(1e-4, 0.1), st.booleans())
def test_creeping_is_stable_at_every_step(sample, h, damped) -> None:
    """Also where springs outweigh dampers, whose vertices do not creep: the sweep only makes the masses greater."""
    pool, _ = sample
    pool = pool if damped else replace(pool, damping=np.zeros(pool.count))
    _, A, sweep = creep_with(pool, np.full(pool.count, CREEPING), h)
    n, K = pool.count, np.zeros((pool.count, pool.count))
    for i in range(n):
        K[i, i] += pool.vertex_stiffness[i]
        for e in range(pool.first[i], pool.first[i + 1]):
            K[i, i] += pool.edge_stiffness[e]
            K[i, pool.neighbour[e]] -= pool.edge_stiffness[e]
    # x' + S^-1 (M x' - A x' - h K d), with the other ends of springs across bones as they are; d / h and x' as above.
    change = np.linalg.solve(sweep, np.hstack([-h * h * K, np.diag(pool.mass) - A]))
    to_v = change + np.hstack([np.zeros((n, n)), np.eye(n)])
    step = np.vstack([np.hstack([np.eye(n), np.zeros((n, n))]) + to_v, to_v])
    assert np.abs(np.linalg.eigvals(step)).max() < 1 + 1e-7


@pytest.mark.parametrize("cells", [1, 2, 3, 6])
def test_the_box_is_closed_and_symmetric(cells) -> None:
    vertices, triangles = make_box_surface((0.3, 0.2, 0.1), cells)
    edges = {}
    for triangle in triangles:
        for k in range(3):
            pair = (triangle[k], triangle[(k + 1) % 3])
            assert pair not in edges, "every edge is run through once each way"
            edges[pair] = True
    assert all((b, a) in edges for a, b in edges)
    assert len(vertices) == 6 * cells * cells + 2
    corners = np.array(vertices)[np.array(triangles)]
    volume = np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6
    assert volume == pytest.approx(0.3 * 0.2 * 0.1)
    if cells % 2 == 0:
        mirrored = corners * [-1, 1, 1]
        shapes = [
            {frozenset(map(tuple, np.round(each, 9) + 0.0)) for each in side} for side in (corners, mirrored)
        ]
        assert shapes[0] == shapes[1]
