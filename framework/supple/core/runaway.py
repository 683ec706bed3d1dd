"""Stopping a run that runs away, while its numbers still mean something."""

from __future__ import annotations

from collections.abc import Callable

from supple.core.arrays import NEXT
from supple.core.build import Build
from supple.errors import SimulationError


def bind_runaways(build: Build) -> list[Callable[[], None]]:
    """Functions that raise SimulationError where a mechanism is too fast, or a frame too far, after the step."""
    run = build.run
    fast, far = (
        ("moves at", "m/s or rad/s", run.fastest, "run.fastest"),
        ("is at", "m", run.farthest, "run.farthest"),
    )
    bounds = {each.v_next: fast for each in build.members("mechanisms")}
    for carrier in build.members("carriers"):
        name = str(carrier.position)
        if build.arrays.specs[name].kind == "state":
            bounds[name + NEXT] = far
    return [_bind_bound(build, name, *bound) for name, bound in sorted(bounds.items())]


def _bind_bound(
    build: Build, name: str, verb: str, unit: str, bound: float, setting: str
) -> Callable[[], None]:
    from supple.core.jit import bind_kernel  # numba takes a second to import
    from supple.core.state_kernels import find_beyond

    values, spec = build.arrays[name], build.arrays.spec(name)
    flat = values.reshape(-1)
    find = bind_kernel(find_beyond, flat, bound)

    def look() -> None:
        place = find()
        if place >= 0:
            row = place // max(1, flat.size // max(1, len(values)))
            entity = spec.labels[row] if row < len(spec.labels) else ""
            element = f"{name.removesuffix(NEXT)}[{row}]"
            size = f"{abs(flat[place]):.3g} {unit}"
            what = (
                f"{entity or element} {verb} {size}, beyond {setting} = {bound:g}: the run has run away; "
                "shorten run.step, or look at what drives it"
            )
            raise SimulationError(what, entity=entity, element=element)

    return look
