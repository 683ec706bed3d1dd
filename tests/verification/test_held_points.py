"""Springs, joints, grasps and pushes that hold a point of something that bends: flesh, or a skin."""

from __future__ import annotations

import numpy as np
import pytest

from flesh_worlds import follow_bones
from supple.errors import UserError
from supple.mechanics.points import make_points
from supple.mechanics.rows import COMPLIANT
from supple.testing import audit_step
from supple_flesh.shapes import make_box_surface

RUN = "format = 1\n[run]\nstep = 0.002\nduration = 2.0\ngravity = [0, {g}, 0]\n"
BEAM = """
[[entity]]
name = "beam"
fleshed_box = {{ size = [0.4, 0.1, 0.1], cells = 4, mass = 2.0, stiffness = 4000.0, damping = 20.0, {more} }}
"""
CRATE = """
[[entity]]
name = "crate"
pose = {{ position = {at} }}
box = {{ size = [0.05, 0.05, 0.05] }}
body = {{ mass = 0.5 }}
"""
FIXED = """
[[entity]]
name = "wall"
joint = { kind = "fixed", between = ["beam/frame/core"] }
"""


def beam(g=0.0, at="[0.03, -0.3, 0.01]", more="rings = 0", rest="") -> str:
    return RUN.format(g=g) + BEAM.format(more=more) + CRATE.format(at=at) + rest


def tie(what: str) -> str:
    return f'\n[[entity]]\nname = "tie"\n{what}\n'


def surface_of(world):
    return next(each for each in world.members("surfaces") if hasattr(each, "rest"))


def test_a_spring_draws_a_soft_beam_and_not_the_world(load_text) -> None:
    world = load_text(beam(rest=tie('spring = { between = ["crate", "beam"], stiffness = 50, rest = 0.1 }')))
    start = world.array("flesh.position").copy()
    world.step(50)
    moved = (world.array("flesh.position") - start).mean(axis=0)
    fell = world["crate"].position - [0.03, -0.3, 0.01]
    assert moved[1] < -1e-3
    assert fell[1] > 1e-3
    # No gravity: the centre of mass stays. Of the beam, 0.4 kg of 2 kg is flesh.
    core = world.array("skeleton.x")[0]
    flesh = world.array("flesh.mass") @ world.array("flesh.position")
    np.testing.assert_allclose(1.6 * core + flesh + 0.5 * fell, 0.0, atol=1e-5)


def test_a_crate_hangs_on_a_vertex_by_the_closed_form_of_springs(load_text) -> None:
    """Below a corner of the mesh: stretch = m g / k, and the vertex gives way by the stiffness of what is active."""
    world = load_text(
        beam(
            g=-9.81, at="[0.0, -0.2, 0.0]",
            rest=FIXED + tie('spring = { between = ["crate", "beam"], stiffness = 400, damping = 10 }'),
        )
    )  # fmt: skip
    world.step(2000)
    tension = 0.5 * 9.81
    assert world.metrics()["tie.tension"] == pytest.approx(tension, rel=1e-6)
    assert world.metrics()["tie.stretch"] == pytest.approx(tension / 400, rel=1e-6)
    element, weights = world.array("joints.held_element"), world.array("joints.held_weights")[1, 1]
    assert element[:, 0].tolist() == [-1, -1], "neither the bone nor the crate bends"
    held = int(surface_of(world).triangles[element[1, 1]][weights.argmax()])
    assert weights.max() == pytest.approx(1.0)
    mask = world.array("flesh.mask") != 0
    assert mask.sum() == 3, "the corners of the triangle, and with rings = 0 no more"
    active = np.flatnonzero(mask).tolist()
    K, force = np.zeros((3, 3)), np.zeros(3)
    first, neighbour, edge = (
        world.array(f"flesh.{name}") for name in ("first", "neighbour", "edge_stiffness")
    )
    for row, i in enumerate(active):
        K[row, row] = world.array("flesh.vertex_stiffness")[i] + edge[first[i] : first[i + 1]].sum()
        for e in range(first[i], first[i + 1]):
            if neighbour[e] in active:
                K[row, active.index(neighbour[e])] -= edge[e]
        force[row] = -9.81 * world.array("flesh.mass")[i] - tension * (i == held)
    sag = (world.array("flesh.x") - world.array("flesh.rest"))[active, 1]
    np.testing.assert_allclose(sag, np.linalg.solve(K, force), rtol=1e-5)


