"""What memory becomes: which objects are plain variables, which are arrays, and where they are."""

from __future__ import annotations

import pytest

from cleave.frontends.c.options import COptions
from cleave.frontends.c.read import read_c
from cleave.ir.check import check_program
from cleave.ir.program import Assert, Havoc, Program
from cleave.logic.sorts import array, bitvec

pytest.importorskip("ziglang", reason="the extra 'c' is not installed")

WORDS = array(bitvec(64), bitvec(32))


def read(source: str, **options: object) -> Program:
    program = read_c({"t.c": source.encode()}, COptions(**options)).program  # type: ignore[arg-type]
    check_program(program)
    return program


def globals_of(source: str) -> dict[str, object]:
    return {variable.name: variable.sort for variable in read(source, checks=("assertions",)).globals}


def test_locals_are_locals() -> None:
    program = read("int f(int x) { int y = x; y++; return y; } int main(void) { return f(1); }")
    assert program.globals == ()
    assert [v.name for v in program.procedures["f"].parameters] == ["x"]
    assert [v.name for v in program.procedures["f"].locals] == ["y"]


def test_a_local_that_only_one_pointer_reaches_is_a_variable() -> None:
    found = globals_of("void f(int *p) { *p += 1; } int main(void) { int x = 1; f(&x); return x; }")
    assert found == {"x": bitvec(32)}


def test_two_locals_that_one_pointer_reaches_are_an_array() -> None:
    source = "void f(int *p) { *p += 1; } int main(void) { int x = 1, y = 2; f(&x); f(&y); return x + y; }"
    assert list(globals_of(source).values()) == [WORDS]


def test_fields_of_list_nodes_are_arrays_of_their_own() -> None:
    source = """
    void *malloc(unsigned long); struct node { int data; struct node *next; };
    int main(void) { struct node *l = 0;
      for (int i = 0; i < 3; i++) { struct node *n = malloc(sizeof *n); n->data = i; n->next = l; l = n; }
      int s = 0; while (l) { s += l->data; l = l->next; } return s; }"""
    found = globals_of(source)
    assert found == {"heap+0": WORDS, "heap+8": array(bitvec(64), bitvec(64)), "next_address": bitvec(64)}


def test_what_nobody_reads_is_not_kept() -> None:
    assert globals_of("int log[10]; int main(int c, char **v) { log[c] = 3; return 0; }") == {}


def test_what_nobody_writes_is_a_number() -> None:
    assert globals_of("int limit = 10; int *p = &limit; int main(void) { return *p; }") == {}


def test_regions_of_different_arrays_are_apart() -> None:
    found = globals_of("int a[9], b[9]; int main(int c, char **v) { a[c] = b[c]; b[c] = 1; return a[c + 1]; }")
    assert found == {"a": WORDS, "b": WORDS}


def test_null_brings_nothing_together() -> None:
    found = globals_of("""
    int a, b; int main(int c, char **v) { int *p = 0, *q = 0; if (c) { p = &a; q = &b; } if (c > 1) { p = 0; q = 0; }
      if (p) { *p = 1; *q = 2; } return a + b; }""")
    assert found == {"a": bitvec(32), "b": bitvec(32)}


def test_widths_follow_the_data_model() -> None:
    source = "long g; int main(void) { g++; return (int)g; }"
    assert read(source, bits=32).globals[0].sort is bitvec(32)
    assert read(source, bits=64).globals[0].sort is bitvec(64)


def test_an_error_label_may_have_the_name_of_a_variable() -> None:
    from support.ir_execution import Execution

    source = "int main(void) { int ERROR = 3; if (ERROR == 3) goto ERROR; return 0; ERROR: return 1; }"
    assert Execution(read(source)).run("main") == "violated"


@pytest.mark.parametrize("said", [b"typedef unsigned int size_t;", b'# 1 "/usr/include/gnu/stubs-32.h" 1 3 4'])
def test_a_preprocessed_file_can_say_its_data_model(said: bytes) -> None:
    source = said + b"\nlong g; int main(void) { g++; return (int)g; }"
    found = read_c({"t.i": source})
    assert found.program.globals[0].sort is bitvec(32)
    assert any("ILP32" in told for told in found.assumptions)
    assert read_c({"t.i": source}, COptions(bits=64)).assumptions == ()


def test_static_names_of_two_files_are_apart() -> None:
    files = {
        "a.c": b"static int n = 1; static int get(void) { return n++; } int other(void);"
        b"int main(void) { return get() + other(); }",
        "b.c": b"static int n = 2; static int get(void) { return n++; } int other(void) { return get(); }",
    }
    program = read_c(files).program
    check_program(program)
    assert set(program.procedures) == {"main", "get", "other", "get.2"}
    assert {v.name for v in program.globals} == {"n", "n.2"}


def test_a_main_that_calls_itself_starts_once() -> None:
    program = read("int n = 3; int main(void) { if (n-- > 0) main(); return n; }")
    assert [p.name for p in program.procedures.values() if p.is_entry] == ["main.start"]


def test_memory_that_no_function_without_a_body_reaches_stays_apart() -> None:
    program = read("static int x, y; int z; void set(int *); int main(void) { set(&x); y = 1; return x + y + z; }")
    (changed,) = (
        s
        for b in program.procedures["main"].blocks.values()
        for s in b.statements
        if isinstance(s, Havoc) and len(s.targets) > 1
    )
    assert ({v.name for v in changed.targets}, changed.function) == ({"x", "z"}, "set")


def test_each_activation_has_its_own_locals() -> None:
    from support.ir_execution import Execution

    source = """#include <assert.h>
    void f(int n) { int x = 0, y = 0; *(n & 1 ? &x : &y) = n; if (n > 0) f(n - 1); assert(x + y == n); }
    int main(void) { f(2); }"""
    assert Execution(read(source)).run("main") == "finished"


def test_a_slice_gets_any_values() -> None:
    from support.ir_execution import Execution

    source = """#include <assert.h>
    int main(void) { int a[4] = {0, 1, 2, 3}; __CPROVER_havoc_slice(a + 1, 2 * sizeof *a); assert(%s); }"""
    assert Execution(read(source % "a[0] == 0 && a[3] == 3")).run("main") == "finished"
    havocs = [s for s in read(source % "a[2] == 2").procedures["main"].statements() if isinstance(s, Havoc)]
    assert len(havocs) == 2


@pytest.mark.parametrize(
    ("check", "otherwise", "outcome"),
    [
        (None, "0", "violated"),
        (None, "reach_error()", "finished"),  # the program has another way to say what an error is
        ("error-label", "reach_error()", "violated"),
        ("assertions", "0", "finished"),
    ],
)
def test_an_error_label_is_a_violation(check: str | None, otherwise: str, outcome: str) -> None:
    from support.ir_execution import Execution

    source = "void reach_error(void); int main(void) { int x = 0; if (x) %s; goto ERROR;\nERROR: return 1; }"
    program = read(source % otherwise, checks=None if check is None else (check,))
    assert Execution(program).run("main") == outcome
    labels = [s for s in program.procedures["main"].statements() if isinstance(s, Assert) and "label" in s.message]
    assert [s.location.line for s in labels if s.location is not None] == [2] * (outcome == "violated")


def test_sizes_of_64_bit_on_32_bit() -> None:
    """Clang fills the rest of such a struct so."""
    made = "struct s { short a[3]; char b; int k; } make(int v) { struct s x = {{v}}; return x; }"
    read(f"{made} int main(void) {{ return make(1).k; }}", bits=32)
