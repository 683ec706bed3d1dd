"""Expressions of `holds`: meaning, figures, and errors that say what would be right."""

from __future__ import annotations

import numpy as np
import pytest

from supple.errors import Where
from supple.scene.expression import (
    ExpressionError,
    Reference,
    Undecidable,
    Verdict,
    evaluate,
    parse_expression,
)

VALUES = {
    "soft.walker.upright": [1, 1, 1, 0],
    "rigid.walker.upright": [1, 0, 0, 0],
    "soft.walker.travel": [4.0, 5.0, 6.0, 7.0],
    "rigid.walker.travel": [1.0, 2.0, 3.0, 4.0],
    "soft.walker/torso.height": [1.0, 1.1, 0.9, 1.0],
    "floor.penetration": 1e-6,
    "run.residual_worst": [3e-9],
    "run.steps": [100.0],
    "broken.figure": [1.0, np.nan, np.inf, 2.0],
    "other.figure": [1.0, 2.0],
}


def judge(text: str) -> Verdict:
    expression = parse_expression(text).resolve({"soft", "rigid"})
    return evaluate(expression, lambda reference: np.asarray(VALUES[str(reference)]))


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("fraction(soft.walker.upright) > fraction(rigid.walker.upright)", True),
        ("floor.penetration < 1e-5", True),
        ("1e-7 < floor.penetration <= 1e-6 < 1", True),
        ("1e-7 < floor.penetration < 1e-6 < 1", False),
        ("run.residual_worst > 0 and not run.residual_worst > 1", True),
        ("run.steps != 100 or run.steps == 100", True),
        ("1 < 2 or 1 < 2 and 2 < 1", True),
        ("(1 < 2 or 1 < 2) and 2 < 1", False),
        ("not 2 < 1 and 1 < 2", True),
        ("-run.steps + 2 * 51 == 2", True),
        ("8 / 2 / 2 == 2", True),
        ("8 - 2 - 2 == 4", True),
        ("--1 == 1", True),
        ("all(soft.walker.travel - rigid.walker.travel == 3)", True),
        ("any(soft.walker/torso.height > 1.05)", True),
        ("all(soft.walker/torso.height > 1.05)", False),
        ("count(soft.walker.upright) == 3", True),
        ("count(soft.walker.travel > 5) == 2", True),
        ("mean(soft.walker.travel > 5) == 0.5", True),
        ("fraction(not rigid.walker.upright) == 0.75", True),
        ("all(soft.walker.upright or not soft.walker.upright)", True),
        ("min(soft.walker.travel) == 4 and max(soft.walker.travel) == 7", True),
        ("spread(floor.penetration) == 0", True),
        ("within(100, 109, 0.1) and not within(100, 112, 0.1)", True),
        ("within(-1, 1, 1.9)", False),
        ("within(0, 0, 0)", True),
        ("abs(-3) == 3 and sqrt(16) == 4", True),
        ("difference(soft.walker.travel, rigid.walker.travel) == 3", True),
        ("difference_low(soft.walker.travel, rigid.walker.travel) > 0", True),
        ("difference_low(soft.walker.upright, rigid.walker.upright) > 0", False),
        ("difference_high(soft.walker.upright, rigid.walker.upright) < 1", False),
        ("1 \n\t<\r\n 2", True),
    ],
)
def test_what_expressions_mean(text: str, holds: bool) -> None:
    assert judge(text).holds is holds


def test_references_are_split_into_variant_entity_and_metric() -> None:
    text = "mean(soft.walker/torso/neck.height) > floor.penetration or floor.penetration < run.residual_worst"
    assert parse_expression(text).references() == (
        Reference("soft", "walker/torso/neck", "height"),
        Reference(None, "floor", "penetration"),
        Reference(None, "run", "residual_worst"),
    )


