"""Puts the scenes into the wheel, as supple/shipped_scenes; all else is in pyproject.toml."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class BuildWithScenes(build_py):
    """Copies scenes/ beside the modules. An editable install reads them where they are."""

    def run(self) -> None:
        """Build as usual, then copy."""
        super().run()
        if not getattr(self, "editable_mode", False):
            target = Path(self.build_lib) / "supple" / "shipped_scenes"
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree("scenes", target, ignore=shutil.ignore_patterns("*.h5", ".*", "__pycache__"))


setup(cmdclass={"build_py": BuildWithScenes})
