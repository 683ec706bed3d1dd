"""From the text of a `holds` expression to its tree: a tokenizer and a recursive descent.

Loosest first: or, and, not, comparisons (which chain), + -, * /, unary -, then numbers, metrics, calls and
parentheses. Kinds are checked while parsing, so that nonsense is found before anything is simulated.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass

from supple.errors import suggest
from supple.scene.expression_functions import FUNCTIONS
from supple.scene.expression_tree import (
    Arithmetic,
    Call,
    Comparison,
    ExpressionError,
    Junction,
    Kind,
    Metric,
    Negative,
    Node,
    Not,
    Number,
    Reference,
)

MAX_LENGTH = 2000
MAX_DEPTH = 50

_KEYWORDS = ("and", "or", "not")
_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
_TOKEN = re.compile(
    r"(?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_]*(?:[./][A-Za-z_][A-Za-z0-9_]*)*)"
    r"|(?P<symbol><=|>=|==|!=|[-+*/<>(),])"
)
_SPACE = re.compile(r"[ \t\r\n]*")
_DIVISION = "division needs spaces around it"
_FOREIGN = {
    "=": "write == to compare",
    "&": "write and",
    "|": "write or",
    "!": "write not",
    "^": "write a * a for a square",
    "%": "write a fraction, such as 0.1 for 10 %",
    ".": "a metric is written entity.metric, without spaces",
}


@dataclass(frozen=True)
class _Token:
    kind: str  # number, name, symbol or end
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def column(self) -> int:
        return self.start + 1


def _tokenize(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    at = 0
    while True:
        space = _SPACE.match(text, at)
        at = space.end() if space else at
        if at == len(text):
            return [*tokens, _Token("end", "", at)]
        match = _TOKEN.match(text, at)
        if match is None:
            character = text[at]
            shown = f"'{character}'" if character.isprintable() else ascii(character)
            raise ExpressionError(at + 1, f"{shown} has no meaning here", _FOREIGN.get(character, ""))
        token = _Token(match.lastgroup or "", match.group(), at)
        _check_neighbours(text, token)
        tokens.append(token)
        at = match.end()


def _check_neighbours(text: str, token: _Token) -> None:
    """A slash without spaces belongs to an entity's path, so that division cannot be written without them."""
    after = text[token.end : token.end + 1]
    if token.text == "/":
        before = text[token.start - 1 : token.start]
        if not (before.isspace() and after.isspace()):
            raise ExpressionError(token.column, _DIVISION, "write a / b")
    if token.kind == "number" and (after.isalnum() or after in ("_", ".")) and after:
        raise ExpressionError(token.column, f"'{token.text}{after}...' is not a number", "write 1.5 or 1e-3")


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = _tokenize(text)
        self._index = 0
        self._depth = 0

    def parse(self) -> Node:
        if self._now.kind == "end":
            raise ExpressionError(
                1, "the expression is empty", "write a comparison, such as floor.penetration < 1e-5"
            )
        node = self._parse_or()
        if self._now.kind != "end":
            self._fail_at_leftover()
        if node.kind is Kind.NUMBER:
            remedy = "compare it with something, such as ... > 0.5"
            raise ExpressionError(node.span[0] + 1, "the whole is a number, not a truth value", remedy)
        return node

    @property
    def _now(self) -> _Token:
        return self._tokens[self._index]

    def _take(self, *texts: str) -> _Token | None:
        """The current token if it is one of these symbols or keywords, and on to the next."""
        token = self._now
        if token.text not in texts or token.kind == "number":
            return None
        self._index += 1
        return token

    def _fail_at_leftover(self) -> None:
        token = self._now
        if token.text == ")":
            raise ExpressionError(token.column, "this ')' closes nothing", "remove it, or add a '('")
        if token.text == ",":
            raise ExpressionError(token.column, "a comma outside a function call", "join conditions with and")
        raise ExpressionError(
            token.column, f"expected an operator before '{token.text}'", "write a < b and c < d"
        )

    def _span_from(self, start: int) -> tuple[int, int]:
        """From there to the end of the last token taken."""
        return start, self._tokens[self._index - 1].end

    def _parse_or(self) -> Node:
        return self._parse_junction("or", self._parse_and)

    def _parse_and(self) -> Node:
        return self._parse_junction("and", self._parse_not)

    def _parse_junction(self, word: str, parse_operand: Callable[[], Node]) -> Node:
        start = self._now.start
        operands = [parse_operand()]
        while self._take(word):
            operands.append(parse_operand())
        if len(operands) == 1:
            return operands[0]
        for operand in operands:
            self._require_truth(operand, f"'{word}'")
        return Junction(self._span_from(start), word, tuple(operands))

    def _parse_not(self) -> Node:
        token = self._take("not")
        if token is None:
            return self._parse_comparison()
        self._descend(token)
        operand = self._parse_not()
        self._depth -= 1
        self._require_truth(operand, "'not'")
        return Not(self._span_from(token.start), operand)

    def _parse_comparison(self) -> Node:
        start = self._now.start
        first = self._parse_sum()
        rest = self._parse_rest(_COMPARISONS, first, self._parse_sum)
        return Comparison(self._span_from(start), first, rest) if rest else first

    def _parse_sum(self) -> Node:
        start = self._now.start
        first = self._parse_product()
        rest = self._parse_rest(("+", "-"), first, self._parse_product)
        return Arithmetic(self._span_from(start), first, rest) if rest else first

    def _parse_product(self) -> Node:
        start = self._now.start
        first = self._parse_signed()
        rest = self._parse_rest(("*", "/"), first, self._parse_signed)
        return Arithmetic(self._span_from(start), first, rest) if rest else first

    def _parse_rest(
        self, operators: tuple[str, ...], first: Node, parse_operand: Callable[[], Node]
    ) -> tuple[tuple[str, Node], ...]:
        rest: list[tuple[str, Node]] = []
        while token := self._take(*operators):
            rest.append((token.text, parse_operand()))
            self._require_number(first if len(rest) == 1 else rest[-2][1], token.text)
            self._require_number(rest[-1][1], token.text)
        return tuple(rest)

    def _parse_signed(self) -> Node:
        token = self._take("-")
        if token is None:
            return self._parse_atom()
        self._descend(token)
        operand = self._parse_signed()
        self._depth -= 1
        self._require_number(operand, "-")
        return Negative(self._span_from(token.start), operand)

    def _parse_atom(self) -> Node:
        token = self._now
        if token.kind == "number":
            self._index += 1
            return _read_number(token)
        if token.kind == "name" and token.text not in _KEYWORDS:
            self._index += 1
            return self._parse_call(token) if self._now.text == "(" else _read_metric(token)
        opening = self._take("(")
        if opening is None:
            what = f"expected a number, a metric or '(' instead of '{token.text}'"
            raise ExpressionError(token.column, what if token.text else "the expression ends too early")
        self._descend(opening)
        node = self._parse_or()
        self._depth -= 1
        self._close(opening)
        return node

    def _parse_call(self, name: _Token) -> Call:
        opening = self._now
        self._index += 1
        function = FUNCTIONS.get(name.text)
        if function is None:
            remedy = suggest(name.text, FUNCTIONS, "functions are")
            raise ExpressionError(name.column, f"unknown function '{name.text}'", remedy)
        self._descend(opening)
        arguments: list[Node] = []
        if self._now.text != ")":
            arguments.append(self._parse_or())
            while self._take(","):
                arguments.append(self._parse_or())
        self._depth -= 1
        self._close(opening)
        if len(arguments) != len(function.parameters):
            what = f"'{name.text}' takes {_count(len(function.parameters))}, not {len(arguments)}"
            raise ExpressionError(name.column, what)
        for parameter, argument in zip(function.parameters, arguments, strict=True):
            if parameter is Kind.TRUTH:
                self._require_truth(argument, f"'{name.text}'")
        return Call(self._span_from(name.start), name.text, tuple(arguments), function.result)

    def _close(self, opening: _Token) -> None:
        if self._take(")") is None:
            found = f"'{self._now.text}'" if self._now.text else "the end"
            what = f"expected ')' instead of {found}"
            raise ExpressionError(self._now.column, what, f"the '(' at column {opening.column} is open")

    def _descend(self, token: _Token) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            what = f"nested deeper than {MAX_DEPTH} levels"
            raise ExpressionError(token.column, what, "split it into several claims")

    def _require_number(self, node: Node, operator: str) -> None:
        if node.kind is Kind.TRUTH:
            what = f"'{self._text_of(node)}' is a truth value, and '{operator}' needs numbers"
            raise ExpressionError(node.span[0] + 1, what, "say fraction(...) or count(...), or join with and")

    def _require_truth(self, node: Node, user: str) -> None:
        if node.kind is Kind.NUMBER:
            what = f"'{self._text_of(node)}' is a number, and {user} needs a truth value"
            raise ExpressionError(node.span[0] + 1, what, "compare it with something")

    def _text_of(self, node: Node) -> str:
        shown = " ".join(self._text[node.span[0] : node.span[1]].split())
        return shown if len(shown) <= 60 else f"{shown[:57]}..."


