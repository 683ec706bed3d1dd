"""A scanner that finds the line of every key of a TOML document. It reads no values: tomli does."""

from __future__ import annotations

import re

KeyPath = tuple[str | int, ...]

_GAP = re.compile(r"(?:[ \t\n]++|#[^\n]*+)*+")
_SEPARATOR = re.compile(r"(?:[ \t\n]++|#[^\n]*+)*+(?:,(?:[ \t\n]++|#[^\n]*+)*+)?")
_KEY_PART = re.compile(r"""[A-Za-z0-9_-]+|"(?:\\[^\n]|[^"\\\n])*"|'[^'\n]*'""")
_DOT = re.compile(r"[ \t]*\.[ \t]*")
_EQUALS = re.compile(r"[ \t]*=[ \t]*")
_HEADER = re.compile(r"\[\[?[ \t]*")
_HEADER_END = re.compile(r"[ \t]*\]\]?")
# A multi-line string may end in four or five quotes: one or two belong to it.
_SCALAR = re.compile(
    r'''"""(?:[^"\\]++|\\.|"(?!""))*+"""(?:"{0,2})'''
    r"""|'''.*?'''(?:'{0,2})"""
    r'''|"(?!"")(?:\\[^\n]|[^"\\\n])*+"'''
    r"""|'(?!'')[^'\n]*+'"""
    r"""|[^\[\]{},#\n"']+""",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:x(..)|u(....)|U(........)|(.))")
_ESCAPED = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", "e": "\x1b", '"': '"', "\\": "\\"}


class ScanError(Exception):
    """The scanner cannot go on; only text that tomli rejects too leads here, except for the depth limit."""

    def __init__(self, line: int, what: str = "", remedy: str = "", *, too_deep: bool = False) -> None:
        super().__init__(what)
        self.line = line
        self.what = what
        self.remedy = remedy
        self.too_deep = too_deep


class _Container:
    """An array or inline table that is open while its values are scanned."""

    def __init__(self, path: KeyPath, closer: str) -> None:
        self.path = path
        self.closer = closer
        self.count = 0


class Scanner:
    """Walks a document once. Values are nested by a stack of our own, never by recursion."""

    def __init__(self, text: str, max_depth: int | None = None) -> None:
        self.text = text.replace("\r\n", "\n")
        self.at = 0
        self.line = 1
        self.statement_line = 1
        self.lines: dict[KeyPath, int] = {}
        self._max_depth = max_depth
        self._table_counts: dict[KeyPath, int] = {}

    def scan(self) -> None:
        """Fill `lines`; on ScanError they hold what was found up to there."""
        table: KeyPath = ()
        while True:
            self._take(_GAP)
            if self.at == len(self.text):
                return
            self.statement_line = self.line
            if self.text.startswith("[", self.at):
                table = self._take_header()
            else:
                self._take_value(self._take_assignment(table))

    def _take(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self.text, self.at)
        if match is None:
            raise ScanError(self.line)
        taken = match.group()
        self.at = match.end()
        self.line += taken.count("\n")
        return taken

    def _take_key(self) -> list[str]:
        parts = [_unquote(self._take(_KEY_PART))]
        while _DOT.match(self.text, self.at):
            self._take(_DOT)
            parts.append(_unquote(self._take(_KEY_PART)))
        return parts

    def _take_header(self) -> KeyPath:
        is_array = self._take(_HEADER).startswith("[[")
        parts = self._take_key()
        self._take(_HEADER_END)
        if not is_array:
            path = self._enter((), parts)
            # `[a]` may follow `[a.b]`, which only implied it: the header is the better place to point at.
            self.lines[path] = self.line
            return path
        path = self._note((*self._enter((), parts[:-1]), parts[-1]))
        count = self._table_counts.get(path, 0)
        self._table_counts[path] = count + 1
        return self._note((*path, count))

    def _take_assignment(self, table: KeyPath) -> KeyPath:
        parts = self._take_key()
        path = (*self._enter(table, parts[:-1]), parts[-1])
        first = self.lines.get(path)
        if first is not None:
            what = f"'{one_line(parts[-1])}' is given twice, first on line {first}"
            raise ScanError(self.line, what, "keep one of them")
        self._take(_EQUALS)
        return self._note(path)

    def _take_value(self, path: KeyPath) -> None:
        """Scan one value, with everything in it; `path` is already noted."""
        containers: list[_Container] = []
        while True:
            opener = self.text[self.at : self.at + 1]
            if opener == "[" or opener == "{":
                containers.append(_Container(path, "]" if opener == "[" else "}"))
                self.at += 1
            else:
                self._take(_SCALAR)
            next_path = self._next_in(containers)
            if next_path is None:
                return
            path = next_path

    def _next_in(self, containers: list[_Container]) -> KeyPath | None:
        """Close what ends here and note the next element or key; None when no container is left open."""
        while containers:
            container = containers[-1]
            self._take(_SEPARATOR)
            if self.text.startswith(container.closer, self.at):
                self.at += 1
                containers.pop()
            elif container.closer == "}":
                return self._take_assignment(container.path)
            else:
                container.count += 1
                return self._note((*container.path, container.count - 1))
        return None

    def _enter(self, path: KeyPath, parts: list[str]) -> KeyPath:
        """Follow table names; the name of an array of tables means its latest table."""
        for part in parts:
            path = self._note((*path, part))
            count = self._table_counts.get(path)
            if count is not None:
                path = (*path, count - 1)
        return path

    def _note(self, path: KeyPath) -> KeyPath:
        if self._max_depth is not None and len(path) > self._max_depth:
            what = f"tables and arrays are nested deeper than {self._max_depth} levels"
            raise ScanError(self.line, what, "flatten the document", too_deep=True)
        self.lines.setdefault(path, self.line)
        return path


def _unquote(part: str) -> str:
    if part.startswith("'"):
        return part[1:-1]
    return _ESCAPE.sub(_unescape, part[1:-1]) if part.startswith('"') else part


def _unescape(match: re.Match[str]) -> str:
    code = match.group(1) or match.group(2) or match.group(3)
    try:
        return chr(int(code, 16)) if code else _ESCAPED.get(match.group(4), match.group())
    except (ValueError, OverflowError):  # not a code point: tomli will say so
        return match.group()


def printable(text: str) -> str:
    """The text without line breaks and other characters that cannot be shown."""
    return text if text.isprintable() else repr(text)[1:-1]


def one_line(text: str) -> str:
    """The text as it may stand in a one-line message, shortened when long."""
    shown = printable(text)
    return shown if len(shown) <= 80 else f"{shown[:77]}..."
