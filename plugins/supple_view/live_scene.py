"""The things of a stage in a viser scene, brought to one frame after another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.drawing import Channel
from supple.run.stage import Stage, Thing, is_plane
from supple_picture.colour import scale_colours

ARROW_COLOUR = (230, 56, 41)
#: Length of the arrow of the usual force, in sizes of the scene.
_ARROW_SHARE = 0.22
#: Percentile of all forces that is the usual one, and the frames that are looked at for it.
_USUAL_FORCE, _SAMPLES = 95.0, 48
#: Opacity of what is seen through.
_VEIL = 0.35


class LiveScene:
    """Draws frames of a stage. `channel` is what the channel says that colours things; empty for their own colours."""

    def __init__(
        self, server: Any, stage: Stage, touched: Callable[[dict[str, Any]], None] | None = None
    ) -> None:
        """`touched` is told what somebody drags with the mouse; see `supple_view.touch`."""
        self.server, self.stage, self.touched = server, stage, touched
        self.channel = ""
        self.contacts = True
        self.veiled: set[str] = set()
        actors = [thing for thing in stage.things if thing.drawing.layer != "ground"] or stage.things
        self.low, self.high = stage.bounds([0], actors)
        self.size = max(float(np.linalg.norm(self.high - self.low)), 1e-3)
        self._reference, self._learnt = 0.0, 0
        self._prepare()
        self.layers = {layer: server.scene.add_frame(f"/{layer}", show_axes=False) for layer in stage.layers}
        self._nodes = {
            thing.drawing.name: self._add(index, thing) for index, thing in enumerate(stage.things)
        }
        self._coloured: set[str] = set()
        self._arrows: Any = None

    @property
    def covers(self) -> list[str]:
        """Layers that hide others: skin, and bodies with muscles in them."""
        inner = set(self.stage.layers) - {"skin", "ground"}
        return [
            layer for layer in self.stage.layers
            if (layer == "skin" and inner) or (layer == "bodies" and "muscles" in inner)
        ]  # fmt: skip

    def show(self, frame: int) -> None:
        """Bring everything to a frame, all at once for those who look."""
        with self.server.atomic():
            for index, thing in enumerate(self.stage.things):
                self._move(index, thing, frame)
            self._show_contacts(frame)

    def place_of(self, path: str, frame: int) -> FloatArray:
        """The middle of an entity and all below it [m]."""
        places = [
            thing.pose(frame)[0] if thing.is_rigid else thing.vertices(frame).mean(axis=0)
            for thing in self.stage.find(path)
        ]
        return np.asarray(np.mean(places, axis=0))

    def _prepare(self) -> None:
        scene = self.server.scene
        scene.set_up_direction("+y")
        scene.configure_environment_map(environment_intensity=0.6)
        middle = (self.low + self.high) / 2
        camera = self.server.initial_camera
        camera.look_at = tuple(middle)
        camera.position = tuple(middle + 1.5 * self.size * np.array([0.55, 0.3, 0.78]))
        camera.up = (0.0, 1.0, 0.0)

    def _add(self, index: int, thing: Thing) -> Any:
        scene, name = self.server.scene, f"/{thing.drawing.layer}/{index}"
        position, rotation = thing.pose(0)
        if is_plane(thing.drawing):
            cell = 10.0 ** np.floor(np.log10(self.size))
            return scene.add_grid(
                name, plane="xz", infinite_grid=True, cell_size=cell / 2, section_size=cell,
                fade_distance=8 * self.size, shadow_opacity=0.3, plane_color=_bytes(thing.colour),
                plane_opacity=0.25, position=position, wxyz=rotation,
            )  # fmt: skip
        vertices = thing.rest if thing.is_rigid else thing.vertices(0)
        place = {"position": position, "wxyz": rotation} if thing.is_rigid else {}
        node = scene.add_mesh_simple(
            name,
            vertices,
            thing.triangles,
            color=_bytes(thing.colour),
            flat_shading=thing.flat,
            side="double",
            # The edges of its own shadow would show as stripes.
            receive_shadow=False,
            **place,
        )
        if self.touched is not None and thing.is_rigid:
            node.on_drag(self._make_drag(thing.drawing.path))
        return node

    def _make_drag(self, path: str) -> Callable[[Any], Any]:
        """What reports a drag; a coroutine, because the viewer calls others in any order."""

        async def drag(event: Any) -> None:
            assert self.touched is not None
            if event.phase == "end":
                self.touched({"on": path})
            else:
                grabbed, mouse = list(event.start_position), list(event.end_position)
                self.touched({"on": path, "point": grabbed, "to": mouse})

        return drag

    def _move(self, index: int, thing: Thing, frame: int) -> None:
        name, channel = thing.drawing.name, thing.drawing.channel
        veiled = thing.drawing.layer in self.veiled
        # Meshes with colours of single vertices have no opacity.
        coloured = channel is not None and channel.says == self.channel and not veiled
        if channel is not None and coloured:
            self._nodes[name] = self._add_coloured(index, thing, channel, frame)
            self._coloured.add(name)
        elif name in self._coloured:
            self._nodes[name] = self._add(index, thing)
            self._coloured.discard(name)
        node = self._nodes[name]
        opacity = _VEIL if veiled else None
        if not coloured and not is_plane(thing.drawing) and node.opacity != opacity:
            node.opacity = opacity
        if thing.is_rigid:
            node.position, node.wxyz = thing.pose(frame)
        elif not coloured:
            node.vertices = np.asarray(thing.vertices(frame), np.float32)

    def _add_coloured(self, index: int, thing: Thing, channel: Channel, frame: int) -> Any:
        """Colours of single vertices travel only with a whole mesh."""
        import trimesh

        values = np.asarray(thing.values(frame))
        colours = (255 * scale_colours(values, channel.low, channel.high)).astype(np.uint8)
        vertices = thing.rest if thing.is_rigid else thing.vertices(frame)
        mesh = trimesh.Trimesh(vertices, thing.triangles, vertex_colors=colours, process=False)
        return self.server.scene.add_mesh_trimesh(f"/{thing.drawing.layer}/{index}", mesh)

    def _show_contacts(self, frame: int) -> None:
        self._learn_usual_force()
        points, forces = self.stage.contacts(frame)
        sizes = np.linalg.norm(forces, axis=1)
        if self._reference == 0.0 and sizes.any():  # the first forces of a run that goes on
            self._reference = float(sizes.max())
        pressed = sizes > 0.02 * self._reference
        if not self.contacts or not pressed.any():
            if self._arrows is not None:
                self._arrows.visible = False
            return
        # Of the two that touch, the arrow shows the force on the upper one.
        upward = forces[pressed] * np.where(forces[pressed, 1:2] < 0, -1.0, 1.0)
        usual = _ARROW_SHARE * self.size
        lengths = np.minimum(sizes[pressed] * usual / self._reference, 2 * usual)
        ends = points[pressed] + upward * (lengths / sizes[pressed])[:, None]
        arrows = np.stack([points[pressed], ends], axis=1)
        width = 0.004 * self.size
        if self._arrows is None:
            self._arrows = self.server.scene.add_arrows(
                "/contact forces",
                arrows,
                ARROW_COLOUR,
                shaft_radius=width,
                head_radius=2.5 * width,
                head_length=6 * width,
            )
        self._arrows.points, self._arrows.visible = np.asarray(arrows, np.float32), True

    def _learn_usual_force(self) -> None:
        """The force whose arrow has the usual length, from a sample of the frames; anew when there are more."""
        if self.stage.frames < 1.5 * self._learnt:
            return
        self._learnt = self.stage.frames
        picked = np.unique(np.linspace(0, self.stage.frames - 1, _SAMPLES).astype(int))
        sizes = np.concatenate(
            [np.linalg.norm(self.stage.contacts(int(frame))[1], axis=1) for frame in picked]
        )
        pressed = sizes[sizes > 0]
        self._reference = float(np.percentile(pressed, _USUAL_FORCE)) if len(pressed) else 0.0


def _bytes(colour: tuple[float, float, float]) -> tuple[int, int, int]:
    red, green, blue = (round(255 * value) for value in colour)
    return red, green, blue
