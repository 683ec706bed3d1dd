"""Whatever is done to the text of a scene, it loads or is refused with a place; order has no meaning."""

from __future__ import annotations

import copy
import datetime
import json
import math
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import tomli
from hypothesis import given, settings
from hypothesis import strategies as st

from supple.core.blueprint import Blueprint
from supple.errors import UserError
from supple.plugin import Plugins, load_plugins
from supple.scene.load import Scene, read_scene

HEAD = """\
format = 1
about = "A ball and a crate fall."
[run]
step = 0.002
duration = 2.0
gravity = [0, -9.81, 0]
solver = "newton"
[run.newton]
tolerance = 1e-10
"""
BLOCKS = (
    '[[entity]]\nname = "floor"\nplane = { friction = 0.6 }\n',
    '[[entity]]\nname = "ball"\npose = { position = [-0.5, 0.5, 0] }\nsphere = { radius = 0.1 }\nbody = {}\n',
    '[[entity]]\nname = "tower"\nstack = { boxes = 3, size = [0.3, 0.2, 0.2] }\n',
    '[[entity]]\nname = "group"\npose = { axis = [0, 0, 1], angle = 20 }\n',
    '[[entity]]\nparent = "group"\nname = "crate"\nbox = { size = [0.3, 0.2, 0.2] }\nbody = { mass = 2 }\n',
    '[[event]]\nname = "nudge"\nat = 1.0\npush = { on = "tower/box1", force = [2.0, 0, 0], duration = 0.1 }\n',
    '[variants]\nhard = { "ball.body.density" = 2e3 }\nhigh = { "tower.stack.boxes" = 4 }\n',
    '[set]\n"tower/box1.box.friction" = 0.1\n',
    '[sweep]\n"nudge.at" = [0.5, 1.5]\nseeds = [1, 2]\n',
    '[[claim]]\nid = "C"\nsays = "it is so"\nholds = "mean(hard.ball.height) >= mean(high.ball.height)"\n',
    '[[expect]]\nmetric = "tower/box2.height"\nabove = 0.0\nbecause = "the ground is solid"\n',
)
TEXT = HEAD + "".join(BLOCKS)
#: A comment, a string, a number or word, or a single character.
TOKEN = re.compile(r'#[^\n]*|"[^"\n]*"|[\w.+-]+|\s+|.')
ODD = (
    "", "-1", "0", "1e999", "-inf", "nan", "true", "false", '""', '"x"', "'''y'''", "[]", "{}", "[[]]", "[1, 2]",
    "{ a = 1 }", "1979-05-27", "07:32:00", "9223372036854775808", "-9223372036854775809", "0x1F", '"\\u0000"',
    '"a.b"', "name", "run", "ball", "mass", "3.0", "[[entity]]", "[run]", "=", ".", ",", "#", '"', "\n", "\0", "é",
    "1" * 400, "[" * 150, '"../x.toml"', "include = ['scene.toml']\n", "\U0001f600", '"tower/box1"', "tower/box9",
)  # fmt: skip


@cache
def plugins() -> Plugins:
    return load_plugins()


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("mutants") / "scene.toml"


def use_up(scene: Scene) -> None:
    """Everything a runner asks of a scene before it builds a world."""
    for variant in ("", *scene.variants):
        for cell in scene.cells[:4]:
            scene.blueprint(variant=variant, cell=cell).fingerprint()


