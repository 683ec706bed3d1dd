"""The `[sweep]` table: every combination of its values and seeds is a cell, and every cell is one run."""

from __future__ import annotations

import hashlib
import itertools
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
from typing import Any

from supple.errors import Problem, Where
from supple.scene.toml_scanner import KeyPath

MAX_CELLS = 100_000
MAX_SEED = 2**63 - 1

WhereOf = Callable[[KeyPath], Where | None]


@dataclass(frozen=True, eq=False)
class Cell:
    """One run of a sweep: overrides of the scene, sorted by path, and the seed of its noise."""

    overrides: tuple[tuple[str, Any], ...]
    seed: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "overrides", tuple(sorted(self.overrides, key=lambda override: override[0])))

    @property
    def label(self) -> str:
        """What a reader calls the cell, such as `shove.at=2.1, seed=3`."""
        parts = [f"{path}={_to_json(value)}" for path, value in self.overrides]
        return ", ".join([*parts, f"seed={self.seed}"])

    def key(self) -> str:
        """The cell's identity, as hexadecimal SHA-256: equal in every process, for 2 and 2.0 alike."""
        content = _to_json({"overrides": self.overrides, "seed": self.seed})
        return hashlib.sha256(content.encode()).hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Cell) and self.key() == other.key()

    def __hash__(self) -> int:
        # Values may be arrays and tables, which Python cannot hash.
        return hash(self.key())


def split_sweep(table: Mapping[str, Any], default_seed: int = 0) -> tuple[dict[str, list[Any]], list[int]]:
    """The axes and the seeds of a checked `[sweep]` table."""
    axes = {path: values for path, values in table.items() if path != "seeds"}
    return axes, list(table.get("seeds", [default_seed]))


def expand_sweep(axes: Mapping[str, Sequence[Any]], seeds: Sequence[int]) -> tuple[Cell, ...]:
    """All cells: axes in sorted order, the last one turning fastest, and the seeds fastest of all."""
    paths = sorted(axes)
    return tuple(
        Cell(tuple(zip(paths, values, strict=True)), seed)
        for values in itertools.product(*(axes[path] for path in paths))
        for seed in seeds
    )


def check_sweep(table: object, where_of: WhereOf) -> tuple[Problem, ...]:
    """Everything that is wrong with a `[sweep]` table; `where_of` knows the line of a path from the root."""
    if not isinstance(table, dict):
        remedy = 'write [sweep] and below it lines such as "shove.at" = [2.0, 2.1]'
        return (Problem(where_of(("sweep",)), "sweep", "is not a table", remedy),)
    problems: list[Problem] = []
    for path, values in table.items():
        problems += _check_axis(path, values, where_of)
        if path == "seeds" and isinstance(values, list):
            problems += _check_seeds(values, where_of)
    if not problems:
        cells = math.prod(len(values) for values in table.values())
        if cells > MAX_CELLS:
            what = f"has {cells} cells, and {MAX_CELLS} are allowed"
            problems.append(Problem(where_of(("sweep",)), "sweep", what, "sweep fewer values"))
    return tuple(problems)


def _check_axis(path: str, values: object, where_of: WhereOf) -> Iterable[Problem]:
    where, shown = where_of(("sweep", path)), f"sweep.{path}"
    if not path:
        yield Problem(where, "sweep", "an axis has no path", 'write a path, such as "shove.at" = [2.0, 2.1]')
    elif isinstance(values, dict):
        inner = next(iter(values), "at")
        remedy = f'write the path in quotes: "{path}.{inner}" = [...]'
        yield Problem(where, shown, "is a table, not a list of values", remedy)
    elif path == "seeds" and type(values) is int and values >= 0:
        many = ", ".join(str(seed) for seed in range(min(values, 4))) + (", ..." if values > 4 else "")
        remedy = f"{values} seeds are seeds = [{many}]; the seed {values} alone is seeds = [{values}]"
        yield Problem(where, shown, "is one number, and could mean two things", remedy)
    elif not isinstance(values, list):
        yield Problem(where, shown, "is not a list of values", f"write [{_to_json(values)}]")
    elif not values:
        yield Problem(where, shown, "is an empty list", "give it values, or remove the line")
    else:
        seen: set[str] = set()
        for index, value in enumerate(values):
            text = _to_json(value)
            if text in seen:
                what = f"the value {text} stands here twice"
                yield Problem(where_of(("sweep", path, index)), shown, what, "keep one of them")
            seen.add(text)


def _check_seeds(seeds: list[Any], where_of: WhereOf) -> Iterable[Problem]:
    for index, seed in enumerate(seeds):
        if type(seed) is not int or not 0 <= seed <= MAX_SEED:
            what = f"{_to_json(seed)} is not a seed"
            yield Problem(
                where_of(("sweep", "seeds", index)), "sweep.seeds", what, "write whole numbers from 0 on"
            )


def _to_json(value: object) -> str:
    """JSON with one spelling for equal values, so that it can be compared and hashed."""
    return json.dumps(_simplify(value), sort_keys=True, separators=(",", ":"))


def _simplify(value: object) -> object:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {str(key): _simplify(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_simplify(inner) for inner in value]
    if isinstance(value, date | time):
        return {"date or time": value.isoformat()}
    return value
