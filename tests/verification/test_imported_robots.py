"""Robots of MJCF and URDF files move as MuJoCo says: masses, bias and places in random poses, and falls."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import supple
from imported_robots import NAMES, Pair, write_scene
from supple_robot.servos import read_drives

pytest.importorskip("mujoco")

FLOOR = '[[entity]]\nname = "floor"\npose = { position = [0, -0.2, 0] }\nplane = {}\n'


@pytest.fixture(scope="module", params=NAMES)
def pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Pair:
    return Pair(write_scene(tmp_path_factory.mktemp("robot"), request.param))


@pytest.mark.parametrize("seed", range(4))
def test_mass_matrix_and_bias_are_those_of_mujoco(pair: Pair, seed: int) -> None:
    pair.pose(np.random.default_rng(seed))
    paths = [entity.path for entity in pair.world.blueprint.graph.having("skeleton")]
    dynamics = pair.world.dynamics(*paths)
    # Combined queries stack the skeletons one after the other, which is the order of the arrays.
    theirs = np.zeros((pair.model.nv, pair.model.nv))
    pair.mujoco.mj_fullM(pair.model, pair.data, theirs)
    ours = pair.T.T @ dynamics.mass_matrix() @ pair.T
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9 * np.abs(theirs).max())
    bias = pair.T.T @ (dynamics.bias() + dynamics.gravity())
    np.testing.assert_allclose(
        bias, pair.data.qfrc_bias, rtol=0, atol=1e-9 * np.abs(pair.data.qfrc_bias).max()
    )


@pytest.mark.parametrize("seed", range(4))
def test_points_are_where_mujoco_has_them(pair: Pair, seed: int) -> None:
    rng = np.random.default_rng(seed)
    pair.pose(rng)
    bones = [body for body, path in pair.robot.link.items() if path in pair.rows]
    assert len(bones) >= pair.model.nbody - 2
    for body in bones:
        ours, theirs = pair.place_of(body, rng.normal(size=3))
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9)


def test_shapes_are_where_mujoco_has_them(pair: Pair) -> None:
    """In the neutral pose, where the graph of the scene knows all places."""
    from supple.core.pose import world_pose

    pair.data.qpos[:] = pair.model.qpos0
    pair.mujoco.mj_forward(pair.model, pair.data)
    graph, found = pair.world.blueprint.graph, 0
    for geom in range(pair.model.ngeom):
        parent = pair.robot.link[int(pair.model.geom_bodyid[geom])]
        theirs = pair.position + pair.world_turn @ pair.data.geom_xpos[geom]
        kinds = ("box", "capsule", "convex", "cylinder", "ellipsoid", "plane", "sphere")
        here = [
            world_pose(graph, entity.path)[0] for entity in graph.having(*kinds) if entity.parent == parent
        ]
        found += any(np.allclose(theirs, place, rtol=0, atol=1e-9) for place in here)
    touching = (pair.model.geom_contype > 0) | (pair.model.geom_conaffinity > 0)
    assert found >= np.count_nonzero(touching)


@pytest.mark.parametrize("name", NAMES)
def test_robot_falls_to_the_floor_and_stays_in_one_piece(name: str, tmp_path: Path) -> None:
    world = supple.load(write_scene(tmp_path, name, ', base = "free"', FLOOR))
    world.step(500)
    metrics = world.metrics()
    assert metrics["run.solver_failures"] == 0
    assert metrics["run.penetration_worst"] < 3e-3
    assert metrics["run.joint_error_worst"] < 1e-3
    assert metrics["run.contacts"] > 0
    heights = world.array("skeleton.x")[:, 1]
    assert heights.min() > -0.25
    assert np.abs(world.array("skeleton.v")).max() < 50.0


def test_servos_pull_as_the_actuators_of_mujoco_do(pair: Pair) -> None:
    """Within their limits, in random poses, with no control: force = stiffness (target - q) - damping v."""
    rng = np.random.default_rng(5)
    driven = read_drives(pair.model, np.zeros(pair.model.nu), (0.0, 0.0), pair.model.qpos0).of_joint
    assert bool(driven) == (pair.model.nu > 1)
    for _ in range(3):
        pair.pose(rng)
        expected = np.zeros(pair.model.nv)
        for joint, path in pair.robot.joint.items():
            servo = pair.world.blueprint.graph[path].components.get("servo")
            # A spring that rests beside the neutral pose is a servo too, and no actuator.
            if servo is None or joint not in driven:
                continue
            place, rate = pair.model.jnt_qposadr[joint], pair.model.jnt_dofadr[joint]
            q = pair.data.qpos[place] - pair.model.qpos0[place]
            target = np.radians(servo.target) if pair.reader.kind(joint) == "hinge" else servo.target
            force = servo.stiffness * (target - q) - servo.damping * pair.data.qvel[rate]
            expected[rate] = np.clip(force, -servo.limit, servo.limit)
        served = expected != 0.0
        theirs = pair.data.qfrc_actuator
        np.testing.assert_allclose(
            expected[served], theirs[served], rtol=0, atol=1e-9 * max(1.0, np.abs(theirs).max())
        )


def test_limits_springs_and_dampers_are_those_of_the_file(pair: Pair) -> None:
    for joint, path in pair.robot.joint.items():
        bone, kind = pair.world.blueprint.graph[path].components["bone"], pair.reader.kind(joint)
        if kind not in ("hinge", "slider"):
            continue
        said = np.radians if kind == "hinge" else np.asarray
        assert bone.damping == pair.model.dof_damping[pair.model.jnt_dofadr[joint]]
        assert (bone.lower is not None) == bool(pair.model.jnt_limited[joint])
        if bone.lower is not None:
            zero = pair.model.qpos0[pair.model.jnt_qposadr[joint]]
            np.testing.assert_allclose(
                said([bone.lower, bone.upper]) + zero, pair.model.jnt_range[joint], atol=1e-12
            )
