"""The tables `[[claim]]` and `[[expect]]`: what a scene is written to show."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from supple.core.component import component, field
from supple.errors import Problem, Where, suggest
from supple.mechanics.run_metrics import RUN_METRICS, STEP_TIME
from supple.scene.document import Document
from supple.scene.expression import Expression, ExpressionError, Reference, parse_expression
from supple.scene.fields import say_value
from supple.scene.parts import Part
from supple.scene.read_entities import Assembly
from supple.scene.wording import read_checked


@component
class ClaimTable:
    """A statement about the runs of the scene, with an expression that decides it."""

    id: str = field(unit="", doc="Name of the claim, unique in the scene.", min_length=1)
    says: str = field(unit="", doc="The claim in a sentence.", min_length=1)
    paper: str = field(default="", unit="", doc="Where it was claimed.")
    holds: str = field(unit="", doc="Expression over metrics that is true if the claim holds.")


@component
class ExpectTable:
    """A bound on a metric that every run of the scene has to keep."""

    metric: str = field(unit="", doc="The metric as entity.metric.")
    above: float | None = field(default=None, unit="", doc="The metric has to be greater, in its own unit.")
    below: float | None = field(default=None, unit="", doc="The metric has to be smaller, in its own unit.")
    equals: float | None = field(default=None, unit="", doc="The metric has to be this, up to the tolerance.")
    tolerance: float | None = field(default=None, unit="", doc="Greatest distance from `equals`.", ge=0)
    because: str = field(unit="", doc="Why this is expected.", min_length=1)

    def __post_init__(self) -> None:
        bounded = self.above is not None or self.below is not None
        if (self.equals is None) != (self.tolerance is None):
            raise ValueError(
                "equals and tolerance belong together; give both, tolerance = 0 for exactly this"
            )
        if bounded and self.equals is not None:
            raise ValueError("above and below do not go with equals; give one or the other")
        if not bounded and self.equals is None:
            raise ValueError("nothing is expected; give above, below, or equals with a tolerance")
        if self.above is not None and self.below is not None and self.above >= self.below:
            raise ValueError(f"no number is above {self.above:g} and below {self.below:g}; swap them")


@dataclass(frozen=True)
class Claim:
    """A claim whose expression has been parsed and whose metrics exist."""

    id: str
    says: str
    paper: str
    holds: str
    expression: Expression
    where: Where

    @property
    def is_timed(self) -> bool:
        """Whether it speaks of speed."""
        return any(reference.metric == STEP_TIME.name for reference in self.expression.references())


@dataclass(frozen=True)
class Expectation:
    """A bound on the metric called `metric` ("entity.metric"), in the metric's own unit."""

    metric: str
    above: float | None
    below: float | None
    equals: float | None
    tolerance: float | None
    because: str
    where: Where

    def judge(self, value: float) -> bool:
        """Whether the value of the metric is as expected; a value that was not measured never is."""
        if not math.isfinite(value):
            return False
        if self.equals is not None and self.tolerance is not None:
            return abs(value - self.equals) <= self.tolerance
        return (self.above is None or value > self.above) and (self.below is None or value < self.below)


def read_claims(
    document: Document, assemblies: Mapping[str, Assembly], problems: list[Problem]
) -> tuple[Claim, ...]:
    """The claims, checked against the scene in all its variants."""
    claims: list[Claim] = []
    first: dict[str, Part] = {}
    for part in document.claims:
        table, complaints = read_checked(ClaimTable, part.table)
        problems.extend(part.problems(complaints))
        if table is None:
            continue
        other = first.setdefault(table.id, part)
        if other is not part:
            what = f"the claim '{table.id}' is made at {other.place(('id',))} already"
            problems.append(part.problem(("id",), what, "give one another id"))
        try:
            expression = parse_expression(table.holds).resolve(set(document.variants))
        except ExpressionError as error:
            problems.append(error.at(part.place(("holds",)), "claim.holds"))
            continue
        for reference in expression.references():
            if (reference.entity, reference.metric) == ("run", STEP_TIME.name):
                continue
            wrong = _find_metric(assemblies[reference.variant or ""], reference)
            if wrong is not None:
                problems.append(part.problem(("holds",), *wrong))
        where = part.place(("id",))
        claims.append(Claim(table.id, table.says, table.paper, table.holds, expression, where))
    return tuple(claims)


def read_expectations(
    document: Document, assemblies: Mapping[str, Assembly], problems: list[Problem]
) -> tuple[Expectation, ...]:
    """The expectations; each must make sense in every variant that is run."""
    run = {name: assembly for name, assembly in assemblies.items() if name} or assemblies
    expectations = []
    for part in document.expects:
        table, complaints = read_checked(ExpectTable, part.table)
        problems.extend(part.problems(complaints))
        if table is None:
            continue
        entity, dot, metric = table.metric.rpartition(".")
        if not dot or "." in entity:
            what = f"{say_value(table.metric)} is not a metric"
            problems.append(part.problem(("metric",), what, "write entity.metric"))
            continue
        for name, assembly in run.items():
            wrong = _find_metric(assembly, Reference(name or None, entity, metric))
            if wrong is not None:
                problems.append(part.problem(("metric",), *wrong))
                break
        bounds = (table.above, table.below, table.equals, table.tolerance)
        expectations.append(Expectation(table.metric, *bounds, table.because, part.place(("metric",))))
    return tuple(expectations)


def _find_metric(assembly: Assembly, reference: Reference) -> tuple[str, str] | None:
    """What is wrong with a reference and the remedy; None when nothing is, or nobody can tell."""
    entity = reference.entity
    within = f" in variant {reference.variant}" if reference.variant and entity != "run" else ""
    if entity == "run":
        offered = {metric.name for metric in RUN_METRICS}
    elif entity in assembly.entities:
        offered = set(assembly.metrics(entity))
    elif assembly.may_exist(entity):
        return None
    else:
        remedy = suggest(entity, [*assembly.entities, "run"], "the scene has")
        return f"there is no entity '{entity}'{within}", remedy
    if reference.metric in offered or entity in assembly.broken:
        return None
    what = f"'{entity}' has no metric '{reference.metric}'{within}"
    return what, suggest(reference.metric, offered, "it offers")
