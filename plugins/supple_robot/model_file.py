"""Reading MJCF and URDF through MuJoCo, whose parser knows both. Every complaint is one line."""

from __future__ import annotations

import re
import warnings
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from supple.core.scene_files import SceneFiles
from supple.errors import Problem, UserError, Where
from supple_robot.library import import_mujoco
from supple_robot.source_files import find_sources

#: What is taken over from a compiled model; an infinite size in the file makes infinite inertias.
_NUMBERS = (
    "body_mass", "body_inertia", "body_pos", "body_quat", "body_ipos", "body_iquat", "geom_size", "geom_pos",
    "geom_quat", "jnt_pos", "jnt_axis", "qpos0",
)  # fmt: skip
#: What laws of actuators are multiplied from. Nothing greater is meant, and products of it are no numbers any more.
_FACTORS, _GREATEST = ("actuator_gear", "actuator_gainprm", "actuator_biasprm"), 1e30
_LINE = re.compile(r",?\s*line (\d+)")


def read_model(name: str, base: str, path: str, files: SceneFiles) -> Any:
    """The compiled model of the file; `path` is that of the component that names it."""
    sources = find_sources(name, f"{path}.file", files)
    stamps = tuple((file, *_stamp(file)) for file in sources)
    return _read(sources[0], base, path, stamps)


def _stamp(file: Path) -> tuple[int, int]:
    stat = file.stat()
    return stat.st_mtime_ns, stat.st_size


@lru_cache(maxsize=8)
def _read(file: Path, base: str, path: str, _stamps: tuple[Any, ...]) -> Any:
    try:
        mujoco = import_mujoco()
    except ImportError:
        what = "robots are read by MuJoCo, which is not installed"
        raise UserError(Problem(None, f"{path}.file", what, "pip install 'supple[import]'")) from None
    try:
        # What MuJoCo only warns of, its own simulation would suffer from; supple checks what it takes over.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            spec = mujoco.MjSpec.from_file(str(file))
            _strip(spec)
            _set_base(mujoco, spec, base, path)
            model = spec.compile()
    except UserError:
        raise
    except (ValueError, RuntimeError, TypeError, KeyError) as error:
        raise _complain(file, f"{path}.file", str(error)) from None
    for name in _NUMBERS:
        if not np.isfinite(getattr(model, name)).all():
            raise _complain(file, f"{path}.file", f"{name} has a number that is not finite")
    for name in _FACTORS:
        if not (np.abs(getattr(model, name)) <= _GREATEST).all():
            raise _complain(
                file, f"{path}.file", f"{name} has a number greater than any quantity ({_GREATEST:g})"
            )
    return model


def _strip(spec: Any) -> None:
    """Leave out what only looks; links stay apart that a fixed joint holds together."""
    spec.compiler.fusestatic = False
    for geom in spec.geoms:
        geom.material = ""
    for group in (spec.skins, spec.materials, spec.textures):
        for each in list(group):
            spec.delete(each)


def _set_base(mujoco: Any, spec: Any, base: str, path: str) -> None:
    if base == "as_written":
        return
    roots = list(spec.worldbody.bodies)
    for root in roots:
        if base == "fixed":
            for joint in [each for each in root.joints if each.type == mujoco.mjtJoint.mjJNT_FREE]:
                spec.delete(joint)
        elif not list(root.joints) and (len(roots) == 1 or _moves_within(root)):
            root.add_freejoint()
        elif base == "free" and list(root.joints) and root.joints[0].type != mujoco.mjtJoint.mjJNT_FREE:
            what = f"the root {root.name} has joints of its own, so it cannot move freely besides"
            raise UserError(
                Problem(None, f"{path}.base", what, "put it below a body without joints in the file")
            )


def _moves_within(body: Any) -> bool:
    """Whether a joint lies below a body; one without is furniture."""
    return any(list(child.joints) or _moves_within(child) for child in body.bodies)


def _complain(file: Path, path: str, text: str) -> UserError:
    """MuJoCo's own words in one line, with the line of the file that they name."""
    said = " ".join(text.split())
    line = _LINE.search(said)
    what = _LINE.sub("", said).removeprefix("Error: ").removeprefix("XML Error: ").strip(" .")
    where = Where(str(file), int(line[1]) if line else None)
    return UserError(Problem(where, path, f"is no robot: {what}", "mend the file"))
