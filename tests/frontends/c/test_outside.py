"""Functions without a body may change what they can reach; a violation that depends on that is not known to be one."""

from __future__ import annotations

from pathlib import Path

import pytest

from cleave import Options, verify
from cleave.errors import UsageError
from cleave.frontends.c.options import COptions
from cleave.verdict import Reason, Result, Safe, Unknown, Unsafe

pytest.importorskip("ziglang", reason="the extra 'c' is not installed")

HEAD = """
void __assert_fail(const char *, const char *, unsigned, const char *);
#define assert(e) ((e) ? (void)0 : __assert_fail(#e, __FILE__, __LINE__, ""))
int nondet_int(void);
void touch(void); void set(int *); void set_pointer(int **); void *get(void); int number(void);
void call(void (*)(void)); int *point(int *);
"""


def outcome(folder: Path, text: str, *, engine: str = "inline", **c: object) -> Result:
    file = folder / "t.c"
    file.write_text(HEAD + text)
    return verify(str(file), Options(engine=engine, timelimit=30, workers=1, c=COptions(**c)))  # type: ignore[arg-type]


def depends_on(result: Result) -> str:
    assert isinstance(result.verdict, Unknown), result.verdict
    assert result.verdict.reason is Reason.UNMODELLED
    return result.verdict.detail.removeprefix("the violation that was found depends on what ").split(" does;")[0]


CHANGED = {
    "argument": ("int main(void) { int x = 1; set(&x); assert(x == 1); }", "set"),
    "element": ("int main(void) { int a[4] = {1}; set(a + 2); assert(a[0] == 1); }", "set"),
    "external global": ("int g = 1; int main(void) { touch(); assert(g == 1); }", "touch"),
    "what a global points to": ("static int x = 1; int *p = &x; int main(void) { touch(); assert(x == 1); }", "touch"),
    "kept": ("int main(void) { int x = 1; set(&x); x = 1; touch(); assert(x == 1); }", "touch"),
    "pointer": ("int main(void) { int x = 1, *p = &x; set_pointer(&p); assert(p == &x); }", "set_pointer"),
    "through a pointer": ("int main(void) { int x = 1, *p = &x; set_pointer(&p); assert(x == 1); }", "set_pointer"),
    "pointer to another": (
        "int main(void) { int x = 1, y = 1, *p = &x; set(&y); set_pointer(&p); x = y = 1; *p = 2; assert(y == 1); }",
        "set_pointer",
    ),
    "result into what it knows": (
        "int main(void) { int x = 1; set(&x); x = 1; *(int *)get() = 2; assert(x == 1); }",
        "get",
    ),
    "result in the middle": (
        "int main(void) { int a[4] = {1, 1, 1, 1}; *point(a) = 2; assert(a[2] == 1 || a[2] == 2);"
        " a[0] = a[1] = a[2] = a[3] = 1; *point(a) = 2; assert(a[3] == 1); }",
        "point",
    ),
    "result": ("int main(void) { assert(number() > 0); }", "number"),
    "branch": ("int main(void) { if (number() > 0) assert(0); }", "number"),
    "branch that was not taken": ("int main(void) { int x = 0; if (number() > 0) x = 1; assert(x); }", "number"),
    "called back": (
        "static int x = 1; static void f(void) { x = 2; } int main(void) { call(f); assert(x == 1); }",
        "call",
    ),
    "asserts when called back": ("static void f(void) { assert(0); } int main(void) { call(f); return 0; }", "call"),
    "called back later": (
        "static int x = 1; static void f(void) { x = 2; } int main(void) { call(f); x = 1; touch(); assert(x == 1); }",
        "touch",
    ),
    "table of functions": (
        "static int x = 1; static void f(void) { x = 2; } void (*table[1])(void) = {f};"
        "int main(void) { touch(); assert(x == 1); }",
        "touch",
    ),
}


@pytest.mark.parametrize("text", CHANGED.values(), ids=CHANGED)
def test_what_it_can_reach_may_change(text: tuple[str, str], tmp_path: Path) -> None:
    assert text[1] in depends_on(outcome(tmp_path, text[0]))


LEFT_ALONE = {
    "local": "int main(void) { int x = 1; touch(); assert(x == 1); }",
    "static": "static int x = 1; int main(void) { int *p = &x; touch(); assert(*p == 1); }",
    "constant": "const int x = 1; int main(void) { touch(); assert(x == 1); }",
    "literal": "int main(void) { const char *s = \"a\"; set((int *)s); assert(s[0] == 'a'); }",
    "written again": "int main(void) { int x; set(&x); x = 1; assert(x == 1); }",
    "any result": "int main(void) { int x = number(); assert(x <= 5 || x > 5); }",
    "by value": "struct s { int x[9]; } s = {1}; void take(struct s);"
    " int main(void) { struct s t = {1}; take(t); assert(t.x[0] == 1); }",
    "not given": "int main(void) { int x = 1, y = 1; set(&x); assert(y == 1); }",
}


