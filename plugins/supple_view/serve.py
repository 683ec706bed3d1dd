"""`supple view` without `--html`: a viewer in the browser, served from this machine until Ctrl-C."""

from __future__ import annotations

import contextlib
import io
import time
import webbrowser
from collections.abc import Callable
from typing import Any

import rich_click as click

from supple.errors import ExitCode, Problem, UserError
from supple.run.json_text import write_json
from supple.run.recording import Recording
from supple.run.stop import Stop
from supple_view.guard import guarding
from supple_view.live_run import LiveRun, RunEndedError
from supple_view.source import Source

#: Seconds between two pictures, two looks for new frames, two updates of the plots.
_PICTURE, _LOOK, _PLOTS = 1 / 30, 0.25, 0.25


def serve(source: Source, *, host: str, port: int, browse: bool, as_json: bool) -> int:
    """Show the source until somebody asks to stop."""
    viser = import_viser()
    try:
        with Stop() as stop, LiveRun(source, quiet=as_json) as run:
            recording = run.wait_for_frames(lambda: stop.requested)
            if recording is None:
                return ExitCode.FINE
            with recording:
                viewer = _prepare(source, recording)
                server = open_server(viser, host, port)
                try:
                    viewer.begin(server, run.tell if source.touch else None)
                    announce(server, recording, host, browse=browse, as_json=as_json)
                    while not stop.requested:
                        viewer.tick(run)
                        time.sleep(_PICTURE)
                finally:
                    with hushed():
                        server.stop()
    except RunEndedError as ended:
        return ended.code
    return ExitCode.FINE


class Viewer:
    """The loop's memory: what is shown, and when something was last looked at."""

    def __init__(self, recording: Recording, metrics: Any, *, live: bool) -> None:
        from supple.run.stage import Stage
        from supple_view.history import History
        from supple_view.playhead import Playhead

        self.recording, self.stage = recording, Stage(recording)
        self.playhead = Playhead(self.stage.times, at_end=live)
        self.history = History(metrics)
        self.history.follow(self.stage.times)
        self._shown = -1
        self._anchor: tuple[str, Any] = ("", None)
        self._looked = self._plotted = self._ticked = time.monotonic()

    def begin(self, server: Any, touched: Callable[[dict[str, Any]], None] | None = None) -> None:
        """Put everything into the server; `touched` is told what somebody drags."""
        from supple_view.live_panel import LivePanel
        from supple_view.live_scene import LiveScene

        self._server = server
        # Sharing would go through a server elsewhere.
        server.gui.configure_theme(show_share_button=False, show_logo=False)
        self.scene = LiveScene(server, self.stage, touched)
        if touched is not None:
            server.on_client_connect(lambda client: touched({}))
            server.gui.add_markdown("Drag a body to pull it; drag beside it to turn the view.")
        self.panel = LivePanel(server, self.scene, self.playhead, self.history)

    def tick(self, run: LiveRun) -> None:
        """Look for new frames, let time pass, and draw what has changed."""
        now = time.monotonic()
        if now - self._looked > _LOOK:
            self._looked = now
            self._look()
        self.playhead.pass_time(now - self._ticked)
        self._ticked = now
        frame = self.playhead.frame
        if frame != self._shown or self.panel.stale:
            self._shown, self.panel.stale = frame, False
            self.scene.show(frame)
            self._move_cameras(frame)
        self.panel.update(" · running" if run.is_running else " · the run failed" if run.failed else "")
        if now - self._plotted > _PLOTS:
            self._plotted = now
            self.panel.update_plots()

    def _look(self) -> None:
        if self.recording.refresh() == len(self.stage.times):
            return
        self.stage.times = self.playhead.times = self.recording.times
        self.history.follow(self.stage.times)

    def _move_cameras(self, frame: int) -> None:
        """Cameras keep their place relative to what they follow."""
        path = self.panel.follow
        place = self.scene.place_of(path, frame) if path else None
        if path and self._anchor[0] == path:
            shift = place - self._anchor[1]
            for client in self._server.get_clients().values():
                with client.atomic():
                    client.camera.position = client.camera.position + shift
                    client.camera.look_at = client.camera.look_at + shift
        self._anchor = (path, place)


def _prepare(source: Source, recording: Recording) -> Viewer:
    from supple.plugin import load_plugins
    from supple_view.metrics import Metrics, find_units

    units = find_units(load_plugins(source.plugins, source.disabled).registry)
    return Viewer(recording, Metrics(recording, units), live=source.is_scene)


def open_server(viser: Any, host: str, port: int) -> Any:
    """Serve on this address; what is in the way of it is an error of one line."""
    try:
        with hushed(), guarding(host):
            return viser.ViserServer(host=host, port=port, verbose=False)
    except (OSError, RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise UserError(
            Problem(None, f"--host {host} --port {port}", f"cannot be served on: {reason}", "choose another")
        ) from error


def announce(server: Any, recording: Recording, host: str, *, browse: bool, as_json: bool) -> None:
    """Say where to look, and open a browser there."""
    shown = "localhost" if host in ("127.0.0.1", "0.0.0.0", "::", "::1") else host
    address = f"http://{shown}:{server.get_port()}"
    if as_json:
        click.echo(write_json({"address": address, "scene": recording.header.scene}))
    else:
        click.echo(f"look at {address}; Ctrl-C ends", err=True)
    if browse:
        webbrowser.open(address)


def hushed() -> contextlib.redirect_stdout[io.StringIO]:
    """viser says on standard output what is said here in supple's own words."""
    return contextlib.redirect_stdout(io.StringIO())


def import_viser() -> Any:
    """The package that serves; without it an error of one line."""
    try:
        import viser
    except ImportError as error:
        remedy = "pip install 'supple[view]', or write a page with --html FILE"
        raise UserError(Problem(None, "supple view", f"needs viser ({error})", remedy)) from error
    return viser
