"""The scanner against a writer that knows the line of every key, and against the paths that tomli finds."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import pytest
import tomli
from hypothesis import given, settings
from hypothesis import strategies as st

from supple.errors import SceneError
from supple.scene.lines import KeyPath, locate_keys, nearest_line, parse_toml

SCALARS = [
    "0", "-17", "+1_000", "0xDEAD_beef", "0o17", "0b1010", "1.5", "-1e-3", "6.626e-34", "inf", "-nan", "true",
    "false", "1979-05-27T07:32:00Z", "1979-05-27 07:32:00.5", "1979-05-27", "07:32:00", '""', "''", '"a # b"',
    "'[x] = {'", '"\\"]\\\\"', '"\\u0041 = \\U0001F600"', "'C:\\dir\\'", '""""""', "''''''", '"""a"""',
    '"""\n[not.a.table]\nkey = 1\n"""', "'''\n# no comment\n\n'''", '"""x\\\n   y ""\\""" z"""""',
    "''''a'''''", '"""\\\\"""', '"""\n\n\n"""""',
]  # fmt: skip
COMMENTS = ["", "", "", " # plain", "# ] } \"\"\" ''' [a] = 'x'", " #"]
PIECES = [
    "", "", " ", "\n", "a", "1", ".", ",", '"', "'", "#", "[", "]", "{", "}", "=", "\\", "\r", '"""', "'''",
    "[[a]]\n", "[b]\n", "a.b = 1\n", "\n[[a.b]]\n", "{x = 1}", "[\n]",
]  # fmt: skip
BARE = st.sampled_from(["a", "b", "c", "run", "x-1", "1979", "_", "true"])
QUOTED = st.sampled_from(["", "shove.at", "a b", "é", 'q"q', "it's", "\\", "[x]", "#", "😀"])
CONTROLS = st.text("\b\t\n\f\r\x1b\x1f\x7fé", min_size=1, max_size=3)
KEYS = st.one_of(BARE, BARE, QUOTED, CONTROLS, st.text(st.characters(exclude_categories=["Cs"]), max_size=3))


@dataclass
class Inline:
    entries: dict[str, Any]


@dataclass
class Section:
    """A table written under a header of its own, or as dotted keys when the writer likes."""

    entries: dict[str, Any]


@dataclass
class Sections:
    """An array of tables."""

    items: list[Section]


VALUES = st.recursive(
    st.sampled_from(SCALARS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.builds(Inline, st.dictionaries(KEYS, inner, max_size=3))
    ),
    max_leaves=5,
)
SECTIONS = st.recursive(
    st.builds(Section, st.dictionaries(KEYS, VALUES, max_size=3)),
    lambda inner: st.builds(
        Section,
        st.dictionaries(
            KEYS,
            st.one_of(VALUES, inner, st.builds(Sections, st.lists(inner, min_size=1, max_size=3))),
            max_size=4,
        ),
    ),
    max_leaves=8,
)


def accepts(text: str) -> bool:
    try:
        tomli.loads(text)
    except ValueError:
        return False
    return True


# Newlines inside inline tables and two escapes came with TOML 1.1; older versions of tomli refuse them.
INLINE_NEWLINES = accepts("a = {\nb = 1,\n}")
NAMED_ESCAPES = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
if accepts('"\\e\\x41" = 1'):
    NAMED_ESCAPES |= {"\x1b": "\\e", "é": "\\xe9", "\x1f": "\\x1F"}


