"""Feeds damaged files to supple in a process of its own: one seed a line comes in, one verdict a line goes out.

A verdict is JSON: {"seed", "end", "fault", "peak"}. `end` is "fine", "refused" or "stopped"; `fault` says what must not
be; `peak` is the memory ever used [MiB]. The seed "whole" leaves the files as they are.
"""

from __future__ import annotations

import io
import json
import random
import re
import resource
import shutil
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from crafted import craft_h5, craft_json, craft_npz
from damage import damage_bytes, mutate_text

ROOT = Path(__file__).resolve().parents[1]
STEPS = 3
MEMORY = 12 << 30
"""Address space [bytes] that a worker may have; what is used of it is far less."""
LINE = re.compile(r".*:\d+: .+")

SCENES = (
    "first/drop", "first/stack", "first/incline", "mechanics/clamp", "mechanics/mesh", "mechanics/chain",
    "mechanics/double_pendulum", "mechanics/gate", "mechanics/spring", "phases/hopper", "pliant_motion/three_boxes",
    "pliant_motion/implicit_pd", "soft_contacts/box_drop", "soft_contacts/coupled", "contact_skinning/slip",
    "soft_body_locomotion/free_bar", "soft_body_locomotion/muscle_types", "tracking/sway", "verification/cradle",
    "verification/hanging_weight", "verification/servo", "walking/walk_2d", "characters/arm_desk",
    "dynamic_manipulation/reach", "dynamic_manipulation/lift", "soft_body_locomotion/crawl_i", "walking/walk_in_place",
)  # fmt: skip


class Source(random.Random):
    """What a seed makes of files; `harms` is False for the seed that leaves them whole."""

    def __init__(self, kind: str, seed: str) -> None:
        super().__init__(f"{kind} {seed}")
        self.harms = seed != "whole"


def attack_scene(folder: Path, source: Source) -> tuple[str, str]:
    """A mutated scene is refused with its lines by `check` already, or runs; it may stop."""
    from supple.errors import PluginError, SimulationError, UserError
    from supple.plugin import load_plugins
    from supple.scene.load import build_world, read_scene

    name = source.choice(SCENES)
    original = ROOT / "scenes" / f"{name}.toml"
    place = folder / original.parent.name
    if not place.exists():
        shutil.copytree(original.parent, place)
    file = place / "mutated.toml"
    text = original.read_text(encoding="utf-8")
    file.write_text(mutate_text(text, source) if source.harms else text, encoding="utf-8")
    plugins = load_plugins()
    passed = False
    try:
        scene = read_scene(file, plugins)
        problems = scene.check_files() or scene.check_builds()
        if problems:
            return "refused", judge_lines([str(each) for each in problems], place)
        passed = True
        world = build_world(scene, scene.blueprint(), plugins)
        world.step(STEPS)
    except PluginError as error:
        return "refused", f"a fault of a plugin: {error}"
    except UserError as error:
        if passed:
            return "refused", f"only when it was run: {error}"
        return "refused", judge_lines([str(each) for each in error.problems], place)
    except SimulationError:
        return "stopped", ""  # well-formed, and impossible: exit code 3, with time, system and entity
    return "fine", ""


def judge_lines(lines: list[str], folder: Path) -> str:
    """What is wrong with a refusal: every problem is one line that begins with file and line."""
    for line in lines:
        if "\n" in line or len(line) > 2000:
            return f"not one line: {line[:300]!r}"
        if not line.startswith(str(folder)) or not LINE.fullmatch(line):
            return f"no place: {line[:300]!r}"
    return "" if lines else "refused without a word"


def attack_by_command(*words: str) -> tuple[str, str]:
    """Run a command on a damaged file: 0, 1 or 3, or 2 and at most a few lines; nothing else."""
    from supple.run.cli import run_command

    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = run_command(list(words))
    said = err.getvalue()
    if "Traceback" in said or code not in (0, 1, 2, 3):
        return "refused", f"exit {code}: {said[-600:]}"
    if code == 2 and not 0 < len(said.splitlines()) <= 20:
        return "refused", f"{len(said.splitlines())} lines: {said[:300]!r}"
    return {2: "refused", 3: "stopped"}.get(code, "fine"), ""


def damage(folder: Path, name: str, source: Source) -> Path:
    """A damaged copy of the file that was made for this kind of attack."""
    whole = (folder / name).read_bytes()
    file = folder / f"damaged{Path(name).suffix}"
    craft = {".npz": craft_npz, ".h5": craft_h5, ".json": craft_json}.get(Path(name).suffix)
    text = Path(name).suffix in (".obj", ".bvh", ".json")
    if not source.harms:
        file.write_bytes(whole)
    elif craft and source.random() < 0.6:
        craft(folder / name, file, source)
    elif text and source.random() < 0.5:
        file.write_text(mutate_text(whole.decode(), source))
    else:
        file.write_bytes(damage_bytes(whole, source))
    return file


def attack_checkpoint(folder: Path, source: Source) -> tuple[str, str]:
    """Resume from a damaged checkpoint."""
    scene = folder / "drop.toml"
    return attack_by_command(
        "run", str(scene), "--quiet", "--until", "0.1", "--resume", str(damage(folder, "whole.npz", source))
    )


def attack_recording(folder: Path, source: Source) -> tuple[str, str]:
    """Ask what is in a damaged recording, and write it as something else."""
    file = damage(folder, "whole.h5", source)
    told = attack_by_command("info", str(file))
    if told[1] or source.random() < 0.5:
        return told
    return attack_by_command("export", str(file), "-o", str(folder / "out.glb"))


def attack_mesh(folder: Path, source: Source) -> tuple[str, str]:
    """Check a scene whose mesh is damaged."""
    suffix = source.choice(("obj", "stl"))
    damage(folder, f"whole.{suffix}", source)
    return attack_by_command("check", str(folder / f"mesh_{suffix}.toml"))


def attack_motion(folder: Path, source: Source) -> tuple[str, str]:
    """Check a scene whose motion file is damaged."""
    damage(folder, "whole.bvh", source)
    return attack_by_command("check", str(folder / "motion.toml"))


def attack_results(folder: Path, source: Source) -> tuple[str, str]:
    """Make a page of damaged results."""
    file = damage(folder, "whole.json", source)
    return attack_by_command("report", str(file), "-o", str(folder / "page"), "--overwrite")


ATTACKS: dict[str, Callable[[Path, Source], tuple[str, str]]] = {
    "scene": attack_scene,
    "checkpoint": attack_checkpoint,
    "recording": attack_recording,
    "mesh": attack_mesh,
    "motion": attack_motion,
    "results": attack_results,
}


def main(kind: str, folder: Path) -> None:
    """Answer every seed that comes in."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    for line in sys.stdin:
        seed = line.strip()
        try:
            end, fault = ATTACKS[kind](folder, Source(kind, seed))
        except Exception as error:  # whatever comes here was not meant
            end, fault = "broken", f"{type(error).__name__}: {error}"
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(json.dumps({"seed": seed, "end": end, "fault": fault, "peak": peak}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
