"""What a scene is warned of before its first step, and what it is not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import supple
from supple.errors import Problem
from supple.run.cli import run_command

HEAD = """
format = 1
[run]
step = 0.004
duration = 0.1
[[entity]]
name = "floor"
plane = {}
"""
CUBE = """
v -50 -50 -50
v 50 -50 -50
v 50 50 -50
v -50 50 -50
v -50 -50 50
v 50 -50 50
v 50 50 50
v -50 50 50
f 1 4 3 2
f 5 6 7 8
f 1 2 6 5
f 2 3 7 6
f 3 4 8 7
f 4 1 5 8
"""
BOX = '[[entity]]\nname = "{name}"\npose = {{ position = {at} }}\nbox = {{ size = [0.2, 0.2, 0.2] }}\nbody = {body}\n'


def box(name: str, at: list[float], body: str = "{}") -> str:
    return BOX.format(name=name, at=at, body=body)


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "scene.toml"
    path.write_text(HEAD + text)
    (tmp_path / "cube.obj").write_text(CUBE)
    return path


def warn(tmp_path: Path, text: str, **overrides: object) -> list[Problem]:
    return supple.load(write(tmp_path, text), overrides=overrides).warnings()


MILLIMETRES = (
    '[[entity]]\nname = "part"\npose = { position = [0, 0.1, 0] }\nmesh = { file = "cube.obj" }\nbody = {}\n'
)


def test_a_mesh_in_millimetres(tmp_path: Path) -> None:
    found = warn(tmp_path, MILLIMETRES)
    assert [each.path for each in found] == ["part.mesh.scale", "part"]
    assert "100 m long" in found[0].what
    assert "scale = 0.001" in found[0].remedy
    assert "49.9 m deep inside floor" in found[1].what
    assert found[0].where is not None
    assert found[0].where.line == 12
    assert warn(tmp_path, MILLIMETRES, **{"part.mesh.scale": 0.001}) == []


def test_a_large_floor_of_triangles_is_none_of_our_business(tmp_path: Path) -> None:
    ground = '[[entity]]\nname = "hall"\npose = { position = [0, -50.5, 0] }\nmesh = { file = "cube.obj" }\n'
    bus = '[[entity]]\nname = "bus"\npose = { position = [0, 2, 0] }\nbox = { size = [12, 3, 2.5] }\nbody = {}\n'
    assert warn(tmp_path, ground + bus) == []


def test_things_inside_each_other(tmp_path: Path) -> None:
    (one,) = warn(tmp_path, box("a", [0, 1, 0]) + box("b", [0.1, 1.0, 0]))
    assert one.path in ("a", "b")
    assert "0.1 m deep inside" in one.what
    assert warn(tmp_path, box("a", [0, 1, 0]) + box("b", [0.19, 1.0, 0])) == [], "5 % are a matter of taste"
    assert warn(tmp_path, box("a", [0, 0.1, 0]) + box("b", [0, 0.3, 0])) == [], "they touch"


def test_many_are_told_as_a_few(tmp_path: Path) -> None:
    found = warn(tmp_path, "".join(box(f"b{k}", [k, 0.0, 0]) for k in range(9)))
    assert len(found) == 5
    assert "and 4 others likewise" in found[-1].what


def test_masses_that_are_too_far_apart(tmp_path: Path) -> None:
    scene = box("anvil", [0, 0.1, 0], "{ mass = 1e9 }") + box("grain", [0, 0.3, 0], "{ mass = 1e-6 }")
    (one,) = warn(tmp_path, scene)
    assert one.path == "grain"
    assert "anvil 1e+09 kg" in one.what
    assert "1.0e+15" in one.what
    assert warn(tmp_path, scene, **{"anvil.body.mass": 90.0}) == []


def test_a_step_that_is_too_long(tmp_path: Path) -> None:
    bullet = box("bullet", [0, 1, 0], "{ velocity = [200, 0, 0] }")
    (one,) = warn(tmp_path, bullet)
    assert one.path == "bullet"
    assert "moves 0.8 m in a step and is 0.2 m thick" in one.what
    assert warn(tmp_path, bullet, **{"run.step": 0.001}) == []
    spring = '[[entity]]\nname = "s"\nspring = { between = ["bob"], stiffness = 1e6 }\n'
    spring = box("bob", [0, 1, 0], "{ mass = 1 }") + spring
    (one,) = warn(tmp_path, spring)
    assert one.path == "s.spring.stiffness"
    assert "1e+03 rad/s" in one.what
    assert warn(tmp_path, spring, **{"s.spring.stiffness": 1e4}) == []
    servo = """
