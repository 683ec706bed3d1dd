"""Gait files: those that come with the plugin, by name, and those of an author, beside the scene."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from supple.core.scene_files import SceneFiles
from supple.errors import Problem, UserError, Where, suggest
from supple.scene.lines import KeyPath, nearest_line, read_toml
from supple.scene.wording import read_checked
from supple_simbicon.gait import Gait, split_role

HOME = Path(__file__).parent / "gaits"


@dataclass(frozen=True)
class GaitFile:
    """A gait, and where in its file everything stands."""

    source: str
    gait: Gait
    lines: Mapping[KeyPath, int]

    def problem(self, keys: KeyPath, what: str, remedy: str) -> Problem:
        """A complaint with the line of a key."""
        return Problem(_place(self.source, self.lines, keys), ".".join(map(str, keys)), what, remedy)


def _place(source: str, lines: Mapping[KeyPath, int], keys: KeyPath) -> Where:
    return Where(source, nearest_line(lines, keys) or 1)


def list_gaits() -> list[str]:
    """The names of the gaits that come with the plugin."""
    return sorted(file.stem for file in HOME.glob("*.toml"))


def is_own_file(name: str) -> bool:
    """Whether a name stands for a file beside the scene."""
    return name.endswith(".toml")


def find_gait(name: str, path: str, files: SceneFiles) -> Path:
    """The file of a gait; `path` is the field that names it."""
    if is_own_file(name):
        return files.find(name, path)
    if name not in list_gaits():
        remedy = (
            f"name a file that ends in .toml, or one of these: {suggest(name, list_gaits(), 'the gaits are')}"
        )
        raise UserError(Problem(None, path, f"there is no gait '{name}'", remedy))
    return HOME / f"{name}.toml"


def read_gait(file: Path) -> GaitFile:
    """The gait in a file. Raises UserError with all that is wrong, line by line."""
    table, lines = read_toml(file)
    gait, complaints = read_checked(Gait, table)
    source = str(file)
    if gait is None:
        raise UserError(
            Problem(_place(source, lines, each.keys), ".".join(map(str, each.keys)), each.what, each.remedy)
            for each in complaints
        )
    read = GaitFile(source, gait, lines)
    problems = list(_check_joints(read))
    if problems:
        raise UserError(problems)
    return read


def _check_joints(read: GaitFile) -> Iterator[Problem]:
    """Whatever is aimed at is driven."""
    gait = read.gait
    for needed in (gait.root, gait.hip):
        if needed not in gait.joints:
            what = f"there are no gains for '{needed}', which keeps the balance"
            yield read.problem(("joints",), what, f"add [joints.{needed}]")
    for place, phase in enumerate(gait.phases):
        for name in phase.targets:
            _, joint = split_role(name)
            if joint not in gait.joints:
                choice = suggest(joint, gait.joints, "the joints are")
                keys = ("phases", place, "targets", name)
                yield read.problem(keys, f"'{joint}' is no joint of the gait", choice)
