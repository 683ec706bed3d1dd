"""Which contacts of a pair are kept: no repetitions, the deepest, and the corners of what carries."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from carried import is_carried
from supple_collide.kernel_arrays import Raw
from supple_collide.mesh_scratch import make_choice
from supple_collide.pairs.choose_kernels import DIRECTIONS, choose_rows
from supple_collide.pairs.raw_kernels import ID_WIDTH, VALUE_WIDTH

UP = np.array([0.0, 1.0, 0.0])


def make_contacts(points, gaps=0.0, normals=UP, first=0):
    """Contacts at points of the second side, with codes in their order."""
    count = len(points)
    ids, values = np.zeros((count, ID_WIDTH), np.int64), np.zeros((count, VALUE_WIDTH))
    ids[:, 0], ids[:, 1], ids[:, 2] = first, 1 - first, np.arange(count)
    values[:, 3:6], values[:, 6:9], values[:, 9] = points, normals, gaps
    values[:, :3] = values[:, 3:6] + values[:, 9:10] * values[:, 6:9]
    return ids, values


def choose(ids, values, most=16, bends=False, same_place=1e-6, close=np.inf):
    count = len(ids)
    chosen = np.full(count, -1)
    kept = choose_rows(
        Raw(ids=ids, values=values), 0, count, bends, same_place, close, most, make_choice(count), 0, chosen
    )
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


@given(st.integers(0, 2**32 - 1), st.integers(0, 40), st.integers(17, 60))
@settings(max_examples=60, deadline=None)
def test_what_can_be_met_within_the_step_comes_before_what_lies_farther_out(seed, near, far):
    """Near contacts stay if they fit; if not, no farther one takes their room. Normals differ: nothing is carried."""
    random = np.random.default_rng(seed)
    normals = UP + random.uniform(-0.1, 0.1, (near + far, 3))
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    points = spread(seed, near + far) * np.where(np.arange(near + far) < near, 0.3, 1.0)[:, None]
    gaps = np.concatenate([random.uniform(-1e-4, 1e-4, near), random.uniform(2e-4, 1e-2, far)])
    order = random.permutation(near + far)
    kept = order[choose(*make_contacts(points[order], gaps[order], normals[order]), close=1e-4)]
    assert len(kept) <= 16
    if near <= 16:
        assert set(range(near)) <= set(kept.tolist())
        assert near == 16 or (kept >= near).any()
        assert near == 16 or near + np.argmin(gaps[near:]) in kept
    else:
        assert np.argmin(gaps) in kept
        alone = order[order < near]
        close = alone[choose(*make_contacts(points[alone], gaps[alone], normals[alone]))]
        assert set(kept[kept < near].tolist()) == set(close.tolist())


def test_of_a_grid_of_contacts_only_the_corners_survive():
    x, z = np.meshgrid(np.linspace(-1, 1, 9), np.linspace(-0.5, 0.5, 9))
    points = np.stack([x.reshape(-1), np.zeros(81), z.reshape(-1)], axis=1)
    kept = points[choose(*make_contacts(points), most=100)]
    corners = {(-1.0, 0.0, -0.5), (1.0, 0.0, -0.5), (-1.0, 0.0, 0.5), (1.0, 0.0, 0.5)}
    assert {tuple(point) for point in kept.tolist()} == corners
    assert len(kept) == 4


@given(st.integers(0, 2**32 - 1), st.integers(4, 30), st.booleans())
@settings(max_examples=60, deadline=None)
def test_what_is_dropped_from_a_patch_is_carried_by_what_is_kept(seed, count, lifted):
    """Brute force: conditions of dropped contacts follow from the others, and the range of net wrenches stays."""
    random = np.random.default_rng(seed)
    flat = np.round(
        random.uniform(-1, 1, (count, 2)), random.integers(0, 5)
    )  # many at one place or on one line
    flat += random.uniform(-1e-9, 1e-9, flat.shape)
    gaps = 0.01 * flat @ random.uniform(-1, 1, 2) + 0.02
    if lifted:
        gaps += random.choice([0.0, 0.0, 1e-3, -1e-3], count)
    turn = Rotation.random(random_state=int(seed)).as_matrix()
    normal = turn[:, 1]
    points = flat @ turn[:, [0, 2]].T + random.uniform(-1, 1) * normal
    ids, values = make_contacts(points, gaps, normal)
    swapped = random.random(count) < 0.5  # found from the other side
    ids[swapped, 0], ids[swapped, 1] = 1, 0
    values[swapped, :3], values[swapped, 3:6] = values[swapped, 3:6], values[swapped, :3].copy()
    values[swapped, 6:9] *= -1
    kept = choose(ids, values, most=1000, same_place=1e-7)
    tolerance = 1e-6
    dropped = np.setdiff1d(np.arange(count), kept)
    on_second = np.where(swapped[:, None], values[:, :3], values[:, 3:6])
    places = on_second @ turn[:, [0, 2]]
    for k in dropped:
        assert is_carried(places[k], gaps[k], places[kept], gaps[kept], tolerance)
    wrenches = np.hstack([np.tile(normal, (count, 1)), np.cross(on_second, normal)])
    for direction in random.normal(size=(20, 6)):
        along = wrenches @ direction
        assert along[kept].max() == pytest.approx(along.max(), abs=1e-5)
    if not lifted and len(kept) > 3:  # then all corners are needed
        for k in kept:
            others = kept[kept != k]
            assert not is_carried(places[k], gaps[k], places[others], gaps[others], 1e-9)


def test_a_bulge_is_kept_and_a_hollow_is_not():
    corners = np.array([[-1.0, 0, -1], [1, 0, -1], [1, 0, 1], [-1, 0, 1], [0.1, 0, 0.2]])
    bulge = make_contacts(corners, np.array([0.0, 0, 0, 0, -1e-3]))
    assert sorted(choose(*bulge)) == [0, 1, 2, 3, 4]
    hollow = make_contacts(corners, np.array([0.0, 0, 0, 0, 1e-3]))
    assert sorted(choose(*hollow)) == [0, 1, 2, 3]


def test_contacts_of_a_round_patch_all_stay():
    points = spread(7, 30)
    gaps = 0.1 * (points**2).sum(axis=1)  # of a convex surface every point is the lowest somewhere
    assert len(choose(*make_contacts(points, gaps), most=40)) == 30


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
    normals = np.random.default_rng(2).normal(size=(40, 3))
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    assert sorted(choose(*make_contacts(points, normals=normals), most=40)) == list(range(40))
    assert sorted(choose(*make_contacts(points), most=4, bends=True)) == list(range(40))


def test_repetitions_go_also_when_seen_from_the_other_side():
    angles = np.arange(6) * np.pi / 3
    points = np.stack([np.cos(angles), np.zeros(6), np.sin(angles)], axis=1)
    ids, values = make_contacts(np.concatenate([points, points + 1e-8]))
    assert sorted(choose(ids, values)) == list(range(6))
    one, other = make_contacts(points), make_contacts(points, normals=-UP, first=1)
    ids, values = (np.concatenate(parts) for parts in zip(one, other, strict=True))
    assert sorted(choose(ids, values)) == list(range(6))
    deeper = make_contacts(points, gaps=-0.01)
    deeper[0][:, 2] += len(points)
    ids, values = (np.concatenate(parts) for parts in zip(one, deeper, strict=True))
    assert sorted(choose(ids, values)) == list(range(6, 12)), (
        "of two depths at one place the deeper one counts"
    )
