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

    `found` are the names that were asked for with success. `owner` is what the source is, and `permission` how files
    outside are allowed, in the words of messages.
    """

    source: str = ""
    allow_outside: bool = False
    found: set[str] = field(default_factory=set, compare=False, repr=False)
    owner: str = field(default="scene", compare=False, repr=False)
    permission: str = field(default="pass --allow-outside", compare=False, repr=False)

    def find(self, name: str, path: str) -> Path:
        """The file that the field at `path` of the scene names. Raises UserError if there is none."""
        folder = Path(self.source).parent
        if "\0" in name or len(name) > _LONGEST:
            what = f"{name[:20]!r}... is no name of a file"
            raise UserError(Problem(None, path, what, f"name a file beside the {self.owner}"))
        file = folder / name
        if not self.allow_outside and _leaves(name, file, folder):
            what = f"'{name}' is outside the {self.owner}'s folder"
            remedy = f"move it beside the {self.owner}, or {self.permission}"
            raise UserError(Problem(None, path, what, remedy))
        if not _is_file(file):
            here = [each.name for each in folder.iterdir()] if folder.is_dir() else []
            remedy = suggest(name, here, f"beside the {self.owner} are")
            raise UserError(Problem(None, path, f"there is no file '{name}'", remedy))
        self.found.add(name)
        return file

    def digest(self, name: str) -> str:
        """A hash of what is in a file, whatever it is called; empty if there is none."""
        file = Path(self.source).parent / name
        return hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else ""


def _is_file(file: Path) -> bool:
    """Whether there is such a file; a name that the system does not take, such as one of too many bytes, is none."""
    try:
        return file.is_file()
    except OSError:
        return False


def _leaves(name: str, file: Path, folder: Path) -> bool:
    """Whether a name leads out of the folder, on this or on another platform, also through links."""
    windows = PureWindowsPath(name)
    if PurePosixPath(name).is_absolute() or windows.drive or windows.root:
        return True
    if "\\" in name and ".." in windows.parts:
        return True
    return not file.resolve().is_relative_to(folder.resolve())
