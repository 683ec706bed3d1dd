"""Every mistake an author can make in one file gets its line, its path, what is wrong and the remedy."""

from __future__ import annotations

from pathlib import Path

import pytest

from supple.errors import SceneError
from toy_scenes import HEAD, Desk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def entity(rest: str, name: str = "a") -> str:
    """A scene whose line 7 and following are `rest`, within an entity."""
    return f'{HEAD}[[entity]]\nname = "{name}"\n{rest}\n'


def event(rest: str) -> str:
    return f'{HEAD}[[event]]\nname = "shove"\n{rest}\n'


VALUES = {
    "mass = {}": "7: a.mass.mass: is missing; give mass [kg]: How heavy it is",
    "mass = { mass = '3' }": "7: a.mass.mass: must be a number, not the string '3'; mass [kg]: How heavy it is",
    "mass = { mass = true }": "7: a.mass.mass: must be a number, not true; mass [kg]: How heavy it is",
    "mass = { mass = -1 }": "7: a.mass.mass: must be greater than 0, is -1; mass [kg]: How heavy it is",
    "mass = { mass = nan }": "7: a.mass.mass: must be a finite number, is nan; mass [kg]: How heavy it is",
    "mass = { mass = inf }": "7: a.mass.mass: must be a finite number, is inf; mass [kg]: How heavy it is",
    "mass = { mass = 1, maas = 2 }": (
        "7: a.mass.maas: unknown key; its keys are: colour, core, count, drag, label, layers, limit, mass, solid."
        " Did you mean 'mass'?"
    ),
    "mass = { mass = 1, colour = 'gren' }": (
        "7: a.mass.colour: unknown value 'gren'; choose from: green, red. Did you mean 'green'?"
    ),
    "mass = { mass = 1, colour = 3 }": (
        "7: a.mass.colour: must be one of 'red', 'green', not the number 3; colour: Colour on the screen"
    ),
    "mass = { mass = 1, count = 3.0 }": (
        "7: a.mass.count: must be a whole number, not the number 3.0; count [1]: How many there are"
    ),
    "mass = { mass = 1, count = -1 }": "7: a.mass.count: must be at least 0, is -1; count [1]: How many there are",
    "mass = { mass = 1, count = 11 }": "7: a.mass.count: must be at most 10, is 11; count [1]: How many there are",
    "mass = { mass = 1, count = 9223372036854775808 }": (
        "7: a.mass.count: the number 9223372036854775808 is wider than 64 bits; give a smaller number"
    ),
    "mass = { mass = 1, label = 'A' }": "7: a.mass.label: must look like ^[a-z]*$, is 'A'; label: A word",
    "mass = { mass = 1, label = 'abcdef' }": "7: a.mass.label: must have at most 5 characters, has 6; label: A word",
    "mass = { mass = 1, solid = 1 }": (
        "7: a.mass.solid: must be true or false, not the number 1; solid: Whether it is solid"
    ),
    "mass = { mass = 1, drag = 'x' }": (
        "7: a.mass.drag: must be a number or a list of 3 numbers, not the string 'x';"
        " drag [kg/s]: Drag, the same or one for each axis"
    ),
    "mass = { mass = 1, drag = [1, 2] }": (
        "7: a.mass.drag: must be a number or a list of 3 numbers, not a list of 2;"
        " drag [kg/s]: Drag, the same or one for each axis"
    ),
    "mass = { mass = 1, core = { stiffness = -1 } }": (
        "7: a.mass.core.stiffness: must be greater than 0, is -1; stiffness [N/m]: Stiffness of an edge"
    ),
    "mass = { mass = 1, core = 'x' }": (
        "7: a.mass.core: must be a table or one of 'none', not the string 'x'; core: What is within"
    ),
    "mass = { mass = 1, layers = [{}, { stiffness = 0 }] }": (
        "7: a.mass.layers[1].stiffness: must be greater than 0, is 0; stiffness [N/m]: Stiffness of an edge"
    ),
    "mass = { mass = 1, layers = [{}, {}, {}] }": (
        "7: a.mass.layers: must have at most 2 elements, has 3; layers: Layers of flesh"
    ),
    "mass = { mass = 1, layers = {} }": (
        "7: a.mass.layers: must be a list of tables, not a table; layers: Layers of flesh"
    ),
    "mass = { mass = 1, limit = 'x' }": (
        "7: a.mass.limit: must be a number, not the string 'x'; limit [m]: Reach, if it ends somewhere"
    ),
    "mass = 3": (
        "7: a.mass: must be a table, not the number 3;"
        " its keys are: mass, colour, count, label, solid, drag, core, layers, limit"
    ),
    "biped = { flesh = 3 }": "7: a.biped.flesh: must be a table, not the number 3; its keys are: stiffness",
    "biped = { flesh = { stifness = 3 } }": (
        "7: a.biped.flesh.stifness: unknown key; its keys are: stiffness. Did you mean 'stiffness'?"
    ),
    "biped = { weight = 2000 }": "7: a.biped: nobody weighs a ton; give weight = 70 or so",
    "pose = { position = [1, 2] }": (
        "7: a.pose.position: must be a list of 3 numbers, not a list of 2;"
        " position [m]: Where the entity's origin is"
    ),
    "pose = { position = [1, 2, 3, 4] }": (
        "7: a.pose.position: must be a list of 3 numbers, not a list of 4;"
        " position [m]: Where the entity's origin is"
    ),
    "pose = { position = 1 }": (
        "7: a.pose.position: must be a list of 3 numbers, not the number 1;"
        " position [m]: Where the entity's origin is"
    ),
    "pose = { position = [1, 'x', 3] }": "7: a.pose.position[1]: must be a number, not the string 'x'",
    "pose.angle = 1\npose.axis = [\n0, 0,\n0]": (
        "7: a.pose: the axis of a turn must not be zero; give axis = [0, 1, 0] or another direction"
    ),
    "pose.position = [\n0,\n'x',\n0]": "9: a.pose.position[1]: must be a number, not the string 'x'",
    "pose = { angle = 2001-01-01 }": (
        "7: a.pose.angle: the date or time 2001-01-01 is not a value of a scene;"
        " write seconds as a number, or words in quotes"
    ),
    "pose = { angle = 12:00:00 }": (
        "7: a.pose.angle: the date or time 12:00:00 is not a value of a scene;"
        " write seconds as a number, or words in quotes"
    ),
    "posse = {}": "7: a.posse: unknown component; choose from: biped, crowd, mass, pose. Did you mean 'pose'?",
    "blink = {}": (
        "7: a.blink: 'blink' is an event, not a component; move it into an [[event]] with a name and a time `at`"
    ),
    "at = 3": "7: a.at: an entity has no time; `at` belongs into an [[event]]",
    "crowd = { deeper = 20 }": (
        "7: a/inner/inner/inner/inner/inner/inner/inner/inner.crowd: prefabs within prefabs are nested deeper"
        " than 8; a prefab must not make itself"
    ),
}


