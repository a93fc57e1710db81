"""BenchExec's view of Cleave, without a run."""

from __future__ import annotations

import json
from typing import Any

from benchexec.tools.template import BaseTool2
from benchexec.util import ProcessExitCode

from cleave.benchexec import Tool


def result_of(*lines: str, code: int = 0) -> str:
    """What the tool-info module makes of what Cleave printed."""
    output = BaseTool2.RunOutput([f"{line}\n" for line in lines])
    run = BaseTool2.Run(["cleave"], ProcessExitCode.create(value=code), output, None)
    return Tool().determine_result(run)


def value_of(found: dict[str, Any], identifier: str) -> str | None:
    return Tool().get_value_from_output(BaseTool2.RunOutput([json.dumps(found) + "\n"]), identifier)


def command(files: list[str], *options: str, **about: Any) -> list[str]:
    limits = BaseTool2.ResourceLimits(**about.pop("limits", {}))
    return Tool().cmdline("cleave", list(options), BaseTool2.Task.with_files(files, **about), limits)
