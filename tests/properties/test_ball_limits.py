"""Ranges of ball joints: swing about any middle and twist, against differences and against turns put together."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supple.math.quaternion_kernels import exponentiate_rotation_vector, multiply_quaternions
from supple_bones.components import Bone
from supple_bones.layout import AXIS, FOCUS, FRAME_COLUMNS, SECOND_AXIS, SHARE
from supple_bones.limit_kernels import OVAL, SWING, TWIST_LOWER, TWIST_UPPER, find_gap
from supple_bones.swings import find_swing_range


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(5.0, 85.0), st.floats(5.0, 85.0))
def test_ovals_end_where_they_say(seed, about, across) -> None:
    """At the ends of both half axes the gap is zero; its derivative is that of differences; equal ones are a cone."""
    rng = np.random.default_rng(seed)
    along, middle, axis = draw_unit(rng), draw_unit(rng), draw_unit(rng)
    hinge = np.cross(middle, np.cross(axis, middle))
    hinge /= np.linalg.norm(hinge)
    ball = Bone(
        joint="ball", axis=tuple(along), middle=tuple(middle), second_axis=tuple(axis), upper=(about, across)
    )
    reach = find_swing_range(ball)
    frame = np.zeros((1, FRAME_COLUMNS))
    frame[0, AXIS:SECOND_AXIS], frame[0, SECOND_AXIS:SHARE], frame[0, FOCUS:] = (
        along,
        reach.focus,
        reach.other,
    )

    def point(way):
        turn = np.cross(along, way)
        size = np.linalg.norm(turn)
        turn *= math.atan2(size, along @ way) / max(size, 1e-300)
        return np.array(
            multiply_quaternions(
                *exponentiate_rotation_vector(*turn), *exponentiate_rotation_vector(*(rng.normal() * along))
            )
        )

    for swing, direction in ((about, np.cross(hinge, middle)), (across, hinge)):
        for side in (1.0, -1.0):
            angle = math.radians(swing)
            q = point(math.cos(angle) * middle + side * math.sin(angle) * direction)
            gap, *slope = find_gap(frame, OVAL, 0, 0, 0, reach.bound, q)
            assert gap == pytest.approx(0.0, abs=1e-7)
            if min(np.linalg.norm(np.cross(f, way_of(along, q))) for f in (reach.focus, reach.other)) < 0.02:
                continue
            rate, step = rng.normal(size=3), 1e-6
            sides = [
                find_gap(
                    frame, OVAL, 0, 0, 0, reach.bound,
                    np.array(multiply_quaternions(*q, *exponentiate_rotation_vector(*(s * step * rate)))),
                )[0]
                for s in (1.0, -1.0)
            ]  # fmt: skip
            assert np.dot(slope, rate) == pytest.approx(
                (sides[0] - sides[1]) / (2 * step), abs=1e-4, rel=1e-4
            )
    assert find_gap(frame, OVAL, 0, 0, 0, reach.bound, point(middle))[0] > 0.0


def way_of(along, q):
    """Where the turn q takes a direction."""
    w, *r = q
    return along + 2.0 * np.cross(r, np.cross(r, along) + w * along)


def draw_unit(rng):
    vector = rng.normal(size=3)
    return vector / np.linalg.norm(vector)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(0.0, 2.8), st.floats(-3.0, 3.0))
def test_gaps_and_their_derivatives(seed, swing, twist) -> None:
    rng = np.random.default_rng(seed)
    frame = np.zeros((1, FRAME_COLUMNS))
    along, middle = draw_unit(rng), draw_unit(rng)
    frame[0, AXIS:SECOND_AXIS], frame[0, SECOND_AXIS:SHARE] = along, middle
    across = np.cross(along, draw_unit(rng))
    across *= swing / np.linalg.norm(across)
    q = np.array(
        multiply_quaternions(
            *exponentiate_rotation_vector(*across), *exponentiate_rotation_vector(*(twist * along))
        )
    )
    q *= rng.choice([-1.0, 1.0])  # both are the same turn
    way = math.cos(swing) * along + math.sin(swing) * np.cross(across / max(swing, 1e-300), along)
    angle = math.acos(np.clip(middle @ way, -1.0, 1.0))
    for kind, gap in ((SWING, 1.0 - angle), (TWIST_LOWER, twist - 0.3), (TWIST_UPPER, 0.3 - twist)):
        bound = 1.0 if kind == SWING else 0.3
        found, *slope = find_gap(frame, kind, 0, 0, 0, bound, q)
        assert found == pytest.approx(gap, abs=1e-7)
        if kind == SWING and not 0.01 < angle < 3.13:
            continue
        rate, step = rng.normal(size=3), 1e-6
        sides = [
            find_gap(
                frame, kind, 0, 0, 0, bound,
                np.array(multiply_quaternions(*q, *exponentiate_rotation_vector(*(s * step * rate)))),
            )[0]
            for s in (1.0, -1.0)
        ]  # fmt: skip
        assert np.dot(slope, rate) == pytest.approx((sides[0] - sides[1]) / (2 * step), abs=1e-5, rel=1e-5)
