"""Random expressions: printed and read back, and held against Python's own arithmetic and numpy."""

from __future__ import annotations

import contextlib
import math
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from supple.scene.expression import ExpressionError, Reference, Undecidable, evaluate, parse_expression
from supple.scene.expression_functions import FUNCTIONS
from supple.scene.expression_tree import (
    Arithmetic,
    Call,
    Comparison,
    Junction,
    Kind,
    Metric,
    Negative,
    Node,
    Not,
    Number,
)

ANYWHERE = (0, 0)
CELLS = 5
NAMES = st.sampled_from(["a", "walker", "_x1", "not", "and", "mean", "E5"])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)
REFERENCES = st.builds(Reference, st.one_of(st.none(), NAMES), PATHS, NAMES)
METRICS = st.builds(Metric, st.just(ANYWHERE), REFERENCES)
NUMBERS = st.builds(
    Number,
    st.just(ANYWHERE),
    st.floats(0, 1e300, allow_subnormal=False).map(abs) | st.integers(0, 9).map(float),
)


def pairs(operators: str, operand: st.SearchStrategy[Node]) -> st.SearchStrategy[Any]:
    return st.lists(st.tuples(st.sampled_from(operators.split()), operand), min_size=1, max_size=3).map(tuple)


def calls(
    number: st.SearchStrategy[Node], truth: st.SearchStrategy[Node], result: Kind, names: list[str]
) -> Any:
    def build(name: str) -> st.SearchStrategy[Node]:
        arguments = [truth if kind is Kind.TRUTH else number for kind in FUNCTIONS[name].parameters]
        return st.tuples(*arguments).map(lambda drawn: Call(ANYWHERE, name, drawn, result))

    return st.sampled_from([name for name in names if FUNCTIONS[name].result is result]).flatmap(build)


def grow(
    depth: int, leaves: st.SearchStrategy[Node], names: list[str]
) -> tuple[st.SearchStrategy[Node], st.SearchStrategy[Node]]:
    """Strategies for numbers and for truth values of at most this depth."""
    if depth == 0:
        return leaves, st.builds(Comparison, st.just(ANYWHERE), leaves, pairs("< <= > >= == !=", leaves))
    number, truth = grow(depth - 1, leaves, names)
    numbers = st.one_of(
        leaves,
        st.builds(Negative, st.just(ANYWHERE), number),
        st.builds(Arithmetic, st.just(ANYWHERE), number, pairs("+ -", number)),
        st.builds(Arithmetic, st.just(ANYWHERE), number, pairs("* /", number)),
        calls(number, truth, Kind.NUMBER, names),
    )
    operands = st.lists(truth, min_size=2, max_size=3).map(tuple)
    truths = st.one_of(
        st.builds(Comparison, st.just(ANYWHERE), number, pairs("< <= > >= == !=", number)),
        st.builds(Not, st.just(ANYWHERE), truth),
        st.builds(Junction, st.just(ANYWHERE), st.sampled_from(["and", "or"]), operands),
        calls(number, truth, Kind.TRUTH, names),
    )
    return numbers, truths


ANY_NUMBER, ANY_TRUTH = grow(3, st.one_of(METRICS, NUMBERS), sorted(FUNCTIONS))
# Only what Python has too, cell by cell, with values whose products neither overflow nor vanish.
PYTHON_LEAVES = st.one_of(
    st.sampled_from(["x", "y", "z"]).map(lambda name: Metric(ANYWHERE, Reference(None, "v", name))),
    st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.25, 10.0]).map(lambda value: Number(ANYWHERE, value)),
)
PYTHON_NUMBER, PYTHON_TRUTH = grow(3, PYTHON_LEAVES, ["abs", "within"])
VECTORS = arrays(np.float64, (3, CELLS), elements=st.floats(-1e3, 1e3).map(lambda value: round(value, 3)))

RANKS: dict[type[Node], int] = {Not: 2, Comparison: 3, Negative: 6}


def rank(node: Node) -> int:
    """How tightly the node's operator binds."""
    if isinstance(node, Junction):
        return 0 if node.word == "or" else 1
    if isinstance(node, Arithmetic):
        return 4 if node.rest[0][0] in "+-" else 5
    return RANKS.get(type(node), 7)


