"""What every mechanism answers alike: A^-1 of many vectors, W from it, and a force in its free velocities."""

from __future__ import annotations

import numpy as np
import pytest

from flesh_worlds import write_scene
from supple.mechanics.block_matrix import BlockMatrix
from supple.mechanics.delassus import ColumnDelassus

MIXED = """
format = 1
[run]
step = 0.002
duration = 1.0
[[entity]]
name = "floor"
plane = {}
[[entity]]
name = "crate"
pose = { position = [0, 0.1, 0] }
box = { size = [0.3, 0.2, 0.25] }
body = { spin = [0.3, 0.2, -0.4] }
[[entity]]
name = "ball"
pose = { position = [0.02, 0.29, 0.03] }
sphere = { radius = 0.1 }
body = { spin = [1, 2, 3] }
[[entity]]
name = "dummy"
ghost = { stiffness = 20 }
[[entity]]
name = "dummy/arm"
pose = { position = [0.4, 0.1, 0] }
bone = { joint = "hinge", axis = [0, 0, 1] }
[[entity]]
name = "dummy/arm/hand"
pose = { position = [0.2, 0, 0] }
bone = { joint = "universal", axis = [0, 0, 1], second_axis = [0, 1, 0] }
[[entity]]
name = "dummy/arm/hand/glove"
sphere = { radius = 0.11 }
"""

PUSHER = """
import numpy as np
from supple.core.schedule import Each, Phase, System
from supple.plugin import hookimpl

class Push(System):
    phase = Phase.ACTUATE
    reads = ("run.step",)
    adds = (Each("mechanisms", "force"),)

    def bind(self, arrays):
        forces = [arrays[each.force] for each in arrays.build.members("mechanisms")]
        step = arrays["run.step"]

        def push():
            if step[0] == WHEN:
                for force in forces:
                    force += np.random.default_rng(3).normal(size=force.shape)

        return push

@hookimpl
def supple_register(registry):
    registry.add_system("pusher.push", Push)
"""

STEPS = 3


def flesh_scene() -> str:
    """Bones in flesh on the floor. Without corrections velocities are linear in forces."""
    joints = ("free", "hinge", "ball")
    extra = "[run.skeleton]\ncorrections = 0"
    return write_scene(np.random.default_rng(1), joints, cells=1, state="soft", floor=-0.1, extra=extra)


SCENES = {"mixed": MIXED, "flesh": flesh_scene()}


@pytest.fixture(params=SCENES)
def world(request, load_text):
    world = load_text(SCENES[request.param])
    world.step(STEPS)
    return world


def test_the_scenes_have_all_mechanisms_and_rows_on_each(load_text) -> None:
    seen = set()
    for text in SCENES.values():
        world = load_text(text)
        world.step(STEPS)
        seen |= {each.name for each in world.members("mechanisms") if each.jacobian.count[0]}
    assert seen == {"rigid", "ghost", "skeleton", "flesh"}


def test_response_is_the_inverse_of_every_column(world) -> None:
    for mechanism in world.members("mechanisms"):
        shape = world.array(mechanism.v).shape
        columns = np.random.default_rng(0).normal(size=(5, int(np.prod(shape))))
        columns[1, ::2] = 0.0
        out, expected = np.full_like(columns, np.nan), np.zeros(shape)
        mechanism.response(columns, out)
        for k, column in enumerate(columns):
            mechanism.apply_inverse(column.reshape(shape), expected)
            np.testing.assert_allclose(out[k], expected.ravel(), rtol=1e-13, atol=1e-300)


def test_delassus_from_columns_is_that_of_the_mechanism(world) -> None:
    """Two ways to the same W; the own one of each mechanism knows the structure of A."""
    problem = world.arrays.records["rows.problem"]
    assert problem.count > 0
    for mechanism in world.members("mechanisms"):
        J, size = mechanism.jacobian, np.prod(world.array(mechanism.v).shape)
        matrices = []
        shared = ColumnDelassus(J, int(size), mechanism.response)
        for add in (mechanism.add_delassus, shared.add, shared.add):
            W = BlockMatrix()
            W.set_pattern(J.group, J.unit, problem.count, mechanism.unit_count, J.count.item(0))
            add(W)
            matrices.append(W.to_dense(problem.size))
        scale = np.abs(matrices[0]).max()
        np.testing.assert_allclose(matrices[1], matrices[0], atol=1e-13 * scale)
        np.testing.assert_array_equal(matrices[2], matrices[1])


