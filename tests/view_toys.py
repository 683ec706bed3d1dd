"""A recording with everything a viewer can meet: ground, bodies, a skin that bends, muscles, channels, contacts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np

from made_recordings import write_recording
from supple.core.drawing import Carried, Channel, Drawing, Lines, Mesh, Placed, Solid
from supple.run.tessellate import tessellate_solid

METRICS = ("creature.height", "creature.energy", "run.contacts")
TEXT = 'format = 1\n[[expect]]\nmetric = "creature.energy"\nabove = 0\n'


def write_creature(path: Path, frames: int = 30, *, travel: float = 0.0, skin_detail: int = 1) -> Path:
    """A ball of flesh with a bone and four muscles that rolls along x; `travel` [m] in all."""
    times = np.arange(frames) * 0.02
    rest, triangles = tessellate_solid("sphere", (0.5, 0.0, 0.0))
    rest, triangles = _repeat(rest, triangles, skin_detail)
    centre = np.stack([travel * times / times[-1], 0.5 + 0.1 * np.sin(6 * times), np.zeros(frames)], axis=1)
    squash = 1 + 0.2 * np.sin(6 * times)[:, None] * np.array([-0.5, 1.0, -0.5])
    skin = rest * squash[:, None] + centre[:, None]
    half = 3.0 * times[:, None] / 2
    turn = np.hstack([np.cos(half), np.zeros((frames, 2)), -np.sin(half)])
    fibres = 0.4 * np.array([[1, 1, 0], [1, -1, 0], [-1, 1, 0], [-1, -1, 0], [0, 0, 1]])
    muscles = fibres * squash[:, None] + centre[:, None]
    arrays: dict[str, Any] = {
        "bone.x": centre[:, None], "bone.q": turn[:, None], "skin.x": skin, "muscle.x": muscles,
        "skin.pressure": 1e3 * np.maximum(0, 1 - skin[:, :, 1]),
        "muscle.activation": 0.5 + 0.5 * np.sin(4 * times[:, None] + np.arange(4)),
        "metrics.now": np.stack([centre[:, 1], 1e-6 * times**2, np.ones(frames)], axis=1),
    }  # fmt: skip
    model = {"skin.triangles": triangles, "muscle.segments": np.array([[k, 4] for k in range(4)])}
    drawings = [
        Drawing("floor.plane", "floor", "ground", Solid("plane", (0.0, 0.0, 0.0))),
        Drawing("step.box", "step", "bodies", Solid("box", (0.2, 0.1, 0.4)), Placed((-1.0, 0.1, 0.0))),
        Drawing(
            "creature/bone.capsule", "creature/bone", "bones", Solid("capsule", (0.06, 0.2, 0.0)),
            Carried("bone.x", "bone.q", 0),
        ),
        Drawing(
            "creature.skin", "creature", "skin", Mesh("skin.x", "skin.triangles"),
            channel=Channel("skin.pressure", 0.0, 1e3, "Pa", "pressure"),
        ),
        Drawing(
            "creature.muscles", "creature", "muscles", Lines("muscle.x", "muscle.segments", 0.02),
            channel=Channel("muscle.activation", 0.0, 1.0, "1", "activation"),
        ),
    ]  # fmt: skip
    foot = centre * [1, 0, 1]
    contacts = [[(point, point, (0.0, -200.0 - 10 * frame, 20.0))] for frame, point in enumerate(foot)]
    write_recording(
        path, drawings, times=times, arrays=arrays, model=model, contacts=contacts,
        attributes={"scene": "creature.toml", "text": TEXT, "variant": "soft </script>", "seed": 7},
    )  # fmt: skip
    with h5py.File(path, "r+") as file:
        file["arrays"]["metrics.now"].attrs["labels"] = np.array(METRICS, dtype=object)
    return path


def _repeat(rest: np.ndarray, triangles: np.ndarray, times: int) -> tuple[np.ndarray, np.ndarray]:
    """The same surface several times over: more of it, and no other shape."""
    shifted = [triangles + k * len(rest) for k in range(times)]
    return np.tile(rest, (times, 1)), np.vstack(shifted)
