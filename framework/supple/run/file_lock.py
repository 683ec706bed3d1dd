"""One writer a file: two runs that write to the same name would destroy each other's work."""

from __future__ import annotations

import errno
import glob
import hashlib
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO

from supple.core.cache_folder import user_cache_folder
from supple.errors import Problem, UserError

_TAKEN = (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK)
"""What systems say of a lock that another has."""


class FileLock:
    """The right to write a file, until it is released or the process ends, however it ends.

    The lock is a file of its own among the caches: one beside the user's would stay there after a kill, and HDF5 locks
    its files by itself. Whoever has the right clears away what killed writers of the same name left half done.
    """

    def __init__(self, path: Path) -> None:
        self._file = _open_lock(path)
        if self._file is not None and not _lock(self._file):
            self._file.close()
            raise UserError(
                Problem(
                    None, str(path), "is being written by another run", "wait for it, or give another name"
                )
            )
        for left in path.parent.glob(f".{glob.escape(path.name)}.*.part"):
            with suppress(OSError):
                left.unlink()

    def release(self) -> None:
        """Let others write."""
        if self._file is not None:
            self._file.close()


def _open_lock(path: Path) -> IO[bytes] | None:
    """The file that stands for `path`; None where nothing can be kept, which is no reason not to run."""
    folder = user_cache_folder() / "locks"
    name = hashlib.sha1(str(path.resolve()).encode(), usedforsecurity=False).hexdigest()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return (folder / name).open("ab")
    except OSError:
        return None


def _lock(file: IO[bytes]) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        # Some network folders know no locks: nobody says there that the file is being written.
        return error.errno not in _TAKEN
    return True
