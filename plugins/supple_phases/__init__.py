"""Phases: one state machine for all controllers, with durations, conditions, and what is active in each phase."""

from __future__ import annotations

from typing import TYPE_CHECKING

from supple.plugin import hookimpl

if TYPE_CHECKING:
    from supple.core.registry import Registry


@hookimpl
def supple_register(registry: Registry) -> None:
    """Add the component, the member that controllers ask, and the systems that go from phase to phase."""
    registry.add_component("supple_phases.components:Phases")
    registry.add_compiler(
        "phases.machines", "supple_phases.compile:compile_phases", components=["phases"], provides=["phases"]
    )
    for name, system in (
        ("advance", "Advance"),
        ("weigh_contacts", "WeighContacts"),
        ("remember", "Remember"),
    ):
        registry.add_system(f"phases.{name}", f"supple_phases.systems:{system}", when=["phases"])