def check_mutant(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    try:
        use_up(read_scene(file, plugins()))
    except UserError as error:
        assert error.problems
        for problem in error.problems:
            assert problem.where is not None, problem
            assert problem.where.source == str(file), problem
            assert problem.where.line is None or 1 <= problem.where.line <= content.count(b"\n") + 1, problem
            assert problem.where.line is not None or "UTF-16" in problem.what, problem
            assert "\n" not in str(problem)


def test_the_unchanged_text_is_fine(file: Path) -> None:
    file.write_text(TEXT, encoding="utf-8")
    scene = read_scene(file, plugins())
    use_up(scene)
    assert scene.source == str(file)


@settings(max_examples=100, deadline=None)
@given(
    edits=st.lists(
        st.tuples(
            st.floats(0, 1, exclude_max=True),
            st.integers(0, 3),
            st.binary(max_size=3),
            st.sampled_from((0, 1, 5)),
        ),
        min_size=1,
        max_size=4,
    )
)
def test_changed_bytes(file: Path, edits: list[tuple[float, int, bytes, int]]) -> None:
    content = TEXT.encode()
    for place, removed, inserted, kind in edits:
        at = int(place * len(content))
        end = len(content) if kind == 5 else at + removed + kind
        content = content[:at] + inserted + content[end:]
    check_mutant(file, content)


@settings(max_examples=100, deadline=None)
@given(
    edits=st.lists(
        st.tuples(
            st.floats(0, 1, exclude_max=True),
            st.sampled_from(("replace", "delete", "double", "swap")),
            st.one_of(st.sampled_from(ODD), st.floats(0, 1, exclude_max=True)),
        ),
        min_size=1,
        max_size=3,
    )
)
def test_changed_words_and_values(file: Path, edits: list[tuple[float, str, str | float]]) -> None:
    tokens = TOKEN.findall(TEXT)
    for place, change, other in edits:
        meaningful = [index for index, token in enumerate(tokens) if token.strip()]
        if not meaningful:
            break
        at = meaningful[int(place * len(meaningful))]
        word = other if isinstance(other, str) else tokens[meaningful[int(other * len(meaningful))]]
        if change == "replace":
            tokens[at] = word
        elif change == "delete":
            del tokens[at]
        elif change == "double":
            tokens.insert(at, f"{tokens[at]} ")
        else:
            next_one = meaningful[(meaningful.index(at) + 1) % len(meaningful)]
            tokens[at], tokens[next_one] = tokens[next_one], tokens[at]
    check_mutant(file, "".join(tokens).encode())


VALUES = st.recursive(
    st.one_of(
        st.sampled_from(
            [
                "",
                "run",
                "ball",
                "tower/box1",
                "a.b",
                "../x.toml",
                "run.contacts",
                "ball.height > 1",
                "high.ball.speed<1",
            ]
        ),
        st.sampled_from(
            [0, -1, 2**63, math.nan, math.inf, 1e-320, datetime.date(2000, 1, 1), datetime.time(1, 2)]
        ),
        st.booleans(),
        st.integers(-3, 3),
        st.floats(allow_nan=False),
        st.text(st.characters(max_codepoint=0x2FF), max_size=8),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.sampled_from(["mass", "x", "a.b", "ball.body.mass", "run.duration"]), inner, max_size=3
        ),
    ),
    max_leaves=5,
)
KEYS = (
    "name", "parent", "at", "body", "box", "stack", "pose", "push", "set", "sweep", "seeds", "include", "x", "", "a.b",
    "ball.body", "ball.body.mass", "nudge.at", "run.seed", "tower/box9.body.mass", "tower/box1.stack", "equals", "hard",
    "claim", "a\nb", "\u00e9",
)  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(
    data=st.data(),
    changes=st.lists(st.sampled_from(("put", "copy", "add", "delete")), min_size=1, max_size=3),
)
def test_changed_tables(file: Path, data: st.DataObject, changes: list[str]) -> None:
    """Always TOML, so that all of the reading behind it is reached."""
    document = tomli.loads(TEXT)
    for change in changes:
        places = list(find_places(document))
        holder, key = places[data.draw(st.integers(0, len(places) - 1))]
        if change == "delete":
            del holder[key]
        elif change == "copy":
            other, other_key = places[data.draw(st.integers(0, len(places) - 1))]
            holder[key] = copy.deepcopy(other[other_key])
        elif change == "add" and isinstance(holder, dict):
            holder[data.draw(st.sampled_from(KEYS))] = data.draw(VALUES)
        else:
            holder[key] = data.draw(VALUES)
    check_mutant(
        file, "\n".join(f"{to_toml(key)} = {to_toml(value)}" for key, value in document.items()).encode()
    )


