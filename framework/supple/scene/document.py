"""The tables of all files of a scene, merged, each value with its place. Nothing here knows a component."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from supple.core.entity import PATH
from supple.errors import Problem, suggest
from supple.scene.fields import say_value
from supple.scene.include import SourceFile
from supple.scene.merge import merge_distinct, merge_nested
from supple.scene.overrides import Override, read_overrides
from supple.scene.parts import Part, say_path
from supple.scene.repeat import repeat_entities

#: What the top of a scene may hold, and how it is written.
TOP_LEVEL = {
    "format": "format = 1",
    "about": 'about = "..."',
    "include": 'include = ["parts.toml"]',
    "run": "[run]",
    "entity": "[[entity]]",
    "event": "[[event]]",
    "set": "[set]",
    "variants": "[variants]",
    "sweep": "[sweep]",
    "claim": "[[claim]]",
    "expect": "[[expect]]",
}
#: Names that mean something else in override paths and expressions.
RESERVED = frozenset({"run", "format", "event", "set", "and", "or", "not"})
WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)


@dataclass(frozen=True)
class Variant:
    """A named set of overrides."""

    name: str
    part: Part
    overrides: tuple[Override, ...]


@dataclass(frozen=True)
class Document:
    """A scene as it was written, before any override."""

    sources: tuple[str, ...]
    about: str
    run: Part
    entities: Mapping[str, Part]
    events: Mapping[str, Part]
    sets: tuple[Override, ...]
    variants: Mapping[str, Variant]
    sweep: Part
    claims: tuple[Part, ...]
    expects: tuple[Part, ...]


def read_document(root: SourceFile, problems: list[Problem]) -> Document:
    """Merge the files of a scene; what is wrong with its outer form is added to `problems`."""
    files = list(root.walk())
    for file in files:
        _check_top_level(file, problems)
    names = _Names(problems)
    entities = {part.path: part for file in files for part in _read_named(file, "entity", names)}
    entities = repeat_entities(entities, problems)
    events = {part.path: part for file in files for part in _read_named(file, "event", names)}
    about = root.document.get("about", "")
    return Document(
        sources=tuple(file.source for file in files),
        about=about if isinstance(about, str) else "",
        run=merge_nested(root, "run", problems, deep=True),
        entities=entities,
        events=events,
        sets=read_overrides(merge_nested(root, "set", problems), problems),
        variants=_read_variants(files, {path.split("/")[0] for path in (*entities, *events)}, problems),
        sweep=merge_distinct([file.top("sweep") for file in files], problems),
        claims=tuple(part for file in files for part in _tables(file, "claim")),
        expects=tuple(part for file in files for part in _tables(file, "expect")),
    )


def _check_top_level(file: SourceFile, problems: list[Problem]) -> None:
    """Unknown keys, and known ones that are written in another way than they should."""
    for key, value in file.document.items():
        written = TOP_LEVEL.get(key)
        if written is None:
            what, remedy = "unknown key", suggest(key, TOP_LEVEL, "the top of a scene has")
        elif written.startswith("[["):
            fine = isinstance(value, list) and all(isinstance(each, Mapping) for each in value)
            what, remedy = "" if fine else "must be a list of tables", f"write {written} above each of them"
        elif written.startswith("["):
            what = "" if isinstance(value, Mapping) else f"must be a table, not {say_value(value)}"
            remedy = f"write {written}"
        elif key == "about" and not isinstance(value, str):
            what, remedy = f"must be a string, not {say_value(value)}", f"write {written}"
        else:
            continue
        if what:
            problems.append(Problem(file.where((key,)), say_path("", (key,)), what, remedy))


def _tables(file: SourceFile, key: str) -> Iterator[Part]:
    """What stands under `[[key]]`; anything else there has been complained about."""
    value = file.document.get(key)
    for index, table in enumerate(value if isinstance(value, list) else []):
        if isinstance(table, Mapping):
            yield file.part(key, (key, index), table)


class _Names:
    """The names of entities and events, which share one space."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems
        self.taken: dict[str, Part] = {}

    def take(self, part: Part) -> bool:
        """Whether the name was still free; if not, that is a problem of the later of the two."""
        other = self.taken.setdefault(part.path, part)
        if other is part:
            return True
        first, second = other.place(("name",)), part.place(("name",))
        if first.source == second.source and (first.line or 0) > (second.line or 0):
            first, second = second, first
        remedy = 'use another name, or change that one by [set] "NAME.KIND.KEY" = VALUE'
        self.problems.append(Problem(second, part.path, f"the name is taken by {first}", remedy))
        return False


def _read_named(file: SourceFile, kind: str, names: _Names) -> Iterator[Part]:
    """The entities or the events of a file."""
    for part in _tables(file, kind):
        path = _read_name(part, kind, names.problems)
        if path is None:
            continue
        named = Part(path, part.without("name", "parent").table, part.where, part.places)
        if names.take(named):
            yield named


def _read_name(part: Part, kind: str, problems: list[Problem]) -> str | None:
    """The path of an entity or an event; None, and a problem more, when it has none."""
    name, parent = part.table.get("name"), part.table.get("parent")
    problem = None
    if name is None:
        problem = part.problem(("name",), "is missing", f'write name = "..." in every [[{kind}]]')
    elif not isinstance(name, str):
        problem = part.problem(("name",), f"must be a string, not {say_value(name)}")
    elif not PATH.fullmatch(name):
        what = f"{say_value(name)} is not a name"
        problem = part.problem(("name",), what, "use letters, digits and _, with / between parent and child")
    elif name.split("/")[0] in RESERVED and parent is None:
        problem = part.problem(("name",), f"the name '{name}' is reserved", "use another name")
    elif kind == "event" and ("/" in name or parent is not None):
        key = "name" if "/" in name else "parent"
        problem = part.problem((key,), "an event has no parent", "give it a name without /")
    elif parent is not None and not (isinstance(parent, str) and PATH.fullmatch(parent)):
        problem = part.problem(("parent",), f"must be the path of an entity, not {say_value(parent)}")
    if problem is not None:
        problems.append(problem)
        return None
    return f"{parent}/{name}" if parent else name


def _read_variants(
    files: list[SourceFile], tops: Iterable[str], problems: list[Problem]
) -> dict[str, Variant]:
    tables = merge_distinct([file.top("variants") for file in files], problems)
    variants = {}
    for name, table in tables.table.items():
        problem = None
        if not isinstance(table, Mapping):
            what = f"must be a table, not {say_value(table)}"
            problem = tables.problem((name,), what, "write name = {}")
        elif not WORD.fullmatch(name):
            problem = tables.problem((name,), "is not a name of a variant", "use letters, digits and _")
        elif name in RESERVED:
            problem = tables.problem((name,), "the name is reserved", "use another name")
        elif name in tops:
            what = "an entity or event has the same name, so that expressions could not tell them apart"
            problem = tables.problem((name,), what, "rename the variant")
        if problem is not None:
            problems.append(problem)
            continue
        part = Part(f"variants.{name}", table, tables.place((name,)), tables.places_below(name))
        variants[name] = Variant(name, part, read_overrides(part, problems))
    return variants
