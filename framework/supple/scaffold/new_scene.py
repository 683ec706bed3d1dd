"""A new scene: a small one of its own, or a copy of one that came with supple, with all files that it names."""

from __future__ import annotations

import re
from pathlib import Path

from supple.errors import Problem, UserError, suggest

HERE = Path(__file__).resolve()
#: In a wheel the scenes lie beside the modules; in a copy of the repository, beside the framework.
HOMES = (HERE.parents[1] / "shipped_scenes", HERE.parents[3] / "scenes")
_QUOTED = re.compile(r"""["']([^"'\n]{1,200})["']""")
_TEXTS = (".toml", ".xml", ".urdf", ".mjcf")

FIRST = """# A first scene of your own: supple run {file}
format = 1
about = "A box slides to a stop."

[run]
step = 0.004            # s
duration = 2.0

[[entity]]
name = "floor"
plane = {{ friction = 0.3 }}

[[entity]]
name = "box"
pose = {{ position = [0, 0.1, 0] }}
box = {{ size = [0.6, 0.2, 0.4] }}
body = {{ velocity = [1.5, 0, 0] }}

[[expect]]
metric = "box.travel"
equals = 0.382
tolerance = 0.005
because = "v^2 / (2 mu g)"
"""


def find_scenes() -> Path:
    """The folder of the scenes that came with supple."""
    for home in HOMES:
        if (home / "first").is_dir():
            return home
    what = "the scenes that come with supple are not installed"
    raise UserError(Problem(None, "--like", what, "install supple from its wheel or its repository"))


def list_scenes() -> list[str]:
    """Their names, such as first/drop."""
    home = find_scenes()
    scenes = [file for file in home.rglob("*.toml") if "[run]" in file.read_text(encoding="utf-8")]
    return sorted(file.relative_to(home).with_suffix("").as_posix() for file in scenes)


def write_scene(name: str, folder: Path, like: str = "") -> list[Path]:
    """Write NAME.toml into a folder, and beside it the files that it names. Returns them. Overwrites nothing."""
    target = folder / (name if name.endswith(".toml") else f"{name}.toml")
    if not like:
        copies = {target: FIRST.format(file=target.name).encode()}
    else:
        known = list_scenes()
        like = like.removesuffix(".toml")
        if like not in known:
            raise UserError(Problem(None, "--like", f"no scene '{like}'", suggest(like, known, "there are")))
        source = find_scenes() / f"{like}.toml"
        files = _list_named(source)
        copies = {
            folder / file.relative_to(source.parent): file.read_bytes() for file in files if file != source
        }
        copies[target] = source.read_bytes()
    for path in copies:
        if path.exists():
            raise UserError(Problem(None, str(path), "is there already", "give another name or --folder"))
    try:
        for path, content in copies.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    except OSError as error:
        what = f"cannot be written: {error.strerror or error}"
        raise UserError(Problem(None, str(target), what, "give a folder that you may write to")) from error
    return sorted(copies)


def _list_named(scene: Path) -> list[Path]:
    """The scene, and files beside it that it or one of them names in quotes."""
    found = [scene]
    for file in found:
        if file.suffix not in _TEXTS:
            continue
        for word in _QUOTED.findall(file.read_text(encoding="utf-8")):
            named = scene.parent / word
            inside = named.resolve().is_relative_to(scene.parent.resolve())
            if inside and named.is_file() and named not in found:
                found.append(named)
    return found
