"""Flesh becomes soft and rigid again: what that changes, and what it does not."""

from __future__ import annotations

import numpy as np
import pytest

from flesh_worlds import follow_bones, set_random_state, write_scene
from supple_flesh.oracle import read_world
from supple_flesh.tables import CREEPING, MOVING

pytestmark = pytest.mark.usefixtures("hung")
CASES = [["free"], ["free", "hinge", "ball"], ["ball", "universal", "slider"]]
#: With these thresholds whatever is away from contacts is at rest.
AT_ONCE = "[run.flesh]\nrest_displacement = 1.0\nrest_speed = 100.0\n"


def make_world(load_text, joints, seed=1, stretch=0.01, **keywords):
    rng = np.random.default_rng(seed)
    world = load_text(write_scene(rng, joints, **keywords))
    set_random_state(world, rng, joints, stretch=stretch)
    return world


@pytest.mark.parametrize("joints", CASES, ids="-".join)
def test_activation_changes_nothing(load_text, joints) -> None:
    """The same state with no vertex and with all vertices active: the same energy, momentum and skin."""
    seen = []
    for state in ("rigid", "soft"):
        world = make_world(load_text, joints, stretch=0.0, state=state)
        world.arrays["flesh.v"][:] = 0.0
        world.arrays["flesh.active"][:] = 0
        follow_bones(world)
        world.compute_step()
        twin = read_world(world)
        assert len(twin.active) == (twin.pool.count if state == "soft" else 0)
        points, speeds = world.array("flesh.position"), world.array("flesh.velocity")
        momentum = twin.momentum()[: len(twin.r)]
        seen.append((points.copy(), speeds.copy(), momentum, world.array("energy.before").copy()))
    (points, speeds, momentum, energy), (points_2, speeds_2, momentum_2, energy_2) = seen
    assert np.array_equal(points, points_2)
    assert np.array_equal(speeds, speeds_2)
    np.testing.assert_allclose(momentum_2, momentum, rtol=0, atol=1e-12 * np.abs(momentum).max())
    np.testing.assert_allclose(energy_2, energy, rtol=1e-13)


@pytest.mark.parametrize("stretch", [0.0, 0.01])
@pytest.mark.parametrize("joints", CASES, ids="-".join)
def test_release_keeps_the_generalised_momentum(load_text, joints, stretch) -> None:
    """The step after a release is that from rates with  M_folded r = M_rr r + M_rx x'."""
    world = make_world(load_text, joints, stretch=stretch, extra=AT_ONCE)
    before = read_world(world, mask="flesh.active")
    world.compute_step()
    twin, rates = read_world(world), len(before.r)
    assert len(before.active) > 0
    assert len(twin.active) == 0
    parting = before.momentum()[:rates] - twin.momentum()
    assert np.abs(parting).max() > 1e-3
    v = twin.free(world.build.run.step, 1, 0.5, parting)
    np.testing.assert_allclose(world.array("skeleton.v.next"), v, atol=1e-10 * np.abs(v).max())
    assert np.array_equal(world.array("flesh.x.next"), twin.pool.rest)
    assert not world.array("flesh.v.next").any()


@pytest.mark.parametrize("joints", CASES, ids="-".join)
def test_some_are_released_while_others_stay(load_text, joints) -> None:
    world = make_world(
        load_text, joints, extra="[run.flesh]\nrest_displacement = 0.015\nrest_speed = 100.0\n"
    )
    before = read_world(world, mask="flesh.active")
    world.compute_step()
    twin, rates = read_world(world), len(before.r)
    assert 0 < len(twin.active) < len(before.active)
    parting = np.zeros(twin.size)
    parting[:rates] = before.momentum()[:rates] - twin.momentum()[:rates]
    v = twin.free(world.build.run.step, 1, 0.5, parting)
    np.testing.assert_allclose(world.array("skeleton.v.next"), v[:rates], atol=1e-10 * np.abs(v).max())
    found = world.array("flesh.v.next")[twin.active].reshape(-1)
    np.testing.assert_allclose(found, v[rates:], atol=1e-10 * np.abs(v).max())


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("joints", CASES, ids="-".join)
def test_release_never_adds_energy(load_text, joints, seed) -> None:
    """In a step so short that nothing else happens; the loss is at most what is reported, and that is accounted for."""
    world = make_world(load_text, joints, seed, stretch=0.0, step=1e-9, extra=AT_ONCE)
    world.compute_step()
    before, kinetic = world.array("energy.before")[0], world.array("energy.kinetic")[0]
    change = kinetic + world.array("energy.potential")[0] - before
    loss = world.array("flesh.loss_now").sum()
    assert -loss * (1 + 1e-5) <= change <= -1e-6 * loss
    assert world.array("energy.unaccounted")[0] == pytest.approx(0.0, abs=1e-5 * loss)


