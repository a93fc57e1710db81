"""Programs of several files, and what runs before main."""

from __future__ import annotations

from pathlib import Path

import pytest

from cleave import Options, verify
from cleave.cli.main import main
from cleave.errors import InputError
from cleave.frontends.c.read import read_c
from cleave.verdict import Safe
from support.ir_execution import Execution

pytest.importorskip("ziglang", reason="the extra 'c' is not installed")

ASSERT = "#include <assert.h>\n"


def outcome(*sources: str) -> str:
    files = {f"{name}.c": (ASSERT + source).encode() for name, source in zip("abc", sources, strict=False)}
    return Execution(read_c(files).program).run("main")


def test_functions_and_variables_are_one() -> None:
    uses = "extern int n; int twice(int); int main(void) { n = 4; assert(twice(n) == 8 && n == 5); }"
    assert outcome(uses, "int n; int twice(int x) { n++; return 2 * x; }") == "finished"


def test_static_names_are_not() -> None:
    uses = "static int n = 1; int g(void); int main(void) { g(); assert(n == 1 && g() == 4); }"
    assert outcome(uses, "static int n = 2; int g(void) { return ++n; }") == "finished"


def test_initial_values_win() -> None:
    assert outcome("int n; int main(void) { assert(n == 3); }", "int n = 3;") == "finished"
    assert outcome("int n = 3; int main(void) { assert(n == 3); }", "int n;") == "finished"


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        ("int main(void) { }", "int main(void) { }", r"b\.c:2: function 'main' is defined in two files.* at a\.c:2"),
        ("int n = 1; int main(void) { return n; }", "int n = 2;", r"b\.c:2: variable 'n' is defined in two files"),
    ],
)
def test_defined_twice(first: str, second: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        outcome(first, second)


def test_constructors_run_first() -> None:
    first = "int g = 2; __attribute__((constructor)) static void last(void) { g += 5; }"
    second = "extern int g; __attribute__((constructor(150))) void first(void) { g = 3 * g; }"
    assert outcome(first + "int main(void) { assert(g == 11); }", second) == "finished"


def test_destructors_run_last() -> None:
    first = "int g = 2; __attribute__((destructor)) static void early(void) { assert(g == 4); g++; }"
    second = "extern int g; __attribute__((destructor(150))) void last(void) { assert(g == %d); }"
    assert outcome(first + "int main(void) { g = 4; }", second % 5) == "finished"
    assert outcome(first + "int main(void) { g = 4; }", second % 4) == "violated"


def test_string_literals_of_two_files_stay_apart() -> None:
    uses = 'void reach_error(void); extern const char *b[]; int main(void) { const char *a = "a"; %s }'
    checks = "".join(f"if (a[0] != 'a' || b[{i}][0] != '{i}') reach_error();" for i in range(4))
    assert outcome(uses % checks, 'const char *b[] = {"0", "1", "2", "3"};') == "finished"


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "a.c").write_text(ASSERT + "int f(void); int main(void) { assert(f() == 1); }", encoding="utf-8")
    (tmp_path / "b.c").write_text("int f(void) { return 2; }", encoding="utf-8")
    (tmp_path / "c.bpl").write_text("procedure main() { assert true; }", encoding="utf-8")
    files = [str(tmp_path / name) for name in ("a.c", "c.bpl", "b.c")]
    assert main(["verify", "--workers=1", "--quiet", *files]) == 10
    printed = [line for line in capsys.readouterr().out.splitlines() if line.startswith(("safe", "unsafe"))]
    assert [line.split()[0] for line in printed] == ["unsafe", "safe"]


def test_property_file(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    file, rule = tmp_path / "a.c", tmp_path / "own.prp"
    file.write_text(ASSERT + "int main(void) { assert(0); }", encoding="utf-8")
    rule.write_text("CHECK( init(main()), LTL(F end) )", encoding="utf-8")
    assert main(["verify", "--workers=1", "--quiet", str(file), "--property-file", str(rule)]) == 2
    assert "termination is not checked yet" in capsys.readouterr().err
    rule.write_text("CHECK( init(main()), LTL(G ! data-race) )", encoding="utf-8")
    assert main(["verify", "--workers=1", "--quiet", str(file), "--property-file", str(rule)]) == 0
    assert main(["verify", "--workers=1", "--quiet", str(file), "--check", "reach"]) == 10


def test_a_variable_may_have_the_name_of_a_function_of_the_library(tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text("int signal[2] = {1, 2};\nint raise(int);\nint main(void) { raise(0); return 2 / signal[1]; }\n")
    assert isinstance(verify(str(file), Options(engine="inline", workers=1)).verdict, Safe)


def test_a_function_that_only_has_the_name_of_one_of_the_library_is_another_one(tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text("extern int read(int);\nint main(void) { int a[1] = {7}; read(3); return a[0] / (a[0] - 6); }\n")
    assert isinstance(verify(str(file), Options(engine="inline", workers=1)).verdict, Safe)
