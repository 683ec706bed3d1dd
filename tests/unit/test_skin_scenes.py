"""What authors get to hear about ghosts and skins."""

from __future__ import annotations

import pytest

from supple.errors import UserError

VERTICES = "vertices = [[0, 0, 0], [0.1, 0, 0], [0, 0, 0.1], [0, 0.1, 0]]"
HEAD = "format = 1\n[run]\nstep = 0.01\nduration = 0.1\n"


def scene(skin, ghost="ghost = {}", bone="bone = { joint = 'hinge' }", more=""):
    text = f"{HEAD}[[entity]]\nname = 'g'\n{ghost}\n"
    text += f"skin = {{ {skin} }}\n"
    return f"{text}[[entity]]\nname = 'g/arm'\npose = {{ position = [0, 0.05, 0] }}\n{bone}\n{more}"


GOOD = f"{VERTICES}, triangles = [[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]]"


SUM = "scene.toml:8: g.skin.weights: the weights of vertex 2 sum to 0.97; make it 1"
NO_BONE = "scene.toml:8: g.skin.bones: no bone 'amr' below the ghost; the bones are: arm. Did you mean 'arm'?"
HEAVY = "bone = { mass = 1, inertia = [1, 1, 1] }"


def test_small_skin_loads_and_steps(load_text):
    world = load_text(scene(GOOD))
    world.step(3)
    assert world.array("skin0.weight")[:, 0].tolist() == [1.0] * 4


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (scene(f"{GOOD}, weights = [[1], [1], [0.97], [1]]"), SUM),
        (scene(f"{GOOD}, weights = [[1], [1], [1]]"), "has 3 rows, but the mesh has 4 vertices"),
        (scene(f"{GOOD}, weights = [[1], [1, 0], [1], [1]]"), "vertex 1 has 2 weights, but there are 1 bones"),
        (scene(f"{GOOD}, weights = [[1], [1], [1], [-1]]"), "vertex 3 has the weight -1; use 0 or more"),
        (scene(f"{GOOD}, bones = ['amr']"), NO_BONE),
        (scene(f"{GOOD}, bones = ['arm', 'arm']"), "names the bone 'arm' twice"),
        (scene(VERTICES), "vertices and triangles belong together"),
        (scene("friction = 0.5"), "either a file or vertices and triangles"),
        (scene("file = 'hand.obj'"), "hand.obj"),
        (scene(GOOD, ghost="skeleton = {}", bone=HEAVY), "a skin goes with a ghost"),
        (scene(GOOD, ghost="ghost = {}\nskeleton = {}"), "both ghost and skeleton"),
        (scene(GOOD, bone="bone = {}"), "no bone of the ghost can move"),
        (scene(GOOD, more="servo = { stiffness = 1, limit = 1 }"), "a ghost follows its motion and needs no servo"),
        (scene(GOOD, bone="bone = { joint = 'hinge', stiffness = [1, 2] }"), "stiffness has 2 numbers"),
        (scene(GOOD, ghost="ghost = { stiffness = 0 }"), "g.ghost.stiffness"),
        (f"{HEAD}[[entity]]\nname = 'g'\nghost = {{}}\n", "the ghost has no bones"),
        (f"{HEAD}[[entity]]\nname = 'f'\nskinned_finger = {{ length = 0.01 }}\n", "thicker than long"),
    ],
)  # fmt: skip
def test_mistakes_are_one_line(load_text, text, words):
    with pytest.raises(UserError) as error:
        load_text(text)
    assert words in str(error.value)
    assert len(str(error.value).splitlines()) == 1


def test_skeleton_and_ghost_live_side_by_side(load_text):
    more = "[[entity]]\nname = 's'\npose = { position = [1, 0, 0] }\nskeleton = {}\n"
    more += "[[entity]]\nname = 's/a'\nbone = { joint = 'hinge', mass = 1, inertia = [1, 1, 1] }\n"
    world = load_text(scene(GOOD, more=more))
    world.step(2)
    assert len(world.array("skeleton.bone")) == len(world.array("ghost.bone")) == 1


def test_bone_overrides_the_stiffness_of_its_ghost(load_text):
    free = "bone = { joint = 'free', stiffness = [0, 0, 500, 0, 3, 0] }"
    world = load_text(scene(GOOD, ghost="ghost = { stiffness = 7, sliding_stiffness = 90 }", bone=free))
    assert world.array("ghost.stiffness").tolist() == [90, 90, 500, 7, 3, 7]


def test_finger_stops_at_the_limit_of_its_joint(load_text):
    motion = "motion = { keys = [{ at = 0, pose = { arm = 0 } }, { at = 0.05, pose = { arm = 50 } }] }\n"
    bone = "bone = { joint = 'hinge', upper = 30 }"
    world = load_text(scene(GOOD, ghost=f"ghost = {{}}\n{motion}", bone=bone))
    world.step(10)
    assert world.array("ghost.q")[0] == pytest.approx(0.5235987755982988, abs=1e-6)
    assert world.metrics()["g.deviation"] == pytest.approx(0.3490658503988659, abs=1e-6)
