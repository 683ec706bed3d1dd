"""What authors can get wrong about the control of soft bodies: one line each, and exit status 2."""

import subprocess
import sys

import pytest

import supple
from supple.errors import UserError

SCENE = """format = 1
[run]
step = 0.01
duration = 0.1
[[entity]]
name = "bar"
tet_block = { size = [0.4, 0.1, 0.1], cells = [4, 1, 1] }
tets = {}
muscles = { fibres = { back = { points = [[-0.15, 0.02, 0], [0.15, 0.02, 0]], segments = 2 } } }
[entity.phases]
start = "one"
phase.one = { duration = 1, next = "one", active = ["up"], values = { shift = 1, forward = 1, lift = 0.1 } }
[entity.locomotion]
"""
PARTS = "parts = { sole = { low = [-1, -1, -1], high = [1, 0, 1] }, far = { low = [3, 3, 3], high = [4, 4, 4] } }\n"
SOLE = 'parts = { sole = { low = [-1, -1, -1], high = [1, 0, 1] } }\npatches = [{ part = "sole" }]\n'
GAIT = (
    'gait = {{ feet = [{0}, {0}], ankles = [{0}, {0}], trunk = "sole", stride = 0.1, lift_off = 0.1, '
    "touch_down = {1} }}\n"
)
CENTRE = 'goals.a = { of = "centre", weight = 1 }\n'
CASES = [
    (SOLE, "nothing is wanted", "give goals, or a gait"),
    (PARTS + 'patches = [{ part = "soul" }]\n', "no part 'soul'", "sole"),
    (PARTS + 'patches = [{ part = "far" }]\n' + CENTRE, "no vertex lies in this box", "reaches from"),
    (SOLE + 'goals.a = { of = "place", weight = 1 }\n', "part '' does not exist", "sole"),
    (SOLE + 'goals.a = { of = "place", part = "sol", weight = 1 }\n', "part 'sol' does not exist", "sole"),
    (SOLE + 'goals.a = { of = "offset", part = "sole", other = "x", weight = 1 }\n', "'x' does not exist", "sole"),
    (SOLE + 'goals.a = { of = "centre", target = [1, 2], weight = 1 }\n', "target has 2 numbers", "one for each"),
    (SOLE + 'goals.a = { of = "centre", weight = -1 }\n', "weight", "0"),
    (SOLE + 'goals.a = { of = "centre", weight = 1, when = ["down"] }\n', "which no phase makes active", "up"),
    (SOLE + 'goals.a = { of = "centre", weight = 1, value = "shft" }\n', "no value of the phases", "shift"),
    (SOLE + 'goals.a = { of = "centre", weight = 1, begin = 2, end = 1 }\n', "not after begin", "exchange"),
    (SOLE + 'goals.a = { of = "centre", weight = 1, counts_from = "moon" }\n', "counts_from 'moon' is no part", "sole"),
    (SOLE + 'goals.a = { of = "balance", part = "sole", weight = 1 }\n', "axes of balance", 'axes = "xz"'),
    (SOLE + 'goals.a = { of = "centre", weight = 1, axes = "q" }\n', "axes", ""),
    (SOLE + 'goals.a = { of = "speed", weight = 1 }\n', "unknown value 'speed'", "centre"),
    (SOLE + 'solver = "lemke"\ngoals.a = { of = "centre", weight = 1 }\n', "unknown value 'lemke'", "qpcc"),
    (SOLE + 'neutral = { leg = 0.9 }\ngoals.a = { of = "centre", weight = 1 }\n', "no fibre is called 'leg'", "back"),
    (SOLE + 'leaves = ["leg*"]\n' + CENTRE, "no fibre is called 'leg*'", "back"),
    (SOLE + 'trunk = "chest"\n' + CENTRE, "trunk 'chest' is no part", "sole"),
    (SOLE + 'limbs = ["leg"]\ntrunk = "sole"\n' + CENTRE, "limbs names 'leg', which is no part", "sole"),
    (SOLE + 'limbs = ["sole"]\n' + CENTRE, "limbs are measured against the trunk", "set trunk"),
    (SOLE + 'goals.a = { of = "balance", axes = "xz", part = "sole", weight = 1, foresees = ["a"] }\n', "no push", ""),
    (SOLE + 'goals.a = { of = "lean", part = "feet", weight = 1 }\n', "part 'feet' does not exist", "sole"),
    (SOLE + CENTRE + "[[entity]]\nname = 'rug'\nscales = {}\n", "there are no tets beside it", "where tets are"),
    (SOLE + CENTRE + "[entity.scales]\nahead = [0, 0, 0]\n", "ahead is zero", "direction"),
    (SOLE + GAIT.format('"sole"', 0.05), "touch_down is 0.05, not after lift_off", "raise"),
    (SOLE + GAIT.format('"sole"', 0.5), "feet names 'sole', which no phase makes active", "up"),
    (SOLE + GAIT.format('"toe"', 0.5), "feet names 'toe', which is no part", "sole"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "what", "remedy"), CASES)
def test_faults_are_told_in_one_line_with_a_remedy(tmp_path, text, what, remedy):
    scene = tmp_path / "scene.toml"
    scene.write_text(SCENE + text, encoding="utf-8")
    with pytest.raises(UserError) as caught:
        supple.load(scene)
    lines = [str(problem) for problem in caught.value.problems]
    assert any(what in line and remedy in line and "\n" not in line for line in lines), lines


def test_the_command_says_it_and_returns_2(tmp_path):
    scene = tmp_path / "scene.toml"
    scene.write_text(SCENE + CASES[1][0] + 'goals.a = { of = "centre", weight = 1 }\n', encoding="utf-8")
    done = subprocess.run([sys.executable, "-m", "supple", "run", str(scene)], capture_output=True, text=True)
    assert done.returncode == 2
    assert "no part 'soul'" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_controller_without_muscles_is_refused(tmp_path):
    scene = tmp_path / "scene.toml"
    text = SCENE.replace("muscles =", "# muscles =") + SOLE + 'goals.a = { of = "centre", weight = 1 }\n'
    scene.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match="there is no muscles beside it"):
        supple.load(scene)
