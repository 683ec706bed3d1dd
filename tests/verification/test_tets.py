"""Bodies of tetrahedra in worlds: promises of mechanisms, statics against beams, momenta, queries, company."""

import math

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.sparse.linalg import spsolve

import supple
from supple.testing import audit_step, check_mechanism, check_memory, check_resume
from supple_tets.lattice import fill_cells
from supple_tets.mesh import make_mesh
from supple_tets.stiffening import assemble_rest

RUN = "format = 1\n[run]\nstep = 0.01\nduration = 1.0\n"
FLOOR = '[[entity]]\nname = "floor"\nplane = {}\n'
BAR = """
[[entity]]
name = "bar"
pose = { position = [0, 0.32, 0], axis = [0, 0, 1], angle = 30 }
tet_block = { size = [0.8, 0.15, 0.2], cells = [6, 2, 2] }
tets = { stiffness = 2e5 }
"""
BALL = """
[[entity]]
name = "ball"
pose = { position = [0.05, 0.62, 0] }
tet_ball = { radius = 0.12, tets = 150 }
tets = { stiffness = 1e5, density = 400 }
"""


@pytest.fixture
def load(tmp_path):
    def make(text):
        (tmp_path / "scene.toml").write_text(text)
        return supple.load(tmp_path / "scene.toml")

    make.path = tmp_path / "scene.toml"
    return make


def run(world, steps):
    for _ in range(steps):
        world.step()
    return world


def test_promises_of_a_mechanism(load):
    """Two soft bodies on the floor and on each other: A^-1, W, what is declared, what is remembered."""
    world = run(load(RUN + FLOOR + BAR + BALL), 40)
    assert world.arrays["contacts.count"][0] > 5
    check_mechanism(world, "tets")
    audit_step(world)
    check_memory(world, 3)
    check_resume(load.path, steps=30, more=5)


def test_soft_bodies_meet_a_body_in_one_solve(load):
    """A rigid crate falls on a soft bar on the floor, and all come to rest; the floor carries the weights."""
    crate = '[[entity]]\nname = "crate"\npose = { position = [0, 0.6, 0] }\n'
    crate += "box = { size = [0.1, 0.1, 0.1] }\nbody = { mass = 3 }\n"
    flat = BAR.replace("0.32, 0], axis = [0, 0, 1], angle = 30", "0.08, 0]")
    world = run(load(RUN + FLOOR + flat + crate), 150)
    mass = world.arrays["tets.mass"].sum()
    assert np.abs(world["crate"].velocity).max() < 1e-3
    assert world["floor"].contact_force[1] == pytest.approx(-(mass + 3) * 9.81, rel=1e-3)
    assert world["bar"].contact_force[1] == pytest.approx(mass * 9.81, rel=1e-3)


def test_soft_bodies_meet_flesh_and_bones_in_one_solve(load):
    """A fleshed box lies on a soft bar, a soft ball on the box; every contact counts for both sides."""
    flesh = '[[entity]]\nname = "pad"\npose = { position = [0, 0.205, 0] }\n'
    flesh += "fleshed_box = { size = [0.2, 0.1, 0.2], cells = 2, mass = 2.0, stiffness = 4000.0 }\n"
    flat = BAR.replace("0.32, 0], axis = [0, 0, 1], angle = 30", "0.08, 0]")
    ball = BALL.replace("[0.05, 0.62, 0]", "[0, 0.385, 0]")
    world = run(load(RUN.replace("0.01", "0.004") + FLOOR + flat + flesh + ball), 250)
    bar, ball = world.dynamics("bar").mass, world.dynamics("ball").mass
    assert world.metrics()["run.residual_worst"] < 1e-8
    assert world["ball"].contact_force[1] == pytest.approx(ball * 9.81, rel=0.02)
    assert world["floor"].contact_force[1] == pytest.approx(-(bar + ball + 2) * 9.81, rel=0.02)
    check_mechanism(world, "tets")


