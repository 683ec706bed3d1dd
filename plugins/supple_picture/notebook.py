"""Pictures of a world in a notebook.

from supple_picture.notebook import picture
picture(world)                       # as the last line of a cell; picture(world).save("now.png") writes a file
"""

from __future__ import annotations

import io
import tempfile
from pathlib import Path

from supple.core.world import World
from supple.run.record import record
from supple.run.recording import open_recording
from supple.run.stage import Stage
from supple_picture.camera import FIELD_OF_VIEW
from supple_picture.look import plan_look
from supple_picture.shot import Viewpoint, plan_shot
from supple_picture.strip import draw_frames, join


class Drawn:
    """A picture as PNG, which notebooks show."""

    def __init__(self, png: bytes) -> None:
        self.png = png

    def _repr_png_(self) -> bytes:
        return self.png

    def save(self, path: str | Path) -> None:
        """Write it to a file."""
        Path(path).write_bytes(self.png)


def picture(
    source: World | str | Path,
    *,
    at: float | None = None,
    size: tuple[int, int] = (640, 480),
    camera: tuple[float, float] | None = None,
    follow: str = "",
) -> Drawn:
    """A world as it is now, or a recording at a time [s], by default its end.

    `camera` is its azimuth and elevation [deg]; by default everything is in view.
    """
    if isinstance(source, World):
        with tempfile.TemporaryDirectory(prefix="supple-") as folder:
            path = Path(folder) / "now.h5"
            with record(source, path):
                pass
            return picture(path, size=size, camera=camera, follow=follow)
    with open_recording(source) as recording:
        stage = Stage(recording)
        frames = [stage.frame_at(at) if at is not None else stage.frames - 1]
        viewpoint = Viewpoint(
            angles=camera, distance=None, eye=None, target=None, follow=follow, field_of_view=FIELD_OF_VIEW
        )
        look, shot = plan_look(stage, frames), plan_shot(stage, frames, size, viewpoint)
        return Drawn(_encode(join(list(draw_frames(stage, frames, size, shot, look)))))


def _encode(image: object) -> bytes:
    from PIL import Image

    stream = io.BytesIO()
    Image.fromarray(image).save(stream, format="PNG")  # type: ignore[arg-type]
    return stream.getvalue()
