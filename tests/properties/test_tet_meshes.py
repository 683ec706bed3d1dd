"""Meshes of tetrahedra: closed, sound, of good shape, and the same every time."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.linalg import spsolve

from supple_collide.mesh_shape import box_mesh
from supple_tets.lattice import fill_cells
from supple_tets.letters import make_letter
from supple_tets.mesh import FACES, find_tet, make_mesh
from supple_tets.order import find_pattern
from supple_tets.stiffening import assemble_rest, count_loose, measure_stiffening
from supple_tets.stuffing import stuff
from supple_tets.surface_kernels import find_crossing, find_depths


def find_angles(vertices, tets):
    """All dihedral angles [deg]."""
    corners = vertices[tets]
    normals = [np.cross(corners[:, b] - corners[:, a], corners[:, c] - corners[:, a]) for a, b, c in FACES]
    normals = [each / np.linalg.norm(each, axis=1)[:, None] for each in normals]
    pairs = [(a, b) for a in range(4) for b in range(a)]
    return np.degrees([np.arccos(np.clip(-(normals[a] * normals[b]).sum(axis=1), -1, 1)) for a, b in pairs])


def is_closed(triangles):
    """Every edge is run along once each way."""
    edges = np.concatenate([triangles[:, [a, (a + 1) % 3]] for a in range(3)])
    ways, count = np.unique(edges, axis=0, return_counts=True)
    back = np.unique(edges[:, ::-1], axis=0)
    return (count == 1).all() and np.array_equal(ways, back)


@pytest.mark.parametrize(
    ("letter", "wanted", "volume"),
    [("I", 1040, 0.3 * 0.975 * 0.3), ("H", 1905, 0.130683), ("F", 1000, 0.1025), ("T", 1000, 0.126), ("O", 800, 0.1508),
     ("X", 1080, 0.0435)],
)  # fmt: skip
def test_letters(letter, wanted, volume):
    mesh = make_mesh(*make_letter(letter, wanted, None), "letter", trusted=True)
    assert abs(len(mesh.tets) / wanted - 1) < 0.3
    assert mesh.volumes.min() > 0
    assert mesh.volumes.sum() == pytest.approx(volume, rel=0.015)
    assert mesh.vertices[:, 1].min() == pytest.approx(0, abs=1e-12)
    assert is_closed(mesh.boundary)
    tall = make_mesh(*make_letter(letter, wanted, 2.0), "letter", trusted=True)
    assert np.ptp(tall.vertices[:, 1]) == pytest.approx(2.0)


@given(
    st.tuples(*[st.floats(0.3, 1.0)] * 3),
    st.floats(-0.5, 0.5),
    st.floats(0.18, 0.35),
    st.integers(0, 2**32 - 1),
)
@settings(max_examples=20, deadline=None)
def test_stuffing(radii, dent, edge, seed):
    """Dented ellipsoids: whatever is made is closed, of positive volume, on the surface, and of tolerable shape."""
    rng = np.random.default_rng(seed)
    way = rng.standard_normal(3)
    way /= np.linalg.norm(way)
    radii = np.array(radii)

    def depth(points):
        size = np.linalg.norm(points / radii, axis=1)
        along = points @ way
        return (1 - size) * radii.min() + 0.2 * dent * np.exp(-((along / 0.4) ** 2)) * radii.min()

    vertices, tets = stuff(depth, -1.3 * radii, 1.3 * radii, edge)
    again = stuff(depth, -1.3 * radii, 1.3 * radii, edge)
    assert np.array_equal(vertices, again[0])
    assert np.array_equal(tets, again[1])
    mesh = make_mesh(vertices, tets, "ellipsoid", trusted=True)
    assert is_closed(mesh.boundary)
    assert np.abs(depth(mesh.vertices[: mesh.boundary_count])).max() < 0.05 * edge
    angles = find_angles(mesh.vertices, mesh.tets)
    assert angles.min() > 5
    assert angles.max() < 172


def test_the_surface_of_a_ball_is_at_its_radius():
    vertices, tets = stuff(lambda p: 1 - np.linalg.norm(p, axis=1), -np.ones(3), np.ones(3), 0.25)
    mesh = make_mesh(vertices, tets, "ball", trusted=True)
    assert mesh.volumes.sum() == pytest.approx(4.18879, rel=0.02)
    assert find_angles(mesh.vertices, mesh.tets).min() > 20


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=20, deadline=None)
def test_points_are_found_in_their_tetrahedra(seed):
    mesh = make_mesh(*make_letter("T", 500, None), "letter", trusted=True)
    rng = np.random.default_rng(seed)
    element, weights = rng.integers(len(mesh.tets)), rng.dirichlet(np.ones(4))
    point = weights @ mesh.vertices[mesh.tets[element]]
    found, shares = find_tet(mesh, point[None])
    assert shares.min() > -1e-9
    assert shares[0] @ mesh.vertices[mesh.tets[found[0]]] == pytest.approx(point)


def test_the_order_of_elimination_leaves_little_fill():
    """Fewer blocks than half of those of a band, and every vertex has one place."""
    _, tets = make_letter("H", 1905, None)
    count = tets.max() + 1
    pattern = find_pattern(count, tets)
    assert np.array_equal(np.sort(pattern.place), np.arange(count))
    blocks = np.diff(pattern.first) * (np.diff(pattern.first) - 1) // 2 + np.diff(pattern.first) * np.diff(
        pattern.below
    )
    assert blocks.sum() < 10500


@pytest.mark.parametrize("poisson", [0.0, 0.45])
def test_the_measured_stiffening_makes_a_beam_right(poisson):
    """Clamped, two cells across: with Young's modulus divided by it, the end moves as Timoshenko's does within 5 %."""
    L, thick = 1.0, 0.1
    exact = 4 * L**3 / thick**4 + L * (2 + 2 * poisson) / (5 / 6 * thick**2)
    points, tets = fill_cells(np.ndindex(20, 2, 2))
    mesh = make_mesh(points * thick / 2, tets, "beam", trusted=True)
    K, _ = assemble_rest(mesh.vertices, mesh.tets, poisson)
    end, still = mesh.vertices[:, 0] > L - 1e-9, mesh.vertices[:, 0] < 1e-9
    load = np.zeros(mesh.vertices.shape)
    load[end, 1] = 1.0 / end.sum()
    free, moved = np.repeat(~still, 3), np.zeros(load.size)
    moved[free] = spsolve(K[free][:, free].tocsc(), load.ravel()[free])
    sag = moved @ load.ravel()
    assert sag < 0.7 * exact
    assert sag * measure_stiffening(mesh, poisson, still).factor == pytest.approx(exact, rel=0.05)


def test_the_measured_stiffening_of_a_free_mesh_falls_with_refinement():
    factors = []
    for tets in (200, 600):
        mesh = make_mesh(*make_letter("I", tets, None), "letter", trusted=True)
        factors.append(measure_stiffening(mesh, 0.45).factor)
    assert 1.02 < factors[1] < factors[0] < 2.0


@given(st.integers(0, 3), st.integers(0, 2**32 - 1))
@settings(max_examples=20, deadline=None)
def test_motions_that_holding_leaves(points, seed):
    """Nothing, a point, a line, three points: 6, 3, 1 and no rigid motions are left."""
    held = np.random.default_rng(seed).uniform(-1, 1, (points, 3))
    assert count_loose(held) == (6, 3, 1, 0)[points]


def wrap(mesh):
    """A ball around every triangle."""
    corners = mesh.vertices[mesh.triangles]
    middle = corners.mean(axis=1)
    return np.column_stack([middle, np.linalg.norm(corners - middle[:, None], axis=2).max(axis=1)])


@given(st.tuples(*[st.floats(0.2, 1.0)] * 3), st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_depths_in_a_box(half, seed):
    """Distances from the triangles of a box are those of its closed form, inside and outside."""
    mesh, points = box_mesh(half), np.random.default_rng(seed).uniform(-1.5, 1.5, (20, 3))
    found = np.zeros(20)
    find_depths(mesh.vertices, mesh.triangles, wrap(mesh), points, found)
    beyond = np.abs(points) - half
    exact = np.where(
        (beyond < 0).all(axis=1), -beyond.max(axis=1), -np.linalg.norm(np.maximum(beyond, 0), axis=1)
    )
    assert found == pytest.approx(exact, abs=1e-9)


@given(st.tuples(*[st.floats(-2.5, 2.5)] * 3))
@settings(max_examples=60, deadline=None)
def test_boxes_that_cross_are_found(offset):
    """Two cubes of one surface cross exactly if they overlap, and neither lies within the other."""
    cube, small = box_mesh((1.0, 1.0, 1.0)), box_mesh((0.3, 0.4, 0.5))
    gaps = np.abs(offset) - (1.3, 1.4, 1.5)
    within = np.abs(offset) - (0.7, 0.6, 0.5)
    if min(np.abs(gaps).min(), np.abs(within).min()) < 1e-3:
        return
    vertices = np.concatenate([cube.vertices, small.vertices + offset])
    triangles = np.concatenate([cube.triangles, small.triangles + len(cube.vertices)])
    ball = np.concatenate([wrap(cube), wrap(small) + np.append(offset, 0.0)])
    crosses = find_crossing(vertices, triangles, ball, np.zeros(2, np.int64))
    assert crosses == ((gaps < 0).all() and not (within < 0).all())