class Printer:
    """Writes an expression in a style drawn from `dice`, with the parentheses it needs and some more."""

    def __init__(self, dice: random.Random) -> None:
        self.dice = dice

    def gap(self) -> str:
        return self.dice.choice(["", " ", "  ", "\n"])

    def show(self, node: Node, least: int = 0) -> str:
        text = self.show_bare(node)
        if rank(node) < least or self.dice.random() < 0.1:
            return f"({self.gap()}{text}{self.gap()})"
        return text

    def show_bare(self, node: Node) -> str:
        match node:
            case Number():
                return repr(node.value)
            case Metric():
                return str(node.reference)
            case Negative():
                return f"-{self.gap()}{self.show(node.operand, 6)}"
            case Not():
                return f"not {self.show(node.operand, 2)}"
            case Junction():
                least = rank(node) + 1
                return f" {node.word} ".join(self.show(operand, least) for operand in node.operands)
            case Arithmetic() | Comparison():
                least = rank(node) + 1
                text = self.show(node.first, least)
                for operator, operand in node.rest:
                    around = " " if operator == "/" else self.gap()
                    text += f"{around}{operator}{around}{self.show(operand, least)}"
                return text
            case Call():
                inside = f"{self.gap()},{self.gap()}".join(self.show(argument) for argument in node.arguments)
                return f"{node.function}({self.gap()}{inside}{self.gap()})"
        raise AssertionError(node)


def spans_fit(text: str, node: Node) -> bool:
    """Each node read again from its own span alone is the same node."""
    alone = text[node.span[0] : node.span[1]]
    wrapped = f"all({alone})" if node.kind is not Kind.NUMBER else f"mean({alone}) > 0"
    root = parse_expression(wrapped).root
    again = root.children()[0] if isinstance(root, Call) else root.children()[0].children()[0]
    return again == node


@settings(max_examples=100, deadline=None)
@given(ANY_TRUTH, st.integers(0, 2**32))
def test_printed_expressions_are_read_back(tree: Node, seed: int) -> None:
    text = Printer(random.Random(seed)).show(tree)
    if len(text) > 2000:
        with pytest.raises(ExpressionError):
            parse_expression(text)
        return
    expression = parse_expression(text)
    assert expression.root == tree
    assert all(spans_fit(text, node) for node in expression.root.walk())
    metrics = [node.reference for node in tree.walk() if isinstance(node, Metric)]
    assert sorted(map(str, set(metrics))) == sorted(map(str, expression.references()))


TOKENS = [
    "a.b", "soft.walker/torso.height", "1", ".5", "1e-3", "mean(", "fraction(", "all(", "within(", "(", ")",
    ",", "+", "-", "*", " / ", "/", "<", "<=", "==", " and ", " or ", " not ", " ", "mean", ".", "=", "\n",
    "é", "\0",
]  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(st.one_of(st.text(max_size=60), st.lists(st.sampled_from(TOKENS), max_size=25).map("".join)))
def test_any_text_is_an_expression_or_an_expression_error(text: str) -> None:
    try:
        expression = parse_expression(text)
    except ExpressionError as error:
        column = error.column
    else:
        column = 1
        with contextlib.suppress(Undecidable, ExpressionError):
            evaluate(expression, lambda _: np.array([1.0]))
    assert 1 <= column <= max(len(text), 1) + 1


def python_within(a: float, b: float, tolerance: float) -> bool:
    return abs(a - b) <= tolerance * max(abs(a), abs(b))


class Cell:
    """One cell of the metrics, as Python sees it."""

    def __init__(self, x: float, y: float, z: float) -> None:
        self.x, self.y, self.z = x, y, z


def compute_in_python(text: str, vectors: Any) -> list[Any]:
    """The oracle: Python's own reading of the text, cell by cell."""
    functions = {"__builtins__": {}, "abs": abs, "within": python_within}
    flat = f"({text})"
    return [eval(flat, functions, {"v": Cell(*map(float, column))}) for column in vectors.T]


def look_up(vectors: Any) -> Any:
    return lambda reference: vectors["xyz".index(reference.metric)]


@settings(max_examples=100, deadline=None)
@given(PYTHON_NUMBER, VECTORS, st.integers(0, 2**32))
def test_arithmetic_is_that_of_python(tree: Node, vectors: Any, seed: int) -> None:
    text = Printer(random.Random(seed)).show(tree)
    expression = parse_expression(f"max({text}) >= min({text})")
    try:
        expected = [float(value) for value in compute_in_python(text, vectors)]
    except ZeroDivisionError:
        with pytest.raises(Undecidable):
            evaluate(expression, look_up(vectors))
        return
    if not all(map(math.isfinite, expected)):
        with pytest.raises(Undecidable):
            evaluate(expression, look_up(vectors))
        return
    verdict = evaluate(expression, look_up(vectors))
    assert verdict.holds
    figures = list(verdict.figures.values())
    assert [figures[0], figures[-1]] == [max(expected), min(expected)]


