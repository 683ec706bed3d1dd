"""One step of bones and flesh against the dense twin: velocities, Delassus operator, energies."""

from __future__ import annotations

import numpy as np
import pytest

from flesh_worlds import set_random_state, write_scene
from supple.testing import audit_step
from supple_flesh.oracle import contact_jacobian, read_world

CASES = [
    ["free"], ["ball", "hinge"], ["free", "hinge", "ball"], ["hinge", "universal", "slider", "ball"],
    ["translation", "ball", "fixed", "hinge"],
]  # fmt: skip


def make_world(load_text, seed, joints, **keywords):
    rng = np.random.default_rng(seed)
    world = load_text(write_scene(rng, joints, **keywords))
    set_random_state(world, rng, joints)
    world.compute_step()
    return world


@pytest.mark.parametrize("joints", CASES, ids="-".join)
@pytest.mark.parametrize(("corrections", "implicitness"), [(0, 0.5), (1, 0.5), (2, 1.0)])
def test_free_velocities(load_text, joints, corrections, implicitness) -> None:
    extra = f"[run.skeleton]\ncorrections = {corrections}\nimplicitness = {implicitness}"
    world = make_world(load_text, 7 + len(joints), joints, extra=extra)
    twin = read_world(world)
    assert 0 < len(twin.active) < twin.pool.count
    v = twin.free(world.build.run.step, corrections, implicitness, np.zeros(twin.size))
    rates = len(twin.r)
    scale = np.abs(v).max()
    np.testing.assert_allclose(world.array("skeleton.v.next"), v[:rates], atol=1e-10 * scale)
    found = world.array("flesh.v.next")[twin.active].reshape(-1)
    np.testing.assert_allclose(found, v[rates:], atol=1e-10 * scale)


@pytest.mark.parametrize("joints", CASES, ids="-".join)
def test_contacts_push_bones_and_vertices(load_text, joints) -> None:
    world = make_world(load_text, 3, joints, floor=0.05, rings=0)
    twin, h = read_world(world), world.build.run.step
    problem = world.arrays.records["rows.problem"]
    J, A = contact_jacobian(world, twin), twin.matrix(h)
    n = problem.count
    weights = world.array("contacts.weights")[:n]
    assert n >= 4
    assert ((weights > 0) & (weights < 1)).any(), "some contact is within a triangle"
    W = J @ np.linalg.solve(A, J.T)
    np.testing.assert_allclose(problem.W.to_dense(problem.size[:n]), W, atol=1e-10 * np.abs(W).max())
    np.testing.assert_allclose(problem.u_now[:n].reshape(-1), J @ twin.v, atol=1e-10)
    impulse = world.array("rows.impulse")[:n].reshape(-1)
    assert impulse.max() > 0
    v = twin.free(h, 1, 0.5, np.zeros(twin.size)) + np.linalg.solve(A, J.T @ impulse)
    rates = len(twin.r)
    np.testing.assert_allclose(world.array("skeleton.v.next"), v[:rates], atol=1e-9)
    np.testing.assert_allclose(
        world.array("flesh.v.next")[twin.active].reshape(-1), v[rates:], atol=1e-9 * np.abs(v).max()
    )


def test_rigid_flesh_is_touched_through_the_bones(load_text) -> None:
    joints = ["free", "hinge", "ball"]
    rng = np.random.default_rng(5)
    world = load_text(write_scene(rng, joints, floor=0.05, state="rigid"))
    set_random_state(world, rng, joints, active=0.0)
    world.compute_step()
    twin = read_world(world)
    problem = world.arrays.records["rows.problem"]
    assert problem.count >= 3
    J = contact_jacobian(world, twin)
    W = J @ np.linalg.solve(twin.matrix(world.build.run.step), J.T)
    found = problem.W.to_dense(problem.size[: problem.count])
    np.testing.assert_allclose(found, W, atol=1e-10 * np.abs(W).max())


@pytest.mark.parametrize("joints", CASES[1:4], ids="-".join)
def test_energies(load_text, joints) -> None:
    world = make_world(load_text, 11, joints)
    twin, after = read_world(world), read_world(world, ".next")
    kinetic, potential = after.energy()
    assert world.array("energy.before")[0] == pytest.approx(sum(twin.energy()), rel=1e-10)
    assert world.array("energy.kinetic")[0] == pytest.approx(kinetic, rel=1e-10)
    assert world.array("energy.potential")[0] == pytest.approx(potential, rel=1e-10)


def test_systems_touch_what_they_declare(load_text) -> None:
    joints = ["free", "hinge"]
    rng = np.random.default_rng(2)
    world = load_text(write_scene(rng, joints, floor=0.05))
    set_random_state(world, rng, joints)
    for _ in range(5):
        audit_step(world)
