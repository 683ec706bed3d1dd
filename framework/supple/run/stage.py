"""What a recording shows, as geometry: triangles that move.

with open_recording("run.h5") as recording:
    stage = Stage(recording)
    frame = stage.frame_at(1.5)
    for thing in stage.things:
        thing.triangles, thing.vertices(frame)      # or once thing.rest, then thing.pose(frame), if it is rigid

One frame is in memory at a time, however long the recording is.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.drawing import Carried, Drawing, Mesh, Solid, Vector
from supple.core.pose import multiply, rotate
from supple.errors import Problem, UserError, suggest
from supple.run.forms import Form, FrameReader, SolidForm, make_form
from supple.run.palette import choose_colours
from supple.run.recording import Recording
from supple.run.surface_forces import SurfaceForces, find_surface_forces
from supple.run.tessellate import make_square

#: Frames that are looked at to learn how far things get about.
_SAMPLES = 24
#: Nothing is so far away, so large or so strong [m, N].
_FARTHEST = 1e30
#: A plane is shown as a square: half its side, in diagonals of what lies on it, and at least [m].
_PLANE_REACH, _PLANE_LEAST = 1.5, 1.0


class Thing:
    """One drawing as triangles.

    `rest` [nv, 3] are its vertices [m] in its own frame, or those of the first frame of the recording if it bends;
    all of them belong to some row of `triangles` [nt, 3]. `flat` asks for sharp edges between triangles.
    `rows` [nv] are the rows of its arrays that its vertices are. `is_rigid`: `pose` says all about how it moves.
    `colour` (red, green, blue from 0 to 1, sRGB) is never missing.
    """

    def __init__(self, drawing: Drawing, form: Form, colour: Vector, reader: FrameReader) -> None:
        self.drawing = drawing
        self.triangles = form.triangles
        self.rest = form.vertices(0)
        self.flat = form.flat
        self.is_rigid = not form.bends
        self.colour = colour
        self.rows = form.rows
        self._form, self._reader = form, reader

    def pose(self, frame: int) -> tuple[FloatArray, FloatArray]:
        """Position [m] and rotation (w, x, y, z) of its own frame in the world."""
        return _find_pose(self.drawing, self._reader, frame)

    def vertices(self, frame: int) -> FloatArray:
        """All vertices [nv, 3] in the world [m]."""
        own = self.rest if self.is_rigid else self._form.vertices(frame)
        _refuse_nowhere(self._reader, own, self.drawing.name, frame)
        position, rotation = self.pose(frame)
        if not position.any() and rotation[0] == 1.0:
            return own
        axes = np.stack([rotate(rotation, axis) for axis in np.eye(3)])
        return own @ axes + position

    def values(self, frame: int) -> FloatArray | None:
        """The numbers [nv] of its channel, which colour it; None if it has none."""
        if self.drawing.channel is None:
            return None
        return np.asarray(self._reader.read(self.drawing.channel.array, frame)[self._form.rows], np.float64)

    def surface_forces(self, frame: int) -> SurfaceForces | None:
        """Contact forces and pressure at its vertices; None unless it bends and touches.

        They belong to the step that led to the frame.
        """
        form = self.drawing.form
        if not isinstance(form, Mesh) or form.surface < 0:
            return None
        try:
            return find_surface_forces(
                self._reader, form.surface, self.triangles, self.vertices(frame), frame
            )
        except (ValueError, IndexError) as error:
            what = (
                f"is damaged: contacts of {self.drawing.name} in frame {frame}: {str(error).splitlines()[0]}"
            )
            raise _refuse(self._reader.recording, what, "record the run again") from error


class Stage:
    """All things of a recording, sorted by name, and the contacts between them."""

    def __init__(self, recording: Recording) -> None:
        if recording.frames == 0:
            raise _refuse(recording, "has no frames yet", "let the run go on for longer")
        self.recording = recording
        self.times: FloatArray = recording.times
        self.things: list[Thing] = []
        self._reader = FrameReader(recording)
        drawings = recording.drawings
        colours = choose_colours(drawings)
        # A plane is as large as what lies on it, so planes come last.
        for drawing in sorted(drawings, key=is_plane):
            self.things.append(self._make(drawing, colours[drawing.name]))
        self.things.sort(key=lambda thing: thing.drawing.name)

    @property
    def frames(self) -> int:
        """The number of frames."""
        return len(self.times)

    @property
    def layers(self) -> list[str]:
        """The layers that something is on, sorted."""
        return sorted({thing.drawing.layer for thing in self.things})

    def frame_at(self, time: float) -> int:
        """The frame nearest to a time [s] of the recording."""
        first, last = float(self.times[0]), float(self.times[-1])
        # A run may go on after its last frame for almost the distance between two.
        slack = 0.99 * (last - first) / max(1, self.frames - 1) + 1e-9 * max(1.0, abs(last))
        if not first - slack <= time <= last + slack:
            what = f"has no frame at t = {time:g} s"
            raise _refuse(self.recording, what, f"it runs from {first:g} s to {last:g} s")
        return int(np.argmin(np.abs(self.times - time)))

    def find(self, path: str) -> list[Thing]:
        """The things of an entity and of all below it."""
        paths = [(thing.drawing.path, thing) for thing in self.things]
        found = [thing for own, thing in paths if own == path or own.startswith(f"{path}/")]
        if not found:
            known = {own.rsplit("/", above)[0] for own, _ in paths for above in range(own.count("/") + 1)}
            raise _refuse(self.recording, f"shows no entity '{path}'", suggest(path, known))
        return found

    def contacts(self, frame: int) -> tuple[FloatArray, FloatArray]:
        """Contact points [nc, 3] [m] and the forces there [nc, 3] [N], on the first of the two that touch.

        They belong to the step that led to the frame.
        """
        names = ("contacts.point", "contacts.force")
        if not all(self._reader.moves(name) for name in names):
            return np.zeros((0, 3)), np.zeros((0, 3))
        points, forces = (self._reader.read(name, frame) for name in names)
        _refuse_nowhere(self._reader, points, names[0], frame)
        _refuse_nowhere(self._reader, forces, names[1], frame)
        return points.mean(axis=1), forces

    def bounds(
        self, frames: Sequence[int] | None = None, things: Sequence[Thing] | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """The lowest and highest corner [m] of everything but planes.

        Looks at a sample of the frames, by default of all; `things` narrows it to these.
        """
        frames = range(self.frames) if frames is None else frames
        chosen = [
            thing for thing in (self.things if things is None else things) if not is_plane(thing.drawing)
        ]
        if not chosen or not len(frames):
            return np.full(3, -0.5), np.full(3, 0.5)
        picked = np.linspace(0, len(frames) - 1, min(len(frames), _SAMPLES)).round().astype(int)
        corners = []
        for index in picked:
            for thing in chosen:
                vertices = thing.vertices(frames[index])
                if len(vertices):
                    corners += [vertices.min(axis=0), vertices.max(axis=0)]
        return np.min(corners, axis=0), np.max(corners, axis=0)

    def _make(self, drawing: Drawing, colour: Vector) -> Thing:
        try:
            form = self._make_square(drawing) if is_plane(drawing) else make_form(drawing.form, self._reader)
            thing = Thing(drawing, form, colour, self._reader)
            # Numbers that do not fit together are found now, and not in the middle of a film.
            thing.pose(0), thing.values(0)
        except (ValueError, IndexError, TypeError) as error:
            what = f"is damaged: drawing {drawing.name}: {str(error).splitlines()[0]}"
            raise _refuse(self.recording, what, "record the run again") from error
        return thing

    def _make_square(self, drawing: Drawing) -> Form:
        """A square around the scene, in the plane's own frame."""
        low, high = self.bounds()
        position, rotation = _find_pose(drawing, self._reader, 0)
        centre = rotate(rotation * np.array([1.0, -1.0, -1.0, -1.0]), (low + high) / 2 - position)
        half = max(_PLANE_LEAST, _PLANE_REACH * float(np.linalg.norm(high - low)))
        return SolidForm(*make_square(float(centre[0]), float(centre[2]), half))


def is_plane(drawing: Drawing) -> bool:
    """Whether a drawing is without end."""
    return isinstance(drawing.form, Solid) and drawing.form.kind == "plane"


def _find_pose(drawing: Drawing, reader: FrameReader, frame: int) -> tuple[FloatArray, FloatArray]:
    place = drawing.place
    offset, turn = np.array(place.offset), np.array(place.turn)
    if not isinstance(place, Carried):
        return offset, turn
    position = reader.read(place.position, frame)[place.row]
    rotation = reader.read(place.rotation, frame)[place.row]
    _refuse_nowhere(reader, position, place.position, frame)
    _refuse_nowhere(reader, rotation, place.rotation, frame)
    return position + rotate(rotation, offset), multiply(rotation, turn)


def _refuse_nowhere(reader: FrameReader, values: FloatArray, name: str, frame: int) -> None:
    """Refuse what cannot be drawn; a run that has such numbers stops, so they were written by something else."""
    if values.size and not np.abs(values).max() < _FARTHEST:
        raise _refuse(
            reader.recording, f"is damaged: {name} is nowhere in frame {frame}", "record the run again"
        )


def _refuse(recording: Recording, what: str, remedy: str) -> UserError:
    return UserError(Problem(None, str(recording.path), what, remedy))
