"""The small language of `holds`: parsed, never evaluated as Python.

An expression compares metrics over the cells of a sweep. Cells stand in the same order in every variant,
which makes `soft.walker.travel - rigid.walker.travel` a paired difference. Aggregates such as mean(...) turn
cells into one figure; a sweep of one cell needs none.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from supple.errors import list_choices, suggest
from supple.scene.expression_functions import FUNCTIONS, Undecidable, Values
from supple.scene.expression_parser import parse_tree
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

__all__ = [
    "Expression",
    "ExpressionError",
    "Reference",
    "Undecidable",
    "Verdict",
    "evaluate",
    "parse_expression",
]

Lookup = Callable[[Reference], NDArray[np.float64] | NDArray[np.bool_]]


@dataclass(frozen=True)
class Expression:
    """A parsed expression and the text it came from."""

    text: str
    root: Node

    def references(self) -> tuple[Reference, ...]:
        """The metrics it asks for, each once, in the order of the text."""
        found = (node.reference for node in self.root.walk() if isinstance(node, Metric))
        return tuple(dict.fromkeys(found))

    def resolve(self, variants: Collection[str]) -> Expression:
        """The same expression, once it is certain that it names no other variants than these."""
        for node in self.root.walk():
            if isinstance(node, Metric) and node.reference.variant is not None:
                _check_variant(node, node.reference.variant, variants)
        return self

    def source_of(self, node: Node) -> str:
        """The text of a node, with single spaces."""
        return " ".join(self.text[node.span[0] : node.span[1]].split())


@dataclass(frozen=True)
class Verdict:
    """Whether the expression holds, and the figures that decided it, by their text in the expression."""

    holds: bool
    figures: dict[str, float] = field(default_factory=dict)


def parse_expression(text: str) -> Expression:
    """Parse an expression; raises ExpressionError for anything that is none."""
    return Expression(text, parse_tree(text))


def _check_variant(node: Metric, variant: str, variants: Collection[str]) -> None:
    if variant in variants:
        return
    entity, metric = node.reference.entity, node.reference.metric
    remedy = suggest(variant, variants, "variants are") if variants else "the scene has none"
    if not difflib.get_close_matches(variant, variants):
        # No misspelt variant, then: perhaps a division, or a path written with a dot.
        dividend, _, divisor = entity.partition("/")
        if divisor:
            remedy += f"; for a division write {variant}.{dividend} / {divisor}.{metric}"
        else:
            remedy += f"; for a part of '{variant}' write {variant}/{entity}.{metric}"
    raise ExpressionError(node.span[0] + 1, f"'{variant}' is not a variant", remedy)


def evaluate(expression: Expression, lookup: Lookup) -> Verdict:
    """Whether the expression holds for the metrics that `lookup` gives, one value a cell or one in all.

    Raises Undecidable when a value was not measured or cannot be computed, ExpressionError when the values do
    not fit the expression.
    """
    evaluation = _Evaluation(expression, lookup)
    result = evaluation.find_truth(expression.root, bare=True)
    if len(result) != 1:
        what = f"this compares {len(result)} cells"
        raise ExpressionError(1, what, "say all(...), any(...), fraction(...) or mean(...)")
    return Verdict(bool(result[0]), evaluation.figures)


class _Evaluation:
    """One walk over the tree. `bare` is true outside every aggregate."""

    def __init__(self, expression: Expression, lookup: Lookup) -> None:
        self._expression = expression
        self._lookup = lookup
        self.figures: dict[str, float] = {}

    def find(self, node: Node, bare: bool) -> Values:
        """The values of a node, finite."""
        match node:
            case Number():
                return np.array([node.value])
            case Metric():
                return self._look_up(node, bare)
            case Negative():
                return -self.find_numbers(node.operand, bare)
            case Arithmetic():
                return self._find_arithmetic(node, bare)
            case Comparison():
                return self._find_comparison(node, bare)
            case Not():
                return ~self.find_truth(node.operand, bare)
            case Junction():
                return self._find_junction(node, bare)
            case Call():
                return self._find_call(node, bare)
        raise TypeError(f"no expression has a {type(node).__name__}")

    def find_numbers(self, node: Node, bare: bool) -> NDArray[np.float64]:
        """The values of a node as numbers; truth values count 1 and 0."""
        return self.find(node, bare).astype(np.float64)

    def find_truth(self, node: Node, bare: bool) -> NDArray[np.bool_]:
        """The values of a node as truth values; of a metric, 1 and 0 count as such."""
        values = self.find(node, bare)
        invalid = values[(values != 0) & (values != 1)]
        if len(invalid):
            what = f"'{self._expression.source_of(node)}' is not a truth value, but {invalid[0]:.6g}"
            raise ExpressionError(node.span[0] + 1, what, "compare it with something")
        return values.astype(np.bool_)

    def _look_up(self, node: Metric, bare: bool) -> Values:
        found = np.atleast_1d(self._lookup(node.reference))
        if found.ndim != 1:
            raise ValueError(f"{node.reference} has {found.ndim} axes where cells are expected")
        if len(found) == 0:
            raise Undecidable(f"{node.reference} has no cells")
        values: Values = found.astype(np.bool_) if found.dtype == np.bool_ else found.astype(np.float64)
        missing = np.count_nonzero(~np.isfinite(values))
        if missing:
            cells = f" in {missing} of {len(values)} cells" if len(values) > 1 else ""
            raise Undecidable(f"{node.reference} was not measured{cells}")
        if bare and len(values) == 1:
            self.figures[self._expression.source_of(node)] = float(values[0])
        return values

    def _find_arithmetic(self, node: Arithmetic, bare: bool) -> Values:
        result = self.find_numbers(node.first, bare)
        for operator, operand in node.rest:
            values = self.find_numbers(operand, bare)
            self._check_lengths(operand, (result, values))
            if operator == "/" and not np.all(values):
                raise Undecidable(f"'{self._expression.source_of(operand)}' is zero and divides")
            with np.errstate(all="ignore"):
                match operator:
                    case "+":
                        result = result + values
                    case "-":
                        result = result - values
                    case "*":
                        result = result * values
                    case _:
                        result = result / values
        return self._require_finite(node, result)

    def _find_comparison(self, node: Comparison, bare: bool) -> Values:
        left = self.find_numbers(node.first, bare)
        result = np.array([True])
        for operator, operand in node.rest:
            right = self.find_numbers(operand, bare)
            self._check_lengths(operand, (result, left, right))
            result = result & _COMPARE[operator](left, right)
            left = right
        return result

    def _find_junction(self, node: Junction, bare: bool) -> Values:
        result = np.array([node.word == "and"])
        for operand in node.operands:
            values = self.find_truth(operand, bare)
            self._check_lengths(operand, (result, values))
            result = result & values if node.word == "and" else result | values
        return result

    def _find_call(self, node: Call, bare: bool) -> Values:
        function = FUNCTIONS[node.function]
        inside = bare and not function.aggregates
        arguments = tuple(
            self.find_truth(argument, inside) if kind is Kind.TRUTH else self.find_numbers(argument, inside)
            for kind, argument in zip(function.parameters, node.arguments, strict=True)
        )
        self._check_lengths(node, arguments)
        with np.errstate(all="ignore"):
            result = self._require_finite(node, function.apply(*arguments))
        if function.aggregates:
            self.figures[self._expression.source_of(node)] = float(result[0])
        return result

    def _require_finite(self, node: Node, values: Values) -> Values:
        if not np.all(np.isfinite(values)):
            raise Undecidable(f"'{self._expression.source_of(node)}' is not a finite number")
        return values

    def _check_lengths(self, node: Node, values: tuple[Values, ...]) -> None:
        lengths = sorted({len(each) for each in values} - {1})
        if len(lengths) > 1:
            what = f"this brings together metrics of {list_choices(map(str, lengths))} cells"
            raise ExpressionError(node.span[0] + 1, what, "only metrics over the same cells can be paired")


_COMPARE: dict[str, Callable[[Values, Values], NDArray[np.bool_]]] = {
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "==": np.equal,
    "!=": np.not_equal,
}
