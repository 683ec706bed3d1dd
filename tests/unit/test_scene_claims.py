"""Claims and expectations: which are accepted, and when an expectation is met."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from toy_scenes import HEAD, Desk

SCENE = f"""{HEAD}[[entity]]
name = "w"
biped = {{}}
[[entity]]
name = "c"
crowd = {{}}
[variants]
soft = {{}}
rigid = {{ "w.biped.feet" = "rigid" }}
two = {{ "c.crowd.size" = 2 }}
"""
CLAIM = '[[claim]]\nid = "X"\nsays = "it is so"\npaper = "P0"\nholds = {}\n'
EXPECT = '[[expect]]\nmetric = "{}"\n{}\nbecause = "it must"\n'


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_claim_is_read(desk: Desk) -> None:
    holds = "mean(soft.w/torso.height) > rigid.w/torso.height and run.contacts < 3"
    (claim,) = desk.read(SCENE + CLAIM.format(f'"""{holds}"""')).claims
    assert (claim.id, claim.says, claim.paper, claim.holds) == ("X", "it is so", "P0", holds)
    assert [str(each) for each in claim.expression.references()] == [
        "soft.w/torso.height", "rigid.w/torso.height", "run.contacts",
    ]  # fmt: skip
    assert claim.where.line == 16


HOLDS = {
    "'w/torso.height >'": None,
    "'w/torso.hieght > 1'": (
        "'w/torso' has no metric 'hieght'; it offers: height, travel. Did you mean 'height'?"
    ),
    "'w/trso.height > 1'": (
        "there is no entity 'w/trso'; the scene has: c, c/n0, c/n0/left_foot, c/n0/right_foot, c/n0/torso, run, w,"
        " w/left_foot, w/right_foot, w/torso. Did you mean 'w/torso'?"
    ),
    "'run.contcts > 1'": None,
    "'w.height > 1'": "'w' has no metric 'height'; it offers: nothing",
    "'c/n1/torso.height > 1'": None,
    "'soft.c/n1/torso.height > 1'": None,
    "'sotf.w/torso.height > 1'": None,
    "3": "must be a string, not the number 3; holds: Expression over metrics that is true if the claim holds",
}


@pytest.mark.parametrize("holds", HOLDS)
def test_claim_that_cannot_be_decided(desk: Desk, holds: str) -> None:
    (found,) = desk.complaints(SCENE + CLAIM.format(holds))
    assert found.startswith("scene.toml:19: claim.holds: ")
    if HOLDS[holds] is not None:
        assert found == f"scene.toml:19: claim.holds: {HOLDS[holds]}"


def test_metric_that_only_a_variant_has(desk: Desk) -> None:
    assert desk.complaints(SCENE + CLAIM.format("'two.c/n1/torso.height > 1'")) == []


def test_claims_need_their_keys_and_an_id_of_their_own(desk: Desk) -> None:
    assert desk.complaints(f"{HEAD}[[claim]]\nidd = 'x'\n") == [
        "scene.toml:5: claim.id: is missing; give id: Name of the claim, unique in the scene",
        "scene.toml:5: claim.says: is missing; give says: The claim in a sentence",
        "scene.toml:5: claim.holds: is missing; give holds: Expression over metrics that is true if the claim holds",
        "scene.toml:6: claim.idd: unknown key; its keys are: holds, id, paper, says. Did you mean 'id'?",
    ]
    twice = CLAIM.format("'run.contacts > 1'") * 2
    assert desk.complaints(HEAD + twice) == [
        "scene.toml:11: claim.id: the claim 'X' is made at scene.toml:6 already; give one another id"
    ]


BOUNDS = {
    "": "15: expect: nothing is expected; give above, below, or equals with a tolerance",
    "equals = 1": "15: expect: equals and tolerance belong together; give both, tolerance = 0 for exactly this",
    "tolerance = 1": "15: expect: equals and tolerance belong together; give both, tolerance = 0 for exactly this",
    "equals = 1\ntolerance = 1\nabove = 1": (
        "15: expect: above and below do not go with equals; give one or the other"
    ),
    "above = 2\nbelow = 1": "15: expect: no number is above 2 and below 1; swap them",
    "equals = 1\ntolerance = -1": (
        "18: expect.tolerance: must be at least 0, is -1; tolerance: Greatest distance from `equals`"
    ),
    "abov = 1": (
        "17: expect.abov: unknown key; its keys are: above, because, below, equals, metric, tolerance."
        " Did you mean 'above'?"
    ),
    "above = nan": (
        "17: expect.above: must be a finite number, is nan; above: The metric has to be greater, in its own unit"
    ),
}


@pytest.mark.parametrize("bounds", BOUNDS)
def test_expectation_that_makes_no_sense(desk: Desk, bounds: str) -> None:
    found = desk.complaints(SCENE + EXPECT.format("w/torso.height", bounds))
    assert found == [f"scene.toml:{BOUNDS[bounds]}"]


METRICS = {
    "w/torso": "the string 'w/torso' is not a metric; write entity.metric",
    "soft.w/torso.height": "the string 'soft.w/torso.height' is not a metric; write entity.metric",
    "w/torso.hight": (
        "'w/torso' has no metric 'hight' in variant soft; it offers: height, travel. Did you mean 'height'?"
    ),
    "c/n1/torso.height": None,
    "run.contcts": None,
}


@pytest.mark.parametrize("metric", METRICS)
def test_expectation_of_a_metric_that_is_not_there(desk: Desk, metric: str) -> None:
    (found,) = desk.complaints(SCENE + EXPECT.format(metric, "above = 1"))
    assert found.startswith("scene.toml:16: expect.metric: ")
    if METRICS[metric] is not None:
        assert found == f"scene.toml:16: expect.metric: {METRICS[metric]}"


@pytest.mark.parametrize(
    ("bounds", "met", "missed"),
    [
        ("above = 1", [1.1, 1e300], [1.0, -3.0]),
        ("below = 1", [0.9, -1e300], [1.0, 3.0]),
        ("above = 0\nbelow = 1", [0.5], [0.0, 1.0]),
        ("equals = 1\ntolerance = 0.25", [1.0, 1.25, 0.75], [1.3, 0.7]),
        ("equals = 1\ntolerance = 0", [1.0], [math.nextafter(1.0, 2.0)]),
    ],
)
def test_judging(desk: Desk, bounds: str, met: list[float], missed: list[float]) -> None:
    (expectation,) = desk.read(SCENE + EXPECT.format("w/torso.height", bounds)).expectations
    assert expectation.metric == "w/torso.height"
    assert expectation.because == "it must"
    assert [expectation.judge(value) for value in met] == [True] * len(met)
    assert [expectation.judge(value) for value in [*missed, math.nan, math.inf]] == [False] * (
        len(missed) + 2
    )
