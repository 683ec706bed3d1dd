"""Mutated scenes: every one either runs or is refused with a place and a remedy; nothing else happens."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from supple.errors import PluginError, SimulationError, UserError
from supple.plugin import load_plugins
from supple.scene.load import build_world, read_scene

ROOT = Path(__file__).resolve().parents[2]
SEEDS_PER_SCENE = 170
STEPS = 3
VALUES = [
    "0", "-1", "1e9", "1e-12", "nan", "inf", '"word"', "true", "[1, 2]", "[]", "{}", "[1, 2, 3, 4]",
    "2026-01-01", "9" * 30,
]  # fmt: skip


def mutate(text: str, source: random.Random) -> str:
    """One to three changes of the kinds that authors make: typos, lost lines, wrong values, swapped lines."""
    for _ in range(source.randint(1, 3)):
        lines = text.splitlines()
        at = source.randrange(len(lines))
        kind = source.randrange(7)
        if kind == 0:
            del lines[at]
        elif kind == 1:
            lines.insert(at, lines[source.randrange(len(lines))])
        elif kind == 2:
            lines[at] = re.sub(r"-?\d+(\.\d+)?(e-?\d+)?", lambda _: source.choice(VALUES), lines[at], count=1)
        elif kind == 3:
            words = re.findall(r"[a-z_]{3,}", lines[at])
            if words:
                word = source.choice(words)
                lines[at] = lines[at].replace(word, word[1:] + word[0], 1)
        elif kind == 4 and lines[at]:
            place = source.randrange(len(lines[at]))
            lines[at] = lines[at][:place] + source.choice('[]{}=",.#\\ax0é\t') + lines[at][place + 1 :]
        elif kind == 5:
            lines[at] = re.sub(r"= .*", lambda _: f"= {source.choice(VALUES)}", lines[at], count=1)
        else:
            other = source.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]
        text = "\n".join(lines) + "\n"
    return text


@pytest.mark.parametrize("name", ["drop", "stack", "incline"])
def test_mutated_scenes_run_or_are_refused_with_a_place(name, tmp_path) -> None:
    plugins = load_plugins()
    original = (ROOT / f"scenes/first/{name}.toml").read_text(encoding="utf-8")
    file = tmp_path / f"{name}.toml"
    refused = 0
    for seed in range(SEEDS_PER_SCENE):
        text = mutate(original, random.Random(f"{name} {seed}"))
        file.write_text(text, encoding="utf-8")
        try:
            scene = read_scene(file, plugins)
            world = build_world(scene, scene.blueprint(), plugins)
            if len(world.build.graph) < 50:
                world.step(STEPS)
        except PluginError:
            raise
        except UserError as error:
            refused += 1
            for problem in error.problems:
                assert problem.where is not None, f"seed {seed}: {problem}"
                assert problem.where.source == str(file), f"seed {seed}: {problem}"
                assert problem.where.line is not None, f"seed {seed}: {problem}"
                assert "\n" not in str(problem), f"seed {seed}: {problem}"
        except SimulationError:
            pass  # well-formed, and impossible: exit code 3, with time, system and entity
    assert refused > SEEDS_PER_SCENE // 4, "the mutations are too gentle to test anything"
