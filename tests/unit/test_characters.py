"""Characters: their masses are those of the tables, their joints as many as said, and they hold themselves up."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import supple
from supple.core.entity import SceneGraph
from supple.errors import UserError
from supple.plugin import load_plugins
from supple.scene.load import read_scene
from supple_characters.components import Arm, Figure, Hand, Leg, UpperBody
from supple_characters.coverings import _turn_to, wrap_plan
from supple_characters.hand_plan import FINGERS, HAND_LENGTH, HAND_MASS
from supple_characters.plan import BonePlan, Joint, add_masses, mirror_plan, scale_plan, split_mass
from supple_characters.segments import BODY_MASS, PAIRED, SEGMENTS, segment_mass
from supple_characters.springs import GRAVITY, fit_springs

RATES = {"fixed": 0, "hinge": 1, "universal": 2, "ball": 3, "translation": 3, "free": 6}


def count_rates(bones: tuple[BonePlan, ...]) -> int:
    return sum(RATES[bone.joint.kind] for bone in bones)


def total_mass(bones: tuple[BonePlan, ...]) -> float:
    return sum(bone.mass.mass for bone in bones if bone.mass)


def write_scene(folder: Path, entity: str, rest: str = "", run: str = "") -> Path:
    file = folder / "scene.toml"
    text = (
        f'format = 1\n[run]\nstep = 0.004\nduration = 1.0\n{run}\n[[entity]]\nname = "it"\n{entity}\n{rest}'
    )
    file.write_text(text, encoding="utf-8")
    return file


def read_graph(folder: Path, entity: str) -> SceneGraph:
    return read_scene(write_scene(folder, entity), load_plugins()).blueprint().graph


def test_parts_of_the_body_make_a_whole() -> None:
    once = sum(segment.part for segment in SEGMENTS.values())
    twice = sum(SEGMENTS[name].part for name in PAIRED)
    assert once + twice == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize(
    ("character", "parts"),
    [
        (Figure(), 1.0),
        (UpperBody(), 0.0694 + 0.1596 + 0.1633 + 0.1117 + 2 * (0.0271 + 0.0162 + 0.0061)),
        (Arm(), 0.0271 + 0.0162 + 0.0061),
        (Leg(), 0.1416 + 0.0433 + 0.0137),
    ],
)
def test_masses_are_those_of_the_table(character, parts) -> None:
    assert total_mass(character.plan().bones) == pytest.approx(parts * BODY_MASS, rel=1e-12)


def test_hand_has_the_mass_of_the_table_and_the_length_of_a_hand() -> None:
    plan = Hand().plan()
    assert total_mass(plan.bones) == pytest.approx(HAND_MASS)
    surface = wrap_plan(plan, 1500)
    assert surface.vertices[:, 2].max() == pytest.approx(HAND_LENGTH, abs=0.003)


def test_forearm_in_two_parts_is_the_forearm_of_the_table() -> None:
    bones = {bone.path.rpartition("/")[2]: bone for bone in Arm(side="left").plan().bones}
    both = add_masses([bones["forearm"].mass, bones["twist"].mass])
    whole = segment_mass("forearm", bones["forearm"].origin, bones["hand"].origin, (-1.0, 0.0, 0.0))
    assert both.mass == pytest.approx(whole.mass)
    assert both.centre == pytest.approx(whole.centre)
    assert both.inertia == pytest.approx(whole.inertia, abs=1e-12)


def test_split_masses_add_up_again() -> None:
    whole = segment_mass("foot", (0, 0.03, -0.08), (0.01, 0.03, 0.17), (0, 1, 0))
    both = add_masses(split_mass(whole, 0.3, (0.01, -0.02, 0.05)))
    assert both.mass == pytest.approx(whole.mass)
    assert both.centre == pytest.approx(whole.centre)
    assert both.inertia == pytest.approx(whole.inertia, abs=1e-12)


@pytest.mark.parametrize("character", [Hand(), Arm(), Leg(), UpperBody(), Figure()], ids=lambda c: c.kind)
def test_every_inertia_is_that_of_a_solid(character) -> None:
    for bone in character.plan().bones:
        low, middle, high = np.linalg.eigvalsh(bone.mass.matrix)
        assert low > 0, bone.path
        assert high <= low + middle, bone.path


@pytest.mark.parametrize(
    ("character", "rates"),
    [
        (Hand(base="fixed"), 21),
        (Hand(base="wrist"), 23),
        (Hand(base="translation"), 24),
        (Hand(base="carried"), 27),
        (Hand(base="free"), 27),
        (Hand(fingers=("thumb", "index")), 9),
        (Arm(), 7),
        (Leg(), 7),
        (UpperBody(), 17),
        (UpperBody(base="ball"), 20),
        (Figure(), 44),
        (Figure(base="fixed"), 38),
    ],
)
def test_joint_rates(character, rates) -> None:
    assert count_rates(character.plan().bones) == rates


def test_bones_of_the_hand_have_their_names() -> None:
    paths = {bone.path for bone in Hand().plan().bones}
    fingers = {f"palm/{f}1{deeper}" for f in FINGERS for deeper in ("", f"/{f}2", f"/{f}2/{f}3")}
    assert paths == {"palm", *fingers}
    assert {bone.path for bone in Hand(base="carried").plan().bones} == {
        "carriage",
        *(f"carriage/{path}" for path in paths),
    }


@pytest.mark.parametrize("character", [Hand(), Figure()], ids=lambda c: c.kind)
def test_mirroring_twice_changes_nothing(character) -> None:
    plan = character.plan()
    assert mirror_plan(mirror_plan(plan)) == plan


@pytest.mark.parametrize("name", ["forearm", "hand", "shank", "toes"])
def test_both_sides_of_the_figure_are_mirror_images(name) -> None:
    bones = {bone.path.rpartition("/")[2]: bone for bone in Figure().plan().bones}
    left, right = bones[f"left_{name}"], bones[f"right_{name}"]
    flip = np.diag([-1.0, 1.0, 1.0])
    assert right.origin == pytest.approx(flip @ left.origin)
    assert right.mass.matrix == pytest.approx(flip @ left.mass.matrix @ flip)
    # Turning by the same angle gives the mirrored motion: (M a) is a mirrored axis, and its turn has the other sense.
    assert right.joint.axis == pytest.approx(-flip @ np.array(left.joint.axis))
    assert (left.joint.lower, left.joint.upper) == (right.joint.lower, right.joint.upper)


def test_larger_characters_have_the_same_density() -> None:
    plan = Arm().plan()
    larger = scale_plan(plan, 1.5)
    assert total_mass(larger.bones) == pytest.approx(1.5**3 * total_mass(plan.bones))
    first, second = plan.bones[0].mass, larger.bones[0].mass
    assert second.inertia == pytest.approx(np.array(first.inertia) * 1.5**5)
    here, there = wrap_plan(plan, 400), wrap_plan(larger, 400)
    assert np.ptp(there.vertices, axis=0) == pytest.approx(1.5 * np.ptp(here.vertices, axis=0), rel=0.01)


EVENED = 5e-4
"""Vertices are cut at the joints, and then evened along the skin [m]."""


def test_skin_of_a_straight_finger_is_cut_at_its_joints() -> None:
    plan = Hand().plan()
    surface = wrap_plan(plan, 2500)
    origins = {bone.path: np.array(bone.origin) for bone in plan.bones}
    one, two, three = "palm/middle1", "palm/middle1/middle2", "palm/middle1/middle2/middle3"
    along = (origins[three] - origins[two]) / np.linalg.norm(origins[three] - origins[two])
    for bone, low, high in ((one, None, two), (two, two, three), (three, three, None)):
        places = surface.vertices[[k for k, name in enumerate(surface.bones) if name == bone]]
        assert len(places) > 10
        if low:
            assert ((places - origins[low]) @ along).min() > -EVENED
        if high:
            assert ((places - origins[high]) @ along).max() < EVENED


def test_springs_carry_the_weight_of_a_rod() -> None:
    rod = segment_mass("shank", (0, 0, 0), (0, 0, 0.434), (0, 1, 0))
    bone = BonePlan("rod", (0.0, 0.0, 0.0), Joint("hinge"), rod)
    springs = fit_springs([bone], 8.0, 0.5)["rod"]
    arm = 0.4459 * 0.434
    assert springs.stiffness == pytest.approx([8 * rod.mass * GRAVITY * arm])
    about = rod.matrix[0, 0] + rod.mass * arm**2
    assert springs.damping == pytest.approx([2 * 0.5 * math.sqrt(springs.stiffness[0] * about)])


@pytest.mark.parametrize("wide", [(0.1, 0, 1), (-1, 0, 0.1), (0.3, -0.5, 0.8)])
@pytest.mark.parametrize("along", [(0, 1, 0), (0, -1, 0), (1, 0, 0), (0.6, 0, 0.8), (0.48, -0.6, 0.64)])
def test_blocks_are_turned_the_way_they_lie(along, wide) -> None:
    from supple.core.pose import rotate, turn

    quaternion = turn(*_turn_to(np.array(along, float), wide))
    assert rotate(quaternion, np.array([0.0, 1.0, 0.0])) == pytest.approx(along, abs=1e-9)
    side = np.array(wide) - np.array(along) * np.dot(along, wide)
    assert rotate(quaternion, np.array([1.0, 0.0, 0.0])) == pytest.approx(
        side / np.linalg.norm(side), abs=1e-9
    )


@pytest.mark.parametrize("kind", ["hand", "arm", "leg", "upper_body", "figure"])
def test_nothing_stirs_without_gravity(kind, tmp_path) -> None:
    """Rigid parts that overlapped at the start would push each other away."""
    file = write_scene(tmp_path, f"{kind} = {{ firmness = 0 }}", run="gravity = [0, 0, 0]")
    world = supple.load(file)
    world.step(20)
    assert world.metrics()["it/bones.speed"] == 0.0
    assert world.metrics()["run.penetration_worst"] == 0.0


def test_a_joint_of_a_level_hand_sags_by_one_over_its_firmness(tmp_path) -> None:
    file = write_scene(tmp_path, 'hand = { firmness = 40, fingers = ["index"] }')
    world = supple.load(file)
    world.step(200)
    bends = world.snapshot()["skeleton.q"][[0, 2, 3]]  # knuckle: bend, spread; then the two hinges
    assert bends == pytest.approx(1 / 40, rel=0.01)


def test_curled_fingers_start_bent(tmp_path) -> None:
    world = supple.load(write_scene(tmp_path, 'hand = { curl = 0.5, fingers = ["index"] }'))
    assert np.degrees(world.snapshot()["skeleton.q"]) == pytest.approx([35, 0, 45, 30])


def test_children_can_be_overridden(tmp_path) -> None:
    file = write_scene(tmp_path, "leg = {}", '[set]\n"it/bones/thigh/shank.bone.start" = [30]')
    world = supple.load(file)
    assert np.degrees(world.snapshot()["skeleton.q"][4]) == pytest.approx(30)


@pytest.mark.parametrize(
    ("entity", "message"),
    [
        ("hand = { fingers = [] }", "fingers is empty"),
        ('hand = { fingers = ["index", "index"] }', "named twice"),
        ('hand = { fingers = ["idex"] }', "index"),
        ('figure = { base = "fre" }', "free"),
        ('hand = { covering = "skin", skin = { fricton = 1 } }', "it.hand.skin.fricton"),
        ('hand = { covering = "skin", ghost = { stiffness = -1 } }', "it.hand.ghost.stiffness"),
        ("hand = { vertices = 10 }", "200"),
    ],
)
def test_mistakes_are_explained(entity, message, tmp_path) -> None:
    pytest.importorskip("supple_skin.components")
    with pytest.raises(UserError) as caught:
        read_graph(tmp_path, entity)
    (problem,) = caught.value.problems
    assert message in str(problem)
    assert problem.where is not None
    assert problem.where.line == 8


def test_all_mistakes_in_what_is_passed_on_are_explained(tmp_path) -> None:
    pytest.importorskip("supple_flesh.components")
    with pytest.raises(UserError) as caught:
        read_graph(
            tmp_path, 'hand = { covering = "flesh", flesh = { stiffness = 1e4, seam = -1, sate = "soft" } }'
        )
    assert {problem.path for problem in caught.value.problems} == {"it.hand.flesh.seam", "it.hand.flesh.sate"}


def test_skin_of_a_ghost(tmp_path) -> None:
    pytest.importorskip("supple_skin.components")
    entity = (
        'hand = { covering = "skin", vertices = 400, skin = { friction = 0.9 }, ghost = { recovery = 0.1 } }'
    )
    graph = read_graph(tmp_path, entity)
    worn = graph["it/bones"].components
    assert set(worn) == {"ghost", "skin"}
    assert len(worn["skin"].vertices) == 400
    assert worn["skin"].friction == 0.9
    assert worn["ghost"].recovery == 0.1
    assert set(worn["skin"].bones) == {bone.path for bone in Hand().plan().bones}


def test_flesh_takes_its_mass_from_the_bones(tmp_path) -> None:
    pytest.importorskip("supple_flesh.components")
    entity = 'arm = { covering = "flesh", vertices = 300, flesh_part = 0.25, flesh = { stiffness = 2e4, rings = 3 } }'
    graph = read_graph(tmp_path, entity)
    flesh = graph["it/bones"].components["flesh"]
    assert (flesh.stiffness, flesh.rings) == (2e4, 3)
    bones = sum(each.components["bone"].mass for each in graph.having("bone"))
    assert flesh.mass + bones == pytest.approx(total_mass(Arm().plan().bones))
    assert flesh.mass == pytest.approx(bones / 3)
    surface = wrap_plan(Arm().plan(), 300)
    assert tuple(flesh.bones[number] for number in flesh.hangs_on) == surface.bones


def test_own_mesh_instead_of_the_generated_one(tmp_path) -> None:
    pytest.importorskip("supple_skin.components")
    graph = read_graph(tmp_path, 'hand = { covering = "skin", mesh = "mine.obj" }')
    assert graph["it/bones"].components["skin"].file == "mine.obj"
    assert graph["it/bones"].components["skin"].vertices == ()
