"""The controls and plots beside a live scene. They only note wishes; the viewer's loop acts on them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from supple_view.history import History
from supple_view.live_scene import LiveScene
from supple_view.playhead import Playhead

_SPEEDS = ("0.1", "0.25", "0.5", "1", "2", "4")
_NOTHING, _OWN, _ADD = "nothing", "what it is", "add a plot ..."
_CURVE, _CURSOR = "#2f6f9f", "#c8501e"


class LivePanel:
    """Playback, what is shown, and metrics. `stale` says that the picture must be drawn anew."""

    def __init__(self, server: Any, scene: LiveScene, playhead: Playhead, history: History) -> None:
        self.gui, self.scene, self.playhead, self.history = server.gui, scene, playhead, history
        self.stale = True
        self.follow = ""
        self._plots: dict[int, Any] = {}
        header = scene.stage.recording.header
        title = f"**{header.scene}**" + (f" · {header.variant}" if header.variant else "")
        self.gui.add_markdown(f"{title} · seed {header.seed}")
        self._status = self.gui.add_markdown("")
        self._add_playback()
        self._add_choices()
        self._metrics = self.gui.add_folder("Metrics")
        self._add_metrics()

    def _add_playback(self) -> None:
        playhead, gui = self.playhead, self.gui
        self._play = gui.add_button("Pause")
        self._scrub = gui.add_slider("Frame", 0, max(1, len(playhead.times) - 1), 1, 0)
        speed = gui.add_dropdown("Speed", _SPEEDS, initial_value="1")
        repeat = gui.add_checkbox("Repeat", playhead.repeats)
        self._newest = gui.add_checkbox("Newest frame", playhead.at_end)
        self._play.on_click(lambda event: playhead.toggle())
        speed.on_update(lambda event: setattr(playhead, "speed", float(speed.value)))
        repeat.on_update(lambda event: setattr(playhead, "repeats", repeat.value))
        self._scrub.on_update(self._seek)
        self._newest.on_update(self._stay)

    # The loop moves these two itself; only people have clients.

    def _seek(self, event: Any) -> None:
        if event.client is not None:
            self.playhead.seek(int(self._scrub.value))

    def _stay(self, event: Any) -> None:
        if event.client is not None:
            self.playhead.at_end = self._newest.value

    def _add_choices(self) -> None:
        scene, things = self.scene, self.scene.stage.things
        with self.gui.add_folder("Show"):
            for layer, frame in scene.layers.items():
                self._add_switch(layer, frame, "visible")
            self._add_switch("contact forces", scene, "contacts")
            for layer in scene.covers:
                self._add_veil(layer)
            paths = [thing.drawing.path for thing in things if thing.drawing.layer != "ground"]
            roots = sorted({path.partition("/")[0] for path in paths if "/" in path})
            follow = self.gui.add_dropdown("Follow", (_NOTHING, *dict.fromkeys([*roots, *paths])))
            self._add_colours()
        follow.on_update(
            lambda event: setattr(self, "follow", follow.value if follow.value != _NOTHING else "")
        )

    def _add_switch(self, text: str, owner: Any, attribute: str) -> None:
        box = self.gui.add_checkbox(text, True)

        def switch(event: Any) -> None:
            setattr(owner, attribute, box.value)
            self.stale = True

        box.on_update(switch)

    def _add_veil(self, layer: str) -> None:
        box = self.gui.add_checkbox(f"see through {layer}", False)

        def switch(event: Any) -> None:
            (self.scene.veiled.add if box.value else self.scene.veiled.discard)(layer)
            self.stale = True

        box.on_update(switch)

    def _add_colours(self) -> None:
        found = (thing.drawing.channel for thing in self.scene.stage.things)
        channels = {channel.says: channel for channel in found if channel is not None}
        colour = self.gui.add_dropdown("Colour by", (_OWN, *channels), visible=bool(channels))
        legend = self.gui.add_markdown("", visible=False)

        def choose(event: Any) -> None:
            channel = channels.get(colour.value)
            self.scene.channel = channel.says if channel else ""
            legend.visible = channel is not None
            if channel:
                legend.content = f"light {channel.low:g} to dark {channel.high:g} {channel.unit}"
            self.stale = True

        colour.on_update(choose)

    def _add_metrics(self) -> None:
        metrics = self.history.metrics
        with self._metrics:
            chosen = self.gui.add_dropdown("Plot", (_ADD, *metrics.names))

        def choose(event: Any) -> None:
            if chosen.value in metrics.names:
                self._toggle_plot(metrics.names.index(chosen.value))
                chosen.value = _ADD

        chosen.on_update(choose)
        for column in metrics.suggest_plots(self.history.values):
            self._toggle_plot(column)

    def _toggle_plot(self, column: int) -> None:
        """Choosing a metric a second time takes its plot away."""
        if column in self._plots:
            self._plots.pop(column).remove()
            return
        metrics = self.history.metrics
        name = metrics.names[column].rpartition(".")[2]
        line = {"width": 1.5, "points": {"show": False}}
        series = (
            {"label": "t [s]"},
            {"label": name, "stroke": _CURVE, **line},
            {"label": "now", "stroke": _CURSOR, **line},
        )
        data, title = self._draw_curve(column)
        with self._metrics:
            self._plots[column] = self.gui.add_uplot(
                data, series, title=title, height=150,
                scales={"x": {"time": False}}, legend={"show": False},
            )  # fmt: skip

    def update(self, status: str) -> None:
        """Show the state of the playhead."""
        playhead = self.playhead
        self._play.label = "Pause" if playhead.playing or playhead.at_end else "Play"
        self._scrub.max = max(1, len(playhead.times) - 1)
        self._scrub.value = playhead.frame
        self._newest.value = playhead.at_end
        self._status.content = f"t = {playhead.time:.3f} s of {playhead.times[-1]:g} s{status}"

    def update_plots(self) -> None:
        """Bring curves and cursors up to date."""
        for column, plot in list(self._plots.items()):
            data, title = self._draw_curve(column)
            plot.data = data
            if plot.title != title:
                plot.title = title

    def _draw_curve(self, column: int) -> tuple[Any, str]:
        """What is plotted and its title. The axis has few digits, so a power of ten goes to the title."""
        times, values, cursor = self.history.curve(column, self.playhead.time)
        largest = float(np.abs(values).max())
        power = math.floor(math.log10(largest)) if largest > 0 else 0
        power = 0 if -2 <= power <= 3 else power
        metrics = self.history.metrics
        unit = metrics.units[column] if metrics.units[column] != "1" else ""
        scale = " ".join(filter(None, (f"1e{power}" if power else "", unit)))
        title = metrics.names[column] + (f" [{scale}]" if scale else "")
        return (times, values / 10.0**power, cursor / 10.0**power), title
