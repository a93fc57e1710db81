"""How much of Cleave the tests run, from SlipCover's file: ``python -m bench.covered build/coverage.json``.

    93.1 % of 43,446 lines are run by the tests (lines that only a worker's process runs don't count)
      cli 91.0, engines 92.4, errors.py 100.0, ...

A line that is run is not a line that is checked: `bench.mutation` tells whether the tests would notice a mistake.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any


def main() -> int:
    for line in figures(json.loads(Path(sys.argv[1]).read_text("utf-8"))["files"]):
        print(line)
    return 0


def figures(files: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """One line for all, one for the packages; ``files`` are paths with their executed and missing lines."""
    executed: Counter[str] = Counter()
    lines: Counter[str] = Counter()
    for name, file in files.items():
        package = PurePath(name).parts[2]  # src/cleave/PACKAGE/...
        executed[package] += len(file["executed_lines"])
        lines[package] += len(file["executed_lines"]) + len(file["missing_lines"])
    parts = [f"{package} {_percent(executed[package], lines[package])}" for package in sorted(lines) if lines[package]]
    return [
        f"{_percent(executed.total(), lines.total())} % of {lines.total():,} lines are run by the tests"
        " (lines that only a worker's process runs don't count)",
        f"  {', '.join(parts)}",
    ]


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}"


if __name__ == "__main__":
    sys.exit(main())