@pytest.mark.parametrize("more", ["rings = 1", 'state = "rigid"', 'state = "soft"'])
def test_rows_are_the_velocity_of_the_held_point(load_text, more) -> None:
    """A spring towards a point has one row for every axis: u = velocity of the crate less that of the point."""
    rng = np.random.default_rng(3)
    tied = tie('spring = { between = ["crate", "beam"], stiffness = 300, rest = 0 }')
    world = load_text(beam(at="[0.07, -0.2, 0.03]", more=more, rest=tied))
    world.step(20)
    world.arrays["rigid.v"][:] = rng.normal(size=world.array("rigid.v").shape)
    world.arrays["skeleton.v"][:] = rng.normal(size=world.array("skeleton.v").shape)
    world.arrays["flesh.v"][:] = (
        rng.normal(size=world.array("flesh.v").shape) * (world.array("flesh.active") != 0)[:, None]
    )
    follow_bones(world)
    world.compute_step()
    problem, surface = world.arrays.records["rows.problem"], surface_of(world)
    tied = problem.law[: problem.count] == COMPLIANT
    assert tied.sum() == 3
    weights = world.array("joints.held_weights")[0, 1]
    corners = surface.triangles[world.array("joints.held_element")[0, 1]]
    point = weights @ world.array(surface.velocities)[corners]
    crate = world.array("rigid.v")[0, :3]
    np.testing.assert_allclose(problem.u_now[: problem.count][tied, 0], crate - point, atol=1e-12)


def test_any_points_of_flesh_make_the_rows_of_their_velocities(load_text) -> None:
    rng = np.random.default_rng(5)
    world = load_text(beam(more='state = "soft"'))
    world.arrays["skeleton.v"][:] = rng.normal(size=world.array("skeleton.v").shape)
    world.arrays["flesh.v"][:] = rng.normal(size=world.array("flesh.v").shape)
    follow_bones(world)
    world.compute_step()
    surface, count = surface_of(world), 40
    points = make_points(count)
    points.span[1] = count
    points.group[:] = np.arange(count)
    points.element[:] = rng.integers(0, len(surface.triangles), count)
    points.weights[:] = rng.dirichlet(np.ones(3), count)
    points.sign[:] = rng.choice([-1.0, 1.0], count)
    points.directions[:] = np.linalg.qr(rng.normal(size=(count, 3, 3)))[0]
    for mechanism in world.members("mechanisms"):
        mechanism.jacobian.clear()
    surface.add_rows(points)
    u = np.zeros((count, 3))
    for mechanism in world.members("mechanisms"):
        mechanism.jacobian.add_row_velocities(world.array(mechanism.v).reshape(-1), u)
    corners = world.array(surface.velocities)[surface.triangles[points.element]]
    velocity = np.einsum("pk,pki->pi", points.weights, corners)
    expected = points.sign[:, None] * np.einsum("prk,pk->pr", points.directions, velocity)
    np.testing.assert_allclose(u, expected, atol=1e-12)


