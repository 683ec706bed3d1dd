"""What spins fast keeps momentum and energy: bodies, bones, trees; and tops precess."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supple.math.matrix_kernels import diagonalise
from supple.math.spin_kernels import find_middle_spin

LONE = (0.00833, 0.0077, 0.00104)


def begin(h: float, gravity: float = 0.0) -> str:
    return f"format = 1\n[run]\nstep = {h}\nduration = 100.0\ngravity = [0, {-gravity}, 0]\n"


def bone(path: str, more: str, position=(0.0, 0.0, 0.0)) -> str:
    return f'[[entity]]\nname = "{path}"\npose = {{ position = {list(position)} }}\nbone = {{ {more} }}\n'


def lone(h: float, spin, centre=(0.0, 0.0, 0.0)) -> str:
    rate = [0.3, 0.1, 0.0, *spin]
    more = f'joint = "free", mass = 1, centre = {list(centre)}, inertia = {list(LONE)}, rate = {rate}'
    return f'{begin(h)}[[entity]]\nname = "t"\nskeleton = {{}}\n{bone("t/a", more)}'


def tree(h: float, speed: float, joint: str, stiffness: float) -> str:
    """A trunk with two limbs, one on the other."""
    spin = [0.0, 0.0, 0.0, 0.1 * speed, speed, 0.1 * speed]
    limb = f'joint = "{joint}", axis = [0, 0.6, 0.8], mass = 0.1, inertia = [2e-5, 9e-5, 9e-5], stiffness = {stiffness}'
    return (
        f'{begin(h)}[[entity]]\nname = "t"\nskeleton = {{}}\n'
        + bone("t/a", f'joint = "free", mass = 0.5, inertia = [4e-4, 5e-4, 6e-4], rate = {spin}')
        + bone("t/a/b", f"{limb}, centre = [0.04, 0, 0]", (0.05, 0.0, 0.0))
        + bone("t/a/b/c", f"{limb}, centre = [0.03, 0.005, 0]", (0.08, 0.0, 0.0))
    )


def watch(world, path: str, steps: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Energies after every step; momenta (linear, angular about the centre) before and after."""
    dynamics = world.dynamics(path)
    before = dynamics.fill_whole()[3:9].copy()
    energies = [dynamics.kinetic_energy()]
    for _ in range(steps):
        world.step()
        energies.append(world.array("energy.kinetic")[0] + world.array("energy.potential")[0])
    return np.array(energies), before, dynamics.fill_whole()[3:9].copy()


@pytest.mark.parametrize("speed", [10.0, 120.0, 250.0, 500.0])
@pytest.mark.parametrize("centre", [(0.0, 0.0, 0.0), (0.05, 0.1, 0.0)])
def test_a_free_bone_keeps_energy_and_momenta(load_text, speed, centre) -> None:
    world = load_text(lone(0.004, (0.1 * speed, speed, 0.1 * speed), centre))
    energies, before, after = watch(world, "t", 500)
    assert np.abs(energies / energies[0] - 1).max() < 1e-11
    assert np.abs(after[3:] - before[3:]).max() < 1e-12 * np.linalg.norm(before[3:])
    assert np.abs(after[:3] - before[:3]).max() < 1e-12 * np.linalg.norm(before[:3])


@pytest.mark.parametrize("speed", [120.0, 500.0])
def test_a_free_body_keeps_energy_and_momenta(load_text, speed) -> None:
    text = f"""{begin(0.004)}[[entity]]
    name = "t"
    box = {{ size = [0.05, 0.1, 0.3] }}
    body = {{ mass = 1, spin = [{0.01 * speed}, {speed}, {0.02 * speed}] }}
    """
    energies, before, after = watch(load_text(text), "t", 500)
    assert np.abs(energies / energies[0] - 1).max() < 1e-11
    assert np.abs(after[3:] - before[3:]).max() < 1e-12 * np.linalg.norm(before[3:])


@pytest.mark.parametrize("joint", ["ball", "hinge"])
@pytest.mark.parametrize("speed", [30.0, 120.0, 500.0])
def test_a_loose_tree_keeps_energy_and_momenta(load_text, joint, speed) -> None:
    energies, before, after = watch(load_text(tree(0.004, speed, joint, 0.0)), "t", 400)
    assert np.abs(energies / energies[0] - 1).max() < 1e-10
    assert np.abs(after[3:] - before[3:]).max() < 1e-12 * np.linalg.norm(before[3:])


@pytest.mark.parametrize("stiffness", [20.0, 1000.0, 1e5])
@pytest.mark.parametrize("speed", [30.0, 250.0])
def test_a_sprung_tree_never_gains(load_text, stiffness, speed) -> None:
    energies, before, after = watch(load_text(tree(0.004, speed, "ball", stiffness)), "t", 400)
    assert energies.max() <= energies[0] * (1 + 1e-6)
    assert energies.min() > 0.9 * energies[0]
    assert np.abs(after[3:] - before[3:]).max() < 1e-12 * np.linalg.norm(before[3:])


def test_a_bone_turns_as_the_same_body(load_text) -> None:
    spin = [1.2, 120.0, 2.4]
    body = f"""{begin(0.004)}[[entity]]
    name = "t"
    box = {{ size = [0.05, 0.1, 0.3] }}
    body = {{ mass = 1, spin = {spin} }}
    """
    inertia = load_text(body).array("rigid.inertia")[0].diagonal().tolist()
    more = f'joint = "free", mass = 1, inertia = {inertia}, rate = {[0, 0, 0, *spin]}'
    one = load_text(body)
    other = load_text(f'{begin(0.004)}[[entity]]\nname = "t"\nskeleton = {{}}\n{bone("t/a", more)}')
    one.step(100)
    other.step(100)
    np.testing.assert_allclose(other["t/a"].rotation, one["t"].rotation, atol=1e-9)


