"""Which joint of a clip moves which bone, and a map to begin with for those of which nobody can tell."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Mapping

from supple.core.build import Build
from supple.core.entity import Entity
from supple.errors import Problem, UserError, Where, suggest
from supple_motion.bones import Bones
from supple_motion.clips import AnyClip
from supple_motion.components import Motion
from supple_motion.usual_names import find_usual

ALIKE = 0.75
"""How much of two names must agree to be proposed, as a ratio of `difflib`."""
LEFT_OUT = ""


def pair_joints(
    build: Build, entity: Entity, bones: Bones, clip: AnyClip, motion: Motion, path: str
) -> dict[int, int]:
    """The joint of the clip for every bone that has one: by the map of the motion, else by the bone's own name.

    `path` is where the motion is written.
    """
    rows = bones.below(entity.path)
    names = [joint.name for joint in clip.joints]
    pairs: dict[int, int] = {}
    told = dict(motion.map)
    if motion.usual_names:
        usual = find_usual(names, list(rows))
        if not any(usual.values()):
            what = "no joint of the file has a usual name of a bone that is here"
            raise build.refuse(f"{path}.usual_names", what, "say which is which in map")
        told = {**usual, **told}
    for name, bone in told.items():
        if name not in names:
            raise build.refuse(
                f"{path}.map", f"the file has no joint '{name}'", suggest(name, names, "it has")
            )
        if bone and bone not in rows:
            raise build.refuse(f"{path}.map", f"no bone '{bone}'", suggest(bone, rows, "the bones are"))
        if bone:
            _pair(build, path, pairs, rows[bone], bone, names.index(name), names)
    unclear = []
    for joint, name in enumerate(names):
        alike = [bone for bone in rows if bone.rpartition("/")[2] == name]
        if name in told:
            continue
        if len(alike) != 1:
            unclear.append(joint)
        elif bones.joint(rows[alike[0]]) != "fixed":
            _pair(build, path, pairs, rows[alike[0]], alike[0], joint, names)
    if unclear:
        raise _refuse_unclear(clip, unclear, f"{path}.file", list(rows), told)
    if not pairs:
        remedy = f"say which is which in map; {suggest('', names, 'the file has')}"
        raise build.refuse(f"{path}.file", "no joint of the file is called like a bone", remedy)
    return pairs


def _pair(
    build: Build, path: str, pairs: dict[int, int], row: int, bone: str, joint: int, names: list[str]
) -> None:
    if row in pairs:
        what = f"both '{names[pairs[row]]}' and '{names[joint]}' move {bone}"
        raise build.refuse(f"{path}.map", what, f"leave one out: map = {{ \"{names[joint]}\" = '' }}")
    pairs[row] = joint


def _refuse_unclear(
    clip: AnyClip, unclear: list[int], path: str, bones: list[str], known: Mapping[str, str]
) -> UserError:
    """A joint that was forgotten looks like a bone that does not move; so it must be left out on purpose."""
    names = [clip.joints[joint].name for joint in unclear]
    first = clip.joints[unclear[0]]
    if len(names) == 1:
        what = f"joint '{names[0]}' is called like no bone, or like several"
        remedy = "map it to a bone, or leave it out"
    else:
        what = f"{len(names)} joints are called like no bone, or like several: {', '.join(names)}"
        remedy = "map them to bones, or leave them out"
    guessed = guess_bones(clip, unclear, bones, known)
    entries = ", ".join(f"{json.dumps(name)} = {json.dumps(bone)}" for name, bone in guessed.items())
    choice = suggest("", bones, "the bones are")
    return UserError(
        Problem(
            Where(clip.source, first.line or None),
            path,
            what,
            f"{remedy}, say map = {{ {entries} }}; {choice}",
        )
    )


def guess_bones(
    clip: AnyClip, unclear: list[int], bones: list[str], known: Mapping[str, str]
) -> dict[str, str]:
    """A bone for every unclear joint, by names that are nearly alike and by what its parents move; else LEFT_OUT."""
    guessed = dict(known)
    free = [bone for bone in bones if bone not in known.values()]
    for joint in unclear:
        name = clip.joints[joint].name
        above = clip.joints[joint].parent
        while above >= 0 and not guessed.get(clip.joints[above].name):
            above = clip.joints[above].parent
        stem = guessed[clip.joints[above].name] + "/" if above >= 0 else ""
        plain = _simplify(name)
        # Below what its parent moves first: elbows of both arms are called alike.
        found = _nearest(plain, [bone for bone in free if bone.startswith(stem)]) or _nearest(plain, free)
        guessed[name] = found
        if found:
            free.remove(found)
    return {clip.joints[joint].name: guessed[clip.joints[joint].name] for joint in unclear}


def _nearest(plain: str, bones: list[str]) -> str:
    """The bone whose name, or name with its parents', is most like this one; empty if none is."""
    best, found = ALIKE, LEFT_OUT
    for bone in bones:
        parts = bone.split("/")
        for spelling in ("".join(parts[-2:]), parts[-1]):
            ratio = difflib.SequenceMatcher(None, plain, _simplify(spelling)).ratio()
            if ratio > best:
                best, found = ratio, bone
    return found


def _simplify(name: str) -> str:
    """A name without prefix (`mixamorig:`), case and signs."""
    return re.sub(r"[^a-z0-9]", "", name.rpartition(":")[2].lower())
