"""Options and types of values that several commands share. Imports nothing heavy: `supple --help` loads it."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import rich_click as click

Function = TypeVar("Function", bound=Callable[..., Any])


def read_positive(value: str) -> float:
    """A finite number above zero; click's own range lets nan pass."""
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not (math.isfinite(number) and number > 0):
        raise click.BadParameter(f"'{value}' is not a number above zero")
    return number


FILE = click.Path(path_type=Path)


def plugin_options(function: Function) -> Function:
    """`--plugin FILE` and `--disable NAME`, as `plugin_files` and `disabled`."""
    function = click.option(
        "--disable", "disabled", multiple=True, metavar="NAME", help="Leave out an installed plugin."
    )(function)
    return click.option(
        "--plugin",
        "plugin_files",
        multiple=True,
        type=FILE,
        metavar="FILE",
        help="Load a one-file plugin too.",
    )(function)


def json_option(function: Function) -> Function:
    """`--json`, as `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")(
        function
    )


def outside_option(function: Function) -> Function:
    """`--allow-outside`, as `allow_outside`."""
    return click.option(
        "--allow-outside", is_flag=True, help="Let the scene name files outside its own folder."
    )(function)


def override_options(function: Function) -> Function:
    """`--set KEY=VALUE`, as often as wanted, and `--variant NAME`, as `overrides` and `variant`."""
    function = click.option("--variant", default="", metavar="NAME", help="Run this variant of the scene.")(
        function
    )
    return click.option(
        "--set",
        "overrides",
        multiple=True,
        metavar="KEY=VALUE",
        help="Override a value, e.g. box.box.density=500.",
    )(function)