@pytest.mark.parametrize("table", VALUES)
def test_value_of_a_component(desk: Desk, table: str) -> None:
    assert desk.complaints(entity(table)) == [f"scene.toml:{VALUES[table]}"]


EVENTS = {
    "at = 1": "5: shove: does nothing; give it exactly one of: blink, push",
    "blink = {}": "5: shove.at: is missing; give at [s]: Time at which the event begins",
    "at = -1\nblink = {}": "7: shove.at: must be at least 0, is -1; at [s]: Time at which the event begins",
    "at = 'x'\nblink = {}": (
        "7: shove.at: must be a number, not the string 'x'; at [s]: Time at which the event begins"
    ),
    "at = 1\nblink = {}\npush = { on = 'shove', force = [0, 0, 0] }": (
        "5: shove: has 2 kinds (blink, push); give it exactly one of: blink, push"
    ),
    "at = 1\nblnk = {}": "8: shove.blnk: unknown event; choose from: blink, push. Did you mean 'blink'?",
    "at = 1\nmass = {}": "8: shove.mass: 'mass' is a component, not an event; move it into an [[entity]]",
    "at = 2.0\nblink = {}": (
        "7: shove.at: the event begins at 2 s, but the run ends at 2 s; let it begin earlier or make the run longer"
    ),
    "at = 1\nparent = 'b'\nblink = {}": "8: event.parent: an event has no parent; give it a name without /",
    "at = 1\n[event.push]\nforce = [0, 0, 1]\non = 'nobody'": (
        "10: shove.push.on: on = 'nobody' names no entity; name one"
    ),
}


@pytest.mark.parametrize("table", EVENTS)
def test_event(desk: Desk, table: str) -> None:
    assert desk.complaints(event(table)) == [f"scene.toml:{EVENTS[table]}"]


