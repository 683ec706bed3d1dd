"""What controllers ask, over sets of entities: against pinocchio, differences, identities, and the step itself."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flesh_worlds import set_random_state, write_scene
from pinocchio_peer import GRAVITY, Pinocchio
from supple.core.pose import multiply
from supple.errors import PluginError
from supple.mechanics.combined_dynamics import CombinedDynamics, ask_dynamics
from supple_bones.coordinate_kernels import integrate_coordinates
from supple_bones.forest import BoneSpec
from supple_bones.layout import JOINTS
from supple_bones.sampling import sample_rotation, sample_specs, sample_state
from supple_rigid.dynamics import BodyDynamics
from supple_skeleton.sampling import make_dynamics

TOLERANCE = 1e-9
MOVING = [kind for kind in JOINTS if kind != "fixed"]

HEAD = """
format = 1
[run]
step = {step}
duration = 1.0
gravity = [0.3, -9.81, 0.2]
"""
# A figure with an arm, a box that it takes hold of, and a chain of two that hangs on the box and on the world.
FIGURE = """
[[entity]]
name = "man"
skeleton = {}
[[entity]]
name = "man/pelvis"
pose = { position = [0, 1, 0] }
bone = { joint = "free", mass = 5.0, inertia = [0.1, 0.2, 0.15], centre = [0.01, 0.02, 0.0] }
[[entity]]
name = "man/pelvis/arm"
pose = { position = [0.2, 0.1, 0] }
bone = { joint = "ball", mass = 2.0, inertia = [0.02, 0.03, 0.01], centre = [0.1, 0, 0], armature = 0.01 }
[[entity]]
name = "man/pelvis/arm/hand"
pose = { position = [0.3, 0.0, 0] }
bone = { joint = "hinge", axis = [0, 0, 1], mass = 0.5, inertia = [0.002, 0.003, 0.001], centre = [0.05, 0, 0] }
[[entity]]
name = "man/pelvis/arm/hand/nail"
pose = { position = [0.1, 0.02, 0.0], axis = [0, 0, 1], angle = 40 }
[[entity]]
name = "box"
pose = { position = [0.7, 1.1, 0], axis = [0, 1, 0], angle = 30 }
body = { mass = 1.5 }
[[entity]]
name = "box/side"
pose = { position = [0.1, 0, 0] }
box = { size = [0.2, 0.1, 0.3] }
"""
CHAIN = """
[[entity]]
name = "chain"
[[entity]]
name = "chain/a"
pose = { position = [1.0, 1.1, 0] }
box = { size = [0.2, 0.1, 0.3] }
body = { mass = 1.5, spin = [1, 2, 3] }
[[entity]]
name = "chain/b"
pose = { position = [1.4, 1.1, 0] }
box = { size = [0.2, 0.1, 0.3] }
body = { mass = 0.7, spin = [1, -2, 3] }
[[entity]]
name = "turn"
pose = { position = [0.85, 1.1, 0] }
joint = { kind = "hinge", between = ["box", "chain/a"], axis = [1, 0.5, 0.2], upper = 90 }
[[entity]]
name = "slide"
pose = { position = [1.2, 1.1, 0] }
joint = { kind = "slider", between = ["chain/a", "chain/b"], axis = [1, 0.5, 0.2] }
[[entity]]
name = "end"
pose = { position = [1.5, 1.1, 0] }
joint = { kind = "ball", between = ["chain/b"] }
[[event]]
name = "take"
at = 0.0
grasp = { hand = "man/pelvis/arm/hand", object = "box" }
"""
SCENE = HEAD + FIGURE + CHAIN


@st.composite
def trees_and_bodies(draw):
    """A skeleton and a free body at random states, each by itself and both in one model of the peer."""
    kinds = draw(st.lists(st.sampled_from(MOVING), min_size=1, max_size=8))
    climbs = draw(st.lists(st.integers(0, 3), min_size=len(kinds), max_size=len(kinds)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    specs = sample_specs(rng, kinds, climbs)
    q, v = sample_state(rng, specs)
    moments = rng.uniform(0.002, 0.03, 3)
    body = BoneSpec(
        -1, "free", 0, mass=float(rng.uniform(0.2, 3.0)), inertia=np.diag(moments.sum() - moments)
    )
    place, speed = np.concatenate([rng.normal(size=3), sample_rotation(rng)]), rng.normal(size=6)
    return specs, q, v, body, place, speed, rng


def combine(specs, q, v, body, place, speed) -> tuple[CombinedDynamics, Pinocchio]:
    _, skeleton = make_dynamics(specs, q, v, GRAVITY)
    arrays = {
        "run.gravity": GRAVITY, "rigid.mass": np.array([body.mass]), "rigid.inertia": body.inertia[None],
        "rigid.x": place[None, :3].copy(), "rigid.q": place[None, 3:].copy(), "rigid.v": speed[None].copy(),
    }  # fmt: skip
    box = BodyDynamics(arrays, {"box": 0}, ["box"], None, acts=False)
    both = CombinedDynamics([skeleton, box], {})
    return both, Pinocchio([*specs, body], np.concatenate([q, place]), np.concatenate([v, speed]))


def assert_near(mine, theirs, scale: float = 1.0) -> None:
    theirs = np.asarray(theirs)
    assert np.abs(np.asarray(mine) - theirs).max() < TOLERANCE * max(scale, np.abs(theirs).max())


@settings(max_examples=40, deadline=None)
@given(trees_and_bodies())
def test_a_skeleton_and_a_body_are_one_model_of_pinocchio(sample) -> None:
    *parts, rng = sample
    both, peer = combine(*parts)
    pin, a = peer.pin, rng.normal(size=both.size)
    gravity = peer.gravity()
    assert_near(both.mass_matrix(), peer.mass_matrix())
    assert_near(both.gravity(), gravity)
    assert_near(both.inverse_dynamics(a), peer.inverse_dynamics(a))
    assert_near(both.bias(), peer.inverse_dynamics(np.zeros(both.size)) - gravity, np.abs(gravity).max())
    point = rng.normal(size=3)
    for entity, bone in (("0", 0), (("rigid", 0), len(parts[0]))):
        J, drift = peer.jacobian(bone, point)
        assert_near(np.vstack([both.point_jacobian(entity, point), both.rotation_jacobian(entity)]), J)
        assert_near(np.concatenate([both.point_drift(entity, point), both.rotation_drift(entity)]), drift)
    assert_near(both.centre_of_mass(), pin.centerOfMass(peer.model, peer.data, peer.q, peer.v, peer.drift))
    assert_near(both.centre_drift(), peer.data.acom[0])
    J = pin.jacobianCenterOfMass(peer.model, peer.data, peer.q).reshape(3, -1)
    assert_near(both.centre_jacobian(), J @ peer.T)
    assert both.kinetic_energy() == pytest.approx(
        pin.computeKineticEnergy(peer.model, peer.data, peer.q, peer.v), rel=TOLERANCE
    )
    assert both.potential_energy() == pytest.approx(
        pin.computePotentialEnergy(peer.model, peer.data, peer.q), rel=TOLERANCE, abs=1e-9
    )


@settings(max_examples=40, deadline=None)
@given(trees_and_bodies())
def test_momenta_and_their_drift_agree_with_pinocchio(sample) -> None:
    *parts, _ = sample
    both, peer = combine(*parts)
    pin = peer.pin
    matrix = np.array(pin.computeCentroidalMap(peer.model, peer.data, peer.q)) @ peer.T
    assert_near(both.momentum_matrix(), matrix)
    momentum = pin.computeCentroidalMomentum(peer.model, peer.data, peer.q, peer.v).vector
    assert_near(np.concatenate(both.momentum()), momentum)
    # At accelerations that are zero in our rates.
    pin.computeCentroidalMomentumTimeVariation(peer.model, peer.data, peer.q, peer.v, peer.drift)
    assert_near(both.momentum_drift(), peer.data.dhg.vector)


class Motion:
    """A world whose coordinates follow constant rates, for finite differences."""

    def __init__(self, world) -> None:
        self.world = world
        names = ("skeleton.q", "rigid.x", "rigid.q", "flesh.x")
        self.start = {n: world.array(n).copy() for n in names if n in world.arrays.specs}

    def go(self, t: float) -> None:
        world, start = self.world, self.start
        if "skeleton.q" in start:
            v = world.array("skeleton.v")
            integrate_coordinates(
                t, world.array("skeleton.bone"), start["skeleton.q"], v, world.array("skeleton.q")
            )
        if "flesh.x" in start:
            world.array("flesh.x")[:] = start["flesh.x"] + t * world.array("flesh.v")
        if "rigid.x" in start:
            v = world.array("rigid.v")
            world.array("rigid.x")[:] = start["rigid.x"] + t * v[:, :3]
            for i, turn in enumerate(start["rigid.q"]):
                angle = np.linalg.norm(v[i, 3:]) * t
                axis = v[i, 3:] / np.linalg.norm(v[i, 3:])
                small = np.array([np.cos(angle / 2), *(np.sin(angle / 2) * axis)])
                world.array("rigid.q")[i] = multiply(turn, small)

    def differentiate(self, function, h: float = 1e-5):
        """Central difference of a function of the state, at the start."""
        self.go(h)
        ahead = function()
        self.go(-h)
        behind = function()
        self.go(0.0)
        return (ahead - behind) / (2 * h)


def scatter(world, rng, much: float = 0.1) -> Motion:
    """Random rates, and coordinates off their start, so that joints do not fit."""
    for name in ("skeleton.v", "rigid.v"):
        world.array(name)[:] = rng.normal(size=world.array(name).shape)
    Motion(world).go(0.3)
    world.array("rigid.x")[:] += much * rng.normal(size=world.array("rigid.x").shape)
    for name in ("skeleton.v", "rigid.v"):
        world.array(name)[:] = rng.normal(size=world.array(name).shape)
    return Motion(world)


@pytest.fixture
def figure(load_text):
    return load_text(SCENE.replace("{step}", "0.001"))


@pytest.mark.parametrize("seed", range(5))
def test_equations_of_joints_and_grasps_agree_with_finite_differences(figure, seed) -> None:
    figure.step(2)
    dynamics = figure.dynamics("man", "box", "chain")
    motion = scatter(figure, np.random.default_rng(seed))
    rows = dynamics.constraints()
    assert rows.labels == ("end",) * 3 + ("slide",) * 5 + ("turn",) * 5 + ("take",) * 6
    assert np.abs(rows.drift).max() > 1.0
    rate = motion.differentiate(dynamics.constraint_matrix) @ dynamics.rate_values()
    assert np.abs(rate - rows.drift).max() < 1e-7 * np.abs(rows.drift).max()
    np.testing.assert_array_equal(dynamics.constraint_drift(), rows.drift)


@pytest.mark.parametrize("seed", range(3))
def test_rows_are_the_rates_of_the_errors_where_joints_fit(load_text, seed) -> None:
    world = load_text(SCENE.replace("{step}", "0.001"))
    dynamics = world.dynamics("man", "box", "chain")
    rng = np.random.default_rng(seed)
    for name in ("skeleton.v", "rigid.v"):
        world.array(name)[:] = rng.normal(size=world.array(name).shape)
    rows = dynamics.constraints()
    assert np.abs(rows.error).max() < 1e-14
    # While it closes, a grasp has no error at any place; afterwards it has.
    held = np.array([label != "take" for label in rows.labels])
    rate = Motion(world).differentiate(dynamics.constraint_error)
    expected = rows.matrix @ dynamics.rate_values()
    assert np.abs(rate - expected)[held].max() < 1e-7
    assert np.abs(rate[~held]).max() < 1e-9


def test_the_step_obeys_the_equations(load_text) -> None:
    """M a + bias + gravity = L^T lambda and L a + Ldot v = 0 in a very short step, closed loops included."""
    h = 1e-5
    world = load_text(SCENE.replace("{step}", str(h)))
    dynamics = world.dynamics("man", "box", "chain")
    rng, n = np.random.default_rng(5), dynamics.size
    L = dynamics.constraint_matrix()
    v = rng.normal(size=n)
    v -= np.linalg.pinv(L) @ (L @ v)
    for path in ("man", "box", "chain"):
        place, first = dynamics.rates(path), dynamics.rates(path).here.start
        for name, rows in place.arrays:
            count = rows.stop - rows.start
            world.array(name).reshape(-1)[rows] = v[first : first + count]
            first += count
    np.testing.assert_array_equal(dynamics.rate_values(), v)
    world.step(2)  # until the curvature of one step is what joints take back in the next
    v, L = dynamics.rate_values(), dynamics.constraint_matrix()
    M, force, drift = (
        dynamics.mass_matrix(),
        dynamics.bias() + dynamics.gravity(),
        dynamics.constraint_drift(),
    )
    K = np.block([[M, -L.T], [L, np.zeros((len(L), len(L)))]])
    a = np.linalg.lstsq(K, -np.concatenate([force, drift]), rcond=None)[0][:n]
    world.step()
    assert np.abs((dynamics.rate_values() - v) / h - a).max() < 1e-3 * np.abs(a).max()


@pytest.mark.parametrize("seed", range(3))
def test_power_of_bias_and_gravity_is_the_change_of_energy(figure, seed) -> None:
    """v . bias = v^T dM/dt v / 2, for dM/dt - 2 C is skew-symmetric; v . gravity = dU/dt."""
    dynamics = figure.dynamics("chain", "man", "box")
    motion = scatter(figure, np.random.default_rng(seed))
    v = dynamics.rate_values()
    assert motion.differentiate(dynamics.kinetic_energy) == pytest.approx(v @ dynamics.bias(), rel=1e-6)
    assert motion.differentiate(dynamics.potential_energy) == pytest.approx(v @ dynamics.gravity(), rel=1e-7)
    assert v @ dynamics.mass_matrix() @ v / 2 == pytest.approx(dynamics.kinetic_energy(), rel=1e-12)


@pytest.mark.parametrize("entity", ["man/pelvis/arm/hand/nail", "box", "box/side", "chain/b"])
def test_points_of_any_entity_move_as_their_jacobians_say(figure, entity) -> None:
    dynamics, point = figure.dynamics("man", "box", "chain"), (0.1, -0.2, 0.3)
    motion = scatter(figure, np.random.default_rng(2))
    v = dynamics.rate_values()
    velocity = motion.differentiate(lambda: dynamics.position(entity, point))
    np.testing.assert_allclose(dynamics.point_jacobian(entity, point) @ v, velocity, atol=1e-7)
    np.testing.assert_allclose(dynamics.velocity(entity, point)[:3], velocity, atol=1e-7)
    rate = motion.differentiate(lambda: dynamics.point_jacobian(entity, point) @ v)
    np.testing.assert_allclose(dynamics.point_drift(entity, point), rate, atol=1e-6)
    rate = motion.differentiate(lambda: dynamics.rotation_jacobian(entity) @ v)
    np.testing.assert_allclose(dynamics.rotation_drift(entity), rate, atol=1e-6)


def test_the_pose_of_what_is_carried_is_that_of_the_scene(figure) -> None:
    dynamics = figure.dynamics("man", "box", "chain")
    for path in ("man/pelvis/arm/hand/nail", "box", "box/side", "chain/b", "man/pelvis"):
        position, rotation = figure.build.pose(path)
        np.testing.assert_allclose(dynamics.position(path), position, atol=1e-14)
        assert abs(dynamics.rotation(path) @ rotation) == pytest.approx(1.0, abs=1e-14)


def test_queries_after_restore_are_of_the_restored_state(figure) -> None:
    """A mass matrix that was asked for in between must not leave its inertias to the next query."""
    skeletons = next(each for each in figure.members("mechanisms") if each.name == "skeleton")
    start = figure.snapshot()
    for dynamics in (skeletons.dynamics("man"), figure.dynamics("man")):
        figure.restore(start)
        gravity, centre = dynamics.gravity(), dynamics.centre_of_mass()
        figure.step(200)
        dynamics.mass_matrix()
        figure.restore(start)
        np.testing.assert_array_equal(dynamics.gravity(), gravity)
        np.testing.assert_array_equal(dynamics.centre_of_mass(), centre)


def test_another_skeleton_changes_nothing(load_text) -> None:
    text = SCENE.replace("{step}", "0.001")
    other = (
        FIGURE.replace('"man', '"adam')
        .replace("[0, 1, 0]", "[50, 1, 0]")
        .split('[[entity]]\nname = "box"')[0]
    )
    alone, crowded = load_text(text), load_text(text + other)
    for world in (alone, crowded):
        world.step(3)
    a, b = (world.dynamics("man", "box") for world in (alone, crowded))
    assert a.size == b.size == 16
    for query in ("mass_matrix", "bias", "gravity", "momentum_matrix", "coordinate_values", "rate_values"):
        np.testing.assert_array_equal(getattr(a, query)(), getattr(b, query)())


def test_places_lead_to_the_arrays_of_the_world(figure) -> None:
    figure.step(5)
    dynamics = figure.dynamics("box", "man", "chain")
    v, q = dynamics.rate_values(), dynamics.coordinate_values()
    assert len(dynamics.rate_labels) == dynamics.size == 28
    for path in ("box", "man", "man/pelvis", "man/pelvis/arm/hand", "chain", "chain/b"):
        for place, values in ((dynamics.rates(path), v), (dynamics.coordinates(path), q)):
            found = [figure.array(name).reshape(-1)[rows] for name, rows in place.arrays]
            np.testing.assert_array_equal(np.concatenate(found), values[place.here])
    assert dynamics.rates("man/pelvis/arm").here == slice(12, 15)
    assert dynamics.rate_labels[12:15] == ["man/pelvis/arm"] * 3


def test_out_is_filled_and_given_back(figure) -> None:
    dynamics = figure.dynamics("man", "box")
    n = dynamics.size
    for query, shape in (
        ("mass_matrix", (n, n)),
        ("bias", (n,)),
        ("momentum_matrix", (6, n)),
        ("centre_jacobian", (3, n)),
    ):
        out = np.full((*shape, 2), np.nan)[..., 0]
        assert getattr(dynamics, query)(out=out) is out
        np.testing.assert_array_equal(out, getattr(dynamics, query)())


@pytest.mark.parametrize(
    ("paths", "message"),
    [
        (("mann",), "Did you mean 'man'"),
        (("man", "man/pelvis"), "asked for twice, by 'man' and 'man/pelvis'"),
        (("chain", "chain/a"), "chain/a: asked for twice"),
    ],
)
def test_bad_requests_are_refused(figure, paths, message) -> None:
    with pytest.raises(PluginError, match=message):
        figure.dynamics(*paths)


def test_who_was_not_asked_for_is_not_known(figure) -> None:
    dynamics = figure.dynamics("man", "box")
    for query in (dynamics.rates, dynamics.point_jacobian):
        with pytest.raises(PluginError, match="chain/a: is not among the entities"):
            query("chain/a")
    (links,) = dynamics._constraints
    assert links.left_out == ("turn",)
    assert set(dynamics.constraints().labels) == {"take"}


HOLDING = """
from supple import Phase, System, component, hookimpl
from supple.mechanics.combined_dynamics import ask_dynamics


