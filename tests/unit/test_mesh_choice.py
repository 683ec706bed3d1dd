"""Which contacts of a pair are kept: no repetitions, the deepest, and the corners of what carries."""

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from supple_collide.choose_kernels import DIRECTIONS, choose_rows
from supple_collide.raw_contact_kernels import ID_WIDTH, VALUE_WIDTH

UP = np.array([0.0, 1.0, 0.0])


def make_contacts(points, gaps=0.0, normals=UP, first=0):
    """Contacts at points of the second side, with codes in their order."""
    count = len(points)
    ids, values = np.zeros((count, ID_WIDTH), np.int64), np.zeros((count, VALUE_WIDTH))
    ids[:, 0], ids[:, 1], ids[:, 2] = first, 1 - first, np.arange(count)
    values[:, 3:6], values[:, 6:9], values[:, 9] = points, normals, gaps
    values[:, :3] = values[:, 3:6] + values[:, 9:10] * values[:, 6:9]
    return ids, values


def choose(ids, values, most=16, bends=False, same_place=1e-6):
    count = len(ids)
    rows, state, chosen = (np.full(count, -1) for _ in range(3))
    kept = choose_rows(ids, values, 0, count, bends, same_place, most, rows, state, 0, chosen)
    return chosen[:kept]


def spread(seed, count):
    points = np.random.default_rng(seed).uniform(-1, 1, (count, 3))
    points[:, 1] = 0.0
    return points


@pytest.mark.parametrize("seed", range(5))
def test_reduction_keeps_the_deepest_and_extreme_points_only(seed):
    points, gaps = spread(seed, 200), np.random.default_rng(seed + 100).uniform(-0.1, 0, 200)
    kept = choose(*make_contacts(points, gaps))
    assert len(kept) <= DIRECTIONS + 1
    assert np.argmin(gaps) in kept
    hull = set(ConvexHull(points[:, [0, 2]]).vertices.tolist())
    assert set(kept.tolist()) - {int(np.argmin(gaps))} <= hull
    # The polygon that is left covers most of the one that was there.
    left = ConvexHull(points[kept][:, [0, 2]]).volume
    assert left > 0.85 * ConvexHull(points[:, [0, 2]]).volume


def test_corners_of_a_grid_of_contacts_survive():
    x, z = np.meshgrid(np.linspace(-1, 1, 9), np.linspace(-0.5, 0.5, 9))
    points = np.stack([x.reshape(-1), np.zeros(81), z.reshape(-1)], axis=1)
    kept = points[choose(*make_contacts(points))]
    corners = {(-1.0, 0.0, -0.5), (1.0, 0.0, -0.5), (-1.0, 0.0, 0.5), (1.0, 0.0, 0.5)}
    assert corners <= {tuple(point) for point in kept.tolist()}


def test_other_normals_form_their_own_patch_and_most_is_never_passed():
    points = spread(1, 60)
    normals = np.where(np.arange(60)[:, None] < 30, UP, np.array([1.0, 0.0, 0.0]))
    for most in (4, 12, 16, 32):
        kept = choose(*make_contacts(points, -0.1, normals), most=most)
        assert len(kept) <= most
    sides = {int(row) // 30 for row in choose(*make_contacts(points, -0.1, normals), most=12)}
    assert sides == {0, 1}


def test_what_fits_stays_and_what_bends_keeps_all():
    points = spread(2, 40)
    assert sorted(choose(*make_contacts(points), most=40)) == list(range(40))
    assert sorted(choose(*make_contacts(points), most=4, bends=True)) == list(range(40))


def test_repetitions_go_also_when_seen_from_the_other_side():
    points = spread(3, 6)
    ids, values = make_contacts(np.concatenate([points, points + 1e-8]))
    assert sorted(choose(ids, values)) == list(range(6))
    one, other = make_contacts(points), make_contacts(points, normals=-UP, first=1)
    ids, values = (np.concatenate(parts) for parts in zip(one, other, strict=True))
    assert sorted(choose(ids, values)) == list(range(6))
    deeper = make_contacts(points, gaps=-0.01)
    deeper[0][:, 2] += len(points)
    ids, values = (np.concatenate(parts) for parts in zip(one, deeper, strict=True))
    assert len(choose(ids, values)) == 12, "at one place but not at one depth"
