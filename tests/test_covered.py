"""The figure of coverage that ``make test`` prints."""

from __future__ import annotations

from bench.covered import figures


def test_lines_are_added_up_by_package() -> None:
    total, packages = figures(
        {
            "src/cleave/logic/terms.py": {"executed_lines": [1, 2, 3], "missing_lines": [4]},
            "src/cleave/logic/walk.py": {"executed_lines": [], "missing_lines": [1, 2]},
            "src/cleave/smt/z3/solver.py": {"executed_lines": [1, 2, 3], "missing_lines": []},
            "src/cleave/cli/__init__.py": {"executed_lines": [], "missing_lines": []},
        }
    )
    assert total.startswith("66.7 % of 9 lines")
    assert packages.split(", ") == ["  logic 50.0", "smt 100.0"]
