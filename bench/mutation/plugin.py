"""What pytest runs with for a mutant: ``python -m pytest -p bench.mutation.plugin``. The environment says what to do.

CLEAVE_MUTANT=cleave.validate.clauses.invariant:17   that module is loaded with its mutant 17
CLEAVE_MUTATION_MAP=FOLDER                           which tests call which functions of CLEAVE_MUTATED is put there

Nothing on disk is changed: a mutant lives in the process of its tests. Whatever is loaded in other processes (workers)
is as it was.
"""

from __future__ import annotations

import ast
import json
import os
import sys
import time
from collections.abc import Iterator
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

import pytest
from hypothesis import Phase, settings

from bench.mutation.mutants import mutated

_MUTANT = os.environ.get("CLEAVE_MUTANT", "")
_MUTATED = os.environ.get("CLEAVE_MUTATED", "")
_MAP = os.environ.get("CLEAVE_MUTATION_MAP", "")

_calls: dict[str, None] = {}  # of the test that runs: "module:line" of functions
_tests: dict[str, tuple[float, list[str]]] = {}
_failed: dict[str, None] = {}


class _Loader(SourceFileLoader):
    """Compiles the module as it is changed; compiled files on disk are neither used nor written."""

    def get_code(self, fullname: str) -> CodeType:
        source = Path(self.path).read_text("utf-8")
        name, _, number = _MUTANT.partition(":")
        tree = mutated(source, int(number)) if fullname == name else _with_calls(source, fullname)
        code: CodeType = compile(tree, self.path, "exec", dont_inherit=True)
        return code

    def exec_module(self, module: ModuleType) -> None:
        module.__dict__["_mutation_calls"] = _calls
        super().exec_module(module)


class _Finder(MetaPathFinder):
    def find_spec(self, fullname: str, path: object, target: ModuleType | None = None) -> ModuleSpec | None:
        wanted = fullname == _MUTANT.partition(":")[0] or (_MAP and fullname.startswith(_MUTATED))
        spec = PathFinder.find_spec(fullname, path) if wanted else None  # type: ignore[arg-type]
        if spec is not None and spec.origin is not None and spec.origin.endswith(".py"):
            spec.loader = _Loader(fullname, spec.origin)
        return spec


def _with_calls(source: str, module: str) -> ast.Module:
    """Each function notes that it was called."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            note = ast.parse(f"_mutation_calls[{f'{module}:{node.lineno}'!r}] = None").body
            node.body[:0] = note
    return ast.fix_missing_locations(tree)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Fixtures that several tests share are charged to the first one; a test that needs them calls what they call."""
    _calls.clear()
    before = time.process_time()
    try:
        return (yield)
    finally:
        if _MAP:
            _tests[item.nodeid] = (round(time.process_time() - before, 3), list(_calls))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Also called for each test of a worker in the process that started it, where there is nothing to drop."""
    if report.failed:
        _failed[report.nodeid] = None


def pytest_sessionfinish() -> None:
    if _MAP and _tests:
        worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
        passed = {test: called for test, called in _tests.items() if test not in _failed}
        Path(_MAP, f"{worker}.json").write_text(json.dumps(passed), "utf-8")


if _MUTANT or _MAP:
    sys.meta_path.insert(0, _Finder())
    # The same examples each time, and no smaller ones: that a test fails is all that counts.
    settings.register_profile(
        "mutation", derandomize=True, database=None, phases=(Phase.explicit, Phase.generate), deadline=None
    )
    settings.load_profile("mutation")
