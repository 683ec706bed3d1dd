"""What a result was made with."""

from __future__ import annotations

import platform
from typing import Any

import supple
from supple.plugin import Plugins


def list_versions(plugins: Plugins) -> dict[str, Any]:
    """The versions that can change a result: of supple, Python, numpy, numba and every plugin."""
    import numba
    import numpy

    return {
        "supple": supple.__version__,
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "numba": numba.__version__,
        "platform": f"{platform.system()}-{platform.machine()}",
        "plugins": {info.name: info.version for info in plugins.infos()},
    }
