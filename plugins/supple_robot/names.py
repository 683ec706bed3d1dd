"""Names of entities from names in a file, which may hold any letters, be missing or come twice."""

from __future__ import annotations

import re

from supple.core.entity import PATH


class Names:
    """Gives out paths, each once."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def below(self, parent: str, wanted: str, otherwise: str) -> str:
        """A path below `parent`, near to the name that was `wanted`."""
        word = re.sub(r"\W", "_", wanted, flags=re.ASCII).strip("_") or otherwise
        if not PATH.fullmatch(word):
            word = f"_{word}"
        path, count = f"{parent}/{word}", 1
        while path in self._taken:
            count += 1
            path = f"{parent}/{word}_{count}"
        self._taken.add(path)
        return path
