"""setuptools as the build backend, with the scenes in the wheel (as supple/shipped_scenes) and everything in the sdist.

pyproject.toml names this module as the backend, and its two classes as the commands of setuptools.
"""

import shutil
from pathlib import Path

from setuptools.build_meta import *  # noqa: F403
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

LEFT_OUT = ("*.h5", ".*", "__pycache__")


class BuildWithScenes(build_py):
    """Copies scenes/ beside the modules. An editable install reads them where they are."""

    def run(self) -> None:
        """Build as usual, then copy."""
        super().run()
        if not getattr(self, "editable_mode", False):
            target = Path(self.build_lib) / "supple" / "shipped_scenes"
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree("scenes", target, ignore=shutil.ignore_patterns(*LEFT_OUT))


class WholeSource(sdist):
    """A source distribution from which everything can be built and tested."""

    def add_defaults(self) -> None:
        """Add what setuptools would leave out."""
        super().add_defaults()
        for folder in ("framework", "plugins", "scenes", "tests", "tools"):
            self.filelist.graft(folder)
        for name in ("CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md"):
            self.filelist.append(name)
        for pattern in ("*.py[cod]", "*.h5"):
            self.filelist.global_exclude(pattern)
