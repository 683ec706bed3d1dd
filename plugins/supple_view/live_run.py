"""Where the frames of a live viewer come from: a recording, or a scene that is just being run."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any

from supple.errors import ExitCode, UserError
from supple.run.recording import Recording, open_recording
from supple_view.source import SCENE_FPS, Source

#: How long a recording without frames is waited for [s]: its run may just have begun.
_PATIENCE = 3.0
_GLANCE = 0.05


class RunEndedError(Exception):
    """The run ended before there was anything to see; it has said why."""

    def __init__(self, code: int) -> None:
        super().__init__(f"exit code {code}")
        self.code = code


class LiveRun:
    """A recording that may grow. For a scene, the process that makes it lives as long as this."""

    def __init__(self, source: Source, *, quiet: bool) -> None:
        self.source = source
        self._process: subprocess.Popen[bytes] | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._path = source.path
        if source.is_scene:
            self._folder = tempfile.TemporaryDirectory(prefix="supple-view-")
            self._path = source.record or Path(self._folder.name) / "run.h5"
            self._process = _start(source, self._path, quiet=quiet)

    def __enter__(self) -> LiveRun:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(5)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        if self._folder is not None:
            self._folder.cleanup()

    def tell(self, message: dict[str, Any]) -> None:
        """Tell the run what somebody does to its bodies; nothing happens once it has ended."""
        if self.is_running and self._process is not None and self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.write(json.dumps(message).encode() + b"\n")
                self._process.stdin.flush()

    @property
    def is_running(self) -> bool:
        """Whether a scene is being simulated."""
        return self._process is not None and self._process.poll() is None

    @property
    def failed(self) -> bool:
        """Whether the simulation of a scene broke off."""
        return self._process is not None and self._process.poll() not in (None, int(ExitCode.FINE))

    def wait_for_frames(self, give_up: Callable[[], bool]) -> Recording | None:
        """The recording once it has a frame; None if `give_up` became true first."""
        end = time.monotonic() + _PATIENCE
        recording: Recording | None = None
        while not give_up():
            # Looked at first: what was written before the end must not be missed.
            running = self.is_running
            if recording is None and (self._path.is_file() or self._process is None):
                try:
                    recording = open_recording(self._path)
                except UserError:
                    # The run may just be opening it for good.
                    if not running:
                        raise
            if recording is not None and recording.refresh() > 0:
                return recording
            if self._process is None and time.monotonic() > end:
                return recording
            if self._process is not None and not running:
                code = self._process.wait()
                if code != ExitCode.FINE or recording is None:
                    raise RunEndedError(code if code > 0 else int(ExitCode.DEFECT))
                return recording
            time.sleep(_GLANCE)
        return None


def _start(source: Source, record: Path, *, quiet: bool) -> subprocess.Popen[bytes]:
    if not source.path.is_file():
        # Said here, and not in a process that has to be started for it.
        from supple.errors import Problem

        raise UserError(Problem(None, str(source.path), "no such scene", "give a .toml or a recording"))
    asked = asdict(source) | {"record": record, "fps": source.fps or SCENE_FPS, "quiet": quiet}
    # -P: nothing is imported from the current folder, where anybody's files may lie beside the scene.
    command = [sys.executable, "-P", "-m", "supple_view.background", json.dumps(asked, default=str)]
    # A session of its own: Ctrl-C is for the viewer, which then ends the run.
    told = subprocess.PIPE if source.touch else subprocess.DEVNULL
    return subprocess.Popen(command, stdin=told, start_new_session=True)
