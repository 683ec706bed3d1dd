"""Claims that scenes are to cover: a list in a folder of scenes, so that what nobody shows is seen to be missing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from supple.core.component import component, field
from supple.errors import Problem, UserError, Where
from supple.scene.lines import read_toml
from supple.scene.wording import read_checked


@component
class WantedTable:
    """A claim that some scene is to cover; files with [[wanted]] tables have no [run]."""

    id: str = field(unit="", doc="Id of the claim.", min_length=1)
    says: str = field(unit="", doc="The claim in a sentence.", min_length=1)
    paper: str = field(default="", unit="", doc="Where it was claimed.")


def find_wanted(paths: Iterable[Path], only: Sequence[str] = ()) -> list[WantedTable]:
    """The claims that files in these folders, and files named, ask for; with `only`, these ids alone."""
    wanted: dict[str, WantedTable] = {}
    problems: list[Problem] = []
    for path in paths:
        for file in sorted(path.rglob("*.toml")) if path.is_dir() else (path,):
            table, lines = read_toml(file)
            for index, row in enumerate(table.get("wanted", ()) if "run" not in table else ()):
                made, complaints = read_checked(WantedTable, row)
                for one in complaints:
                    line = lines.get(("wanted", index, *one.keys), lines.get(("wanted", index)))
                    name = ".".join(str(key) for key in one.keys)
                    problems.append(Problem(Where(str(file), line), f"wanted.{name}", one.what, one.remedy))
                if made is not None:
                    wanted.setdefault(made.id, made)
    if problems:
        raise UserError(problems)
    return [one for one in wanted.values() if not only or one.id in only]


def leave_open(wanted: WantedTable) -> dict[str, Any]:
    """The verdict on a claim that no scene covers."""
    return {
        "id": wanted.id, "says": wanted.says, "paper": wanted.paper, "scene": None, "holds": None,
        "why": "no scene covers it", "figures": {}, "seeds": [], "seconds": 0.0,
    }  # fmt: skip
