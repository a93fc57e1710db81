"""Exit codes of verdicts, as the user wants them: for ``verify``, ``resume``, ``join`` and ``batch``.

exit_code("bounded-safe", options)           # 0, or 4 with --strict or --fail-on bounded
worst({0, 10, 5})                            # 10: of several files, the worst is the command's
"""

from __future__ import annotations

import argparse
from collections.abc import Collection

from cleave.verdict import BoundedSafe, Safe, Unknown, Unsafe

BOUNDED = 4  # the exit code of bounded-safe, where somebody asks for one
_CODES = {verdict.word: verdict.exit_code for verdict in (Safe, BoundedSafe, Unsafe, Unknown)}
_FAILING = {"unsafe": Unsafe.word, "unknown": Unknown.word, "bounded": BoundedSafe.word, "none": ""}
_PRECEDENCE = (6, 2, 1, 10, 5, BOUNDED, 0)


def add_exit_code(parser: argparse.ArgumentParser) -> None:
    codes = parser.add_argument_group("exit code")
    codes.add_argument(
        "--fail-on",
        metavar="LIST",
        type=failing,
        help="the verdicts that have an exit code other than 0, separated by commas: any of unsafe (10), unknown (5)"
        " and bounded (4), or none (default unsafe,unknown)",
    )
    codes.add_argument("--strict", action="store_true", help=f"bounded-safe has the exit code {BOUNDED}")


def failing(text: str) -> frozenset[str]:
    """``unsafe,bounded``."""
    names = [name.strip().removesuffix("-safe") for name in text.split(",") if name.strip()]
    wrong = [name for name in names if name not in _FAILING]
    if wrong or not names:
        told = f"{wrong[0]!r} is none" if wrong else "nothing is named"
        raise argparse.ArgumentTypeError(f"{told} of unsafe, unknown, bounded and none")
    return frozenset(_FAILING[name] for name in names)


def exit_code(verdict: str, options: argparse.Namespace) -> int:
    """Of one verdict, by its word."""
    chosen: frozenset[str] | None = options.fail_on
    if verdict == BoundedSafe.word:
        return BOUNDED if options.strict or verdict in (chosen or ()) else 0
    return _CODES[verdict] if chosen is None or verdict in chosen else 0


def worst(codes: Collection[int]) -> int:
    return next(code for code in _PRECEDENCE if code in codes)