@pytest.mark.parametrize("engine", ["inline", "pdr"])
@pytest.mark.parametrize("text", LEFT_ALONE.values(), ids=LEFT_ALONE)
def test_what_it_can_not_reach_stays(text: str, engine: str, tmp_path: Path) -> None:
    result = outcome(tmp_path, text, engine=engine)
    assert isinstance(result.verdict, Safe)
    assert not [said for said in result.assumptions if "body" in said]


CERTAIN = {
    "before": "int main(void) { int x = nondet_int(); assert(x != 7); touch(); return 0; }",
    "after": "int main(void) { int x = nondet_int(); touch(); assert(x != 7); }",
    "other memory": "int main(void) { int x = nondet_int(), y; set(&y); assert(x != 7); }",
    "element": "int main(void) { int a[4]; set(a); a[1] = nondet_int(); assert(a[1] != 7); }",
}


@pytest.mark.parametrize("text", CERTAIN.values(), ids=CERTAIN)
def test_a_violation_that_does_not_depend_on_it_stays(text: str, tmp_path: Path) -> None:
    assert isinstance(outcome(tmp_path, text).verdict, Unsafe)


TRUSTED = "int main(void) { int x = 1; set(&x); assert(x == 1 && number() > 0); }"


def test_trust(tmp_path: Path) -> None:
    assert depends_on(outcome(tmp_path, TRUSTED, trust=("set",))) == "number"
    found = outcome(tmp_path, TRUSTED, trust=("set", "number"))
    assert isinstance(found.verdict, Unsafe)
    assert "set leaves memory alone and returns any value, as --trust says" in found.assumptions
    assert isinstance(outcome(tmp_path, TRUSTED, assume_pure=True).verdict, Unsafe)
    pure = outcome(tmp_path, "int main(void) { int x = 1; set(&x); assert(x == 1); }", assume_pure=True)
    assert isinstance(pure.verdict, Safe)
    assert pure.assumptions == ("set leaves memory alone and returns any value, as --assume-pure says",)


@pytest.mark.parametrize("name", ["main", "nowhere"])
def test_trust_is_for_functions_without_a_body(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=f"--trust {name}: "):
        outcome(tmp_path, TRUSTED, trust=(name,))


def test_a_stub_is_a_body(tmp_path: Path) -> None:
    stub = tmp_path / "stub.c"
    stub.write_text("void set(int *p) { *p = 1; } int number(void) { return 1; }")
    assert isinstance(outcome(tmp_path, TRUSTED, others=(str(stub),)).verdict, Safe)


ASSEMBLY = """
static int hidden = 3;
int main(void) { int x = nondet_int(), y = 2, z; if (x < 0 || x > 9) return 0;
  __asm__ volatile("" : "+r"(x)); __asm__ volatile("mfence" ::: "memory"); assert(x <= 9);
  __asm__("bsrl %1, %0" : "=r"(z) : "r"(y)); assert(y == 2);
  __asm__ volatile("incl %0" : "+m"(y)); assert(hidden == 3);
  if (x == 4) { __asm__ volatile("ud2"); assert(0); }
  assert(CONDITION); }
"""


@pytest.mark.parametrize(
    ("condition", "expected"),
    [("x != 4", "safe"), ("z == 1", "line 11"), ("y == 3", "line 12"), ("x != 5", "unsafe")],
)
def test_assembly(tmp_path: Path, condition: str, expected: str) -> None:
    found = outcome(tmp_path, ASSEMBLY.replace("CONDITION", condition)).verdict
    if isinstance(found, Unknown):
        assert f"what the assembly code in {expected} does" in found.detail
    else:
        assert found.word == expected


BLOCK = "void *malloc(unsigned long); void free(void *); int main(void) { int *p = malloc(4); if (!p) return 0; set(p);"
FREED = {
    "used": f"{BLOCK} *p = 1; free(p); }}",
    "freed again": f"{BLOCK} free(p); }}",
    "left": f"{BLOCK} return 0; }}",
}


@pytest.mark.parametrize("text", FREED.values(), ids=FREED)
def test_it_may_free_what_it_is_given(text: str, tmp_path: Path) -> None:
    checks = ("leaks",) if text == FREED["left"] else ("memory",)
    assert depends_on(outcome(tmp_path, text, checks=checks)) == "set"


def test_it_frees_neither_locals_nor_what_it_can_not_reach_nor_in_tasks(tmp_path: Path) -> None:
    other = f"{BLOCK} int *q = malloc(4), x[2]; set(x); if (q) *q = 1; free(q); x[1] = 1; }}"
    assert isinstance(outcome(tmp_path, other, checks=("memory",)).verdict, Safe)
    assert isinstance(outcome(tmp_path, FREED["used"], checks=("memory",), array_bounds=False).verdict, Safe)


def test_nobody_knows_how_large_an_array_of_another_file_is(tmp_path: Path) -> None:
    """It has an element."""
    text = "extern int tab[]; int main(void) { int n = nondet_int(); return n >= 0 && n < %d ? tab[n] : 0; }"
    assert isinstance(outcome(tmp_path, text % 1, checks=("memory",)).verdict, Safe)
    found = outcome(tmp_path, text % 2, checks=("memory",)).verdict
    assert isinstance(found, Unknown)
    assert found.detail == "the violation that was found depends on the file that defines tab"
