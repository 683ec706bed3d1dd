"""The prefab of a chain: rods end to end along a line, and what its ends are tied to."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from supple.core.entity import Entity
from supple.core.scene_files import SceneFiles
from supple_joints.chain import Chain

LINE = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0))


def expand(**fields: Any) -> dict[str, Entity]:
    """Children of a chain by their names."""
    chain = Chain(**({"mass": 1.0, "radius": 0.01, "path": LINE} | fields))
    return {child.path.split("/")[1]: child for child in chain.expand(Entity("rope", {}), SceneFiles())}


coordinate = st.floats(-2, 2).map(lambda value: round(value, 3))
corner = st.tuples(coordinate, coordinate, coordinate)


@given(path=st.lists(corner, min_size=2, max_size=6, unique=True).map(tuple), links=st.integers(1, 30))
def test_rods_lie_end_to_end_along_the_line(path: Any, links: int) -> None:
    children = expand(path=path, links=links)
    ends = []
    for index in range(links):
        rod = children[f"link{index}"].components
        axis = np.array(rod["pose"].axis) / np.linalg.norm(rod["pose"].axis)
        along = Rotation.from_rotvec(np.radians(rod["pose"].angle) * axis).apply(
            [0, rod["capsule"].length / 2, 0]
        )
        ends.append((rod["pose"].position - along, rod["pose"].position + along))
    np.testing.assert_allclose(ends[0][0], path[0], atol=1e-9)
    np.testing.assert_allclose(ends[-1][1], path[-1], atol=1e-9)
    for before, after in itertools.pairwise(ends):
        np.testing.assert_allclose(before[1], after[0], atol=1e-9)
    assert sum(children[f"link{index}"].components["body"].mass for index in range(links)) == pytest.approx(
        1.0
    )


@pytest.mark.parametrize(
    ("ends", "joints"),
    [
        ({}, {"joint1": ("rope/link1", "rope/link0")}),
        (
            {"first": "world", "last": "crate"},
            {
                "joint0": ("rope/link0",),
                "joint1": ("rope/link1", "rope/link0"),
                "joint2": ("crate", "rope/link1"),
            },
        ),
        ({"last": "world"}, {"joint1": ("rope/link1", "rope/link0"), "joint2": ("rope/link1",)}),
    ],
)
def test_ends_are_tied_to_what_is_named(ends: dict[str, str], joints: dict[str, tuple[str, ...]]) -> None:
    children = expand(links=2, **ends)
    found = {name: child.components["joint"].between for name, child in children.items() if "joint" in name}
    assert found == joints


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"path": ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))}, "a corner twice in a row"),
        ({"path": (*LINE, LINE[0]), "links": 1}, "take more links"),
        ({"damping": 0.1}, 'say kind = "hinge"'),
    ],
)
def test_what_makes_no_chain_is_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        expand(**({"links": 2} | fields))
