"""Muscles: the linear map, influence, limits and rates, planners, and the segment counts of letters."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import supple
from supple.testing import audit_step, check_memory, check_resume
from supple_muscles.fibres import cut_evenly, find_influence
from supple_muscles.medial import lay_out_axis
from supple_muscles.muscle_map import MuscleMap
from supple_tets.letters import make_letter
from supple_tets.mesh import find_tet, make_mesh

SCENE = """format = 1
[run]
step = 0.01
duration = 1.0
gravity = [0, 0, 0]
[[entity]]
name = "bar"
pose = { position = [0.3, 1, 0], axis = [1, 1, 0], angle = 50 }
tet_block = { size = [0.2, 0.6, 0.2], cells = [2, 4, 2] }
tets = { stiffness = 5e5 }
[entity.muscles]
rate = RATE
fibres.a = { points = [[0.05, -0.29, 0], [0.05, 0.29, 0]], segments = 3 }
fibres.b = { points = [[-0.05, -0.29, 0], [-0.05, 0.29, 0]], segments = 3 }
fibres.w.segments = 6
fibres.w.group = "helical"
fibres.w.helix = { low = [0, -0.29, 0], high = [0, 0.29, 0], radius = 0.06, turns = 1 }
[entity.muscle_drive]
drives = [{ fibres = ["a"], contraction = 0.2 }, { fibres = ["w"], sine = { period = 0.3, lag = 40 } }]
"""


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    file = tmp_path_factory.mktemp("muscles") / "scene.toml"
    file.write_text(SCENE.replace("RATE", "5"))
    return supple.load(file)


@pytest.fixture(scope="module")
def start(world):
    return {name: np.array(values) for name, values in world.snapshot().items()}


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.02, 0.06]))
@settings(max_examples=25, deadline=None)
def test_the_map_neither_pushes_nor_turns(world, start, seed, size):
    """At any shape and turn; and it is what muscles do to v_free: no contraction at its own length."""
    rng = np.random.default_rng(seed)
    state = {name: values.copy() for name, values in start.items()}
    turn = Rotation.random(random_state=seed).as_matrix()
    state["tets.x"] = np.ascontiguousarray(
        (state["tets.x"] + size * rng.uniform(-1, 1, state["tets.x"].shape)) @ turn.T
    )
    world.restore(state)
    columns = MuscleMap(world.build, "bar").bind(world.arrays).columns().reshape(12, -1, 3)
    scale, x = np.abs(columns).max(), world.arrays["tets.x"]
    assert scale > 1e3
    assert np.abs(columns.sum(axis=1)).max() < 1e-11 * scale
    assert np.abs(np.cross(x - x.mean(axis=0), columns).sum(axis=1)).max() < 1e-11 * scale


def test_the_map_is_what_the_step_does(world, start):
    """force = B (u - l / l0) as the step applied it; what a planner changes acts in the same step, and is kept."""
    world.restore({name: values.copy() for name, values in start.items()})
    for _ in range(5):
        world.step()
    muscles = MuscleMap(world.build, "bar").bind(world.arrays)
    mechanism = next(each for each in world.members("mechanisms") if each.name == "tets")
    B = muscles.columns().copy()
    lengths, arrays = muscles.relative_lengths(), world.arrays
    change = np.linspace(-0.02, 0.02, 12)
    for array in world.build.accumulating:
        arrays[array].fill(0)
    for entry, call in world.calls():
        if entry.name == "muscles.apply_changes":
            arrays["muscles.change"][:] = change
        call()
        if entry.name == "muscles.contract":
            expected = (muscles.held() - lengths) @ B
            assert np.allclose(
                arrays["tets.force"].ravel(), expected, rtol=0, atol=1e-9 * np.abs(expected).max()
            )
    kept = np.clip(muscles.held() + change, 0.5, 1.0) - muscles.held()
    assert np.allclose(arrays["tets.plan"].ravel(), 0.01 * kept @ B, rtol=0, atol=1e-12 * np.abs(B).max())
    assert np.allclose(arrays["muscles.asked.next"], muscles.held() + kept)
    out = np.zeros_like(B)
    mechanism.response(np.ascontiguousarray(0.01 * B), out)
    assert np.allclose(arrays["tets.v.next"].ravel(), arrays["tets.v_free"].ravel() + kept @ out, atol=1e-9)
    arrays.roll_back()
    world.restore({name: values.copy() for name, values in start.items()})


def test_rates_and_limits(tmp_path):
    file = tmp_path / "scene.toml"
    file.write_text(SCENE.replace("RATE", "3").replace("contraction = 0.2", "contraction = 0.9"))
    world = supple.load(file)
    last = world.arrays["muscles.asked"].copy()
    for _ in range(30):
        world.step()
        now = world.arrays["muscles.asked"].copy()
        assert np.abs(now - last).max() <= 0.03 + 1e-12
        assert now.min() >= 0.5
        assert now.max() <= 1.0
        last = now
    assert last[:3] == pytest.approx(0.5)
    assert last[3:6] == pytest.approx(1.0)  # nobody drives these
    audit_step(world)
    check_memory(world, 3)
    check_resume(file, steps=10, more=5)


@given(st.integers(0, 2**32 - 1), st.floats(0.001, 1.0))
@settings(max_examples=40, deadline=None)
def test_influences_of_a_group_sum_to_one(seed, spread):
    rng = np.random.default_rng(seed)
    groups = ["a", "a", "b", "a", "b"]
    shares = find_influence(rng.uniform(-1, 1, (30, 3)), *rng.uniform(-1, 1, (2, 5, 3)), groups, spread)
    for group in ("a", "b"):
        mine = [k for k, each in enumerate(groups) if each == group]
        assert shares[:, mine].sum(axis=1) == pytest.approx(1.0)
    assert shares.min() >= 0


@given(st.integers(2, 6), st.integers(1, 20), st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_a_polyline_is_cut_along_itself(corners, segments, seed):
    points = np.random.default_rng(seed).uniform(-1, 1, (corners, 3))
    cut = cut_evenly(points, segments)
    assert len(cut) == segments + 1
    assert cut[0] == pytest.approx(points[0])
    assert cut[-1] == pytest.approx(points[-1])


@pytest.mark.parametrize(
    ("letter", "layout", "count"),
    [("H", "stand", 52), ("I", "stand", 48), ("I", "crawl", 26), ("I", "jump", 104), ("F", "stand", 48),
     ("T", "stand", 96), ("O", "stand", 40), ("X", "stand", 112)],
)  # fmt: skip
def test_letters_have_their_muscles(tmp_path, letter, layout, count):
    """The segment counts of the examples, all within the mesh, at another size, too."""
    file = tmp_path / "scene.toml"
    file.write_text(
        f'format = 1\n[run]\nstep = 0.01\nduration = 1.0\n[[entity]]\nname = "body"\ntets = {{}}\nmuscles = {{}}\n'
        f'tet_letter = {{ letter = "{letter}", tets = 400, height = 0.7 }}\n'
        f'letter_muscles = {{ layout = "{layout}" }}\n'
    )
    assert len(supple.load(file).arrays["muscles.length"]) == count


@pytest.mark.parametrize(("letter", "branches"), [("I", 1), ("F", 2), ("T", 2), ("H", 3), ("X", 3)])
def test_fibres_along_the_middle_of_any_mesh(letter, branches):
    """As many branches as strokes ask for, fibres inside, and nearly as long as the body."""
    mesh = make_mesh(*make_letter(letter, 1000, None), "letter", trusted=True)
    chains = lay_out_axis(mesh, 4, 0.55, 8)
    assert len(chains) == 4 * branches
    for chain in chains:
        assert find_tet(mesh, chain.points)[1].min() > -1e-9
    if letter == "I":
        assert all(np.ptp(chain.points[:, 1]) > 0.7 * 0.975 for chain in chains)


def test_automatic_muscles_shorten_a_rod(tmp_path):
    file = tmp_path / "scene.toml"
    file.write_text(
        "format = 1\n[run]\nstep = 0.01\nduration = 1.0\ngravity = [0, 0, 0]\n[[entity]]\nname = 'rod'\n"
        "tet_rod = { radius = 0.1, length = 0.8, tets = 600 }\ntets = {}\naxis_muscles = {}\n"
        "muscles = { measure = true, spread = 0.06 }\nmuscle_drive = { drives = [{ contraction = 0.2 }] }\n"
    )
    world = supple.load(file)
    for _ in range(60):
        world.step()
    # Fibres fill the whole rod: 2 E of muscle against E of tissue.
    assert world.metrics()["rod.stretch"] == pytest.approx(-0.2 * 2 / 3, rel=0.15)
    assert world.metrics()["rod.bend"] < 5


CONTROLLER = '''
"""A controller that bends a bar towards x by choosing lengths in PLAN."""

import numpy as np

from supple import Phase, System, hookimpl
from supple_muscles.muscle_map import MuscleMap


class Lean(System):
    phase = Phase.PLAN
    adds = ("muscles.change",)

    def __init__(self, build):
        self.muscles = MuscleMap(build, "bar")
        self.mechanism = next(each for each in build.members("mechanisms") if each.name == "tets")
        self.reads = (*self.muscles.reads, *self.mechanism.reads, "tets.v_free", "tets.rest")

    def bind(self, arrays):
        muscles, h = self.muscles.bind(arrays), arrays.h
        v_free, change = arrays["tets.v_free"], arrays["muscles.change"]
        answer = np.zeros((muscles.count, v_free.size))
        top = 3 * np.argsort(arrays["tets.rest"][:, 1])[-9:]

        def lean():
            self.mechanism.response(h * muscles.columns(), answer)
            bounds = muscles.limits(h)
            gain = answer[:, top].mean(axis=1)
            wanted = 0.2 - v_free.reshape(-1)[top].mean()
            chosen = muscles.held() + gain * wanted / (gain @ gain + 1e-6)
            change[muscles.segments] += np.clip(chosen, *bounds) - muscles.held()

        return lean



@hookimpl
def supple_register(registry):
    registry.add_system("lean.choose", Lean, when=["muscles"])
'''


def test_a_controller_chooses_lengths_in_plan(tmp_path):
    """As the README tells: it needs no more than the map, the response and v_free, and a resume repeats it."""
    file, plugin = tmp_path / "scene.toml", tmp_path / "lean.py"
    plugin.write_text(CONTROLLER)
    text = SCENE.replace("RATE", "5").replace(", axis = [1, 1, 0], angle = 50", "")
    file.write_text(text[: text.index("[entity.muscle_drive]")])
    world = supple.load(file, plugins=[plugin])
    for _ in range(10):
        world.step()
    assert world.arrays["muscles.asked"].min() < 0.95
    top = world.arrays["tets.rest"][:, 1] > 1.29
    assert world.arrays["tets.v"][top, 0].mean() > 0.05
    audit_step(world)
    check_memory(world, 3)
    check_resume(file, steps=5, more=3, plugins=[plugin])


@pytest.mark.parametrize("scheme", ["euler", "midpoint"])
def test_work_of_muscles_and_damping_is_in_the_books(tmp_path, scheme):
    """A bar writhes by its muscles in flight and on the floor: what no work explains goes faster than the step."""
    scene = SCENE.replace("RATE", "5").replace("5e5", f'5e5, drag = 0.2, scheme = "{scheme}"')
    floor = '[[entity]]\nname = "floor"\nplane = {}\n'
    fallen = scene.replace("gravity = [0, 0, 0]\n", "").replace("[0.3, 1, 0]", "[0, 0.4, 0]") + floor
    file, left = tmp_path / "scene.toml", []
    for text, step in ((scene, 0.008), (scene, 0.004), (scene, 0.002), (fallen, 0.004)):
        file.write_text(text)
        world = supple.load(file, overrides={"run.step": step})
        world.step(round(0.4 / step))
        energy = world.metrics()
        assert energy["run.applied_work"] > 50.0
        assert energy["run.numerical_loss"] > 0.0 or scheme == "midpoint"
        left.append(abs(energy["run.energy_unaccounted"]) / energy["run.applied_work"])
    assert left[0] < 0.02
    assert left[2] < 0.35 * left[1] < 0.35 * 0.5 * left[0]
    assert left[3] < 0.005
