"""What is put into a collection is held against the protocol of that collection at once."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import pytest

from supple.core.blueprint import Blueprint
from supple.core.build import Build
from supple.core.entity import Entity, SceneGraph
from supple.core.members import find_faults
from supple.core.settings import Run
from supple.errors import PluginError
from supple.mechanics.jacobian import JacobianBlocks
from supple.plugin import load_plugins


class Sheet:
    name, path = "sheet", "thing"
    positions, velocities = "sheet.x", "sheet.v"
    triangles, rest = np.zeros((1, 3), np.int64), np.zeros((3, 3))
    friction, restitution, thickness, self_contact = 0.5, 0.0, 0.01, False
    reads = ()

    def bind(self, arrays) -> None: ...

    def add_rows(self, points) -> None: ...


class Blocks:
    name = "blocks"
    element_paths = ("thing",)
    reads = ()

    def bind(self, arrays) -> None: ...

    def add_rows(self, points) -> None: ...


class Points:
    name = "points"
    v = v_next = v_free = plan = impulse = force = "points.v"
    unit_count = 1
    reads = ()

    def __init__(self) -> None:
        self.jacobian = JacobianBlocks(1, 1)

    def bind(self, arrays) -> None: ...

    def add_delassus(self, W) -> None: ...

    def apply_inverse(self, x, out) -> None: ...

    def response(self, columns, out) -> None: ...


def make_build() -> Build:
    registry = load_plugins().registry
    registry.scoped("toys").add_compiler("toy", lambda build: None, components=())
    build = Build(Blueprint(SceneGraph({"thing": Entity("thing")}), Run(step=0.1, duration=1.0), 0), registry)
    build.compiler, build.providing = (
        "toy",
        ("surfaces", "mechanisms", "carriers", "row_sources", "bone_loads", "own"),
    )
    return build


def without(cls: type, name: str) -> object:
    """An object like those of the class that lacks an attribute."""
    body = {
        key: value
        for key, value in vars(cls).items()
        if key != name and key not in ("__dict__", "__weakref__")
    }
    return type(cls.__name__, (), body)()


@pytest.mark.parametrize(
    ("collection", "member"), [("surfaces", Sheet), ("surfaces", Blocks), ("mechanisms", Points)]
)
def test_whole_members_are_taken(collection: str, member: type) -> None:
    build = make_build()
    build.add_member(collection, member())
    assert len(build.members(collection)) == 1


@pytest.mark.parametrize(
    "name", ["thickness", "path", "velocities", "rest", "self_contact", "add_rows", "reads", "bind"]
)
def test_a_bending_surface_that_lacks_something_is_refused_by_name(name: str) -> None:
    with pytest.raises(
        PluginError, match=f"plugin toys: sheet: in surfaces lacks {name}, as a DeformingSurface"
    ):
        make_build().add_member("surfaces", without(Sheet, name))


def test_a_surface_with_parts_needs_all_of_them() -> None:
    sheet = Sheet()
    sheet.parts = np.zeros(3, np.int64)
    with pytest.raises(PluginError) as caught:
        make_build().add_member("surfaces", sheet)
    assert [problem.what.split(",")[0] for problem in caught.value.problems] == [
        "in surfaces lacks parts_meet",
        "in surfaces lacks overlap",
    ]


@pytest.mark.parametrize(
    ("attribute", "value", "message"),
    [
        ("thickness", "thin", "has a thickness of type str, not float"),
        ("triangles", [[0, 1, 2]], "has a triangles of type list, not an array of int64"),
        ("triangles", np.zeros((1, 3)), "has a triangles of type ndarray, not an array of int64"),
        ("positions", 3, "has a positions of type int, not str"),
        ("add_rows", 3, "has a add_rows that cannot be called"),
    ],
)
def test_an_attribute_of_another_type_is_refused(attribute: str, value: object, message: str) -> None:
    sheet = Sheet()
    setattr(sheet, attribute, value)
    with pytest.raises(PluginError, match=message):
        make_build().add_member("surfaces", sheet)


@pytest.mark.parametrize("name", ["v_free", "impulse", "unit_count", "apply_inverse"])
def test_a_mechanism_that_lacks_something_is_refused(name: str) -> None:
    with pytest.raises(PluginError, match=f"plugin toys: points: in mechanisms lacks {name}, as a Mechanism"):
        make_build().add_member("mechanisms", without(Points, name))


def test_the_solve_may_be_left_out_but_must_be_a_word() -> None:
    points = Points()
    points.solve = 3
    with pytest.raises(PluginError, match="has a solve of type int, not str"):
        make_build().add_member("mechanisms", points)


def test_collections_of_plugins_have_protocols_too() -> None:
    with pytest.raises(PluginError, match="in bone_loads lacks takes, as a BoneLoad has it"):
        make_build().add_member("bone_loads", Blocks())
    build = make_build()
    build.registry.add_collection("own", Singer)
    with pytest.raises(PluginError, match="plugin toys: blocks: in own lacks sing, as a Singer has it"):
        build.add_member("own", Blocks())


def test_every_member_has_name_reads_and_bind() -> None:
    with pytest.raises(PluginError) as caught:
        make_build().add_member("own", object())  # type: ignore[arg-type]
    lacks = [f"plugin toys: object: in own lacks {name}" for name in ("name", "reads", "bind")]
    assert [str(problem).split(",")[0] for problem in caught.value.problems] == lacks


class Singer(Protocol):
    loud: bool = True

    def sing(self) -> None: ...


class Lazy:
    @property
    def sing(self) -> None:
        raise AssertionError("nobody may ask yet")


def test_what_is_computed_on_demand_is_not_asked_for() -> None:
    assert find_faults(Lazy(), Singer) == []
