"""Files of robots: bad ones get one line with a remedy, none reads outside the folder, the command writes scenes."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import supple
from imported_robots import NAMES, ROBOTS, write_scene
from supple.errors import ExitCode, UserError
from supple.plugin import load_plugins
from supple.run.cli import run_command
from supple.scene.load import read_scene
from supple.scene.write import write_value
from supple_robot.robot import make_robot

pytest.importorskip("mujoco")

PLUGINS = load_plugins()
BODY = '<mujoco><worldbody><body name="b">{}<geom size="0.1"/></body></worldbody>{}</mujoco>'


def refuse(folder: Path, content: str, name: str = "bad.xml", keys: str = "") -> str:
    """The one line that a scene with this robot gets."""
    scene = write_scene(folder, name, keys)
    (folder / name).write_text(content)
    with pytest.raises(UserError) as caught:
        supple.load(scene)
    (line,) = str(caught.value).splitlines()
    return line


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("<mujoco><worldbody>", ["bad.xml:1", "is no XML"]),
        ("", ["bad.xml:1", "is no XML"]),
        ("<mujoco>\n<worldbody><bdy/></worldbody></mujoco>", ["bad.xml:2", "unrecognized element", "bdy"]),
        ("<mujoco><worldbody>\n<body><joint/></body></worldbody></mujoco>", ["bad.xml:2", "mass and inertia"]),
        ("<puppet/>", ["bad.xml", "Unrecognized XML model type"]),
        (BODY.format("<joint/>", '<asset><mesh file="none.stl"/></asset>'), ["none.stl"]),
        (BODY.format("<joint/>", '<asset><mesh file="../out.stl"/></asset>'), ["outside the scene's folder"]),
        (BODY.format("", '<include file="../out.xml"/>'), ["../out.xml", "outside the scene's folder"]),
        ('<!DOCTYPE a [<!ENTITY b "c">]><mujoco/>', ["bad.xml:1", "declares an entity"]),
    ],
)  # fmt: skip
def test_bad_file_gets_one_line(content: str, words: list[str], tmp_path: Path) -> None:
    (tmp_path / "out.stl").write_text("solid\nendsolid")
    (tmp_path / "out.xml").write_text("<mujoco/>")
    folder = tmp_path / "inside"
    line = refuse(folder, content)
    assert [word for word in words if word not in line] == []
    assert "; " in line


def test_absolute_mesh_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out.stl").write_text("solid\nendsolid")
    content = BODY.format(
        "<joint/>", f'<compiler meshdir="{tmp_path}"/><asset><mesh file="out.stl"/></asset>'
    )
    assert "outside the scene's folder" in refuse(tmp_path / "inside", content)


def test_other_wrong_words(tmp_path: Path) -> None:
    crouch = refuse(tmp_path, (ROBOTS / "quadruped.xml").read_text(), keys=', keyframe = "crouhc"')
    assert "Did you mean 'crouch'?" in crouch
    assert "ends in .xml, .mjcf, .urdf" in refuse(tmp_path, "<mujoco/>", "bad.txt")
    jointed = BODY.format("<joint/>", "")
    assert "has joints of its own" in refuse(tmp_path, jointed, keys=', base = "free"')


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    at=st.integers(0, 6000),
    put=st.sampled_from(["", "<", '"', "/>", "nan", "1e400", "\x00", "é", "<body/>", "-"]),
    cut=st.integers(0, 40),
)
def test_damaged_files_never_crash(at: int, put: str, cut: int, tmp_path: Path) -> None:
    text = (ROBOTS / "humanoid.xml").read_text()
    scene = write_scene(tmp_path, "hurt.xml")
    (tmp_path / "hurt.xml").write_text(text[:at] + put + text[at + cut :], encoding="utf-8")
    try:
        read_scene(scene, PLUGINS).blueprint()
    except UserError as error:
        assert all(problem.what and "\n" not in str(problem) for problem in error.problems)


def test_keyframe_sets_start_and_targets(tmp_path: Path) -> None:
    world = supple.load(write_scene(tmp_path, "quadruped.xml", ', keyframe = "crouch"'))
    shank = world.blueprint.graph["it/bones/trunk/fl_hip/fl_thigh/fl_shank"].components
    assert shank["bone"].start == (pytest.approx(np.degrees(-0.52)),)
    assert shank["servo"].target == pytest.approx(np.degrees(-0.52))
    assert world["it/bones/trunk"].position[1] == pytest.approx(0.5 + 0.31)


def test_what_is_left_out_is_said_by_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scene = write_scene(tmp_path, "hand.xml")
    assert run_command(["check", str(scene)]) == ExitCode.FINE
    said = capsys.readouterr()
    for word in ("acts on no joint", "mere torque", "1 tendon"):
        assert word in said.out + said.err


PAIR = """<mujoco><worldbody><body><joint name="a"/><geom size="0.1"/></body>
<body pos="1 0 0"><joint name="b"/><geom size="0.1"/></body></worldbody><equality>{}</equality></mujoco>"""


@pytest.mark.parametrize(
    ("equality", "words", "gears"),
    [
        ('<joint joint1="b" joint2="a" polycoef="0 1 0.5 0 0"/>', ["joint b follows a by a curve"], 0),
        ('<joint joint1="b" joint2="a" active="false"/>', ["is not active at the start"], 0),
        ('<joint joint1="b" joint2="a"/><joint joint1="b"/>', ["tied by another equality"], 1),
        (
            '<joint joint1="b" polycoef="0.2 0 0 0 0"/>',
            ["joint b starts at 0.2, where its equality has it"],
            1,
        ),
        ('<joint joint1="b" joint2="a" polycoef="0 -2 0 0 0"/>', [], 1),
    ],
)
def test_equalities_of_joints_are_gears(equality: str, words: list[str], gears: int, tmp_path: Path) -> None:
    scene = write_scene(tmp_path, "pair.xml")
    (tmp_path / "pair.xml").write_text(PAIR.format(equality))
    world = supple.load(scene)
    assert len(world.array("skeleton.gear")) == gears
    blueprint = world.blueprint
    said = make_robot(blueprint.graph["it"].components["robot"], "it", blueprint.files).left_out
    assert len(said) == len(words)
    assert [word for word in words if not any(word in line for line in said)] == []
    world.step(5)


def test_masks_and_excluded_pairs_decide_who_touches(tmp_path: Path) -> None:
    graph = supple.load(write_scene(tmp_path, "quadruped.xml")).blueprint.graph
    foot = graph["it/bones/trunk/fl_hip/fl_thigh/fl_shank/fl_foot"].components
    assert foot["collides"].ignores == ("it 1/0",)
    assert foot["sphere"].rolling == pytest.approx(0.01)
    (tmp_path / "other").mkdir()
    graph = supple.load(write_scene(tmp_path / "other", "humanoid.xml")).blueprint.graph
    thigh = next(e for e in graph.having("capsule") if e.parent and e.parent.endswith("/left_thigh"))
    assert [path.split("/")[-2] for path in thigh.components["collides"].ignores] == ["right_thigh"]


@pytest.mark.parametrize("name", NAMES)
def test_import_writes_the_scene_that_the_prefab_makes(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scene = write_scene(tmp_path, name)
    out = tmp_path / "out.toml"
    arguments = ["import", str(tmp_path / name), "-o", str(out), "--name", "it", "--json"]
    assert run_command(arguments) == ExitCode.FINE
    said = json.loads(capsys.readouterr().out)
    assert said["wrote"] == str(out)
    made, written = supple.load(scene).blueprint.graph, supple.load(out).blueprint.graph
    assert [entity.path for entity in made] == [entity.path for entity in written]
    for entity in made:
        for kind, component in entity.components.items():
            if kind != "convex" and entity.path != "it":
                assert written[entity.path].components[kind] == component, entity.path
    assert run_command(arguments) == ExitCode.BAD_INPUT
    assert "--overwrite" in capsys.readouterr().err


def test_import_refuses_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bad.xml").write_text("<mujoco>")
    for arguments in (["bad.xml", "-o", "a.toml"], ["none.xml", "-o", "a.toml"], ["bad.xml", "-o", "a.txt"]):
        paths = [str(tmp_path / word) if word[0] != "-" else word for word in arguments]
        assert run_command(["import", *paths]) == ExitCode.BAD_INPUT
        assert len(capsys.readouterr().err.splitlines()) == 1


TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.recursive(
    st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=3),
)  # fmt: skip


@settings(deadline=None)
@given(VALUES)
def test_values_are_read_back_as_they_were_written(value: object) -> None:
    assert tomllib.loads(f"it = {write_value(value)}")["it"] == value


@pytest.mark.parametrize("name", ["../secret.xml", "..\\secret.xml", "sub\\..\\..\\secret.xml"])
def test_import_reads_nothing_outside_the_folder_of_the_robot(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "home"
    (home / "sub").mkdir(parents=True)
    (tmp_path / "secret.xml").write_text("<mujoco><option/></mujoco>")
    file = home / "robot.xml"
    file.write_text(
        f'<mujoco><include file="{name}"/><worldbody><body><geom size="1"/></body></worldbody></mujoco>'
    )
    arguments = ["import", str(file), "-o", str(home / "out.toml")]
    assert run_command(arguments) == ExitCode.BAD_INPUT
    said = capsys.readouterr().err
    assert said.startswith(str(file))
    assert "--allow-outside" in said
    assert len(said.splitlines()) == 1
    assert run_command([*arguments, "--allow-outside"]) == ExitCode.FINE


def test_names_of_a_robot_do_not_end_lines_or_words_of_the_scene(tmp_path: Path) -> None:
    name = "wide &#10;entity = 5 #" + "x" * 300
    points = " ".join(f"{np.cos(k)} {np.sin(k)} {z}" for k in range(30) for z in (0, 1))
    file = tmp_path / 'a "b" c.xml'
    file.write_text(
        f'<mujoco><asset><mesh name="m" vertex="{points}"/></asset><worldbody><body name="{name}">'
        f'<joint name="{name}" frictionloss="1"/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>'
    )
    out = tmp_path / "out.toml"
    assert run_command(["import", str(file), "-o", str(out)]) == ExitCode.FINE
    assert run_command(["check", str(out)]) == ExitCode.FINE
    assert tomllib.loads(out.read_text(encoding="utf-8"))["about"] == f"The robot of {file.name}."
