"""Scenes with random skeletons, as text."""

from __future__ import annotations

import numpy as np

HEAD = """format = 1
[run]
step = {step}
duration = 10.0
gravity = {gravity}
[run.skeleton]
corrections = {corrections}
implicitness = {implicitness}
"""
JOINTS = ("ball", "hinge", "universal", "slider", "translation")


def head(step: float, gravity: str = "[0, -9.81, 0]", corrections: int = 0, implicitness: float = 0.5) -> str:
    """The run's tables."""
    return HEAD.format(step=step, gravity=gravity, corrections=corrections, implicitness=implicitness)


def numbers(values) -> str:
    return "[" + ", ".join(f"{float(value):.12g}" for value in values) + "]"


def sample_bones(rng: np.random.Generator, joints: list[str], speed: float = 1.0) -> tuple[str, list[str]]:
    """The bones of a random tree below `arm` as text, and their paths below it."""
    paths: list[str] = []
    text = ""
    for number, joint in enumerate(joints):
        above = "" if number == 0 else f"{paths[rng.integers(max(0, number - 2), number)]}/"
        paths.append(f"{above}b{number}")
        moments = rng.uniform(0.01, 0.05, 3)
        rates = {"ball": 3, "universal": 2, "translation": 3, "free": 6}.get(joint, 1)
        start = {"ball": 4, "universal": 2, "translation": 3}.get(joint, 1)
        angles = 30.0 if joint in ("hinge", "universal") else 0.3
        text += f"""
[[entity]]
name = "arm/{paths[-1]}"
pose = {{ position = {numbers(0.3 * rng.normal(size=3))}, axis = {numbers(rng.normal(size=3))}, angle = 50 }}
[entity.bone]
joint = "{joint}"
axis = {numbers(rng.normal(size=3))}
second_axis = {numbers(rng.normal(size=3))}
{"" if joint == "free" else f"start = {numbers(angles * rng.normal(size=start))}"}
rate = {numbers(speed * rng.normal(size=rates))}
mass = {rng.uniform(0.5, 2.0):.12g}
centre = {numbers(0.1 * rng.normal(size=3))}
inertia = {numbers(moments.sum() - moments)}
"""
    return text, paths


def sample_key(rng: np.random.Generator, joints: list[str], paths: list[str], at: float) -> str:
    """A key that names every joint that is driven."""
    poses = []
    for joint, path in zip(joints, paths, strict=True):
        if joint == "ball":
            value = numbers(rng.normal(size=4))
        elif joint in ("universal", "translation"):
            scale = 40.0 if joint == "universal" else 0.2
            value = numbers(scale * rng.normal(size=2 if joint == "universal" else 3))
        elif joint in ("hinge", "slider"):
            value = f"{(40.0 if joint == 'hinge' else 0.2) * rng.normal():.12g}"
        else:
            continue
        poses.append(f'"{path}" = {value}')
    return f"{{ at = {at}, pose = {{ {', '.join(poses)} }} }}"
