"""Whose the cache folder is. Machine code is run from it, so nobody else may be able to write to it."""

from __future__ import annotations

import atexit
import os
import shutil
import stat
import tempfile
from pathlib import Path

from supple.core.cache_folder import CACHE_VARIABLE, user_cache_folder


def keep_to_own_folder() -> None:
    """Let caches lie in a folder of one's own, should the one where they would lie be open to others.

    That is a folder within it that only this user may enter, or else one that ends with this process. Processes that
    are started from here keep to the same.
    """
    folder = user_cache_folder()
    if is_own(folder):
        return
    own = folder / f"user-{os.geteuid()}"
    try:
        own.mkdir(mode=0o700, exist_ok=True)
    except OSError:
        own = folder
    if own.is_symlink() or not is_own(own):
        own = Path(tempfile.mkdtemp(prefix="supple-"))
        atexit.register(shutil.rmtree, own, ignore_errors=True)
    os.environ[CACHE_VARIABLE] = str(own)


def is_own(folder: Path) -> bool:
    """Whether a folder belongs to this user or the administrator, and not everybody may write to it.

    One that is not there yet will be this user's. Windows gives folders of users to nobody else.
    """
    if not hasattr(os, "geteuid"):
        return True
    try:
        found = folder.stat()
    except OSError:
        return True
    return found.st_uid in (0, os.geteuid()) and not found.st_mode & stat.S_IWOTH
