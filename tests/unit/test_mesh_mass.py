"""Volume integrals of meshes against closed forms."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from supple_collide.mesh_shape import box_mesh, integrate_volume, make_mesh, wrap_points

TETRAHEDRON = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)


def move(mesh, turn, place):
    return type(mesh)(turn.apply(mesh.vertices) + place, mesh.triangles, mesh.neighbour, mesh.facet)


@pytest.mark.parametrize("seed", range(5))
def test_box_anywhere(seed):
    rng = np.random.default_rng(seed)
    half, turn, place = rng.uniform(0.1, 2, 3), Rotation.random(random_state=seed), rng.normal(size=3) * 10
    volume, centre, inertia = integrate_volume(move(box_mesh(tuple(half)), turn, place))
    squares = (2 * half) ** 2
    expected = turn.as_matrix() @ np.diag((squares.sum() - squares) / 12) @ turn.as_matrix().T
    assert volume == pytest.approx(8 * half.prod(), rel=1e-12)
    np.testing.assert_allclose(centre, place, atol=1e-12)
    np.testing.assert_allclose(inertia, expected, rtol=1e-9, atol=1e-9)


def test_corner_tetrahedron():
    volume, centre, inertia = integrate_volume(make_mesh(wrap_points(TETRAHEDRON, ""), 1.0, ""))
    assert volume == pytest.approx(1 / 6, rel=1e-14)
    np.testing.assert_allclose(centre, [0.25] * 3, rtol=1e-14)
    # Of mass 1: the second moments about the centre are 3/80 along an axis and -1/80 across.
    np.testing.assert_allclose(inertia, np.full((3, 3), 1 / 80) + np.eye(3) * (6 - 1) / 80, rtol=1e-12)


def test_hull_of_a_sphere_tends_to_the_ball_at_second_order():
    errors = []
    for count in (400, 1600):
        k = np.arange(count) + 0.5
        polar, around = np.arccos(1 - 2 * k / count), np.pi * (1 + 5**0.5) * k
        points = np.stack(
            [np.sin(polar) * np.cos(around), np.cos(polar), np.sin(polar) * np.sin(around)], axis=1
        )
        volume, centre, inertia = integrate_volume(make_mesh(wrap_points(points, ""), 1.0, ""))
        errors.append([4 / 3 * np.pi - volume, 0.4 - np.trace(inertia) / 3])
        assert np.abs(centre).max() < 2 / count
    ratio = np.array(errors[0]) / errors[1]
    np.testing.assert_allclose(ratio, 4.0, rtol=0.1)


def test_body_of_a_mesh_cube_weighs_what_the_box_weighs(load_text):
    points = (box_mesh((0.1, 0.2, 0.3)).vertices + np.array([1.0, 2.0, 3.0])).tolist()
    world = load_text(f"""
    format = 1
    [run]
    step = 0.01
    duration = 1.0
    [[entity]]
    name = "box"
    box = {{ size = [0.2, 0.4, 0.6] }}
    body = {{ density = 700 }}
    [[entity]]
    name = "hull"
    pose = {{ position = [5, 0, 0], axis = [1, 1, 0], angle = 40 }}
    [[entity]]
    name = "hull/stone"
    convex = {{ points = {points} }}
    body = {{ density = 700 }}
    """)
    mass, inertia = world.array("rigid.mass"), world.array("rigid.inertia")
    assert mass[1] == pytest.approx(mass[0], rel=1e-12)
    np.testing.assert_allclose(inertia[1], inertia[0], atol=1e-10)
    np.testing.assert_allclose(world.build.frames["hull/stone"].origin, [1.0, 2.0, 3.0], atol=1e-12)


def test_facets_join_what_is_flat():
    mesh = box_mesh((1.0, 1.0, 1.0))
    normals = np.cross(
        mesh.vertices[mesh.triangles[:, 1]] - mesh.vertices[mesh.triangles[:, 0]],
        mesh.vertices[mesh.triangles[:, 2]] - mesh.vertices[mesh.triangles[:, 0]],
    )
    for t, facet in enumerate(mesh.facet):
        np.testing.assert_allclose(normals[t], normals[facet], atol=1e-12)
    assert len(set(mesh.facet.tolist())) == 6
