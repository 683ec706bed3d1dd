"""The pictures of the README, made from the scenes themselves: `.venv/bin/python tools/gallery.py [NAME ...]`.

Without names all of them. `--check` draws them again, compares with the files, and says which differ; exit code 1
if one does. A new picture is a new row in ENTRIES and a line in the README.
"""

import argparse
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "framework" / "docs" / "gallery"
MOST_BYTES = 100_000
MOST_BYTES_OF_FILM = 1_500_000
#: Greatest mean difference of two pictures that count as equal, in steps of 1/255. Other processors round differently.
TOLERANCE = 0.5


@dataclass(frozen=True)
class Entry:
    """A picture: frames of a scene at some times [s], side by side. `camera` is azimuth and elevation [deg]."""

    name: str
    scene: str
    caption: str
    times: tuple[float, ...]
    size: tuple[int, int]
    variant: str = ""
    camera: tuple[float, float] | None = None
    hide: tuple[str, ...] = ()

    @property
    def file(self) -> Path:
        """Where it is kept."""
        return FOLDER / f"{self.name}.png"


ENTRIES = (
    Entry(
        "ragdoll", "scenes/mechanics/ragdoll.toml",
        "A ragdoll of 13 bones walks off a stair; arrows are contact forces", (0.0, 0.45, 0.7, 1.0, 4.0), (240, 270),
        camera=(20.0, 14.0),
    ),
    Entry(
        "arch", "scenes/mechanics/arch.toml",
        "An arch stands by friction alone, with 2 % more than statics asks for", (4.0,), (480, 330),
        variant="enough",
    ),
    Entry(
        "arch_falls", "scenes/mechanics/arch.toml",
        "The same arch with 2 % less", (1.5, 1.75, 4.0), (240, 240), variant="too_little", hide=("contacts",),
    ),
    Entry(
        "cards", "scenes/mechanics/cards.toml",
        "A house of cards with 0.2 % more friction than it needs", (4.0,), (360, 330), variant="enough",
    ),
    Entry("stack", "scenes/first/stack.toml", "Ten boxes, and nothing creeps", (10.0,), (300, 330)),
    Entry(
        "mesh", "scenes/mechanics/mesh.toml",
        "A table of triangles carries a load; one ball is told to ignore it", (0.15, 0.25, 0.34), (240, 240),
    ),
    Entry(
        "bumpy", "scenes/mechanics/bumpy.toml",
        "Things at rest on a random floor", (3.0,), (480, 330), camera=(24.0, 28.0),
    ),
    Entry("chain", "scenes/mechanics/chain.toml", "A chain on ball joints swings", (0.5,), (300, 330)),
    Entry("bridge", "scenes/mechanics/bridge.toml", "A hanging bridge of hinged planks", (12.0,), (480, 330)),
    Entry(
        "pinch", "scenes/soft_contacts/pinch_grasp.toml",
        "Soft fingers hold a pencil that is shoved; arrows are contact forces", (0.6, 0.9), (400, 330), variant="pulp",
    ),
    Entry(
        "elbow", "scenes/soft_contacts/elbow_bend.toml",
        "One skin over elbow, forearm and wrist", (0.1, 0.5, 1.2), (220, 260), variant="soft", camera=(60.0, 10.0),
    ),
    Entry(
        "grasp", "scenes/contact_skinning/grasp_rigid.toml",
        "A skinned hand grasps, lifts and shakes a tumbler", (0.0, 1.5, 2.5), (240, 270),
    ),
    Entry(
        "walk", "scenes/walking/walk_forward.toml",
        "A man walks on soft feet", (0.0, 0.15, 0.3, 0.45, 0.6), (150, 270), variant="soft", camera=(75.0, 8.0),
        hide=("labels",),
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Film:
    """A film of a scene from one time to another [s], in which the camera follows an entity; a GIF that repeats."""

    name: str
    scene: str
    caption: str
    span: tuple[float, float]
    size: tuple[int, int]
    follow: str
    variant: str = ""
    camera: tuple[float, float] | None = None
    hide: tuple[str, ...] = ()
    fps: int = 20

    @property
    def file(self) -> Path:
        """Where it is kept."""
        return FOLDER / f"{self.name}.gif"


# The fast trot takes 0.7 s for two steps: 2.8 s are four of them, so that the film repeats without a jerk.
FILMS = (
    Film(
        "trot", "scenes/soft_body_locomotion/trot_x.toml", "A boneless X trots by 112 muscle segments",
        (3.3, 6.1), (360, 240), "x", variant="fast", camera=(20.0, 14.0), hide=("labels", "contacts"),
    ),
)  # fmt: skip


def make_film(film):
    """Draw a film and write it. Returns what is wrong with it."""
    from supple.run.simulate import RunOptions
    from supple_picture.film import write_gif
    from supple_picture.look import plan_look
    from supple_picture.shot import Viewpoint, plan_shot
    from supple_picture.source import open_source
    from supple_picture.strip import draw_frames

    first, last = film.span
    options = RunOptions(ROOT / film.scene, variant=film.variant, until=last)
    with open_source(options, None) as stage:
        count = round((last - first) * film.fps)
        frames = [stage.frame_at(first + number / film.fps) for number in range(count)]
        look = plan_look(stage, frames, hidden=film.hide)
        shot = plan_shot(stage, frames, film.size, Viewpoint(angles=film.camera, follow=film.follow))

        def draw_some(numbers):
            return draw_frames(stage, [frames[number] for number in numbers], film.size, shot, look)

        write_gif(film.file, draw_some, count, film.fps)
    size = film.file.stat().st_size
    if size > MOST_BYTES_OF_FILM:
        return f"{film.file}: has {size} bytes; at most {MOST_BYTES_OF_FILM}, so make the size smaller"
    return ""


def draw(entry, display=None):
    """The picture of an entry, uint8 [h, w, 3]."""
    from supple.run.simulate import RunOptions
    from supple_picture.look import plan_look
    from supple_picture.shot import Viewpoint
    from supple_picture.source import open_source
    from supple_picture.strip import render_strip

    options = RunOptions(ROOT / entry.scene, variant=entry.variant, until=max(entry.times))
    with open_source(options, display) as stage:
        frames = [stage.frame_at(time) for time in entry.times]
        look = plan_look(stage, frames, hidden=entry.hide)
        return render_strip(stage, frames, entry.size, Viewpoint(angles=entry.camera), look)


def difference(one, other):
    """The mean difference of two pictures in steps of 1/255; infinite if their sizes differ."""
    if one.shape != other.shape:
        return float("inf")
    return float(abs(one.astype(int) - other.astype(int)).mean())


def check(entry, picture):
    """What is wrong with the kept file, in one line; empty if it is the same picture."""
    import numpy as np
    from PIL import Image

    if not entry.file.exists():
        return f"{entry.file}: is missing"
    with Image.open(entry.file) as image:
        off = difference(np.asarray(image.convert("RGB")), picture)
    return f"{entry.file}: differs by {off:.2f} of 255" if off > TOLERANCE else ""


def write(entry, picture):
    """Write the file, unless it holds the same picture already. Returns what is wrong with it."""
    from supple_picture.film import write_picture

    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        fresh = Path(folder) / "fresh.png"
        write_picture(fresh, picture)
        content = fresh.read_bytes()
    if len(content) > MOST_BYTES:
        return f"{entry.file}: has {len(content)} bytes; at most {MOST_BYTES}, so make the size smaller"
    entry.file.write_bytes(content)
    return ""


def main() -> int:
    """Draw the pictures that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="pictures to draw; all if none is given")
    parser.add_argument("--check", action="store_true", help="compare with the files instead of writing them")
    asked = parser.parse_args()
    known = {entry.name: entry for entry in (*ENTRIES, *FILMS)}
    for name in asked.names:
        if name not in known:
            print(f"no picture '{name}'; choose from: {', '.join(sorted(known))}", file=sys.stderr)
            return 2
    problems = []
    for entry in [known[name] for name in asked.names] or (*ENTRIES, *FILMS):
        print(f"{entry.name} ...", file=sys.stderr, flush=True)
        if isinstance(entry, Film):
            if not asked.check:  # colours of films are chosen by their frames: only pictures are compared
                problems.append(make_film(entry))
            continue
        picture = draw(entry)
        problems.append(check(entry, picture) if asked.check else write(entry, picture))
    for problem in filter(None, problems):
        print(problem)
    return 1 if any(problems) else 0


if __name__ == "__main__":
    sys.exit(main())
