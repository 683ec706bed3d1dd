"""Feeds damaged files to supple, each in a process of its own: a seed a line comes in, a verdict a line goes out.

A verdict is JSON: {"seed", "end", "fault", "peak", "seconds"}. `end` is "fine", "refused", "stopped" or "lost"; `fault`
says what must not be; `peak` is the memory [MiB] and `seconds` the processor time that the case took. The seed "whole"
leaves the files as they are and runs in this process itself: it loads all that later cases need, which are forked from
it, so that none of them pays for imports and kernels, and each may die, hang or grow alone.
"""

from __future__ import annotations

import ctypes
import io
import json
import os
import random
import re
import resource
import select
import shutil
import signal
import sys
import time
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from attack_targets import OUTSIDE, ROOT, TARGETS, TASK, Target
from crafted import CRAFTS
from damage import damage_bytes, mutate_text, rename_files

STEPS = 3
MEMORY = 12 << 30
"""Address space [bytes] that a case may have; what is used of it is far less."""
LONGEST = 30
"""Processor time that a case may take [s]; that of the clock is no measure on a machine that others use."""
COMPILING = 300
"""The same if kernels have to be compiled, once [s]."""
STUCK = 600.0
"""After so long on the clock a case hangs, whatever it waits for [s]."""
TEXTS = (".obj", ".off", ".bvh", ".json", ".xml", ".urdf", ".toml", ".gltf", ".vtu", ".vtk", ".mesh")
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


def attack_scene(name: str, folder: Path, source: Source) -> tuple[str, str]:
    """A mutated scene is refused with its lines by `check` already, or runs; it may stop."""
    from supple.errors import PluginError, SimulationError, UserError
    from supple.plugin import load_plugins
    from supple.run.cli import shorten
    from supple.scene.load import build_world, read_scene

    original = ROOT / "scenes" / f"{name}.toml"
    place = folder / original.parent.name
    if not place.exists():
        shutil.copytree(original.parent, place)
    file = place / "mutated.toml"
    text = original.read_text(encoding="utf-8")
    file.write_text(text, encoding="utf-8")
    others = find_parts(original)
    for other in others:  # whole again, whatever the case before made of them
        shutil.copy(other, place)
    if source.harms:
        changed = place / source.choice(others).name if others and source.random() < 0.3 else file
        changed.write_text(mutate_text(changed.read_text(encoding="utf-8"), source), encoding="utf-8")
    plugins = load_plugins()
    passed = False
    try:
        scene = read_scene(file, plugins)
        problems = scene.check_files() or scene.check_builds()
        if problems:
            return "refused", judge_lines([shorten(str(each)) for each in problems], place)
        passed = True
        world = build_world(scene, scene.blueprint(), plugins)
        world.step(STEPS)
    except PluginError as error:
        return "refused", f"a fault of a plugin: {error}"
    except UserError as error:
        if passed:
            return "refused", f"only when it was run: {error}"
        return "refused", judge_lines([shorten(str(each)) for each in error.problems], place)
    except SimulationError:
        return "stopped", ""  # well-formed, and impossible: exit code 3, with time, system and entity
    return "fine", ""


def find_parts(scene: Path) -> list[Path]:
    """The files of TOML beside a scene that are no scenes and that it names: what it includes, gaits."""
    text = scene.read_text(encoding="utf-8")
    return [
        file
        for file in sorted(scene.parent.glob("*.toml"))
        if f'"{file.name}"' in text and "[run]" not in file.read_text(encoding="utf-8")
    ]


def list_scenes() -> list[str]:
    """Every scene there is."""
    home = ROOT / "scenes"
    files = (file for file in home.glob("*/*.toml") if "[run]" in file.read_text(encoding="utf-8"))
    return sorted(file.relative_to(home).with_suffix("").as_posix() for file in files)


def judge_lines(lines: list[str], folder: Path) -> str:
    """What is wrong with a refusal: every problem is one line that begins with file and line."""
    for line in lines:
        if "\n" in line or len(line) > 2000:
            return f"not one line: {line[:300]!r}"
        if not line.startswith(str(folder)) or not LINE.fullmatch(line):
            return f"no place: {line[:300]!r}"
    return "" if lines else "refused without a word"


def attack_by_command(folder: Path, line: str, lines: bool) -> tuple[str, str]:
    """Run a command on a damaged file: 0, 1 or 3, or 2 and at most a few lines with their places; nothing else."""
    from supple.run.cli import run_command

    words = [str(folder / word[1:]) if word.startswith("@") else word for word in line.split()]
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = open_task(Path(words[1])) if words[0] == TASK else run_command(words)
    said = err.getvalue()
    if "Traceback" in said or code not in (0, 1, 2, 3):
        return "refused", f"exit {code}: {said[-600:]}"
    if code == 2:
        told = [each for each in said.splitlines() if not each.startswith("warning: ")]
        if not 0 < len(told) <= 20:
            return "refused", f"{len(told)} lines: {said[:300]!r}"
        for each in told:
            if str(folder) not in each or len(each) > 2000:
                return "refused", f"no file, or no line: {each[:300]!r}"
            if lines and not LINE.fullmatch(each):
                return "refused", f"no place: {each[:300]!r}"
    return {2: "refused", 3: "stopped"}.get(code, "fine"), ""


