"""Arguments that several commands share, and the parsing of their values."""

from __future__ import annotations

import argparse
import re
from enum import Enum
from typing import Any

from cleave.engines import options as engine_options
from cleave.engines.options import Reader


class Extent(Enum):
    """How many flags a parser knows. Most commands need few, and to make all takes longer than a small task."""

    USUAL = 1
    ENGINES = 2  # with those of Cleave's engines
    ALL = 3  # with what other packages bring


def add_output(parser: argparse.ArgumentParser, objects: str) -> None:
    group = parser.add_argument_group("output")
    group.add_argument("--json", action="store_true", help=f"print {objects}")
    group.add_argument(
        "--trace",
        choices=("compact", "full", "none"),
        default="compact",
        help="how much of a violating execution to print: what led to the violation, everything, or nothing"
        " (default compact)",
    )
    group.add_argument(
        "--deterministic",
        action="store_true",
        help="leave out what differs from run to run, such as times; the output of the engine cegar is then the same,"
        " byte for byte, for any number of workers",
    )
    group.add_argument("--quiet", action="store_true", help="print no progress")


def add_limits(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--timelimit", type=seconds, default=0.0, metavar="T", help="wall time: 60, 90s, 5m, 1h")
    group.add_argument(
        "--cputimelimit", type=seconds, default=0.0, metavar="T", help="processor time of all processes together"
    )
    group.add_argument("--memlimit", type=megabytes, default=0, metavar="M", help="memory: 4000 (MB), 4GB")


def said(read: Reader) -> Reader:
    """A reader of options that tells argparse what is wrong with a text."""

    def read_text(text: str) -> Any:
        try:
            return read(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return read_text


def whole_number(text: str) -> int:
    """1 or more."""
    if not re.fullmatch(r"[0-9]{1,6}", text) or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of 1 or more")
    return int(text)


def whole_number_or_zero(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,6}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of 0 or more")
    return int(text)


class Once(argparse.Action):
    """Of an option that is given twice the last one would win without a word."""

    def __call__(self, parser: Any, options: Any, value: Any, flag: str | None = None) -> None:
        if (before := getattr(options, self.dest)) is not None:
            raise argparse.ArgumentError(self, f"given twice, as {before} and {value}")
        setattr(options, self.dest, value)


def run_id(text: str) -> str:
    """A name that is a file's name as well."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a name of letters, digits, - and _")
    return text


seconds = said(engine_options.seconds)


def megabytes(text: str) -> int:
    """``4000``, ``4000MB`` or ``4GB``."""
    match = re.fullmatch(r"([0-9]{1,9})\s*(MB|M|GB|G)?", text, re.IGNORECASE)
    if not match or not int(match[1]):
        raise argparse.ArgumentTypeError(f"{text!r} is not a size such as 4000 (MB) or 4GB")
    return int(match[1]) * (1000 if (match[2] or "M")[0] in "gG" else 1)
