"""supple: a modular entity-component simulation framework for characters that are soft.

    import supple
    world = supple.load("scenes/first/drop.toml")
    world.step(100)
    print(world["ball"].position)

Names are imported when first used, so that `import supple` costs next to nothing.
"""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from supple.core.component import Metric as Metric
    from supple.core.component import Vector as Vector
    from supple.core.component import component as component
    from supple.core.component import field as field
    from supple.core.schedule import Each as Each
    from supple.core.schedule import Phase as Phase
    from supple.core.schedule import System as System
    from supple.core.world import World as World
    from supple.plugin import hookimpl as hookimpl
    from supple.run.record import record as record
    from supple.run.recorded_commands import replay as replay
    from supple.run.rollouts import rollouts as rollouts
    from supple.scene.load import load as load

__version__ = "0.1.0"

# The matrices of a step are small: with more threads BLAS spends its time waiting, ten times as much as computing.
# It reads these when numpy is imported; whoever sets them keeps his choice.
for _name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
    os.environ.setdefault(_name, "1")

_HOMES = {
    "Each": "supple.core.schedule",
    "Metric": "supple.core.component",
    "Phase": "supple.core.schedule",
    "System": "supple.core.schedule",
    "Vector": "supple.core.component",
    "World": "supple.core.world",
    "component": "supple.core.component",
    "field": "supple.core.component",
    "hookimpl": "supple.plugin",
    "load": "supple.scene.load",
    "record": "supple.run.record",
    "replay": "supple.run.recorded_commands",
    "rollouts": "supple.run.rollouts",
}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'supple' has no attribute '{name}'")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
