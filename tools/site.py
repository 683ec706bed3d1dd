"""The static site of supple from its Markdown: `python tools/site.py [-o FOLDER]`; needs the extra `docs`.

Guides, reference, plugin READMEs, gallery and API are copied as they are into one tree, links that lead to folders are led to
pages, and Sphinx builds it with MyST. Any warning is an error: so a link that leads nowhere is found.
"""

import argparse
import inspect
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: What is copied: Markdown, pictures, and files that pages link to.
COPIED = ("*.md", "*.png", "*.gif", "*.toml", "*.xml", "*.ipynb", "LICENSE", "*.cff")
SOURCES = ("framework", "plugins", "scenes", "tools")
_LINK = re.compile(r"(\]\()([^)#:\s]+)((?:#[^)]*)?\))")

CONF = """
project = "supple"
copyright = "the authors of supple"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
root_doc = "index"
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
suppress_warnings = ["myst.header", "misc.highlighting_failure"]
html_theme = "alabaster"
html_title = "supple"
html_theme_options = {"page_width": "1100px", "fixed_sidebar": True}
exclude_patterns = ["**/template/**"]
"""


def build(output: Path) -> int:
    """Build into a folder; the exit code of Sphinx."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "source"
        copy_sources(source)
        (source / "conf.py").write_text(CONF, encoding="utf-8")
        (source / "api.md").write_text(write_api(), encoding="utf-8")
        (source / "index.md").write_text(write_index(source), encoding="utf-8")
        for page in source.rglob("*.md"):
            page.write_text(mend_links(page, source), encoding="utf-8")
        words = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", str(source), str(output)]
        return subprocess.run(words, check=False).returncode


def copy_sources(target: Path) -> None:
    """All pages and what they show, in the layout of the repository."""
    target.mkdir(parents=True)
    for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE"):
        if (ROOT / name).is_file():
            shutil.copy(ROOT / name, target / name)
    for source in SOURCES:
        for pattern in COPIED:
            for file in (ROOT / source).rglob(pattern):
                if not {"template", "__pycache__", "node_modules"} & set(file.parts):
                    place = target / file.relative_to(ROOT)
                    place.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(file, place)


def mend_links(page: Path, source: Path) -> str:
    """Links to folders lead to a page of theirs; what is not part of the site is named and not linked."""

    def mend(match: re.Match[str]) -> str:
        target = (page.parent / match[2]).resolve()
        if target.is_file():
            return match[0]
        for candidate in (target / "README.md", source / "index.md"):
            known = (ROOT / target.relative_to(source.resolve())).is_dir() if target.is_relative_to(source.resolve()) else False
            if candidate.is_file() and (candidate.name == "README.md" or known):
                return f"{match[1]}{relative(candidate, page.parent)}{match[3]}"
        missing = target.is_relative_to(source.resolve()) and (ROOT / target.relative_to(source.resolve())).exists()
        return f"{match[1]}{relative(source / 'index.md', page.parent)})" if missing else match[0]

    return _LINK.sub(mend, page.read_text(encoding="utf-8"))


def relative(target: Path, start: Path) -> str:
    """A link from a folder to a file."""
    import os

    return Path(os.path.relpath(target.resolve(), start.resolve())).as_posix()


def write_index(source: Path) -> str:
    """The front page with the tree of all others."""
    guides = ["framework/docs/index", *sorted(page_of(f, source) for f in (source / "framework/docs").glob("*.md"))]
    groups = {
        "Guides": list(dict.fromkeys(guides)),
        "Reference": [page_of(f, source) for f in sorted((source / "framework/docs/reference").glob("*.md"))] + ["api"],
        "Plugins": [page_of(f, source) for f in sorted((source / "plugins").rglob("README.md"))],
        "Project": [
            page_of(f, source)
            for f in sorted([*source.glob("*.md"), *(source / "framework").glob("*.md"), *(source / "tools").rglob("*.md")])
            if f.name not in ("index.md", "api.md")
        ],
    }
    rest = {page_of(f, source) for f in source.rglob("*.md")} - {"index"} - {p for g in groups.values() for p in g}
    if rest:
        groups["More"] = sorted(rest)
    text = "# supple\n\nCharacters that are soft, and what they touch. Begin with [your first scene](framework/docs/first_scene.md).\n"
    for title, pages in groups.items():
        text += f"\n```{{toctree}}\n:caption: {title}\n:maxdepth: 1\n\n" + "\n".join(pages) + "\n```\n"
    return text


def page_of(file: Path, source: Path) -> str:
    """How a table of contents calls a page."""
    return file.relative_to(source).with_suffix("").as_posix()


def write_api() -> str:
    """What `import supple` offers, from its docstrings."""
    import supple
    from supple.core.world import World

    parts = ["# Python\n\nWhat `import supple` offers. Units are SI; angles are in radians.\n"]
    for name in sorted(supple.__all__):
        value = getattr(supple, name)
        if inspect.isfunction(value) or inspect.isclass(value):
            parts.append(describe(name, value))
    parts.append("## Methods of a world\n")
    for name, value in sorted(vars(World).items()):
        if not name.startswith("_") and inspect.isfunction(value):
            parts.append(describe(f"world.{name}", value, level=3))
    return "\n".join(parts)


def describe(name: str, value: object, level: int = 2) -> str:
    """A heading, the signature and the docstring, word for word."""
    try:
        signature = str(inspect.signature(value))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        signature = "(...)"
    text = inspect.getdoc(value) or ""
    return f"{'#' * level} `{name}`\n\n```python\n{name}{signature}\n```\n\n```text\n{text}\n```\n"


def main() -> int:
    """Build where asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "site")
    return build(parser.parse_args().output)


if __name__ == "__main__":
    sys.exit(main())
