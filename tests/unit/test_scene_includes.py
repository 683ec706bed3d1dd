"""Scenes made of several files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from supple.errors import SceneError
from supple.scene.load import read_scene
from toy_scenes import HEAD, Desk

PART = "format = 1\n"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def including(*names: str, rest: str = "") -> str:
    listed = ", ".join(f"'{name}'" for name in names)
    return f"include = [{listed}]\n{HEAD}{rest}"


def test_tables_of_all_files_are_merged(desk: Desk) -> None:
    desk.write(f"{PART}include = ['deeper/c.toml']\n[[entity]]\nname = 'b'\nparent = 'a'\n", "parts/b.toml")
    text = (
        f"{PART}[[entity]]\nname = 'c'\n[[event]]\nname = 'e'\nat = 1\nblink = {{}}\n"
        "[variants]\nv = {'c.pose.angle' = 3.0}\n[sweep]\nseeds = [7]\n"
        "[[expect]]\nmetric = 'run.contacts'\nabove = 0\nbecause = 'they touch'\n"
    )
    desk.write(text, "parts/deeper/c.toml")
    scene = desk.read(including("parts/b.toml", rest="[[entity]]\nname = 'a'\n"))
    blueprint = scene.blueprint(variant="v", cell=scene.cells[0])
    assert [entity.path for entity in blueprint.graph] == ["a", "a/b", "c", "e"]
    assert blueprint.graph["c"].components["pose"].angle == 3.0
    assert blueprint.seed == 7
    assert [str(each.where) for each in scene.expectations] == [f"{desk.folder}/parts/deeper/c.toml:13"]


def test_every_value_keeps_its_own_place(desk: Desk) -> None:
    desk.write(f"{PART}\n[[entity]]\nname = 'b'\nmass = {{ mass = -1 }}\n[run]\nsmoke = 0\n", "parts/b.toml")
    found = desk.complaints(including("parts/b.toml", rest="seed = -1\n"))
    assert [line.split(": ")[:2] for line in found] == [
        ["scene.toml:6", "run.seed"],
        ["parts/b.toml:5", "b.mass.mass"],
        ["parts/b.toml:7", "run.smoke"],
    ]


def test_run_keys_of_the_includer_win(desk: Desk) -> None:
    desk.write(f"{PART}[run]\nstep = 1.0\nsmoke = 9\n[run.direct]\ntolerance = 0.5\n", "b.toml")
    blueprint = desk.read(including("b.toml")).blueprint()
    assert (blueprint.run.step, blueprint.run.smoke, blueprint.settings["direct"].tolerance) == (0.01, 9, 0.5)
    blueprint = desk.read(including("b.toml", rest="[run.direct]\ntolerance = 0.25\n")).blueprint()
    assert blueprint.settings["direct"].tolerance == 0.25


def test_files_side_by_side_must_agree(desk: Desk) -> None:
    desk.write(
        f"{PART}[run]\nsmoke = 9\n[run.direct]\ntolerance = 0.5\n[set]\n'a.pose.angle' = 1\n", "b.toml"
    )
    desk.write(
        f"{PART}[run]\nsmoke = 8\n[run.direct]\ntolerance = 0.4\n[set]\n'a.pose.angle' = 2\n", "c.toml"
    )
    entity = "[[entity]]\nname = 'a'\n"
    remedy = "decide in the file that includes both"
    assert desk.complaints(including("b.toml", "c.toml", rest=entity)) == [
        f"c.toml:3: run.smoke: b.toml:3 gives another value; {remedy}",
        f"c.toml:5: run.direct.tolerance: b.toml:5 gives another value; {remedy}",
        f'c.toml:7: set."a.pose.angle": b.toml:7 gives another value; {remedy}',
    ]
    decided = f"smoke = 7\n[run.direct]\ntolerance = 0.3\n[set]\n'a.pose.angle' = 3\n{entity}"
    blueprint = desk.read(including("b.toml", "c.toml", rest=decided)).blueprint()
    assert blueprint.run.smoke == 7
    assert blueprint.graph["a"].components["pose"].angle == 3


def test_set_of_the_includer_changes_what_is_included(desk: Desk) -> None:
    desk.write(
        f"{PART}[[entity]]\nname = 'b'\nmass = {{ mass = 1.0, count = 5 }}\n[set]\n'b.mass.count' = 2\n",
        "b.toml",
    )
    blueprint = desk.read(including("b.toml", rest="[set]\n'b.mass.mass' = 2.0\n")).blueprint()
    assert (blueprint.graph["b"].components["mass"].mass, blueprint.graph["b"].components["mass"].count) == (
        2.0,
        2,
    )
    blueprint = desk.read(including("b.toml", rest="[set]\n'b.mass' = { mass = 2.0 }\n")).blueprint()
    assert blueprint.graph["b"].components["mass"].count == 1, "replaced whole, with what the part sets in it"


def test_names_are_unique_across_files(desk: Desk) -> None:
    desk.write(f"{PART}[[entity]]\nname = 'a'\n[variants]\nv = {{}}\n[sweep]\nseeds = [1]\n", "b.toml")
    found = desk.complaints(
        including("b.toml", rest="[[entity]]\nname = 'a'\n[variants]\nv = {}\n[sweep]\nseeds = [2]\n")
    )
    assert found == [
        "b.toml:3: a: the name is taken by scene.toml:7;"
        " use another name, or change that one by [set] \"NAME.KIND.KEY\" = VALUE",
        "b.toml:5: variants.v: is given by scene.toml:9 as well; keep one of them",
        "b.toml:7: sweep.seeds: is given by scene.toml:11 as well; keep one of them",
    ]  # fmt: skip


def test_file_that_two_others_include_is_read_once(desk: Desk) -> None:
    desk.write(f"{PART}[[entity]]\nname = 'd'\n", "d.toml")
    desk.write(f"{PART}include = ['d.toml']\n", "b.toml")
    desk.write(f"{PART}include = ['./d.toml']\n", "c.toml")
    assert len(desk.read(including("b.toml", "c.toml", "d.toml")).blueprint().graph) == 1


def test_missing_file(desk: Desk) -> None:
    desk.write(PART, "parts.toml")
    found = desk.complaints(including("prts.toml"))
    assert found == [
        "scene.toml:1: include[0]: prts.toml: there is no such file;"
        " TOML files there: parts.toml, scene.toml. Did you mean 'parts.toml'?"
    ]


def test_mistakes_in_the_text_of_an_included_file(desk: Desk) -> None:
    desk.write("format = 1\nx = \n", "b.toml")
    desk.write("[run]\n", "c.toml")
    desk.write("format = 2\n", "d.toml")
    found = desk.complaints(including("b.toml", "c.toml", "d.toml"))
    assert [line.split(": ")[0] for line in found] == ["c.toml:1", "b.toml:2", "d.toml:1"]


def test_files_that_include_each_other(desk: Desk) -> None:
    desk.write(f"{PART}include = ['c.toml']\n", "b.toml")
    desk.write(f"{PART}include = [\n'b.toml']\n", "c.toml")
    remedy = "drop one of the includes"
    assert desk.complaints(including("b.toml")) == [
        f"c.toml:3: include[0]: files include each other: b.toml -> c.toml -> b.toml; {remedy}"
    ]
    assert desk.complaints(including("scene.toml")) == [
        f"scene.toml:1: include[0]: files include each other: scene.toml -> scene.toml; {remedy}"
    ]


def test_includes_are_not_nested_without_end(desk: Desk) -> None:
    for index in range(30):
        desk.write(f"{PART}include = ['p{index + 1}.toml']\n", f"p{index}.toml")
    found = desk.complaints(including("p0.toml"))
    assert len(found) == 1
    assert "includes are nested deeper than 16" in found[0]


OUTSIDE = [
    "../x.toml", "sub/../../x.toml", "/etc/x.toml", "C:/x.toml", "C:x.toml", "c:\\x.toml", "\\\\host\\share\\x.toml",
    "\\x.toml", "..\\x.toml", "link/x.toml",
]  # fmt: skip


@pytest.mark.parametrize("name", OUTSIDE)
def test_files_outside_the_folder_are_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "x.toml").write_text(PART)
    desk = Desk(tmp_path / "inner")
    desk.write(PART, "sub/y.toml")
    os.symlink(tmp_path, desk.folder / "link")
    assert desk.complaints(including(name)) == [
        f"scene.toml:1: include[0]: '{name}' is outside the scene's folder;"
        " move it beside the scene, or allow files outside"
    ]


@pytest.mark.parametrize("name", ["../x.toml", "link/x.toml", "{}/x.toml"])
def test_files_outside_the_folder_can_be_allowed(tmp_path: Path, name: str) -> None:
    (tmp_path / "x.toml").write_text(f"{PART}[[entity]]\nname = 'x'\n")
    desk = Desk(tmp_path / "inner")
    desk.write(PART)
    os.symlink(tmp_path, desk.folder / "link")
    scene = desk.read(including(name.format(tmp_path)), allow_outside=True)
    assert "x" in scene.blueprint().graph


def test_symlink_that_stays_inside_is_fine(desk: Desk) -> None:
    desk.write(f"{PART}[[entity]]\nname = 'x'\n", "sub/x.toml")
    os.symlink(desk.folder / "sub" / "x.toml", desk.folder / "y.toml")
    assert "x" in desk.read(including("y.toml")).blueprint().graph


@pytest.mark.parametrize("name", ["a\\u0000b", "", "x" * 5000, "."])
def test_strange_names_of_files(desk: Desk, name: str) -> None:
    found = desk.complaints(f'include = ["{name}"]\n{HEAD}')
    assert len(found) == 1
    assert found[0].startswith("scene.toml:1: include[0]: ")


def test_scene_that_cannot_be_read(desk: Desk) -> None:
    desk.write(PART)
    with pytest.raises(SceneError) as caught:
        read_scene(desk.folder / "scne.toml", desk.plugins)
    assert desk.tidy(caught.value) == [
        "scne.toml: there is no such file; TOML files there: scene.toml. Did you mean 'scene.toml'?"
    ]
    with pytest.raises(SceneError, match="cannot be read"):
        read_scene("a\0b", desk.plugins)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_a_pipe_is_no_file_to_include(desk: Desk) -> None:
    os.mkfifo(desk.folder / "pipe.toml")
    found = desk.complaints(including("pipe.toml"))
    assert found == ["scene.toml:1: include[0]: 'pipe.toml' is no plain file; name a file of TOML"]