def test_a_soft_block_comes_to_rest_on_another(load):
    """Their edges cross within the flat faces: they must not come and go with the force that they bear."""
    block = '[[entity]]\nname = "{}"\npose = {{ position = {} }}\ntet_block = {{ size = {}, cells = {} }}\n'
    block += "tets = {{ stiffness = 1e5 }}\n"
    low = block.format("low", [0, 0.1, 0], [0.5, 0.2, 0.4], [4, 1, 3])
    high = block.format("high", [0.02, 0.301, 0.01], [0.3, 0.2, 0.3], [3, 1, 3])
    world = run(load(RUN + FLOOR + low + high), 250)
    assert np.abs(world.arrays["tets.v"]).max() < 1e-7
    count = world.arrays["contacts.count"][0]
    assert world.arrays["contacts.gap"][:count].min() > -1e-9
    assert world["high"].contact_force == pytest.approx([0, 0.3 * 0.2 * 0.3 * 1000 * 9.81, 0], abs=1e-4)


def test_springs_and_pushes_hold_points_of_the_boundary(load):
    tie = '[[entity]]\nname = "tie"\npose = { position = [0.4, 0.9, 0] }\n'
    tie += 'spring = { between = ["bar"], stiffness = 4, rest = 0.3 }\n'
    push = '[[event]]\nname = "shove"\nat = 0.2\npush = { on = "bar", force = [0, 0, 30], duration = 0.1 }\n'
    still = RUN.replace("duration", "gravity = [0, 0, 0]\nduration")
    flat = BAR.replace("0.32, 0], axis = [0, 0, 1], angle = 30", "0.08, 0]")
    world = run(load(still + flat + push), 40)
    momentum = world.arrays["tets.mass"] @ world.arrays["tets.v"]
    assert momentum == pytest.approx([0, 0, 3.0], abs=1e-9)
    world = run(load(still + flat + tie), 1)
    momentum = world.arrays["tets.mass"] @ world.arrays["tets.v"]
    # The spring of 4 N/m starts 0.745 m from the nearest point of the bar.
    assert momentum[1] == pytest.approx(0.01 * 4 * 0.445, rel=0.02)


def test_a_beam_converges_to_timoshenko():
    """Clamped, ten times as long as thick, loaded at its end: the rate of convergence rises towards 2."""
    E, L, thick = 1.0, 1.0, 0.1
    exact = 4 * L**3 / (E * thick**4) + L / (5 / 6 * 0.5 * E * thick**2)
    errors = []
    for n in (1, 2, 4, 6):
        points, tets = fill_cells(np.ndindex(10 * n, n, n))
        mesh = make_mesh(points * thick / n, tets, "beam", trusted=True)
        K, _ = assemble_rest(mesh.vertices, mesh.tets, 0.0)
        end = mesh.boundary[(mesh.vertices[mesh.boundary][:, :, 0] > L - 1e-9).all(axis=1)]
        load = np.zeros(mesh.vertices.shape)
        # All triangles of the end have the same area.
        np.add.at(load[:, 1], end, 1.0 / (3 * len(end)))
        free = np.repeat(mesh.vertices[:, 0] > 1e-9, 3)
        moved = np.zeros(load.size)
        moved[free] = spsolve(K[free][:, free].tocsc(), load.ravel()[free])
        errors.append(1 - (moved @ load.ravel()) / exact)
    rates = [math.log(errors[0] / errors[1], 2), math.log(errors[1] / errors[2], 2)]
    rates.append(math.log(errors[2] / errors[3], 1.5))
    assert 0.8 < rates[0] < rates[1] < rates[2] < 2.2
    assert errors[3] < 0.1