@dataclass
class Writer:
    """Writes a document in a style drawn from `dice` and keeps the line of everything it writes."""

    dice: random.Random
    text: str = ""
    expected: dict[KeyPath, int] = field(default_factory=dict)

    @property
    def line(self) -> int:
        return self.text.count("\n") + 1

    def put(self, *choices: str) -> None:
        self.text += self.dice.choice(choices)

    def end_line(self) -> None:
        self.put(*COMMENTS)
        self.put("\n", "\n", "\n\n", "\n# between\n", "\n \t\n")

    def quote(self, key: str) -> str:
        styles = ['"' + "".join(self.escape(character) for character in key) + '"']
        if "'" not in key and (key.isprintable() or key == "\t"):
            styles.append(f"'{key}'")
        if key and all(c.isascii() and (c.isalnum() or c in "-_") for c in key):
            styles += [key, key, key]
        return self.dice.choice(styles)

    def escape(self, character: str) -> str:
        code = ord(character)
        styles = [f"\\U{code:08x}"] + ([f"\\u{code:04X}"] if code < 0x10000 else [])
        if character in NAMED_ESCAPES:
            styles += [NAMED_ESCAPES[character]] * 2
        elif code >= 0x20 and code != 0x7F:
            styles += [character] * 5
        return self.dice.choice(styles)

    def put_key(self, keys: list[str]) -> None:
        for index, key in enumerate(keys):
            if index:
                self.put(".", ".", " . ", "\t.")
            self.text += self.quote(key)

    def put_assignment(self, base: KeyPath, keys: list[str], value: Any) -> None:
        for length in range(1, len(keys) + 1):
            self.expected.setdefault((*base, *keys[:length]), self.line)
        self.put_key(keys)
        self.put(" = ", "=", "\t=  ")
        self.put_value((*base, *keys), value)

    def gap(self, newlines: bool) -> None:
        self.put(*(["", " ", "\n", "\n  # a ] comment }\n\t", "# x\n\n"] if newlines else ["", " ", "\t"]))

    def put_value(self, path: KeyPath, value: Any) -> None:
        if isinstance(value, str):
            self.text += value
            return
        is_array = isinstance(value, list)
        newlines = is_array or INLINE_NEWLINES
        self.put("[" if is_array else "{")
        items: list[Any] = list(enumerate(value)) if is_array else list(value.entries.items())
        for position, (key, item) in enumerate(items):
            self.gap(newlines)
            if is_array:
                self.expected[(*path, key)] = self.line
                self.put_value((*path, key), item)
            else:
                keys, inner = self.draw_into_key(item)
                self.put_assignment(path, [key, *keys], inner)
            self.gap(newlines)
            if position + 1 < len(items) or (newlines and self.dice.random() < 0.3):
                self.put(",")
        self.gap(newlines)
        self.put("]" if is_array else "}")

    def draw_into_key(self, value: Any) -> tuple[list[str], Any]:
        """`{a = {b = 1}}` may be written `{a.b = 1}`: the keys to add to the dotted key, and what is left."""
        keys: list[str] = []
        while isinstance(value, Inline) and len(value.entries) == 1 and self.dice.random() < 0.5:
            ((key, value),) = value.entries.items()
            keys.append(key)
        return keys, value

    def put_section(self, base: KeyPath, names: list[str], section: Section, is_item: bool) -> None:
        """One table: its header, its own keys and the tables below it, which may also come first."""
        dotted: dict[str, Section] = {}
        own: dict[str, Any] = {}
        below: dict[str, Any] = {}
        for key, value in section.entries.items():
            if not isinstance(value, Section | Sections):
                own[key] = value
            elif isinstance(value, Section) and can_be_dotted(value) and self.dice.random() < 0.5:
                dotted[key] = value
            else:
                below[key] = value
        needs_header = bool(own or dotted or is_item or not below)
        children_first = bool(names) and not is_item and self.dice.random() < 0.3
        if children_first:
            self.put_below(base, names, below)
        if names and (needs_header or self.dice.random() < 0.5):
            self.put_header(base, names, is_item)
        self.put_body(base, own, dotted)
        if not children_first:
            self.put_below(base, names, below)

    def put_header(self, base: KeyPath, names: list[str], is_item: bool) -> None:
        position: KeyPath = ()
        for part in base:
            position = (*position, part)
            self.expected.setdefault(position, self.line)
        self.expected[base] = self.line
        self.put("", "  ", "\t")
        self.put("[[" if is_item else "[")
        self.put("", " ")
        self.put_key(names)
        self.put("", " ")
        self.put("]]" if is_item else "]")
        self.end_line()

    def put_body(self, base: KeyPath, own: dict[str, Any], dotted: dict[str, Section]) -> None:
        assignments = [([key], value) for key, value in own.items()]
        for key, section in dotted.items():
            assignments += [([key, *keys], value) for keys, value in flatten(section)]
        self.dice.shuffle(assignments)
        for keys, value in assignments:
            self.put("", "  ", "\t")
            self.put_assignment(base, keys, value)
            self.end_line()

    def put_below(self, base: KeyPath, names: list[str], below: dict[str, Any]) -> None:
        for key, value in below.items():
            if isinstance(value, Section):
                self.put_section((*base, key), [*names, key], value, is_item=False)
                continue
            for index, item in enumerate(value.items):
                self.put_section((*base, key, index), [*names, key], item, is_item=True)


