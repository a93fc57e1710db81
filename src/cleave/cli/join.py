"""``cleave join``: one verdict from the results of parts."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import msgspec

from cleave.cli.exit_codes import add_exit_code, exit_code
from cleave.cli.printing import say
from cleave.errors import InputError, UsageError
from cleave.frontends.read import read_bytes
from cleave.run.join import Joined, PartResult, join
from cleave.run.parts import Whole
from cleave.verdict import Unknown


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "join",
        help="join the results of parts into one verdict",
        description="Reads what `cleave verify --json` printed for each part that `cleave shard` wrote, checks that the"
        " parts cover the whole, and prints one verdict. It names a result that is missing, doubled or foreign.",
    )
    parser.add_argument("files", nargs="+", metavar="RESULT", help="a file with the JSON object of one part")
    parser.add_argument("--of", metavar="FILE", help="the .whole file that shard wrote (default: where it was written)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_exit_code(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    found = [(file, _read(file)) for file in options.files]
    named = options.of or next((told["part"]["of"] for _, told in found if told.get("part")), None)
    if named is None:
        raise UsageError("none of the results is one of a part; name what was divided by --of FILE")
    joined = join(_whole(named), [_result(file, told) for file, told in found])
    if options.json:
        print(json.dumps({"file": named, "parts": len(found), **asdict(joined)}))
    else:
        say("\n".join(_text(named, joined)))
    return exit_code(joined.verdict, options)


def _text(whole: str, joined: Joined) -> list[str]:
    bounds = ", ".join(f"{name} bound {bound}" for name, bound in joined.bounds.items())
    lines = [f"{joined.verdict}  {whole}", f"  {f'within {bounds}: ' if bounds else ''}{joined.reason}"]
    return [*lines, f"  see {joined.file}"] if joined.file else lines


def _whole(file: str) -> Whole:
    try:
        return msgspec.json.decode(read_bytes(file), type=Whole)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise InputError(f"this is not what cleave shard writes: {error}", file=file) from None


def _read(file: str) -> dict[str, Any]:
    """The last object in the file."""
    for line in reversed(read_bytes(file).decode("utf-8", "replace").splitlines()):
        if line.startswith("{"):
            try:
                found = json.loads(line)
            except ValueError:
                break
            if isinstance(found, dict):
                return found
    raise InputError("no result: one JSON object expected, as cleave verify --json prints it", file=file)


def _result(file: str, told: dict[str, Any]) -> PartResult:
    part = told.get("part") or {}
    reason = str(told.get("reason") or told.get("error") or "")
    verdict = str(told.get("verdict", Unknown.word))
    return PartResult(
        Path(file).name,
        str(part.get("whole")),
        str(part.get("name")),
        str(part.get("digest")),
        verdict,
        told.get("bounds") or {},
        reason,
    )