def test_the_matrix_of_the_step_is_that_of_the_rest_shape(load):
    """M + h (h + damping) K, K from an independent assembly."""
    text = RUN.replace("duration", "gravity = [0, 0, 0]\nduration") + BAR
    world = load(text)
    world.step()
    mechanism = next(each for each in world.members("mechanisms") if each.name == "tets")
    arrays = world.arrays
    K, mass = assemble_rest(arrays["tets.rest"], arrays["tets.tets"], 0.45)
    A = np.diag(1000.0 * mass) + 0.01 * 0.03 * 2e5 * K.toarray()
    rng = np.random.default_rng(0)
    x, out = rng.standard_normal(arrays["tets.x"].shape), np.zeros(arrays["tets.x"].shape)
    mechanism.apply_inverse(x, out)
    assert np.allclose(A @ out.ravel(), x.ravel(), atol=1e-9)


@pytest.mark.parametrize("scheme", ["euler", "midpoint"])
def test_a_twisted_bar_keeps_its_angular_momentum(load, scheme):
    """Twisted by half a turn, thrown and released: both momenta stay to 1e-10 in every step, whatever the strain."""
    bar = BAR.replace("0.32, 0], axis = [0, 0, 1], angle = 30", "0, 0]").replace(
        "2e5", f"2e5, scheme = '{scheme}', damping = 0.005, spin = [2, 1, -3]"
    )
    world = load(RUN.replace("duration", "gravity = [0, 0, 0]\nduration") + bar)
    state = {name: np.array(values) for name, values in world.snapshot().items()}
    x = state["tets.x"]
    angle = np.pi * x[:, 0] / 0.8
    y, z = x[:, 1].copy(), x[:, 2].copy()
    x[:, 1], x[:, 2] = y * np.cos(angle) - z * np.sin(angle), y * np.sin(angle) + z * np.cos(angle)
    world.restore(state)
    mass = world.arrays["tets.mass"]

    def measure():
        x, v = world.arrays["tets.x"], world.arrays["tets.v"]
        return np.concatenate([mass @ v, np.cross(x, mass[:, None] * v).sum(axis=0)])

    before, scale = measure(), np.abs(measure()).max()
    for _ in range(100):
        world.step()
        assert np.abs(measure() - before).max() < 1e-10 * scale
    assert world.metrics()["bar.strain"] > 0.2


def test_queries_agree_with_differences(load):
    """Jacobians, spin and drift of points in a body that moves and bends, against small steps along its velocity."""
    world = run(
        load(
            RUN
            + FLOOR
            + BAR
            + BALL
            + '[[entity]]\nname = "bar/tip"\npose = { position = [0.39, 0.05, 0.02], axis = [0, 1, 0], angle = 20 }\n'
        ),
        25,
    )
    dynamics = world.dynamics("bar")
    v = dynamics.rate_values()
    assert dynamics.point_jacobian("bar/tip") @ v == pytest.approx(dynamics.velocity("bar/tip")[:3])
    assert dynamics.rotation_jacobian("bar/tip") @ v == pytest.approx(dynamics.velocity("bar/tip")[3:])
    linear, angular = dynamics.momentum()
    assert dynamics.momentum_matrix() @ v == pytest.approx(np.concatenate([linear, angular]))
    assert dynamics.mass == pytest.approx(0.8 * 0.15 * 0.2 * 1000)
    assert dynamics.inverse_dynamics(np.zeros(len(v))).reshape(-1, 3).sum(axis=0) == pytest.approx(
        [0, dynamics.mass * 9.81, 0]
    )
    place, spin, step = dynamics.position("bar/tip"), dynamics.velocity("bar/tip")[3:], 1e-6
    drift = dynamics.rotation_drift("bar/tip")
    state = {name: np.array(values) for name, values in world.snapshot().items()}
    moved = {name: values.copy() for name, values in state.items()}
    own = dynamics.coordinates("bar").arrays[0][1]
    moved["tets.x"].reshape(-1)[own] += step * v
    world.restore(moved)
    assert (dynamics.position("bar/tip") - place) / step == pytest.approx(
        dynamics.velocity("bar/tip")[:3], rel=1e-4, abs=1e-6
    )
    assert (dynamics.velocity("bar/tip")[3:] - spin) / step == pytest.approx(drift, rel=1e-3, abs=1e-3)


