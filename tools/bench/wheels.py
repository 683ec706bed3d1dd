"""A cart on four driven wheels: round ones, the prisms of 24 sides that stood for them, and MuJoCo's beside them."""

from __future__ import annotations

import importlib.util
import math
import tempfile
import time
from pathlib import Path

from measuring import STRETCH, Result, time_worlds

import supple
from supple.core.world import World

STEP, STEPS, SIDES = 0.002, 500, 24
RADIUS, WIDTH, SPEED = 0.1, 0.06, 5.0
PLACES = tuple((x, z) for x in (-0.3, 0.3) for z in (-0.22, 0.22))


def write_cart(wheel: str) -> str:
    """The scene of a cart whose wheels have this shape; the wheels' axles are their own y axes."""
    lines = [
        f'format = 1\nabout = "a cart"\n[run]\nstep = {STEP}\nduration = 2.0\n',
        '[[entity]]\nname = "floor"\nplane = { friction = 0.8 }\n',
        '[[entity]]\nname = "cart"\npose = { position = [0, 0.15, 0] }\n'
        "box = { size = [0.8, 0.1, 0.3] }\nbody = { mass = 8 }\n",
    ]
    for number, (x, z) in enumerate(PLACES):
        pose = f"pose = {{ position = [{x}, {RADIUS}, {z}], axis = [1, 0, 0], angle = 90 }}"
        lines += [
            f'[[entity]]\nname = "wheel{number}"\n{pose}\n{wheel}\nbody = {{ mass = 1 }}\n'
            'collides = { group = "wheels", ignores = ["cart"] }\n',
            f'[[entity]]\nname = "axle{number}"\n{pose}\n'
            f'joint = {{ kind = "hinge", between = ["wheel{number}", "cart"], axis = [0, 1, 0] }}\n'
            f"motor = {{ speed = {-SPEED}, strongest = 5 }}\n",
        ]
    return "\n".join(lines)


def write_prism() -> str:
    """The corners of the prism of equal radius."""
    around = [2 * math.pi * k / SIDES for k in range(SIDES)]
    corners = [
        [RADIUS * math.cos(a), side * WIDTH / 2, RADIUS * math.sin(a)] for side in (-1, 1) for a in around
    ]
    return f"convex = {{ points = {corners}, friction = 0.8 }}"


def make_world(wheel: str) -> World:
    """The cart, ready to be stepped."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "cart.toml"
        file.write_text(write_cart(wheel), encoding="utf-8")
        world = supple.load(file)
    world.step(300)
    return world


def write_mujoco() -> str:
    """The same in MuJoCo's format, which is z-up: its y axis is the axle of the wheels."""
    wheels = "".join(
        f'<body pos="{x} {z} {RADIUS - 0.15}"><joint name="axle{k}" axis="0 1 0"/>'
        f'<geom type="cylinder" size="{RADIUS} {WIDTH / 2}" quat="{math.sqrt(0.5)} {math.sqrt(0.5)} 0 0" mass="1" '
        'friction="0.8" contype="1" conaffinity="2"/></body>'
        for k, (x, z) in enumerate(PLACES)
    )
    drives = "".join(
        f'<velocity joint="axle{k}" kv="20" forcerange="-5 5" ctrlrange="-99 99"/>' for k in range(4)
    )
    return (
        f'<mujoco><option timestep="{STEP}" cone="elliptic"/><worldbody>'
        '<geom type="plane" size="9 9 1" friction="0.8" contype="2" conaffinity="1"/>'
        '<body pos="0 0 0.15"><freejoint/><geom type="box" size="0.4 0.15 0.05" mass="8" contype="0" conaffinity="0"/>'
        f"{wheels}</body></worldbody><actuator>{drives}</actuator></mujoco>"
    )


def time_mujoco(repeat: int) -> list[Result]:
    """A step of MuJoCo, the quickest of every stretch."""
    import mujoco

    model = mujoco.MjModel.from_xml_string(write_mujoco())
    data = mujoco.MjData(model)
    data.ctrl[:] = SPEED
    best, whole = [math.inf] * (STEPS // STRETCH), []
    for _ in range(repeat):
        mujoco.mj_resetData(model, data)
        data.ctrl[:] = SPEED
        mujoco.mj_step(model, data, 300)
        began = time.thread_time_ns()
        for stretch in range(STEPS // STRETCH):
            started = time.thread_time_ns()
            mujoco.mj_step(model, data, STRETCH)
            best[stretch] = min(best[stretch], time.thread_time_ns() - started)
        whole.append((time.thread_time_ns() - began) * 1e-3 / STEPS)
    speed = float(data.qvel[0])
    middle = sorted(whole)[len(whole) // 2]
    return [
        Result("MuJoCo, round wheels: step", sum(best) * 1e-3 / STEPS, middle, "us"),
        Result("MuJoCo, round wheels: speed", speed, speed, "m/s"),
    ]


def measure(repeat: int) -> list[Result]:
    """The step of every cart, and how fast it drives then: a wheel that rolls drives at radius times turn rate."""
    shapes = {
        "round wheels": f"cylinder = {{ radius = {RADIUS}, length = {WIDTH}, friction = 0.8 }}",
        f"prisms of {SIDES}": write_prism(),
    }
    worlds = {name: make_world(wheel) for name, wheel in shapes.items()}
    results = [
        each for each in time_worlds(worlds, steps=STEPS, repeat=repeat) if each.name.endswith(": step")
    ]
    for name, world in worlds.items():
        speed = float(world["cart"].velocity[0])
        residual = world.metrics()["run.residual_worst"]
        results += [
            Result(f"{name}: speed", speed, speed, "m/s"), Result(f"{name}: residual", residual, residual, "m/s")
        ]  # fmt: skip
    if importlib.util.find_spec("mujoco") is not None:
        results += time_mujoco(repeat)
    return results
