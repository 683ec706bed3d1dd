"""The command line. Commands are imported when asked for, so that `supple --help` answers at once."""

from __future__ import annotations

import errno
import gc
import importlib
import os
import re
import sys
import traceback
from collections.abc import Sequence
from typing import Any

import rich_click as click
from click.exceptions import Exit, NoArgsIsHelpError

from supple.errors import ExitCode, PluginFaultError, SimulationError, SuppleError, UserError

#: Where each command lives. These modules import rich_click and, within their functions, all else.
COMMANDS = {
    "run": "supple.run.commands_run:run",
    "check": "supple.run.commands_check:check",
    "claims": "supple.run.commands_claims:claims",
    "solve": "supple.run.commands_solve:solve",
    "info": "supple.run.commands_info:info",
    "components": "supple.run.commands_look:components",
    "systems": "supple.run.commands_look:systems",
    "schedule": "supple.run.commands_look:schedule",
    "arrays": "supple.run.commands_arrays:arrays",
    "plugins": "supple.run.commands_look:plugins",
    "schema": "supple.run.commands_look:schema",
    "new": "supple.run.commands_new:new",
    "warmup": "supple.run.commands_warmup:warmup",
}
_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
#: What shells report for a program whose reader went away.
_BROKEN_PIPE = 141
#: What disks say that take no more.
_FULL = (errno.ENOSPC, errno.EFBIG, errno.EROFS, errno.EIO, getattr(errno, "EDQUOT", errno.ENOSPC))
#: Longer than a name or a path that somebody means [characters].
_ENDLESS = re.compile(r"\S{400,}")
#: Where a context keeps the command of a plugin that it runs.
_PLUGIN_COMMAND = "supple.plugin_command"


class LazyGroup(click.RichGroup):
    """A group that knows its commands by name; those of plugins are looked for when a name is unknown."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands of supple itself, the most used first, then those of plugins."""
        from supple.run.plugin_commands import list_plugin_commands

        return [*COMMANDS, *(name for name in list_plugin_commands() if name not in COMMANDS)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A command to be shown: one of supple itself, imported now, or a stand-in for a plugin's."""
        if cmd_name in COMMANDS:
            module, _, attribute = COMMANDS[cmd_name].partition(":")
            command: click.Command = getattr(importlib.import_module(module), attribute)
            return command
        from supple.run.plugin_commands import list_plugin_commands

        line = list_plugin_commands().get(cmd_name)
        return None if line is None else click.Command(cmd_name, help=line)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; what that of a plugin raises names the plugin."""
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.Abort, Exit, SuppleError, BrokenPipeError):
            raise
        except Exception as error:
            if _PLUGIN_COMMAND not in ctx.meta:
                raise
            from supple.core.fault import raise_fault

            registry, command = ctx.meta[_PLUGIN_COMMAND]
            raise_fault(error, registry, command.plugin, f"command {command.name}")

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """A command to be run."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            return args[0], _find_plugin_command(ctx, args[0]), args[1:]
        return super().resolve_command(ctx, args)


def _find_plugin_command(ctx: click.Context, name: str) -> click.Command | None:
    from supple.errors import suggest
    from supple.plugin import load_plugins

    registry = load_plugins().registry
    offered = registry.commands
    if name in offered:
        ctx.meta[_PLUGIN_COMMAND] = registry, offered[name]
        command: click.Command = offered[name].load()
        return command
    raise click.UsageError(f"no command '{name}'; {suggest(name, [*COMMANDS, *offered])}", ctx)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="supple", prog_name="supple")
def supple() -> None:
    """Simulate and control characters that are soft.

    Example: supple run scenes/first/stack.toml

    Plugins may add further commands; those of installed plugins are listed last.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with one of the documented codes."""
    # Solvers call BLAS on small matrices, where its threads only get into each other's way.
    for name in _THREADS:
        os.environ.setdefault(name, "1")
    # Imports and scenes make a great many objects, hardly any of which are waste: looking through them again and again
    # took a tenth of the start.
    gc.set_threshold(50_000, 20, 100)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    if "_SUPPLE_COMPLETE" in os.environ:
        supple.main(prog_name="supple")
    from supple.run.stop import Termination

    with Termination():
        code = run_command(sys.argv[1:] if arguments is None else arguments)
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        code = _silence_output()
    except OSError as error:
        _silence_output()
        code = _complain([find_full_disk(error) or str(error)], ExitCode.BAD_INPUT)
    sys.exit(code)


def run_command(arguments: Sequence[str]) -> int:
    """Run one command line; returns its exit code. Every error has been printed by then."""
    try:
        with supple.make_context("supple", list(arguments)) as context:
            result = supple.invoke(context)
            return result if isinstance(result, int) else ExitCode.FINE
    except Exit as request:
        return request.exit_code
    except NoArgsIsHelpError as error:
        click.echo(error.message, err=True)
        return ExitCode.BAD_INPUT
    except click.ClickException as error:
        return _complain([_say_usage(error)], ExitCode.BAD_INPUT)
    except PluginFaultError as error:
        traceback.print_exception(error.__cause__)
        return _complain([str(error), *getattr(error, "__notes__", [])], error.exit_code)
    except UserError as error:
        return _complain([str(problem) for problem in error.problems], ExitCode.BAD_INPUT)
    except SimulationError as error:
        return _complain([str(error)], ExitCode.SIMULATION_FAILED)
    except (KeyboardInterrupt, click.Abort):
        return _complain(["interrupted"], ExitCode.INTERRUPTED)
    except BrokenPipeError:
        return _silence_output()
    except Exception as error:
        if full := find_full_disk(error):
            return _complain([full], ExitCode.BAD_INPUT)
        traceback.print_exc()
        return _complain(
            ["this is a defect of supple; please report it with the lines above"], ExitCode.DEFECT
        )


def find_full_disk(error: BaseException | None) -> str:
    """One line if an error comes of a disk that takes no more, however libraries wrapped it; else nothing."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in _FULL:
            place = error.filename or "what was to be written"
            return f"{place}: cannot be written: {error.strerror}; make room, or choose another place"
        error = error.__cause__ or error.__context__
    return ""


def _complain(lines: list[str], code: ExitCode) -> int:
    for line in lines:
        print(shorten(line), file=sys.stderr)
    return code


def shorten(line: str) -> str:
    """One problem is one line, whatever a file name or a value contains; words without end are cut."""
    line = line.replace("\n", "\\n").replace("\r", "\\r")
    return _ENDLESS.sub(lambda word: f"{word[0][:60]}...", line)


def _say_usage(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "supple"
    message = " ".join(error.format_message().split()).rstrip(".")
    see = f" See '{command} --help'" if message.endswith("?") else f"; see '{command} --help'"
    return f"{command}: {message}{see}"


def _silence_output() -> int:
    # Python would complain once more when it flushes at exit.
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    return _BROKEN_PIPE