@component
class Hold:
    '''Carries its own weight.'''


class Carry(System):
    '''Adds what holds all against gravity.'''

    phase = Phase.ACTUATE

    def __init__(self, build):
        self.asked = ask_dynamics(build, "man", "box")
        self.reads, self.adds = self.asked.reads, self.asked.forces

    def bind(self, arrays):
        dynamics = self.asked.bind(arrays, acts=True)
        return lambda: dynamics.add_forces(dynamics.gravity() + dynamics.bias())


@hookimpl
def supple_register(registry):
    registry.add_component(Hold)
    registry.add_system("hold.carry", Carry, when=["hold"])
"""


def test_forces_of_a_controller_hold_the_weight(tmp_path) -> None:
    import supple
    from supple.testing import audit_step

    (tmp_path / "hold.py").write_text(HOLDING)
    (tmp_path / "hold.toml").write_text(
        HEAD.replace("{step}", "0.001") + FIGURE + '\n[[entity]]\nname = "will"\nhold = {}\n'
    )
    world = supple.load(tmp_path / "hold.toml", plugins=[tmp_path / "hold.py"])
    start = world.array("rigid.x").copy()
    world.step(500)
    assert np.abs(world.array("skeleton.v")).max() < 1e-12
    np.testing.assert_allclose(world.array("rigid.x"), start, atol=1e-12)
    audit_step(world)


# Flesh


@pytest.fixture
def fleshed(load_text, hung):
    def make(seed: int):
        rng, joints = np.random.default_rng(seed), ["free", "hinge", "ball"]
        world = load_text(write_scene(rng, joints))
        set_random_state(world, rng, joints)
        return world

    return make


@pytest.mark.parametrize("seed", range(3))
def test_momenta_and_powers_of_flesh(fleshed, seed) -> None:
    world = fleshed(seed)
    dynamics, motion = world.dynamics("man.flesh"), Motion(world)
    v = dynamics.rate_values()
    assert dynamics.size > len(world.array("skeleton.v"))
    np.testing.assert_allclose(
        dynamics.momentum_matrix() @ v, np.concatenate(dynamics.momentum()), atol=1e-12
    )
    assert v @ dynamics.mass_matrix() @ v / 2 == pytest.approx(dynamics.kinetic_energy(), rel=1e-12)
    assert motion.differentiate(dynamics.kinetic_energy) == pytest.approx(
        v @ dynamics.bias(), rel=1e-5, abs=1e-6
    )
    assert motion.differentiate(dynamics.potential_energy) == pytest.approx(v @ dynamics.gravity(), rel=1e-6)
    centre = motion.differentiate(dynamics.centre_of_mass)
    np.testing.assert_allclose(dynamics.centre_jacobian() @ v, centre, atol=1e-7)
    rate = motion.differentiate(lambda: dynamics.momentum_matrix() @ v)
    np.testing.assert_allclose(dynamics.momentum_drift(), rate, atol=1e-5 * max(1.0, np.abs(rate).max()))


def test_a_vertex_is_a_point_that_can_be_asked_for(fleshed) -> None:
    world = fleshed(1)
    dynamics, motion = world.dynamics("man.flesh"), Motion(world)
    active = np.flatnonzero(world.array("flesh.active"))
    v = dynamics.rate_values()
    for vertex in active[:3]:
        entity = ("flesh", int(vertex))
        velocity = motion.differentiate(lambda entity=entity: dynamics.position(entity))
        np.testing.assert_allclose(dynamics.point_jacobian(entity) @ v, velocity, atol=1e-7)
        rate = motion.differentiate(lambda entity=entity: dynamics.point_jacobian(entity) @ v)
        np.testing.assert_allclose(dynamics.point_drift(entity), rate, atol=1e-6)
        assert not dynamics.rotation_jacobian(entity).any()


def test_the_number_of_rates_follows_the_active_vertices(fleshed) -> None:
    world = fleshed(1)
    dynamics, rates = world.dynamics("man.flesh"), len(world.array("skeleton.v"))
    for active in (0, 1):
        world.array("flesh.active")[:] = active
        n = rates + 3 * int(world.array("flesh.active").sum())
        assert dynamics.size == n == len(dynamics.rate_labels)
        assert dynamics.mass_matrix().shape == (n, n)
        place = dynamics.rates("man.flesh")
        assert place.here == slice(rates, n)
        found = [world.array(name).reshape(-1)[rows] for name, rows in place.arrays]
        np.testing.assert_array_equal(np.concatenate(found or [[]]), dynamics.rate_values()[place.here])
    with pytest.raises(PluginError, match="asked for twice, in two ways"):
        world.dynamics("man", "man.flesh")


# Ghosts

GHOST = """
[[entity]]
name = "hand"
ghost = { stiffness = 0.8 }
[[entity]]
name = "hand/wrist"
pose = { position = [0, 1, 0] }
bone = { joint = "free" }
[[entity]]
name = "hand/wrist/finger"
pose = { position = [0.1, 0, 0] }
bone = { joint = "hinge", axis = [0, 0, 1], stiffness = 0.5 }
"""


def test_a_ghost_answers_what_needs_no_mass(load_text) -> None:
    world = load_text(HEAD.replace("{step}", "0.001") + FIGURE + GHOST)
    ghost, both = world.dynamics("hand"), world.dynamics("hand", "man")
    world.array("ghost.v")[:] = np.arange(7.0)
    np.testing.assert_array_equal(ghost.rate_values(), np.arange(7.0))
    world.array("skeleton.v")[:] = 0.0
    velocity = both.point_jacobian("hand/wrist/finger", (0.1, 0, 0)) @ both.rate_values()
    np.testing.assert_allclose(velocity, both.velocity("hand/wrist/finger", (0.1, 0, 0))[:3], atol=1e-14)
    assert ghost.parts[0].stiffness()[-1] == 0.5
    for query in (
        "mass_matrix",
        "bias",
        "gravity",
        "momentum",
        "momentum_matrix",
        "centre_of_mass",
        "kinetic_energy",
    ):
        for dynamics in (ghost, both):
            with pytest.raises(PluginError, match="hand: a ghost has no inertia"):
                getattr(dynamics, query)()


def test_a_request_declares_what_it_reads(figure) -> None:
    asked = ask_dynamics(figure.build, "box")
    assert set(asked.reads) >= {"rigid.x", "rigid.q", "rigid.v", "joints.anchor_x"}
    assert not [name for name in asked.reads if name.startswith("skeleton.")]
    assert asked.forces == ("rigid.wrench",)
