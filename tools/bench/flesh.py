"""Flesh on bones at the sizes of four published examples: the step and its parts, adaptive against all soft.

Times are CPU time of this thread, those of whole parts by the clock: collision; assembly of bones, flesh and rows;
the factors of the flesh that became soft or rigid (those of bones are part of the assembly); the Delassus operator; the
solve; and what is observed of the step after it.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from flesh_cases import Case, make_cases
from measuring import STRETCH, Result

import supple

SETTLING, STEPS, COMPARED = 150, 200, 150
PARTS = {
    "collision": ("collide.place", "collide.find"),
    "assembly": (
        "flesh.place",
        "flesh.wake",
        "skeleton.place",
        "skeleton.move",
        "rigid.move",
        "push.",
        "rows.assemble",
    ),
    "solve": ("rows.solve",),
    "advancing and observing": ("",),
}


class Stopwatch:
    """Adds up the CPU time of the calls of one function."""

    def __init__(self, function: Callable) -> None:
        self.function, self.spent = function, 0

    def __call__(self, *arguments) -> None:
        """As the function itself."""
        started = time.thread_time_ns()
        self.function(*arguments)
        self.spent += time.thread_time_ns() - started


def load(case: Case):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "flesh.toml"
        file.write_text(case.text, encoding="utf-8")
        return supple.load(file)


def find_flesh(world):
    return next(mechanism for mechanism in world.members("mechanisms") if mechanism.name == "flesh")


def count_freedoms(world) -> tuple[int, int]:
    """Degrees of freedom that are simulated in the present state, and all there are."""
    bodies = sum(
        mechanism.unit_count for mechanism in world.members("mechanisms") if mechanism.name == "rigid"
    )
    rates, active = len(world.array("skeleton.v")) + 6 * bodies, world.array("flesh.active")
    return rates + 3 * int(active.sum()), rates + 3 * len(active)


def time_steps(world, repeat: int) -> tuple[Result, dict[str, float]]:
    """The mean step and its parts [ms].

    It is timed in short stretches, and of each stretch the quickest repetition counts: what else the machine does then
    hardly shows. The median is that of whole repetitions.
    """
    mechanisms, active = world.members("mechanisms"), find_flesh(world).load.active
    for mechanism in mechanisms:
        mechanism.add_delassus = Stopwatch(mechanism.add_delassus)
    active.update = Stopwatch(active.update)
    watches = [active.update, *(mechanism.add_delassus for mechanism in mechanisms)]
    start, stretches, whole = world.snapshot(), STEPS // STRETCH, []
    best = np.full((stretches, 1 + len(watches) + len(world.schedule)), np.inf)
    for _ in range(repeat):
        world.restore(start)
        began = time.thread_time_ns()
        for stretch in range(stretches):
            world.timing.reset()
            for watch in watches:
                watch.spent = 0
            started = time.thread_time_ns()
            world.step(STRETCH)
            spent = time.thread_time_ns() - started
            row = [spent, *(watch.spent for watch in watches), *world.timing.nanoseconds[:-1]]
            best[stretch] = np.minimum(best[stretch], row)
        whole.append((time.thread_time_ns() - began) * 1e-6 / STEPS)
    mean, factor, *rest = best.sum(axis=0) * 1e-6 / STEPS
    parts = share_out(world, rest[len(mechanisms) :])
    parts["factor"], parts["Delassus"] = factor, sum(rest[: len(mechanisms)])
    parts["assembly"] -= parts["factor"] + parts["Delassus"]
    return Result("step", mean, statistics.median(whole), "ms"), parts


def share_out(world, spent: Sequence[float]) -> dict[str, float]:
    """What the systems of the schedule spent, divided among the parts."""
    parts = dict.fromkeys(PARTS, 0.0)
    for system, mine in zip(world.schedule, spent, strict=True):
        part = next(name for name, starts in PARTS.items() if system.name.startswith(starts))
        parts[part] += mine
    return parts


def time_change(world) -> float:
    """CPU time [ms] to follow a change of one active vertex on every patch that has any."""
    from supple_flesh.active import ActiveSet

    pool, mask = find_flesh(world).pool, np.array(world.array("flesh.active"))
    active = ActiveSet(pool, world.blueprint.run.step)
    other = mask.copy()
    for patch in set(pool.patch_of[mask != 0].tolist()):
        other[np.flatnonzero((pool.patch_of == patch) & (mask != 0))[0]] = 0
    active.update(mask)
    started = time.thread_time_ns()
    for _ in range(20):
        active.update(other)
        active.update(mask)
    return (time.thread_time_ns() - started) * 1e-6 / 40


def compare_motion(adaptive, soft) -> float:
    """Greatest distance between bones of the two worlds in COMPARED steps, over the farthest way of a bone [%]."""
    first, apart, way = np.array(adaptive.array("skeleton.x")), 0.0, 0.0
    for _ in range(COMPARED):
        adaptive.step()
        soft.step()
        mine, other = adaptive.array("skeleton.x"), soft.array("skeleton.x")
        apart = max(apart, float(np.linalg.norm(mine - other, axis=1).max()))
        way = max(way, float(np.linalg.norm(mine - first, axis=1).max()))
    return 100.0 * apart / way


def measure_case(case: Case, all_soft: Case, repeat: int) -> list[Result]:
    world, soft, results = load(case), load(all_soft), []

    def add(what: str, value: float, unit: str) -> None:
        results.append(Result(f"{case.name}: {what}", value, value, unit))

    add("motion against all soft", compare_motion(world, soft), "%")
    world.step(SETTLING - COMPARED)
    soft.step(SETTLING - COMPARED)
    counted = []
    for _ in range(STEPS):
        world.step()
        counted.append((*count_freedoms(world), world.array("rows.contacts")[0]))
    simulated, total, contacts = np.mean(counted, axis=0)
    add(f"simulated degrees of freedom, published {case.dof}", simulated, "1")
    add(f"contacts, published {case.contacts}", contacts, "1")
    add(f"all degrees of freedom, published {case.total}", total, "1")
    step, parts = time_steps(world, repeat)
    results.append(Result(f"{case.name}: step", step.minimum, step.median, "ms"))
    add(f"published step of {case.published:.0f} ms over it", case.published / step.median, "1")
    for name, spent in parts.items():
        add(name, spent, "ms")
    add("when the active set changes, besides", time_change(world), "ms")
    slow, slow_parts = time_steps(soft, max(1, repeat // 2))
    results.append(Result(f"{case.name}, all soft: step", slow.minimum, slow.median, "ms"))
    for name, spent in slow_parts.items():
        results.append(Result(f"{case.name}, all soft: {name}", spent, spent, "ms"))
    add("all soft over adaptive", slow.minimum / step.minimum, "1")
    return results


def measure(repeat: int) -> list[Result]:
    results = []
    for case, all_soft in zip(make_cases(), make_cases("soft"), strict=True):
        results += measure_case(case, all_soft, repeat)
    return results
