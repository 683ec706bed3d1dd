"""The parts of a `holds` expression after parsing.

Every node knows its `span`, the half-open range of characters it was read from; two nodes are equal when they
mean the same, wherever they stand.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from supple.errors import Problem, UserError, Where

Span = tuple[int, int]


class ExpressionError(UserError):
    """An expression is wrong at `column` (from 1). Callers add the file and the line with `at`."""

    def __init__(self, column: int, what: str, remedy: str = "") -> None:
        self.column = column
        self.what = what
        self.remedy = remedy
        super().__init__(Problem(None, f"column {column}", what, remedy))

    def at(self, where: Where | None, path: str) -> Problem:
        """The same problem as part of a file."""
        return Problem(where, path, f"column {self.column}: {self.what}", self.remedy)


class Kind(Enum):
    """What a value is. The values of a metric are known only when it is looked up."""

    NUMBER = "a number"
    TRUTH = "a truth value"
    MEASURED = "a metric"


@dataclass(frozen=True)
class Reference:
    """A metric of an entity, in one variant or in the scene as it stands (`variant` None)."""

    variant: str | None
    entity: str
    metric: str

    def __str__(self) -> str:
        name = f"{self.entity}.{self.metric}"
        return name if self.variant is None else f"{self.variant}.{name}"


@dataclass(frozen=True)
class Node:
    """A part of an expression. `span` is its place in the text, which does not count when nodes are compared."""

    span: Span = field(compare=False, repr=False)

    @property
    def kind(self) -> Kind:
        """Whether its value is a number or a truth."""
        return Kind.NUMBER

    def children(self) -> tuple[Node, ...]:
        """The nodes this one is made of, from left to right."""
        return ()

    def walk(self) -> Iterator[Node]:
        """This node and all below it, from left to right."""
        yield self
        for child in self.children():
            yield from child.walk()


@dataclass(frozen=True)
class Number(Node):
    """A literal."""

    value: float


@dataclass(frozen=True)
class Metric(Node):
    """The values of a metric over the cells."""

    reference: Reference

    @property
    def kind(self) -> Kind:
        """Truth or number: the metric decides."""
        return Kind.MEASURED


@dataclass(frozen=True)
class Negative(Node):
    """Minus its operand."""

    operand: Node

    def children(self) -> tuple[Node, ...]:
        """The operand."""
        return (self.operand,)


@dataclass(frozen=True)
class Arithmetic(Node):
    """Operators of one rank, taken from left to right: first, then each (operator, operand).

    Flat, so that a long sum is no deeper than a short one.
    """

    first: Node
    rest: tuple[tuple[str, Node], ...]

    def children(self) -> tuple[Node, ...]:
        """The operands."""
        return (self.first, *(operand for _, operand in self.rest))


@dataclass(frozen=True)
class Comparison(Node):
    """A chain such as a < b <= c: every neighbouring pair has to hold."""

    first: Node
    rest: tuple[tuple[str, Node], ...]

    @property
    def kind(self) -> Kind:
        """A truth value."""
        return Kind.TRUTH

    def children(self) -> tuple[Node, ...]:
        """The operands."""
        return (self.first, *(operand for _, operand in self.rest))


@dataclass(frozen=True)
class Not(Node):
    """The opposite of its operand."""

    operand: Node

    @property
    def kind(self) -> Kind:
        """A truth value."""
        return Kind.TRUTH

    def children(self) -> tuple[Node, ...]:
        """The operand."""
        return (self.operand,)


@dataclass(frozen=True)
class Junction(Node):
    """`and` or `or` between two or more operands."""

    word: str
    operands: tuple[Node, ...]

    @property
    def kind(self) -> Kind:
        """A truth value."""
        return Kind.TRUTH

    def children(self) -> tuple[Node, ...]:
        """The operands."""
        return self.operands


@dataclass(frozen=True)
class Call(Node):
    """A function such as `max` or `all`; `result` is what it gives for these arguments."""

    function: str
    arguments: tuple[Node, ...]
    result: Kind

    @property
    def kind(self) -> Kind:
        """What the function gives."""
        return self.result

    def children(self) -> tuple[Node, ...]:
        """The arguments."""
        return self.arguments
