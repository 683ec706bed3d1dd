"""TOML with line numbers.

`tomli` reads the values and keeps no positions. A scanner follows the same text and only notes where every
key and every array element stands, so that a complaint about a value can name its line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomli

from supple.errors import Problem, SceneError, Where, suggest
from supple.scene.toml_scanner import KeyPath, ScanError, Scanner, one_line, printable

__all__ = ["KeyPath", "locate_keys", "nearest_line", "parse_toml", "read_toml"]

MAX_BYTES = 16 * 1024 * 1024
MAX_DEPTH = 100


def locate_keys(text: str) -> dict[KeyPath, int]:
    """The line (from 1) of every key path and array element of a document that tomli accepts.

    A table stands where its header is, else where it is first mentioned; an element where its value begins.
    """
    scanner = Scanner(text)
    try:
        scanner.scan()
    except ScanError as unreadable:
        raise ValueError(f"line {unreadable.line} is not TOML") from None
    return scanner.lines


def nearest_line(lines: Mapping[KeyPath, int], path: KeyPath) -> int | None:
    """The line of the path or of its longest known prefix; None when not even its first key is known."""
    for length in range(len(path), 0, -1):
        if path[:length] in lines:
            return lines[path[:length]]
    return None


# The beginning of what tomli says -> what is wrong, what would be right.
_EXPLANATIONS: tuple[tuple[str, str, str], ...] = (
    (
        "Invalid value",
        "this is not a value",
        "write strings in quotes, numbers as 1.5, truth as true or false",
    ),
    ("Invalid statement", "this is not a key", "write key = value, [table] or [[array of tables]]"),
    (
        "Invalid initial character for a key part",
        "this is not a key",
        "write key = value, with quotes around a key that holds anything but letters, digits, - and _",
    ),
    (
        "Expected newline",
        "unexpected text after a complete value or header",
        "write one key = value a line and strings in quotes",
    ),
    ("Expected '=' after a key", "there is no '=' after the key", "write key = value"),
    ("Expected ']'", "the table header is not closed", "write [table]"),
    ("Expected ']]'", "the header of the array of tables is not closed", "write [[table]]"),
    ("Unclosed array", "the array is not closed", "is a comma or a ']' missing?"),
    ("Unclosed inline table", "the inline table is not closed", "is a comma or a '}' missing?"),
    (
        "Illegal character '\\n'",
        "the string is not closed on its line",
        "add the closing quote, or write three quotes on both sides of a string of several lines",
    ),
    ("Unterminated string", "the string is not closed", "add the closing quote"),
    ('Expected "', "the string is not closed", "add the closing quote"),
    (
        "Unescaped '\\'",
        "unknown escape in a string",
        "write \\\\ for a backslash, or the string in 'single quotes'",
    ),
    ("Cannot overwrite a value", "this key is already given above", "keep one of them"),
    (
        "Cannot mutate immutable namespace",
        "this adds to a value that was given whole above",
        "write all its keys in one place",
    ),
    (
        "Cannot redefine namespace",
        "this adds to a table that has its own header",
        "write all its keys in one place",
    ),
)
_TOMLI_MESSAGE = re.compile(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", re.DOTALL)
_DECLARED_TWICE = re.compile(r"Cannot declare \((.*?),?\) twice")


def _explain(message: str) -> tuple[str, str]:
    """What is wrong and the remedy, from what tomli says."""
    twice = _DECLARED_TWICE.match(message)
    if twice:
        return f"the table {twice.group(1)} is declared twice", "keep one of the headers"
    for beginning, what, remedy in _EXPLANATIONS:
        if message.startswith(beginning):
            return what, remedy
    return one_line(message), ""


def _describe_rejection(
    error: ValueError, scanner: Scanner, complaint: ScanError | None
) -> tuple[int, str, str]:
    """Line, what and remedy for a document that tomli rejects."""
    match = _TOMLI_MESSAGE.fullmatch(str(error))
    if match is None:  # tomli hands Python's own limit on digits through, without a position
        number = re.search(r"[0-9][0-9_]{4000,}", scanner.text)
        line = scanner.text.count("\n", 0, number.start()) + 1 if number else 1
        return line, "a number has too many digits", "numbers are at most 64 bits wide"
    at_end = match.group(2) is None
    line = scanner.text.count("\n") + 1 if at_end else int(match.group(2))
    if complaint is not None and complaint.what and complaint.line <= line:
        return complaint.line, complaint.what, complaint.remedy
    what, remedy = _explain(match.group(1))
    if at_end:  # what is left open began with the last statement, however far up that is
        if what == "this is not a value":
            what, remedy = "a value or a closing bracket is missing", "is a ']' or '}' missing?"
        return scanner.statement_line, f"{what} before the file ends", remedy
    return line, f"{what} (column {match.group(3)})", remedy


def _check_characters(text: str, source: str) -> None:
    nul = text.find("\0")
    if nul >= 0:
        line = text.count("\n", 0, nul) + 1
        raise SceneError(
            Problem(Where(source, line), "", "holds a NUL character", "save it as plain UTF-8 text")
        )
    try:
        text.encode()
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        what = f"character {text[error.start]!a} is not valid Unicode"
        raise SceneError(Problem(Where(source, line), "", what, "save it as plain UTF-8 text")) from None


def parse_toml(text: str, source: str) -> tuple[dict[str, Any], dict[KeyPath, int]]:
    """The document and the line of each of its keys; `source` is how messages call the text."""
    text = text.removeprefix("\ufeff")
    _check_characters(text, source)
    scanner = Scanner(text, MAX_DEPTH)
    complaint = None
    try:
        # Before tomli, whose recursion must never see a document that is nested too deep.
        scanner.scan()
    except ScanError as unreadable:
        complaint = unreadable
        if complaint.too_deep:
            where = Where(source, complaint.line)
            raise SceneError(Problem(where, "", complaint.what, complaint.remedy)) from None
    try:
        document = tomli.loads(text)
    except ValueError as error:
        line, what, remedy = _describe_rejection(error, scanner, complaint)
        raise SceneError(Problem(Where(source, line), "", what, remedy)) from None
    return document, scanner.lines


def read_toml(path: Path) -> tuple[dict[str, Any], dict[KeyPath, int]]:
    """The document in a file and the line of each of its keys."""
    source = str(path)
    content = _read_bytes(path)
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise SceneError(Problem(Where(source), "", "is written in UTF-16", "save it as UTF-8"))
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        what = f"byte 0x{content[error.start]:02x} is not valid UTF-8"
        raise SceneError(Problem(Where(source, line), "", what, "save it as UTF-8")) from None
    return parse_toml(text, source)


def _read_bytes(path: Path) -> bytes:
    where = Where(printable(str(path)))  # never shortened: the end of a path is what tells files apart
    try:
        if path.is_dir():
            raise SceneError(
                Problem(where, "", "is a directory", f"name a file in it; {_list_siblings(path / '_')}")
            )
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        raise SceneError(Problem(where, "", "there is no such file", _list_siblings(path))) from None
    except PermissionError:
        raise SceneError(Problem(where, "", "may not be read", "check its permissions")) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SceneError(Problem(where, "", f"cannot be read: {one_line(reason)}")) from None
    if len(content) > MAX_BYTES:
        what = f"is larger than {MAX_BYTES // 1024**2} MiB"
        raise SceneError(Problem(where, "", what, "keep large arrays in files that the scene names"))
    return content


def _list_siblings(path: Path) -> str:
    try:
        names = [one_line(entry.name) for entry in path.parent.iterdir() if entry.suffix == ".toml"]
    except OSError:
        return f"the directory {one_line(str(path.parent))} cannot be listed"
    return suggest(path.name, names, "TOML files there")
