"""A new plugin package: complete, installable, tested, and small enough to be changed into something else.

The files come from the folder `template`: those in `common`, and those of the kind that is asked for. Their names
end in `.txt`, so that no tool of this project takes them for its own code; `<<name>>` and its like are replaced in
their text.

The new folder is called `supple-NAME`, with a hyphen: a folder that could be imported would hide the package in it
from whoever starts Python beside it.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import keyword
import re
from pathlib import Path

from supple import __version__
from supple.errors import Problem, UserError, suggest
from supple.scaffold import KINDS

TEMPLATE = Path(__file__).with_name("template")
SUFFIX = ".txt"
LONGEST_NAME = 20
#: Each word has two characters or more, so that the class name turns back into the same kind.
_NAME = re.compile(r"[a-z][a-z0-9]+(_[a-z][a-z0-9]+)*")
_RULE = f"use words of two or more of a-z and 0-9, joined by _, {LONGEST_NAME} characters at most, such as 'side_wind'"
#: Keys of an entity, and owners of the framework's arrays.
_RESERVED = frozenset({"at", "contacts", "energy", "metrics", "name", "parent", "rows", "run", "supple"})


def write_plugin(name: str, folder: Path, kind: str = "system") -> list[Path]:
    """Write the distribution `supple-NAME`, with a plugin of one of the `KINDS`, into a new folder within `folder`.

    `name` becomes the name of the plugin's component, of its solver, of its settings, and the owner of its arrays.
    Returns the files, sorted. Raises `UserError`, and writes nothing, when the name cannot be used or the new folder
    is there already and not empty.
    """
    _check_name(name)
    if kind not in KINDS:
        raise UserError(Problem(None, f"kind '{kind}'", "is not a kind of plugin", suggest(kind, KINDS)))
    home = folder / distribution_name_of(name)
    _check_home(home)
    texts = {
        home / _place_of(source.relative_to(root), name): _fill(
            source.read_text(encoding="utf-8"), name, kind
        )
        for root in (TEMPLATE / "common", TEMPLATE / kind)
        for source in sorted(root.rglob(f"*{SUFFIX}"))
    }
    try:
        for path, text in texts.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        what = f"cannot be written: {error.strerror or error}"
        raise UserError(Problem(None, str(home), what, "give a folder that you may write to")) from error
    return sorted(texts)


def class_name_of(name: str) -> str:
    """`side_wind` -> `SideWind`."""
    return "".join(word.capitalize() for word in name.split("_"))


def distribution_name_of(name: str) -> str:
    """`side_wind` -> `supple-side-wind`."""
    return f"supple-{name.replace('_', '-')}"


def _place_of(template: Path, name: str) -> Path:
    """Where a template goes: `package/compile.py.txt` -> `supple_NAME/compile.py`."""
    parts = [f"supple_{name}" if part == "package" else part for part in template.parts]
    return Path(*parts).with_name(parts[-1].removesuffix(SUFFIX).replace("NAME", name))


def _fill(text: str, name: str, kind: str) -> str:
    words = {
        "name": name,
        "Class": class_name_of(name),
        "distribution": distribution_name_of(name),
        "about": KINDS[kind],
        "supple_version": __version__,
    }
    for word, value in words.items():
        text = text.replace(f"<<{word}>>", value)
    return text


def _check_name(name: str) -> None:
    if name.startswith("supple_"):
        raise _refuse_name(
            name, "the package is called supple_... anyway", f"write {name.removeprefix('supple_')}"
        )
    if not _NAME.fullmatch(name) or len(name) > LONGEST_NAME:
        raise _refuse_name(name, "is not a name for a plugin", _RULE)
    if keyword.iskeyword(name) or name in _RESERVED:
        raise _refuse_name(name, "means something else already", "choose another name")
    taken = {entry.name: entry.value for entry in importlib.metadata.entry_points(group="supple")}
    if name in taken or importlib.util.find_spec(f"supple_{name}") is not None:
        package = taken.get(name, f"supple_{name}")
        raise _refuse_name(name, f"there is a plugin of this name: {package}", "choose another name")
    from supple.plugin import load_plugins

    registry = load_plugins().registry
    for table, what in (
        (registry.kinds(), "a component or event"),
        (registry.settings, "a solver or settings"),
    ):
        if name in table:
            what = f"plugin {table[name].plugin} has {what} of this name"
            raise _refuse_name(name, what, "choose another name")


def _refuse_name(name: str, what: str, remedy: str) -> UserError:
    shown = name.encode("unicode_escape").decode()
    return UserError(Problem(None, f"plugin name '{shown}'", what, remedy))


def _check_home(home: Path) -> None:
    """The new folder, and those above it, must not be in the way."""
    remedy = "move it away, or choose another name or folder"
    if home.is_dir():
        if any(home.iterdir()):
            what = "the folder exists and is not empty, and nothing is overwritten"
            raise UserError(Problem(None, str(home), what, remedy))
        return
    for path in (home, *home.parents):
        if (path.exists() or path.is_symlink()) and not path.is_dir():
            raise UserError(Problem(None, str(path), "exists and is not a folder", remedy))
