"""What [set], variants, sweeps and --set change, in which order, and what they may not name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from supple.core.blueprint import Blueprint
from supple.errors import SceneError, UserError
from supple.scene.load import Scene
from supple.scene.overrides import parse_value
from toy_scenes import HEAD, Desk

SCENE = f"""{HEAD}seed = 4
[[entity]]
name = "a"
mass = {{ mass = 1.0, count = 1 }}
[[entity]]
name = "w"
biped = {{ feet = "soft", flesh = {{ stiffness = 5.0 }} }}
[[event]]
name = "e"
at = 1.0
push = {{ on = "a", force = [0, 0, 1] }}
"""


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def value(blueprint: Blueprint, path: str, kind: str, key: str) -> Any:
    return getattr(blueprint.graph[path].components[kind], key)


def refusals(desk: Desk, scene: Scene, *overrides: str, **more: Any) -> list[str]:
    with pytest.raises(SceneError) as caught:
        scene.blueprint(overrides=overrides, **more)
    return desk.tidy(caught.value)


def test_later_layers_win(desk: Desk) -> None:
    layers = (
        '[set]\n"a.mass.mass" = 2.0\n'
        '[variants]\nv = { "a.mass.mass" = 3.0 }\nu = {}\n'
        '[sweep]\n"a.mass.mass" = [4.0, 5.0]\n'
    )
    scene = desk.read(SCENE + layers)
    seen = [
        scene.blueprint(),
        scene.blueprint(variant="v"),
        scene.blueprint(variant="u"),
        scene.blueprint(variant="v", cell=scene.cells[1]),
        scene.blueprint(variant="v", cell=scene.cells[1], overrides=["a.mass.mass=6.0", "a.mass.mass=7"]),
    ]
    assert [value(each, "a", "mass", "mass") for each in seen] == [2.0, 3.0, 2.0, 5.0, 7.0]
    assert value(desk.read(SCENE).blueprint(), "a", "mass", "mass") == 1.0


def test_override_of_each_kind_of_place(desk: Desk) -> None:
    blueprint = desk.read(SCENE).blueprint(
        overrides=[
            "w.biped.flesh.stiffness=7",
            "w/torso.mass.colour=green",
            "w/torso.pose.position=[0, 2, 0]",
            "e.at=0.5",
            "e.push.force=[1, 2, 3]",
            "run.step=0.02",
            "run.direct.tolerance=1e-3",
            "run.capacity.contacts=9",
            "a.pose.angle=90",
        ]
    )
    assert value(blueprint, "w", "biped", "flesh").stiffness == 7
    assert value(blueprint, "w/torso", "mass", "colour") == "green"
    assert value(blueprint, "w/torso", "mass", "mass") == 70.0, "what is not overridden stays"
    assert value(blueprint, "w/torso", "pose", "position") == (0, 2, 0)
    assert blueprint.graph["e"].at == 0.5
    assert value(blueprint, "e", "push", "force") == (1, 2, 3)
    assert blueprint.run.step == 0.02
    assert blueprint.run.capacity.contacts == 9
    assert blueprint.settings["direct"].tolerance == 1e-3
    assert blueprint.settings["newton"].tolerance == 1e-9
    assert value(blueprint, "a", "pose", "angle") == 90, "a component the entity lacked is added"


def test_whole_component_is_replaced(desk: Desk) -> None:
    blueprint = desk.read(SCENE).blueprint(overrides=["a.mass={ mass = 3.0 }", "w/torso.mass={ mass = 2.0 }"])
    assert value(blueprint, "a", "mass", "count") == 1
    assert value(blueprint, "w/torso", "mass", "mass") == 2.0
    blueprint = desk.read(SCENE).blueprint(overrides=["a.mass.count=5", "a.mass={ mass = 3.0 }"])
    assert value(blueprint, "a", "mass", "count") == 1


def test_wider_overrides_of_one_table_apply_first(desk: Desk) -> None:
    """So the order of the lines has no meaning."""
    for lines in (
        '"a.mass" = { mass = 9.0 }\n"a.mass.count" = 7\n',
        '"a.mass.count" = 7\n"a.mass" = { mass = 9.0 }\n',
    ):
        blueprint = desk.read(f"{SCENE}[set]\n{lines}").blueprint()
        assert value(blueprint, "a", "mass", "count") == 7
        assert value(blueprint, "a", "mass", "mass") == 9.0


def test_prefab_is_overridden_before_it_expands(desk: Desk) -> None:
    blueprint = desk.read(SCENE).blueprint(overrides=["w.biped.weight=90"])
    assert value(blueprint, "w/torso", "mass", "mass") == 90


def test_prefab_within_prefab_is_overridden_before_it_expands(desk: Desk) -> None:
    scene = desk.read(f"{HEAD}[[entity]]\nname = 'c'\ncrowd = {{ size = 2 }}\n")
    blueprint = scene.blueprint(overrides=["c/n1.biped.weight=90", "c/n1/torso.mass.count=2"])
    assert value(blueprint, "c/n0/torso", "mass", "mass") == 70
    assert value(blueprint, "c/n1/torso", "mass", "mass") == 90
    assert value(blueprint, "c/n1/torso", "mass", "count") == 2


def test_override_may_make_the_child_it_changes(desk: Desk) -> None:
    scene = desk.read(f"{HEAD}[[entity]]\nname = 'c'\ncrowd = {{ size = 0 }}\n")
    blueprint = scene.blueprint(overrides=["c.crowd.size=1", "c/n0.biped.weight=50"])
    assert value(blueprint, "c/n0/torso", "mass", "mass") == 50


def test_overrides_from_python(desk: Desk) -> None:
    blueprint = desk.read(SCENE).blueprint(
        overrides={"a.pose.position": np.array([1.0, 2.0, 3.0]), "a.mass.count": np.int64(3), "e.at": 0.25}
    )
    assert value(blueprint, "a", "pose", "position") == (1.0, 2.0, 3.0)
    assert value(blueprint, "a", "mass", "count") == 3
    with pytest.raises(SceneError, match=r"^overrides\['a.mass.mass'\]: a.mass.mass: a set is not a value"):
        desk.read(SCENE).blueprint(overrides={"a.mass.mass": {1}})


def test_seed_and_until(desk: Desk) -> None:
    scene = desk.read(SCENE)
    assert scene.blueprint().seed == 4
    assert scene.blueprint(overrides=["run.seed=5"]).seed == 5
    assert scene.blueprint(overrides=["run.seed=5"], seed=6).seed == 6
    assert scene.blueprint(seed=np.int64(7), until=np.float64(1.5)).seed == 7
    assert scene.blueprint(overrides=["run.seed=6"]).fingerprint() == scene.blueprint(seed=6).fingerprint()
    short = scene.blueprint(until=0.5)
    assert short.run.duration == 0.5, "an event after an early end is no mistake"
    assert short.fingerprint() == scene.blueprint().fingerprint()
    assert refusals(desk, scene, until=-1.0) == [
        "--until -1.0: run.duration: must be greater than 0, is -1.0; duration [s]: Simulated time of the whole run"
    ]
    assert refusals(desk, scene, seed=-1) == [
        "--seed -1: run.seed: must be at least 0, is -1; seed [1]: Seed of all noise; --seed overrides it"
    ]


def test_cells_and_their_seeds(desk: Desk) -> None:
    plain = desk.read(SCENE)
    assert [(cell.overrides, cell.seed) for cell in plain.cells] == [((), 4)]
    assert plain.blueprint(cell=plain.cells[0], overrides=["run.seed=9"]).seed == 9
    varied = desk.read(SCENE + '[variants]\nv = { "run.seed" = 8 }\n')
    assert varied.blueprint(variant="v", cell=varied.cells[0]).seed == 8
    swept = desk.read(SCENE + '[sweep]\n"e.at" = [0.1, 0.2]\nseeds = [1, 2, 3]\n')
    seen = [swept.blueprint(cell=cell) for cell in swept.cells]
    assert [(each.graph["e"].at, each.seed) for each in seen] == [
        (0.1, 1), (0.1, 2), (0.1, 3), (0.2, 1), (0.2, 2), (0.2, 3),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3", 3), (" 3.5 ", 3.5), ("true", True), ("[1, 2]", [1, 2]), ("{ a = 1 }", {"a": 1}), ("'x'", "x"),
        ("soft", "soft"), ("walker/torso", "walker/torso"), ("[1, 2", "[1, 2"), ("1\nb = 2", "1\nb = 2"),
        ("[" * 5000, "[" * 5000), ("a=b", "a=b"),
    ],
)  # fmt: skip
def test_value_of_an_assignment(text: str, expected: Any) -> None:
    assert parse_value(text) == expected


REFUSED = {
    "w.biped.feet=sfot": (
        "w.biped.feet: unknown value 'sfot'; choose from: four_link, rigid, soft. Did you mean 'soft'?"
    ),
    "w.biped.feeet=soft": "w.biped.feeet: unknown key; its keys are: feet, flesh, weight. Did you mean 'feet'?",
    "w.bipde.feet=soft": (
        "w.bipde: unknown component; choose from: biped, crowd, mass, pose. Did you mean 'biped'?"
    ),
    "v.biped.feet=soft": (
        "v.biped.feet: there is no entity 'v'; the scene has: a, e, run, w, w/left_foot, w/right_foot, w/torso"
    ),
    "w/trso.mass.mass=1": (
        "w/trso.mass.mass: there is no entity 'w/trso'; below w there are: w/left_foot, w/right_foot, w/torso."
        " Did you mean 'w/torso'?"
    ),
    "w/torso/hat.mass.mass=1": "w/torso/hat.mass.mass: there is no entity 'w/torso/hat'; w/torso has no children",
    "w/torso.mass.mas=1": (
        "w/torso.mass.mas: unknown key; its keys are: colour, core, count, drag, label, layers, limit, mass, solid."
        " Did you mean 'mass'?"
    ),
    "w.mass.count=1": "w.mass.mass: is missing; give mass [kg]: How heavy it is",
    "a.mass.mass.x=1": "a.mass.mass: must be a number, not a table; mass [kg]: How heavy it is",
    "a.mass={ mass = -1 }": "a.mass.mass: must be greater than 0, is -1; mass [kg]: How heavy it is",
    "a.pose.position.x=1": (
        "a.pose.position: must be a list of 3 numbers, not a table; position [m]: Where the entity's origin is"
    ),
    "e.att=1": "e.att: unknown event; choose from: blink, push",
    "run.stp=1": (
        "run.stp: unknown key; [run] has: allowed_failures, allowed_joint_error, allowed_residual, capacity, direct,"
        " duration, ends, farthest, fastest, gravity, halvings, newton and 5 more. Did you mean 'step'?"
    ),
    "run.solver=lemke": "run.solver: unknown solver 'lemke'; choose from: direct, newton",
    "a=1": "a: is not the path of a value; write a path such as walker.body.mass or run.step",
    "a={ mass = 1 }": 'a: names no single value; put the whole path in quotes: "a.KIND.KEY" = VALUE',
    "a..b=1": "a..b: is not the path of a value; write a path such as walker.body.mass or run.step",
    "a.mass.mass": (
        "a.mass.mass: gives no value; write --set KEY=VALUE with a key such as walker.body.mass or run.step"
    ),
    "a.mass.mass=": (
        "a.mass.mass: gives no value; write --set KEY=VALUE with a key such as walker.body.mass or run.step"
    ),
    "a.mass.mass=2001-01-01": (
        "a.mass.mass: the date or time 2001-01-01 is not a value of a scene;"
        " write seconds as a number, or words in quotes"
    ),
}


@pytest.mark.parametrize("assignment", REFUSED)
def test_refused_assignment(desk: Desk, assignment: str) -> None:
    scene = desk.read(SCENE)
    found = refusals(desk, scene, assignment)
    expected = [f"--set {assignment}: {REFUSED[assignment]}"]
    if assignment.startswith("e."):  # an event of two kinds is reported besides
        assert expected[0] in found
    else:
        assert found == expected


def test_all_refused_assignments_at_once(desk: Desk) -> None:
    found = refusals(desk, desk.read(SCENE), "w.biped.feet=sfot", "a.mass.mass=-1", "b.mass.mass=1", "x")
    assert len(found) == 4


def test_unknown_variant_lists_them(desk: Desk) -> None:
    scene = desk.read(SCENE + "[variants]\nsoft = {}\nrigid = {}\n")
    assert scene.variants == ("soft", "rigid")
    assert refusals(desk, scene, variant="sotf") == [
        "scene.toml: variants: there is no variant 'sotf'; choose from: rigid, soft. Did you mean 'soft'?"
    ]
    assert refusals(desk, desk.read(SCENE), variant="x") == [
        "scene.toml: variants: there is no variant 'x'; the scene has no variants"
    ]


LAYERS = {
    '[set]\n"w.biped.feet" = "sfot"': (
        "17: w.biped.feet: unknown value 'sfot'; choose from: four_link, rigid, soft. Did you mean 'soft'?"
    ),
    "[set]\na.mass.mass = 1": '17: a: names no single value; put the whole path in quotes: "a.KIND.KEY" = VALUE',
    '[set."a.mass"]\nmass = 1\ncount = -1': (
        "18: a.mass.count: must be at least 0, is -1; count [1]: How many there are"
    ),
    '[variants]\nv = { "w.biped.feet" = "sfot" }\nu = {}': (
        "17: w.biped.feet: unknown value 'sfot'; choose from: four_link, rigid, soft. Did you mean 'soft'?"
    ),
    '[variants.v]\n"run.step" = 1\n\n"w/trso.mass.mass" = 1': (
        "19: w/trso.mass.mass: there is no entity 'w/trso'; below w there are: w/left_foot, w/right_foot, w/torso."
        " Did you mean 'w/torso'?"
    ),
    '[variants]\nv = { "run.duration" = 0.5 }': (
        "14: e.at: the event begins at 1 s, but the run ends at 0.5 s (with variant v);"
        " let it begin earlier or make the run longer"
    ),
    "[variants]\nw = {}": (
        "17: variants.w: an entity or event has the same name, so that expressions could not tell them apart;"
        " rename the variant"
    ),
    '[sweep]\n"w.biped.feet" = [\n"soft",\n"sfot"]': (
        "19: w.biped.feet: unknown value 'sfot'; choose from: four_link, rigid, soft. Did you mean 'soft'?"
    ),
    '[sweep]\n"b.biped.feet" = ["soft"]': (
        "17: b.biped.feet: there is no entity 'b'; the scene has: a, e, run, w, w/left_foot, w/right_foot, w/torso"
    ),
    '[sweep]\n"e.at" = [1.0, 3.0]': (
        "17: e.at: the event begins at 3 s, but the run ends at 2 s; let it begin earlier or make the run longer"
    ),
    '[sweep]\n"run.duration" = [1.5, 0.5]': (
        "14: e.at: the event begins at 1 s, but the run ends at 0.5 s (with the sweep of run.duration);"
        " let it begin earlier or make the run longer"
    ),
    "[sweep]\nseeds = [1, -1]": "17: sweep.seeds: -1 is not a seed; write whole numbers from 0 on",
    "[sweep]\nfeet = ['soft']": (
        "17: feet: is not the path of a value; write a path such as walker.body.mass or run.step"
    ),
}


@pytest.mark.parametrize("layer", LAYERS)
def test_mistakes_in_layers_are_found_without_using_them(desk: Desk, layer: str) -> None:
    assert desk.complaints(f"{SCENE}{layer}\n") == [f"scene.toml:{LAYERS[layer]}"]


def test_sweep_is_tried_within_every_variant(desk: Desk) -> None:
    layers = '[variants]\none = {}\ntwo = { "c.crowd.size" = 2 }\n[sweep]\n"c/n1.biped.weight" = [1.0]\n'
    found = desk.complaints(f"{HEAD}[[entity]]\nname = 'c'\ncrowd = {{}}\n{layers}")
    assert len(found) == 1, "fine in one of the variants, but not in the other"
    assert "there is no entity 'c/n1'" in found[0]
    assert found[0].startswith("scene.toml:12:")


def test_place_of_what_was_written(desk: Desk) -> None:
    scene = desk.read(SCENE)
    lines = {"a": 6, "a.mass.mass": 8, "w/torso.mass": 9, "e.at": 14, "x": None}
    assert {path: getattr(scene.locate(path), "line", None) for path in lines} == lines


def test_reading_does_not_change_the_document(desk: Desk) -> None:
    scene = desk.read(SCENE)
    before = scene.blueprint().fingerprint()
    scene.blueprint(overrides=["w.biped.flesh.stiffness=1", "a.mass.mass=2", "w/torso.mass.mass=3"])
    with pytest.raises(UserError):
        scene.blueprint(overrides=["a.mass.mass=-2"])
    assert scene.blueprint().fingerprint() == before