@settings(max_examples=100, deadline=None)
@given(PYTHON_TRUTH, VECTORS, st.integers(0, 2**32))
def test_truth_is_that_of_python(tree: Node, vectors: Any, seed: int) -> None:
    # A comparison of plain numbers is one scalar; the metric makes it one value a cell, as the oracle counts.
    text = f"({Printer(random.Random(seed)).show(tree)}) and v.x == v.x"
    try:
        expected = compute_in_python(text, vectors)
        decided = evaluate(
            parse_expression(f"all({text}) or any({text}) or count({text}) < 0"), look_up(vectors)
        )
    except (ZeroDivisionError, Undecidable):
        return  # Python stops at the first false operand, which hides a division by zero behind it
    assert list(decided.figures.values()) == [all(expected), any(expected), sum(expected)]


ONE_VECTOR = arrays(np.float64, st.integers(1, 30), elements=st.floats(-1e6, 1e6))


@settings(max_examples=100, deadline=None)
@given(ONE_VECTOR, st.floats(-1e6, 1e6))
def test_aggregates_are_those_of_numpy(values: Any, threshold: float) -> None:
    text = (
        "mean(v.x) > 0 or min(v.x) > 0 or max(v.x) > 0 or spread(v.x) > 0"
        f" or fraction(v.x > {threshold!r}) > 0 or all(v.x > {threshold!r}) or any(v.x > {threshold!r})"
        " or difference(v.x, abs(v.x)) > 0"
    )
    above = values > threshold
    expected = [
        np.mean(values),
        np.min(values),
        np.max(values),
        np.std(values, ddof=1) if len(values) > 1 else 0.0,
        np.mean(above),
        np.all(above),
        np.any(above),
        np.mean(values - np.abs(values)),
    ]
    assert list(evaluate(parse_expression(text), lambda _: values).figures.values()) == expected


def find_interval(a: Any, b: Any) -> tuple[float, float]:
    expression = parse_expression("difference_low(v.a, v.b) <= difference_high(v.a, v.b)")
    low, high = evaluate(expression, lambda reference: a if reference.metric == "a" else b).figures.values()
    return low, high


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 30), st.integers(0, 2**32), st.floats(-10, 10), st.floats(0.1, 10))
def test_the_interval_is_repeatable_and_moves_with_the_data(
    cells: int, seed: int, shift: float, scale: float
) -> None:
    a, b = np.random.default_rng(seed).normal(size=(2, cells))
    low, high = find_interval(a, b)
    assert (low, high) == find_interval(a, b)
    assert low <= np.mean(a - b) <= high
    rounding = 1e-14 * max(abs(a - b))
    assert min(a - b) - rounding <= low
    assert high <= max(a - b) + rounding
    assert find_interval(a * scale + shift, b * scale) == pytest.approx(
        (low * scale + shift, high * scale + shift)
    )
    # Every interval uses the same draws, so that exchanging the roles mirrors it.
    assert find_interval(b, a) == pytest.approx((-high, -low))


def test_the_interval_covers_the_true_difference_as_often_as_it_says() -> None:
    generator = np.random.default_rng(1)
    trials, cells = 150, 40
    covered = 0
    for _ in range(trials):
        low, high = find_interval(generator.normal(0.3, 1.0, cells), generator.normal(0.0, 1.0, cells))
        covered += low <= 0.3 <= high
    # The percentile method falls a little short of 95 % with 40 cells; allow three binomial deviations.
    assert 0.88 <= covered / trials <= 0.99


@settings(max_examples=30, deadline=None)
@given(PYTHON_TRUTH, VECTORS, st.integers(0, CELLS - 1), st.sampled_from([math.nan, math.inf, -math.inf]))
def test_one_missing_value_makes_it_undecidable(tree: Node, vectors: Any, cell: int, missing: float) -> None:
    expression = parse_expression(f"any({Printer(random.Random(0)).show(tree)}) or all(v.x > 0)")
    vectors[0, cell] = missing
    with pytest.raises(Undecidable):
        evaluate(expression, look_up(vectors))
