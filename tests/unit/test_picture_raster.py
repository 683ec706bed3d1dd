"""The depth buffer, the camera and the light against closed forms and brute force."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supple.run.tessellate import make_ball
from supple_picture.arrows import make_arrows, nice_number
from supple_picture.camera import MARGIN, Camera, direction, fit
from supple_picture.colour import SCREEN_BYTES, scale_colours, to_linear, to_screen
from supple_picture.raster_kernels import fill_parallel
from supple_picture.render import View
from supple_picture.shade_kernels import BACKGROUND, PLANE, average_wave, choose_planes
from supple_picture.shadow_kernels import fill_tiles, sunlight
from supple_picture.soup import Soup, make_soup
from supple_picture.sun import TILE, make_disc

SIZE = (120, 90)


def soup_of(points: np.ndarray, triangles: np.ndarray) -> Soup:
    points = np.ascontiguousarray(points, dtype=float)
    return make_soup(
        np.ascontiguousarray(triangles, np.int64), points, points.copy(), np.zeros(len(triangles), np.int64)
    )


def look(camera: Camera, soup: Soup, size: tuple[int, int] = SIZE) -> View:
    view = View(size, 1)
    view.turn(camera)
    view.look_at(soup)
    return view


def rays(camera: Camera, size: tuple[int, int]) -> np.ndarray:
    """Directions of depth 1 through the centres of all pixels [h, w, 3]."""
    columns, rows = np.meshgrid(np.arange(size[0]) + 0.5, np.arange(size[1]) + 0.5)
    focal = camera.focal_length(size[1])
    right, up, forward = camera.axes()
    x, y = (columns - size[0] / 2) / focal, (size[1] / 2 - rows) / focal
    return forward + x[..., None] * right + y[..., None] * up


def cast(camera: Camera, points: np.ndarray, triangles: np.ndarray, size: tuple[int, int], near: float):
    """Depths [n, h, w] at which rays meet triangles (inf: not), and how far inside their edges they do."""
    d = rays(camera, size)
    depths, margins = [], []
    for a, b, c in points[triangles]:
        n = np.cross(b - a, c - a)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = (n @ (a - camera.eye)) / (d @ n)
            p = camera.eye + t[..., None] * d
            inside = np.stack([np.cross(v - u, p - u) @ n / (n @ n) for u, v in ((b, c), (c, a), (a, b))])
        margin = inside.min(axis=0)
        depths.append(np.where((margin >= 0) & (t >= near), t, np.inf))
        margins.append(np.minimum(np.abs(inside).min(axis=0), np.abs(t - near)))
    return np.array(depths), np.array(margins)


# The depth buffer


def test_sphere_covers_its_silhouette_and_is_nearest_in_the_middle() -> None:
    directions, triangles = make_ball(256, 64)
    radius, distance, size = 0.7, 3.0, (400, 401)
    camera = Camera(np.array([0.0, 0.0, distance]), np.zeros(3), 40.0)
    view = look(camera, soup_of(radius * directions, triangles), size)
    # The cone that touches the sphere meets the screen in a circle.
    seen = camera.focal_length(size[1]) * radius / math.sqrt(distance**2 - radius**2)
    assert (view.owner != BACKGROUND).sum() == pytest.approx(math.pi * seen**2, rel=2e-3)
    assert 1 / view.nearness[200, 200] == pytest.approx(distance - radius, rel=1e-3)
    assert view.nearness.max() == pytest.approx(1 / (distance - radius), rel=1e-3)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6))
def test_every_pixel_shows_the_nearest_triangle(seed: int) -> None:
    rng = np.random.default_rng(seed)
    # Some corners lie behind the eye, so that triangles are clipped too.
    points = rng.uniform(-2, 2, size=(18, 3)) + np.array([0, 0, 0.5])
    triangles = rng.permutation(18).reshape(6, 3)
    camera = Camera(np.array([0.1, 0.2, 2.0]), rng.normal(size=3) * 0.3, 60.0)
    size = (40, 30)
    view = look(camera, soup_of(points, triangles), size)
    depths, margins = cast(camera, points, triangles, size, view.near)
    nearest = depths.min(axis=0)
    expected = np.where(np.isfinite(nearest), depths.argmin(axis=0), BACKGROUND)
    sure = (margins.min(axis=0) > 1e-7) & ((depths < nearest + 1e-7).sum(axis=0) < 2)
    assert sure.mean() > 0.95
    np.testing.assert_array_equal(view.owner[sure], expected[sure])
    hit = sure & np.isfinite(nearest)
    np.testing.assert_allclose(1 / view.nearness[hit], nearest[hit], rtol=1e-6)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6))
def test_order_of_triangles_does_not_matter(seed: int) -> None:
    rng = np.random.default_rng(seed)
    points, triangles = rng.uniform(-1, 1, size=(12, 3)), rng.permutation(12).reshape(4, 3)
    camera, order = Camera(np.array([0.0, 0.0, 4.0]), np.zeros(3), 40.0), rng.permutation(4)
    one, other = (look(camera, soup_of(points, rows)) for rows in (triangles, triangles[order]))
    numbers = np.append(order, BACKGROUND)
    np.testing.assert_array_equal(one.owner, numbers[other.owner])


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6))
def test_neighbouring_triangles_leave_no_gap_and_share_no_pixel(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 7
    x, y = np.meshgrid(np.linspace(-3, 3, n), np.linspace(-3, 3, n))
    inner = np.zeros((n, n), bool)
    inner[1:-1, 1:-1] = True
    shift = np.where(inner[..., None], rng.uniform(-0.3, 0.3, size=(n, n, 2)), 0)
    points = np.stack([x + shift[..., 0], y + shift[..., 1], np.zeros((n, n))], axis=-1).reshape(-1, 3)
    corner = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).ravel()
    triangles = np.vstack(
        [np.stack([corner, corner + 1, corner + n + 1], 1), np.stack([corner, corner + n + 1, corner + n], 1)]
    )
    camera = Camera(np.array([0.0, 0.0, 4.0]), np.zeros(3), 50.0)
    whole = look(camera, soup_of(points, triangles))
    assert (whole.owner != BACKGROUND).all()
    covered = sum(
        (look(camera, soup_of(points, triangles[t : t + 1])).owner == 0).astype(int)
        for t in range(len(triangles))
    )
    assert (covered == 1).all()


def test_triangles_far_beyond_the_screen_do_no_harm() -> None:
    points = np.array([[-1e200, -1, 0], [1e200, -1, 0], [0, 1e200, 0], [1e9, 0, 0], [1e9, 1, 0], [2e9, 0, 0]])
    view = look(
        Camera(np.array([0.0, 0.0, 4.0]), np.zeros(3)), soup_of(points, np.array([[0, 1, 2], [3, 4, 5]]))
    )
    assert set(np.unique(view.owner)) <= {BACKGROUND, 0}


def test_plane_is_as_near_as_geometry_says_and_ends_at_the_horizon() -> None:
    camera = Camera(np.array([0.3, 1.5, 4.0]), np.array([0.0, 0.8, 0.0]), 50.0)
    view = look(camera, soup_of(np.zeros((0, 3)), np.zeros((0, 3))))
    plane = np.array([[0, 0.25, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1]], dtype=float)
    choose_planes(plane, *view.arrays(), view.nearness, view.owner)
    d = rays(camera, SIZE)
    meets = d[..., 1] < 0
    assert 0.2 < meets.mean() < 0.9
    np.testing.assert_array_equal(view.owner == PLANE, meets)
    np.testing.assert_allclose(view.nearness[meets], -d[..., 1][meets] / (1.5 - 0.25), rtol=1e-9)


def test_plane_is_not_seen_from_below() -> None:
    camera = Camera(np.array([0.0, -1.0, 4.0]), np.zeros(3))
    view = look(camera, soup_of(np.zeros((0, 3)), np.zeros((0, 3))))
    plane = np.array([[0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1]], dtype=float)
    choose_planes(plane, *view.arrays(), view.nearness, view.owner)
    assert (view.owner == BACKGROUND).all()


# The camera

CLOUDS = st.integers(1, 12).flatmap(
    lambda n: st.lists(st.tuples(*[st.floats(-50, 50, allow_nan=False)] * 3), min_size=n, max_size=n).map(
        lambda rows: np.array(rows)
    )
)


@settings(max_examples=100, deadline=None)
@given(CLOUDS, st.floats(-180, 180), st.floats(-85, 85), st.floats(0.3, 4), st.floats(10, 100))
def test_fitted_camera_sees_all_points_and_stands_no_farther_than_needed(
    points, azimuth, elevation, aspect, angle
):
    size = (round(1000 * aspect), 1000)
    camera = fit([points], direction(azimuth, elevation), size[0] / size[1], angle)
    seen = camera.project(points, size)
    assert (seen[:, 2] > 0).all()
    edge = MARGIN * np.array(size) * (1 - 1e-6) - 1e-3
    assert (seen[:, :2] > edge).all()
    assert (seen[:, :2] < np.array(size) - edge).all()
    # Otherwise the nearest point, almost in line with the others, keeps the camera away.
    if seen[:, 2].min() > 2e-3:
        free = np.minimum(seen[:, :2], np.array(size) - seen[:, :2]).min(axis=0) - MARGIN * np.array(size)
        assert free.min() < 1e-3 * size[0]


def test_camera_axes_are_right_handed_also_straight_down() -> None:
    for eye in ([0, 5, 0], [1, 2, 3], [0, -5, 0]):
        right, up, forward = Camera(np.array(eye, float), np.zeros(3)).axes()
        np.testing.assert_allclose(np.cross(right, up), -forward, atol=1e-12)


def test_projection_of_a_known_point() -> None:
    camera = Camera(np.array([0.0, 0.0, 2.0]), np.zeros(3), 90.0)
    np.testing.assert_allclose(camera.project(np.array([[1.0, 0.5, 0.0]]), (200, 100)), [[125, 37.5, 2.0]])


# Light


def test_half_shadow_is_as_wide_as_the_sun_and_the_distance_make_it() -> None:
    """A half plane a distance b above hides half the sun at its edge, and nothing s b away from it."""
    size, scale, spread, above = 512, 100.0, 0.05, 2.0
    nearness = np.full((size, size), -np.inf)
    wall = np.array([[-9, -9, -above], [0, -9, -above], [0, 9, -above], [-9, 9, -above]], dtype=float)
    fill_parallel(np.array([[0, 1, 2], [0, 2, 3]]), wall, scale, nearness, np.zeros((size, size), np.int64))
    tiles = [np.empty((size // TILE,) * 2) for _ in range(4)]
    fill_tiles(nearness, TILE, *tiles)

    def light(x: float) -> float:
        return sunlight(
            make_disc(40), make_disc(400), nearness, tiles[2], tiles[3], TILE, scale, spread, x, 0.0, 0.0
        )

    reach = spread * above
    assert light(-1.1 * reach) == 0.0
    assert light(1.1 * reach) == 1.0
    for part in (-0.8, -0.4, 0.0, 0.4, 0.8):
        # The visible part of a disc that a straight edge cuts.
        exact = 0.5 + (part * math.sqrt(1 - part**2) + math.asin(part)) / math.pi
        assert light(part * reach) == pytest.approx(exact, abs=0.03)


@pytest.mark.parametrize("width", [1e-3, 0.3, 1.0, 2.7, 9.0])
@pytest.mark.parametrize("x", [-1.3, 0.0, 0.4, 0.999, 2.5])
def test_tiles_are_averaged_over_a_pixel(x: float, width: float) -> None:
    places = x + width * ((np.arange(200_000) + 0.5) / 200_000 - 0.5)
    mean = np.where(np.floor(places) % 2 == 0, 1.0, -1.0).mean()
    assert average_wave(x, width) == pytest.approx(mean, abs=2e-4)


def test_screen_colours_invert_and_bytes_are_the_nearest() -> None:
    colours = np.linspace(0, 1, 1001)
    np.testing.assert_allclose(to_screen(to_linear(colours)), colours, atol=1e-12)
    assert to_linear(0.5) == pytest.approx(0.21404, abs=1e-5)
    assert (SCREEN_BYTES[0], SCREEN_BYTES[-1]) == (0, 255)
    assert (np.diff(SCREEN_BYTES.astype(int)) >= 0).all()


def test_scale_of_values_grows_darker_and_keeps_to_its_ends() -> None:
    colours = scale_colours(np.linspace(2.0, 5.0, 50), 2.0, 5.0)
    lightness = to_linear(colours) @ np.array([0.2126, 0.7152, 0.0722])
    assert (np.diff(lightness) < 0).all()
    np.testing.assert_array_equal(
        scale_colours(np.array([-9.0, 99.0, np.nan]), 2.0, 5.0), colours[[0, -1, 0]]
    )


# Arrows


def test_arrow_is_as_long_as_its_force_and_points_up() -> None:
    points = np.array([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0], [5.0, 0.0, 0.0]])
    forces = np.array([[30.0, 40.0, 0.0], [0.0, -100.0, 0.0], [0.0, 0.1, 0.0]])
    arrows = make_arrows(points, forces, 0.01, 0.01)
    vertices = arrows.points.reshape(2, -1, 3)
    for start, along, corners in zip(points, ([0.3, 0.4, 0.0], [0.0, 1.0, 0.0]), vertices, strict=False):
        length = np.linalg.norm(along)
        reach = (corners - start) @ (np.array(along) / length)
        assert reach.min() == pytest.approx(0.0, abs=1e-12)
        assert reach.max() == pytest.approx(length)
        tip = corners[np.argmax(reach)]
        np.testing.assert_allclose(tip, start + along, atol=1e-12)


@pytest.mark.parametrize(
    ("value", "nice"), [(1.0, 1), (1.99, 1), (2, 2), (4.9, 2), (7, 5), (0.034, 0.02), (1234, 1000)]
)
def test_nice_numbers(value: float, nice: float) -> None:
    assert nice_number(value) == pytest.approx(nice)