BEAM = """
[[entity]]
name = "beam"
tet_block = { size = [0.5, 0.1, 0.1], cells = [8, 2, 2] }
[entity.tets]
stiffness = 1e6
poisson = 0.3
damping = 0.0
scheme = "SCHEME"
fixed = [{ low = [-0.26, -1, -1], high = [-0.249, 1, 1] }]
"""


def start_vibrating(load, scheme, step):
    """A clamped beam that starts straight, with velocities of its slowest vibration; and that one's frequency."""
    still = RUN.replace("duration", "gravity = [0, 0, 0]\nduration").replace("0.01", repr(step))
    world = load(still + BEAM.replace("SCHEME", scheme))
    K, mass = assemble_rest(world.arrays["tets.rest"], world.arrays["tets.tets"], 0.3)
    free = np.repeat(world.arrays["tets.fixed"] == 0, 3)
    square, mode = eigh(1e6 * K.toarray()[free][:, free], np.diag(1000 * mass[free]), subset_by_index=[0, 0])
    state = {name: np.array(values) for name, values in world.snapshot().items()}
    v = np.zeros(len(free))
    v[free] = mode[:, 0] / np.abs(mode).max()
    state["tets.v"] = state["tets.v_before"] = 2e-5 * v.reshape(-1, 3)
    world.restore(state)
    return world, state["tets.v"].copy(), math.sqrt(square[0])


def test_midpoint_is_of_second_order_and_keeps_a_vibration(load):
    """One mode of a beam at small strains against the sine that it is; at 4 ms Euler's is gone after 2 s."""
    errors, kept = {}, {}
    for scheme in ("euler", "midpoint"):
        errors[scheme] = []
        for steps in (24, 48, 96):
            world, v, omega = start_vibrating(load, scheme, 0.096 / steps)
            run(world, steps)
            exact = v * math.sin(omega * 0.096) / omega
            errors[scheme].append(np.abs(world.arrays["tets.x"] - world.arrays["tets.rest"] - exact).max())
        world, v, _ = start_vibrating(load, scheme, 0.004)
        mass, energy = world.arrays["tets.mass"], []
        for _ in range(500):
            world.step()
            kinetic = 0.5 * mass @ (world.arrays["tets.v"] ** 2).sum(axis=1)
            energy.append(kinetic + world.metrics()["beam.elastic_energy"])
        kept[scheme] = np.mean(energy[-50:]) / (0.5 * mass @ (v**2).sum(axis=1))
    rates = {scheme: np.log2(np.divide(each[:-1], each[1:])) for scheme, each in errors.items()}
    assert rates["euler"].max() < 1.2
    assert rates["midpoint"].min() > 1.7
    assert errors["midpoint"][0] < 0.1 * errors["euler"][0]
    assert kept["midpoint"] > 0.9
    assert kept["euler"] < 0.25


def test_midpoint_leaves_contact_as_it_is(load):
    """A bar falls, does not sink in, comes to rest on the floor, and the floor carries its weight."""
    bar = BAR.replace("0.32, 0], axis = [0, 0, 1], angle = 30", "0.2, 0]").replace(
        "2e5", '2e5, scheme = "midpoint"'
    )
    world = run(load(RUN + FLOOR + bar), 150)
    metrics = world.metrics()
    assert metrics["run.penetration_worst"] < 1e-9
    assert metrics["run.residual_worst"] < 1e-8
    assert metrics["bar.speed"] < 1e-4
    assert world["floor"].contact_force[1] == pytest.approx(-world.arrays["tets.mass"].sum() * 9.81, rel=1e-4)
    check_mechanism(world, "tets")
    check_memory(world, 3)