[[entity]]
name = "arm"
pose = { position = [0, 2, 0] }
skeleton = {}
[[entity]]
name = "arm/bone"
bone = { joint = "hinge", mass = 1.0, inertia = [0.01, 0.01, 0.01] }
servo = { stiffness = 1e4, damping = 10, limit = 100 }
"""
    (one,) = warn(tmp_path, servo)
    assert one.path == "arm/bone.servo.stiffness"
    assert "answers with 1e+03 rad/s" in one.what


def test_looking_leaves_no_trace(tmp_path: Path) -> None:
    text = box("a", [0, 0.15, 0]) + box("b", [0.1, 0.3, 0])
    looked, plain = (supple.load(write(tmp_path, text)) for _ in range(2))
    before = looked.warnings()
    looked.step(20)
    plain.step(20)
    assert looked.array("rigid.x").tobytes() == plain.array("rigid.x").tobytes()
    assert plain.warnings() == before, "asked later, it is still the beginning that counts"
    assert plain.steps == 20
    looked.step()
    plain.step()
    assert looked.array("rigid.x").tobytes() == plain.array("rigid.x").tobytes()


def test_runs_tell_warnings_once_and_in_json(tmp_path: Path, capsys) -> None:
    path = write(tmp_path, MILLIMETRES)
    run_command(["run", str(path), "--json", "--until", "0.01"])
    out, err = capsys.readouterr()
    assert [each["path"] for each in json.loads(out)["warnings"]] == ["part.mesh.scale", "part"]
    assert err.count("warning: ") == 2
    assert "scene.toml:" in err


def test_check_tells_what_it_can_know(tmp_path: Path, capsys) -> None:
    path = write(tmp_path, MILLIMETRES)
    assert run_command(["check", str(path), "--json"]) == 0
    out, err = capsys.readouterr()
    (one,) = json.loads(out)["warnings"]
    assert (one["path"], one["remedy"]) == (
        "part.mesh.scale",
        "if its file is in millimetres, give scale = 0.001",
    )
    assert err.startswith("warning: ")


PLUGIN = """
from supple import hookimpl
from supple.errors import Problem

def warn(world):
    if world.blueprint.run.duration > 0.05:
        yield Problem(None, "run.duration", "is long", "make it shorter")

@hookimpl
def supple_register(registry):
    registry.add_warning("patience", warn, when=["body"])
"""


def test_plugins_warn_too(tmp_path: Path) -> None:
    (tmp_path / "patience.py").write_text(PLUGIN)
    path = write(tmp_path, box("a", [0, 1, 0]))
    (one,) = supple.load(path, plugins=[tmp_path / "patience.py"]).warnings()
    assert (one.path, one.what, one.where.line) == ("run.duration", "is long", 5)
    assert supple.load(write(tmp_path, ""), plugins=[tmp_path / "patience.py"]).warnings() == []


def test_a_warning_that_raises_names_its_plugin(tmp_path: Path) -> None:
    (tmp_path / "patience.py").write_text(PLUGIN.replace("> 0.05", "> None"))
    path = write(tmp_path, box("a", [0, 1, 0]))
    with pytest.raises(supple.errors.PluginError, match="plugin patience: warning patience raised TypeError"):
        supple.load(path, plugins=[tmp_path / "patience.py"]).warnings()
