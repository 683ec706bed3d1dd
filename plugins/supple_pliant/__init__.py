"""Motion that tracks a trajectory, yet gives way when it meets the world."""

from __future__ import annotations

from typing import TYPE_CHECKING

from supple.plugin import hookimpl

if TYPE_CHECKING:
    from supple.core.registry import Registry


@hookimpl
def supple_register(registry: Registry) -> None:
    """Add pliant joints, the source of their rows, and the plan of their torques."""
    registry.add_component("supple_pliant.components:Pliant")
    registry.add_compiler(
        "pliant.joints", "supple_pliant.compile:compile_pliant", components=["pliant"],
        after=["mechanisms", "carriers", "joints.links", "targets"], provides=["row_sources"],
    )  # fmt: skip
    for name, system in (
        ("measure_joints", "MeasureJoints"),
        ("plan_torques", "PlanTorques"),
        ("observe_joints", "ObserveJoints"),
    ):
        registry.add_system(f"pliant.{name}", f"supple_pliant.systems:{system}", when=["pliant"])
    registry.add_system("pliant.probe_plan", "supple_pliant.probe:ProbePlan", when=["pliant"])