def find_places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every table or list within the value, with each of its keys."""
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from find_places(value[key])


@settings(max_examples=50, deadline=None)
@given(order=st.permutations(range(len(BLOCKS))), turned=st.booleans())
def test_order_in_the_file_has_no_meaning(file: Path, order: list[int], turned: bool) -> None:
    file.write_text(TEXT, encoding="utf-8")
    expected = fingerprints(read_scene(file, plugins()))
    blocks = [turn_lines(BLOCKS[index]) if turned else BLOCKS[index] for index in order]
    file.write_text(HEAD + "".join(blocks), encoding="utf-8")
    assert fingerprints(read_scene(file, plugins())) == expected


def turn_lines(block: str) -> str:
    """The same tables with their keys in reverse order."""
    tables: list[list[str]] = []
    for line in block.splitlines():
        if line.startswith("["):
            tables.append([line])
        else:
            tables[-1].insert(1, line)
    return "".join(f"{line}\n" for table in tables for line in table)


def fingerprints(scene: Scene) -> dict[tuple[str, str], str]:
    return {
        (variant, cell.key()): scene.blueprint(variant=variant, cell=cell).fingerprint()
        for variant in ("", *sorted(scene.variants))
        for cell in scene.cells
    }


NUMBER = st.floats(-1e6, 1e6)
POSITIVE = st.floats(1e-6, 1e6)
VECTOR = st.tuples(NUMBER, NUMBER, NUMBER)
BODY = {"mass": POSITIVE, "velocity": VECTOR, "spin": VECTOR}
POSE = {"position": VECTOR, "angle": NUMBER}
SHAPES = {
    "sphere": {"radius": POSITIVE, "friction": POSITIVE},
    "capsule": {"radius": POSITIVE, "length": POSITIVE},
    "box": {"size": st.tuples(POSITIVE, POSITIVE, POSITIVE)},
}


def tables(fields: Mapping[str, st.SearchStrategy[Any]], *required: str) -> st.SearchStrategy[dict[str, Any]]:
    optional = {key: value for key, value in fields.items() if key not in required}
    return st.fixed_dictionaries({key: fields[key] for key in required}, optional=optional)


@st.composite
def entities(draw: st.DrawFn) -> dict[str, dict[str, Any]]:
    names = draw(
        st.lists(st.from_regex(r"[A-Za-z_][A-Za-z_0-9]{2,6}", fullmatch=True), unique=True, max_size=4)
    )
    made = {}
    for name in names:
        components: dict[str, Any] = {"body": draw(tables(BODY)), "pose": draw(tables(POSE))}
        shape = draw(st.sampled_from(sorted(SHAPES)))
        components[shape] = draw(tables(SHAPES[shape], *(set(SHAPES[shape]) - {"friction"})))
        made[f"x_{name}"] = components
    return made


def to_toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        inner = ", ".join(
            f"{to_toml(key)} = {to_toml(each)}" for key, each in value.items() if each is not None
        )
        return f"{{ {inner} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(to_toml, value))}]"
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value.isoformat() if isinstance(value, datetime.date | datetime.time) else repr(value)


def write_scene(run: Mapping[str, Any], parts: Mapping[str, Mapping[str, Any]]) -> str:
    lines = ["format = 1", f"run = {to_toml(run)}"]
    for name, components in parts.items():
        lines += ["[[entity]]", f'name = "{name}"']
        lines += [f"{kind} = {to_toml(table)}" for kind, table in components.items() if table is not None]
    return "\n".join(lines) + "\n"


def read_text(file: Path, text: str) -> Blueprint:
    file.write_text(text, encoding="utf-8")
    return read_scene(file, plugins()).blueprint()


@settings(max_examples=60, deadline=None)
@given(parts=entities(), step=st.floats(1e-6, 1.0), seed=st.integers(0, 2**63 - 1))
def test_scene_survives_being_written_and_read_again(
    file: Path, parts: dict[str, dict[str, Any]], step: float, seed: int
) -> None:
    first = read_text(file, write_scene({"step": step, "duration": 5.0, "seed": seed}, parts))
    plain = first.as_plain()
    assert set(plain["entities"]) == set(parts)
    again = read_text(file, write_scene({**plain["run"], **plain["settings"]}, plain["entities"]))
    assert again.as_plain() == plain
    assert again.fingerprint() == first.fingerprint()


@settings(max_examples=60, deadline=None)
@given(
    before=tables(BODY),
    key=st.sampled_from(sorted(BODY)),
    value=st.data(),
    layer=st.sampled_from(["set", "variant", "--set"]),
)
def test_overriding_is_as_good_as_writing(
    file: Path, before: dict[str, Any], key: str, value: st.DataObject, layer: str
) -> None:
    run = {"step": 0.01, "duration": 1.0}
    new = value.draw(BODY[key])
    written = read_text(
        file, write_scene(run, {"a": {"sphere": {"radius": 1.0}, "body": {**before, key: new}}})
    )
    text = write_scene(run, {"a": {"sphere": {"radius": 1.0}, "body": before}})
    path, shown = f"a.body.{key}", to_toml(new)
    tail = {
        "set": f'[set]\n"{path}" = {shown}\n',
        "variant": f'[variants]\nv = {{ "{path}" = {shown} }}\n',
        "--set": "",
    }
    file.write_text(text + tail[layer], encoding="utf-8")
    scene = read_scene(file, plugins())
    overridden = scene.blueprint(
        variant="v" if layer == "variant" else "", overrides=[f"{path}={shown}"] if layer == "--set" else []
    )
    assert overridden.fingerprint() == written.fingerprint()
