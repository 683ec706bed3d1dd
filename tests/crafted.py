"""Files that are whole to whoever checks sums, and yet hold what no run wrote."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import h5py
import numpy as np

NUMBERS = (0, -1, 1, 2**31, 2**62, 10**9, np.nan, np.inf, -np.inf, 1e300)
PLAIN = (None, True, -1, 1e308, "", "\n", "../../x", [], {}, [[[]]], "a" * 5000, {"a": {"b": []}})


def craft_npz(whole: Path, file: Path, source: random.Random) -> None:
    """Change one or two of the arrays of a checkpoint."""
    with np.load(whole) as stored:
        arrays = {name: stored[name] for name in stored.files}
    for _ in range(source.randint(1, 2)):
        name = source.choice(sorted(arrays))
        kind = source.randrange(8)
        if kind == 0:
            del arrays[name]
        elif kind == 1:
            arrays[source.choice(("extra", f"{name}x", "../out"))] = arrays[name]
        else:
            arrays[name] = _change(arrays[name], source)
        if not arrays:
            break
    with file.open("wb") as out:
        np.savez(out, allow_pickle=False, **arrays)


def craft_h5(whole: Path, file: Path, source: random.Random) -> None:
    """Change one or two of the arrays or attributes of a recording."""
    file.write_bytes(whole.read_bytes())
    with h5py.File(file, "r+") as stored:
        names: list[str] = []
        stored.visit(names.append)
        for _ in range(source.randint(1, 2)):
            name = source.choice(["/", *(each for each in sorted(names) if each in stored)])
            place = stored[name]
            if len(place.attrs) and source.random() < 0.4:
                value = source.choice([each for each in PLAIN if isinstance(each, str | int | float)])
                place.attrs[source.choice(sorted(place.attrs))] = value
            elif name != "/" and isinstance(place, h5py.Dataset) and place.dtype.kind in "iuf":
                changed, kept = _change(place[()], source), dict(place.attrs)
                del stored[name]
                stored[name] = changed
                stored[name].attrs.update(kept)
            elif name != "/":
                del stored[name]


def craft_json(whole: Path, file: Path, source: random.Random) -> None:
    """Change one to three of the values of results."""
    tree = json.loads(whole.read_bytes())
    for _ in range(source.randint(1, 3)):
        places = list(_walk(tree))
        if not places:
            break
        inside, key = source.choice(places)
        if source.random() < 0.2 and isinstance(inside, dict):
            del inside[key]
        else:
            inside[key] = source.choice(PLAIN)
    file.write_text(json.dumps(tree))


def _walk(tree: Any) -> Any:
    """All places of a tree, as what holds a value and the key that it has there."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in list(items):
        yield tree, key
        yield from _walk(value)


def _change(values: np.ndarray, source: random.Random) -> np.ndarray:
    """An array of another shape, type or content."""
    kind = source.randrange(5)
    values = np.array(values)
    if kind == 0 and values.dtype.kind in "iuf":
        with np.errstate(all="ignore"):
            return values.astype(source.choice((np.float32, np.int64, np.uint8, np.complex128)))
    if kind == 1:
        return values.reshape(-1)[: source.randrange(values.size + 1)]
    if kind == 2:
        return np.repeat(values.reshape(1, -1), source.choice((2, 100)), axis=0)
    if kind == 3 or values.dtype.kind not in "iuf" or not values.size:
        return np.array(source.choice((b"", b"word", b"\0")))
    flat = values.reshape(-1).copy()
    with np.errstate(all="ignore"):
        flat[source.randrange(flat.size)] = np.array(source.choice(NUMBERS)).astype(values.dtype)
    return flat.reshape(values.shape)