def test_a_ball_joint_holds_flesh_where_the_joint_stands(load_text) -> None:
    joint = '[[entity]]\nname = "nail"\npose = { position = [0.2, 0.02, 0.02] }\n'
    joint += 'joint = { kind = "ball", between = ["beam"] }\n'
    world = load_text(beam(g=-9.81, more="rings = 1", at="[0.5, -2, 0]", rest=joint))
    audit_step(world)
    world.step(130)
    assert world.metrics()["nail.error"] < 2e-4
    surface = surface_of(world)
    element, weights = world.array("joints.held_element")[0, 0], world.array("joints.held_weights")[0, 0]
    point = weights @ world.array("flesh.position")[surface.triangles[element]]
    np.testing.assert_allclose(point, [0.2, 0.02, 0.02], atol=2e-4)
    assert world["beam/frame/core"].position[1] < -0.05, "it swings about the nail"


GRASP = """
[[event]]
name = "pick"
at = 0.1
grasp = {{ hand = "{hand}", object = "{object}", duration = 0.2 }}
"""


def test_a_hand_takes_the_nearest_point_of_flesh_when_it_closes(load_text) -> None:
    world = load_text(beam(at="[0.1, 0.09, 0]", rest=GRASP.format(hand="crate", object="beam")))
    world.step(49)
    assert world.array("joints.held_element")[0].tolist() == [-1, -1]
    assert not world["pick"].closed
    world.arrays["rigid.v"][0, 1] = 0.5
    world.step(2)
    weights, element = world.array("joints.held_weights")[0, 0], world.array("joints.held_element")[0, 0]
    point = weights @ world.array("flesh.position")[surface_of(world).triangles[element]]
    np.testing.assert_allclose(point, [0.1, 0.05, 0.0], atol=2e-3)
    world.step(60)
    assert world["pick"].error < 1e-4
    assert world["beam/frame/core"].position[1] > 1e-3, "the beam goes with the hand"
    world.step(60)
    assert world.array("joints.held_element")[0].tolist() == [-1, -1]


def test_a_hand_of_flesh_takes_an_object_where_they_are_nearest(load_text) -> None:
    world = load_text(beam(at="[0.1, 0.085, 0]", rest=GRASP.format(hand="beam", object="crate")))
    world.step(50)
    world.arrays["rigid.v"][0, 1] = 0.5
    before = world.array("flesh.position")[:, 1].mean()
    world.step(60)
    assert world["pick"].error < 1e-4
    assert world.array("flesh.position")[:, 1].mean() > before + 1e-3
    np.testing.assert_allclose(world.array("joints.anchor_x")[0, 0], [0, -0.035, 0], atol=3e-3)


def test_a_push_on_flesh_gives_the_impulse_that_it_says(load_text) -> None:
    push = '\n[[event]]\nname = "poke"\nat = 0.0213\n'
    push += 'push = { on = "beam", force = [0, -30, 0], duration = 0.0407, point = [0, 0.05, 0] }\n'
    world = load_text(beam(more="rings = 1", rest=push))
    audit_step(world)
    assert not world.array("flesh.active").any()
    world.step(20)
    assert world.array("flesh.active").any()
    world.step(100)
    h, now = 0.002, world.array("flesh.position").copy()
    core = world.array("skeleton.x")[0].copy()
    world.step()
    masses = world.array("flesh.mass")
    moved = masses @ (world.array("flesh.position") - now) + 1.6 * (world.array("skeleton.x")[0] - core)
    np.testing.assert_allclose(moved / h, 0.0407 * np.array([0, -30, 0]), rtol=1e-6, atol=1e-6)


def test_a_held_scene_resumes_and_is_audited(load_text) -> None:
    text = beam(g=-9.81, more="rings = 1", rest=FIXED + GRASP.format(hand="crate", object="beam"))
    text += tie('spring = { between = ["crate", "beam"], stiffness = 100 }')
    world = load_text(text)
    world.step(70)
    kept = world.snapshot()
    audit_step(world)
    world.step(20)
    last = world.snapshot()
    other = load_text(text)
    other.restore(kept)
    other.step(21)
    for name, values in other.snapshot().items():
        np.testing.assert_array_equal(values, last[name], err_msg=name)


