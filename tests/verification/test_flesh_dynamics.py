"""Bones and flesh as one system against pinocchio, where vertices are links on translational joints, and the twin."""

from __future__ import annotations

import numpy as np
import pytest

from flesh_worlds import set_random_state, write_scene
from pinocchio_peer import Pinocchio
from supple_bones.forest import BoneSpec
from supple_bones.layout import (
    AXIS,
    FOLLOWS,
    JOINT,
    JOINTS,
    PARENT,
    POSITION,
    Q_FIRST,
    ROTATION,
    ROW_COUNT,
    SECOND_AXIS,
    SHARE,
    V_FIRST,
)
from supple_flesh.dynamics import CoupledDynamics
from supple_flesh.oracle import read_world
from supple_flesh.systems import find_flesh

pytestmark = pytest.mark.usefixtures("hung")
TOLERANCE = 1e-9
NAMES = {kind.code: name for name, kind in JOINTS.items()}
CASES = [
    ["free"], ["free", "hinge", "ball"], ["ball", "universal", "slider"], ["hinge", "translation", "ball", "fixed"],
    ["free", "ball", "ball", "hinge"],
]  # fmt: skip


def joint_of(row) -> str:
    """The kind of a bone's joint; a follower has a joint of its own in the peer."""
    return ("hinge", "universal")[row[ROW_COUNT] - 1] if row[FOLLOWS] >= 0 else NAMES[row[JOINT]]


def spec_of(row, frame, inertia, parent) -> BoneSpec:
    m = inertia[0]
    centre = inertia[1:4] / m if m > 0.0 else np.zeros(3)
    xx, yy, zz, xy, xz, yz = inertia[4:]
    about = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    about = about - m * (centre @ centre * np.eye(3) - np.outer(centre, centre))
    return BoneSpec(
        parent, joint_of(row), 0, frame[POSITION:ROTATION], frame[ROTATION:AXIS], frame[AXIS:SECOND_AXIS],
        frame[SECOND_AXIS:SHARE], mass=m, centre=centre, inertia=about,
    )  # fmt: skip


def peer_of(twin) -> tuple[Pinocchio, np.ndarray]:
    """The peer, and G: its velocities are G times ours, for followers turn by a share of the rates that they follow."""
    specs, q, ratios = [], [], []
    place: dict[int, int] = {}
    units = np.eye(twin.size)

    def add(b: int) -> None:
        row, share = twin.forest.bone[b], twin.forest.frame[b, SHARE]
        kind = JOINTS[joint_of(row)]
        place[b] = len(specs)
        specs.append(spec_of(row, twin.forest.frame[b], twin.bare.inertia[b], place.get(row[PARENT], -1)))
        q.append(share * twin.q[row[Q_FIRST] : row[Q_FIRST] + kind.q_count])
        ratios.append(share * units[row[V_FIRST] : row[V_FIRST] + kind.v_count])
        for i in np.flatnonzero(twin.bone_of == b):
            mine = twin.columns(i)
            rest = np.zeros(3) if mine is not None else twin.pool.rest[i]
            joint = "fixed" if mine is None else "translation"
            specs.append(BoneSpec(place[b], joint, 0, position=rest, mass=twin.pool.mass[i]))
            if mine is not None:
                q.append(twin.x[i])
                ratios.append(units[mine])
        for child in np.flatnonzero(twin.forest.bone[:, PARENT] == b):
            add(int(child))

    for root in np.flatnonzero(twin.forest.bone[:, PARENT] < 0):
        add(int(root))
    G = np.concatenate(ratios)
    return Pinocchio(specs, np.concatenate(q), G @ twin.v), G


def sample(load_text, joints, seed):
    rng = np.random.default_rng(seed)
    world = load_text(write_scene(rng, joints))
    set_random_state(world, rng, joints)
    twin = read_world(world, mask="flesh.active")
    mechanism, _ = find_flesh(world.build)
    dynamics = CoupledDynamics(world.arrays, mechanism)
    twin.active = dynamics.vertices
    return world, twin, dynamics


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("joints", CASES, ids="-".join)
def test_coupled_mass_bias_and_gravity_agree_with_pinocchio(load_text, joints, seed) -> None:
    _, twin, dynamics = sample(load_text, joints, seed)
    peer, G = peer_of(twin)
    M, gravity = G.T @ peer.mass_matrix() @ G, G.T @ peer.gravity()
    bias = G.T @ peer.inverse_dynamics(np.zeros(len(G))) - gravity
    assert np.abs(bias).max() > 0.1
    for mine, theirs in ((dynamics.gravity(), gravity), (dynamics.bias(), bias)):
        assert np.abs(mine - theirs).max() < TOLERANCE * np.abs(theirs).max()
    assert np.abs(dynamics.mass_matrix() - M).max() < TOLERANCE * np.abs(M).max()


@pytest.mark.parametrize("joints", CASES, ids="-".join)
def test_the_twin_agrees_too(load_text, joints) -> None:
    _, twin, dynamics = sample(load_text, joints, 17)
    M, bias, gravity = twin.dynamics(twin.v)
    np.testing.assert_allclose(dynamics.mass_matrix(), M, atol=1e-12 * np.abs(M).max())
    np.testing.assert_allclose(dynamics.bias(), bias, atol=1e-12 * np.abs(bias).max())
    np.testing.assert_allclose(dynamics.gravity(), gravity, atol=1e-12 * np.abs(gravity).max())


def test_the_bias_contains_the_coriolis_force_on_the_vertices(load_text) -> None:
    """C_xx = m [spin]x: a vertex that moves against a bone which spins is pushed sideways by 2 m spin x velocity."""
    world, twin, dynamics = sample(load_text, ["ball"], 4)
    world.arrays["flesh.x"][:] = 0.0
    spin, relative = np.array([0.3, 2.0, -1.0]), np.array([0.5, 0.1, -0.2])
    world.arrays["skeleton.v"][:] = spin
    world.arrays["flesh.v"][:] = relative
    forces = dynamics.bias()[3:].reshape(-1, 3)
    masses = twin.pool.mass[dynamics.vertices]
    np.testing.assert_allclose(forces, 2 * masses[:, None] * np.cross(spin, relative), atol=1e-14)


@pytest.mark.parametrize("joints", CASES, ids="-".join)
def test_flesh_at_rest_is_part_of_the_bones(load_text, joints) -> None:
    """The folded mass matrix is that block of the full one which belongs to the rates."""
    world, _, dynamics = sample(load_text, joints, 8)
    skeletons = next(each for each in world.members("mechanisms") if each.name == "skeleton")
    folded = skeletons.dynamics("man").mass_matrix()
    world.arrays["flesh.x"][:] = world.arrays["flesh.rest"]
    for active in (0, 1):
        world.arrays["flesh.active"][:] = active
        full = dynamics.mass_matrix()[: len(folded), : len(folded)]
        assert np.abs(full - folded).max() < 1e-12 * np.abs(folded).max()