def _count(arguments: int) -> str:
    return "1 argument" if arguments == 1 else f"{arguments} arguments"


def _read_number(token: _Token) -> Number:
    value = float(token.text)
    if not math.isfinite(value):
        raise ExpressionError(token.column, f"{token.text} is too large for a number")
    return Number((token.start, token.end), value)


def _read_metric(token: _Token) -> Metric:
    """`[variant.]entity/path.metric`."""
    parts = token.text.split(".")
    remedy = "a metric is written entity.metric or variant.entity.metric, such as soft.walker/torso.height"
    if "/" in parts[-1] or (len(parts) == 3 and "/" in parts[0]):
        remedy = f"{_DIVISION}: {token.text.replace('/', ' / ')}" if len(parts) > 1 else remedy
        raise ExpressionError(token.column, f"'{token.text}' is not a metric", remedy)
    if len(parts) == 2:
        return Metric((token.start, token.end), Reference(None, parts[0], parts[1]))
    if len(parts) == 3:
        return Metric((token.start, token.end), Reference(parts[0], parts[1], parts[2]))
    if len(parts) == 1 and token.text in FUNCTIONS:
        raise ExpressionError(
            token.column, f"the function '{token.text}' has no arguments", f"write {token.text}(...)"
        )
    raise ExpressionError(token.column, f"'{token.text}' is not a metric", remedy)


def parse_tree(text: str) -> Node:
    """The tree of an expression; raises ExpressionError for anything that is none."""
    if len(text) > MAX_LENGTH:
        what = f"the expression has {len(text)} characters, and {MAX_LENGTH} are allowed"
        raise ExpressionError(MAX_LENGTH + 1, what, "split it into several claims")
    return _Parser(text).parse()
