"""The reference of the format, framework/docs/reference/format.md, from the schema: `python tools/reference.py [--check]`.

`--check` writes nothing and says whether the page is what the code says; exit code 1 if not.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "framework" / "docs" / "reference" / "format.md"
#: Longer defaults are not shown whole.
LONGEST = 60

HEAD = """# The format of scenes

Every table and key that a scene can have, with its unit, range and default. This page is made from the code by
`tools/reference.py`; `supple components KIND` shows the same of one kind, and `supple schema` writes a JSON Schema for editors.

A scene is a TOML file. Units are SI, angles in degrees, y points up, quaternions are w, x, y, z.
"""


def write_page() -> str:
    """The whole page."""
    os.environ["SUPPLE_DISABLE_AUTOLOAD"] = "1"
    from supple.plugin import load_plugins
    from supple.scene.reference import describe_components
    from supple.scene.tables import describe_tables

    described = describe_components(load_plugins().registry)
    groups = (
        ("Tables", "What a file holds besides components.", describe_tables()),
        ("Settings of a run", "`[run]`, and below it the settings of plugins and solvers.", pick(described, "settings")),
        ("Components", "What an entity can have.", pick(described, "component")),
        ("Events", "What can happen at a time.", pick(described, "event")),
    )
    parts = [HEAD]
    for title, says, tables in groups:
        parts.append(f"## {title}\n\n{says}\n")
        parts += [write_table(table) for table in tables]
    return "\n".join(parts)


def pick(described: list[dict[str, Any]], role: str) -> list[dict[str, Any]]:
    """Those of one role."""
    return [one for one in described if one["role"] == role]


def write_table(one: dict[str, Any]) -> str:
    """A heading, a sentence, keys, metrics and an example."""
    origin = "" if one["plugin"] in ("", "supple", "core") else f" Of the plugin {one['plugin']}."
    lines = [f"### `{one['kind']}`", "", clean(one["doc"]) + origin, ""]
    if one["fields"]:
        lines += ["| key | type | unit | default | range | what |", "|---|---|---|---|---|---|"]
        for each in one["fields"]:
            default = "required" if each["required"] else say(each["default"])
            cells = (f"`{each['name']}`", each["type"], each["unit"], default, each["range"], each["doc"])
            lines.append("| " + " | ".join(clean(cell) for cell in cells) + " |")
        lines.append("")
    if one["metrics"]:
        lines += ["| metric | unit | over time | what |", "|---|---|---|---|"]
        for each in one["metrics"]:
            cells = (f"`{each['name']}`", each["unit"], each["over_time"], each["doc"])
            lines.append("| " + " | ".join(clean(cell) for cell in cells) + " |")
        lines.append("")
    if one.get("example"):
        lines += ["```toml", one["example"], "```", ""]
    return "\n".join(lines)


def say(default: Any) -> str:
    """A default as TOML would have it, or nothing."""
    if default is None:
        return ""
    text = json.dumps(default)
    return f"`{text}`" if len(text) <= LONGEST else "see `supple components`"


def clean(text: str) -> str:
    """Fit for a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;").replace("[[", "\\[\\[")


def main(arguments: list[str]) -> int:
    """Write the page, or compare."""
    page = write_page()
    if "--check" in arguments:
        same = PAGE.is_file() and PAGE.read_text(encoding="utf-8") == page
        print(f"{PAGE.relative_to(ROOT)}: {'as the code says' if same else 'stale; run python tools/reference.py'}")
        return 0 if same else 1
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(page, encoding="utf-8", newline="\n")
    print(f"wrote {PAGE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
