"""Every command explains itself in the same way: a sentence, an example to type, options that say what they do."""

from __future__ import annotations

import re
import shlex
from collections import defaultdict

import click
import pytest

from supple.plugin import load_plugins
from supple.run.cli import COMMANDS, run_command, supple


def find_commands() -> dict[str, click.Command]:
    """All commands by what is typed after `supple`: those of supple, of its plugins, and those within groups."""
    found: dict[str, click.Command] = {}
    for name in [*COMMANDS, *load_plugins().registry.commands]:
        _, command, _ = supple.resolve_command(click.Context(supple), [name])
        assert command is not None, name
        found[name] = command
        if isinstance(command, click.Group):
            found |= {f"{name} {inner}": one for inner, one in command.commands.items()}
    return found


FOUND = find_commands()
#: The same option says the same wherever it appears. Those with a meaning of their own in each command are left out.
OWN_MEANING = {"--output", "--out", "--fps", "--record", "--title", "--overwrite", "--only"}


def examples_of(command: click.Command) -> list[str]:
    """An example is a line of its own in the docstring."""
    return re.findall(r"^\s*Example: (.*)$", command.help or "", re.MULTILINE)


def test_all_commands_are_looked_at() -> None:
    assert {"run", "check", "new plugin", "picture", "plot", "view", "export", "report"} <= set(FOUND)


@pytest.mark.parametrize("name", sorted(FOUND))
def test_help_has_a_sentence_and_an_example(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = FOUND[name]
    first = (command.help or "").strip().split("\n\n")[0]
    assert first.endswith("."), first
    examples = examples_of(command)
    assert examples, f"supple {name} --help has no example"
    assert all(example.startswith(f"supple {name} ") or example == f"supple {name}" for example in examples)
    assert run_command([*name.split(), "--help"]) == 0
    assert "Example:" in capsys.readouterr().out


@pytest.mark.parametrize("name", sorted(FOUND))
def test_example_can_be_typed(name: str) -> None:
    command = FOUND[name]
    if isinstance(command, click.Group):
        return
    for example in examples_of(command):
        words = shlex.split(example)[1 + len(name.split()) :]
        # Reads all arguments and options, and refuses those that do not exist; runs nothing.
        command.make_context(name, words)


@pytest.mark.parametrize("name", sorted(FOUND))
def test_every_option_says_what_it_does(name: str) -> None:
    for option in FOUND[name].params:
        if isinstance(option, click.Option):
            said = re.sub(r"\s*\[default: .*\]$", "", option.help or "")
            assert said.endswith("."), f"supple {name} {option.opts[0]}: {option.help!r}"
            assert said[0].isupper() or said[0] in ".0", said


def test_equal_options_say_the_same() -> None:
    said = defaultdict(set)
    for command in FOUND.values():
        for option in command.params:
            if isinstance(option, click.Option):
                for spelled in option.opts:
                    if spelled.startswith("--") and spelled not in OWN_MEANING:
                        said[spelled].add(option.help)
    assert {spelled: texts for spelled, texts in said.items() if len(texts) > 1} == {}
    assert len(said["--json"]) == 1


def test_whatever_is_written_is_named_alike() -> None:
    """`-o` and `--output` go together."""
    for name, command in FOUND.items():
        for option in command.params:
            if {"-o", "--out", "--output"} & set(option.opts):
                assert {"-o", "--output"} <= set(option.opts), name


def test_commands_of_plugins_have_a_line_for_lists() -> None:
    registry = load_plugins().registry
    for name, entry in registry.commands.items():
        assert entry.help.endswith("."), name
