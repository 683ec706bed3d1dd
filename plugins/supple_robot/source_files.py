"""Which files a robot's file names. All of them lie in the scene's folder, or nothing is read."""

from __future__ import annotations

import itertools
import os
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path

from supple.core.scene_files import SceneFiles
from supple.errors import Problem, UserError, Where

SUFFIXES = (".xml", ".mjcf", ".urdf")
#: Attributes that name folders of further files.
_FOLDERS = ("assetdir", "meshdir", "texturedir")
#: Deeper chains of files that include each other are a mistake.
_DEEPEST = 16
#: Larger descriptions are no robots [bytes].
_LARGEST = 50_000_000


def find_sources(name: str, path: str, files: SceneFiles) -> list[Path]:
    """The file and all that it names and that exist; refuses what lies outside the scene's folder.

    `path` is that of the field that names the file. What does not exist is left to whoever needs it.
    """
    if Path(name).suffix.lower() not in SUFFIXES:
        what = f"'{name}' is neither MJCF nor URDF"
        raise UserError(Problem(None, path, what, f"name a file that ends in {', '.join(SUFFIXES)}"))
    main = files.find(name, path)
    found: list[Path] = [main]
    roots: list[ElementTree.Element | None] = [_parse(main, path)]
    folders = {""}
    for depth in range(_DEEPEST + 1):
        new = [root for root in roots if root is not None]
        roots = []
        # A model within a model has its own folder; which one a name starts from is the reader's business.
        homes = {file.parent for file in found if file.suffix.lower() in SUFFIXES}
        for root in new:
            folders |= {
                each.attrib[key] for each in root.iter("compiler") for key in _FOLDERS if key in each.attrib
            }
        for root in new:
            for wanted in _named(root):
                for file in _resolve(wanted, homes, folders, path, files):
                    if file not in found:
                        found.append(file)
                        roots.append(_parse(file, path) if file.suffix.lower() in SUFFIXES else None)
        if not any(root is not None for root in roots):
            return found
        if depth == _DEEPEST:
            what = f"files include each other more than {_DEEPEST} deep"
            raise UserError(Problem(Where(str(main)), path, what, "put them into fewer files"))
    return found


def _parse(file: Path, path: str) -> ElementTree.Element:
    """The tree of elements; only names of files are read from it."""
    content = file.read_bytes()
    if len(content) > _LARGEST:
        what = f"has {len(content) / 1e6:.0f} MB, which is no description of a robot"
        raise UserError(Problem(Where(str(file)), path, what, "put meshes into files of their own"))
    if b"\0" in content:
        what = "is not written in UTF-8"
        raise UserError(Problem(Where(str(file), 1), path, what, "save it in UTF-8"))
    if b"<!ENTITY" in content:
        line = content[: content.index(b"<!ENTITY")].count(b"\n") + 1
        what = "declares an entity of its own, which may unfold without end"
        raise UserError(Problem(Where(str(file), line), path, what, "write out what it stands for"))
    try:
        return ElementTree.fromstring(content)
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        line = getattr(error, "position", (1, 0))[0]
        what = f"is no XML: {str(error).partition(': line')[0]}"
        raise UserError(Problem(Where(str(file), line), path, what, "mend the file")) from None


def _named(root: ElementTree.Element) -> Iterator[str]:
    """Names of files in attributes `file`, `fileup` and the like, and of URDF meshes."""
    for element in root.iter():
        for key, value in element.attrib.items():
            if key.startswith("file") or (element.tag == "mesh" and key == "filename"):
                yield value.partition("://")[2] if "://" in value else value


def _resolve(
    wanted: str, homes: set[Path], folders: set[str], path: str, files: SceneFiles
) -> Iterator[Path]:
    """All files that a name may stand for. Readers strip folders off names in URDF, so both are looked for.

    MuJoCo takes a backslash for a slash on every platform.
    """
    scene_folder = Path(files.source).parent
    plain = wanted.replace("\\", "/")
    folders = folders | {folder.replace("\\", "/") for folder in folders}
    for home, folder in itertools.product(sorted(homes), sorted(folders)):
        for name in {wanted, plain, Path(plain).name}:
            try:
                file = home / folder / name
                exists = file.is_file()
            except (OSError, ValueError):
                continue
            if exists:
                yield files.find(Path(os.path.relpath(file, scene_folder)).as_posix(), path)
