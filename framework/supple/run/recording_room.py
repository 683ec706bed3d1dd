"""Space on the disk for a recording, taken before HDF5 writes.

A write that fails in the middle leaves HDF5 with a file that nobody can open, and often brings the process down. So the
file is made longer first, by what the next frames can need at most; if that fails, everything before is in order.
"""

from __future__ import annotations

import errno
import os
import shutil
import struct
from pathlib import Path

import h5py

from supple.core.arrays import Array
from supple.run.recording_series import Series

#: Signature, VERSION, sizes of offsets and lengths, FLAGS, base address, extension address, END of file.
SUPERBLOCK = struct.Struct("<8xB2xB16xQ")
_MARGIN = 1 << 18
"""For HDF5's own tables, and what it writes when it closes a file [bytes]."""


class Room:
    """Space that a file has on the disk."""

    def __init__(self, path: Path, file: h5py.File) -> None:
        self._path, self._file = path, file
        self._taken = 0

    def take(self, growing: list[tuple[Series, Array]]) -> None:
        """Make sure that these rows can be appended. Raises OSError if they cannot."""
        need = sum(series.need(len(values)) for series, values in growing)
        wanted = self._file.id.get_filesize() + need + _MARGIN
        if wanted <= self._taken:
            return
        if hasattr(os, "posix_fallocate"):
            with self._path.open("rb+") as file:
                os.posix_fallocate(file.fileno(), 0, wanted)
        elif shutil.disk_usage(self._path.parent).free < need + _MARGIN:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self._taken = wanted

    def give_back(self) -> None:
        """Cut off what was not used, once the file is closed."""
        with self._path.open("rb+") as file:
            version, _, end = SUPERBLOCK.unpack(file.read(SUPERBLOCK.size))
            if version == 3:
                file.truncate(end)