def test_figures_are_the_aggregates_and_the_bare_scalars() -> None:
    verdict = judge(
        "mean( soft.walker.travel\n- mean(rigid.walker.travel) ) > (run.steps) / abs(-100)"
        " and max(run.residual_worst) < 1 and all(soft.walker.upright)"
    )
    assert verdict == Verdict(
        False,
        {
            "mean( soft.walker.travel - mean(rigid.walker.travel) )": 3.0,
            "mean(rigid.walker.travel)": 2.5,
            "run.steps": 100.0,
            "max(run.residual_worst)": 3e-9,
            "all(soft.walker.upright)": 0.0,
        },
    )


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        ("", 1, "empty"),
        ("  \n", 1, "empty"),
        ("meen(a.b) > 1", 1, "Did you mean 'mean'?"),
        ("1 < fracton(a.b)", 5, "Did you mean 'fraction'?"),
        ("1 < a.b/2", 8, "division needs spaces around it"),
        ("mean(a.b)/ 2 < 1", 10, "division needs spaces around it"),
        ("1 /2 < 1", 3, "division needs spaces around it"),
        ("a.b/c < 1", 1, "division needs spaces around it: a.b / c"),
        ("a/b.c.d < 1", 1, "division needs spaces around it: a / b.c.d"),
        ("height > 1", 1, "entity.metric"),
        ("walker/torso > 1", 1, "entity.metric"),
        ("a.b.c.d > 1", 1, "variant.entity.metric"),
        ("mean > 1", 1, "write mean(...)"),
        ("a.b = 1", 5, "write =="),
        ("a.b && c.d", 5, "write and"),
        ("a . b > 1", 3, "without spaces"),
        ("a.b > 1 c.d", 9, "expected an operator"),
        ("a.b > 1)", 8, "closes nothing"),
        ("a.b > 1, 2", 8, "comma"),
        ("(a.b > 1", 9, "the '(' at column 1 is open"),
        ("mean(a.b, c.d > 1", 18, "the '(' at column 5 is open"),
        ("a.b >", 6, "ends too early"),
        ("a.b > > 1", 7, "instead of '>'"),
        ("not", 4, "ends too early"),
        ("a.b > not c.d", 7, "instead of 'not'"),
        ("mean(a.b)", 1, "compare it"),
        ("1 < 2 and mean(a.b)", 11, "'mean(a.b)' is a number"),
        ("not 3", 5, "'3' is a number"),
        ("fraction(mean(a.b)) > 0", 10, "needs a truth value"),
        ("(1 < 2) + 1 > 0", 2, "'1 < 2' is a truth value, and '+' needs numbers"),
        ("1 < all(a.b) < 2", 5, "is a truth value, and '<' needs numbers"),
        ("-all(a.b) < 1", 2, "needs numbers"),
        ("mean() > 1", 1, "takes 1 argument, not 0"),
        ("within(1, 2) and 1 < 2", 1, "takes 3 arguments, not 2"),
        ("soft.mean(a.b) > 1", 1, "unknown function"),
        ("1e999 > 1", 1, "too large"),
        ("2x > 1", 1, "not a number"),
        ("1.2.3 > 1", 1, "not a number"),
        ("1 < 2 # why", 7, "no meaning"),
        ("__import__('os')", 12, "no meaning"),
        ("1 < 2" + " " * 2000, 2001, "2000"),
        ("(" * 51 + "1 < 2" + ")" * 51, 51, "deeper than 50"),
        ("-" * 51 + "1 < 2", 51, "deeper than 50"),
        ("not " * 400 + "1 < 2", 201, "deeper than 50"),
        ("mean(" * 300, 255, "deeper than 50"),
    ],
)
def test_bad_expressions_say_where_and_what_would_be_right(text: str, column: int, words: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        parse_expression(text)
    assert caught.value.column == column
    assert words in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("sotf.walker.upright > 0", "Did you mean 'soft'?"),
        ("walker.torso.height > 0", "write walker/torso.height"),
        ("floor.penetration/walker.upright > 0", "write floor.penetration / walker.upright"),
    ],
)
def test_unknown_variants(text: str, words: str) -> None:
    with pytest.raises(
        ExpressionError, match=r"^column 1: .* is not a variant; variants are: rigid, soft"
    ) as caught:
        parse_expression(text).resolve(["soft", "rigid"])
    assert words in str(caught.value)
    with pytest.raises(ExpressionError, match="the scene has none"):
        parse_expression(text).resolve(())


def test_an_error_becomes_a_problem_of_its_file() -> None:
    with pytest.raises(ExpressionError) as caught:
        parse_expression("a.b = 1")
    problem = caught.value.at(Where("scene.toml", 12), "claim.SC9.holds")
    expected = "scene.toml:12: claim.SC9.holds: column 5: '=' has no meaning here; write == to compare"
    assert str(problem) == expected


@pytest.mark.parametrize("text", ["soft.walker.travel > 1", "soft.walker.upright", "not soft.walker.upright"])
def test_many_cells_are_no_verdict(text: str) -> None:
    words = r"this compares 4 cells; say all\(\.\.\.\), any\(\.\.\.\), fraction\(\.\.\.\) or mean\(\.\.\.\)"
    with pytest.raises(ExpressionError, match=words):
        judge(text)


def test_numbers_are_not_taken_for_truth() -> None:
    with pytest.raises(
        ExpressionError, match=r"column 10: 'soft\.walker\.travel' is not a truth value, but 4"
    ):
        judge("fraction(soft.walker.travel) > 0")


def test_cells_must_match() -> None:
    with pytest.raises(ExpressionError, match="2, 4 cells"):
        judge("all(soft.walker.travel > other.figure)")
    with pytest.raises(ExpressionError, match="2, 4 cells"):
        judge("difference(soft.walker.travel, other.figure) > 0")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("mean(broken.figure) > 0", r"broken\.figure was not measured in 2 of 4 cells"),
        ("1 < 2 or all(broken.figure > 0)", r"broken\.figure was not measured"),
        ("1 / (run.steps - 100) > 0", r"'run\.steps - 100' is zero and divides"),
        ("sqrt(-run.steps) > 0", r"'sqrt\(-run\.steps\)' is not a finite number"),
        ("1e300 * 1e300 > 0", "not a finite number"),
        ("difference_low(run.steps, floor.penetration) > 0", "at least two cells"),
    ],
)
def test_what_was_not_measured_cannot_be_decided(text: str, words: str) -> None:
    with pytest.raises(Undecidable, match=words):
        judge(text)


def test_no_cells_cannot_be_decided() -> None:
    with pytest.raises(Undecidable, match="no cells"):
        evaluate(parse_expression("all(a.b)"), lambda _: np.empty(0))


def test_long_and_deep_expressions_within_the_limits_are_read() -> None:
    assert judge("+".join(["1"] * 990) + " == 990").holds
    assert judge(" and ".join(["1<2"] * 240)).holds
    level = "1<2 and not 1 < 2 + 3 * -mean("
    depth = 50 // 3
    # Each mean is 1, so that every level says 1 < 2 and not 1 < -1.
    assert judge(level * depth + "1 < 2" + ")" * depth).holds
    assert judge("1 < 2 and " + "(" * 50 + "1 < 2" + ")" * 50).holds
