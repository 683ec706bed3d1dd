"""Bodies that are dragged with the mouse while a scene runs.

What the page reports is a line of JSON: {"on": "ball", "point": [x, y, z], "to": [x, y, z]} while a place of an entity
is dragged, {"on": "ball"} when it is let go. The first line, whatever it says, lets the run begin: it waits until
somebody looks. The place is drawn to where the mouse is by a spring and damper, as a
force that is given by name: it is recorded as every command is, and `supple run SCENE --replay RECORDING` repeats the
run.
"""

from __future__ import annotations

import json
import math
import threading
import time
from dataclasses import dataclass
from typing import IO, Any

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.pose import rotate
from supple.core.world import World
from supple.errors import UserError

#: How fast what is dragged follows [rad/s]; it is damped critically.
FOLLOWING = 2 * math.pi * 1.5
#: The greatest force, in weights of all that hangs together.
STRONGEST = 10.0
GRAVITY = 9.81


@dataclass
class Held:
    """A place of an entity, in the frame of `frame` (the entity with a pose of its own), and where it is drawn to."""

    path: str
    frame: str
    local: FloatArray
    to: FloatArray
    mass: float


class Touch:
    """Reads what the page reports, and draws what is held. The run goes no faster than the clock."""

    def __init__(self, world: World, messages: IO[bytes]) -> None:
        self._world, self._messages = world, messages
        self._held: dict[str, Held] = {}
        self._waiting: list[dict[str, Any]] = []
        self._lock = threading.Lock()
        self._looked_at = threading.Event()
        self._began: float | None = None

    def begin(self) -> None:
        """Listen from now on."""
        threading.Thread(target=self._listen, daemon=True).start()
        self._world.on_step(self.act)

    def _listen(self) -> None:
        for line in self._messages:
            self._looked_at.set()
            try:
                message = json.loads(line)
            except ValueError:
                continue
            with self._lock:
                self._waiting.append(message)
        self._looked_at.set()  # nobody will ever look

    def act(self, world: World) -> None:
        """Before a step: wait for the clock, and pull at what is held."""
        if self._began is None:
            self._looked_at.wait()
            self._began = time.monotonic() - world.time
        ahead = self._began + world.time - time.monotonic()
        if ahead > 0:
            time.sleep(min(ahead, 0.1))
        with self._lock:
            messages, self._waiting = self._waiting, []
        for message in messages:
            self.take(message)
        for held in self._held.values():
            frame = world[held.frame]
            place = frame.position + rotate(frame.rotation, held.local)
            force = held.mass * (FOLLOWING**2 * (held.to - place) - 2 * FOLLOWING * frame.velocity[:3])
            most = STRONGEST * held.mass * GRAVITY
            force *= min(1.0, most / max(float(np.linalg.norm(force)), 1e-12))
            world[held.path].apply_force(force, point=place)

    def take(self, message: Any) -> None:
        """Begin, go on or end to hold; what makes no sense is left alone, for it comes from a page."""
        if not isinstance(message, dict):
            return
        path = message.get("on")
        if not isinstance(path, str) or path not in self._world.build.graph:
            return
        try:
            to = np.array(message.get("to", ()), np.float64)
            point = np.array(message.get("point", ()), np.float64)
        except (TypeError, ValueError):
            return
        if to.shape != (3,) or not np.isfinite(to).all():
            self._held.pop(path, None)
            return
        if path in self._held:
            self._held[path].to = to
        elif point.shape == (3,) and np.isfinite(point).all():
            held = self._hold(path, point, to)
            if held is not None:
                self._held[path] = held

    def _hold(self, path: str, point: FloatArray, to: FloatArray) -> Held | None:
        exposed, graph = self._world.build.exposed, self._world.build.graph
        wanted = {"position", "rotation", "velocity", "mass"}
        frame = next((up.path for up in graph.ancestors(path) if wanted <= set(exposed.get(up.path, ()))), "")
        if not frame or self._world.build.pusher is None:
            return None
        try:
            self._world.build.pusher.place(self._world, path, point, in_world=True)
        except UserError:
            return None  # it stands still
        view = self._world[frame]
        local = rotate(view.rotation * np.array([1.0, -1.0, -1.0, -1.0]), point - view.position)
        root = path.partition("/")[0]
        others = [one.path for one in graph.below(root) if wanted <= set(exposed.get(one.path, ()))]
        return Held(path, frame, local, to, sum(self._world[other].mass for other in others))
