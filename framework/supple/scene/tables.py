"""The tables of a scene besides components: what each holds, with an example, for `supple components` and for pages."""

from __future__ import annotations

from typing import Any

from supple.scene.claims_tables import ClaimTable, ExpectTable
from supple.scene.read_entities import Timing
from supple.scene.reference import describe_class
from supple.scene.repeat import Repeat


def describe_tables() -> list[dict[str, Any]]:
    """In the order in which a scene is read; as `describe_components`, with `example` besides."""
    return [_describe_top(), _describe_include(), _describe_entity(), *_describe_classes(), *_describe_overrides()]


def _field(name: str, kind: str, doc: str, *, required: bool = False, unit: str = "") -> dict[str, Any]:
    return {
        "name": name, "type": kind, "unit": unit, "required": required, "default": None, "range": "", "doc": doc,
    }  # fmt: skip


def _table(kind: str, doc: str, fields: list[dict[str, Any]], example: str) -> dict[str, Any]:
    return {
        "role": "table", "kind": kind, "doc": doc, "plugin": "supple", "prefab": False, "fields": fields,
        "metrics": [], "example": example,
    }  # fmt: skip


def _describe_top() -> dict[str, Any]:
    fields = [
        _field("format", "whole number", "Version of the format; 1.", required=True),
        _field("about", "text", "What the scene shows, in a sentence or two."),
    ]
    return _table("scene", "The top of every file.", fields, 'format = 1\nabout = "A ball falls."')


def _describe_include() -> dict[str, Any]:
    fields = [_field("include", "list of texts", "Files beside this one that are read as part of it, each once.")]
    doc = "Files to read as part of this one; what this one says of [run] and [set] counts before what they say."
    return _table("include", doc, fields, 'include = ["floor.toml", "man.toml"]')


def _describe_entity() -> dict[str, Any]:
    fields = [
        _field("name", "text", "Its name, unique; parent/child for a child of another.", required=True),
        _field("parent", "text", "Path of the parent, put before the name."),
        _field("repeat", "table", "Copies of it in a row or a grid."),
        _field("KIND", "table", "Any component; `supple components` lists them."),
    ]
    example = '[[entity]]\nname = "ball"\npose = { position = [0, 1, 0] }\nsphere = { radius = 0.1 }\nbody = {}'
    return _table("entity", "A thing: a name with components. The order of entities has no meaning.", fields, example)


def _describe_classes() -> list[dict[str, Any]]:
    repeat = describe_class(Repeat, "table", "repeat", "supple")
    event = describe_class(Timing, "table", "event", "supple")
    expect = describe_class(ExpectTable, "table", "expect", "supple")
    claim = describe_class(ClaimTable, "table", "claim", "supple")
    event["doc"] = "Something that happens at a time: a name, when, and one kind of event."
    event["fields"] = [
        _field("name", "text", "Its name, unique.", required=True),
        *event["fields"],
        _field("KIND", "table", "Exactly one event; those of role event in `supple components`.", required=True),
    ]
    repeat["example"] = (
        '[[entity]]\nname = "post"\nrepeat = { count = [4, 1, 3], spacing = [0.5, 0, 0.5] }\n'
        "pose = { position = [0, 0.2, 0] }\nbox = { size = [0.1, 0.4, 0.1] }"
    )
    event["example"] = (
        '[[event]]\nname = "shove"\nat = 2.0\npush = { on = "ball", force = [10, 0, 0], duration = 0.1 }'
    )
    expect["example"] = (
        '[[expect]]\nmetric = "ball.height"\nequals = 0.1\ntolerance = 1e-6\nbecause = "it rests on the floor"'
    )
    claim["example"] = (
        '[[claim]]\nid = "rests"\nsays = "The ball comes to rest, whatever the seed."\nholds = "max(ball.speed) < 1e-3"'
    )
    return [repeat, event, expect, claim]


def _describe_overrides() -> list[dict[str, Any]]:
    path = '"ENTITY.KIND.KEY"'
    return [
        _table(
            "set", "Other values for what this scene, an included file or a prefab says.",
            [_field(path, "any value", "The path in quotes; for [run], \"run.KEY\".")],
            '[set]\n"man/bones/pelvis.bone.mass" = 12\n"run.solver" = "newton"',
        ),
        _table(
            "variants", "Versions of the scene: by name, the values that differ. `--variant NAME` runs one.",
            [_field(f"NAME.{path}", "any value", "As in [set].")],
            '[variants.heavy]\n"ball.body.density" = 8000',
        ),
        _table(
            "sweep", "Values to run through: every combination with every seed is a run of `supple claims`.",
            [
                _field(path, "list of values", "What this key is in turn."),
                _field("seeds", "list of whole numbers", "Seeds of the noise; without it, that of the run."),
            ],
            '[sweep]\n"ball.sphere.friction" = [0.2, 0.4, 0.8]\nseeds = [0, 1, 2]',
        ),
    ]  # fmt: skip