RUNS = {
    "duration = 1": "1: run.step: is missing; give step [s]: Length of a time step",
    "step = 0.01\nduration = 1\nstpe = 2": (
        "4: run.stpe: unknown key; [run] has: allowed_failures, allowed_joint_error, allowed_residual, capacity,"
        " direct, duration, ends, farthest, fastest, gravity, halvings, newton and 5 more. Did you mean 'step'?"
    ),
    "step = 0.5\nduration = 0.1": (
        "2: run.step: a step of 0.5 s is longer than the run of 0.1 s; make the step shorter or the duration longer"
    ),
    "step = 0.1\nduration = 1\nsolver = 'dirct'": (
        "4: run.solver: unknown solver 'dirct'; choose from: direct, newton. Did you mean 'direct'?"
    ),
    "step = 0.1\nduration = 1\n[run.lemke]\ntolerance = 1": (
        "4: run.lemke: no installed plugin has settings of this name; there are: direct, newton"
    ),
    "step = 0.1\nduration = 1\n[run.direct]\ntolerance = 0": (
        "5: run.direct.tolerance: must be greater than 0, is 0; tolerance [m/s]: Residual that counts as solved"
    ),
    "step = 0.1\nduration = 1\n[run.direct]\ntolerence = 0": (
        "5: run.direct.tolerence: unknown key; its keys are: tolerance. Did you mean 'tolerance'?"
    ),
    "step = 0.1\nduration = 1\nseed = -1": (
        "4: run.seed: must be at least 0, is -1; seed [1]: Seed of all noise; --seed overrides it"
    ),
    "step = 0.1\nduration = 1\n[run.capacity]\ncontacts = 1.5": (
        "5: run.capacity.contacts: must be a whole number, not the number 1.5;"
        " contacts [1]: Contacts, joints and limits at once; 0 begins with what the scene is likely to"
        " need, and makes more room"
    ),
}


@pytest.mark.parametrize("table", RUNS)
def test_run(desk: Desk, table: str) -> None:
    where, _, what = RUNS[table].partition(": ")
    assert desk.complaints(f"format = 1\n[run]\n{table}\n") == [f"scene.toml:{int(where) + 1}: {what}"]


NAMES = {
    "pose = {}": "5: entity.name: is missing; write name = \"...\" in every [[entity]]",
    "name = 3": "6: entity.name: must be a string, not the number 3",
    "name = '3x'": (
        "6: entity.name: the string '3x' is not a name; use letters, digits and _, with / between parent and child"
    ),
    "name = 'a//b'": (
        "6: entity.name: the string 'a//b' is not a name; use letters, digits and _, with / between parent and child"
    ),
    "name = 'run'": "6: entity.name: the name 'run' is reserved; use another name",
    "name = 'event/x'": "6: entity.name: the name 'event/x' is reserved; use another name",
    "name = 'b'\nparent = 3": "7: entity.parent: must be the path of an entity, not the number 3",
    "name = 'b'\nparent = 'wlker'\n[[entity]]\nname = 'walker'": (
        "7: wlker/b.parent: there is no entity 'wlker' to be its parent; the scene has: walker. Did you mean 'walker'?"
    ),
    "name = 'walker/b'": "6: walker/b.name: there is no entity 'walker' to be its parent; the scene has: nothing",
    "name = 'b'\n[[entity]]\nname = 'b'": (
        "8: b: the name is taken by scene.toml:6;"
        " use another name, or change that one by [set] \"NAME.KIND.KEY\" = VALUE"
    ),
    "name = 'b'\n[[event]]\nname = 'b'\nat = 1\nblink = {}": (
        "8: b: the name is taken by scene.toml:6;"
        " use another name, or change that one by [set] \"NAME.KIND.KEY\" = VALUE"
    ),
    "name = 'w'\nbiped = {}\n[[entity]]\nname = 'w/torso'": (
        "7: w.biped: the prefab makes an entity 'w/torso', but scene.toml:9 has one already;"
        " rename that one, or change the child by [set] \"w/torso.KIND.KEY\" = VALUE"
    ),
}  # fmt: skip


@pytest.mark.parametrize("table", NAMES)
def test_name(desk: Desk, table: str) -> None:
    assert desk.complaints(f"{HEAD}[[entity]]\n{table}\n") == [f"scene.toml:{NAMES[table]}"]


TOPS = {
    "entiti = 3": "1: entiti: unknown key; the top of a scene has: about, claim, entity, event, expect, format,"
    " include, run, set, sweep, variants. Did you mean 'entity'?",
    "entity = 3": "1: entity: must be a list of tables; write [[entity]] above each of them",
    "entity = [3]": "1: entity: must be a list of tables; write [[entity]] above each of them",
    "set = 3": "1: set: must be a table, not the number 3; write [set]",
    "about = 3": "1: about: must be a string, not the number 3; write about = \"...\"",
    "variants = { a = 3 }": "1: variants.a: must be a table, not the number 3; write name = {}",
    "variants = { 'a.b' = {} }": "1: variants.\"a.b\": is not a name of a variant; use letters, digits and _",
    "variants = { run = {} }": "1: variants.run: the name is reserved; use another name",
    "sweep = { 'run.step' = 3 }": "1: sweep.run.step: is not a list of values; write [3]",
    "include = 3": "1: include: must be a list of files, not the number 3; write include = [\"parts.toml\"]",
    "include = [3]": "1: include[0]: must be the name of a file, not the number 3",
}  # fmt: skip


