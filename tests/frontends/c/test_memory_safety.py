"""Accesses through pointers that are not valid are found, others are not reported: small programs, by all engines.

What is `unsafe` is confirmed by the compiler's own checks, on the inputs that the trace has.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from cleave import InlineOptions, Options, verify
from cleave.frontends.c.options import COptions
from cleave.verdict import BoundedSafe, Safe, Unknown, Unsafe
from support.c_programs import SmallProgram, compiler, inputs_of, sanitized, small_programs

pytest.importorskip("ziglang", reason="the extra 'c' is not installed")

FOLDER = Path(__file__).with_name("programs")
PROGRAMS = small_programs(FOLDER / "memory.c")
LEAKING = small_programs(FOLDER / "leaks.c")
BY_NAME = {one.name: one for one in PROGRAMS}
THREADED = {
    "freed_while_used": (
        "int *p; void *f(void *a) { if (p) *p = 3; return 0; }"
        " int main(void) { pthread_t t; p = malloc(4); if (!p) return 0; pthread_create(&t, 0, f, 0);"
        " free(p); p = 0; pthread_join(t, 0); return 0; }",
        "unsafe",
    ),
    "freed_after_the_join": (
        "int *p; void *f(void *a) { if (p) *p = 3; return 0; }"
        " int main(void) { pthread_t t; p = malloc(4); if (!p) return 0; pthread_create(&t, 0, f, 0);"
        " pthread_join(t, 0); free(p); return 0; }",
        "safe",
    ),
    "local_of_an_ended_thread": (
        "int *p; void *f(void *a) { int x = 0; p = &x; x = 1; return 0; }"
        " int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); return *p; }",
        "unsafe",
    ),
    "local_of_main": (
        "void *f(void *a) { *(int *)a = 1; return 0; }"
        " int main(void) { pthread_t t; int x; pthread_create(&t, 0, f, &x); pthread_join(t, 0); return x; }",
        "safe",
    ),
    "index_from_another_thread": (
        "int i, a[4]; void *f(void *b) { i = 4; return 0; }"
        " int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); a[i] = 1; pthread_join(t, 0); return 0; }",
        "unsafe",
    ),
}


def verdict(
    text: str, folder: Path, engine: str, bits: int = 64, property: str = "memory"
) -> Safe | BoundedSafe | Unsafe | object:
    file = folder / "program.c"
    file.write_text(text)
    c = COptions(checks=(property,), bits=32 if bits == 32 else 64)
    own = (InlineOptions(bounds=(6,)),) if engine == "inline" else ()
    options = Options(engine=engine, c=c, engines=own, timelimit=60, workers=1)
    return verify(str(file), options).verdict


def check(program: SmallProgram, found: object) -> None:
    expected = Unsafe if program.expected == "unsafe" else (Safe, BoundedSafe)
    assert isinstance(found, expected), f"{program.name}: {found}"


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_small_programs(program: SmallProgram, tmp_path: Path) -> None:
    found = verdict(program.text, tmp_path, "inline")
    check(program, found)
    if isinstance(found, Unsafe) and compiler() is not None and program.remark != "unseen":
        assert found.trace.check is not None
        assert found.trace.check.property == "memory"
        ran = sanitized(program.text, inputs_of(found.trace), tmp_path)
        assert ran.returncode != 0, f"{program.name} runs to its end with {inputs_of(found.trace)}"


@pytest.mark.parametrize("program", LEAKING, ids=lambda program: program.name)
def test_leaks(program: SmallProgram, tmp_path: Path) -> None:
    found = verdict(program.text, tmp_path, "inline", property="leaks")
    check(program, found)
    if isinstance(found, Unsafe) and compiler() is not None and program.remark != "unseen":
        ran = sanitized(program.text, inputs_of(found.trace), tmp_path, leaks=True)
        assert ran.returncode != 0, f"{program.name} leaks nothing with {inputs_of(found.trace)}"


@pytest.mark.parametrize(
    "name", ["index_negative", "heap_past_the_end", "list_not_ended", "wild_pointer", "variable_length_any"]
)
def test_32_bit(name: str, tmp_path: Path) -> None:
    check(BY_NAME[name], verdict(BY_NAME[name].text, tmp_path, "inline", bits=32))


@pytest.mark.parametrize("engine", ["pdr", "cegar", "threads"])
@pytest.mark.parametrize("name", ["index_past_the_end", "index_inside", "double_free", "use_before_free", "local_kept"])
def test_other_engines(name: str, engine: str, tmp_path: Path) -> None:
    check(BY_NAME[name], verdict(BY_NAME[name].text, tmp_path, engine))


@pytest.mark.parametrize("name", THREADED)
def test_threads(name: str, tmp_path: Path) -> None:
    text, expected = THREADED[name]
    found = verdict("#include <pthread.h>\n#include <stdlib.h>\n" + text, tmp_path, "auto")
    check(SmallProgram(name, expected, "", text), found)


UNCHECKED = "#include <stdlib.h>\nint main(void) { int *p = malloc(4); *p = 1; free(p); return 0; }\n"


@pytest.mark.parametrize(
    ("text", "may_fail", "expected"),
    [
        (UNCHECKED, None, Unsafe),
        (UNCHECKED, False, Safe),
        (UNCHECKED + "int __VERIFIER_nondet_int(void); int f(void) { return __VERIFIER_nondet_int(); }", None, Safe),
        (UNCHECKED + "int __VERIFIER_nondet_int(void); int f(void) { return __VERIFIER_nondet_int(); }", True, Unsafe),
    ],
    ids=["plain", "told not to", "task", "task, told to"],
)
def test_malloc_may_fail(text: str, may_fail: bool | None, expected: type, tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text(text)
    c = COptions(checks=("memory",), malloc_may_fail=may_fail)
    assert isinstance(verify(str(file), Options(engine="inline", workers=1, c=c)).verdict, expected)


def test_the_caller_of_the_library_is_blamed(tmp_path: Path) -> None:
    text = '#include <string.h>\nint main(void) {\n  char a[2];\n  strcpy(a, "abc");\n  return 0;\n}\n'
    found = verdict(text, tmp_path, "inline")
    assert isinstance(found, Unsafe)
    assert found.trace.location is not None
    assert (found.trace.location.line, found.trace.violated) == (
        4,
        "index 2 is outside of a[2], declared at line 3, in strcpy",
    )


HELD = {
    "freed": ("static int *g; int main(void) { g = malloc(4); free(g); return 0; }", Safe),
    "overwritten": ("static int *g; int main(void) { g = malloc(4); g = 0; return 0; }", Unsafe),
    "held": ("static int *g; int main(void) { g = malloc(4); if (!g) return 0; *g = 1; return *g; }", Unknown),
    "freed as a list": (
        "struct n { struct n *next; }; static struct n *h; static void add(void) { struct n *p = malloc(sizeof *p);"
        " if (p) { p->next = h; h = p; } } int main(void) { add(); add();"
        " while (h) { struct n *q = h->next; free(h); h = q; } return 0; }",
        Safe,
    ),
}


@pytest.mark.parametrize("name", HELD)
def test_memory_that_global_variables_may_lead_to(name: str, tmp_path: Path) -> None:
    text, expected = HELD[name]
    found = verdict("#include <stdlib.h>\n" + text, tmp_path, "inline", property="lost-memory")
    assert isinstance(found, expected), found
    if isinstance(found, Unknown):
        assert "whether a global variable leads to memory that is not freed" in found.detail


ALLOCA = (
    "static int *g; static void f(int n) { for (int i = 0; i < n; i++) { int *p = __builtin_alloca(4); *p = i;"
    " if (i == 0) g = p; } } int main(void) { f(%d); return %s; }"
)


def test_memory_from_alloca_that_a_loop_leaves_behind(tmp_path: Path) -> None:
    assert isinstance(verdict(ALLOCA % (1, "*g"), tmp_path, "inline"), Unsafe)
    assert isinstance(verdict(ALLOCA % (1, "0"), tmp_path, "inline"), Safe)
    found = verdict(ALLOCA % (2, "*g"), tmp_path, "inline")
    assert isinstance(found, Unknown)
    assert "memory that alloca gave before" in found.detail
