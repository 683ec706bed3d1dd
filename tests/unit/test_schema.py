"""The schema for editors and the reference agree with what the reader accepts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tomli

from supple.core.registry import Registry
from supple.plugin import load_plugins
from supple.scene.reference import describe_components
from supple.scene.schema import make_schema
from toy_scenes import HEAD, Desk, make_plugins

FULL = f"""about = "all there is"
{HEAD}gravity = [0, -9.81, 0]
solver = "direct"
[run.direct]
tolerance = 1e-3
[run.capacity]
contacts = 3
[[entity]]
name = "a"
mass = {{ mass = 1, colour = "green", drag = [1, 2, 3], core = {{ stiffness = 1 }}, layers = [{{}}], limit = 2 }}
[[entity]]
name = "b"
parent = "a"
pose = {{ position = [1, 2.5, 3] }}
biped = {{ flesh = {{ stiffness = 3 }} }}
[[event]]
name = "e"
at = 1
push = {{ on = "a", force = [0, 0, 1] }}
[set]
"a.mass.count" = 2
[variants]
v = {{ "a/b.biped.feet" = "rigid" }}
w = {{}}
[sweep]
"e.at" = [1.0, 1.5]
seeds = [1, 2]
[[claim]]
id = "C"
says = "it rises"
holds = "mean(v.a.height) > mean(w.a.height)"
[[expect]]
metric = "a.height"
above = 1
below = 2
because = "it must"
[[expect]]
metric = "a.height"
equals = 1
tolerance = 0.1
because = "it must"
"""


@pytest.fixture
def schema() -> dict[str, Any]:
    return make_schema(make_plugins().registry)


def walk(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from walk(inner)


def test_schema_is_draft_07_without_references(schema: dict[str, Any]) -> None:
    assert schema["$schema"] == "http://json-schema.org/draft-07/schema#"
    for node in walk(schema):
        assert not {"$ref", "$defs", "prefixItems", "unit"} & set(node)
        assert node.get("type") != "null"
        assert node.get("default", 0) is not None


def test_schema_tells_units_choices_and_plugs(schema: dict[str, Any]) -> None:
    entity = schema["properties"]["entity"]["items"]["properties"]
    assert sorted(entity) == ["biped", "crowd", "mass", "name", "parent", "pose", "repeat"]
    assert entity["mass"]["description"] == "Something heavy."
    assert entity["mass"]["properties"]["mass"]["description"] == "[kg] How heavy it is."
    assert entity["mass"]["properties"]["colour"]["enum"] == ["red", "green"]
    assert entity["biped"]["properties"]["flesh"]["properties"]["stiffness"]["exclusiveMinimum"] == 0
    assert entity["pose"]["properties"]["position"]["items"] == {"type": "number"}
    run = schema["properties"]["run"]["properties"]
    assert run["solver"]["enum"] == ["direct", "newton"]
    assert run["direct"]["properties"]["tolerance"]["description"].startswith("[m/s] ")
    assert set(schema["properties"]["event"]["items"]["properties"]) == {"name", "at", "push", "blink"}


def test_schema_does_not_depend_on_the_order_of_registration(schema: dict[str, Any]) -> None:
    registry = make_plugins().registry
    turned = Registry(
        components=dict(reversed(registry.components.items())),
        events=dict(reversed(registry.events.items())),
        solvers=dict(reversed(registry.solvers.items())),
        settings=dict(reversed(registry.settings.items())),
    )
    assert json.dumps(make_schema(turned)) == json.dumps(schema)
    assert json.dumps(make_schema(registry)) == json.dumps(schema), "making it twice gives the same"


def test_full_scene_is_a_scene(tmp_path: Path) -> None:
    assert Desk(tmp_path).complaints(FULL) == []


GOOD = {
    "everything": FULL,
    "nothing but a run": HEAD,
    "a run from elsewhere": "format = 1\ninclude = ['run.toml']\n",
}
BAD = {
    "no format": HEAD.replace("format = 1\n", ""),
    "another format": HEAD.replace("format = 1\n", "format = 2\n"),
    "no run": "format = 1\n",
    "no step": HEAD.replace("step = 0.01\n", ""),
    "unknown top": f"entiti = []\n{HEAD}",
    "unknown run key": f"{HEAD}x = 1\n",
    "unknown solver": f"{HEAD}solver = 'lemke'\n",
    "unknown settings": f"{HEAD}[run.lemke]\n",
    "bad settings": f"{HEAD}[run.direct]\ntolerance = 0\n",
    "no name": f"{HEAD}[[entity]]\npose = {{}}\n",
    "bad name": f"{HEAD}[[entity]]\nname = '3'\n",
    "unknown component": f"{HEAD}[[entity]]\nname = 'a'\nposse = {{}}\n",
    "missing field": f"{HEAD}[[entity]]\nname = 'a'\nmass = {{}}\n",
    "out of range": f"{HEAD}[[entity]]\nname = 'a'\nmass = {{ mass = -1 }}\n",
    "unknown choice": f"{HEAD}[[entity]]\nname = 'a'\nmass = {{ mass = 1, colour = 'blue' }}\n",
    "wrong type": f"{HEAD}[[entity]]\nname = 'a'\nmass = {{ mass = '1' }}\n",
    "short vector": f"{HEAD}[[entity]]\nname = 'a'\npose = {{ position = [1, 2] }}\n",
    "long vector": f"{HEAD}[[entity]]\nname = 'a'\npose = {{ position = [1, 2, 3, 4] }}\n",
    "wrong union": f"{HEAD}[[entity]]\nname = 'a'\nmass = {{ mass = 1, drag = 'x' }}\n",
    "wrong optional": f"{HEAD}[[entity]]\nname = 'a'\nmass = {{ mass = 1, limit = 'x' }}\n",
    "nested": f"{HEAD}[[entity]]\nname = 'a'\nbiped = {{ flesh = {{ x = 1 }} }}\n",
    "event without time": f"{HEAD}[[event]]\nname = 'e'\nblink = {{}}\n",
    "event of no kind": f"{HEAD}[[event]]\nname = 'e'\nat = 1\n",
    "event of two kinds": f"{HEAD}[[event]]\nname = 'e'\nat = 1\nblink = {{}}\npush = {{on='e', force=[0, 0, 0]}}\n",
    "unquoted override": f"{HEAD}[[entity]]\nname = 'a'\n[set]\na.pose.angle = 1\n",
    "variant without table": f"{HEAD}[variants]\nv = 3\n",
    "axis without list": f"{HEAD}[sweep]\n'run.step' = 3\n",
    "negative seed": f"{HEAD}[sweep]\nseeds = [-1]\n",
    "claim without id": f"{HEAD}[[claim]]\nsays = 'x'\nholds = 'run.contacts > 0'\n",
    "expectation without bound": f"{HEAD}[[expect]]\nmetric = 'run.contacts'\nbecause = 'x'\n",
    "include of one": f"include = 'x.toml'\n{HEAD}",
}  # fmt: skip


@pytest.mark.parametrize("case", GOOD)
def test_good_scenes_are_valid(schema: dict[str, Any], case: str) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft7Validator.check_schema(schema)
    assert [
        error.message for error in jsonschema.Draft7Validator(schema).iter_errors(tomli.loads(GOOD[case]))
    ] == []


@pytest.mark.parametrize("case", BAD)
def test_bad_scenes_are_not_valid(schema: dict[str, Any], case: str) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    assert not jsonschema.Draft7Validator(schema).is_valid(tomli.loads(BAD[case]))


@pytest.mark.parametrize("case", BAD)
def test_the_reader_refuses_the_same(tmp_path: Path, case: str) -> None:
    assert Desk(tmp_path).complaints(BAD[case])


def test_schema_of_the_installed_plugins_knows_all_their_kinds() -> None:
    registry = load_plugins().registry
    properties = make_schema(registry)["properties"]
    assert set(registry.components) <= set(properties["entity"]["items"]["properties"])
    assert set(registry.events) <= set(properties["event"]["items"]["properties"])
    assert set(registry.settings) <= set(properties["run"]["properties"])


def test_reference_describes_everything() -> None:
    plugins = make_plugins()
    described = {each["kind"]: each for each in describe_components(plugins.registry)}
    assert {kind: each["role"] for kind, each in described.items()} == {
        "pose": "component", "mass": "component", "biped": "component", "crowd": "component",
        "push": "event", "blink": "event", "run": "settings", "run.direct": "settings", "run.newton": "settings",
    }  # fmt: skip
    mass = described["mass"]
    assert mass["doc"] == "Something heavy."
    assert mass["prefab"] is False
    assert described["biped"]["prefab"] is True
    assert [metric["name"] for metric in mass["metrics"]] == ["height", "travel"]
    fields = {each["name"]: each for each in mass["fields"]}
    assert fields["mass"] == {
        "name": "mass", "type": "a number", "unit": "kg", "required": True, "default": None, "range": "> 0",
        "doc": "How heavy it is.",
    }  # fmt: skip
    assert fields["count"]["range"] == ">= 0, <= 10"
    assert fields["drag"]["type"] == "a number or a list of 3 numbers"
    nested = {each["name"]: each for each in described["biped"]["fields"]}
    assert nested["flesh"]["default"] == {"stiffness": 1e4}
    assert nested["flesh.stiffness"]["unit"] == "N/m"
    json.dumps(list(described.values()), allow_nan=False)