@pytest.mark.parametrize("line", TOPS)
def test_top_of_the_file(desk: Desk, line: str) -> None:
    assert desk.complaints(f"{line}\n{HEAD}") == [f"scene.toml:{TOPS[line]}"]


def test_single_table_where_a_list_is_meant(desk: Desk) -> None:
    found = desk.complaints(f"{HEAD}[entity]\nname = 'a'\n")
    assert found == ["scene.toml:5: entity: must be a list of tables; write [[entity]] above each of them"]


@pytest.mark.parametrize(
    ("first", "expected"),
    [
        ("", "scene.toml:1: format: is missing; begin the file with format = 1"),
        (
            "format = '1'",
            "scene.toml:1: format: must be a whole number, not the string '1'; write format = 1",
        ),
        ("format = true", "scene.toml:1: format: must be a whole number, not true; write format = 1"),
        (
            "\nformat = 2",
            "scene.toml:2: format: the file was written for a newer supple; update supple; this one reads format 1",
        ),
        ("format = 0", "scene.toml:1: format: there is no such format as the number 0; write format = 1"),
    ],
)
def test_format(desk: Desk, first: str, expected: str) -> None:
    assert desk.complaints(HEAD.replace("format = 1", first)) == [expected]


def test_newer_format_silences_all_else(desk: Desk) -> None:
    assert len(desk.complaints("format = 2\nunheard_of = 3\n")) == 1


def test_all_errors_at_once_sorted_by_line(desk: Desk) -> None:
    text = """\
format = 1
[[entity]]
name = "a"
mass = { mass = -1 }
posse = {}
[[event]]
name = "e"
at = -1
blink = { x = 1 }
[run]
step = 0
"""
    found = desk.complaints(text)
    lines = [int(line.split(":")[1]) for line in found]
    assert lines == sorted(lines) == [4, 5, 8, 9, 10, 11]


def test_broken_prefab_does_not_cascade(desk: Desk) -> None:
    """Children, overrides and metrics below a prefab that cannot be read are not complained about."""
    text = f"""{HEAD}
[[entity]]
name = "w"
biped = {{ feet = "sfot" }}
[[entity]]
name = "w/torso/hat"
[set]
"w/torso.mass.mass" = 3
[[expect]]
metric = "w/torso.height"
above = 0
because = "it stands"
"""
    assert desk.complaints(text) == [
        "scene.toml:8: w.biped.feet: unknown value 'sfot'; choose from: four_link, rigid, soft."
        " Did you mean 'soft'?"
    ]


def test_strange_words_do_not_break_the_line(desk: Desk) -> None:
    text = event('at = 1\n"bl\\nk" = {}\npush = { on = "x\\ny\\u001b[31m", force = [0, 0, 1] }')
    found = desk.complaints(text)
    assert [line.isprintable() for line in found] == [True] * 2
    found = desk.complaints(event('at = 1\npush = { on = "x\\ny\\u001b[31m", force = [0, 0, 1] }'))
    assert found == [r"scene.toml:8: shove.push.on: on = 'x\ny\x1b[31m' names no entity; name one"]


def test_error_is_a_scene_error_with_exit_code_2(desk: Desk) -> None:
    with pytest.raises(SceneError) as caught:
        desk.read("format = 1\n")
    assert caught.value.exit_code == 2


def test_missing_run_is_missing_step_and_duration(desk: Desk) -> None:
    assert desk.complaints("format = 1\n") == [
        "scene.toml:1: run.step: is missing; give step [s]: Length of a time step",
        "scene.toml:1: run.duration: is missing; give duration [s]: Simulated time of the whole run",
    ]


def test_scenes_without_mistakes_have_no_complaints(desk: Desk) -> None:
    good = entity("biped = { feet = 'rigid' }\npose = { position = [1, 2.5, 3] }")
    assert desk.complaints(good + "[[event]]\nname='e'\nat=0\npush={on='a/torso', force=[1, 0, 0]}\n") == []
    alternatives = [
        "drag = 1",
        "drag = [1, 2, 3]",
        "core = {}",
        "core = 'none'",
        "layers = [{}]",
        "limit = 1",
    ]
    for alternative in alternatives:
        assert desk.complaints(entity(f"mass = {{ mass = 1, {alternative} }}")) == []
