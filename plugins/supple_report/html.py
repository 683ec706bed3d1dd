"""HTML that cannot be broken by what it shows: whatever is not made by `tag` is escaped."""

from __future__ import annotations

from html import escape
from typing import Any

_VOID = {"img", "meta", "br"}


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def tag(name: str, /, *children: Any, **attributes: Any) -> Html:
    """An element. Strings within are escaped, `Html` is not; `class_` is the attribute class, None leaves one out."""
    pairs = {
        key.rstrip("_").replace("_", "-"): value for key, value in attributes.items() if value is not None
    }
    opened = "".join(f' {key}="{escape(str(value))}"' for key, value in pairs.items())
    if name in _VOID:
        return Html(f"<{name}{opened}>")
    return Html(f"<{name}{opened}>{join(children)}</{name}>")


def join(children: Any) -> Html:
    """Pieces one after another; lists within are joined too."""
    parts = []
    for child in children:
        if isinstance(child, Html):
            parts.append(str(child))
        elif isinstance(child, (list, tuple)):
            parts.append(str(join(child)))
        elif child is not None:
            parts.append(escape(str(child)))
    return Html("".join(parts))


def table(
    head: list[Any], rows: list[list[Any]], *, numbers: bool = False, class_: str | None = None
) -> Html:
    """A table with row headers in its first column; `numbers` sets all others to the right."""
    top = tag("thead", tag("tr", [tag("th", cell, scope="col") for cell in head]))
    body = [tag("tr", tag("th", row[0], scope="row"), [tag("td", cell) for cell in row[1:]]) for row in rows]
    names = " ".join(name for name in ("numbers" if numbers else "", class_ or "") if name)
    made = tag("table", top, tag("tbody", body), class_=names or None)
    return tag("div", made, class_="wide")
