"""Flesh: point masses around bones, coupled both ways, and soft only where something touches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from supple.plugin import hookimpl

if TYPE_CHECKING:
    from supple.core.registry import Registry


@hookimpl
def supple_register(registry: Registry) -> None:
    """Add flesh, and the systems that move it."""
    registry.add_component("supple_flesh.components:Flesh")
    registry.add_component("supple_flesh.components:FleshedBox")
    registry.add_settings("flesh", "supple_flesh.components:FleshSettings")
    registry.add_compiler(
        "flesh.masses", "supple_flesh.compile:compile_masses", components=["flesh"], provides=["bone_loads"]
    )
    registry.add_compiler(
        "flesh.vertices", "supple_flesh.compile:compile_vertices", components=["flesh"], after=["carriers"],
        provides=["mechanisms", "surfaces"],
    )  # fmt: skip
    for name, system in (
        ("wake_vertices", "WakeVertices"),
        ("advance_vertices", "AdvanceVertices"),
        ("balance_flesh", "BalanceFlesh"),
        ("observe_flesh", "ObserveFlesh"),
    ):
        registry.add_system(f"flesh.{name}", f"supple_flesh.systems:{system}", when=["flesh"])
    registry.add_system("flesh.probe_dynamics", "supple_flesh.probe:ProbeDynamics", when=["flesh"])
