"""Collision: which points of which surfaces touch, or will within a step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from supple.plugin import hookimpl

if TYPE_CHECKING:
    from supple.core.registry import Registry


@hookimpl
def supple_register(registry: Registry) -> None:
    """Add the shapes, the settings and the search for contacts."""
    for shape in ("Sphere", "Box", "Capsule", "Cylinder", "Cone", "Ellipsoid", "Plane"):
        registry.add_component(f"supple_collide.components:{shape}")
    for mesh in ("Mesh", "Convex", "Heightfield", "Bumpy", "Collides"):
        registry.add_component(f"supple_collide.mesh_components:{mesh}")
    registry.add_settings("collide", "supple_collide.components:Collide")
    # Always there, also in a scene without shapes: somebody has to say that nothing touches.
    registry.add_compiler(
        "collide.shapes", "supple_collide.compile:compile_shapes", components=(), after=["carriers"],
        provides=["surfaces"],
    )  # fmt: skip
    # After all other surfaces, for those that deform join the pool of meshes.
    registry.add_compiler(
        "collide.meshes", "supple_collide.meshes.compile:compile_meshes", components=(),
        after=["carriers", "surfaces"], provides=["surfaces"],
    )  # fmt: skip
    # After everybody who may know of frames that should not touch.
    registry.add_compiler(
        "collide.filters", "supple_collide.filters:compile_filters", components=(),
        after=["carriers", "mechanisms", "row_sources", "surfaces"],
    )  # fmt: skip
    registry.add_warning(
        "collide.sizes", "supple_collide.beginning:warn_of_sizes", when=["mesh", "convex"], built=False
    )
    registry.add_compiler(
        "collide.depth", "supple_collide.depth:compile_depth", components=(), after=["surfaces"]
    )
    registry.add_warning("collide.overlap", "supple_collide.depth:warn_of_overlap", at_end=True)
    registry.add_warning("collide.depths", "supple_collide.beginning:warn_of_depths")
    registry.add_warning("collide.speeds", "supple_collide.beginning:warn_of_speeds")
    registry.add_system("collide.place_shapes", "supple_collide.systems:PlaceShapes")
    registry.add_system("collide.find_contacts", "supple_collide.systems:FindContacts")
    registry.add_system("collide.look_again", "supple_collide.looking:LookAgain")
    registry.add_system("collide.observe_penetration", "supple_collide.systems:ObservePenetration")
    registry.add_system("collide.watch_depth", "supple_collide.depth:WatchDepth")
    registry.add_system("collide.watch_turns", "supple_collide.depth:WatchTurns")
    registry.add_system("collide.place_meshes", "supple_collide.meshes.systems:PlaceMeshes")
    registry.add_system("collide.keep_pressed", "supple_collide.pressed:KeepPressed")
    registry.add_system("collide.observe_meshes", "supple_collide.meshes.systems:ObserveMeshes")
