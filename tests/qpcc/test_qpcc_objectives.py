"""Objectives: maps against finite differences, sums, and that each alone drives its quantity where it should be."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supple_qpcc import quantities as q
from supple_qpcc.contact_problem import SPREAD, ContactResponse, make_contact_problem, make_directions
from supple_qpcc.objective import Response, want_nothing, want_rates, want_rows, want_values
from supple_qpcc.search import solve
from supple_qpcc.targets import fade, follow, follow_momentum, turn_to

NODES = 7
TRIANGLES = np.array([[0, 1, 2], [2, 1, 3], [3, 4, 0]])
PART = np.array([1, 2, 4, 6])
seeds = st.integers(0, 2**32)


def make_body(seed):
    random = np.random.default_rng(seed)
    return random.normal(size=(NODES, 3)), random.normal(size=(NODES, 3)), random.uniform(0.1, 2.0, NODES)


def turn(axis, angle):
    axis = np.asarray(axis, float) / np.linalg.norm(axis)
    K = np.cross(axis, np.eye(3)).T
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K


def differentiate(function, x, v):
    """Rate of function(x) along v by central differences."""
    step = 1e-6
    return (np.asarray(function(x + step * v)) - np.asarray(function(x - step * v))) / (2.0 * step)


@given(seed=seeds)
@settings(max_examples=30, deadline=None)
def test_maps_are_rates(seed):
    x, v, mass = make_body(seed)
    normal = np.array([0.2, 0.9, -0.1])
    flat = v.ravel()
    rates = {
        "momentum": (q.map_linear_momentum(mass) @ flat, lambda at: mass @ at),
        "centre": (q.map_centre_velocity(mass) @ flat, lambda at: mass @ at / mass.sum()),
        "point": (q.map_point_velocity(NODES, PART) @ flat, lambda at: at[PART].mean(axis=0)),
        "relative": (
            q.map_relative_velocity(NODES, PART, np.array([0])) @ flat,
            lambda at: at[PART].mean(axis=0) - at[0],
        ),
        "area": (
            q.map_area_rate(x, TRIANGLES, normal) @ flat,
            lambda at: [q.measure_area(at, TRIANGLES, normal)],
        ),
    }
    for name, (rate, function) in rates.items():
        np.testing.assert_allclose(rate, differentiate(function, x, v), atol=1e-7, err_msg=name)
    about = np.array([0.3, -0.2, 0.5])
    expected = np.cross(x - about, mass[:, None] * v).sum(axis=0)
    np.testing.assert_allclose(q.map_angular_momentum(x, mass, about) @ flat, expected, atol=1e-12)


@given(seed=seeds)
@settings(max_examples=30, deadline=None)
def test_angular_velocity_is_that_of_a_rigid_part(seed):
    x, v, mass = make_body(seed)
    omega = np.random.default_rng(seed + 1).normal(size=3)
    rigid = v[0] + np.cross(omega, x)
    for weights in (None, mass):
        np.testing.assert_allclose(q.map_angular_velocity(x, PART, weights) @ rigid.ravel(), omega, atol=1e-8)
    # Of any motion it is the rate of the fitted rotation, at a part that is not deformed.
    axis = np.array([1.0, 2.0, -1.0])
    now = x @ turn(axis, 0.7).T
    fitted = q.fit_rotation(now, x)
    np.testing.assert_allclose(fitted, turn(axis, 0.7), atol=1e-9)
    rate = differentiate(lambda at: q.fit_rotation(at[PART], x[PART]), now, v) @ turn(axis, 0.7).T
    spin = q.map_angular_velocity(now, PART) @ v.ravel()
    np.testing.assert_allclose(
        [rate[2, 1], rate[0, 2], rate[1, 0]], spin, atol=1e-5 * (1 + np.abs(spin).max())
    )


@given(seed=seeds, angle=st.sampled_from([0.0, 1e-9, 1e-3, 1.0, 3.0, np.pi - 1e-9, np.pi]))
@settings(max_examples=40, deadline=None)
def test_turning_to_a_target_arrives(seed, angle):
    random = np.random.default_rng(seed)
    start, axis = turn(random.normal(size=3), 1.3), random.normal(size=3)
    target = turn(axis, angle) @ start
    spin = turn_to(start, target, 2.0)
    assert np.linalg.norm(spin) == pytest.approx(2.0 * angle, abs=1e-6)
    if angle > 0.0:
        np.testing.assert_allclose(turn(spin, np.linalg.norm(spin) / 2.0) @ start, target, atol=1e-6)


@given(seed=seeds)
@settings(max_examples=30, deadline=None)
def test_values_slopes_and_sums(seed):
    random = np.random.default_rng(seed)
    z, size = random.normal(size=6), 6
    first = want_rows(
        random.normal(size=(3, size)), random.normal(size=3), random.normal(size=3), random.random(3)
    )
    second = want_values(size, slice(1, 4), random.normal(size=3), 2.0)
    both = first + 3.0 * second + want_nothing(size)
    assert both.evaluate(z) == pytest.approx(first.evaluate(z) + 3.0 * second.evaluate(z))
    assert both.evaluate(z) == pytest.approx(0.5 * z @ both.H @ z + both.c @ z + both.c0)
    slope = [differentiate(both.evaluate, z, direction) for direction in np.eye(size)]
    np.testing.assert_allclose(both.H @ z + both.c, slope, rtol=1e-6, atol=1e-6)
    assert (0.0 * first).evaluate(z) == 0.0
    with pytest.raises(ValueError, match="reward the opposite"):
        first * -1.0


def make_jumper(seed, contacts=2, gap=0.0):
    """A body of nodes with strong muscles and contacts at its first nodes, without stiffness: A = m."""
    random = np.random.default_rng(seed)
    x, v, mass = make_body(seed)
    inverse = np.repeat(1.0 / mass, 3)
    muscles = inverse[:, None] * random.normal(size=(3 * NODES, 3 * NODES))
    # Rows n, t, s of node c are y, x, z.
    J = np.zeros((3 * contacts, 3 * NODES))
    for c in range(contacts):
        for row, axis in enumerate((1, 0, 2)):
            J[3 * c + row, 3 * c + axis] = 1.0
    whole = Response(v.ravel(), muscles, inverse[:, None] * J.T)
    touch = ContactResponse(
        J @ whole.free, J @ muscles, J @ whole.contacts, np.full(contacts, 0.8), np.full(contacts, gap),
        make_directions(),
    )  # fmt: skip
    return x, mass, whole, touch


@pytest.mark.parametrize("name", ["momentum", "angular momentum", "area", "point", "relative", "orientation"])
def test_each_alone_drives_its_quantity(name):
    """Far from the ground and with muscles for every direction, the end of the step has what was asked for."""
    x, mass, whole, touch = make_jumper(3, gap=1e6)
    v, h = whole.free, 0.01
    maps = {
        "momentum": q.map_linear_momentum(mass),
        "angular momentum": q.map_angular_momentum(x, mass, q.find_contact_centre(x[:2])),
        "area": q.map_area_rate(x, TRIANGLES, np.array([0.0, 1.0, 0.0])),
        "point": q.map_point_velocity(NODES, PART),
        "relative": q.map_relative_velocity(NODES, PART, np.array([0, 3])),
        "orientation": q.map_angular_velocity(x, PART),
    }
    quantity = maps[name]
    now = quantity @ v
    target = {
        "momentum": follow_momentum(now[:3], mass.sum(), mass @ x / mass.sum(), np.ones(3), 20.0, 6.0, h)
        if name == "momentum" else now,
        "point": follow(x[PART].mean(axis=0), np.array([0.1, 0.2, 0.3]), 1.0 / h, 0.5),
        "orientation": turn_to(np.eye(3), turn([0, 1, 0], 0.3), 5.0),
    }.get(name, now + 1.0)  # fmt: skip
    size = 3 * NODES + 6
    objective = want_rates(quantity, target, 1.0, whole) + want_values(size, slice(0, 3 * NODES), 0.0, 1e-9)
    wide = np.full(3 * NODES, 1e6)
    asked = make_contact_problem(touch, objective, -wide, wide, 1e-9)
    found = solve(asked.qpcc, contacts=asked.contacts)
    u, impulse, _ = asked.split(found.x)
    assert found.status == "proven"
    assert np.abs(impulse).max() < 1e-9
    reached = quantity @ (whole.free + whole.muscles @ u)
    np.testing.assert_allclose(reached, target, rtol=1e-5, atol=1e-5 * np.abs(target).max())


@given(seed=seeds, strong=st.sampled_from([1.0, 10.0]))
@settings(max_examples=10, deadline=None)
def test_contact_laws_hold_at_the_answer(seed, strong):
    """Coulomb's law of the pyramid, with friction that may be stronger one way; and the objective is what it says."""
    _, mass, whole, touch = make_jumper(seed)
    directions = make_directions() * np.where(np.arange(8) == 0, strong, 1.0)[:, None]
    touch = ContactResponse(*list(touch.__dict__.values())[:-1], directions)
    size, m = 3 * NODES + 6, 3 * NODES
    objective = want_rates(q.map_linear_momentum(mass), np.array([1.0, 2.0, 0.0]), 1.0, whole)
    objective += want_values(size, slice(0, m), 0.1, 0.05) + want_values(size, slice(m, size), 0.2, 0.01)
    asked = make_contact_problem(touch, objective, -np.ones(m), np.ones(m))
    found = solve(asked.qpcc, contacts=asked.contacts)
    assert found.feasible
    u, impulse, _ = asked.split(found.x)
    spread = 0.5 * SPREAD * float(found.x[m:] @ found.x[m:])
    z = np.concatenate([u, impulse.ravel()])
    assert found.objective == pytest.approx(objective.evaluate(z) + spread, rel=1e-9, abs=1e-9)
    velocity = (touch.free + touch.muscles @ u + touch.W @ impulse.ravel()).reshape(-1, 3)
    for v, f in zip(velocity, impulse, strict=True):
        assert min(v[0], f[0]) > -1e-9
        assert abs(v[0] * f[0]) < 1e-8
        # Within the polygon, and where it slides no other force of the polygon takes more energy.
        most = max(0.8 * f[0] * float(-directions[k] @ v[1:]) for k in range(8))
        assert float(-f[1:] @ v[1:]) == pytest.approx(max(most, 0.0), abs=1e-7 * (1.0 + abs(f[0])))


def test_a_weight_that_comes_and_goes():
    assert [fade(t, 1.0, 2.0) for t in (0.9, 1.0, 1.9, 2.0)] == [0.0, 1.0, 1.0, 0.0]
    assert [fade(t, 1.0, 2.0, 0.2) for t in (1.0, 1.1, 1.5, 1.9, 2.0)] == pytest.approx(
        [0.0, 0.5, 1.0, 0.5, 0.0]
    )
