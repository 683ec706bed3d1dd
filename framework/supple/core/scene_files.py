"""Files that components name: meshes, height maps, motions."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath, PureWindowsPath

from supple.errors import Problem, UserError, suggest

#: Names of files are shorter everywhere [characters].
_LONGEST = 200


@dataclass(frozen=True)
class SceneFiles:
    """Finds files beside the scene `source`; outside its folder only if that is allowed.

    `found` are the names that were asked for with success.
    """

    source: str = ""
    allow_outside: bool = False
    found: set[str] = field(default_factory=set, compare=False, repr=False)

    def find(self, name: str, path: str) -> Path:
        """The file that the field at `path` of the scene names. Raises UserError if there is none."""
        folder = Path(self.source).parent
        if "\0" in name or len(name) > _LONGEST:
            what = f"{name[:20]!r}... is no name of a file"
            raise UserError(Problem(None, path, what, "name a file beside the scene"))
        file = folder / name
        if not self.allow_outside and _leaves(name, file, folder):
            what = f"'{name}' is outside the scene's folder"
            raise UserError(Problem(None, path, what, "move it beside the scene, or pass --allow-outside"))
        if not file.is_file():
            here = [each.name for each in folder.iterdir()] if folder.is_dir() else []
            remedy = suggest(name, here, "beside the scene are")
            raise UserError(Problem(None, path, f"there is no file '{name}'", remedy))
        self.found.add(name)
        return file

    def digest(self, name: str) -> str:
        """A hash of what is in a file, whatever it is called; empty if there is none."""
        file = Path(self.source).parent / name
        return hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else ""


def _leaves(name: str, file: Path, folder: Path) -> bool:
    """Whether a name leads out of the folder, on this or on another platform, also through links."""
    windows = PureWindowsPath(name)
    if PurePosixPath(name).is_absolute() or windows.drive or windows.root:
        return True
    if "\\" in name and ".." in windows.parts:
        return True
    return not file.resolve().is_relative_to(folder.resolve())
