"""Looking ahead, against pendulums that are integrated here; pushes that rise, against sums of many short pushes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supple_locomotion.preview import EASE, Announced, Preview
from supple_push.kernels import find_effect

HEIGHT, GRAVITY, MOST = 0.5, 9.81, 0.12


def swing(preview, lean, speed, push, duration=3.0, mass=80.0):
    """The end of an inverted pendulum on a base of +- MOST that follows the plan, step by step."""
    h, time = 0.02, 0.0
    while time < duration:
        shift = preview.foresee(time, mass * GRAVITY, 10.0, HEIGHT)
        pressure = preview.plan(lean, speed, HEIGHT, GRAVITY, MOST, shift[:, 0])
        assert abs(pressure) <= MOST + 1e-9
        now = push.mean_share(np.array([time]), np.array([time + h]))[0] * push.force[0] if push else 0.0
        speed += h * (
            GRAVITY / HEIGHT * (lean - pressure) + now / mass * (push.height / HEIGHT if push else 0.0)
        )
        lean, time = lean + h * speed, time + h
    return lean, speed


def shove(force, start=1.0, duration=0.2):
    return Announced(np.array([force, 0.0]), HEIGHT, start, start + duration, 0.0)


@settings(max_examples=15, deadline=None)
@given(st.floats(-0.11, 0.11), st.floats(-1, 1))
def test_what_can_be_caught_is_caught(lean, share):
    """With lean + speed / rate within the base a pendulum can come to rest."""
    rate = np.sqrt(GRAVITY / HEIGHT)
    speed = (0.9 * share * MOST - lean) * rate
    lean, speed = swing(Preview([], 1.2), lean, speed, None)
    assert abs(lean) < 0.01
    assert abs(speed) < 0.02


@pytest.mark.parametrize("sign", [1, -1])
def test_an_announced_push_is_stood_that_would_throw_it(sign):
    """The push gives 0.75 m/s: at rest over the middle nothing could catch that, as 0.75 / rate > 0.12."""
    push = shove(sign * 300.0)
    assert 300 * 0.2 / 80 / np.sqrt(GRAVITY / HEIGHT) > 1.3 * MOST
    lean, speed = swing(Preview([push], 1.2), 0.0, 0.0, push)
    assert abs(lean) < 0.02
    assert abs(speed) < 0.05
    surprised, _ = swing(Preview([], 1.2), 0.0, 0.0, push)
    assert sign * surprised > 1.0


@given(st.floats(-0.1, 0.1), st.floats(-0.3, 0.3), st.floats(-300, 300))
def test_a_mirrored_body_does_the_mirrored(lean, speed, force):
    plans = []
    for sign in (1, -1):
        preview = Preview([shove(sign * force, 0.5)], 1.2)
        shift = preview.foresee(0.0, 800.0, 10.0, HEIGHT)[:, 0]
        plans.append(preview.plan(sign * lean, sign * speed, HEIGHT, GRAVITY, MOST, shift))
    assert plans[0] == pytest.approx(-plans[1], abs=1e-7)


def test_a_lasting_pull_is_met_by_leaning():
    """At rest p = lean + F h / (m g), and lean^2 + EASE p^2 is least for a lean of -EASE / (1 + EASE) F h / (m g)."""
    pull = Announced(np.array([100.0, 0.0]), HEIGHT, 0.0, 100.0, 0.0)
    lean, speed = swing(Preview([pull], 1.2), 0.0, 0.0, pull, duration=6.0)
    assert speed == pytest.approx(0.0, abs=0.02)
    assert lean == pytest.approx(-EASE / (1 + EASE) * 100 * HEIGHT / (80 * GRAVITY), rel=0.1)


@given(st.floats(0, 2), st.floats(0.01, 2), st.floats(0, 2), st.floats(0, 3), st.floats(0.001, 0.5))
def test_a_rising_push_is_the_sum_of_short_ones(start, duration, rise, time, h):
    count = 4000
    middles = time + h * (np.arange(count) + 0.5) / count
    share = np.minimum((middles - start) / rise, 1.0) if rise > 1e-9 else np.ones(count)
    acts = (middles >= start) & (middles < start + duration)
    expected = float((share * acts).sum() * h / count)
    found = find_effect.py_func(h, start, start + duration, rise if rise > 1e-9 else 0.0, time)
    assert found == pytest.approx(expected, abs=2e-3 * h)
    push = Announced(np.array([1.0, 0.0]), 1.0, start, start + duration, rise if rise > 1e-9 else 0.0)
    assert h * push.mean_share(np.array([time]), np.array([time + h]))[0] == pytest.approx(
        expected, abs=2e-3 * h
    )