@pytest.mark.parametrize("scene", SCENES)
def test_a_generalised_force_enters_the_free_velocities(scene, load_text, tmp_path) -> None:
    plugin = tmp_path / "pusher.py"
    plugin.write_text(PUSHER.replace("WHEN", str(STEPS)), encoding="utf-8")
    pushed, calm = load_text(SCENES[scene], plugins=[plugin]), load_text(SCENES[scene])
    for one in (pushed, calm):
        one.step(STEPS)
    for each in calm.members("mechanisms"):
        np.testing.assert_array_equal(pushed.array(each.v), calm.array(each.v))
    for one in (pushed, calm):
        one.step(1)
    h = pushed.build.run.step
    for mine, other in zip(pushed.members("mechanisms"), calm.members("mechanisms"), strict=True):
        force = pushed.array(mine.force)
        assert force.any()
        assert not calm.array(other.force).any()
        expected = np.zeros_like(force)
        other.apply_inverse(h * force, expected)
        change = pushed.array(mine.v_free) - calm.array(other.v_free)
        np.testing.assert_allclose(change, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("scene", SCENES)
def test_the_work_of_the_force_is_in_the_balance(scene, load_text, tmp_path) -> None:
    """Nothing else is applied here: flesh gets no dampers, and ghosts, which count what moves them, are left out."""
    plugin = tmp_path / "pusher.py"
    plugin.write_text(PUSHER.replace("WHEN", str(STEPS)), encoding="utf-8")
    text = SCENES[scene].replace("damping = 3.0", "damping = 0.0").partition('[[entity]]\nname = "dummy"')[0]
    assert text != SCENES[scene]
    world = load_text(text, plugins=[plugin])
    world.step(STEPS)
    mechanisms = world.members("mechanisms")
    before = {each.v: world.array(each.v).copy() for each in mechanisms}
    world.step(1)
    expected = 0.0
    for each in mechanisms:
        made_in_the_step = each.name == "flesh"
        v = world.array(each.v) if made_in_the_step else before[each.v]
        v_next = world.array(each.v_next if made_in_the_step else each.v)
        expected += 0.5 * world.build.run.step * (world.array(each.force) * (v + v_next)).sum()
    assert abs(expected) > 1e-4
    assert world.array("energy.applied")[0] == pytest.approx(expected, rel=1e-9)


def test_every_source_names_its_groups(world) -> None:
    problem, table = world.arrays.records["rows.problem"], world.array("rows.groups")
    sources = world.members("row_sources")
    assert [int(groups[0]) for groups in table] == [0, *np.cumsum(table[:, 1])[:-1]]
    assert table[:, 1].sum() == problem.count
    for source, row in zip(sources, table, strict=True):
        np.testing.assert_array_equal(source.groups, row)
    contact = next(source for source in sources if source.name == "contact")
    first, count = contact.groups
    assert count == world.array("contacts.count")[0] > 0
    np.testing.assert_array_equal(problem.key[first : first + count], world.array("contacts.key")[:count])


def test_the_problem_is_closed_for_planners(load_text, tmp_path) -> None:
    """In PLAN, problem.free is bias + J v_free of all mechanisms; the solve adds what was planned."""
    plugin = tmp_path / "planner.py"
    plugin.write_text(PLANNER, encoding="utf-8")
    for text in SCENES.values():
        world = load_text(text, plugins=[plugin])
        world.step(STEPS)
        problem = world.arrays.records["rows.problem"]
        n = problem.count
        seen = world.array("planner.seen")[:n]
        expected, planned = problem.bias[:n].copy(), np.zeros((n, 3))
        for each in world.members("mechanisms"):
            each.jacobian.add_row_velocities(world.array(each.v_free).reshape(-1), expected)
            change = np.zeros_like(world.array(each.v))
            each.apply_inverse(world.array(each.plan), change)
            each.jacobian.add_row_velocities(change.reshape(-1), planned)
        np.testing.assert_array_equal(seen, expected)
        assert np.abs(planned).max() > 1e-6
        np.testing.assert_allclose(problem.free[:n], expected + planned, rtol=1e-12, atol=1e-14)


PLANNER = """
import numpy as np
from supple.core.schedule import Each, Phase, System
from supple.plugin import hookimpl

def declare(build):
    capacity = build.arrays.records["rows.problem"].capacity
    build.add_step("planner.seen", (capacity, 3), unit="m/s", doc="What was seen.")

class Plan(System):
    phase = Phase.PLAN
    reads = ("rows.problem",)
    writes = ("planner.seen",)
    adds = (Each("mechanisms", "plan"),)

    def bind(self, arrays):
        problem, seen = arrays.record("rows.problem"), arrays["planner.seen"]
        plans = [arrays[each.plan] for each in arrays.build.members("mechanisms")]

        def plan():
            seen[:] = problem.free
            for each in plans:
                each += 1e-4

        return plan

@hookimpl
def supple_register(registry):
    registry.add_compiler("planner.arrays", declare, components=(), after=["rows"])
    registry.add_system("planner.plan", Plan)
"""
