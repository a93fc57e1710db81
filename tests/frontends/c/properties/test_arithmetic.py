"""Programs with and without defects: the verdict, and for each violation what a sanitizer says to its inputs."""

from __future__ import annotations

from pathlib import Path

import pytest

from cleave import Options
from cleave.verdict import BoundedSafe, Safe, Unsafe
from support.checked_programs import Executable, checked, compiled, inputs, read_programs

pytest.importorskip("ziglang", reason="the extra 'c' is not installed")

ALL = {file.stem: read_programs(file) for file in sorted(Path(__file__).with_name("programs").glob("*.txt"))}
BAD = [(property, name) for property, programs in ALL.items() for name in programs.bad]
GOOD = [(property, name) for property, programs in ALL.items() for name in programs.good]
ENGINES = ("pdr", "cegar", "threads")
SAMPLE = 14  # every so many programs go to another engine


@pytest.fixture(scope="module")
def executables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Executable]:
    made = {}
    for property, programs in ALL.items():
        own = {name: text for name, text in programs.bad.items() if name not in programs.alone}
        made[property] = compiled(tmp_path_factory.mktemp(property), own, programs.sanitizers)
    return made


def test_there_are_enough() -> None:
    for property, programs in ALL.items():
        assert min(len(programs.bad), len(programs.good)) >= 20, property


@pytest.mark.parametrize(("property", "name"), BAD)
def test_bad(property: str, name: str, tmp_path: Path, executables: dict[str, Executable]) -> None:
    found = violated(tmp_path, property, name, Options(timelimit=60))
    if name not in ALL[property].alone:
        place = found.trace.location
        assert place is not None
        assert executables[property].run(name, inputs(found.trace)) == (place.line, place.column)


def violated(folder: Path, property: str, name: str, options: Options) -> Unsafe:
    found = checked(folder, ALL[property].bad[name], options, (property,)).verdict
    assert isinstance(found, Unsafe), (name, found)
    assert found.trace.check is not None
    assert found.trace.check.property == property
    return found


@pytest.mark.parametrize(("property", "name"), GOOD)
def test_good(property: str, name: str, tmp_path: Path) -> None:
    found = checked(tmp_path, ALL[property].good[name], Options(timelimit=60), (property,))
    assert isinstance(found.verdict, Safe | BoundedSafe), found.verdict
    assert list(found.checked) == [property]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("property", ALL)
def test_other_engines(property: str, engine: str, tmp_path: Path) -> None:
    programs, start = ALL[property], ENGINES.index(engine)
    options = Options(engine=engine, timelimit=60)
    for name in list(programs.bad)[start::SAMPLE]:
        violated(tmp_path, property, name, options)
    for name in list(programs.good)[start::SAMPLE]:
        found = checked(tmp_path, programs.good[name], options, (property,)).verdict
        assert isinstance(found, Safe | BoundedSafe), (name, found)
