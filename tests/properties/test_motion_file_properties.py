"""BVH files: what is written is read back; what is damaged is refused in one line with its place."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from clip_writer import sample_clip, write_clip
from supple.core.rotation_rows import invert_rows, log_rows, multiply_rows
from supple.errors import UserError
from supple_bones.sampling import sample_rotation
from supple_motion.bvh import parse_bvh
from supple_motion.projection import project_rotations

seeds = st.integers(0, 2**32 - 1)


@given(
    seed=seeds, joints=st.integers(1, 12), frames=st.integers(1, 6), indent=st.sampled_from(["", " ", "\t"])
)
@settings(max_examples=60, deadline=None)
def test_what_is_written_is_read_back(seed, joints, frames, indent) -> None:
    rng = np.random.default_rng(seed)
    clip = sample_clip(rng, joints, frames)
    assume(clip.values.shape[1] > 0)
    read = parse_bvh(write_clip(clip, indent), "random")
    assert read.joints == clip.joints
    assert read.frame_time == clip.frame_time
    np.testing.assert_array_equal(read.values, clip.values)


@given(seed=seeds, joints=st.integers(1, 6), frames=st.integers(1, 4), cut=st.floats(0.0, 1.0))
@settings(max_examples=100, deadline=None)
def test_a_truncated_file_is_refused(seed, joints, frames, cut) -> None:
    """Cut anywhere before the last number: within it, the file would still be well-formed."""
    clip = sample_clip(np.random.default_rng(seed), joints, frames)
    assume(clip.values.shape[1] > 0)
    text = write_clip(clip)
    last = max(text.rstrip().rfind(" "), text.rstrip().rfind("\n"))
    with pytest.raises(UserError) as caught:
        parse_bvh(text[: int(cut * last)], "clip.bvh", "man.motion.file")
    check_message(caught.value, text)


@given(seed=seeds, at=st.floats(0.0, 1.0, exclude_max=True), junk=st.text(min_size=1, max_size=3))
@settings(max_examples=100, deadline=None)
def test_a_damaged_file_is_read_or_refused(seed, at, junk) -> None:
    clip = sample_clip(np.random.default_rng(seed), 4, 3)
    assume(clip.values.shape[1] > 0)
    text = write_clip(clip)
    place = int(at * len(text))
    damaged = text[:place] + junk + text[place + 1 :]
    try:
        read = parse_bvh(damaged, "clip.bvh", "man.motion.file")
    except UserError as error:
        check_message(error, damaged)
    else:
        assert np.isfinite(read.values).all()


def check_message(error: UserError, text: str) -> None:
    (problem,) = error.problems
    assert "\n" not in str(problem)
    assert problem.where is not None
    assert problem.where.source == "clip.bvh"
    assert problem.where.line is not None
    assert 1 <= problem.where.line <= max(1, len(text.splitlines()))
    assert problem.path == "man.motion.file"


def compose(axes: list[np.ndarray], angles: np.ndarray) -> np.ndarray:
    """The quaternion of turns about axes, one after the other."""
    turned = np.array([1.0, 0.0, 0.0, 0.0])
    for axis, angle in zip(axes, angles, strict=True):
        turned = multiply_rows(turned, np.array([np.cos(angle / 2), *(np.sin(angle / 2) * axis)]))
    return turned


@pytest.mark.parametrize(("joint", "count"), [("hinge", 1), ("universal", 2)])
@given(seed=seeds)
@settings(max_examples=40, deadline=None)
def test_projection_is_nearest_and_says_how_near(joint, count, seed) -> None:
    rng = np.random.default_rng(seed)
    axes = [axis / np.linalg.norm(axis) for axis in rng.normal(size=(2, 3))]
    turns = np.array([sample_rotation(rng)])
    angles, residual = project_rotations(joint, *axes, turns)
    near = log_rows(multiply_rows(invert_rows(compose(axes[:count], angles[0])), turns[0]))
    assert np.linalg.norm(near) == pytest.approx(residual[0], abs=2e-7)  # arccos near 1
    for other in rng.uniform(-np.pi, np.pi, size=(200, count)):
        far = log_rows(multiply_rows(invert_rows(compose(axes[:count], other)), turns[0]))
        assert np.linalg.norm(far) >= residual[0] - 1e-7


@pytest.mark.parametrize(("joint", "count"), [("hinge", 1), ("universal", 2)])
@given(seed=seeds)
@settings(max_examples=40, deadline=None)
def test_projection_finds_the_angles_of_a_joint_without_jumps(joint, count, seed) -> None:
    """Also beyond a whole turn, where the quaternions change their sign."""
    rng = np.random.default_rng(seed)
    first = rng.normal(size=3)
    across = np.cross(first, rng.normal(size=3))
    axes = [axis / np.linalg.norm(axis) for axis in (first, across)]
    times = np.linspace(0.0, 1.0, 60)[:, None]
    angles = times * rng.uniform(-12.0, 12.0, count) + rng.uniform(-0.5, 0.5, count)
    turns = np.array([compose(axes[:count], each) for each in angles])
    found, residual = project_rotations(joint, *axes, turns)
    assert residual.max() < 1e-6
    shift = found - angles
    np.testing.assert_allclose(shift, np.tile(shift[0], (60, 1)), atol=1e-6)
    np.testing.assert_allclose(np.sin(shift / 2), 0.0, atol=1e-6)
