"""Files that are either there whole or not at all."""

from __future__ import annotations

import os
import shutil
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
    if not os.access(path.parent, os.W_OK | os.X_OK):
        # Hours of runs may lie between this and the first write.
        what = f"cannot be written: nothing may be written to {path.parent}"
        raise UserError(Problem(None, str(path), what, "choose another place"))


def temporary_beside(path: Path) -> Path:
    """A name in the same folder, so that replacing is atomic; the process keeps two writers apart."""
    return path.with_name(f".{path.name}.{os.getpid()}.part")


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Write a file under a temporary name; it takes its place only once it is complete and on the disk."""
    temporary = temporary_beside(path)
    try:
        # The name can be guessed, so in a folder of several people a link of that name may lie in wait.
        temporary.unlink(missing_ok=True)
        with temporary.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        raise refuse_unwritable(path, error) from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def check_new_folder(path: Path, mark: str, *, overwrite: bool) -> None:
    """Refuse early a folder that cannot be made, or that holds somebody's files.

    With `overwrite` a folder that holds the file `mark`, as all made by the same command do, may be replaced.
    """
    if not path.absolute().parent.is_dir():
        raise UserError(Problem(None, str(path), f"no folder {path.parent}", "make it first"))
    if path.is_file() or path.is_symlink():
        raise UserError(Problem(None, str(path), "is a file", "name a folder"))
    if not path.is_dir() or not any(path.iterdir()):
        return
    if not (path / mark).is_file():
        raise UserError(Problem(None, str(path), "holds other files", "name a new folder"))
    if not overwrite:
        remedy = "give --overwrite to replace it, or name a new folder"
        raise UserError(Problem(None, str(path), "is there already", remedy))


@contextmanager
def making_folder(path: Path, mark: str, *, overwrite: bool) -> Iterator[Path]:
    """Fill a folder under a temporary name; it takes its place only once it is complete."""
    check_new_folder(path, mark, overwrite=overwrite)
    path = path.absolute()
    temporary, old = temporary_beside(path), path.with_name(f".{path.name}.{os.getpid()}.old")
    try:
        temporary.mkdir()
        yield temporary
        if path.is_dir():
            os.replace(path, old)
        os.replace(temporary, path)
    except OSError as error:
        if old.is_dir() and not path.is_dir():
            os.replace(old, path)
        raise refuse_unwritable(path, error) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)
