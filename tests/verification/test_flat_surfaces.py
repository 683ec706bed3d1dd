"""Soft surfaces that lie flat on each other: few contacts at rest, and nothing passes between their edges in a blow."""

import itertools

import numpy as np
import pytest

import supple
from supple.testing import check_resume
from supple_collide.pairs.pressed_kernels import list_pressed, mark_pressed, unmark_pressed

RUN = "format = 1\n[run]\nstep = 0.004\nduration = 1.0\n[run.capacity]\ncontacts = 2000\n"
FLOOR = '[[entity]]\nname = "floor"\nplane = {}\n'
BLOCK = """
[[entity]]
name = "{}"
pose = {{ position = {}, axis = [0, 1, 0], angle = {} }}
tet_block = {{ size = {}, cells = {} }}
tets = {{ stiffness = 1e5 }}
"""
EDGE_ON_EDGE = (1 << 28) | (1 << 58)
KINDS = (3 << 28) | (3 << 58)


def write(height, turn=23.0):
    """A block `height` above another one."""
    low = BLOCK.format("low", [0, 0.1, 0], 0.0, [0.5, 0.2, 0.4], [6, 2, 5])
    return (
        RUN + FLOOR + low + BLOCK.format("high", [0.02, 0.3 + height, 0.01], turn, [0.3, 0.2, 0.3], [4, 2, 4])
    )


@pytest.fixture
def load(tmp_path):
    def make(text):
        (tmp_path / "scene.toml").write_text(text)
        return supple.load(tmp_path / "scene.toml")

    make.path = tmp_path / "scene.toml"
    return make


def list_edges(triangles):
    return np.unique(
        np.sort(np.concatenate([triangles[:, [i, (i + 1) % 3]] for i in range(3)]), axis=1), axis=0
    )


def find_least_gap(world):
    """The least height of the upper block's edges above those of the lower one that they cross, seen from above."""
    x, triangles, mesh = (world.array(f"mesh.{name}") for name in ("x", "triangles", "of_triangle"))
    a, b, c = (x[triangles[:, i]] for i in range(3))
    normal = np.cross(b - a, c - a)
    level = normal[:, 1] / np.linalg.norm(normal, axis=1)
    faces = [triangles[(mesh == number) & (sign * level > 0.9)] for number, sign in ((0, -1), (1, 1))]
    (p, u), (q, v) = ((x[e[:, 0]], x[e[:, 1]] - x[e[:, 0]]) for e in map(list_edges, faces))
    p, u, q, v = p[:, None], u[:, None], q[None], v[None]
    w = q - p
    with np.errstate(all="ignore"):
        turn = u[..., 0] * v[..., 2] - u[..., 2] * v[..., 0]
        s = (w[..., 0] * v[..., 2] - w[..., 2] * v[..., 0]) / turn
        r = (w[..., 0] * u[..., 2] - w[..., 2] * u[..., 0]) / turn
        cross = (np.abs(turn) > 1e-9) & (abs(s - 0.5) < 0.5 - 1e-6) & (abs(r - 0.5) < 0.5 - 1e-6)
        gap = p[..., 1] + s * u[..., 1] - q[..., 1] - r * v[..., 1]
    return gap[cross].min()


def test_edges_do_not_pass_through_each_other_in_a_blow(load):
    """Without flat edges those of this block overlap by 3 mm, cells being 7.5 cm long."""
    world, least = load(write(0.5)), np.inf
    assert next(each.path for each in world.members("surfaces") if hasattr(each, "triangles")) == "high"
    for _ in range(150):
        world.step()
        least = min(least, find_least_gap(world))
    assert least > -2e-5


def test_at_rest_flat_edges_count_that_bear_force(load):
    world = load(write(0.001))
    for _ in range(400):
        world.step()
    assert np.abs(world.array("tets.v")).max() < 1e-6
    assert find_least_gap(world) > -1e-6
    count = world.array("contacts.count")[0]
    key, force = world.array("contacts.key")[:count, 1], world.array("contacts.force")[:count]
    edges = key & KINDS == EDGE_ON_EDGE
    bears = np.linalg.norm(force, axis=1) > 0
    assert (edges & bears).sum() > 5
    # Others stick out, or border on edges that bear force.
    assert edges.sum() < 0.5 * count


def test_what_bore_force_is_remembered(load):
    load(write(0.001))
    check_resume(load.path, steps=60, more=10)


def test_marks_of_edges_are_taken_away_again():
    """Numbers that no edge has, as a damaged checkpoint may hold, mark nothing."""
    pressed, marks = np.array([0, 5, 7, 7, -1, 30, 2**40]), np.zeros(4, np.int64)
    mark_pressed(np.array([7]), pressed, marks)
    assert marks.tolist() == [8, 32, 16, 0]
    unmark_pressed(np.array([7]), pressed, marks)
    assert not marks.any()


@pytest.mark.parametrize(("first", "second", "bears"), [*itertools.product((1, 2), (1, 2), (True, False))])
def test_only_edges_that_bear_force_are_listed(first, second, bears):
    """Of contacts of edges with edges; triangle 0 is of a surface that bends, triangle 1 of a rigid one."""
    table = np.zeros((2, 8), np.int64)
    table[0, 4] = 1
    key = np.array([[0, (first << 58) | (1 << 30) | (second << 28) | 2]])
    contacts = (np.array([1]), key, np.array([[0.0, 1.0, 0.0]]))
    force, count, pressed = (
        np.array([[1.0, 2.0 if bears else 0.0, 0.0]]),
        np.zeros(1, np.int64),
        np.zeros(2, np.int64),
    )
    list_pressed(contacts, force, table, np.array([0, 1]), count, pressed)
    assert count[0] == (2 if first == second == 1 and bears else 0)
    assert pressed[: count[0]].tolist() == [1, 2][: count[0]]
    key[0, 1] = (1 << 58) | (1 << 30) | (1 << 28) | 3
    list_pressed(contacts, force, table, np.array([0, 1]), count, pressed)
    assert count[0] == 0
