"""The forms of drawings as triangles, read from a recording one frame at a time."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from supple.core.arrays import FloatArray, IntArray
from supple.core.drawing import Lines, Mesh, Solid, Span
from supple.core.pose import rotate
from supple.run.recording import Recording
from supple.run.tessellate import connect_tubes, tessellate_solid, tessellate_tubes, vertices_per_tube


class FrameReader:
    """Arrays of a recording by name, of one frame at a time; constant ones stay."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self._moving = set(recording.names)
        self._constant: dict[str, NDArray[Any]] = {}
        self._frame = -1
        self._held: dict[str, NDArray[Any]] = {}

    def moves(self, name: str) -> bool:
        """Whether an array has a value for each frame."""
        return name in self._moving

    def read(self, name: str, frame: int) -> NDArray[Any]:
        """An array at a frame."""
        if not self.moves(name):
            if name not in self._constant:
                self._constant[name] = self.recording.model(name)
            return self._constant[name]
        if frame != self._frame:
            self._frame, self._held = frame, {}
        if name not in self._held:
            self._held[name] = self.recording.rows(name, frame)
        return self._held[name]


class Form(Protocol):
    """Vertices in the frame of the drawing's place. `rows` [nv]: which value of a channel each vertex takes."""

    triangles: IntArray
    rows: IntArray
    flat: bool
    bends: bool

    def vertices(self, frame: int) -> FloatArray:
        """All vertices [nv, 3] in m."""
        ...


class SolidForm:
    """A ball, box, rod, drum, cone or ellipsoid, or whatever triangles are given."""

    flat = bends = False

    def __init__(self, vertices: FloatArray, triangles: IntArray) -> None:
        self._vertices, self.triangles = vertices, triangles
        self.rows = np.zeros(len(vertices), np.int64)

    def vertices(self, frame: int) -> FloatArray:
        """The same in all frames."""
        return self._vertices


class MeshForm:
    """A range of triangles with the vertices they use, and no others: pools are shared."""

    def __init__(self, mesh: Mesh, reader: FrameReader) -> None:
        chosen = reader.read(mesh.triangles, 0)[mesh.first : None if mesh.last == -1 else mesh.last]
        self.rows, places = np.unique(chosen.astype(np.int64), return_inverse=True)
        self.triangles = np.ascontiguousarray(places.reshape(-1, 3).astype(np.int64))
        self.flat = mesh.flat
        self.bends = reader.moves(mesh.vertices)
        self._name, self._reader = mesh.vertices, reader

    def vertices(self, frame: int) -> FloatArray:
        """The used rows of the array."""
        return np.asarray(self._reader.read(self._name, frame)[self.rows], np.float64)


class LinesForm:
    """A tube for each segment."""

    flat = False

    def __init__(self, lines: Lines, reader: FrameReader) -> None:
        self._segments = reader.read(lines.segments, 0).astype(np.int64).reshape(-1, 2)
        self.triangles = connect_tubes(len(self._segments))
        self.rows = np.repeat(np.arange(len(self._segments)), vertices_per_tube())
        self.bends = reader.moves(lines.points)
        self._lines, self._reader = lines, reader

    def vertices(self, frame: int) -> FloatArray:
        """Tubes between the points as they are now."""
        return tessellate_tubes(
            self._reader.read(self._lines.points, frame), self._segments, self._lines.radius
        )


class SpanForm:
    """A tube between two things."""

    flat, bends = False, True

    def __init__(self, span: Span, reader: FrameReader) -> None:
        self.triangles = connect_tubes(1)
        self.rows = np.zeros(vertices_per_tube(), np.int64)
        self._span, self._reader = span, reader

    def vertices(self, frame: int) -> FloatArray:
        """The tube as it is now."""
        span, ends = self._span, []
        for k, local in enumerate((span.start, span.end)):
            place = np.array(local, np.float64)
            if span.positions[k]:
                turn = self._reader.read(span.rotations[k], frame)[span.rows[k]]
                place = self._reader.read(span.positions[k], frame)[span.rows[k]] + rotate(turn, place)
            ends.append(place)
        return tessellate_tubes(np.array(ends), np.array([[0, 1]]), span.radius)


def make_form(form: Solid | Mesh | Lines | Span, reader: FrameReader) -> Form:
    """The triangles of a form other than a plane. Raises ValueError or IndexError if its numbers do not fit."""
    if isinstance(form, Mesh):
        return MeshForm(form, reader)
    if isinstance(form, Lines):
        return LinesForm(form, reader)
    if isinstance(form, Span):
        return SpanForm(form, reader)
    return SolidForm(*tessellate_solid(form.kind, form.size))
