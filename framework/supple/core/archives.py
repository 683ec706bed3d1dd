"""Archives of arrays (.npz) of people one does not know: read without pickle, and no larger than they may be.

A packed archive of 3 MB can unfold into 3 GB, and one that is not packed can announce more than it holds. So the sizes
are looked at before anything is unpacked.
"""

from __future__ import annotations

import math
import zipfile
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

UNPACKED = 1 << 29
"""What a packed archive may unfold to [bytes]; one that is not packed has all the room of its file."""
_PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def check_archive(path: Path, wanted: Collection[str] | None = None, *, packed: bool) -> list[str]:
    """The names of all arrays of an archive.

    Raises ValueError, or whatever zipfile raises, if those that are wanted are not sound.
    """
    known = None if wanted is None else set(wanted)
    with zipfile.ZipFile(path) as archive:
        parts = archive.infolist()
        if any(part.compress_type not in _PACKED[: 1 + packed] for part in parts):
            raise ValueError("it is packed in another way than by deflation" if packed else "it is packed")
        size = path.stat().st_size
        if any(part.compress_type != zipfile.ZIP_STORED for part in parts):
            size = max(size, UNPACKED)
        if sum(part.file_size for part in parts) > size:
            raise ValueError(f"its parts are larger than {size} bytes, which is what it may have")
        names = [part.filename.removesuffix(".npy") for part in parts]
        for part, name in zip(parts, names, strict=True):
            if known is not None and name not in known:
                continue
            with archive.open(part) as file:
                if np.lib.format.read_magic(file) != (1, 0):
                    raise ValueError(f"{part.filename} is no plain array")
                shape, _, dtype = np.lib.format.read_array_header_1_0(file)
                if dtype.hasobject or math.prod(shape) * dtype.itemsize != part.file_size - file.tell():
                    raise ValueError(f"{part.filename} does not hold the numbers that it announces")
    return names


def read_archive(
    path: Path, wanted: Collection[str] | None = None, *, packed: bool = True
) -> dict[str, NDArray[Any]]:
    """The arrays of an archive by name; with `wanted` only these, if they are there. Raises as `check_archive`."""
    chosen = check_archive(path, wanted, packed=packed)
    if wanted is not None:
        chosen = [name for name in wanted if name in chosen]
    with np.load(path, allow_pickle=False) as stored:
        return {name: stored[name] for name in chosen}
