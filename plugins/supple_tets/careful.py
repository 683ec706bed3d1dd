"""Reading meshes of people one does not know through meshio: it unpacks without end, and says things of its own."""

from __future__ import annotations

import contextlib
import io
import lzma
import zlib
from collections.abc import Iterator
from typing import Any

MOST = 1 << 29
"""What the parts of one file may unfold to [bytes]."""


class _Unpacker:
    """Stands where meshio looks for a module that unpacks, and stops at `MOST`."""

    def __init__(self, make: Any) -> None:
        self._make = make
        self._left = MOST

    def decompress(self, packed: Any) -> bytes:
        """As that of zlib and lzma."""
        content: bytes = self._make().decompress(bytes(packed), self._left + 1)
        self._left -= len(content)
        if self._left < 0:
            raise ValueError(f"it unfolds to more than {MOST} bytes")
        return content


@contextlib.contextmanager
def reading_carefully() -> Iterator[None]:
    """Within it meshio unpacks no more than it may, and prints nothing."""
    import meshio.vtu._vtu as vtu

    known = vtu.zlib, vtu.lzma
    vtu.zlib, vtu.lzma = _Unpacker(zlib.decompressobj), _Unpacker(lzma.LZMADecompressor)
    try:
        with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
            yield
    finally:
        vtu.zlib, vtu.lzma = known
