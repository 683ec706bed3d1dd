"""A skin that slides fast over the edge of a box does not sink into it: contacts are where edges will cross."""

from pathlib import Path

import pytest

import supple

SCENE = Path(__file__).resolve().parents[2] / "scenes/contact_skinning/kick.toml"


@pytest.mark.parametrize("variant", ["light", "medium"])
def test_toes_slide_over_the_edge_of_a_crate(variant):
    world = supple.load(SCENE, variant=variant)
    deepest = 0.0
    for _ in range(950):
        world.step()
        deepest = max(deepest, world.metrics()["run.penetration_worst"])
    # Turn times way of a step, 0.02 rad and 7 mm, is what the plane of the step's start is wrong by.
    assert deepest < 1e-5
