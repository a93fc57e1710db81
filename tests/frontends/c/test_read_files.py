"""Which files are read for the source lines of traces: those that the compiler may read, too, and no others."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cleave.frontends.c.clang.compiled import decode_compiled
from cleave.frontends.c.options import COptions
from cleave.frontends.c.read import compile_program, read_c

pytest.importorskip("ziglang", reason="the extra 'c' is not installed")


def texts(file: Path, *named: Path, includes: tuple[str, ...] = ()) -> dict[str, str]:
    """Of a program that says that its functions are from the files that are named."""
    functions = (f'#line 1 "{name}"\nint f{number}(void) {{ return 0; }}\n' for number, name in enumerate(named))
    content = "".join((*functions, f'#line 1 "{file}"\nint main(void) {{ return 0; }}\n'))
    compiled = compile_program({str(file): content.encode()}, COptions(includes=includes))
    return dict(decode_compiled(compiled, str(file)).texts)


def test_files_that_a_program_names_are_not_read_from_anywhere(tmp_path: Path) -> None:
    own, other, secret = tmp_path / "own", tmp_path / "other", tmp_path / "owner"
    for folder in (own, other, secret):
        folder.mkdir()
        (folder / "a.h").write_text(f"in {folder.name}")
    (own / "linked.h").symlink_to(secret / "a.h")
    os.mkfifo(own / "pipe.h")
    named = (own / "a.h", other / "a.h", own / ".." / "owner" / "a.h", own / "linked.h", own / "pipe.h")
    found = texts(own / "p.c", *named, Path("/dev/zero"), Path("/etc/passwd"), includes=(str(other),))
    del found[str(own / "p.c")]
    assert found == {str(own / "a.h"): "in own", str(other / "a.h"): "in other"}


def test_a_strange_file_name(tmp_path: Path) -> None:
    file = tmp_path / 'ä\nb\r"\\.c'
    program = read_c({str(file): b"int main(void) { __builtin_trap(); }"}).program
    places = {one.location.file for one in program.procedures.values() if one.location is not None}
    assert str(file) in places
