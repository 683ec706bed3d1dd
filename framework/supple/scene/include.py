"""The files of a scene: the one that was asked for and those it includes, each read once."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from supple.errors import Problem, SceneError, Where
from supple.scene.fields import say_value
from supple.scene.lines import nearest_line, read_toml
from supple.scene.parts import Part, say_path
from supple.scene.toml_scanner import KeyPath, one_line

FORMAT = 1
MAX_DEPTH = 16


@dataclass(frozen=True)
class SourceFile:
    """One file of a scene and those it includes."""

    path: Path
    source: str
    document: Mapping[str, Any]
    lines: Mapping[KeyPath, int]
    included: tuple[SourceFile, ...] = ()

    def where(self, keys: KeyPath = ()) -> Where:
        """The line of a key, of the nearest table around it, or the first line."""
        return Where(self.source, nearest_line(self.lines, keys) or 1)

    def part(self, path: str, keys: KeyPath, table: Mapping[str, Any]) -> Part:
        """The table under these keys, with the places of all that is in it."""
        depth = len(keys)
        places = {
            known[depth:]: Where(self.source, line)
            for known, line in self._lines_below.get(keys[:2], ())
            if len(known) > depth and known[:depth] == keys
        }
        return Part(path, table, self.where(keys), places)

    @functools.cached_property
    def _lines_below(self) -> Mapping[KeyPath, list[tuple[KeyPath, int]]]:
        """The lines of keys by their first and by their first two parts: looking through all lines takes long."""
        found: dict[KeyPath, list[tuple[KeyPath, int]]] = {}
        for known, line in self.lines.items():
            for depth in range(min(2, len(known)) + 1):
                found.setdefault(known[:depth], []).append((known, line))
        return found

    def top(self, key: str) -> Part:
        """A table at the top of the file; empty when it is not there or is none."""
        value = self.document.get(key)
        return self.part(key, (key,), value if isinstance(value, Mapping) else {})

    def walk(self) -> Iterator[SourceFile]:
        """This file and all below it, the includers first."""
        yield self
        for file in self.included:
            yield from file.walk()


def read_files(path: Path, *, allow_outside: bool, problems: list[Problem]) -> SourceFile:
    """Read a scene and what it includes. Raises `SceneError` when not even the first file can be read."""
    document, lines = read_toml(path)
    problems.extend(_check_format(document, lines, str(path)))
    reader = _Reader(path, allow_outside, problems)
    return reader.read(path, document, lines, (reader.identity(path),))


class _Reader:
    """Follows the includes of one scene."""

    def __init__(self, root: Path, allow_outside: bool, problems: list[Problem]) -> None:
        self.folder = root.parent.resolve()
        self.allow_outside = allow_outside
        self.problems = problems
        self.seen: set[Path] = {self.identity(root)}

    @staticmethod
    def identity(path: Path) -> Path:
        """The file itself, whichever way it was named."""
        return path.resolve()

    def read(
        self, path: Path, document: Mapping[str, Any], lines: Mapping[KeyPath, int], above: tuple[Path, ...]
    ) -> SourceFile:
        """The file with what it includes; `above` are the files on the way down to it, itself the last."""
        source = SourceFile(path, str(path), document, lines)
        names = document.get("include", [])
        if not isinstance(names, list):
            what = f"must be a list of files, not {say_value(names)}"
            self._complain(source, ("include",), what, 'write include = ["parts.toml"]')
            names = []
        included = []
        for index, name in enumerate(names):
            below = self._read_included(source, ("include", index), name, above)
            if below is not None:
                included.append(below)
        return SourceFile(path, str(path), document, lines, tuple(included))

    def _read_included(
        self, source: SourceFile, keys: KeyPath, name: Any, above: tuple[Path, ...]
    ) -> SourceFile | None:
        if not isinstance(name, str) or not name:
            self._complain(source, keys, f"must be the name of a file, not {say_value(name)}")
            return None
        try:
            path = Path(os.path.normpath(source.path.parent / name))
            file = self.identity(path)
        except (OSError, ValueError, RuntimeError) as error:
            self._complain(source, keys, f"{say_value(name)} cannot be a file: {one_line(str(error))}")
            return None
        if self._is_outside(name, file):
            what = f"'{one_line(name)}' is outside the scene's folder"
            self._complain(source, keys, what, "move it beside the scene, or allow files outside")
            return None
        if file in above:
            chain = " -> ".join(one_line(each.name) for each in (*above[above.index(file) :], file))
            self._complain(source, keys, f"files include each other: {chain}", "drop one of the includes")
            return None
        if file in self.seen:
            return None
        if os.path.exists(file) and not (os.path.isfile(file) or os.path.isdir(file)):  # which raise nothing
            # Reading a pipe or a device may never end.
            self._complain(source, keys, f"'{one_line(name)}' is no plain file", "name a file of TOML")
            return None
        self.seen.add(file)
        if len(above) > MAX_DEPTH:
            self._complain(source, keys, f"includes are nested deeper than {MAX_DEPTH}", "flatten them")
            return None
        return self._open(source, keys, path, (*above, file))

    def _open(
        self, includer: SourceFile, keys: KeyPath, path: Path, above: tuple[Path, ...]
    ) -> SourceFile | None:
        try:
            document, lines = read_toml(path)
            self.problems.extend(_check_format(document, lines, str(path)))
        except SceneError as error:
            for problem in error.problems:
                if problem.where is None or problem.where.line is None:
                    named = f"{problem.where or path}: {problem.what}"
                    self._complain(includer, keys, named, problem.remedy)
                else:
                    self.problems.append(problem)
            return None
        return self.read(path, document, lines, above)

    def _is_outside(self, name: str, file: Path) -> bool:
        if self.allow_outside:
            return False
        windows = PureWindowsPath(name)
        # Refused on every system alike, so that a scene which works here works elsewhere.
        if PurePosixPath(name).is_absolute() or windows.drive or windows.root:
            return True
        if "\\" in name and ".." in windows.parts:
            return True
        return not file.is_relative_to(self.folder)

    def _complain(self, source: SourceFile, keys: KeyPath, what: str, remedy: str = "") -> None:
        self.problems.append(Problem(source.where(keys), say_path("", keys), what, remedy))


def _check_format(document: Mapping[str, Any], lines: Mapping[KeyPath, int], source: str) -> list[Problem]:
    """A file of another format is not looked at further: every other message about it would mislead."""
    where = Where(source, nearest_line(lines, ("format",)) or 1)
    if "format" not in document:
        return [Problem(where, "format", "is missing", f"begin the file with format = {FORMAT}")]
    written = document["format"]
    if isinstance(written, bool) or not isinstance(written, int):
        what = f"must be a whole number, not {say_value(written)}"
        return [Problem(where, "format", what, f"write format = {FORMAT}")]
    if written > FORMAT:
        what = "the file was written for a newer supple"
        raise SceneError(Problem(where, "format", what, f"update supple; this one reads format {FORMAT}"))
    if written < FORMAT:
        what = f"there is no such format as {say_value(written)}"
        raise SceneError(Problem(where, "format", what, f"write format = {FORMAT}"))
    return []
