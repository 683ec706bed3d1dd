"""Muscle fibres in bodies of tetrahedra: polylines that pull the tissue around them together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from supple.plugin import hookimpl

if TYPE_CHECKING:
    from supple.core.registry import Registry


@hookimpl
def supple_register(registry: Registry) -> None:
    """Add fibres, layouts and drives, and the systems that contract them."""
    for each in ("Muscles", "LetterMuscles", "AxisMuscles", "MuscleDrive"):
        registry.add_component(f"supple_muscles.components:{each}")
    registry.add_compiler(
        "muscles.segments",
        "supple_muscles.compile:compile_muscles",
        components=["muscles"],
        after=["tets.bodies"],
    )
    for name, system in (
        ("drive", "Drive"),
        ("contract", "Contract"),
        ("stiffen", "Stiffen"),
        ("apply_changes", "ApplyChanges"),
        ("settle", "Settle"),
        ("observe", "Observe"),
        ("balance", "Balance"),
    ):
        registry.add_system(f"muscles.{name}", f"supple_muscles.systems:{system}", when=["muscles"])
