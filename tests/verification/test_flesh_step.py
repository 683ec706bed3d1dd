"""One step of bones and flesh against the dense twin: velocities, Delassus operator, energies."""

from __future__ import annotations

import numpy as np
import pytest

from flesh_worlds import set_random_state, write_scene
from supple.testing import audit_step
from supple_flesh.oracle import contact_jacobian, read_world
from supple_flesh.shapes import make_box_surface

pytestmark = pytest.mark.usefixtures("hung")
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


@pytest.mark.parametrize("joints", CASES[:4], ids="-".join)
def test_explicit_springs_act_as_they_are_at_the_start(load_text, joints) -> None:
    extra = '[run.skeleton]\ncorrections = 0\n[run.flesh]\nintegration = "explicit"'
    world = make_world(load_text, 21 + len(joints), joints, extra=extra)
    twin, h = read_world(world), world.build.run.step
    M, bias, weight = twin.dynamics(twin.v)
    _, force, _ = twin.springs(h)
    v = twin.v + np.linalg.solve(M, h * (force - bias - weight))
    rates, scale = len(twin.r), np.abs(v).max()
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


FOLD = """
format = 1
[run]
step = 0.002
duration = 1.0
[[entity]]
name = "floor"
pose = {{ position = [0, -0.049, 0] }}
plane = {{}}
[[entity]]
name = "man"
skeleton = {{}}
{on_one}
[[entity]]
name = "man/lower"
bone = {{ joint = "free", mass = 1.0, centre = [0, 0, 0], inertia = [0.01, 0.01, 0.01] }}
{on_lower}
[[entity]]
name = "man/lower/upper"
pose = {{ position = [0.02, {height}, 0.01], axis = [1, 0, 0.3], angle = 8 }}
bone = {{ joint = "ball", mass = 0.6, centre = [0, 0, 0], inertia = [0.01, 0.01, 0.01] }}
{on_upper}
"""
FLESH = "flesh = {{ {mesh}, mass = 0.3, stiffness = 800.0, damping = 2.0, {more} }}"


def write_fold(one_flesh: bool, height: float = 0.099) -> str:
    """Two boxes of flesh on two bones that touch each other and the floor, as one flesh or as two."""
    vertices, triangles = (np.array(each) for each in make_box_surface((0.2, 0.1, 0.16), 2))
    single = f"vertices = {vertices.tolist()}, triangles = {triangles.tolist()}"
    if not one_flesh:
        lower, upper = (FLESH.format(mesh=single, more=more) for more in ('bones = ["."]', "rings = 1"))
        return FOLD.format(on_one="", on_lower=lower, on_upper=upper, height=height)
    lifted = vertices + np.array([0.02, height, 0.01])
    mesh = f"vertices = {[*vertices.tolist(), *lifted.tolist()]}, triangles = " + str(
        [*triangles.tolist(), *(triangles + len(vertices)).tolist()]
    )
    hangs_on = [0] * len(vertices) + [1] * len(vertices)
    more = f'bones = ["lower", "lower/upper"], hangs_on = {hangs_on}, self_contact = true'
    return FOLD.format(on_one=FLESH.format(mesh=mesh, more=more), on_lower="", on_upper="", height=height)


@pytest.mark.parametrize("one_flesh", [True, False])
def test_flesh_touches_flesh_of_the_same_skeleton(load_text, one_flesh) -> None:
    """Both sides of a contact are then blocks of one group in one unit of the skeleton."""
    world = load_text(write_fold(one_flesh))
    world.step(3)
    world.compute_step()
    twin, h = read_world(world), world.build.run.step
    problem = world.arrays.records["rows.problem"]
    n = problem.count
    number = [each.number for each in world.members("surfaces") if each.name.startswith("flesh")]
    both = np.isin(world.array("contacts.surface")[:n], number).all(axis=1)
    assert both.sum() >= 2
    J, A = contact_jacobian(world, twin), twin.matrix(h)
    W = J @ np.linalg.solve(A, J.T)
    np.testing.assert_allclose(problem.W.to_dense(problem.size[:n]), W, atol=1e-10 * np.abs(W).max())
    v = twin.free(h, 1, 0.5, np.zeros(twin.size))
    v = v + np.linalg.solve(A, J.T @ world.array("rows.impulse")[:n].reshape(-1))
    rates = len(twin.r)
    np.testing.assert_allclose(world.array("skeleton.v.next"), v[:rates], atol=1e-9)
    found = world.array("flesh.v.next")[twin.active].reshape(-1)
    np.testing.assert_allclose(found, v[rates:], atol=1e-9 * np.abs(v).max())


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
