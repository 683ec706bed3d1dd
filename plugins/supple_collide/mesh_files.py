"""Reading triangles from files. Every complaint is one line that names the file, and its line where there is one.

OBJ and STL are read here. PLY, GLB and OFF are read by trimesh, where it is installed, and so are large OBJ files,
which it reads several times as fast; should it refuse one, the reader here says what is wrong with which line.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.errors import Problem, UserError, Where

SUFFIXES = (".obj", ".stl")
OTHERS = (".ply", ".glb", ".gltf", ".off")
"""What trimesh reads besides."""
LARGE = 2_000_000
"""OBJ files of more bytes are left to trimesh, where it is installed."""
_STL_HEADER, _STL_TRIANGLE = 84, 50


@dataclass(frozen=True)
class Triangles:
    """Corners [nv, 3] in the file's unit, triangles [nt, 3], and where each triangle was written.

    `places` are lines of a text file or numbers of triangles in a binary one, as `noun` says. Triangles that stand in
    the scene itself have no source.
    """

    source: str
    vertices: NDArray[np.float64]
    triangles: NDArray[np.int64]
    places: tuple[int, ...]
    noun: str = "line"

    def problem(self, triangle: int, path: str, what: str, remedy: str) -> UserError:
        """The error about one triangle."""
        place = self.places[triangle]
        if self.noun == "line":
            return UserError(Problem(Where(self.source, place), path, what, remedy))
        where = Where(self.source) if self.source else None
        return UserError(Problem(where, path, f"{self.noun} {place}: {what}", remedy))


def read_triangles(file: Path, path: str) -> Triangles:
    """The triangles of an OBJ or STL file."""
    suffix = file.suffix.lower()
    if suffix not in (*SUFFIXES, *OTHERS):
        what = f"'{file.name}' is neither an OBJ nor an STL file"
        known = ", ".join(OTHERS)
        raise UserError(
            Problem(None, path, what, f"name a file that ends in .obj or .stl; with trimesh also {known}")
        )
    stat = file.stat()
    return _read(file, path, suffix, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=16)
def _read(file: Path, path: str, suffix: str, _stamp: int, size: int) -> Triangles:
    if suffix in OTHERS:
        return _read_by_trimesh(file, path)
    if suffix == ".obj" and size > LARGE:
        with suppress(UserError, ImportError):
            return _read_by_trimesh(file, path)
    content = file.read_bytes()
    if suffix == ".stl" and size >= _STL_HEADER:
        count = struct.unpack_from("<I", content, 80)[0]
        if size == _STL_HEADER + count * _STL_TRIANGLE:
            return _read_binary_stl(file, path, content, count)
    try:
        lines = content.decode("utf-8").splitlines()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        where = Where(str(file), line)
        raise UserError(Problem(where, path, "is no text", "save the file again as text")) from None
    return (_read_obj if suffix == ".obj" else _read_text_stl)(file, path, lines)


def _read_by_trimesh(file: Path, path: str) -> Triangles:
    """All meshes of the file together, in its world."""
    try:
        import trimesh
    except ImportError:
        what = f"'{file.name}' is read by trimesh, which is not installed"
        raise UserError(
            Problem(None, path, what, "pip install 'supple[mesh]', or save it as OBJ or STL")
        ) from None
    try:
        # Vertices stay in the order of the file, and equal ones are joined later.
        looks: dict[str, Any] = (
            {"skip_materials": True} if file.suffix.lower() in (".obj", ".glb", ".gltf") else {}
        )
        resolver = _make_resolver(trimesh, file)
        mesh: Any = trimesh.load(str(file), force="mesh", process=False, resolver=resolver, **looks)
        vertices, triangles = np.array(mesh.vertices, np.float64), np.array(mesh.faces, np.int64)
        if vertices.ndim != 2 or vertices.shape[1] != 3 or triangles.ndim != 2 or triangles.shape[1] != 3:
            raise ValueError("it holds no triangles")
        if len(triangles) and not 0 <= triangles.min() <= triangles.max() < len(vertices):
            raise ValueError("its triangles name vertices that are not there")
        if not np.isfinite(vertices).all():
            raise ValueError("a coordinate is not finite")
    except Exception as error:  # whatever its readers raise is about the file
        words = " ".join(str(error).split()) or type(error).__name__
        raise UserError(
            Problem(Where(str(file)), path, f"cannot be read: {words}", "save the mesh again")
        ) from None
    return _make(file, path, vertices, triangles, range(len(triangles)), noun="triangle")


def _make_resolver(trimesh: Any, file: Path) -> Any:
    """What gives trimesh the files that a mesh names: those of its folder, and no others."""
    folder = file.parent.resolve()

    class Beside(trimesh.resolvers.FilePathResolver):  # type: ignore[misc]
        def get(self, name: str) -> bytes:
            wanted = (folder / name.strip()).resolve()
            if not wanted.is_relative_to(folder):
                raise ValueError(f"it names '{name}', which lies outside its folder")
            return wanted.read_bytes()

    return Beside(str(file))


def _number(words: list[str], file: Path, line: int, path: str) -> tuple[float, float, float]:
    where = Where(str(file), line)
    try:
        values = [float(word) for word in words[:3]]
    except ValueError as error:
        raise UserError(Problem(where, path, f"is no coordinate: {error}", "write three numbers")) from None
    if len(values) < 3:
        raise UserError(Problem(where, path, f"has {len(values)} coordinates", "write three numbers"))
    if not all(math.isfinite(value) for value in values):
        what = f"a coordinate is {next(v for v in values if not math.isfinite(v))}"
        raise UserError(Problem(where, path, what, "write finite numbers"))
    return values[0], values[1], values[2]


def _read_obj(file: Path, path: str, lines: list[str]) -> Triangles:
    vertices: list[tuple[float, float, float]] = []
    faces: list[tuple[int, list[str]]] = []
    for number, text in enumerate(lines, 1):
        words = text.split("#")[0].split()
        if words and words[0] == "v":
            vertices.append(_number(words[1:], file, number, path))
        elif words and words[0] == "f":
            faces.append((number, words[1:]))
    triangles, places = [], []
    for number, words in faces:
        corners = [_corner(word, len(vertices), file, number, path) for word in words]
        if len(corners) < 3:
            where = Where(str(file), number)
            raise UserError(
                Problem(where, path, f"a face has {len(corners)} corners", "give it three or more")
            )
        for k in range(1, len(corners) - 1):
            triangles.append((corners[0], corners[k], corners[k + 1]))
            places.append(number)
    return _make(file, path, vertices, triangles, places)


def _corner(word: str, count: int, file: Path, line: int, path: str) -> int:
    where = Where(str(file), line)
    try:
        index = int(word.split("/")[0])
    except ValueError:
        what = f"'{word}' is no corner of a face"
        raise UserError(Problem(where, path, what, "write numbers of vertices, from 1")) from None
    place = index - 1 if index > 0 else count + index
    if index == 0 or not 0 <= place < count:
        what = f"the face has corner {index}, but there are {count} vertices"
        raise UserError(Problem(where, path, what, f"use 1 to {count}"))
    return place


def _read_text_stl(file: Path, path: str, lines: list[str]) -> Triangles:
    vertices, places = [], []
    triangles: list[tuple[int, int, int]] = []
    for number, text in enumerate(lines, 1):
        words = text.split()
        if words and words[0].lower() == "vertex":
            vertices.append(_number(words[1:], file, number, path))
        elif words and words[0].lower() == "endfacet":
            have = len(vertices) - 3 * len(triangles)
            if have != 3:
                where = Where(str(file), number)
                raise UserError(Problem(where, path, f"a facet has {have} corners", "give it three"))
            triangles.append((len(vertices) - 3, len(vertices) - 2, len(vertices) - 1))
            places.append(number)
    return _make(file, path, vertices, triangles, places)


def _read_binary_stl(file: Path, path: str, content: bytes, count: int) -> Triangles:
    record = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
    stored = np.frombuffer(content, record, count, _STL_HEADER)
    with np.errstate(invalid="ignore"):  # some bits that are no number complain when they are widened
        vertices = stored["corners"].reshape(-1, 3).astype(np.float64)
    bad = np.flatnonzero(~np.isfinite(vertices).all(axis=1))
    if len(bad):
        value = next(v for v in vertices[bad[0]] if not math.isfinite(v))
        what = f"triangle {bad[0] // 3}: a coordinate is {value}"
        raise UserError(Problem(Where(str(file)), path, what, "write finite numbers"))
    triangles = np.arange(3 * count, dtype=np.int64).reshape(-1, 3)
    return _make(file, path, vertices, triangles, range(count), noun="triangle")


def _make(file, path, vertices, triangles, places, noun="line") -> Triangles:  # type: ignore[no-untyped-def]
    if len(triangles) == 0:
        raise UserError(
            Problem(Where(str(file), 1), path, "has no faces", "save the mesh with its triangles")
        )
    points = np.array(vertices, np.float64).reshape(-1, 3)
    return Triangles(str(file), points, np.array(triangles, np.int64).reshape(-1, 3), tuple(places), noun)


def read_numbers(file: Path, path: str) -> Iterator[float]:
    """All numbers of a text file, separated by spaces, commas or line ends."""
    for number, text in enumerate(file.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        for word in text.split("#")[0].replace(",", " ").split():
            try:
                value = float(word)
            except ValueError:
                value = math.nan
            if not math.isfinite(value):
                where = Where(str(file), number)
                raise UserError(
                    Problem(where, path, f"'{word}' is no height", "write finite numbers in metres")
                )
            yield value
