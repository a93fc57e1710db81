"""The command line: ``cleave COMMAND``. One module per command; only this package prints or exits.

cleave verify driver.bpl
cleave show latest
cleave unfold driver.bpl --merge opt
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from cleave.cli.arguments import Extent
from cleave.cli.logs import show_logs
from cleave.cli.printing import say, say_error
from cleave.errors import CleaveError, InputError, UsageError
from cleave.version import __version__

_DESCRIPTION = """\
Cleave is a software model checker. Every verdict it prints was confirmed by code that did not find it.

verdicts and exit codes:
  safe           0   no execution violates the property; no bound was needed for the proof
  bounded-safe   0   no execution within the printed bounds violates it (--strict: 4)
  unsafe        10   a violating execution, printed and replayed
  unknown        5   no answer, with the reason and how far the run got
errors: 1 usage, 2 input can't be read or parsed, 6 internal error
"""


_COMMANDS = (
    "verify",
    "plan",
    "batch",
    "shard",
    "join",
    "cluster",
    "resume",
    "runs",
    "show",
    "report",
    "serve",
    "check",
    "unfold",
    "horn",
    "boogie",
    "help",
)
_VERSION = "--version"
_PASSING_ON = ("batch", "cluster")  # what comes after --
_EXTENDED = ("verify", "plan")  # by engines and exports of other packages


class _Parser(argparse.ArgumentParser):
    """Usage errors have exit code 1 here, and one line. Flags are written out: what a beginning of one stands for would
    change with every flag that comes."""

    def __init__(self, **about: Any) -> None:
        super().__init__(**{**about, "allow_abbrev": False})

    def error(self, message: str) -> None:  # type: ignore[override]
        raise UsageError(f"{message}; see '{self.prog} --help'")


def parser(only: str | None = None, extent: Extent = Extent.ALL) -> argparse.ArgumentParser:
    """Of all commands, or of one: loading the others takes longer than a small task, and so do their rarer flags."""
    top = _Parser(prog="cleave", description=_DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter)
    top.add_argument(_VERSION, action="version", version=f"cleave {__version__}")
    _add_verbose(top, 0)
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in _loaded(only):
        module = import_module(f"cleave.cli.{command}")
        module.add_to(commands, extent) if command in _EXTENDED else module.add_to(commands)
    for subparser in commands.choices.values():
        subparser.set_defaults(parser=subparser)
        _add_verbose(subparser, argparse.SUPPRESS)  # before the command or after it
    return top


def _loaded(only: str | None) -> Sequence[str]:
    if only == _VERSION:
        return ()
    return (only,) if only in _COMMANDS else _COMMANDS


def _add_verbose(parser: argparse.ArgumentParser, default: int | str) -> None:
    purpose = "log steps with their times to the standard error stream; -vv: also queries to solvers"
    parser.add_argument("-v", "--verbose", action="count", default=default, help=purpose)


def _readable(arguments: Sequence[str]) -> Sequence[str]:
    """Names that are not UTF-8 could neither be printed nor kept in a journal."""
    for word in arguments:
        if not word.isascii() and word.encode("utf-8", "replace").decode() != word:
            raise UsageError(f"{word!r}: an argument that is not UTF-8")
    return arguments


def _parsed(arguments: Sequence[str]) -> argparse.Namespace:
    command = next((word for word in arguments if not word.startswith("-") or word == _VERSION), None)
    whole = list(arguments)
    if command in _PASSING_ON and "--" in whole:
        arguments = whole[: whole.index("--")]
    extents = [Extent.ALL] if {"-h", "--help", "--help-all"} & set(arguments) else list(Extent)
    for extent in extents:
        options, unknown = parser(command, extent).parse_known_args(arguments)
        if not any(word.startswith("-") for word in unknown):
            break
    if unknown and "files" in options and not any(word.startswith("-") for word in unknown):
        options.files += unknown  # those after a flag, which argparse does not take for files
    elif unknown:  # the parser of the command knows where to find help; argparse would ask the one above it
        options.parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    options.arguments = whole
    return options


def _without_output() -> None:
    """What is still to be printed can't be, and must not be tried again when Python ends."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _with_streams() -> None:
    """A process may start with its output closed: then nobody reads what it says."""
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115


def main(arguments: Sequence[str] | None = None) -> int:
    # Terms and programs hold no cycles worth collecting; looking for some costs a quarter of the time to read a file.
    gc.set_threshold(1_000_000, 50, 50)
    # A product of two numerals may be longer than what Python prints by default. What is read has a limit of its own.
    sys.set_int_max_str_digits(0)
    _with_streams()
    try:
        is_process = arguments is None  # the whole of it is this command: limits count from its start
        arguments = _readable(sys.argv[1:] if arguments is None else arguments)
        options = _parsed(arguments)
        options.is_process = is_process
        show_logs(options.verbose)
        code: int = options.run(options)
    except CleaveError as error:
        say_error(error)
        return error.exit_code
    except KeyboardInterrupt:
        say("cleave: interrupted", file=sys.stderr)
        return 5
    except BrokenPipeError:
        _without_output()  # the reader of our output went away; nobody is left to tell
        return 1
    except MemoryError:
        say("cleave: there is not enough memory", file=sys.stderr)
        return 5
    except OSError as error:
        _without_output()
        say(f"cleave: the system refuses: {error.strerror or error}", file=sys.stderr)
        return 1
    except RecursionError:
        say("cleave: the input is nested too deeply for a part of Cleave", file=sys.stderr)
        return InputError.exit_code
    except Exception as error:  # the one place where everything unexpected ends
        say(f"cleave: internal error: {type(error).__name__}: {error}; please report it", file=sys.stderr)
        if os.environ.get("CLEAVE_DEBUG"):
            raise
        return 6
    return code


if __name__ == "__main__":
    sys.exit(main())