def can_be_dotted(section: Section) -> bool:
    """Dotted keys cannot say that a table is empty, nor hold an array of tables."""
    values = list(section.entries.values())
    if not values or any(isinstance(value, Sections) for value in values):
        return False
    return all(can_be_dotted(value) for value in values if isinstance(value, Section))


def flatten(section: Section) -> list[tuple[list[str], Any]]:
    pairs: list[tuple[list[str], Any]] = []
    for key, value in section.entries.items():
        if isinstance(value, Section):
            pairs += [([key, *keys], inner) for keys, inner in flatten(value)]
        else:
            pairs.append(([key], value))
    return pairs


@st.composite
def documents(draw: st.DrawFn) -> tuple[str, dict[KeyPath, int]]:
    writer = Writer(random.Random(draw(st.integers(0, 2**32))))
    writer.put("", "\n", "# title\n\n")
    writer.put_section((), [], draw(SECTIONS), is_item=False)
    if writer.dice.random() < 0.3:
        return writer.text.replace("\n", "\r\n"), writer.expected
    return writer.text, writer.expected


def paths_of(value: Any, base: KeyPath = ()) -> set[KeyPath]:
    """Every path of a parsed document, except the empty one."""
    found: set[KeyPath] = set()
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        found |= {(*base, key)} | paths_of(inner, (*base, key))
    return found


def mutate(text: str, dice: random.Random) -> str:
    """A neighbour of the document, often still valid."""
    lines = text.split("\n")
    kind = dice.randrange(5)
    if kind == 0:
        dice.shuffle(lines)
        return "\n".join(lines)
    if kind == 1:
        del lines[dice.randrange(len(lines))]
        return "\n".join(lines)
    at = dice.randrange(len(text) + 1)
    end = min(len(text), at + dice.choice([0, 0, 1, 1, 4]))
    return text[:at] + dice.choice(PIECES) + text[end:]


@settings(max_examples=100, deadline=None)
@given(documents())
def test_every_key_is_on_the_line_where_it_was_written(document: tuple[str, dict[KeyPath, int]]) -> None:
    text, expected = document
    assert locate_keys(text) == expected
    assert set(expected) == paths_of(tomli.loads(text))


@settings(max_examples=100, deadline=None)
@given(documents(), st.integers(0, 2**32))
def test_paths_of_mutated_documents_are_those_of_tomli(document: tuple[str, Any], seed: int) -> None:
    dice = random.Random(seed)
    text = document[0]
    for _ in range(10):
        mutant = mutate(text, dice)
        try:
            expected = tomli.loads(mutant)
        except ValueError:
            with pytest.raises(SceneError, match=r"^scene\.toml:\d+: [^\n]+$") as caught:
                parse_toml(mutant, "scene.toml")
            where = caught.value.problems[0].where
            assert where is not None
            assert where.line is not None
            assert 1 <= where.line <= mutant.count("\n") + 1
            continue
        parsed, lines = parse_toml(mutant, "scene.toml")
        assert repr(parsed) == repr(expected)  # nan is not equal to itself, its text is
        assert set(lines) == paths_of(expected)
        assert lines == locate_keys(mutant)
        text = mutant


@settings(max_examples=100, deadline=None)
@given(st.one_of(st.text(), st.text(st.sampled_from("a=[]{}.,\"'#\n\r\\ \0\ufeff1"))))
def test_any_text_is_read_or_refused_in_one_line(text: str) -> None:
    try:
        parsed, lines = parse_toml(text, "scene.toml")
    except SceneError as error:
        message = str(error)
    else:
        message = "read"
        assert set(lines) == paths_of(parsed)
    assert len(message.splitlines()) == 1


@settings(max_examples=50, deadline=None)
@given(documents(), st.lists(st.one_of(st.integers(0, 2), BARE), max_size=4))
def test_nearest_line_is_that_of_the_longest_known_prefix(
    document: tuple[str, dict[KeyPath, int]], more: list[str | int]
) -> None:
    lines = document[1]
    for path, line in lines.items():
        unknown = (*path, "not written", *more)
        assert nearest_line(lines, path) == line
        assert nearest_line(lines, unknown) == line
    assert nearest_line(lines, ("not written", *more)) is None
    assert nearest_line(lines, ()) is None