def open_task(file: Path) -> int:
    """Make an environment of a task, and act in it once; problems and exit code are those of a command."""
    from supple.errors import SimulationError, UserError
    from supple.gym import SceneEnv

    try:
        env = SceneEnv(file)
        env.reset(seed=1)
        env.step(env.action_space.sample())
        env.close()
    except UserError as error:
        print(*error.problems, sep="\n", file=sys.stderr)
        return 2
    except SimulationError:
        return 3
    return 0


def damage(folder: Path, target: Target, source: Source) -> None:
    """Put a damaged copy of a file where the commands look for it."""
    whole, file = folder / target.whole, folder / target.damaged
    suffix = file.suffix
    if not source.harms:
        file.write_bytes(whole.read_bytes())
    elif suffix in CRAFTS and source.random() < 0.6:
        CRAFTS[suffix](whole, file, source)
    elif suffix in TEXTS and source.random() < 0.7:
        text = whole.read_text(encoding="utf-8", errors="replace")
        text = rename_files(text, source, OUTSIDE) if source.random() < 0.2 else mutate_text(text, source)
        file.write_text(text, encoding="utf-8")
    else:
        file.write_bytes(damage_bytes(whole.read_bytes(), source))


class Guard:
    """Sees whether anybody opens a file of a folder, also in code that is not Python's (Linux)."""

    def __init__(self, folder: Path) -> None:
        self._file = -1
        if sys.platform == "linux" and folder.is_dir():
            library = ctypes.CDLL(None, use_errno=True)
            self._file = library.inotify_init1(os.O_NONBLOCK)
            opened = 0x20
            library.inotify_add_watch(self._file, os.fsencode(folder), opened)

    def look(self) -> str:
        """The names of files that were opened since the last look."""
        if self._file < 0 or not select.select([self._file], [], [], 0)[0]:
            return ""
        events = os.read(self._file, 1 << 16)
        return " ".join(sorted({each.decode() for each in re.findall(rb"secret\.\w+", events)}))


def attack_files(kind: str, folder: Path, source: Source, guard: Guard) -> tuple[str, str]:
    """Damage a file of this kind, and give it to one of the commands that read it; all of them if it is whole."""
    if source.harms:
        target = source.choice(TARGETS[kind])
        damage(folder, target, source)
        guard.look()  # whoever crafts links may follow them
        return attack_by_command(folder, source.choice(target.commands), target.lines)
    for target in TARGETS[kind]:
        damage(folder, target, source)
        for line in target.commands:
            end, fault = attack_by_command(folder, line, target.lines)
            if fault or end != "fine":
                return end, f"{target.whole}, {line}: {fault}"
    return "fine", ""


def attack_case(kind: str, folder: Path, seed: str, guard: Guard) -> tuple[str, str]:
    """One case, in this process."""
    source = Source(kind, seed)
    try:
        if kind in TARGETS:
            return attack_files(kind, folder, source, guard)
        if source.harms:
            return attack_scene(source.choice(SCENES if kind == "scene" else list_scenes()), folder, source)
        for name in SCENES:
            end, fault = attack_scene(name, folder, source)
            if fault or end != "fine":
                return end, f"{name}: {fault}"
        return "fine", ""
    except Exception as error:  # whatever comes here was not meant
        return "broken", f"{type(error).__name__}: {error}"


def judge_case(kind: str, folder: Path, seed: str, guard: Guard) -> dict[str, Any]:
    """One case; one that takes too long may have had kernels to compile, which are there the next time."""
    verdict = fork_case(kind, folder, seed, guard, LONGEST)
    if verdict["seconds"] < LONGEST:
        return verdict
    fork_case(kind, folder, seed, guard, COMPILING)
    return fork_case(kind, folder, seed, guard, LONGEST)


def fork_case(kind: str, folder: Path, seed: str, guard: Guard, longest: int) -> dict[str, Any]:
    """One case in a copy of this process, which is watched from here; it has so much processor time [s]."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (longest, longest + 5))
        end, fault = attack_case(kind, folder, seed, guard)
        os.write(writer, json.dumps([end, fault[:4000]]).encode())
        os._exit(0)
    os.close(writer)
    began = time.monotonic()
    ready = select.select([reader], [], [], STUCK)[0]
    if not ready:
        os.kill(child, signal.SIGKILL)
    told = os.read(reader, 1 << 16) if ready else b""
    os.close(reader)
    _, status, used = os.wait4(child, 0)
    seconds = used.ru_utime + used.ru_stime
    code = os.waitstatus_to_exitcode(status)
    end, fault = json.loads(told) if told else ("lost", f"the process died with {code}")
    if seconds >= longest or not ready:
        fault = (
            f"took {seconds:.0f} s of the processor, {time.monotonic() - began:.0f} s of the clock; {fault}"
        )
    opened = guard.look()
    if opened:
        fault = f"opened {opened} outside the folder; {fault}"
    return {"seed": seed, "end": end, "fault": fault, "peak": used.ru_maxrss // 1024, "seconds": seconds}


def main(kind: str, folder: Path) -> None:
    """Answer every seed that comes in."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    guard = Guard(folder.parent / OUTSIDE)
    for line in sys.stdin:
        seed = line.strip()
        if seed == "whole":
            end, fault = attack_case(kind, folder, seed, guard)
            verdict = {"seed": seed, "end": end, "fault": fault, "peak": 0, "seconds": 0.0}
        else:
            verdict = judge_case(kind, folder, seed, guard)
        print(json.dumps(verdict), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