def test_energy_of_stretched_springs_is_accounted_for(load_text) -> None:
    world = make_world(load_text, ["free", "hinge"], stretch=0.001, step=1e-9, extra=AT_ONCE)
    world.arrays["skeleton.v"][:] = 0.0
    world.arrays["flesh.v"][:] = 0.0
    follow_bones(world)
    world.compute_step()
    twin = read_world(world, mask="flesh.active")
    stretched = twin.energy()[1]
    twin.active = np.zeros(0, np.int64)
    lost = stretched - twin.energy()[1]
    assert world.array("flesh.loss_now").sum() == pytest.approx(lost, rel=1e-5)


DROP = """
format = 1
[run]
step = 0.002
duration = 1.0
{extra}
[[entity]]
name = "floor"
plane = {{}}
[[entity]]
name = "box"
pose = {{ position = [0, {height}, 0], axis = [1, 0, 0.4], angle = {angle} }}
fleshed_box = {{ size = [0.2, 0.1, 0.16], cells = {cells}, stiffness = {stiffness}, damping = {damping}, state = "{state}", rings = {rings} }}
"""  # noqa: E501


def drop(
    load_text,
    *,
    state="adaptive",
    height=0.06,
    angle=0,
    cells=4,
    stiffness=2000,
    damping=8,
    rings=2,
    extra="",
):
    return load_text(
        DROP.format(
            state=state, height=height, angle=angle, cells=cells, stiffness=stiffness, damping=damping,
            rings=rings, extra=extra,
        )
    )  # fmt: skip


def follow(world, steps) -> np.ndarray:
    heights = []
    for _ in range(steps):
        world.step()
        heights.append(world.array("skeleton.x")[0, 1])
    return np.array(heights)


def test_adaptive_flesh_moves_like_soft_flesh(load_text) -> None:
    """The bone sinks in, rebounds and settles within 2 % of the greatest sink."""
    adaptive, soft = drop(load_text), drop(load_text, state="soft")
    heights, heights_soft = follow(adaptive, 300), follow(soft, 300)
    sink = 0.05 - heights_soft.min()
    assert sink > 0.0005
    assert np.abs(heights - heights_soft).max() < 0.02 * sink
    assert adaptive.metrics()["box/frame.most_active_vertices"] < 0.75 * len(adaptive.array("flesh.mass"))


def test_flesh_is_released_after_a_bounce_and_the_loss_is_small(load_text) -> None:
    """Thrown against the floor it leaves again; then all vertices come to rest, and lose next to nothing by it."""
    extra = "gravity = [0, 0, 0]"
    world = drop(load_text, angle=0, damping=1.0, extra=extra)
    world.arrays["skeleton.v"][1] = -1.0
    follow_bones(world)
    exchanged = 0.5 * 1.0 * 1.0**2
    counts = []
    for _ in range(700):
        world.step()
        counts.append(int(world.array("flesh.active").sum()))
    assert max(counts) > 20
    assert counts[-1] == 0
    assert world.array("skeleton.x")[0, 1] > 0.06
    loss = world.array("flesh.loss")[0]
    assert 0 < loss < 1e-4 * exchanged