VERTICES, TRIANGLES = make_box_surface((0.1, 0.1, 0.1), 2)
GHOST = f"""
[[entity]]
name = "g"
ghost = {{ sliding_stiffness = 300.0, recovery = 0.01 }}
[entity.skin]
vertices = {[list(vertex) for vertex in VERTICES]}
triangles = {[list(triangle) for triangle in TRIANGLES]}
weights = {[[1.0]] * len(VERTICES)}
[[entity]]
name = "g/bone"
bone = {{ joint = "translation" }}
"""


def test_a_spring_moves_a_skin_by_the_closed_form(load_text) -> None:
    """Two springs in a row: k (d - x) = K x."""
    spring = '[[entity]]\nname = "tie"\npose = { position = [0.25, 0, 0] }\n'
    spring += 'spring = { between = ["g"], stiffness = 100, rest = 0 }\n'
    world = load_text(RUN.format(g=0) + GHOST + spring)
    audit_step(world)
    world.step(400)
    np.testing.assert_allclose(world.array("joints.x")[0, 0], [0.05 + 0.2 * 100 / 400, 0, 0], atol=1e-6)
    np.testing.assert_allclose(world.array("ghost.q"), [0.05, 0, 0], atol=1e-6)


def test_a_push_moves_a_skin_by_the_closed_form(load_text) -> None:
    push = '\n[[event]]\nname = "poke"\nat = 0\n'
    push += 'push = { on = "g", force = [0, 3, -6], duration = 5, point = [0.05, 0, 0] }\n'
    world = load_text(RUN.format(g=0) + GHOST + push)
    audit_step(world)
    world.step(400)
    np.testing.assert_allclose(world.array("ghost.q"), [0, 3 / 300, -6 / 300], atol=1e-6)


SKELETON = """
[[entity]]
name = "arm"
skeleton = {}
[[entity]]
name = "arm/upper"
bone = { joint = "hinge", mass = 1.0, centre = [0, 0, 0], inertia = [0.1, 0.1, 0.1] }
"""
TWO = BEAM.format(more="").replace('"beam"', '"pair/one"') + BEAM.format(more="").replace(
    '"beam"', '"pair/two"'
)
REFUSED = [
    (tie('joint = { kind = "hinge", between = ["beam"] }'), "tie.joint", "'beam' bends", "kind = 'ball'"),
    (tie('joint = { kind = "fixed", between = ["crate", "beam"] }'), "tie.joint", "fixed joint", "kind = 'ball'"),
    (SKELETON + tie('spring = { between = ["crate", "arm"], stiffness = 1 }'), "tie.spring", "'arm' (skeleton)",
     "arm/upper"),
    ('[[entity]]\nname = "pair"\n' + TWO + tie('spring = { between = ["crate", "pair"], stiffness = 1 }'),
     "tie.spring", "several surfaces", "'pair/one/frame', 'pair/two/frame'"),
    ('[[entity]]\nname = "pair"\n' + TWO + GRASP.format(hand="pair/one", object="beam"),
     "pick.grasp", "both bend", "by a spring"),
    (SKELETON + '[[event]]\nname = "poke"\nat = 0\npush = { on = "arm", force = [1, 0, 0], duration = 1 }\n',
     "poke.push.on", "move each by itself", "arm/upper"),
    (tie('joint = { kind = "ball", between = ["crate", "beam"] }\n'
         "pliant = { stiffness = 1, damping = 1, keys = [[0, 0, 0, 0]] }"),
     "tie.pliant", "cannot be turned", "two rigid things"),
]  # fmt: skip


@pytest.mark.parametrize(("scene", "place", "what", "remedy"), REFUSED)
def test_what_cannot_be_held_is_refused_with_the_reason(load_text, scene, place, what, remedy) -> None:
    with pytest.raises(UserError) as caught:
        load_text(beam(rest=scene))
    message = str(caught.value)
    for part in (place, what, remedy):
        assert part in message, message
