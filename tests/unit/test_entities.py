"""The scene graph."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from supple.core.entity import Entity, SceneGraph, parent_path

names = st.text("ab_Z09", min_size=1, max_size=3).filter(lambda name: not name[0].isdigit())
paths = st.lists(names, min_size=1, max_size=3).map("/".join)


@given(st.sets(paths, max_size=30))
def test_below_is_the_tree_under_a_path(chosen) -> None:
    graph = SceneGraph({path: Entity(path) for path in chosen})
    for path in chosen:
        expected = sorted(other for other in chosen if other == path or other.startswith(path + "/"))
        assert [entity.path for entity in graph.below(path)] == expected


def test_parents() -> None:
    assert parent_path("a/b/c") == "a/b"
    assert parent_path("a") is None
