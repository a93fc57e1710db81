"""What can't be read is refused with the place and the reason, never with a traceback."""

from __future__ import annotations

import importlib.util

import pytest

from cleave.errors import InputError, UnsupportedError, UsageError
from cleave.frontends.c.options import COptions
from cleave.frontends.c.read import read_c

pytest.importorskip("ziglang", reason="the extra 'c' is not installed")

UNSUPPORTED = {
    "floating-point": "long double d; int main(void) { d = d * 2; return 0; }",
    "names the variable": 'static int x; int main(void) { __asm__("incl x" ::: "memory"); return x; }',
    "must come in pairs": "void __VERIFIER_atomic_begin(void); void *f(void *p) { __VERIFIER_atomic_begin(); }"
    " int pthread_create(long *, void *, void *, void *); int main(void) { long t; pthread_create(&t, 0, f, 0); }",
    "entered or left": "int x; int main(void) { __CPROVER_ASYNC_1: { x = 1; return 0; } return 1; }",
    "entered or left by": "int x; int main(void) { __CPROVER_ASYNC_1: { __CPROVER_ASYNC_2: x = 1; } }",
    "control leaves": "int setjmp(void *); int main(void) { return setjmp(0); }",
    "another verifier": "int main(void) { return __CPROVER_w_ok(0, 1); }",
    "vector": "typedef int v __attribute__((vector_size(16))); v a, b; int main(void) { a = a + b; return 0; }",
}


@pytest.mark.parametrize("reason", UNSUPPORTED)
def test_unsupported(reason: str) -> None:
    with pytest.raises(UnsupportedError, match=reason) as caught:
        read_c({"t.c": UNSUPPORTED[reason].encode()})
    assert (caught.value.file, caught.value.line) == ("t.c", 1)


def test_statements_in_their_own_thread_and_deadlocks() -> None:
    source = b"int x; int main(void) { __CPROVER_ASYNC_1: x = 1; }"
    read_c({"t.c": source})
    with pytest.raises(UnsupportedError, match="pthread_create"):
        read_c({"t.c": source}, COptions(checks=("deadlock",)))


def test_only_what_can_run_is_refused() -> None:
    read_c({"t.c": b"long double half(long double d) { return d / 2; } int main(void) { return 0; }"})


def test_the_compilers_errors_keep_their_place() -> None:
    with pytest.raises(InputError, match="undeclared identifier 'y'") as caught:
        read_c({"dir/t.c": b"int main(void) {\n  return y;\n}\n"})
    assert (caught.value.file, caught.value.line, caught.value.column) == ("dir/t.c", 2, 10)


def test_names_in_line_directives_stay_as_they_are() -> None:
    source = b'int x;\nint main(void) {\n#line 5 "gram.y"\n  x = 1;\n#line 2 "/gen/lex.l"\n  x = 2;\n  return x;\n}\n'
    blocks = read_c({"dir/t.c": source}).program.procedures["main"].blocks.values()
    files = [one.location.file for block in blocks for one in block.statements if one.location is not None]
    assert {"gram.y", "/gen/lex.l"} == set(files) - {"dir/t.c"}


def test_a_missing_compiler_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(UsageError, match=r"needs Clang: pip install 'cleave-verifier\[c\]'"):
        read_c({"t.c": b"int main(void) { return 0; }"})


def test_no_entry() -> None:
    with pytest.raises(UsageError, match="no function 'start'"):
        read_c({"t.c": b"int main(void) { return 0; }"}, COptions(entry="start"))


def test_without_main_the_only_function_is_the_entry() -> None:
    found = read_c({"t.c": b"static int g(void) { return 1; } int f(int x) { return x > 9 ? f(x - 1) : g(); }"})
    assert found.assumptions[0] == "the program starts in f"
    with pytest.raises(UsageError, match="say where to start: f, g"):
        read_c({"t.c": b"int g(void) { return 1; } int f(void) { return 2; }"})


def test_two_definitions() -> None:
    with pytest.raises(InputError, match="defined in two files"):
        read_c(
            {"a.c": b"int f(void) { return 1; } int main(void) { return f(); }", "b.c": b"int f(void) { return 2; }"}
        )


def test_lines_of_a_preprocessed_file_are_its_own() -> None:
    with pytest.raises(UnsupportedError) as caught:
        read_c(
            {"t.i": b'# 1 "elsewhere.c"\nlong double d;\n# 77 "elsewhere.c"\nint main(void) { d = d + 1; return 0; }\n'}
        )
    assert (caught.value.file, caught.value.line) == ("t.i", 4)


def test_bytes_that_are_no_text() -> None:
    with pytest.raises(InputError):
        read_c({"t.c": b"\xff\xfe\x00int main"})
