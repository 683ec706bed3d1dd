"""Soft bodies of tetrahedra: corotational elements, implicit steps, a sparse factor for contacts and controllers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from supple.plugin import hookimpl

if TYPE_CHECKING:
    from supple.core.registry import Registry


@hookimpl
def supple_register(registry: Registry) -> None:
    """Add tetrahedra, their meshes, and the systems that move them."""
    for each in ("Tets", "TetBlock", "TetBall", "TetRod", "TetLetter", "TetFile", "TetSkin"):
        registry.add_component(f"supple_tets.components:{each}")
    registry.add_compiler(
        "tets.bodies", "supple_tets.compile:compile_tets", components=["tets"],
        provides=["mechanisms", "surfaces"],
    )  # fmt: skip
    for name, system in (
        ("assemble_matrix", "AssembleMatrix"),
        ("advance_vertices", "AdvanceVertices"),
        ("observe_bodies", "ObserveBodies"),
        ("balance_bodies", "BalanceBodies"),
    ):
        registry.add_system(f"tets.{name}", f"supple_tets.systems:{system}", when=["tets"])
    registry.add_system("tets.move_skins", "supple_tets.systems:MoveSkins", when=["tet_skin"])