def top(h: float, as_bone: bool) -> tuple[str, str]:
    """A plate on a rod of 0.2 m that spins at 100 rad/s, held by a ball joint at its end; and what to look at."""
    if as_bone:
        inertia = [0.015, 0.0925 / 12, 0.0925 / 12]
        more = f'joint = "ball", mass = 1, centre = [0.2, 0, 0], inertia = {inertia}, rate = [100, 0, 0]'
        tip = bone("t/a/m", 'joint = "fixed", mass = 1e-9, inertia = [1e-12, 1e-12, 1e-12]', (0.2, 0.0, 0.0))
        return f'{begin(h, 9.81)}[[entity]]\nname = "t"\nskeleton = {{}}\n{bone("t/a", more)}{tip}', "t/a/m"
    return (
        f"""{begin(h, 9.81)}[[entity]]
    name = "t"
    pose = {{ position = [0.2, 0, 0] }}
    box = {{ size = [0.05, 0.3, 0.3] }}
    body = {{ mass = 1, spin = [100, 0, 0] }}
    [[entity]]
    name = "j"
    joint = {{ kind = "ball", between = ["t"] }}
    """,
        "t",
    )


def follow_heavy_top(duration: float, steps: int) -> tuple[np.ndarray, float]:
    """The same top by the method of Runge and Kutta on its angular momentum: where it ends, how low it was."""
    along, across, h = 0.015, 0.0925 / 12 + 0.04, duration / steps

    def rates(e, momentum):
        spin = momentum / across + (1 / along - 1 / across) * (momentum @ e) * e
        return np.cross(spin, e), np.cross(0.2 * e, [0, -9.81, 0])

    e, lowest = np.array([1.0, 0.0, 0.0]), 0.0
    momentum = 1.5 * e
    for _ in range(steps):
        a, b = rates(e, momentum)
        c, d = rates(e + h / 2 * a, momentum + h / 2 * b)
        f, g = rates(e + h / 2 * c, momentum + h / 2 * d)
        p, q = rates(e + h * f, momentum + h * g)
        e, momentum = e + h / 6 * (a + 2 * c + 2 * f + p), momentum + h / 6 * (b + 2 * d + 2 * g + q)
        lowest = min(lowest, 0.2 * e[1])
    return 0.2 * e, lowest


@pytest.mark.parametrize("as_bone", [False, True])
def test_a_top_precesses_to_second_order(load_text, as_bone) -> None:
    expected, depth = follow_heavy_top(1.0, 10000)
    errors = []
    for h in (0.004, 0.002):
        text, path = top(h, as_bone)
        world, lowest = load_text(text), 0.0
        for _ in range(round(1.0 / h)):
            world.step()
            lowest = min(lowest, world[path].position[1])
        assert lowest == pytest.approx(depth, abs=0.001), "17 mm"
        errors.append(np.linalg.norm(world[path].position - expected))
    assert errors[0] < 0.01
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)


def test_a_fast_tree_lands(load_text) -> None:
    text = tree(0.004, 60.0, "ball", 0.0).replace("gravity = [0, -0.0, 0]", "gravity = [0, -9.81, 0]")
    text = text.replace('name = "t"', 'name = "t"\npose = { position = [0, 0.5, 0] }', 1)
    for path in ("t/a", "t/a/b", "t/a/b/c"):
        text += f'[[entity]]\nname = "{path}/s"\nsphere = {{ radius = 0.03 }}\n'
    world = load_text(text + '[[entity]]\nname = "floor"\nplane = { friction = 0.5 }\n')
    start = world.dynamics("t").kinetic_energy() + world.dynamics("t").potential_energy()
    for _ in range(500):
        world.step()
        energy = world.array("energy.kinetic")[0] + world.array("energy.potential")[0]
        assert energy < 1.02 * start
    assert world.metrics()["run.penetration_worst"] < 0.01
    assert world.metrics()["run.unsolved_steps"] == 0


numbers = st.floats(-1.0, 1.0)


@settings(max_examples=100, deadline=None)
@given(
    st.tuples(numbers, numbers, numbers),
    st.tuples(*[st.floats(0.1, 1.0)] * 3),
    st.floats(0.05, 2.0),
)
def test_the_middle_of_a_free_turn_keeps_energy(direction, lengths, turn) -> None:
    size = np.linalg.norm(direction)
    if size < 1e-3:
        return
    square = np.array(lengths) ** 2
    inertia = np.diag(square.sum() - square)
    w = np.array(direction) / size * turn
    mx, my, mz, k = find_middle_spin(1.0, inertia, *w, np.zeros((3, 3)))
    m = np.array([mx, my, mz])
    after = 2 * m - w
    residual = inertia @ (after - w) + k * np.cross(m, inertia @ m)
    assert np.abs(residual).max() < 1e-11
    assert after @ inertia @ after == pytest.approx(w @ inertia @ w, rel=1e-10)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(-1e3, 1e3), min_size=6, max_size=6))
def test_axes_of_symmetric_matrices(entries) -> None:
    matrix = np.zeros((3, 3))
    matrix[np.triu_indices(3)] = entries
    matrix = matrix + matrix.T
    values, vectors = matrix.copy(), np.zeros((3, 3))
    diagonalise(values, vectors)
    scale = max(1e-300, np.abs(matrix).max())
    np.testing.assert_allclose(vectors @ np.diag(values.diagonal()) @ vectors.T, matrix, atol=1e-13 * scale)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(3), atol=1e-13)
