"""Comments that are a part of the program: assertions and ghost code of ACSL."""

from __future__ import annotations

from pathlib import Path

import pytest

from cleave import Options, verify
from cleave.engines.threads.options import ThreadsOptions
from cleave.errors import UnsupportedError
from cleave.frontends.c.clang.annotations import with_assertions
from cleave.frontends.c.options import COptions
from cleave.verdict import Safe, Unsafe

CASES = {
    b"//@ assert x == 0;\n": b"{ __CPROVER_assert((x == 0), 0); }\n",
    b"/*@ assert\n \\false; */ y;": b"{ __CPROVER_assert((0), 0); }\n y;",
    b"//@ assert x ==> \\true;": b"{ __CPROVER_assert(!(x ) || ( 1), 0); }",
    b"//@ ghost int g = 1;": b" int g = 1;",
    b'"//@ assert x;"': b'"//@ assert x;"',
    b"// @ assert x;": b"// @ assert x;",
    b"//@ loop invariant \\valid(p);": b"//@ loop invariant \\valid(p);",
}


def without_marks(made: bytes) -> bytes:
    return made.replace(b"__cleave_annotation_begin(); ", b"").replace(b" __cleave_annotation_end();", b"")


@pytest.mark.parametrize("text", CASES)
def test_the_same_lines_with_assertions(text: bytes) -> None:
    made = with_assertions(text, "x.c")
    assert without_marks(made) == CASES[text]
    assert (b"__CPROVER_assert" in made) == (b"__cleave_annotation_begin(); __CPROVER_assert" in made)


def test_with_threads_an_assertion_is_about_one_state() -> None:
    made = with_assertions(b"pthread_t t; //@ assert x == x;", "x.c")
    assert without_marks(made).endswith(
        b"{ __VERIFIER_atomic_begin(); __CPROVER_assert((x == x), 0); __VERIFIER_atomic_end(); }"
    )


@pytest.mark.parametrize("condition", ["\\valid(p)", "a ==> b ==> c", "(a ==> b) && c"])
def test_what_c_can_not_say_is_refused(condition: str) -> None:
    with pytest.raises(UnsupportedError) as caught:
        with_assertions(f"int x;\n//@ assert {condition};\n".encode(), "x.c")
    assert (caught.value.file, caught.value.line) == ("x.c", 2)


def test_verdicts(tmp_path: Path) -> None:
    pytest.importorskip("ziglang", reason="the extra 'c' is not installed")
    file = tmp_path / "x.c"
    source = "int main(void) {\n  int x = 1;\n  //@ ghost int before = x;\n  x++;\n  //@ assert x == before%s;\n}\n"
    file.write_text(source % " + 1")
    assert isinstance(verify(str(file), Options(timelimit=60, workers=1)).verdict, Safe)
    file.write_text(source % "")
    verdict = verify(str(file), Options(timelimit=60, workers=1)).verdict
    assert isinstance(verdict, Unsafe)
    assert verdict.trace.location is not None
    assert verdict.trace.location.line == 5


def test_an_assertion_is_no_access(tmp_path: Path) -> None:
    pytest.importorskip("ziglang", reason="the extra 'c' is not installed")
    file = tmp_path / "x.c"
    file.write_text("""#include <pthread.h>
int n;
void *work(void *p) { n = 1; return 0; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  //@ assert n == 0 || n == 1;
  pthread_join(t, 0);
}
""")
    for check in ("assertions", "data-race"):
        options = Options(
            timelimit=60, workers=1, c=COptions(checks=(check,)), engines=(ThreadsOptions(contexts=(4,)),)
        )
        assert isinstance(verify(str(file), options).verdict, Safe), check