def press_and_lift(load_text, state, steps):
    """Heights of a box that falls on the floor and is then thrown up, spinning; its damper is the default one."""
    world = drop(
        load_text,
        angle=20,
        damping=400,
        stiffness=4000,
        state=state,
        extra="gravity = [0, 0, 0]",
        height=0.075,
    )
    world.arrays["skeleton.v"][1] = -1.0
    follow_bones(world)
    heights = [follow(world, 40)]
    world.arrays["skeleton.v"][:] = 0.3, 1.0, 0.0, 1.0, 2.0, 3.0
    follow_bones(world)
    heights.append(follow(world, steps))
    return world, np.concatenate(heights)


def test_flesh_that_creeps_falls_asleep(load_text) -> None:
    """It flies on with no vertex left in the coupled step, as flesh does that is all soft, and loses nothing by it."""
    (world, heights), (soft, heights_soft) = (
        press_and_lift(load_text, state, 40) for state in ("adaptive", "soft")
    )
    assert world.metrics()["box/frame.most_active_vertices"] > 10
    assert not (world.array("flesh.active") == MOVING).any()
    assert (world.array("flesh.active") == CREEPING).any()
    assert world.array("flesh.loss")[0] < 1e-5 * 0.5
    assert np.abs(heights - heights_soft).max() < 0.02 * (0.075 - heights_soft.min())
    depths = [
        np.linalg.norm(each.array("flesh.x") - each.array("flesh.rest"), axis=1) for each in (world, soft)
    ]
    np.testing.assert_allclose(*depths, atol=0.02 * soft.metrics()["box/frame.displacement"])
    # Nothing acts on it any more: momentum stays, and energy only falls.
    dynamics, energy = world.dynamics("box/frame.flesh"), np.inf
    before = dynamics.fill_whole()[3:6].copy()
    for _ in range(50):
        world.step()
        total = world.array("energy.kinetic")[0] + world.array("energy.potential")[0]
        assert total < energy
        energy = total
    np.testing.assert_allclose(dynamics.fill_whole()[3:6], before, atol=1e-6 * np.abs(before).max())


def test_rigid_flesh_is_a_rigid_body(load_text) -> None:
    """The same box as a bone with a mesh: the same motion through falling, tumbling and coming to rest."""
    fleshy = drop(load_text, state="rigid", cells=1, height=0.2, angle=25)
    inertia = fleshy.array("skeleton.inertia")[0]
    surface = next(each for each in fleshy.members("surfaces") if each.name.startswith("flesh"))
    plain = load_text(
        f"""
format = 1
[run]
step = 0.002
duration = 1.0
[[entity]]
name = "floor"
plane = {{}}
[[entity]]
name = "frame"
pose = {{ position = [0, 0.2, 0], axis = [1, 0, 0.4], angle = 25 }}
skeleton = {{}}
[[entity]]
name = "frame/core"
bone = {{ joint = "free", mass = {float(inertia[0])}, centre = [0, 0, 0], inertia = {inertia[4:].tolist()} }}
mesh = {{ vertices = {surface.rest.tolist()}, triangles = {surface.triangles.tolist()} }}
"""
    )
    for _ in range(20):
        fleshy.step(20)
        plain.step(20)
        # A plain bone that tumbles by more than 0.02 rad in a step is turned by another rule than one with flesh.
        np.testing.assert_allclose(fleshy.array("skeleton.q"), plain.array("skeleton.q"), rtol=0, atol=5e-4)


def test_a_resumed_run_repeats_bit_for_bit(load_text) -> None:
    world = drop(load_text, angle=20, height=0.12)
    world.step(60)
    assert 0 < world.array("flesh.active").sum() < len(world.array("flesh.mass"))
    kept = world.snapshot()
    world.step(60)
    other = drop(load_text, angle=20, height=0.12)
    other.restore(kept)
    other.step(60)
    for name in ("skeleton.q", "skeleton.v", "flesh.x", "flesh.v", "flesh.force"):
        assert np.array_equal(world.array(name), other.array(name)), name
