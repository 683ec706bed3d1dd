"""Files that are either there whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from supple.errors import Problem, UserError


def refuse_unwritable(path: Path, error: OSError) -> UserError:
    """The error for a file that cannot be written, in one line."""
    reason = error.strerror or str(error).splitlines()[0]
    return UserError(Problem(None, str(path), f"cannot be written: {reason}", "choose another place"))


def check_folder(path: Path) -> None:
    """Refuse early a file that has no folder to be written to."""
    if not path.parent.is_dir():
        raise UserError(Problem(None, str(path), f"no folder {path.parent}", "make it first"))
    if path.is_dir():
        raise UserError(Problem(None, str(path), "is a folder", "name a file"))


def temporary_beside(path: Path) -> Path:
    """A name in the same folder, so that replacing is atomic; the process keeps two writers apart."""
    return path.with_name(f".{path.name}.{os.getpid()}.part")


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Write a file under a temporary name; it takes its place only once it is complete and on the disk."""
    temporary = temporary_beside(path)
    try:
        with temporary.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        raise refuse_unwritable(path, error) from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
