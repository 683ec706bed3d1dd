"""The results file of `supple claims`: finished runs, so that a killed invocation goes on where it was."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from supple.errors import Problem, UserError
from supple.run.atomic import check_folder, replacing
from supple.run.claim_runs import Outcome, read_outcome
from supple.run.file_lock import FileLock
from supple.run.json_text import write_json

FORMAT = 1
MADE_BY = "supple claims"
_SPARE = 20.0


class ResultStore:
    """Outcomes by their keys, kept in a JSON file that is replaced whole.

    Writing takes at most a small part of the time: a kill loses the runs of about the last half second. The file is its
    own until it is closed.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._next_save = 0.0
        self._lock = _lock(path) if path is not None else None
        try:
            self.outcomes: dict[str, Outcome] = _read(path) if path is not None else {}
        except UserError:
            self.close()
            raise

    def close(self) -> None:
        """Let others write the file."""
        if self._lock is not None:
            self._lock.release()

    def add(self, key: str, outcome: Outcome) -> None:
        """Keep an outcome, and save now and then."""
        self.outcomes[key] = outcome
        if time.perf_counter() >= self._next_save:
            self.save()

    def save(self, verdicts: Mapping[str, Any] | None = None) -> None:
        """Write everything, with the verdicts once they are known."""
        if self.path is None:
            return
        began = time.perf_counter()
        runs = {key: outcome.as_plain() for key, outcome in sorted(self.outcomes.items())}
        whole = {"format": FORMAT, "made_by": MADE_BY, **(verdicts or {}), "runs": runs}
        with replacing(self.path) as file:
            file.write(write_json(whole, indent=1).encode())
        ended = time.perf_counter()
        self._next_save = ended + max(0.5, _SPARE * (ended - began))


def _lock(path: Path) -> FileLock:
    check_folder(path)
    return FileLock(path)


def _read(path: Path) -> dict[str, Outcome]:
    if not path.exists():
        return {}
    remedy = "give another --out, or delete it"
    try:
        whole = json.loads(path.read_bytes())
        if whole["made_by"] != MADE_BY:
            raise ValueError("made by something else")
        if whole["format"] > FORMAT:
            what = f"has the format {whole['format']}; this supple reads up to {FORMAT}"
            raise UserError(Problem(None, str(path), what, remedy))
        return {str(key): read_outcome(plain) for key, plain in whole["runs"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UserError(Problem(None, str(path), "exists and holds no results of claims", remedy)) from error
