"""Contacts become rows: Signorini's condition and Coulomb's friction, with restitution."""

from __future__ import annotations

from typing import TYPE_CHECKING

from supple.plugin import hookimpl

if TYPE_CHECKING:
    from supple.core.registry import Registry


@hookimpl
def supple_register(registry: Registry) -> None:
    """Add the settings, the source of contact rows, their forces, whom they touch and the gaps they led to."""
    registry.add_settings("contact", "supple_contact.components:Contact")
    registry.add_compiler(
        "contact.rows",
        "supple_contact.rows:compile_contact_rows",
        components=(),
        after=["surfaces"],
        provides=["row_sources"],
    )
    registry.add_compiler(
        "contact.touch", "supple_contact.touch:compile_touch", components=(), after=["owners"]
    )
    registry.add_compiler(
        "contact.torques", "supple_contact.torques:compile_torques", components=(),
        after=["owners", "contact.rows"], provides=["row_sources"],
    )  # fmt: skip
    registry.add_system("contact.observe_forces", "supple_contact.systems:ObserveForces")
    registry.add_system("contact.expect_gaps", "supple_contact.systems:ExpectGaps")
    registry.add_system("contact.keep_contacts", "supple_contact.systems:KeepContacts")
